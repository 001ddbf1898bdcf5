//! Definitions as scripts read them: one frozen table each, functions ready to be called, made
//! when it is wanted for the first time. Most of a game is not wanted in one sitting.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::Table;

/// The definitions that were wanted so far.
#[derive(Default)]
pub(crate) struct DefinitionTables {
    /// By kind.
    pub(crate) kinds: RefCell<BTreeMap<Arc<str>, KindTables>>,
}

/// The definitions of one kind that were wanted so far.
#[derive(Default)]
pub(crate) struct KindTables {
    /// By whole id.
    pub(crate) by_id: BTreeMap<Arc<str>, Table>,
    /// Those that are not retired, as a list in order, once someone has asked for it.
    pub(crate) list: Option<Table>,
}
