//! Mods: what `mod.toml` says, where mods are found, and the order that they are loaded in. Reads
//! folders and the mods embedded in the program; runs no script and writes nothing.

mod archive;
mod choose;
mod discover;
mod embedded;
mod file_names;
mod file_set;
mod folder;
mod incremental_read;
mod manifest;
mod order;
mod package;
mod regular_file;
mod setting;
mod source;
mod template;
mod toml_reader;
mod unread_files;
mod versions;

pub use archive::pack_archive;
pub use choose::{choose_enabled_mods, explain_other_game, ids_with_dependencies};
pub use discover::{
    REPLACED_MOD_PREFIX, SearchPaths, discover_manifests, discover_mods, read_scripts,
};
pub use embedded::{
    EmbeddedFile, EmbeddedMods, find_bytecode, read_embedded_mods, read_embedded_mods_if_any,
    register_embedded,
};
pub use folder::read_folder;
pub use incremental_read::read_changed_scripts;
pub use manifest::{Manifest, engine_version};
pub use order::{ModSet, sort_into_load_order};
pub use package::{ModPackage, read_package, read_with_test_scripts, reread_mod};
pub use regular_file::{open_regular_file, open_regular_file_with};
pub use setting::{Setting, SettingType};
pub use source::{ModOrigin, ModSource, StoredModDiff};
pub use template::{TemplateFiles, read_templates};
pub use unread_files::unread_file_warnings;
