//! `test`: the scripted runs of mods, `tests/*.toml` and `tests/*.luau` in a mod's folder. Each is
//! played twice, the second time with the VM thrown away now and then, and must come to what its case
//! says; where a transcript was accepted (`tests/NAME.txt`), it must read the same.

mod declared;
mod difference;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::arguments::Around;
use super::case::Case;
use super::check::which::{Which, which};
use super::scripted::{Scripted, play_case};
use super::{Bench, Done, Outcome, told};
use crate::kit::{Problem, Severity, Value};
use crate::mods::{Origin, load_order, with_tests};
use crate::run::Content;

pub(super) const HELP: &str = "\
A case is a file in a mod's tests/, such as `simulate --record` writes: about, seed, answers, and perhaps
mods, settings, options, profile, given (lines of Lua that bring state and scene to where it begins),
ends, expect (texts that must be told, in their order), problem. An answer that begins with a colon is
a line of Lua. In a .luau file a case is declared, `case \"name\" { … }`, and functions may stand for
lines. Beside it lies the transcript that was accepted, if one was. Each case is played twice, the
second time with the VM rebuilt at some prompts.

Examples:
  sub-rosa test                        the cases of every mod that is found
  sub-rosa test ember_words            those of one mod
  sub-rosa test ember_words --accept   show what reads otherwise, and keep it from now on

Exit status: 0 when all is as it should be, 1 when something is not, 2 when there is no such mod.";

/// Lines of a transcript that are shown of a case that is not as it should be.
const END: usize = 24;

/// `test`.
#[derive(Args, Debug)]
pub struct TestArguments {
    /// Ids of mods, or folders (with a / or a . in them)
    #[arg(value_name = "MOD")]
    wanted: Vec<String>,
    /// Show how transcripts read now, and accept that
    #[arg(long)]
    accept: bool,
    #[command(flatten)]
    pub(super) around: Around,
}

/// How a case went.
#[derive(Serialize)]
struct Trial {
    owner: String,
    name: String,
    about: String,
    problems: Vec<Problem>,
    /// How the transcript differs from what was accepted; empty if it does not.
    difference: String,
    accepted: bool,
    /// The end of what was read, of a case that is not as it should be.
    end: Vec<String>,
}

/// Plays the cases of mods.
pub fn test(bench: &Bench, asked: &TestArguments, out: &mut dyn Write) -> Done {
    let json = asked.around.json;
    let found = match which(bench, &asked.wanted) {
        Ok(found) => found,
        Err((outcome, problems)) => return told::refuse(out, json, outcome, &problems),
    };
    if found.problems.iter().any(|problem| problem.severity == Severity::Error) {
        return told::refuse(out, json, Outcome::Problems, &found.problems);
    }
    let mut trials = Vec::new();
    for (owner, folder) in folders(&found) {
        for script in scripts(bench, &owner, &folder) {
            let trial = one(bench, &owner, script, asked.accept);
            if !json {
                trial.tell(out)?;
            }
            trials.push(trial);
        }
    }
    let wrong = trials.iter().filter(|trial| !trial.is_sound()).count();
    match json {
        true => told::json(out, &serde_json::json!({ "cases": trials }))?,
        false => told::line(out, &counted(trials.len(), wrong))?,
    }
    Ok(if wrong == 0 { Outcome::Sound } else { Outcome::Problems })
}

/// The folders of the mods that were asked for, each once.
fn folders(found: &Which) -> Vec<(String, PathBuf)> {
    let mut folders = Vec::new();
    for group in &found.groups {
        for source in group.mods.iter().filter(|source| group.ids.contains(source.id())) {
            if let Origin::Disk(folder) = &source.origin {
                folders.push((source.id().to_owned(), folder.join("tests")));
            }
        }
    }
    folders.sort();
    folders.dedup();
    folders
}

/// A case that may be played, or why not.
struct Script {
    /// The file it stands in, or one that it might, with the ending `.toml`.
    path: PathBuf,
    case: Result<Case, Vec<Problem>>,
    /// Whether it is declared in a script of the tests.
    declared: bool,
}

/// The cases of a mod: its files, then what its scripts declare.
fn scripts(bench: &Bench, owner: &str, folder: &Path) -> Vec<Script> {
    let files = of_ending(folder, "toml").into_iter().map(|path| {
        let case = read(&path).map(|case| Case { owner: owner.to_owned(), ..case });
        Script { path, case, declared: false }
    });
    let mut scripts: Vec<Script> = files.collect();
    if !of_ending(folder, "luau").is_empty() || !of_ending(folder, "lua").is_empty() {
        scripts.extend(declared::cases(bench, owner, folder));
    }
    scripts
}

fn of_ending(folder: &Path, wanted: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == wanted));
    paths.sort();
    paths
}

fn one(bench: &Bench, owner: &str, script: Script, accept: bool) -> Trial {
    let path = &script.path;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut trial = Trial {
        owner: owner.to_owned(),
        name,
        about: String::new(),
        problems: Vec::new(),
        difference: String::new(),
        accepted: false,
        end: Vec::new(),
    };
    let played = script.case.and_then(|case| {
        trial.about.clone_from(&case.about);
        Ok((played_twice(bench, &case, script.declared)?, case))
    });
    match played {
        Ok((played, case)) => {
            trial.problems = played.faults(&case);
            if !trial.problems.is_empty() {
                trial.end = last_lines(&played.page());
            }
            compare(&mut trial, path, &played.page(), accept);
        }
        Err(problems) => trial.problems = problems,
    }
    trial
}

fn read(path: &Path) -> Result<Case, Vec<Problem>> {
    let name = path.to_string_lossy();
    let text = fs::read_to_string(path).map_err(|error| {
        vec![Problem::error("bad-case", format!("{name} cannot be read: {error}"))]
    })?;
    Case::parse(&name, &text).map_err(|problem| vec![problem])
}

/// The end of a transcript.
fn last_lines(page: &str) -> Vec<String> {
    let lines: Vec<&str> = page.lines().collect();
    lines[lines.len().saturating_sub(END)..].iter().map(|line| (*line).to_owned()).collect()
}

/// What a case of a mod is played on: the mod, what it needs, further mods, and perhaps the
/// scripts of its tests.
fn content(
    bench: &Bench,
    owner: &str,
    further: &[String],
    tests: bool,
) -> Result<Content, Vec<Problem>> {
    let ids: Vec<String> = std::iter::once(owner)
        .chain(further.iter().map(String::as_str))
        .map(str::to_owned)
        .collect();
    let mut found = which(bench, &ids).map_err(|(_, problems)| problems)?;
    let mut group = found.groups.pop().ok_or(found.problems)?;
    for source in group.mods.iter_mut().filter(|source| tests && source.id() == owner) {
        *source = with_tests(source)?;
    }
    Ok(Content { mods: load_order(group.mods)?, settings: Value::map() })
}

/// Plays a case as it stands, and again with the VM rebuilt at every third prompt.
fn played_twice(bench: &Bench, case: &Case, tests: bool) -> Result<Scripted, Vec<Problem>> {
    let mut content = content(bench, &case.owner, &case.mods, tests)?;
    content.settings = case.settings.clone();
    let played = play_case(case, &content, &mut || false)?;
    let mut asked = 0;
    let again = play_case(case, &content, &mut || {
        asked += 1;
        asked % 3 == 0
    })?;
    let differ = |(one, other)| one != other;
    let step = played.digests.iter().zip(&again.digests).position(differ);
    if step.is_some() || played.transcript != again.transcript {
        let step = step.map_or(String::new(), |step| format!(" from step {step} on"));
        let found = format!("played again with the VM rebuilt, it goes otherwise{step}");
        return Err(vec![
            Problem::error("goes-otherwise", found)
                .hint("keep what changes in `state`, not in locals"),
        ]);
    }
    Ok(played)
}

/// Compares with the accepted transcript, if there is one, and replaces it if that was asked for.
fn compare(trial: &mut Trial, path: &Path, page: &str, accept: bool) {
    let beside = path.with_extension("txt");
    let before = fs::read_to_string(&beside).ok().map(|text| text.replace("\r\n", "\n"));
    if before.as_deref() == Some(page) || (before.is_none() && !accept) {
        return;
    }
    trial.difference = difference::of(before.as_deref().unwrap_or(""), page);
    if !accept {
        let found = "the transcript is not what was accepted";
        trial.problems.push(
            Problem::error("reads-otherwise", found)
                .hint("mend what changed, or run `sub-rosa test --accept` if it is meant so"),
        );
    } else if trial.problems.is_empty() {
        match fs::write(&beside, page) {
            Ok(()) => trial.accepted = true,
            Err(error) => {
                let found = format!("{} cannot be written: {error}", beside.display());
                trial.problems.push(Problem::error("not-written", found));
            }
        }
    }
}

impl Trial {
    fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    fn tell(&self, out: &mut dyn Write) -> io::Result<()> {
        let word = if self.is_sound() { "ok   " } else { "WRONG" };
        told::line(out, &format!("{word} {} {}: {}", self.owner, self.name, self.about))?;
        if !self.difference.is_empty() {
            told::line(out, &self.difference)?;
        }
        if self.accepted {
            told::line(out, "accepted\n")?;
        }
        told::problems(out, &self.problems)?;
        if !self.end.is_empty() {
            told::line(out, "it ends so:")?;
            self.end.iter().try_for_each(|line| told::line(out, &format!("  | {line}")))?;
            told::line(out, "")?;
        }
        Ok(())
    }
}

fn counted(cases: usize, wrong: usize) -> String {
    let cases = if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
    match wrong {
        0 => format!("{cases}, all as they should be"),
        wrong => format!("{cases}, {wrong} not as they should be"),
    }
}
