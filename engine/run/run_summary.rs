//! What a run came to, read from its journal: its dice, and what the odds of the choices taken
//! had promised. Knows no game: bands of odds go by their labels.

use super::replay_player::{Frame, ReplayPlayer};
use super::session::Session;
use crate::kit::{Problem, text};
use crate::play::event::Roll;
use crate::play::{Choice, Event, Input, Odds};
use crate::save::{DataDir, Header, RunState};

/// What a run came to.
pub struct RunSummary {
    /// What it was started with.
    pub header: Header,
    /// Where it stands.
    pub run_state: RunState,
    /// How many answers were taken.
    pub steps: u64,
    /// Everything that was thrown, with the step it was thrown in.
    pub rolls: Vec<(u64, Roll)>,
    /// What the odds promised and what came, band by band in the order they were met.
    pub bands: Vec<Tally>,
    /// How many of the throws had odds that stood beside a choice.
    pub promised: u64,
    /// How the throws fell against what was promised, in tenths of a hundredth: 500 is exactly as
    /// promised, 1000 would be the best of everything.
    pub luck: Option<u64>,
    /// What the last step that told anything told under its last heading; marked text.
    pub last_words: Vec<String>,
    /// Why not all of the run could be read again.
    pub unread: Option<Problem>,
    /// The odds of a choice whose roll is open still.
    waiting: Option<Odds>,
}

/// One band of odds over a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The game's word for it.
    pub label: String,
    /// How often it was promised, in thousandths.
    pub promised_thousandths: u64,
    /// How often it came.
    pub came: u64,
}

impl RunSummary {
    /// Reads a run again from its start. A run that cannot be read to its end is told as far as
    /// it goes.
    pub fn of(data_dir: &DataDir, run_id: &str) -> Result<Self, Problem> {
        Ok(Self::read(ReplayPlayer::open(data_dir, run_id)?))
    }

    /// The same for a run that was played just now, which is put away.
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
                Ok(Some(frame)) => shares += summary.take_in(&frame),
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

    /// Takes a step in; the share of what was promised that the throw was better than, in
    /// thousandths, where there was a promise.
    fn take_in(&mut self, frame: &Frame) -> u64 {
        if frame.input.is_some() {
            self.steps += 1;
        }
        let heads = |event: &Event| matches!(event, Event::Heading { .. });
        let heading = frame.events.iter().rposition(heads).map_or(0, |at| at + 1);
        let words = frame.events[heading..].iter().filter_map(|event| match event {
            Event::Say { text } => Some(text.clone()),
            _ => None,
        });
        let words: Vec<String> = words.collect();
        if !words.is_empty() {
            self.last_words = words;
        }
        let rolls = frame.events.iter().filter_map(|event| match event {
            Event::Roll(roll) => Some(&**roll),
            _ => None,
        });
        let rolls: Vec<&Roll> = rolls.collect();
        for roll in &rolls {
            self.keep(frame.step, roll);
        }
        let open = rolls.iter().any(|roll| roll.open);
        let taken = taken(frame).and_then(|choice| choice.odds.clone());
        let Some(odds) = taken.or_else(|| self.waiting.take()) else { return 0 };
        // The throw that the odds were about is the first that came to one of their bands.
        let came = rolls.iter().filter(|roll| !roll.open).find_map(|roll| {
            let outcome = text::unmarked(roll.outcome.as_ref()?);
            odds.bands.iter().position(|band| text::unmarked(&band.label) == outcome)
        });
        let Some(came) = came.filter(|_| odds.of > 0) else {
            // An open roll comes to something in a later step, and so do the steps until it does.
            self.waiting = (open || self.has_open()).then_some(odds);
            return 0;
        };
        self.waiting = None;
        self.promised += 1;
        for (index, band) in odds.bands.iter().enumerate() {
            let label = text::unmarked(&band.label);
            let at = self.bands.iter().position(|tally| tally.label == label);
            let at = at.unwrap_or_else(|| {
                self.bands.push(Tally { label, promised_thousandths: 0, came: 0 });
                self.bands.len() - 1
            });
            let tally = &mut self.bands[at];
            tally.promised_thousandths += thousandths(band.cases, odds.of);
            tally.came += u64::from(index == came);
        }
        standing_of(&odds, came)
    }
}

impl RunSummary {
    /// A throw is told. One that was open before stands for itself no more.
    fn keep(&mut self, step: u64, roll: &Roll) {
        let is_it = |(_, other): &&mut (u64, Roll)| {
            other.open && (&other.stream, &other.notation) == (&roll.stream, &roll.notation)
        };
        match self.rolls.iter_mut().rev().find(is_it) {
            Some((_, open)) => *open = roll.clone(),
            None => self.rolls.push((step, roll.clone())),
        }
    }

    /// Whether a throw is open still.
    fn has_open(&self) -> bool {
        self.rolls.iter().any(|(_, roll)| roll.open)
    }
}

/// The choice that a step took.
fn taken(frame: &Frame) -> Option<&Choice> {
    let Some(Input::Choice(id)) = &frame.input else { return None };
    frame.asked.as_ref()?.choice(id)
}

fn thousandths(cases: u64, of: u64) -> u64 {
    u64::try_from(u128::from(cases) * 1000 / u128::from(of.max(1))).unwrap_or(1000)
}

/// The share of all cases that is worse than what came, with half of what is the same. Bands
/// stand from the best to the worst.
fn standing_of(odds: &Odds, came: usize) -> u64 {
    let worse: u64 =
        odds.bands[came + 1..].iter().map(|band| thousandths(band.cases, odds.of)).sum();
    worse + thousandths(odds.bands[came].cases, odds.of) / 2
}
