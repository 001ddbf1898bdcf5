//! Checks names that are read from required files: whether the file returns them. Calls are checked
//! like other calls, with the declared signature.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::declaration_lookup::DeclarationLookup;
use crate::analysis::{FileSummary, RequiredFile, ReturnedTable};
use base::problem::{describe_alternatives, nearest_name};
use base::{Code, Problem, SourceLocation};
use script::resolve_require_path;

/// The files of all mods, by mod and path.
pub(super) struct ScriptIndex<'t>(BTreeMap<(&'t str, &'t str), &'t FileSummary>);

impl<'t> ScriptIndex<'t> {
    /// An index of all files.
    pub(super) fn new(summaries: &'t [Arc<FileSummary>]) -> Self {
        let each = summaries.iter().map(|facts| ((&*facts.owner, &*facts.file), &**facts));
        Self(each.collect())
    }

    /// The file that a path leads to from another file, and what it returns.
    fn resolve_required_file(
        &self,
        from: &FileSummary,
        required_file: &RequiredFile,
    ) -> Option<(&'t FileSummary, &'t ReturnedTable)> {
        let (owner, file) =
            resolve_require_path(&from.owner, &required_file.path, |owner, file| {
                self.0.contains_key(&(owner, file))
            })?;
        let found = *self.0.get(&(&*owner, &*file))?;
        Some((found, found.returned_table.as_ref()?))
    }

    /// Where a function of a file begins.
    pub(super) fn function_location(
        &self,
        from: &FileSummary,
        required_file: &RequiredFile,
        name: &str,
    ) -> Option<SourceLocation> {
        let (summary, returned) = self.resolve_required_file(from, required_file)?;
        let (line, is_function) = *returned.names.get(name)?;
        is_function.then(|| summary.place(line))
    }
}

/// Checks the names that are read from required files.
pub(super) fn check_required_file_members(
    look: &DeclarationLookup<'_>,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let each = summaries
        .iter()
        .flat_map(|facts| facts.uses.required_file_members.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let (_, returned) = look.script_index.resolve_required_file(facts, &one.file)?;
        if returned.may_have_more_names || returned.names.contains_key(&one.name) {
            return None;
        }
        let found = format!("`require \"{}\"` returns no `{}`", one.file.path, one.name);
        let names = || returned.names.keys().map(String::as_str);
        let problem = Problem::error(Code::UnknownName, found).at(facts.place(one.line));
        let problem = problem.expected(describe_alternatives(&one.name, names()));
        Some(problem.suggest_field(&one.local_name, nearest_name(&one.name, names())))
    });
    problems.collect()
}
