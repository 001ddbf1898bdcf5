//! The events with hooks, prepared when loading ends. Emitting an event then looks up only its
//! name, in a Lua table.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table};

use super::spenders::Purse;
use crate::content::Kind;
use crate::kit::Place;
use crate::luau::At;

/// An event with hooks.
pub(crate) struct Moment {
    pub(crate) name: Arc<str>,
    /// Its declaration, if there is one.
    pub(crate) declared: Option<Rc<Kind>>,
    /// Whether it may have a list.
    pub(crate) lists: bool,
    /// Hooks that may change the event.
    pub(crate) before: Vec<Hook>,
    /// Hooks that see its final value.
    pub(crate) after: Vec<Hook>,
    /// The index of its first hook in the list of all hooks; `before` hooks come first.
    pub(crate) first: At,
}

/// A hook on an event.
pub(crate) struct Hook {
    /// Where it was written.
    pub(crate) place: Place,
    /// The account of its mod.
    pub(crate) spender: usize,
    /// Whether its changes of an event are checked against the declaration.
    pub(crate) held: bool,
    /// What it has spent.
    pub(crate) purse: Purse,
    /// The id of its stored function.
    pub(crate) work: u64,
}

/// The hooks on one event, in mod order and then in order of declaration, as ids of stored
/// functions.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    /// Hooks that may change the event.
    pub(crate) before: Vec<u64>,
    /// Hooks that see its final value.
    pub(crate) after: Vec<u64>,
}

/// All events with hooks.
#[derive(Default)]
pub(crate) struct HookTable {
    list: OnceCell<Vec<Moment>>,
    table: OnceCell<Table>,
}

impl HookTable {
    /// The Lua table: under the name of an event its index, and as a list the hooks of all events.
    /// `false` stands for a function that is not loaded yet.
    pub(crate) fn table(&self, lua: &Lua) -> mlua::Result<&Table> {
        if self.table.get().is_none() {
            let made = lua.create_table()?;
            assert!(self.table.set(made).is_ok(), "no other code creates it");
        }
        Ok(self.table.get().expect("created above"))
    }

    /// Sets the events and their hooks.
    pub(crate) fn settle(&self, lua: &Lua, moments: Vec<Moment>) -> mlua::Result<()> {
        let table = self.table(lua)?;
        // The list comes first, so that Luau stores it as an array.
        for (at, _) in (1..).zip(moments.iter().flat_map(Moment::hooks)) {
            table.raw_set(at, false)?;
        }
        for (place, moment) in moments.iter().enumerate() {
            table.raw_set(&*moment.name, place)?;
        }
        assert!(self.list.set(moments).is_ok(), "events are set once");
        Ok(())
    }

    /// The event with an index.
    pub(crate) fn at(&self, place: usize) -> &Moment {
        &self.list.get().expect("set when loading ends")[place]
    }
}

impl Moment {
    /// All hooks, in the order of the list.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &Hook> {
        self.before.iter().chain(&self.after)
    }
}
