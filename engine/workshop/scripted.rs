//! Plays a case in plain text: the transcript, the digest of each step, and the outcome.

use std::rc::Rc;

use crate::kit::{Digest, Problem, Value};
use crate::run::{Content, Recorder, Session, StepError, Terms, complete_as_the_game_says};
use crate::script::Vm;
use crate::ui::front::{Answer, Front};
use crate::ui::plain::{Lines, Plain};

use super::case::Case;

/// Transcripts use the width of the narrowest supported terminal.
const COLUMNS: usize = 80;

/// The name of the answers as a file, for error places.
pub(super) const ANSWERS: &str = "answers";

/// A case that was played.
pub struct Scripted {
    /// What was shown and typed.
    pub transcript: String,
    /// The digest of state and dice after each step.
    pub digests: Vec<Digest>,
    /// The game's final table, if the run ended.
    pub finished: Option<Value>,
    /// What the run awards to the profile.
    pub awarded: Value,
    /// The Problem that stopped it.
    pub refused: Option<Problem>,
    /// The number of answers that were not used.
    left: usize,
}

impl Scripted {
    /// The outcome of the run.
    pub fn outcome(&self) -> Option<&str> {
        self.finished.as_ref()?.get("outcome")?.as_text()
    }

    /// The transcript with the outcome and the awards.
    pub fn page(&self) -> String {
        let end = self.finished.as_ref().map_or(String::new(), Value::to_json);
        let mut page = format!("{}\n", self.transcript);
        if let Some(problem) = &self.refused {
            page.push_str(&format!("[refused: {problem}]\n"));
        }
        page.push_str(&format!("[ended: {end}]\n[awarded: {}]\n", self.awarded.to_json()));
        page
    }

    /// The differences from what the case expects; none if it passes.
    pub fn faults(&self, case: &Case) -> Vec<Problem> {
        let mut faults = Vec::new();
        let (ended, wanted) = (self.outcome().map(str::to_owned), case.ends.clone());
        let word =
            |word: &Option<String>| word.clone().unwrap_or_else(|| "before the end".to_owned());
        if ended != wanted {
            let found = format!("the run ends: {}", word(&ended));
            faults.push(Problem::error("ends-otherwise", found).expected(word(&wanted)));
        }
        match (&self.refused, &case.problem) {
            (Some(problem), code) if code.as_ref() != Some(&problem.code) => {
                faults.push(problem.clone());
            }
            (None, Some(code)) => {
                let found = "no error occurred";
                faults
                    .push(Problem::error("no-problem", found).expected(format!("an error {code}")));
            }
            _ => {}
        }
        if self.left > 0 && faults.is_empty() {
            let found = format!("{} of the {} answers are not used", self.left, case.answers.len());
            let hint = "the run ends before them, so their checks do not run";
            faults.push(Problem::error("answers-left", found).hint(hint));
        }
        let told = one_line(&self.transcript);
        let mut rest = told.as_str();
        for text in &case.expect {
            match rest.split_once(&one_line(text)) {
                Some((_, after)) => rest = after,
                None => {
                    let found = format!("\"{text}\" is not shown, or not in this order");
                    faults.push(Problem::error("not-told", found));
                }
            }
        }
        faults
    }
}

/// A text without line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plays a case. `rebuild` is called before each step and says whether to rebuild the VM, which
/// must not change anything.
pub fn play_case(
    case: &Case,
    content: &Content,
    rebuild: &mut dyn FnMut() -> bool,
) -> Result<Scripted, Vec<Problem>> {
    play_case_in(content.load_held()?, case, content, rebuild).map(|(played, _)| played)
}

/// The same in a VM that has this content loaded; returns the VM.
pub(super) fn play_case_in(
    vm: Vm,
    case: &Case,
    content: &Content,
    rebuild: &mut dyn FnMut() -> bool,
) -> Result<(Scripted, Vm), Vec<Problem>> {
    let options = complete_as_the_game_says(&vm, &case.options);
    let options = options.map_err(|problem| vec![problem])?;
    let terms = Terms { seed: case.seed, options, profile: case.profile.clone() };
    let answers = case.answers.join("\n");
    let lines = Lines::scripted(answers.as_bytes(), ANSWERS);
    let mut front = Plain::new(lines, Vec::new(), COLUMNS);
    // A line that begins with a colon runs in the console, as for an author.
    front.workbench(Some(Rc::new(|| false)));
    vm.hold(true);
    let begun = Session::begin(content.clone(), vm, &terms, Recorder::nowhere());
    let (mut session, mut told) = begun.map_err(stopped)?;
    let mut digests = vec![session.digest()];
    let mut refused = told.refused.take();
    for line in &case.given {
        if refused.is_some() {
            break;
        }
        front.tell(&told.events).map_err(unwritten)?;
        told = session.try_line(&case.owner, line).map_err(stopped)?;
        refused = told.refused.take();
        digests.push(session.digest());
    }
    loop {
        front.tell(&told.events).map_err(unwritten)?;
        if session.finished().is_some() || refused.is_some() {
            break;
        }
        let answer = front.ask(session.prompt(), session.view()).map_err(unwritten)?;
        if rebuild() {
            session.rebuild_vm()?;
        }
        told = match answer {
            Answer::Input(input) => session.take(&input).map_err(stopped)?,
            Answer::Console(line) => session.try_line(&case.owner, &line).map_err(stopped)?,
            Answer::Stop(problem) if case.problem.as_ref() == Some(&problem.code) => {
                refused = Some(problem);
                break;
            }
            Answer::Stop(problem) => return Err(vec![problem.hint(offered(&session))]),
            // Any other command at a prompt ends the script.
            _ => break,
        };
        refused = told.refused.take();
        digests.push(session.digest());
    }
    let read = usize::try_from(front.lines_read()).unwrap_or(usize::MAX);
    let left = case.answers.len().saturating_sub(read);
    let written = front.into_output();
    let transcript = String::from_utf8(written).expect("plain writes what is text");
    let (finished, awarded) = (session.finished(), session.awarded());
    let played = Scripted { transcript, digests, finished, awarded, refused, left };
    Ok((played, session.into_vm()))
}

fn offered(session: &Session) -> String {
    let prompt = session.prompt();
    let ids: Vec<&str> = prompt.choices.iter().map(|choice| choice.id.as_str()).collect();
    format!("the prompt of {} offers: {}", prompt.scene, ids.join(", "))
}

fn stopped(error: StepError) -> Vec<Problem> {
    match error {
        StepError::NotAccepted(why) => vec![Problem::error("not-accepted", why)],
        StepError::NotWritten(problem) => vec![problem],
    }
}

fn unwritten(error: std::io::Error) -> Vec<Problem> {
    vec![Problem::error("not-written", format!("the transcript cannot be written: {error}"))]
}
