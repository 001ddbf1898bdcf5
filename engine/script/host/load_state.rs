//! What files declare while they are loaded.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::declaration_cache::{Declaration, DeferredFile};
use super::hook_table::HookIds;
use super::pending_declarations::PendingDeclarations;
use base::TextOverride;
use content::{DefinitionChange, Kind, StateSchemas};

/// Declarations of mods that are not definitions. The numbers are ids of stored functions.
#[derive(Default)]
pub(crate) struct Declarations {
    /// Hooks by the name of their event.
    pub(crate) hooks: BTreeMap<Arc<str>, Rc<HookIds>>,
    /// The schema of the state.
    pub(crate) schemas: StateSchemas,
    /// Text overrides, in mod order.
    pub(crate) text_overrides: Vec<Arc<TextOverride>>,
    /// The function given to `start`.
    pub(crate) start_function_id: Option<u64>,
    /// The game's own lints, in order.
    pub(crate) lint_function_ids: Vec<u64>,
    /// Migrations of the state: mod, version, function.
    pub(crate) migrations: Vec<(String, semver::Version, u64)>,
    /// Migrations of the profile: mod, version, function.
    pub(crate) profile_migrations: Vec<(String, semver::Version, u64)>,
}

/// The state of loading.
#[derive(Default)]
pub(crate) struct LoadState {
    /// Kinds declared so far, in order; emptied when loading ends.
    pub(crate) declared_kinds: RefCell<Vec<Kind>>,
    /// Declared events, in order, with their fields.
    pub(crate) declared_events: RefCell<Vec<Kind>>,
    /// Changes of definitions by the running file.
    pub(crate) definition_changes: RefCell<Vec<DefinitionChange>>,
    /// Other declarations of the running file.
    pub(crate) other_declarations: RefCell<Vec<Declaration>>,
    /// Whether the running file has side effects, that is, does more than declare.
    pub(crate) has_side_effects: Cell<bool>,
    /// Changes of earlier files that other files may still complete, by run; emptied when loading
    /// ends.
    pub(crate) completable_changes: RefCell<BTreeMap<u32, Vec<DefinitionChange>>>,
    /// Results of `require`, by chunk; `None` while the file runs.
    pub(crate) required_values: RefCell<BTreeMap<String, Option<mlua::Value>>>,
    /// Whether a file runs again only for its functions, and its declarations are ignored.
    pub(crate) is_function_rerun: Cell<bool>,
    /// The mods that have begun to load and have a table of their own in the profile.
    pub(crate) profile_owners: RefCell<Vec<String>>,
    /// The id of the game.
    pub(crate) game_id: RefCell<String>,
    /// Declarations that wait for their body.
    pub(crate) pending_declarations: PendingDeclarations,
    /// Files that have not run, by the run of their cached declarations.
    pub(crate) deferred_files: RefCell<BTreeMap<u32, DeferredFile>>,
    /// Declarations that are not definitions.
    pub(crate) all_declarations: RefCell<Declarations>,
}
