//! A draft: what the mods have said so far, before it is checked and frozen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::assemble::assemble;
use super::builtin;
use super::change::Change;
use super::part::Part;
use super::registry::Registry;
use super::schema::Kind;
use super::sources::Sources;
use crate::kit::Problem;

/// Which mods stand behind each mod: those it needs or comes after, and those behind them.
pub type Behind = BTreeMap<String, BTreeSet<String>>;

/// What the mods have said, before it is checked and frozen.
#[derive(Clone, Debug)]
pub struct Draft {
    pub(super) kinds: Vec<Kind>,
    pub(super) parts: Vec<Arc<Part>>,
    pub(super) changes: Vec<Change>,
    pub(super) sources: Sources,
}

impl Default for Draft {
    fn default() -> Self {
        Self::new()
    }
}

impl Draft {
    /// A draft that holds the host's own kinds.
    pub fn new() -> Self {
        Self {
            kinds: builtin::kinds(),
            parts: Vec::new(),
            changes: Vec::new(),
            sources: Sources::default(),
        }
    }

    /// The texts of all files, so that Problems can show the line and find the field in it.
    pub fn set_sources(&mut self, sources: Sources) {
        self.sources = sources;
    }

    /// A kind that a mod declares.
    pub fn add_kind(&mut self, kind: Kind) {
        self.kinds.push(kind);
    }

    /// Something that a mod says about a definition.
    pub fn add(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Everything that one file says about definitions.
    pub fn add_part(&mut self, part: Arc<Part>) {
        self.parts.push(part);
    }

    /// All kinds declared so far, the host's own first, but for that of exports.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| &*kind.name != builtin::EXPORT)
    }

    /// Checks everything and freezes it. `order` are the mods in load order. It does not matter in
    /// what order things were added, but for those of one line of one file. There is a registry
    /// exactly if no Problem is an error; warnings come beside it.
    pub fn build(self, order: &[String], behind: &Behind) -> (Option<Registry>, Vec<Problem>) {
        assemble(self, order, behind)
    }
}
