//! Editor support for a mod: the types of everything that its scripts can use, and settings for
//! luau-lsp that point to them. Both are in folders that begin with a dot, which are not part of a
//! mod.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::check::which::which;
use super::{Bench, api};
use crate::kit::{Place, Problem, Value};
use crate::mods::{ModSet, Origin, load_order};
use crate::script::Vm;

/// The editor files by their path in the mod's folder; none if the mod does not load.
pub(super) fn files(bench: &Bench, folder: &Path) -> BTreeMap<String, String> {
    // A slash tells a folder from an id.
    let asked = format!("{}/", folder.display());
    let group = which(bench, &[asked]).ok().and_then(|mut which| which.groups.pop());
    let mods = group.and_then(|group| load_order(group.mods).ok());
    let Some(mods) = mods else { return BTreeMap::new() };
    let Ok(vm) = Vm::load(&mods, &Value::map()) else { return BTreeMap::new() };
    let game = mods.game().id();
    let path = types_of(game);
    let settings = serde_json::json!({
        "luau-lsp.platform.type": "standard",
        "luau-lsp.types.definitionFiles": { game: path.as_str() },
    });
    let settings = serde_json::to_string_pretty(&settings).expect("texts always have a JSON text");
    BTreeMap::from([
        (".vscode/settings.json".to_owned(), format!("{settings}\n")),
        (path, api::types_of(&vm, &mods)),
    ])
}

/// The path of the type declarations in the mod's folder.
fn types_of(game: &str) -> String {
    format!(".editor/{game}.d.luau")
}

/// Writes the type declarations again, in the folders of mods that have them already.
pub fn write_anew(vm: &Vm, mods: &ModSet) -> Result<(), Problem> {
    let path = types_of(mods.game().id());
    let folders = mods.mods.iter().filter_map(|source| match &source.origin {
        Origin::Disk(folder) => Some(folder.join(&path)),
        _ => None,
    });
    let known: Vec<_> = folders.filter(|file| file.is_file()).collect();
    if known.is_empty() {
        return Ok(());
    }
    let types = api::types_of(vm, mods);
    for file in known {
        if fs::read_to_string(&file).is_ok_and(|written| written == types) {
            continue;
        }
        fs::write(&file, &types).map_err(|why| {
            let file = file.display().to_string();
            let found = format!("{file} cannot be written: {why}");
            let problem = Problem::warning("not-written", found).at(Place::new("", file, 0));
            problem.hint("the editor keeps the old types")
        })?;
    }
    Ok(())
}
