//! Checks settings that a mod declares and none of its scripts reads: changing them changes nothing.
//! Those of a game are left out: a game may declare them before it reads them, as the test games do.

use std::sync::Arc;

use crate::analysis::FileSummary;
use base::text::is_luau_name_character;
use base::{Code, Problem};
use mods::ModSource;

/// Finds the unread settings of some mods.
pub(super) fn check_unread_settings(
    checked_mods: &[&ModSource],
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for source in checked_mods.iter().filter(|source| !source.manifest.is_game) {
        let own = || summaries.iter().filter(|summary| summary.owner == source.id());
        // A script that hands on `settings`, or reads a computed name, may read each.
        let reads_all = own().any(|summary| summary.lines.iter().any(|line| passes_settings(line)));
        let is_read = |name: &str| {
            own().any(|summary| summary.lines.iter().any(|line| reads_setting(line, name)))
        };
        let names = source.manifest.settings.keys().filter(|name| !reads_all && !is_read(name));
        problems.extend(names.map(|name| {
            let found = format!("no script reads the setting {name:?}");
            Problem::warning(Code::UnusedDefinition, found)
                .at(source.manifest_location("settings", name))
                .expected(format!("a script of the mod that reads `settings.{name}`"))
                .hint("read it, or remove it: changing it changes nothing")
        }));
    }
    problems
}

/// What follows each `settings` of a line that is a whole name.
fn uses_of_settings(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("--").next().unwrap_or_default();
    code.match_indices("settings").filter_map(move |(at, word)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let is_name = !before.ends_with(|c| is_luau_name_character(c) || c == '.')
            && !after.starts_with(is_luau_name_character);
        is_name.then_some(after.trim_start())
    })
}

fn passes_settings(line: &str) -> bool {
    uses_of_settings(line).any(|after| !after.starts_with('.') && !after.starts_with(['=', ':']))
}

fn reads_setting(line: &str, name: &str) -> bool {
    uses_of_settings(line).any(|after| {
        let read = after.strip_prefix('.').and_then(|after| after.strip_prefix(name));
        read.is_some_and(|rest| !rest.starts_with(is_luau_name_character))
    })
}
