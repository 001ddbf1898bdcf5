//! Checks names that are read from required files: whether the file returns them. Calls are checked
//! like other calls, with the declared signature.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::Look;
use crate::kit::problem::{nearest, one_of};
use crate::kit::{Place, Problem};
use crate::script::required_file;
use crate::workshop::lua::{Facts, Required, Returned};

/// The files of all mods, by mod and path.
pub(super) struct Files<'t>(BTreeMap<(&'t str, &'t str), &'t Facts>);

impl<'t> Files<'t> {
    /// An index of all files.
    pub(super) fn of(facts: &'t [Arc<Facts>]) -> Self {
        let each = facts.iter().map(|facts| ((&*facts.owner, &*facts.file), &**facts));
        Self(each.collect())
    }

    /// The file that a path leads to from another file, and what it returns.
    fn leads_to(&self, from: &Facts, of: &Required) -> Option<(&'t Facts, &'t Returned)> {
        let (owner, file) = required_file(&from.owner, &of.path, |owner, file| {
            self.0.contains_key(&(owner, file))
        })?;
        let found = *self.0.get(&(&*owner, &*file))?;
        Some((found, found.returned.as_ref()?))
    }

    /// Where a function of a file begins.
    pub(super) fn function(&self, from: &Facts, of: &Required, name: &str) -> Option<Place> {
        let (facts, returned) = self.leads_to(from, of)?;
        let (line, is_function) = *returned.names.get(name)?;
        is_function.then(|| facts.place(line))
    }
}

/// Checks the names that are read from required files.
pub(super) fn look(look: &Look<'_>, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let each = facts.iter().flat_map(|facts| facts.uses.asked.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let (_, returned) = look.files.leads_to(facts, &one.of)?;
        if returned.open || returned.names.contains_key(&one.name) {
            return None;
        }
        let found = format!("`require \"{}\"` returns no `{}`", one.of.path, one.name);
        let names = || returned.names.keys().map(String::as_str);
        let problem = Problem::error("unknown-name", found).at(facts.place(one.line));
        let problem = problem.expected(one_of(&one.name, names()));
        let near = nearest(&one.name, names());
        let near = near.map(|near| format!("did you mean `{}.{near}`?", one.local));
        Some(problem.maybe_hint(near))
    });
    problems.collect()
}
