//! A case played in plain: what a person would have read, step by step digests, and how it ended.

use std::rc::Rc;

use crate::kit::{Digest, Problem, Value};
use crate::run::{Content, Recorder, Session, StepError, Terms, complete_as_the_game_says};
use crate::script::Vm;
use crate::ui::front::{Answer, Front};
use crate::ui::plain::{Lines, Plain};

use super::case::Case;

/// Transcripts are as wide as the narrowest terminal that a game is written for.
const COLUMNS: usize = 80;

/// What the answers of a case are called, as the file that they are read from.
pub(super) const ANSWERS: &str = "answers";

/// A case that was played.
pub struct Scripted {
    /// What was read and typed.
    pub transcript: String,
    /// The state and the dice after each step.
    pub digests: Vec<Digest>,
    /// The game's own table of how it ended, if it has.
    pub finished: Option<Value>,
    /// What it pays into the profile.
    pub awarded: Value,
    /// The Problem that stopped it.
    pub refused: Option<Problem>,
    /// How many of its answers nothing asked for any more.
    left: usize,
}

impl Scripted {
    /// The word for how it ended.
    pub fn outcome(&self) -> Option<&str> {
        self.finished.as_ref()?.get("outcome")?.as_text()
    }

    /// The transcript with how it ended and what it paid.
    pub fn page(&self) -> String {
        let end = self.finished.as_ref().map_or(String::new(), Value::to_json);
        let mut page = format!("{}\n", self.transcript);
        if let Some(problem) = &self.refused {
            page.push_str(&format!("[refused: {problem}]\n"));
        }
        page.push_str(&format!("[ended: {end}]\n[awarded: {}]\n", self.awarded.to_json()));
        page
    }

    /// Why this is not what the case says; nothing if it is.
    pub fn faults(&self, case: &Case) -> Vec<Problem> {
        let mut faults = Vec::new();
        let (ended, wanted) = (self.outcome().map(str::to_owned), case.ends.clone());
        let word =
            |word: &Option<String>| word.clone().unwrap_or_else(|| "in the middle".to_owned());
        if ended != wanted {
            let found = format!("it ends {}", word(&ended));
            faults.push(Problem::error("ends-otherwise", found).expected(word(&wanted)));
        }
        match (&self.refused, &case.problem) {
            (Some(problem), code) if code.as_ref() != Some(&problem.code) => {
                faults.push(problem.clone());
            }
            (None, Some(code)) => {
                let found = "nothing was refused";
                faults.push(
                    Problem::error("no-problem", found).expected(format!("a Problem {code}")),
                );
            }
            _ => {}
        }
        if self.left > 0 && faults.is_empty() {
            let found =
                format!("{} of its {} answers are never given", self.left, case.answers.len());
            let hint = "the run is over before them, and what they ask is not asked";
            faults.push(Problem::error("answers-left", found).hint(hint));
        }
        let told = one_line(&self.transcript);
        let mut rest = told.as_str();
        for text in &case.expect {
            match rest.split_once(&one_line(text)) {
                Some((_, after)) => rest = after,
                None => {
                    let found = format!("\"{text}\" is not told, or not in its turn");
                    faults.push(Problem::error("not-told", found));
                }
            }
        }
        faults
    }
}

/// A text without regard to where its lines break.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plays a case. `rebuild` is asked before each step whether to throw the VM away and build it
/// anew, which must change nothing.
pub fn play_case(
    case: &Case,
    content: &Content,
    rebuild: &mut dyn FnMut() -> bool,
) -> Result<Scripted, Vec<Problem>> {
    play_case_in(content.load_held()?, case, content, rebuild).map(|(played, _)| played)
}

/// The same in a VM that was loaded with the content; the VM is given back.
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
    // A line that begins with a colon is for the console, as it is for a person who writes mods.
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
            // Whatever else a person can do at a prompt ends a script.
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
