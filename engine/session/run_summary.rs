//! The summary of a run, read from its journal: its dice rolls, compared with the odds of the
//! choices taken. Independent of the game: bands of odds are identified by their labels.

use super::replay_player::{ReplayFrame, ReplayPlayer};
use super::step::Session;
use crate::base::{Problem, text};
use crate::protocol::story_event::RollEvent;
use crate::protocol::{Choice, Input, Odds, StoryEvent};
use crate::save::{DataDir, RunHeader, RunState};

/// The summary of a run.
pub struct RunSummary {
    /// Its header.
    pub header: RunHeader,
    /// Its run state.
    pub run_state: RunState,
    /// The number of answers.
    pub steps: u64,
    /// All rolls, with their steps.
    pub rolls: Vec<(u64, RollEvent)>,
    /// The promised and actual frequency of each band, in order of appearance.
    pub bands: Vec<OddsTally>,
    /// The number of rolls with odds beside their choice.
    pub promised: u64,
    /// The luck of the rolls against their odds, in permille: 500 is as promised, 1000 is the
    /// maximum.
    pub luck: Option<u64>,
    /// The output under the last heading of the last step with output; marked-up text.
    pub last_words: Vec<String>,
    /// Why the run could not be replayed to its end.
    pub unread: Option<Problem>,
    /// The odds of a choice whose roll is still open.
    waiting: Option<Odds>,
}

/// One band of odds over a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddsTally {
    /// The game's label.
    pub label: String,
    /// The promised frequency, in permille.
    pub promised_thousandths: u64,
    /// The actual frequency.
    pub came: u64,
}

impl RunSummary {
    /// Replays a run from its start. A run that cannot be replayed to its end is summarized as far
    /// as possible.
    pub fn of(data_dir: &DataDir, run_id: &str) -> Result<Self, Problem> {
        Ok(Self::read(ReplayPlayer::open(data_dir, run_id)?))
    }

    /// The same for a run that was just played, from its finished session.
    pub fn of_played(data_dir: &DataDir, run_id: &str, over: Session) -> Result<Self, Problem> {
        Ok(Self::read(ReplayPlayer::open_after(data_dir, run_id, over)?))
    }

    pub(super) fn read(mut replay: ReplayPlayer) -> Self {
        let mut summary = Self {
            header: replay.header().clone(),
            run_state: replay.run_state().clone(),
            steps: 0,
            rolls: Vec::new(),
            bands: Vec::new(),
            promised: 0,
            luck: None,
            last_words: Vec::new(),
            unread: replay.damage().cloned(),
            waiting: None,
        };
        let mut shares = 0;
        loop {
            match replay.next_step() {
                Ok(Some(frame)) => shares += summary.add_frame(&frame),
                Ok(None) => break,
                Err(problem) => {
                    summary.unread = Some(problem);
                    break;
                }
            }
        }
        summary.luck = shares.checked_div(summary.promised);
        summary
    }

    /// Adds a step. Returns the percentile of its roll within the odds, in permille, if there were
    /// odds.
    fn add_frame(&mut self, frame: &ReplayFrame) -> u64 {
        if frame.input.is_some() {
            self.steps += 1;
        }
        let heads = |event: &StoryEvent| matches!(event, StoryEvent::Heading { .. });
        let heading = frame.events.iter().rposition(heads).map_or(0, |at| at + 1);
        let words = frame.events[heading..].iter().filter_map(|event| match event {
            StoryEvent::Say { text } => Some(text.clone()),
            _ => None,
        });
        let words: Vec<String> = words.collect();
        if !words.is_empty() {
            self.last_words = words;
        }
        let rolls = frame.events.iter().filter_map(|event| match event {
            StoryEvent::Roll(roll) => Some(&**roll),
            _ => None,
        });
        let rolls: Vec<&RollEvent> = rolls.collect();
        for roll in &rolls {
            self.add_roll(frame.step, roll);
        }
        let open = rolls.iter().any(|roll| roll.open);
        let taken = taken_choice(frame).and_then(|choice| choice.odds.clone());
        let Some(odds) = taken.or_else(|| self.waiting.take()) else { return 0 };
        // The roll that the odds refer to is the first one with a result in one of their bands.
        let came = rolls.iter().filter(|roll| !roll.open).find_map(|roll| {
            let outcome = text::strip_markup(roll.outcome.as_ref()?);
            odds.bands.iter().position(|band| text::strip_markup(&band.label) == outcome)
        });
        let Some(came) = came.filter(|_| odds.total_cases > 0) else {
            // An open roll gets its result in a later step; the odds wait until then.
            self.waiting = (open || self.has_open()).then_some(odds);
            return 0;
        };
        self.waiting = None;
        self.promised += 1;
        for (index, band) in odds.bands.iter().enumerate() {
            let label = text::strip_markup(&band.label);
            let at = self.bands.iter().position(|tally| tally.label == label);
            let at = at.unwrap_or_else(|| {
                self.bands.push(OddsTally { label, promised_thousandths: 0, came: 0 });
                self.bands.len() - 1
            });
            let tally = &mut self.bands[at];
            tally.promised_thousandths += permille(band.cases, odds.total_cases);
            tally.came += u64::from(index == came);
        }
        percentile(&odds, came)
    }
}

impl RunSummary {
    /// Adds a roll. It replaces the open roll that it completes.
    fn add_roll(&mut self, step: u64, roll: &RollEvent) {
        let is_it = |(_, other): &&mut (u64, RollEvent)| {
            other.open && (&other.stream, &other.notation) == (&roll.stream, &roll.notation)
        };
        match self.rolls.iter_mut().rev().find(is_it) {
            Some((_, open)) => *open = roll.clone(),
            None => self.rolls.push((step, roll.clone())),
        }
    }

    /// Whether a roll is still open.
    fn has_open(&self) -> bool {
        self.rolls.iter().any(|(_, roll)| roll.open)
    }
}

/// The choice that a step took.
fn taken_choice(frame: &ReplayFrame) -> Option<&Choice> {
    let Some(Input::Choice(id)) = &frame.input else { return None };
    frame.asked.as_ref()?.choice(id)
}

fn permille(cases: u64, of: u64) -> u64 {
    u64::try_from(u128::from(cases) * 1000 / u128::from(of.max(1))).unwrap_or(1000)
}

/// The share of all cases that is worse than the result, plus half of the equal ones. Bands are
/// sorted from best to worst.
fn percentile(odds: &Odds, came: usize) -> u64 {
    let worse: u64 =
        odds.bands[came + 1..].iter().map(|band| permille(band.cases, odds.total_cases)).sum();
    worse + permille(odds.bands[came].cases, odds.total_cases) / 2
}
