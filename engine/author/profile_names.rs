//! The names of values in the profile that scripts read or award.

use std::collections::BTreeSet;

use super::analysis::{AccessPath, FileSummary, Literal, PROFILE_GLOBALS, PathRoot, analyze_files};
use base::problem::nearest_name;
use base::{Code, Problem};
use content::StatePathStep;
use mods::ModSet;
use protocol::{mod_of_table_name, mod_table_name};

/// The kinds whose functions get the profile of the game as their first argument.
const KINDS_GIVEN_PROFILE: [&str; 2] = ["option", "page"];

/// Refuses a value for the profile that no script of these sets of mods can read.
pub fn check_profile_names<'n>(
    mod_sets: &[&ModSet],
    mut names: impl Iterator<Item = &'n str>,
) -> Result<(), Problem> {
    let mut known = BTreeSet::new();
    for mods in mod_sets {
        let Some(names) = profile_names(mods) else { return Ok(()) };
        known.extend(names);
        known.extend(mods.ids().iter().map(|id| mod_table_name(id).to_string()));
    }
    let Some(unknown) = names.find(|name| !known.contains(*name)) else { return Ok(()) };
    let known = || known.iter().map(String::as_str);
    let own_names = known().filter(|name| mod_of_table_name(name).is_none()).collect::<Vec<_>>();
    let found = format!("no script reads or awards \"{unknown}\" in the profile");
    Err(Problem::error(Code::UnknownName, found)
        .expected(format!("one of {}", own_names.join(", ")))
        .suggest_name(nearest_name(unknown, known())))
}

/// The names in the profile of the game that its scripts read or award; `None` if some are known
/// only in play.
fn profile_names(mods: &ModSet) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for source in &mods.mods {
        let is_game = source.id() == mods.game().id();
        for summary in analyze_files(source.id(), source.files.iter()).0 {
            for access in &summary.uses.accesses {
                match name_in_profile(&access.path, is_game) {
                    Some(StatePathStep::Name(name)) => drop(names.insert(name.clone())),
                    Some(_) => return None,
                    None => {}
                }
            }
            names.extend(if is_game { awarded_names(&summary) } else { Vec::new() });
        }
    }
    Some(names)
}

/// The step into the profile of the game, if a path reads it.
fn name_in_profile(path: &AccessPath, is_in_game: bool) -> Option<&StatePathStep> {
    match &path.root {
        PathRoot::Global(name) if PROFILE_GLOBALS.contains(&&**name) => {
            path.path.first().filter(|_| is_in_game || name == "game_profile")
        }
        PathRoot::DefinitionCallback(kind, _) if KINDS_GIVEN_PROFILE.contains(&&**kind) => {
            path.path.first().filter(|_| is_in_game)
        }
        PathRoot::DefinitionCallback(kind, _) if kind == "achievement" => match &path.path[..] {
            [StatePathStep::Name(part), name, ..] if part == "profile" && is_in_game => Some(name),
            _ => None,
        },
        _ => None,
    }
}

fn awarded_names(summary: &FileSummary) -> Vec<String> {
    let awards = summary.uses.calls.iter().filter(|call| call.name == "award");
    let tables = awards.filter_map(|call| match call.argument_literals.first() {
        Some(Literal::Table(award)) => Some(&award.named_fields),
        _ => None,
    });
    tables.flatten().map(|(name, ..)| name.clone()).collect()
}
