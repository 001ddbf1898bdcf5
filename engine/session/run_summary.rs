//! The summary of a run, read from its journal: its dice rolls, compared with the odds of the
//! choices taken. Independent of the game: bands of odds are identified by their labels.

use super::replay_player::{ReplayFrame, ReplayPlayer};
use base::{Problem, text};
use protocol::story_event::RollEvent;
use protocol::{Odds, StoryEvent};
use save::{DataDir, RunHeader, RunState};

/// The summary of a run.
pub struct RunSummary {
    /// Its header.
    pub header: RunHeader,
    /// Its run state.
    pub run_state: RunState,
    /// The number of answers.
    pub answer_count: u64,
    /// All rolls, with their steps.
    pub rolls: Vec<(u64, RollEvent)>,
    /// The promised and actual frequency of each band, in order of appearance.
    pub odds_tallies: Vec<OddsTally>,
    /// The number of rolls with odds beside their choice.
    pub rolls_with_odds: u64,
    /// The luck of the rolls against their odds, in permille: 500 is as promised, 1000 is the
    /// maximum.
    pub luck_permille: Option<u64>,
    /// The output under the last heading of the last step with output; marked-up text.
    pub last_story_lines: Vec<String>,
    /// Why the run could not be replayed to its end.
    pub replay_problem: Option<Problem>,
    /// The odds of a choice whose roll is still open.
    open_roll_odds: Option<Odds>,
}

/// One band of odds over a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddsTally {
    /// The game's label.
    pub label: String,
    /// The promised frequency, in permille.
    pub expected_permille: u64,
    /// The actual frequency.
    pub actual_count: u64,
}

impl RunSummary {
    /// Reads a run from its start. A damaged run is summarized as far as possible.
    pub fn from_run(data_dir: &DataDir, run_id: &str) -> Result<Self, Problem> {
        Ok(Self::from_replay(ReplayPlayer::open(data_dir, run_id)?))
    }

    pub(super) fn from_replay(mut replay: ReplayPlayer) -> Self {
        let mut summary = Self {
            header: replay.header().clone(),
            run_state: replay.run_state().clone(),
            answer_count: 0,
            rolls: Vec::new(),
            odds_tallies: Vec::new(),
            rolls_with_odds: 0,
            luck_permille: None,
            last_story_lines: Vec::new(),
            replay_problem: replay.damage_problem().cloned(),
            open_roll_odds: None,
        };
        let mut percentile_sum = 0;
        loop {
            match replay.advance_step() {
                Ok(Some(frame)) => percentile_sum += summary.add_frame(&frame),
                Ok(None) => break,
                Err(problem) => {
                    summary.replay_problem = Some(problem);
                    break;
                }
            }
        }
        summary.luck_permille = percentile_sum.checked_div(summary.rolls_with_odds);
        summary
    }

    /// Adds a step. Returns the percentile of its roll within the odds, in permille, if there were
    /// odds.
    fn add_frame(&mut self, frame: &ReplayFrame) -> u64 {
        if frame.input.is_some() {
            self.answer_count += 1;
        }
        let is_heading = |event: &StoryEvent| matches!(event, StoryEvent::Heading { .. });
        let heading = frame.events.iter().rposition(is_heading).map_or(0, |at| at + 1);
        let story_lines = frame.events[heading..].iter().filter_map(|event| match event {
            StoryEvent::Say { text } => Some(text.clone()),
            _ => None,
        });
        let words: Vec<String> = story_lines.collect();
        if !words.is_empty() {
            self.last_story_lines = words;
        }
        let rolls = frame.events.iter().filter_map(|event| match event {
            StoryEvent::Roll(roll) => Some(&**roll),
            _ => None,
        });
        let rolls: Vec<&RollEvent> = rolls.collect();
        for roll in &rolls {
            self.add_roll(frame.step, roll);
        }
        let open = rolls.iter().any(|roll| roll.is_open);
        let Some(odds) = frame.odds.clone().or_else(|| self.open_roll_odds.take()) else {
            return 0;
        };
        // The roll that the odds refer to is the first one with a result in one of their bands.
        let outcome_index = rolls.iter().filter(|roll| !roll.is_open).find_map(|roll| {
            let outcome = text::strip_markup(roll.outcome.as_ref()?);
            odds.bands.iter().position(|band| text::strip_markup(&band.label) == outcome)
        });
        let Some(outcome_index) = outcome_index.filter(|_| odds.total_cases > 0) else {
            // An open roll gets its result in a later step; the odds wait until then.
            self.open_roll_odds = (open || self.has_open_roll()).then_some(odds);
            return 0;
        };
        self.open_roll_odds = None;
        self.rolls_with_odds += 1;
        for (index, band) in odds.bands.iter().enumerate() {
            let label = text::strip_markup(&band.label);
            let at = self.odds_tallies.iter().position(|tally| tally.label == label);
            let at = at.unwrap_or_else(|| {
                self.odds_tallies.push(OddsTally { label, expected_permille: 0, actual_count: 0 });
                self.odds_tallies.len() - 1
            });
            let tally = &mut self.odds_tallies[at];
            tally.expected_permille += to_permille(band.case_count, odds.total_cases);
            tally.actual_count += u64::from(index == outcome_index);
        }
        outcome_percentile(&odds, outcome_index)
    }
}

impl RunSummary {
    /// Adds a roll. It replaces the open roll that it completes.
    fn add_roll(&mut self, step: u64, roll: &RollEvent) {
        let is_same_roll = |(_, other): &&mut (u64, RollEvent)| {
            other.is_open && (&other.stream, &other.notation) == (&roll.stream, &roll.notation)
        };
        match self.rolls.iter_mut().rev().find(is_same_roll) {
            Some((_, open)) => *open = roll.clone(),
            None => self.rolls.push((step, roll.clone())),
        }
    }

    /// Whether a roll is still open.
    fn has_open_roll(&self) -> bool {
        self.rolls.iter().any(|(_, roll)| roll.is_open)
    }
}

fn to_permille(cases: u64, total_cases: u64) -> u64 {
    u64::try_from(u128::from(cases) * 1000 / u128::from(total_cases.max(1))).unwrap_or(1000)
}

/// The share of all cases that is worse than the result, plus half of the equal ones. Bands are
/// sorted from best to worst.
fn outcome_percentile(odds: &Odds, outcome_index: usize) -> u64 {
    let worse: u64 = odds.bands[outcome_index + 1..]
        .iter()
        .map(|band| to_permille(band.case_count, odds.total_cases))
        .sum();
    worse + to_permille(odds.bands[outcome_index].case_count, odds.total_cases) / 2
}
