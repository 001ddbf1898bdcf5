//! Checks the `tests/` folder of a mod: its scripts, with the functions that cases use, and its
//! case files, with the lines of Lua in them.

use std::sync::Arc;

use super::case_values::CaseValueCheck;
use super::check_scripts;
use super::suppressions::apply_suppressions;
use crate::analysis::{self, FileSummary};
use crate::case::Case;
use crate::case_places::{case_field, locate_case_field, locate_in_case};
use crate::test_runner::{
    case_file_location, collect_files_with_extension, has_scripts, read_case, read_case_file,
    with_expectation_functions,
};
use base::{Code, FileText, Problem, SourceLocation, Value, text};
use mods::{ModOrigin, ModSet, ModSource, TESTS_FOLDER, read_with_test_scripts};
use script::Vm;

/// Lines of Lua in case files, each as a file of its own, with its place in the case file.
type CaseLines = Vec<(Arc<FileSummary>, SourceLocation)>;

/// Checks the tests of a mod. `summaries` are those of the other scripts of all mods; a case may
/// name any of the mods that were found.
pub(super) fn check_test_scripts(
    mods: &ModSet,
    source: &ModSource,
    summaries: &[Arc<FileSummary>],
    found_mods: &[ModSource],
) -> Vec<Problem> {
    let ModOrigin::Folder(folder) = &source.origin else { return Vec::new() };
    let folder = folder.join(TESTS_FOLDER);
    let mut case_files = Vec::new();
    collect_files_with_extension(&folder, "toml", &mut case_files);
    case_files.sort();
    if case_files.is_empty() && !has_scripts(&folder) {
        return Vec::new();
    }
    let with_tests = match read_with_test_scripts(source) {
        Ok(with_tests) => with_expectation_functions(&with_tests),
        Err(problems) => return problems,
    };
    let mut mods = ModSet { mods: mods.mods.clone(), translation: None };
    let own = mods.mods.iter_mut().filter(|one| one.id() == source.id());
    own.for_each(|one| *one = with_tests.clone());
    let vm = match Vm::load(&mods, &Value::map()) {
        Ok(vm) => vm,
        Err(problems) => return problems.into_iter().filter(is_in_tests).collect(),
    };
    let case_check =
        CaseValueCheck { vm: &vm, mods: &mods, owner: source.id(), summaries, found_mods };
    let mut problems = Vec::new();
    let scripts = with_tests.files.iter().filter(|(path, _)| path.starts_with(TESTS_FOLDER));
    let (read, unread) = analysis::analyze_files(source.id(), scripts);
    let read: Vec<Arc<FileSummary>> = read.into_iter().map(Arc::new).collect();
    problems.extend(unread);
    let mut case_lines = CaseLines::new();
    for path in &case_files {
        match read_case_file(path) {
            Ok(case) => {
                let place = case_file_location(source.id(), path);
                let written = std::fs::read_to_string(path).unwrap_or_default();
                problems.extend(case_check.case_problems(&case).into_iter().map(|problem| {
                    locate_in_case(problem, &place, text::strip_byte_order_mark(&written))
                }));
                case_lines.extend(analyze_case_lines(&place, &written, &case));
            }
            Err(unread) => problems.extend(unread),
        }
    }
    let lines = case_lines.iter().map(|(summary, _)| summary.clone());
    let checked: Vec<Arc<FileSummary>> = read.iter().cloned().chain(lines).collect();
    let all: Vec<Arc<FileSummary>> = summaries.iter().chain(&checked).cloned().collect();
    problems.extend(declared_case_problems(&case_check));
    let found = check_scripts(&vm, &mods, &all, &checked).into_iter();
    let found = found.filter(|problem| is_in_tests(problem) && concerns_tests(problem));
    problems.extend(found.map(|problem| locate_in_case_file(problem, &case_lines)));
    apply_suppressions(&read, &[], problems, false)
}

fn is_in_tests(problem: &Problem) -> bool {
    problem.place.as_ref().is_some_and(|place| place.file.starts_with(TESTS_FOLDER))
}

/// Whether a Problem of a script is one in a test too. A test may give rules and exports wrong or
/// incomplete values on purpose, keep values of its own in the state, ask for parts of it that are
/// not there, and name definitions of further mods.
fn concerns_tests(problem: &Problem) -> bool {
    const CODES: [Code; 14] = [
        Code::BadRoll,
        Code::EmptyList,
        Code::HiddenName,
        Code::NotLoading,
        Code::TooFewArguments,
        Code::TooManyArguments,
        Code::UndeclaredEvent,
        Code::UnknownEvent,
        Code::UnknownEventField,
        Code::UnknownKind,
        Code::UnknownName,
        Code::UnknownRule,
        Code::UnknownScene,
        Code::UnknownStateField,
    ];
    let is_misspelt = problem.suggestion().is_some();
    CODES.contains(&problem.code) && (problem.code != Code::UnknownStateField || is_misspelt)
}

/// The lines of Lua of a case: its setup, and answers that begin with a colon.
fn analyze_case_lines(place: &SourceLocation, written: &str, case: &Case) -> CaseLines {
    // A line in the scope of another mod begins with `:@`: `:@weather turn_to "rain"`.
    let answers = case.answers.iter().enumerate().filter_map(|(index, answer)| {
        let line = answer.strip_prefix(':').filter(|line| !line.starts_with('@'))?;
        Some(("answers", index, line))
    });
    let setup = case.setup_lines.iter().enumerate();
    let lines = setup.map(|(index, line)| ("setup", index, line.as_str())).chain(answers);
    let summaries = lines.filter_map(|(field, index, line)| {
        let at = locate_case_field(&case_field(field, index + 1), place, written);
        // It runs like a function of play.
        let file = format!("{}#{field}{index}", place.file);
        let forms = [
            format!("return function() return {line} end"),
            format!("return function() {line} end"),
        ];
        let read = forms.into_iter().find_map(|text| {
            analysis::analyze_file(&place.owner, &file, &FileText::from(text)).ok()
        });
        Some((Arc::new(read?), at))
    });
    analysis::with_large_stack(|| summaries.collect())
}

/// Moves a Problem of a line of Lua to its place in the case file.
fn locate_in_case_file(problem: Problem, case_lines: &CaseLines) -> Problem {
    let Some(place) = &problem.place else { return problem };
    match case_lines.iter().find(|(summary, _)| summary.file == place.file) {
        Some((_, at)) => Problem { place: Some(at.clone()), ..problem },
        None => problem,
    }
}

/// The Problems of the cases that the scripts of a mod declare.
fn declared_case_problems(check: &CaseValueCheck<'_>) -> Vec<Problem> {
    let (vm, owner) = (check.vm, check.owner);
    let cases = vm.registry().active_definitions("case");
    let own = cases.filter(|case| case.id.mod_id() == owner);
    let problems = own.flat_map(|definition| {
        let problems = match read_case(definition, owner) {
            Ok(case) => check.case_problems(&case),
            Err(problem) => vec![problem],
        };
        let place = &definition.place;
        let lines = vm.sources().indexed_text(&place.owner, &place.file);
        let written = lines.map_or("", |lines| lines.text());
        problems.into_iter().map(move |problem| locate_in_case(problem, place, written))
    });
    problems.collect()
}
