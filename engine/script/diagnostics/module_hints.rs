//! Hints for an unknown name that is used as a module: `text.capital` where nothing declares `text`.

use super::missing_names::hint_need_mod;
use crate::host::Host;
use base::SourceLocation;
use base::text::is_luau_name_character;

/// The name behind `module.` in a line, if the line uses the name as a module.
pub(super) fn member_in_line<'l>(line: &'l str, module: &str) -> Option<&'l str> {
    line.match_indices(module).find_map(|(index, _)| {
        let (before, after) = (&line[..index], &line[index + module.len()..]);
        let is_inner = before.ends_with(|c| is_luau_name_character(c) || c == '.' || c == '/');
        let member = after.strip_prefix('.').filter(|_| !is_inner)?;
        let end = member.find(|c| !is_luau_name_character(c)).unwrap_or(member.len());
        (end > 0).then_some(&member[..end])
    })
}

/// The exported function with this last name.
pub(super) fn export_named<'n>(visible_names: &'n [String], last_name: &str) -> Option<&'n String> {
    visible_names
        .iter()
        .find(|name| name.split_once('.').is_some_and(|(_, inner_name)| inner_name == last_name))
}

/// How to require the library file of that name, and the exported function that does without.
pub(super) fn library_hint(
    host: &Host,
    caller: &SourceLocation,
    name: &str,
    export: Option<&String>,
) -> Option<String> {
    let has_library = |owner: &str| {
        host.sources.library_names(owner).any(|file| file.strip_prefix("lib/") == Some(name))
    };
    if has_library(&caller.owner) {
        return Some(format!("write `local {name} = require \"lib/{name}\"`"));
    }
    let owner = host.sources.iter().map(|(owner, ..)| owner).find(|owner| has_library(owner))?;
    let line = format!("`local {name} = require \"@{owner}/lib/{name}\"`");
    let hint = match host.environments.can_see(&caller.owner, owner) {
        true => format!("write {line}"),
        false => format!("{}, and {line}", hint_need_mod(owner, "one")),
    };
    Some(match export {
        Some(export) => format!("did you mean `{export}`? Or {hint}"),
        None => hint,
    })
}
