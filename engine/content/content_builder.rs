//! The content builder: collects everything that mods declare until it is checked and frozen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::builtin_kinds;
use super::definition_change::DefinitionChange;
use super::file_declarations::FileDeclarations;
use super::registry::Registry;
use super::registry_assembler::assemble_registry;
use super::schema::Kind;
use super::source_files::SourceFiles;
use base::Problem;

/// For each mod all mods that come before it: those that it needs or comes after, transitively.
pub type DependencyMap = BTreeMap<String, BTreeSet<String>>;

/// The declarations of all mods, before they are checked and frozen.
#[derive(Clone, Debug)]
pub struct ContentBuilder {
    pub(super) kinds: Vec<Kind>,
    pub(super) file_declarations: Vec<Arc<FileDeclarations>>,
    pub(super) changes: Vec<DefinitionChange>,
    pub(super) sources: SourceFiles,
}

impl Default for ContentBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ContentBuilder {
    /// Creates a builder with the host's own kinds.
    pub fn new() -> Self {
        Self {
            kinds: builtin_kinds::builtin_kinds(),
            file_declarations: Vec::new(),
            changes: Vec::new(),
            sources: SourceFiles::default(),
        }
    }

    /// Sets the texts of all files, so that Problems can show a line and locate a field in it.
    pub fn set_sources(&mut self, sources: SourceFiles) {
        self.sources = sources;
    }

    /// Adds a kind that a mod declares.
    pub fn add_kind(&mut self, kind: Kind) {
        self.kinds.push(kind);
    }

    /// Adds a change of a definition.
    pub fn add_change(&mut self, change: DefinitionChange) {
        self.changes.push(change);
    }

    /// Adds all declarations of one file.
    pub fn add_file_declarations(&mut self, part: Arc<FileDeclarations>) {
        self.file_declarations.push(part);
    }

    /// All kinds declared so far, the host's own first, without the kind of exports.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.kinds.iter().filter(|kind| &*kind.name != builtin_kinds::EXPORT_KIND)
    }

    /// Checks everything and freezes it. `order` is the load order of the mods. The order of
    /// additions does not matter, except within one line of one file. A registry is returned if and
    /// only if no Problem is an error; warnings come with it.
    pub fn build_registry(
        self,
        order: &[String],
        dependencies: &DependencyMap,
    ) -> (Option<Registry>, Vec<Problem>) {
        assemble_registry(self, order, dependencies)
    }
}
