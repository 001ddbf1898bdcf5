//! Mods: what `mod.toml` says, where mods are found, and the order that they are loaded in. Reads
//! folders and the mods embedded in the program; runs no script and writes nothing.

mod again;
mod archive;
mod choose;
mod discover;
mod embedded;
mod folder;
mod manifest;
mod order;
mod overlooked;
mod package;
mod page;
mod plain_file;
mod setting;
mod shelf;
mod source;
mod template;
mod versions;

pub use again::read_changed;
pub use archive::to_archive;
pub use choose::{choose, made_for_other, with_needs};
pub use discover::{PUT_ASIDE, Places, discover, discover_manifests, read_scripts};
pub use embedded::{BuiltFile, Carried, compiled, embedded, embedded_if_any, hand_over};
pub use folder::read_folder;
pub use manifest::{Manifest, engine_version};
pub use order::{ModSet, load_order};
pub use overlooked::overlooked;
pub use package::{Package, read_again, read_package, with_tests};
pub use plain_file::{open_plain, open_plain_as};
pub use setting::{Setting, SettingType};
pub use source::{ModSource, Origin, StoredChange};
pub use template::{Template, templates};
