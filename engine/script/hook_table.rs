//! The moments that hooks hang on, in the order that play finds them in: settled once loading has
//! ended, so that announcing one looks nothing up but its name, and that in a table of Lua.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table};

use super::spenders::Purse;
use crate::content::Kind;
use crate::kit::Place;
use crate::luau::At;

/// A moment that hooks hang on.
pub(crate) struct Moment {
    pub(crate) name: Arc<str>,
    /// What it is declared to carry, if it is declared.
    pub(crate) declared: Option<Rc<Kind>>,
    /// Whether a list may be among that.
    pub(crate) lists: bool,
    /// Those that may change the event.
    pub(crate) before: Vec<Hook>,
    /// Those that see its final value.
    pub(crate) after: Vec<Hook>,
    /// Where its hooks begin in the list of all, the `before` ones first.
    pub(crate) first: At,
}

/// A hook on a moment.
pub(crate) struct Hook {
    /// Where it was written.
    pub(crate) place: Place,
    /// Its mod, as one who spends fuel.
    pub(crate) spender: usize,
    /// Whether what it puts into an event is held to what the moment declares.
    pub(crate) held: bool,
    /// What it has spent.
    pub(crate) purse: Purse,
    /// The number of the kept function.
    pub(crate) work: u64,
}

/// The hooks on one moment, in mod order and then in the order they were declared in. The numbers
/// are those of kept functions.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    /// Those that may change the event.
    pub(crate) before: Vec<u64>,
    /// Those that see its final value.
    pub(crate) after: Vec<u64>,
}

/// All moments that hooks hang on.
#[derive(Default)]
pub(crate) struct HookTable {
    list: OnceCell<Vec<Moment>>,
    table: OnceCell<Table>,
}

impl HookTable {
    /// The table of them: under the name of a moment its place among all, and as a list the hooks of all
    /// moments. Where a function is not at hand yet, `false` stands for it.
    pub(crate) fn table(&self, lua: &Lua) -> mlua::Result<&Table> {
        if self.table.get().is_none() {
            let made = lua.create_table()?;
            assert!(self.table.set(made).is_ok(), "nobody made one meanwhile");
        }
        Ok(self.table.get().expect("it was made above"))
    }

    /// Settles which hooks hang on which moment.
    pub(crate) fn settle(&self, lua: &Lua, moments: Vec<Moment>) -> mlua::Result<()> {
        let table = self.table(lua)?;
        // The list first: so Luau makes it one.
        for (at, _) in (1..).zip(moments.iter().flat_map(Moment::hooks)) {
            table.raw_set(at, false)?;
        }
        for (place, moment) in moments.iter().enumerate() {
            table.raw_set(&*moment.name, place)?;
        }
        assert!(self.list.set(moments).is_ok(), "moments are settled once");
        Ok(())
    }

    /// A moment, by its place among all.
    pub(crate) fn at(&self, place: usize) -> &Moment {
        &self.list.get().expect("it is settled when loading ends")[place]
    }
}

impl Moment {
    /// All hooks, in the order of the list.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.before.iter().chain(&self.after)
    }
}
