//! Checks options of a new run that no script reads, so that the player is asked for nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::FileSummary;
use base::text::is_luau_name_character;
use base::{Code, Problem};
use content::Registry;

/// Finds the unread options of some mods. An option that another Problem suggests is misspelt where
/// it is read.
pub(super) fn check_unread_options(
    registry: &Registry,
    summaries: &[Arc<FileSummary>],
    ids: &BTreeSet<String>,
    problems: &[Problem],
) -> Vec<Problem> {
    let options = registry.active_definitions("option");
    let own = options.filter(|option| ids.contains(&option.place.owner));
    let is_suggested = |name: &str| {
        problems.iter().any(|one| one.code == Code::UnknownOption && one.suggestion() == Some(name))
    };
    let unread = own.filter(|option| {
        let name = option.id.name();
        !summaries.iter().any(|file| reads(file, name)) && !is_suggested(name)
    });
    let problems = unread.map(|option| {
        let name = option.id.name();
        let found = format!("no script reads the option {name:?}");
        Problem::warning(Code::UnusedDefinition, found)
            .at(option.place.clone())
            .expected(format!("a script that reads `.{name}` of the options"))
            .hint("read it, or remove it: its answer changes nothing")
    });
    problems.collect()
}

/// Whether a file reads a field of this name, or has its name as a text beside the declaration.
fn reads(file: &FileSummary, name: &str) -> bool {
    let has_text =
        file.string_literals.iter().any(|one| one.text == name && one.callee != "option");
    has_text || file.lines.iter().any(|line| reads_field(line, name))
}

/// Whether a line has `.name`, outside a comment of its own.
fn reads_field(line: &str, name: &str) -> bool {
    let mut found = line.match_indices(name);
    found.any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        before.ends_with('.')
            && !before.ends_with("..")
            && !after.starts_with(is_luau_name_character)
            && !before.trim_start().starts_with("--")
    })
}
