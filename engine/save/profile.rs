//! A profile: the data that persists between runs. One TOML file with a section per game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry::{RunEnding, RunHeader};
use super::profile_quota;
use super::run_state::RunState;
use base::{Code, Problem, Value, limits};

/// The profile format that this program writes, and the newest that it reads.
pub(super) const PROFILE_FORMAT: u32 = 2;

/// The maximum number of finished runs in a profile; older ones remain in their journals.
const MAX_HISTORY_RUNS: usize = 500;
/// The maximum number of days that a profile stores per game.
const MAX_DAILY_DAYS: usize = 1_000;

/// The data of a player that persists between runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The format of the file.
    pub format: u32,
    /// The name as its owner wrote it.
    pub name: String,
    /// The number of the newest run.
    #[serde(default)]
    #[serde(rename = "last_run")]
    pub last_run_number: u64,
    /// The preferences of the frontends.
    #[serde(default = "Value::map")]
    pub preferences: Value,
    /// A section per game, by the id of the game.
    #[serde(default)]
    pub games: BTreeMap<String, GameProfile>,
}

/// The data of one game that persists between runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameProfile {
    /// The seed of the next run, once it is drawn. It is a text, because TOML integers are too
    /// short.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "seed_text")]
    pub next_seed: Option<u64>,
    /// The number of runs that were started, without practice.
    #[serde(default)]
    pub runs_started: u64,
    /// The days whose daily seeds were played, oldest first. Older versions stored them in the
    /// preferences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "days")]
    pub daily_seed_dates: Vec<String>,
    /// The enabled mods.
    #[serde(default)]
    #[serde(rename = "mods_on")]
    pub enabled_mods: Vec<String>,
    /// The versions of the mods that `data` was last migrated to, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[serde(rename = "versions")]
    pub migrated_mod_versions: BTreeMap<String, String>,
    /// The runs that are over and paid.
    #[serde(default)]
    #[serde(rename = "settled")]
    pub paid_runs: Vec<String>,
    /// The full ids of the achievements, oldest first.
    #[serde(default)]
    #[serde(rename = "achieved")]
    pub achievement_ids: Vec<String>,
    /// The mods' settings, a table per mod.
    #[serde(default = "Value::map")]
    pub settings: Value,
    /// The data that awards change. The header of a run has a frozen copy.
    #[serde(default = "Value::map")]
    #[serde(rename = "data")]
    pub award_data: Value,
    /// The finished runs, oldest first.
    #[serde(default)]
    #[serde(rename = "history")]
    pub finished_runs: Vec<FinishedRun>,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedRun {
    /// Its id.
    pub run_id: String,
    /// Its seed.
    pub seed: String,
    /// The day on which it ended, `2026-11-21`; empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[serde(rename = "day")]
    pub end_date: String,
    /// Whether the player abandoned it.
    #[serde(default)]
    #[serde(rename = "abandoned")]
    pub was_abandoned: bool,
    /// Whether it was paid; practice runs are not.
    #[serde(rename = "earned")]
    pub was_paid: bool,
    /// The outcome that the game returned.
    #[serde(default = "Value::map")]
    pub outcome: Value,
    /// The options of the run.
    #[serde(default = "Value::map")]
    pub options: Value,
}

impl Default for GameProfile {
    fn default() -> Self {
        Self {
            next_seed: None,
            runs_started: 0,
            daily_seed_dates: Vec::new(),
            enabled_mods: Vec::new(),
            migrated_mod_versions: BTreeMap::new(),
            paid_runs: Vec::new(),
            achievement_ids: Vec::new(),
            settings: Value::map(),
            award_data: Value::map(),
            finished_runs: Vec::new(),
        }
    }
}

impl Profile {
    /// A new profile.
    pub fn new(name: &str) -> Self {
        Self {
            format: PROFILE_FORMAT,
            name: name.trim().to_owned(),
            last_run_number: 0,
            preferences: Value::map(),
            games: BTreeMap::new(),
        }
    }

    /// The section of a game; an empty one if it was never played.
    pub fn game_profile(&self, game: &str) -> GameProfile {
        self.games.get(game).cloned().unwrap_or_default()
    }

    /// The section of a game, created if needed.
    pub fn game_profile_mut(&mut self, game: &str) -> &mut GameProfile {
        self.games.entry(game.to_owned()).or_default()
    }

    /// Whether a run is over and paid.
    pub fn is_paid(&self, game: &str, run_id: &str) -> bool {
        self.games.get(game).is_some_and(|game| game.paid_runs.iter().any(|id| id == run_id))
    }

    /// Records that a run began: its number, its seed, its day.
    pub(super) fn record_run_start(&mut self, header: &RunHeader) {
        let game = self.game_profile_mut(&header.game);
        if header.is_seed_from_profile && game.next_seed == Some(header.seed) {
            game.next_seed = None;
        }
        if let Some(day) =
            header.daily_seed_date.as_ref().filter(|day| !game.daily_seed_dates.contains(day))
        {
            game.daily_seed_dates.push(day.clone());
            let surplus_count = game.daily_seed_dates.len().saturating_sub(MAX_DAILY_DAYS);
            game.daily_seed_dates.drain(..surplus_count);
        }
    }

    /// Pays a finished run once: a second call for the same run changes nothing. `today` is the day
    /// of the end if the journal has none. An award that exceeds the quota of the game is refused.
    pub fn pay_run(
        &mut self,
        header: &RunHeader,
        run_state: &RunState,
        ending: &RunEnding,
        today: &str,
    ) -> PaymentOutcome {
        if self.is_paid(&header.game, &header.run_id) {
            return PaymentOutcome::default();
        }
        let is_award_eligible = run_state.earns_award();
        let other_games = self.games.iter().filter(|(id, _)| **id != header.game);
        let max_bytes =
            profile_quota::remaining_quota_for_game(other_games.map(|(_, game)| &game.award_data));
        let game = self.game_profile_mut(&header.game);
        let mut payment = PaymentOutcome { is_newly_paid: true, ..PaymentOutcome::default() };
        if is_award_eligible {
            payment.award_problem =
                profile_quota::pay_within_quota(&mut game.award_data, &ending.award, max_bytes)
                    .err()
                    .map(|found| refused_award_warning(header, found));
            payment.new_achievements =
                profile_quota::new_achievement_ids(&game.achievement_ids, &ending.achievement_ids);
            game.achievement_ids.extend(payment.new_achievements.iter().cloned());
        }
        game.paid_runs.push(header.run_id.clone());
        let day = if ending.end_date.is_empty() { today } else { &ending.end_date };
        game.finished_runs.push(FinishedRun {
            run_id: header.run_id.clone(),
            seed: header.seed.to_string(),
            end_date: day.to_owned(),
            was_abandoned: ending.was_abandoned,
            was_paid: is_award_eligible,
            outcome: profile_quota::select_history_facts(&ending.outcome),
            options: profile_quota::select_history_facts(&header.options),
        });
        let surplus_count = game.finished_runs.len().saturating_sub(MAX_HISTORY_RUNS);
        game.finished_runs.drain(..surplus_count);
        payment
    }
}

/// The outcome of paying a run.
#[derive(Clone, Debug, Default)]
pub struct PaymentOutcome {
    /// Whether this call paid the run. False if it was paid before.
    pub is_newly_paid: bool,
    /// The new achievements.
    pub new_achievements: Vec<String>,
    /// Why its award was refused, if it was.
    pub award_problem: Option<Problem>,
}

fn refused_award_warning(header: &RunHeader, found: String) -> Problem {
    let RunHeader { game, run_id, .. } = header;
    Problem::warning(
        Code::AwardRefused,
        format!("the award of the run {run_id} is not paid: {found}"),
    )
    .expected(format!("at most {} bytes for each game in a profile, or less if the other games need the space", limits::MAX_PROFILE_BYTES_PER_GAME))
    .hint(format!(
        "the run is recorded, and its page shows what it earned; the author of {game} has to award less"
    ))
}

mod seed_text {
    //! A seed as text.
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(
        seed: &Option<u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match seed {
            Some(seed) => serializer.collect_str(seed),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u64>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("next_seed is {text:?}; expected a whole number"));
        text.parse().map(Some).map_err(|_| wrong())
    }
}
