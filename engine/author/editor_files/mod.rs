//! Editor support for the author's own mods: the types of everything that a script can use, copies
//! of the libraries that it can require, a plugin and settings for luau-lsp. Most files are in
//! `.editor/`; folders and files that begin with a dot are not part of a mod.

mod luaurc;
mod own_mods;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::api::EditorTypes;
use super::check::selection::{CheckGroup, select_mods};
use super::{CommandContext, CommandOutput, output};
use base::digest::Hasher;
use base::{Code, Digest, Problem, SourceLocation, Value};
use mods::{
    ModSet, ModSource, SearchPaths, engine_version, open_regular_file, sort_into_load_order,
};
use own_mods::{own_mod_folder, select_with_needed_mods};
use script::Vm;

/// The folder of the generated files in a mod's folder.
const EDITOR_FOLDER: &str = ".editor";
const LUAURC_FILE: &str = ".luaurc";
const VSCODE_SETTINGS_FILE: &str = ".vscode/settings.json";
const PLUGIN_FILE: &str = ".editor/luau_lsp_plugin.luau";
/// The plugin for luau-lsp; `{id}` stands for the mod.
const PLUGIN_TEXT: &str = include_str!("luau_lsp_plugin.luau.in");

/// The editor files of a new mod by their path in its folder; only those that need no loaded
/// content if the mod does not load.
pub(super) fn editor_files(context: &CommandContext, folder: &Path) -> BTreeMap<String, String> {
    // A slash tells a folder from an id.
    let folder_name = format!("{}/", folder.display());
    let group = select_mods(context, &[folder_name]).ok().and_then(|mut which| which.groups.pop());
    let Some((id, group)) = group.and_then(|group| Some((group.ids.first()?.clone(), group)))
    else {
        return BTreeMap::new();
    };
    let Ok(mods) = sort_into_load_order(group.mods) else { return BTreeMap::new() };
    let mut files = library_and_settings_files(&mods, &id, folder);
    if let Ok(vm) = Vm::load(&mods, &Value::map()) {
        files.extend(type_files(&vm, &mods, &id));
    }
    files
}

/// Writes the editor files of the author's own mods that these names select, where they differ.
/// Mods that do not load keep their types. A folder that cannot be written is a warning.
pub fn refresh_editor_files(
    context: &CommandContext,
    names: &[String],
    out: &mut dyn CommandOutput,
) -> io::Result<()> {
    let Ok(which) = select_mods(context, names) else { return Ok(()) };
    refresh_selected_mods(&which.groups, &context.search_paths, out)
}

/// The same for mods that are selected already.
pub(crate) fn refresh_selected_mods(
    groups: &[CheckGroup],
    search_paths: &SearchPaths,
    out: &mut dyn CommandOutput,
) -> io::Result<()> {
    let mut problems = Vec::new();
    for group in groups {
        for id in &group.ids {
            let refreshed = refresh_mod(&group.mods, id, search_paths, None);
            problems.extend(refreshed.err());
        }
    }
    output::write_problems(out.error_output(), &problems)
}

/// Writes the editor files of the author's own mods among those that a game was loaded with.
pub fn refresh_editor_files_of_run(
    vm: &Vm,
    mods: &ModSet,
    search_paths: &SearchPaths,
) -> Result<(), Problem> {
    let mut ids = mods.mods.iter().map(ModSource::id);
    ids.try_for_each(|id| refresh_mod(&mods.mods, id, search_paths, Some(vm)))
}

/// Writes the editor files of a mod, if it is one of the author's own. `vm` is a VM with all these
/// mods.
fn refresh_mod(
    all: &[ModSource],
    id: &str,
    search_paths: &SearchPaths,
    vm: Option<&Vm>,
) -> Result<(), Problem> {
    // A translation has no scripts.
    let has_scripts = |source: &&ModSource| source.id() == id && !source.manifest.is_translation();
    let source = all.iter().find(has_scripts);
    let Some(folder) = source.and_then(|source| own_mod_folder(source, search_paths)) else {
        return Ok(());
    };
    // The types of a mod do not depend on mods that it does not see.
    let needed = select_with_needed_mods(all, id);
    let is_all = needed.len() == all.len();
    let Ok(mods) = sort_into_load_order(needed) else { return Ok(()) };
    let unwritten = |why: io::Error| {
        let path = folder.display().to_string();
        let found = format!("the editor files of {path} cannot be written: {why}");
        Problem::warning(Code::NotWritten, found)
            .at(SourceLocation::new("", path, 0))
            .hint("make the folder writable; until then the editor keeps the old types")
    };
    write_changed_files(folder, &library_and_settings_files(&mods, id, folder))
        .map_err(unwritten)?;
    let stamp = types_stamp(&mods, id);
    let is_stamped = |text: String| text.starts_with(&stamp);
    if read_plain_file(&folder.join(types_path(&mods))).is_some_and(is_stamped)
        && folder.join(documentation_path(&mods)).exists()
    {
        return Ok(());
    }
    let files = match vm.filter(|_| is_all) {
        Some(vm) => type_files(vm, &mods, id),
        None => match Vm::load(&mods, &Value::map()) {
            Ok(vm) => type_files(&vm, &mods, id),
            // Until it loads for the first time, the types of what it needs.
            Err(_) if folder.join(types_path(&mods)).exists() => return Ok(()),
            Err(_) => types_without_mod(&mods, id).unwrap_or_default(),
        },
    };
    write_changed_files(folder, &files).map_err(unwritten)
}

/// The files that need no loaded content: libraries, plugin, settings.
fn library_and_settings_files(mods: &ModSet, id: &str, folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let libraries = required_libraries(mods, id);
    for library in &libraries {
        for (path, text) in library.files.iter().filter(|(path, _)| path.starts_with("lib/")) {
            // A path without an alias would lead from the folder of the file.
            let text = text.replace("require \"lib/", &format!("require \"@{}/lib/", library.id()));
            files.insert(format!("{EDITOR_FOLDER}/{}/{path}", library.id()), text);
        }
    }
    let aliases = libraries
        .iter()
        .map(|one| (one.id().to_owned(), format!("./{EDITOR_FOLDER}/{}", one.id())));
    let aliases: BTreeMap<String, String> =
        aliases.chain([(id.to_owned(), "./".to_owned())]).collect();
    let written = read_plain_file(&folder.join(LUAURC_FILE));
    if let Some(text) = luaurc::add_aliases(written.as_deref(), &aliases) {
        files.insert(LUAURC_FILE.to_owned(), text);
    }
    files.insert(PLUGIN_FILE.to_owned(), PLUGIN_TEXT.replace("{id}", id));
    // The author's own settings stay.
    if fs::symlink_metadata(folder.join(VSCODE_SETTINGS_FILE)).is_err() {
        files.insert(VSCODE_SETTINGS_FILE.to_owned(), vscode_settings(mods));
    }
    files
}

/// The mods whose `lib/` a mod can require.
fn required_libraries<'m>(mods: &'m ModSet, id: &str) -> Vec<&'m ModSource> {
    let Some(own) = mods.get(id) else { return Vec::new() };
    let needed = own.manifest.needed_mods.keys().filter_map(|needed| mods.get(needed));
    needed.filter(|one| one.files.keys().any(|path| path.starts_with("lib/"))).collect()
}

fn vscode_settings(mods: &ModSet) -> String {
    let settings = serde_json::json!({
        "luau-lsp.platform.type": "standard",
        "luau-lsp.types.definitionFiles": { mods.game().id(): types_path(mods) },
        "luau-lsp.types.documentationFiles": [documentation_path(mods)],
        "luau-lsp.plugins.enabled": true,
        "luau-lsp.plugins.paths": [PLUGIN_FILE],
        "luau-lsp.fflags.enableNewSolver": true,
        "luau-lsp.ignoreGlobs": [format!("{EDITOR_FOLDER}/**")],
    });
    let text = serde_json::to_string_pretty(&settings).expect("texts always have a JSON text");
    format!("{text}\n")
}

/// The path of the type declarations in the mod's folder.
fn types_path(mods: &ModSet) -> String {
    format!("{EDITOR_FOLDER}/{}.d.luau", mods.game().id())
}

fn documentation_path(mods: &ModSet) -> String {
    format!("{EDITOR_FOLDER}/{}.docs.json", mods.game().id())
}

/// The type declarations for a mod, under their stamp, and their docs.
fn type_files(vm: &Vm, mods: &ModSet, id: &str) -> BTreeMap<String, String> {
    let types = EditorTypes::for_mod(id, vm, mods);
    let declarations = format!("{}{}", types_stamp(mods, id), types.declarations);
    BTreeMap::from([
        (types_path(mods), declarations),
        (documentation_path(mods), types.documentation),
    ])
}

/// The files with the types of what a mod needs; `None` if that does not load either.
fn types_without_mod(mods: &ModSet, id: &str) -> Option<BTreeMap<String, String>> {
    let others = mods.mods.iter().filter(|source| source.id() != id);
    let others = sort_into_load_order(others.cloned().collect()).ok()?;
    let vm = Vm::load(&others, &Value::map()).ok()?;
    Some(type_files(&vm, &others, id))
}

/// The first line of the type declarations: it names everything that they are made from, so that
/// unchanged content need not be loaded.
fn types_stamp(mods: &ModSet, id: &str) -> String {
    let mut hasher = Hasher::new("editor types");
    hasher.feed_text(id).feed_text(script::LUAU_TYPES);
    for source in &mods.mods {
        hasher.feed_bytes(&source.digest.0);
    }
    let digest: Digest = hasher.finish();
    format!("-- For the mod {id}, from content {digest}, by version {}.\n", engine_version())
}

/// Writes the files whose text differs, and the folders they are in. A mod may be of another
/// person, so nothing is written through a link.
fn write_changed_files(folder: &Path, files: &BTreeMap<String, String>) -> io::Result<()> {
    for (path, text) in files {
        let file = folder.join(path);
        if read_plain_file(&file).is_some_and(|written| written == *text) {
            continue;
        }
        let inside = file.ancestors().take_while(|path| *path != folder);
        let is_special = |path: &&Path| {
            fs::symlink_metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
        };
        if let Some(special) = inside.into_iter().find(is_special) {
            let found = format!("{} is no plain file or folder", special.display());
            return Err(io::Error::other(found));
        }
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(file, text)?;
    }
    Ok(())
}

/// The text of a plain file; no link is followed, and nothing is awaited from a pipe.
fn read_plain_file(path: &Path) -> Option<String> {
    io::read_to_string(open_regular_file(path).ok()?).ok()
}
