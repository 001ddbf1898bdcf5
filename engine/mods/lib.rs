//! Mods: what `mod.toml` says, where mods are found, and the order that they are loaded in. Reads
//! folders and the mods embedded in the program; runs no script and writes nothing.

mod archive;
mod discover;
mod embedded;
mod file_names;
mod file_set;
mod incremental_read;
mod language_files;
mod load_order;
mod manifest;
mod mod_folder;
mod mod_package;
mod mod_selection;
mod mod_source;
mod regular_file;
mod setting;
mod template;
mod toml_reader;
mod translations;
mod unread_files;
mod version_ranges;

pub use archive::pack_archive;
pub use discover::{
    REPLACED_MOD_PREFIX, SearchPaths, discover_manifests, discover_mods, read_scripts,
};
pub use embedded::{
    EmbeddedFile, EmbeddedMods, embedded_licences, find_bytecode, is_embedded_mod,
    read_embedded_mods, read_embedded_mods_if_any, register_embedded,
};
pub use incremental_read::read_changed_scripts;
pub use language_files::{language_of_file, translation_path};
pub use load_order::{ModSet, sort_into_load_order, sort_stored_mods};
pub use manifest::{Manifest, engine_version};
pub use mod_folder::{TESTS_FOLDER, read_folder};
pub use mod_package::{ModPackage, read_package, read_with_test_scripts, reread_mod};
pub use mod_selection::{choose_enabled_mods, explain_other_game, ids_with_dependencies};
pub use mod_source::{ModOrigin, ModSource, StoredModDiff};
pub use regular_file::{open_regular_file, open_regular_file_with};
pub use setting::{Setting, SettingType};
pub use template::{TemplateFiles, read_templates};
pub use translations::{available_languages, find_translation_mods, read_translation};
pub use unread_files::unread_file_warnings;
