//! Plays a case in plain text: the transcript, the digest of each step, and the outcome.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Code, Digest, Problem, SourceLocation, Value};
use script::{CONSOLE_FILE, Vm};
use session::{RunContent, RunParameters, Session, StepRecorder, complete_and_check_options};
use ui::frontend::{Answer, Frontend};
use ui::plain_text::{LineReader, PlainText};

use super::case::Case;
use super::case_dice::{create_case_world, dice_problems};
use super::case_places::case_field;
use super::test_runner::function_case::expectation_problem;

/// Transcripts use the width of the narrowest supported terminal.
const TRANSCRIPT_COLUMNS: usize = 80;

/// The name of the answers as a file, for error places.
pub(super) const ANSWERS_FILE: &str = "answers";

/// A case that was played.
pub struct CaseRun {
    /// What was shown and typed.
    pub transcript: String,
    /// The digest of state and dice after each step.
    pub step_digests: Vec<Digest>,
    /// The game's final table, if the run ended.
    pub final_table: Option<Value>,
    /// What the run awards to the profile.
    pub award: Value,
    /// The Problem that stopped it.
    pub refusal_or_failure: Option<Problem>,
    /// The number of answers that were not used.
    unused_answers: usize,
    /// What is wrong with the dice that the case sets.
    dice_problems: Vec<Problem>,
}

impl CaseRun {
    /// The outcome of the run.
    pub fn outcome(&self) -> Option<&str> {
        self.final_table.as_ref()?.get("outcome")?.as_text()
    }

    /// The transcript with the outcome and the awards.
    pub fn full_transcript(&self) -> String {
        let end = self.final_table.as_ref().map_or(String::new(), Value::to_json);
        let mut page = format!("{}\n", self.transcript);
        if let Some(problem) = &self.refusal_or_failure {
            page.push_str(&format!("[refused: {problem}]\n"));
        }
        page.push_str(&format!("[ended: {end}]\n[awarded: {}]\n", self.award.to_json()));
        page
    }

    /// The differences from what the case expects; none if it passes.
    pub fn mismatches(&self, case: &Case) -> Vec<Problem> {
        let mut faults = Vec::new();
        let (ended, wanted) = (self.outcome().map(str::to_owned), case.expected_outcome.clone());
        if ended != wanted {
            let found = ended.as_ref().map_or_else(
                || "the run is not over after the last answer".to_owned(),
                |outcome| format!("the run ends: {outcome}"),
            );
            let expected = wanted.as_ref().map_or_else(
                || "a run that goes on: the case has no `outcome`".to_owned(),
                |outcome| format!("it ends: {outcome}"),
            );
            let problem = Problem::error(Code::WrongOutcome, found).expected(expected);
            faults.push(problem.at(case_field("outcome", 0)));
        }
        match (&self.refusal_or_failure, &case.expected_problem) {
            (Some(problem), code) if *code != Some(problem.code) => {
                faults.push(problem.clone());
            }
            (None, Some(code)) => {
                let problem = Problem::error(Code::NoProblem, "no error occurred");
                let problem = problem.expected(format!("an error {code}"));
                faults.push(problem.at(case_field("problem", 0)));
            }
            _ => {}
        }
        if self.unused_answers > 0 && faults.is_empty() {
            let found = format!(
                "answers that are not used: {} of {}",
                self.unused_answers,
                case.answers.len()
            );
            let hint = "the run ends before them, so their checks do not run";
            let first = case_field(ANSWERS_FILE, case.answers.len() - self.unused_answers + 1);
            faults.push(Problem::error(Code::AnswersLeft, found).hint(hint).at(first));
        }
        faults.extend(self.dice_problems.iter().cloned());
        let joined_text = collapse_whitespace(&self.transcript);
        let mut rest = joined_text.as_str();
        for (index, text) in case.expected_texts.iter().enumerate() {
            match rest.split_once(&collapse_whitespace(text)) {
                Some((_, after)) => rest = after,
                None => {
                    let found = format!("\"{text}\" is not shown, or not in this order");
                    let at = case_field("expect", index + 1);
                    faults.push(Problem::error(Code::TextNotTold, found).at(at));
                }
            }
        }
        faults
    }
}

/// A text without line breaks.
fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plays a case. `rebuild` is called before each step and says whether to rebuild the VM, which
/// must not change anything.
pub fn play_case(
    case: &Case,
    content: &RunContent,
    rebuild: &mut dyn FnMut() -> bool,
) -> Result<CaseRun, Vec<Problem>> {
    play_case_in_vm(content.load_strict_vm()?, case, content, rebuild).map(|(played, _)| played)
}

/// The same in a VM that has this content loaded; returns the VM.
pub fn play_case_in_vm(
    vm: Vm,
    case: &Case,
    content: &RunContent,
    rebuild: &mut dyn FnMut() -> bool,
) -> Result<(CaseRun, Vm), Vec<Problem>> {
    let options = complete_and_check_options(&vm, &case.options);
    let options = options.map_err(|problem| vec![problem.at(refused_option(&vm, case))])?;
    let run_parameters = RunParameters { seed: case.seed, options, profile: case.profile.clone() };
    let answers = case.answers.join("\n");
    let lines = LineReader::from_script(answers.as_bytes(), ANSWERS_FILE);
    let mut front = PlainText::new(lines, Vec::new(), TRANSCRIPT_COLUMNS);
    // A line that begins with a colon runs in the console, as for an author.
    front.set_reload_signal(Some(Rc::new(|| false)));
    vm.set_strict(true);
    let world = create_case_world(case, content).map_err(|problem| vec![problem])?;
    let recorder = StepRecorder::without_journal();
    let start_result =
        Session::start_in_world(content.clone(), vm, world, &run_parameters, recorder);
    let (mut session, mut step_outcome) = start_result.map_err(|problem| vec![problem])?;
    let mut digests = vec![session.digest()];
    let mut refused = step_outcome.refusal.take();
    for (index, line) in case.setup_lines.iter().enumerate() {
        if refused.is_some() {
            break;
        }
        front.show_events(&step_outcome.events).map_err(transcript_write_problems)?;
        let at = |problem| locate_at_field(problem, "setup", index + 1);
        let outcome = session.run_unrecorded_luau(&case.owner, line);
        step_outcome = outcome.map_err(|problem| vec![at(problem)])?;
        refused = step_outcome.refusal.take().map(at);
        digests.push(session.digest());
    }
    loop {
        front.show_events(&step_outcome.events).map_err(transcript_write_problems)?;
        if session.run_outcome().is_some() || refused.is_some() {
            break;
        }
        let answer = front
            .ask_prompt(session.prompt(), session.view())
            .map_err(transcript_write_problems)?;
        if rebuild() {
            session.rebuild_vm()?;
        }
        let number = usize::try_from(front.lines_read()).unwrap_or(0);
        let at = |problem| locate_at_field(problem, ANSWERS_FILE, number);
        let outcome = match answer {
            Answer::Input(input) => session.take_answer(input),
            Answer::ConsoleLine(line) => session.run_unrecorded_luau(&case.owner, &line),
            Answer::BadScriptLine(problem) if case.expected_problem == Some(problem.code) => {
                refused = Some(problem);
                break;
            }
            Answer::BadScriptLine(problem) => {
                return Err(vec![problem.hint(offered_choices_hint(&session))]);
            }
            // Any other command at a prompt ends the script.
            _ => break,
        };
        step_outcome = outcome.map_err(|problem| vec![at(problem)])?;
        refused = step_outcome.refusal.take().map(at);
        digests.push(session.digest());
    }
    let read = usize::try_from(front.lines_read()).unwrap_or(usize::MAX);
    let left = case.answers.len().saturating_sub(read);
    let written = front.into_output();
    let transcript = String::from_utf8(written).expect("plain writes what is text");
    let is_stopped_early = refused.is_some();
    let (finished, awarded) = (session.run_outcome(), session.award_so_far());
    let played = CaseRun {
        transcript,
        step_digests: digests,
        final_table: finished,
        award: awarded,
        refusal_or_failure: refused.map(expectation_problem),
        unused_answers: left,
        dice_problems: dice_problems(case, content, session.world(), is_stopped_early),
    };
    Ok((played, session.into_vm()))
}

/// The option of a case that is refused.
fn refused_option(vm: &Vm, case: &Case) -> SourceLocation {
    let refused = case.options.iter().find(|(name, value)| {
        let alone = BTreeMap::from([((*name).clone(), (*value).clone())]);
        complete_and_check_options(vm, &alone).is_err()
    });
    case_field(&refused.map_or("options".to_owned(), |(name, _)| format!("options.{name}")), 0)
}

/// Sets the place of a Problem to an item of the case, unless it is at a line of a script. A line
/// of Lua in a case has no file of its own.
fn locate_at_field(problem: Problem, field: &str, number: usize) -> Problem {
    match &problem.place {
        Some(place) if place.file != CONSOLE_FILE => problem,
        _ => problem.at(case_field(field, number)),
    }
}

fn offered_choices_hint(session: &Session) -> String {
    let prompt = session.prompt();
    let ids: Vec<&str> = prompt.choices.iter().map(|choice| choice.id.as_str()).collect();
    format!("the prompt of {} offers: {}", prompt.scene, ids.join(", "))
}

fn transcript_write_problems(error: std::io::Error) -> Vec<Problem> {
    vec![Problem::error(Code::NotWritten, format!("the transcript cannot be written: {error}"))]
}
