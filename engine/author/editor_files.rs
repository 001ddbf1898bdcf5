//! Editor support for a mod: the types of everything that its scripts can use, and settings for
//! luau-lsp that point to them. Both are in folders that begin with a dot, which are not part of a
//! mod.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::check::selection::select_mods;
use super::{CommandContext, api};
use base::{Code, Problem, SourceLocation, Value};
use mods::{ModOrigin, ModSet, sort_into_load_order};
use script::Vm;

/// The editor files by their path in the mod's folder; none if the mod does not load.
pub(super) fn editor_files(context: &CommandContext, folder: &Path) -> BTreeMap<String, String> {
    // A slash tells a folder from an id.
    let folder_name = format!("{}/", folder.display());
    let group = select_mods(context, &[folder_name]).ok().and_then(|mut which| which.groups.pop());
    let mods = group.and_then(|group| sort_into_load_order(group.mods).ok());
    let Some(mods) = mods else { return BTreeMap::new() };
    let Ok(vm) = Vm::load(&mods, &Value::map()) else { return BTreeMap::new() };
    let game = mods.game().id();
    let path = types_path(game);
    let settings = serde_json::json!({
        "luau-lsp.platform.type": "standard",
        "luau-lsp.types.definitionFiles": { game: path.as_str() },
    });
    let settings = serde_json::to_string_pretty(&settings).expect("texts always have a JSON text");
    BTreeMap::from([
        (".vscode/settings.json".to_owned(), format!("{settings}\n")),
        (path, api::type_declarations_of(&vm, &mods)),
    ])
}

/// The path of the type declarations in the mod's folder.
fn types_path(game: &str) -> String {
    format!(".editor/{game}.d.luau")
}

/// Writes the type declarations again, in the folders of mods that have them already.
pub fn refresh_type_declarations(vm: &Vm, mods: &ModSet) -> Result<(), Problem> {
    let path = types_path(mods.game().id());
    let folders = mods.mods.iter().filter_map(|source| match &source.origin {
        ModOrigin::Folder(folder) => Some(folder.join(&path)),
        _ => None,
    });
    let known: Vec<_> = folders.filter(|file| file.is_file()).collect();
    if known.is_empty() {
        return Ok(());
    }
    let types = api::type_declarations_of(vm, mods);
    for file in known {
        if fs::read_to_string(&file).is_ok_and(|written| written == types) {
            continue;
        }
        fs::write(&file, &types).map_err(|why| {
            let file = file.display().to_string();
            let found = format!("{file} cannot be written: {why}");
            let problem =
                Problem::warning(Code::NotWritten, found).at(SourceLocation::new("", file, 0));
            problem.hint("the editor keeps the old types")
        })?;
    }
    Ok(())
}
