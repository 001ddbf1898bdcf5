//! Checks options of a new run that no script reads, so that the player is asked for nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::FileSummary;
use base::text::is_luau_name_character;
use base::{Code, Problem};
use content::{Definition, Registry};

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
        !summaries.iter().any(|file| reads(file, option)) && !is_suggested(name)
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

/// Globals whose fields are no options.
const OTHER_GLOBALS: [&str; 4] = ["game_profile", "profile", "settings", "state"];

/// Whether a file reads a field of this name, or is of the same mod and has the name as a text beside
/// the declaration.
fn reads(file: &FileSummary, option: &Definition) -> bool {
    let name = option.id.name();
    let is_own = file.owner == option.place.owner;
    let mut texts = file.string_literals.iter().filter(|_| is_own);
    texts.any(|one| one.text == name && one.callee != "option")
        || file.lines.iter().any(|line| reads_field(line, name))
}

/// Whether a line has `.name`, outside a comment of its own, of what may be the options.
fn reads_field(line: &str, name: &str) -> bool {
    let mut found = line.match_indices(name);
    found.any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_chain = |c: char| is_luau_name_character(c) || c == '.';
        let chain_start = before.trim_end_matches(is_chain).len();
        let root = before[chain_start..].split('.').next().unwrap_or_default();
        before.ends_with('.')
            && !before.ends_with("..")
            && !after.starts_with(is_luau_name_character)
            && !before.trim_start().starts_with("--")
            && !OTHER_GLOBALS.contains(&root)
    })
}
