//! `test`: runs the cases below `tests/` in the folders of mods, `.toml` and `.luau` files. A
//! scripted run is played twice, the second time with the VM rebuilt at some prompts. It must match
//! its case, and the accepted transcript (`tests/NAME.txt`) if there is one.

mod accepted_transcripts;
mod case_files;
mod declared_cases;
mod diff;
mod found_case;
pub mod function_case;
mod ledger_coverage;
mod second_pass;
mod untested_mods;
mod vm_pool;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::case::Case;
use super::case_places::locate_in_case;
use super::case_runner::ANSWERS_FILE;
use super::common_arguments::CommonArguments;
use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::CommandOutput;
use accepted_transcripts::AcceptMode;
use base::{Code, Problem, Severity, SourceLocation, text};
use case_files::select_mods_separately;
pub use case_files::test_folders;
pub(super) use case_files::{collect_files_with_extension, has_scripts};
pub(super) use declared_cases::read_case;
pub use found_case::{CaseBody, FoundCase};
pub(super) use function_case::with_expectation_functions;
use ledger_coverage::LedgerCoverage;
use second_pass::SecondPassSelection;
use untested_mods::UntestedMods;
use vm_pool::VmPool;
pub use vm_pool::load_case_content;

/// The end of `sub-rosa test --help`.
pub const HELP: &str = "\
Runs the test cases below tests/ in a mod's folder. There are two kinds:

- A function in a script that checks rules with `equals`, `holds`, `refuses`:
    case \"F-1.1 two pay two\"(function() … end)
- A scripted run, with seed and answers: a TOML file (`simulate --record` writes
  such files) or `case \"name\" { … }` in a script. Further fields: about, mods,
  settings, options, profile, setup (Lua lines that set up the state), outcome,
  expect (texts that must be shown, in order), problem (error code).
  An answer that begins with a colon is a line of Lua.

The transcript of a scripted run is compared with the accepted one, if there is
one (tests/NAME.txt). Each scripted run is played twice; in the second pass the
VM is rebuilt at some prompts. `--second-pass N` repeats one in N cases only.

Examples:
  sub-rosa test                      test every mod that is found
  sub-rosa test ember_words          test one mod
  sub-rosa test --case F-1.1         run the cases of one rule
  sub-rosa test --case F-1           run the cases of a section
  sub-rosa test my_game --ledger my_game/ledger.md
  sub-rosa test ember_words --accept
                                     show and accept changed transcripts
  sub-rosa test ember_words --case over --accept
                                     also write the first transcript of a case

A mod with files that are not read because of their names, or without cases
and with a mistake, fails too.

Exit status: 0 all passed, 1 some failed, 2 no such mod.";

/// The transcript lines that are shown of a failed case: at least, and at most.
const FAILED_TRANSCRIPT_LINES: usize = 24;
const MAX_TRANSCRIPT_LINES: usize = 80;

/// Arguments of `test`.
#[derive(Args, Debug)]
pub struct TestArguments {
    /// Mods to test: ids, or folders (with a / or . in the name)
    #[arg(value_name = "MOD")]
    tested_mods: Vec<String>,
    /// Run only cases whose name contains these whole words; can be repeated
    #[arg(long, value_name = "TEXT")]
    case: Vec<String>,
    /// Check the cases against the rows of this requirements page
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Show changed transcripts and accept them; with `--case`, also write new ones
    #[arg(long)]
    accept: bool,
    #[command(flatten)]
    second_pass: SecondPassSelection,
    #[allow(missing_docs)] // a comment here would be help
    #[command(flatten)]
    pub common: CommonArguments,
}

impl TestArguments {
    /// The mods to test, as they were named.
    pub fn tested_mods(&self) -> &[String] {
        &self.tested_mods
    }
}

/// The result of a case.
#[derive(Serialize)]
struct CaseResult {
    owner: String,
    name: String,
    #[serde(rename = "about")]
    sentence: String,
    problems: Vec<Problem>,
    /// Whether it is a function case.
    #[serde(rename = "asked")]
    is_function_case: bool,
    /// The difference from the accepted transcript; empty if there is none.
    #[serde(rename = "difference")]
    transcript_diff: String,
    #[serde(rename = "accepted")]
    is_accepted: bool,
    /// The end of the transcript of a failed case.
    #[serde(rename = "end")]
    last_transcript_lines: Vec<String>,
}

/// Runs the cases of mods.
pub fn run_tests(
    context: &CommandContext,
    arguments: &TestArguments,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let json = arguments.common.json;
    let context = &context.with_search_folders(&arguments.tested_mods);
    let found = match select_mods_separately(context, &arguments.tested_mods) {
        Ok(found) => found,
        Err((outcome, problems)) => return output::report_failure(out, json, outcome, &problems),
    };
    // A mod that is disabled because of the named game is not tested, so that is an error.
    let disabled =
        |problem: &Problem| !arguments.tested_mods.is_empty() && problem.code == Code::OtherGame;
    if found.problems.iter().any(|problem| problem.severity == Severity::Error || disabled(problem))
    {
        return output::report_failure(out, json, CommandOutcome::Problems, &found.problems);
    }
    let mut rows = match arguments.ledger.as_deref().map(LedgerCoverage::read_ledger).transpose() {
        Ok(rows) => rows,
        Err(problem) => {
            return output::report_failure(out, json, CommandOutcome::UsageError, &[problem]);
        }
    };
    let accept = match (arguments.accept, arguments.case.is_empty()) {
        (false, _) => AcceptMode::Nothing,
        (true, true) => AcceptMode::Changed,
        (true, false) => AcceptMode::ChangedAndNew,
    };
    let (mut results, mut vm_pool) = (Vec::new(), VmPool::default());
    let (mut unseen, mut case_count) = (UntestedMods::default(), 0);
    for (owner, folder) in test_folders(&found) {
        let scripts = find_cases(context, &owner, &folder);
        case_count += scripts.len();
        let mut sources = found.groups.iter().flat_map(|group| &group.mods);
        let source = sources.find(|source| source.id() == owner);
        source.into_iter().for_each(|source| unseen.add_mod(context, source, scripts.len()));
        if let Some(rows) = &mut rows {
            source.into_iter().for_each(|source| rows.add_mod(source));
            scripts.iter().for_each(|script| rows.add_case(script));
        }
        let scripts = scripts.into_iter();
        for script in scripts.filter(|script| script.is_selected(&arguments.case)) {
            let result =
                run_case(context, &mut vm_pool, &owner, script, arguments.second_pass, accept);
            if !json {
                result.write_text(out)?;
            }
            results.push(result);
        }
    }
    let wrong = results.iter().filter(|result| !result.is_passed()).count();
    let ledger_report = rows.map(|rows| rows.build_report());
    match json {
        true => output::write_json(
            out,
            &serde_json::json!({
                "cases": results,
                "problems": unseen.problems,
                "mods_without_cases": unseen.mods_without_cases,
                "ledger": ledger_report,
            }),
        )?,
        false => {
            output::write_problems(out, &unseen.problems)?;
            // Of all mods that are found, those without a case are usual.
            let missing = unseen.describe_missing_cases();
            if let Some(missing) =
                missing.filter(|_| case_count == 0 || !arguments.tested_mods.is_empty())
            {
                output::write_line(out, &missing)?;
            }
            let counted = match (case_count, unseen.mods_without_cases.is_empty()) {
                (0, true) => "no tests: no mod that was found is in a folder".to_owned(),
                (1.., _) if results.is_empty() => "no case has that name".to_owned(),
                _ => test_count_text(results.len(), wrong, &unseen.problems),
            };
            output::write_line(out, &counted)?;
            ledger_report.iter().try_for_each(|held| held.write_text(out))?;
        }
    }
    let misnamed = ledger_report.is_some_and(|held| !held.problems.is_empty());
    let is_passed = wrong == 0 && !misnamed && unseen.problems.is_empty();
    Ok(if is_passed { CommandOutcome::Ok } else { CommandOutcome::Problems })
}

/// The cases of a mod: its files, then those that its scripts declare.
pub fn find_cases(context: &CommandContext, owner: &str, folder: &Path) -> Vec<FoundCase> {
    let mut paths = Vec::new();
    collect_files_with_extension(folder, "toml", &mut paths);
    paths.sort();
    let files = paths.into_iter().map(|path| {
        let case = read_case_file(&path).map(|case| Case { owner: owner.to_owned(), ..case });
        let unread_sentence = if case.is_err() { read_sentence(&path) } else { String::new() };
        FoundCase {
            path,
            case: case.map(|case| CaseBody::ScriptedRun(Box::new(case))),
            unread_sentence,
            place: None,
            is_declared_in_script: false,
        }
    });
    let mut scripts: Vec<FoundCase> = files.collect();
    if has_scripts(folder) {
        scripts.extend(declared_cases::declared_cases(context, owner, folder));
    }
    scripts
}

fn run_case(
    context: &CommandContext,
    vm_pool: &mut VmPool,
    owner: &str,
    script: FoundCase,
    second_pass: SecondPassSelection,
    accept: AcceptMode,
) -> CaseResult {
    let (path, name) = (&script.path, script.name());
    let place = script.place.clone().unwrap_or_else(|| case_file_location(owner, path));
    let mut result = CaseResult {
        owner: owner.to_owned(),
        name,
        sentence: script.unread_sentence,
        problems: Vec::new(),
        is_function_case: matches!(script.case, Ok(CaseBody::Function(_))),
        transcript_diff: String::new(),
        is_accepted: false,
        last_transcript_lines: Vec::new(),
    };
    let played = match script.case {
        Ok(CaseBody::Function(proof)) => {
            (result.problems, result.sentence) = (proof.run_case_function(), proof.sentence);
            return result;
        }
        Ok(CaseBody::ScriptedRun(case)) => {
            result.sentence.clone_from(&case.sentence);
            let twice = second_pass.includes_case(&case.sentence);
            vm_pool
                .play_case(context, &case, script.is_declared_in_script, twice)
                .map(|played| (played, case))
        }
        Err(problems) => Err(problems),
    };
    match played {
        Ok((played, case)) => {
            let faults = played.mismatches(&case).into_iter();
            result.problems =
                faults.map(|fault| function_case::case_problem(fault, &case.sentence)).collect();
            if !result.problems.is_empty() {
                result.last_transcript_lines = last_transcript_lines(&played.full_transcript());
            }
            accepted_transcripts::compare_or_accept_transcript(
                &mut result,
                path,
                &played.full_transcript(),
                accept,
            );
            if case.expects_nothing() && !path.with_extension("txt").exists() {
                let found = format!("the case \"{}\" cannot fail", case.sentence);
                let problem = Problem::error(Code::AsksNothing, found)
                    .expected("at least one of `answers`, `expect`, `outcome` and `problem`")
                    .hint("add an expectation, or remove the case");
                result.problems.push(problem);
            }
        }
        Err(problems) => result.problems = problems,
    }
    let written = read_case_text(path, &place);
    let problems = std::mem::take(&mut result.problems).into_iter();
    result.problems = problems
        .map(|problem| locate_in_case(with_answer_number(problem), &place, &written))
        .collect();
    result
}

/// The text of the file that holds a case; empty if it cannot be read.
fn read_case_text(path: &Path, place: &SourceLocation) -> String {
    let file = path.ancestors().map(|folder| folder.join(&place.file)).find(|file| file.is_file());
    let read = file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    text::strip_byte_order_mark(&read).to_owned()
}

/// The file of a case, relative to the folder of its mod.
pub(super) fn case_file_location(owner: &str, path: &Path) -> SourceLocation {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let from = parts.iter().rposition(|part| part == "tests").unwrap_or(0);
    SourceLocation::new(owner, parts[from..].join("/"), 0)
}

/// Adds the number of the answer that a Problem is about to its message.
fn with_answer_number(problem: Problem) -> Problem {
    match &problem.place {
        Some(at) if problem.code == Code::BadAnswer && at.file == ANSWERS_FILE => {
            let message = format!("answer {}: {}", at.line, problem.message);
            Problem { message, ..problem }
        }
        _ => problem,
    }
}

pub(super) fn read_case_file(path: &Path) -> Result<Case, Vec<Problem>> {
    let name = path.to_string_lossy();
    let text = fs::read_to_string(path).map_err(|error| {
        vec![Problem::error(Code::BadCase, format!("{name} cannot be read: {error}"))]
    })?;
    Case::parse(&name, text::strip_byte_order_mark(&text)).map_err(|problem| vec![problem])
}

/// What a case file says that it shows, also where the rest of it is no case.
fn read_sentence(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let table = text::strip_byte_order_mark(&text).parse::<toml::Table>().unwrap_or_default();
    table.get("about").and_then(toml::Value::as_str).unwrap_or_default().to_owned()
}

/// The last lines of a transcript: what followed the last answer, and a few lines at least.
fn last_transcript_lines(page: &str) -> Vec<String> {
    let lines: Vec<&str> = page.lines().collect();
    let last_answer = lines.iter().rposition(|line| line.starts_with("> ")).unwrap_or(0);
    let from = lines.len().saturating_sub(FAILED_TRANSCRIPT_LINES).min(last_answer);
    lines[from.max(lines.len().saturating_sub(MAX_TRANSCRIPT_LINES))..]
        .iter()
        .map(|line| (*line).to_owned())
        .collect()
}

impl CaseResult {
    fn is_passed(&self) -> bool {
        self.problems.is_empty()
    }

    fn write_text(&self, out: &mut dyn CommandOutput) -> io::Result<()> {
        let word = if self.is_passed() { "ok" } else { "FAILED" };
        // The name of a function case says it all; its id adds nothing.
        let name = if self.is_function_case { String::new() } else { format!(" {}:", self.name) };
        let label = format!("{word:<7}{}{name} {}", self.owner, self.sentence);
        // The file of a case may say nothing that can be read.
        output::write_line(out, label.trim_end_matches([':', ' ']))?;
        if !self.transcript_diff.is_empty() {
            output::write_line(out, &self.transcript_diff)?;
        }
        if self.is_accepted {
            output::write_line(out, "accepted\n")?;
        }
        output::write_problems(out, &self.problems)?;
        if !self.last_transcript_lines.is_empty() {
            output::write_line(out, "the end of the transcript:")?;
            self.last_transcript_lines
                .iter()
                .try_for_each(|line| output::write_line(out, &format!("  | {line}")))?;
            output::write_line(out, "")?;
        }
        Ok(())
    }
}

fn test_count_text(cases: usize, wrong: usize, problems: &[Problem]) -> String {
    let passed = format!("{} passed", cases - wrong);
    let failed = (wrong > 0).then(|| format!("{wrong} failed"));
    let other = Some(output::problem_count_text(problems)).filter(|counted| !counted.is_empty());
    [Some(passed), failed, other].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
