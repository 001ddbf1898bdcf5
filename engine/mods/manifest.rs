//! The manifest: what a mod says of itself in `mod.toml`.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};

use crate::kit::{Problem, Value};

/// What a mod says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Its id: unique, and the prefix of the ids of its definitions.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// Versions of this program that it was made for.
    pub engine: VersionReq,
    /// Mods that must be there, and in which versions; they are loaded before.
    pub needs: BTreeMap<String, VersionReq>,
    /// Mods that are loaded before if they are there.
    pub after: Vec<String>,
    /// Mods that it cannot be loaded together with.
    pub clashes: Vec<String>,
    /// Whether it brings a whole ruleset.
    pub game: bool,
    /// What a player may set for it.
    pub settings: BTreeMap<String, Setting>,
    /// Who made it.
    pub author: Option<String>,
    /// What it is, in a line or two.
    pub description: Option<String>,
    /// The licence it comes under.
    pub licence: Option<String>,
}

/// Something that a player may set for a mod.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// What it holds.
    pub ty: SettingType,
    /// What it is until it is set.
    pub default: Value,
    /// Its name for people; empty for the bare name.
    pub label: String,
    /// What it does.
    pub doc: String,
}

/// What a setting holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// True or false.
    Boolean,
    /// A whole number within bounds; both ends belong to it.
    Integer {
        /// The least.
        min: i64,
        /// The most.
        max: i64,
    },
    /// A line of text.
    Text,
    /// One of a few texts.
    OneOf(Vec<String>),
}

/// The version of this program.
pub fn engine_version() -> Version {
    Version::parse(env!("CARGO_PKG_VERSION")).expect("Cargo takes only versions of this form")
}

impl Manifest {
    /// Reads the text of a `mod.toml`. `owner` is what the mod is called as long as its id is not
    /// known: the name of its folder.
    pub fn parse(owner: &str, text: &str) -> Result<Self, Vec<Problem>> {
        let _ = text;
        Err(vec![Problem::error("bad-manifest", format!("{owner}/mod.toml cannot be read yet"))])
    }
}
