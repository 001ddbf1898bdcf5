//! A profile: what lasts between runs. One TOML file, a section per game.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entry::{Ending, Header};
use super::run_state::RunState;
use crate::kit::Value;
use crate::play::award::pay;

/// The format of profiles that this program writes, and the newest it reads.
pub(super) const PROFILE_FORMAT: u32 = 2;

/// Most past runs that a profile tells of; older ones still lie in their journals.
const HISTORY: usize = 500;

/// What lasts between runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// The format of the file.
    pub format: u32,
    /// The name as its owner wrote it.
    pub name: String,
    /// The number of the newest run.
    #[serde(default)]
    pub last_run: u64,
    /// What the front ends remember for this player.
    #[serde(default = "Value::map")]
    pub preferences: Value,
    /// A section per game, by the id of the mod that brings it.
    #[serde(default)]
    pub games: BTreeMap<String, GameProfile>,
}

/// What lasts between runs of one game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameProfile {
    /// The seed of the next run, once it was drawn. A text, since TOML's numbers are too short.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "seed_text")]
    pub next_seed: Option<u64>,
    /// How many runs were started.
    #[serde(default)]
    pub runs_started: u64,
    /// The mods that are switched on.
    #[serde(default)]
    pub mods_on: Vec<String>,
    /// The versions of the mods that last had to do with `data`, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
    /// The runs that are over and paid for.
    #[serde(default)]
    pub settled: Vec<String>,
    /// The whole ids of what was achieved, oldest first.
    #[serde(default)]
    pub achieved: Vec<String>,
    /// The mods' settings, a table per mod.
    #[serde(default = "Value::map")]
    pub settings: Value,
    /// What awards pay into, and a run's header freezes.
    #[serde(default = "Value::map")]
    pub data: Value,
    /// The runs that are over, oldest first.
    #[serde(default)]
    pub history: Vec<PastRun>,
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastRun {
    /// Its id.
    pub run_id: String,
    /// Its seed.
    pub seed: String,
    /// The day on which it ended, `2026-11-21`; empty where that was not noted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub day: String,
    /// Whether the player gave it up.
    #[serde(default)]
    pub abandoned: bool,
    /// Whether it was paid for; practice is not.
    pub earned: bool,
    /// What the game says of its end.
    #[serde(default = "Value::map")]
    pub outcome: Value,
    /// The options it was played with.
    #[serde(default = "Value::map")]
    pub options: Value,
}

impl Default for GameProfile {
    fn default() -> Self {
        Self {
            next_seed: None,
            runs_started: 0,
            mods_on: Vec::new(),
            versions: BTreeMap::new(),
            settled: Vec::new(),
            achieved: Vec::new(),
            settings: Value::map(),
            data: Value::map(),
            history: Vec::new(),
        }
    }
}

impl Profile {
    /// A new profile.
    pub fn new(name: &str) -> Self {
        Self {
            format: PROFILE_FORMAT,
            name: name.trim().to_owned(),
            last_run: 0,
            preferences: Value::map(),
            games: BTreeMap::new(),
        }
    }

    /// The section of a game; an empty one if it was never played.
    pub fn game(&self, game: &str) -> GameProfile {
        self.games.get(game).cloned().unwrap_or_default()
    }

    /// The section of a game, made if need be.
    pub fn game_mut(&mut self, game: &str) -> &mut GameProfile {
        self.games.entry(game.to_owned()).or_default()
    }

    /// Whether a run is over and paid for.
    pub fn is_settled(&self, game: &str, run_id: &str) -> bool {
        self.games.get(game).is_some_and(|game| game.settled.iter().any(|id| id == run_id))
    }

    /// Pays for a run that is over, which ended on this day, once: a second call for the same run changes nothing and
    /// returns false.
    pub fn settle(
        &mut self,
        header: &Header,
        run_state: &RunState,
        ending: &Ending,
        day: String,
    ) -> bool {
        if self.is_settled(&header.game, &header.run_id) {
            return false;
        }
        let earned = run_state.earns();
        let game = self.game_mut(&header.game);
        if earned {
            pay(&mut game.data, &ending.award);
        }
        game.settled.push(header.run_id.clone());
        game.history.push(PastRun {
            run_id: header.run_id.clone(),
            seed: header.seed.to_string(),
            day,
            abandoned: ending.abandoned,
            earned,
            outcome: plain_facts(&ending.outcome),
            options: header.options.clone(),
        });
        let surplus = game.history.len().saturating_sub(HISTORY);
        game.history.drain(..surplus);
        true
    }
}

/// What of an outcome is kept for good: its plain facts. Lists stay in the run's own journal.
fn plain_facts(outcome: &Value) -> Value {
    let Value::Map(table) = outcome else { return Value::map() };
    let plain = table.iter().filter(|(_, v)| !matches!(v, Value::List(_) | Value::Map(_)));
    Value::Map(plain.map(|(key, value)| (Arc::clone(key), value.clone())).collect())
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
