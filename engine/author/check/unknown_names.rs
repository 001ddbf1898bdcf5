//! Checks names in functions: whether each exists for the file that uses it. Reports what would
//! fail at run time.

use std::sync::Arc;

use crate::analysis::FileSummary;
use base::problem::nearest_name;
use base::{Code, Problem};
use mods::ModSet;
use script::{NameUse, Vm};

/// Host functions whose argument is an id, with its kind.
const FUNCTIONS_TAKING_ID: [(&str, &str); 4] =
    [("go", "scene"), ("push", "scene"), ("ask", "scene"), ("queue_stage", "stage")];

/// Maximum number of bytes that one check searches for suggestions: some seconds. Each unknown name
/// is compared with the names in its file.
const MAX_SEARCHED_BYTES: usize = 64 * 1024 * 1024;

/// Checks the names in all files.
pub(super) fn check_unknown_names(
    vm: &Vm,
    mods: &ModSet,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut bytes_left = MAX_SEARCHED_BYTES;
    let each = summaries.iter().flat_map(|facts| {
        let file_bytes = facts.lines.iter().map(String::len).sum::<usize>().max(1);
        let max_names = bytes_left / file_bytes;
        let mut problems: Vec<Problem> = name_problems(vm, facts).take(max_names + 1).collect();
        let is_cut = problems.len() > max_names;
        problems.truncate(max_names);
        bytes_left -= problems.len() * file_bytes;
        let others = setting_problems(mods, facts);
        let warning = is_cut.then(|| names_not_checked_warning(facts));
        problems.into_iter().chain(others).chain(warning).collect::<Vec<_>>()
    });
    each.collect()
}

/// A warning that not all names of a file were checked.
fn names_not_checked_warning(summary: &FileSummary) -> Problem {
    let first = summary.uses.globals.values().map(|global| global.line).min().unwrap_or(1);
    let found = "this file has so many unknown names that the rest was not checked";
    Problem::warning(Code::NamesNotChecked, found)
        .at(summary.place(first))
        .hint("fix the reported ones first, then check again")
}

fn name_problems<'t>(vm: &'t Vm, summary: &'t FileSummary) -> impl Iterator<Item = Problem> + 't {
    let globals = summary.uses.globals.values().filter_map(move |global| {
        let name_use = match &global.field {
            _ if global.is_assigned => NameUse::AssignedGlobal(&global.name),
            Some(field) => NameUse::Member(&global.name, field),
            None => NameUse::Global(&global.name),
        };
        let place = summary.place(global.line);
        vm.missing_name_problem(&place, name_use)
    });
    let id_argument_problems = summary.string_literals.iter().filter_map(move |word| {
        let (verb, kind) = FUNCTIONS_TAKING_ID.iter().find(|(verb, _)| *verb == word.callee)?;
        let name_use = NameUse::IdArgument(kind, verb, &word.text);
        vm.missing_name_problem(&summary.place(word.line), name_use)
    });
    globals.chain(id_argument_problems)
}

/// Settings that the mod's manifest does not declare.
fn setting_problems<'t>(
    mods: &'t ModSet,
    summary: &'t FileSummary,
) -> impl Iterator<Item = Problem> + 't {
    let manifest = mods.get(&summary.owner).map(|source| &source.manifest);
    summary.uses.globals.values().filter_map(move |global| {
        let declared = &manifest?.settings;
        let name = global.field.as_ref().filter(|_| global.name == "settings")?;
        if declared.contains_key(name) {
            return None;
        }
        let problem =
            Problem::error(Code::UnknownSetting, format!("there is no `settings.{name}`"))
                .at(summary.place(global.line))
                .expected(format!("a setting declared in mod.toml: `[settings.{name}]`"));
        let near = nearest_name(name, declared.keys().map(String::as_str));
        Some(problem.suggest_field("settings", near))
    })
}
