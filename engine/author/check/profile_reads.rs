//! Checks what scripts read of the profile: whether something awards it. A name that nothing awards
//! and that is like an awarded one is misspelt.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::{CallSite, FileSummary, Literal, PathRoot};
use base::problem::nearest_name;
use base::{Code, Problem};
use content::StatePathStep;
use mods::ModSet;

/// Checks the reads in some files; `summaries` are those of all files.
pub(super) fn check_profile_reads(
    mods: &ModSet,
    summaries: &[Arc<FileSummary>],
    checked: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for summary in checked {
        for access in &summary.uses.accesses {
            let (PathRoot::Global(profile), Some(StatePathStep::Name(name))) =
                (&access.path.root, access.path.path.first())
            else {
                continue;
            };
            let owner = match profile.as_str() {
                "profile" => &*summary.owner,
                "game_profile" => mods.game().id(),
                _ => continue,
            };
            let Some(awarded) = awarded_names(summaries, owner) else { continue };
            let near = nearest_name(name, awarded.iter().copied());
            if awarded.contains(&**name) || near.is_none() || access.written_value.is_some() {
                continue;
            }
            let found = format!("nothing awards `{name}`, so that `{profile}.{name}` is nil");
            let problem = Problem::error(Code::UnknownName, found)
                .at(summary.place(access.line))
                .expected(format!("a name that {owner} awards"));
            problems.push(problem.suggest_field(profile, near));
        }
    }
    problems
}

/// The names that a mod awards; `None` if some are known only in play.
fn awarded_names<'s>(summaries: &'s [Arc<FileSummary>], owner: &str) -> Option<BTreeSet<&'s str>> {
    let own = summaries.iter().filter(|summary| summary.owner == owner);
    let awards = own.flat_map(|summary| &summary.uses.calls).filter(|call| call.name == "award");
    let mut names = BTreeSet::new();
    for award in awards {
        names.extend(names_of_award(award)?);
    }
    Some(names)
}

fn names_of_award(award: &CallSite) -> Option<impl Iterator<Item = &str>> {
    match award.argument_literals.first() {
        Some(Literal::Table(table)) if !table.may_have_more_fields => {
            Some(table.named_fields.iter().map(|(name, ..)| name.as_str()))
        }
        _ => None,
    }
}
