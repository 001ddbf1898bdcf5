//! The events with hooks, prepared when loading ends. Emitting an event then looks up only its
//! name, in a Lua table.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table};

use crate::limits::fuel_accounts::HookBudget;
use base::SourceLocation;
use content::Kind;
use luau::StackIndex;

/// An event with hooks.
pub(crate) struct EventHooks {
    pub(crate) name: Arc<str>,
    /// Its declaration, if there is one.
    pub(crate) declaration: Option<Rc<Kind>>,
    /// Whether it may have a list.
    pub(crate) has_list_fields: bool,
    /// Hooks that may change the event.
    pub(crate) before: Vec<RegisteredHook>,
    /// Hooks that see its final value.
    pub(crate) after: Vec<RegisteredHook>,
    /// The index of its first hook in the list of all hooks; `before` hooks come first.
    pub(crate) first_hook_index: StackIndex,
}

/// A hook on an event.
pub(crate) struct RegisteredHook {
    /// Where it was written.
    pub(crate) place: SourceLocation,
    /// The account of its mod.
    pub(crate) fuel_account: usize,
    /// Whether its changes of an event are checked against the declaration.
    pub(crate) is_strict: bool,
    /// The fuel that it has spent.
    pub(crate) budget: HookBudget,
    /// The id of its stored function.
    pub(crate) function_id: u64,
}

/// The hooks on one event, in mod order and then in order of declaration, as ids of stored
/// functions.
#[derive(Clone, Default)]
pub(crate) struct HookIds {
    /// Hooks that may change the event.
    pub(crate) before: Vec<u64>,
    /// Hooks that see its final value.
    pub(crate) after: Vec<u64>,
}

/// All events with hooks.
#[derive(Default)]
pub(crate) struct HookTable {
    events: OnceCell<Vec<EventHooks>>,
    table: OnceCell<Table>,
}

impl HookTable {
    /// The Lua table: under the name of an event its index, and as a list the hooks of all events.
    /// `false` stands for a function that is not loaded yet.
    pub(crate) fn lua_table(&self, lua: &Lua) -> mlua::Result<&Table> {
        if self.table.get().is_none() {
            let new_table = lua.create_table()?;
            assert!(self.table.set(new_table).is_ok(), "no other code creates it");
        }
        Ok(self.table.get().expect("created above"))
    }

    /// Sets the events and their hooks.
    pub(crate) fn set_events(&self, lua: &Lua, events: Vec<EventHooks>) -> mlua::Result<()> {
        assert!(self.events.set(events).is_ok(), "events are set once");
        // The list comes first, so that Luau stores it as an array.
        self.forget_functions(lua)?;
        let table = self.lua_table(lua)?;
        for (event_index, event_kind) in self.events.get().into_iter().flatten().enumerate() {
            table.raw_set(&*event_kind.name, event_index)?;
        }
        Ok(())
    }

    /// Empties the list of hooks: each is loaded when it is called.
    pub(crate) fn forget_functions(&self, lua: &Lua) -> mlua::Result<()> {
        let table = self.lua_table(lua)?;
        let events = self.events.get().map_or(&[][..], Vec::as_slice);
        let mut hooks = (1..).zip(events.iter().flat_map(EventHooks::hooks));
        hooks.try_for_each(|(hook_index, _)| table.raw_set(hook_index, false))
    }

    /// Whether an event has hooks. The events are in the order of their names.
    pub(crate) fn has_hooks(&self, name: &str) -> bool {
        let events = self.events.get().map_or(&[][..], Vec::as_slice);
        events.binary_search_by(|event| (*event.name).cmp(name)).is_ok()
    }

    /// The event with an index.
    pub(crate) fn event_hooks(&self, index: usize) -> &EventHooks {
        &self.events.get().expect("set when loading ends")[index]
    }
}

impl EventHooks {
    /// All hooks, in the order of the list.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &RegisteredHook> {
        self.before.iter().chain(&self.after)
    }
}
