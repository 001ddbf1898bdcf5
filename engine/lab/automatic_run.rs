//! Plays one run without a person, to its end or to the first error.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use base::{Problem, Value};
use protocol::{AcceptedInput, Input, StoryEvent};
use script::Vm;
use session::{RunContent, RunParameters, Session, StepRecorder, ViewPolicy};

use author::case::typed_text;

/// Chooses the next input.
pub(super) type InputSource<'a> =
    dyn FnMut(&mut Session, &[StoryEvent]) -> Result<Option<AcceptedInput>, Problem> + 'a;

/// A run that was played.
#[derive(Default)]
pub(super) struct PlayedRun {
    /// The answers, as they would be typed.
    pub(super) answers: Vec<String>,
    /// The same answers as inputs; the last one may have been refused.
    pub(super) inputs: Vec<Input>,
    /// The events of the last step, which the input source does not see.
    pub(super) last_events: Vec<StoryEvent>,
    /// How the run ended.
    pub(super) run_end: RunEnd,
}

/// How a run ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RunEnd {
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

impl RunEnd {
    /// One word for it.
    pub(super) fn outcome_word(&self) -> &str {
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
pub(super) enum ViewBuildPolicy {
    /// All views, as for a person. An error in a view refuses the step.
    Always,
    /// The first view of each scene and kind of prompt, then a sample. An error in a view ends the
    /// run.
    Sampled,
}

/// One step in this many has its view built.
const VIEW_SAMPLE_INTERVAL: u64 = 16;

impl ViewBuildPolicy {
    /// Whether to build the view at this point of a run with this seed.
    fn is_view_due(
        self,
        seen_prompts: &mut BTreeSet<(String, &'static str)>,
        seed: u64,
        run: &Session,
    ) -> bool {
        let prompt = run.prompt();
        self == Self::Sampled
            && (seen_prompts.insert((prompt.scene.clone(), prompt.answer_type.type_name()))
                || run.step_number().wrapping_add(seed).is_multiple_of(VIEW_SAMPLE_INTERVAL))
    }
}

/// Plays a run that is not saved, of at most `max_steps` steps. Returns the VM for the next run.
pub(super) fn play_run(
    content: &RunContent,
    vm: Vm,
    run_parameters: &RunParameters,
    max_steps: u64,
    view_checks: ViewBuildPolicy,
    player: &mut InputSource<'_>,
) -> (PlayedRun, Vm) {
    let mut played = PlayedRun::default();
    let start_result =
        Session::start(content.clone(), vm, run_parameters, StepRecorder::without_journal());
    let (mut session, mut step_outcome) =
        start_result.expect("a recorder that keeps nothing refuses nothing");
    if view_checks == ViewBuildPolicy::Sampled {
        session.set_view_policy(ViewPolicy::OnRequest);
    }
    let mut seen_prompts = BTreeSet::new();
    played.run_end = loop {
        if let Some(problem) = step_outcome.refusal {
            break RunEnd::Problem(Box::new(problem));
        }
        if let Some(table) = session.run_outcome() {
            played.last_events = step_outcome.events;
            break RunEnd::Finished(table);
        }
        if view_checks.is_view_due(&mut seen_prompts, run_parameters.seed, &session)
            && let Err(problem) = session.compute_view_if_needed()
        {
            break RunEnd::Problem(Box::new(problem));
        }
        if session.step_number() >= max_steps {
            break RunEnd::Endless;
        }
        let input = match player(&mut session, &step_outcome.events) {
            Ok(Some(input)) => input,
            Ok(None) => break RunEnd::Stopped,
            Err(problem) => break RunEnd::Problem(Box::new(problem)),
        };
        played.answers.push(typed_text(session.prompt(), &input));
        played.inputs.push(Input::clone(&input));
        match session.take_answer(input) {
            Ok(next) => step_outcome = next,
            Err(problem) => break RunEnd::Problem(Box::new(problem)),
        }
    };
    (played, session.into_vm())
}
