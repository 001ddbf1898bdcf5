//! Tables and values that are built on first use and live as long as the VM.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::{AnyUserData, LuaString, Table};

use super::handler_cache::HandlerCache;
use super::key_interner::KeyInterner;
use protocol::choice_group::ChoiceGroup;

/// The handle of a kind.
pub(crate) struct KindHandle {
    pub(crate) kind: Arc<str>,
    /// The userdata that scripts hold.
    pub(crate) handle: AnyUserData,
    /// The definitions that Luau finds without a call, by full id.
    pub(crate) definitions_by_id: Table,
}

/// The tables of a kind's definitions that were read so far: frozen, with callable functions.
#[derive(Default)]
pub(crate) struct KindTables {
    /// By full id.
    pub(crate) tables_by_id: BTreeMap<Arc<str>, Table>,
    /// The definitions that are not retired, as a list in order; created on first use.
    pub(crate) definition_list: Option<Table>,
}

/// Tables and values that are built on first use.
#[derive(Default)]
pub(crate) struct LazyTables {
    /// The handlers that play asks for at each step.
    pub(crate) handlers: HandlerCache,
    /// The definitions that scripts have read so far, by kind. One session reads only a small part
    /// of a game.
    pub(crate) definition_tables: RefCell<BTreeMap<Arc<str>, KindTables>>,
    /// The handles of the kinds.
    pub(crate) kind_handles: RefCell<Vec<KindHandle>>,
    /// The groups of choices.
    pub(crate) choice_groups: OnceCell<Vec<Arc<ChoiceGroup>>>,
    /// The rules that Luau finds without a call, by name.
    pub(crate) rule_table: OnceCell<Table>,
    /// Keys of tables that were read before.
    pub(crate) key_interner: KeyInterner,
    /// Lua texts for the field names that the host reads.
    pub(super) field_names: RefCell<BTreeMap<&'static str, LuaString>>,
    /// The memory of all these, in bytes.
    pub(crate) memory_bytes: Cell<usize>,
}
