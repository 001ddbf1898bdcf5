//! What an editor is told of a mod: the types of everything that its scripts can see, and settings for
//! luau-lsp that point there. Both lie in folders that begin with a dot, which no mod is read from.

use std::collections::BTreeMap;
use std::path::Path;

use super::check::which::which;
use super::{Bench, api};
use crate::kit::Value;
use crate::mods::load_order;
use crate::script::Vm;

/// The files for an editor by their path in the mod's folder: none for a mod that cannot be loaded.
pub(super) fn files(bench: &Bench, folder: &Path) -> BTreeMap<String, String> {
    // A folder is told from an id by its stroke.
    let asked = format!("{}/", folder.display());
    let group = which(bench, &[asked]).ok().and_then(|mut which| which.groups.pop());
    let mods = group.and_then(|group| load_order(group.mods).ok());
    let Some(mods) = mods else { return BTreeMap::new() };
    let Ok(vm) = Vm::load(&mods, &Value::map()) else { return BTreeMap::new() };
    let game = mods.game().id();
    let path = format!(".editor/{game}.d.luau");
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
