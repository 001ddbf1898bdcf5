//! Reports what a passing test run could hide: files that are not read, mods that do not load, and
//! mods without a case.

use super::vm_pool::load_case_content;
use crate::CommandContext;
use crate::check::suppressions::apply_manifest_suppressions;
use base::{Code, Problem};
use mods::{ModSource, unread_file_warnings};

/// The Problems of mods that are not Problems of their cases.
#[derive(Default)]
pub(super) struct UntestedMods {
    pub(super) problems: Vec<Problem>,
    /// The mods without a case.
    pub(super) mods_without_cases: Vec<String>,
}

impl UntestedMods {
    /// Adds a mod. If it has no case, nothing else loads it.
    pub(super) fn add_mod(
        &mut self,
        context: &CommandContext,
        source: &ModSource,
        case_count: usize,
    ) {
        let mut problems = apply_manifest_suppressions(&[source], unread_file_warnings(source)).0;
        // A mod may consist of cases alone.
        problems.retain(|problem| case_count == 0 || problem.code != Code::DeclaresNothing);
        if case_count == 0 {
            self.mods_without_cases.push(source.id().to_owned());
            let loaded = load_case_content(context, source.id(), &[], true)
                .and_then(|content| content.load_strict_vm().map(drop));
            problems.extend(loaded.err().unwrap_or_default());
        }
        for problem in problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// Says which mods have no case, and what to do if nothing else is wrong.
    pub(super) fn describe_missing_cases(&self) -> Option<String> {
        let mods = self.mods_without_cases.join(", ");
        match (mods.is_empty(), self.problems.is_empty()) {
            (true, _) => None,
            (false, false) => Some(format!("no tests in {mods}")),
            (false, true) => Some(format!(
                "no tests in {mods}: write `case \"name\"(function() … end)` in a file such as \
                 tests/first.luau"
            )),
        }
    }
}
