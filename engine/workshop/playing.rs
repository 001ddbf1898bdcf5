//! Plays one run without a person, to its end or to the first error.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::kit::{Problem, Value};
use crate::play::{Event, Input};
use crate::run::{Content, Recorder, Session, StepError, Terms, Told, Views};
use crate::script::Vm;

use super::case::typed;

/// Chooses the next input.
pub(super) type Player<'a> =
    dyn FnMut(&mut Session, &[Event]) -> Result<Option<Input>, Problem> + 'a;

/// A run that was played.
#[derive(Default)]
pub(super) struct Played {
    /// The answers, as they would be typed.
    pub(super) answers: Vec<String>,
    /// The same answers as inputs; the last one may have been refused.
    pub(super) tried: Vec<Input>,
    /// How the run ended.
    pub(super) end: End,
}

/// How a run ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    /// The game ended it, with this table.
    Finished(Value),
    /// An error stopped it.
    Problem(Box<Problem>),
    /// It did not end within the maximum number of steps.
    Endless,
    /// The input source had no more answers.
    #[default]
    Stopped,
}

impl End {
    /// One word for it.
    pub(super) fn word(&self) -> &str {
        match self {
            Self::Finished(table) => {
                table.get("outcome").and_then(Value::as_text).unwrap_or("finished")
            }
            Self::Problem(_) => "problem",
            Self::Endless => "endless",
            Self::Stopped => "stopped",
        }
    }
}

/// Which views of a run are built, apart from those that the input source looks at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    /// All views, as for a person. An error in a view refuses the step.
    Always,
    /// The first view of each scene and kind of prompt, then a sample. An error in a view ends the
    /// run.
    Seldom,
}

/// One step in this many has its view built.
const SELDOM: u64 = 16;

impl Looks {
    /// Whether to build the view at this point of a run with this seed.
    fn is_due(self, met: &mut BTreeSet<(String, &'static str)>, seed: u64, run: &Session) -> bool {
        let prompt = run.prompt();
        self == Self::Seldom
            && (met.insert((prompt.scene.clone(), prompt.ask.word()))
                || run.step_number().wrapping_add(seed).is_multiple_of(SELDOM))
    }
}

/// Plays a run that is not saved, of at most `most` steps. Returns the VM for the next run.
pub(super) fn play(
    content: &Content,
    vm: Vm,
    terms: &Terms,
    most: u64,
    looks: Looks,
    player: &mut Player<'_>,
) -> (Played, Vm) {
    let mut played = Played { answers: Vec::new(), tried: Vec::new(), end: End::Endless };
    let begun = Session::begin(content.clone(), vm, terms, Recorder::nowhere());
    let (mut session, mut told) = begun.expect("a recorder that keeps nothing refuses nothing");
    if looks == Looks::Seldom {
        session.make_views(Views::Asked);
    }
    let mut met = BTreeSet::new();
    played.end = loop {
        if let Some(problem) = told.refused {
            break End::Problem(Box::new(problem));
        }
        if let Some(table) = session.finished() {
            break End::Finished(table);
        }
        if looks.is_due(&mut met, terms.seed, &session)
            && let Err(problem) = session.look()
        {
            break End::Problem(Box::new(problem));
        }
        if session.step_number() >= most {
            break End::Endless;
        }
        let input = match player(&mut session, &told.events) {
            Ok(Some(input)) => input,
            Ok(None) => break End::Stopped,
            Err(problem) => break End::Problem(Box::new(problem)),
        };
        played.answers.push(typed(session.prompt(), &input));
        played.tried.push(input.clone());
        match step(&mut session, &input) {
            Ok(next) => told = next,
            Err(problem) => break End::Problem(Box::new(problem)),
        }
    };
    (played, session.into_vm())
}

fn step(session: &mut Session, input: &Input) -> Result<Told, Problem> {
    session.take(input).map_err(|error| match error {
        StepError::NotAccepted(why) => Problem::error("not-accepted", why),
        StepError::NotWritten(problem) => problem,
    })
}
