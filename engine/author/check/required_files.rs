//! Checks names that are read from required files: whether the file returns them. Calls are checked
//! like other calls, with the declared signature.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::CheckContext;
use crate::author::analysis::{FileSummary, RequiredFile, ReturnedTable};
use crate::base::problem::{describe_alternatives, nearest_name};
use crate::base::{Code, Problem, SourceLocation};
use crate::script::resolve_require_path;

/// The files of all mods, by mod and path.
pub(super) struct ScriptIndex<'t>(BTreeMap<(&'t str, &'t str), &'t FileSummary>);

impl<'t> ScriptIndex<'t> {
    /// An index of all files.
    pub(super) fn of(facts: &'t [Arc<FileSummary>]) -> Self {
        let each = facts.iter().map(|facts| ((&*facts.owner, &*facts.file), &**facts));
        Self(each.collect())
    }

    /// The file that a path leads to from another file, and what it returns.
    fn resolve_path(
        &self,
        from: &FileSummary,
        of: &RequiredFile,
    ) -> Option<(&'t FileSummary, &'t ReturnedTable)> {
        let (owner, file) = resolve_require_path(&from.owner, &of.path, |owner, file| {
            self.0.contains_key(&(owner, file))
        })?;
        let found = *self.0.get(&(&*owner, &*file))?;
        Some((found, found.returned_table.as_ref()?))
    }

    /// Where a function of a file begins.
    pub(super) fn function_place(
        &self,
        from: &FileSummary,
        of: &RequiredFile,
        name: &str,
    ) -> Option<SourceLocation> {
        let (facts, returned) = self.resolve_path(from, of)?;
        let (line, is_function) = *returned.names.get(name)?;
        is_function.then(|| facts.place(line))
    }
}

/// Checks the names that are read from required files.
pub(super) fn check_required_files(
    look: &CheckContext<'_>,
    facts: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let each = facts
        .iter()
        .flat_map(|facts| facts.uses.required_names.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let (_, returned) = look.files.resolve_path(facts, &one.of)?;
        if returned.open || returned.names.contains_key(&one.name) {
            return None;
        }
        let found = format!("`require \"{}\"` returns no `{}`", one.of.path, one.name);
        let names = || returned.names.keys().map(String::as_str);
        let problem = Problem::error(Code::UnknownName, found).at(facts.place(one.line));
        let problem = problem.expected(describe_alternatives(&one.name, names()));
        let near = nearest_name(&one.name, names());
        let near = near.map(|near| format!("did you mean `{}.{near}`?", one.local));
        Some(problem.maybe_hint(near))
    });
    problems.collect()
}
