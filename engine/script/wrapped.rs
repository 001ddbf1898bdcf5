//! Export overrides. They are known only after loading, when files may already hold the original
//! function. So the mods are loaded a second time, with a stub for each overridden export that
//! looks up the current function. Other exports stay as they are and cost nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, Lua, Table};

use super::host::Host;
use crate::content::{Datum, EXPORT, FnRef, Registry, What};
use crate::kit::Problem;

const STAND_IN: &str = "local now = ... return function(...) return now.run(...) end";

/// Exports that other mods change.
#[derive(Default)]
pub(crate) struct Wrapped {
    /// Their ids, from loading the same mods before.
    ids: BTreeSet<String>,
    /// The current function of each.
    now: RefCell<BTreeMap<String, Table>>,
    /// Exports that are called while files load.
    builders: RefCell<BTreeSet<String>>,
}

impl Wrapped {
    /// For these ids.
    pub(crate) fn new(ids: BTreeSet<String>) -> Self {
        Self { ids, ..Self::default() }
    }

    /// Marks an export as a builder, which files call while they load.
    pub(crate) fn is_builder(&self, id: &str) {
        self.builders.borrow_mut().insert(id.to_owned());
    }

    /// The changed exports, if some were not known before.
    pub(crate) fn unknown(&self, registry: &Registry) -> Option<BTreeSet<String>> {
        let changed = registry.every(EXPORT).filter(|one| !one.changes.is_empty());
        let ids: BTreeSet<String> = changed.map(|one| one.id.to_string()).collect();
        (!ids.is_subset(&self.ids)).then_some(ids)
    }

    /// The Problems of changes that come too late.
    pub(crate) fn too_late(&self, registry: &Registry) -> Vec<Problem> {
        let builders = self.builders.borrow();
        let changed = registry.every(EXPORT).filter(|one| builders.contains(one.id.as_str()));
        let each = changed.flat_map(|one| one.changes.iter().map(move |change| (one, change)));
        let problem = |(one, change): (&crate::content::Definition, &crate::content::Origin)| {
            let found = format!("`{}` is called while files load, before this file", one.id.name());
            Problem::error("wrapped-builder", found)
                .at(change.place.clone())
                .expected("an export that is called only in play")
                .hint("patch the definitions that were built with it")
                .by_way_of(one.place.clone())
        };
        each.filter(|(_, change)| change.what != What::Retired).map(problem).collect()
    }
}

impl Host {
    /// An export as other mods see it.
    pub(crate) fn as_seen(
        self: &Rc<Self>,
        lua: &Lua,
        id: &str,
        function: Function,
    ) -> mlua::Result<Function> {
        let place = self.place_of_function(&function);
        if !self.wrapped.ids.contains(id) {
            return self.held_export(lua, id, place, function);
        }
        let now = lua.create_table()?;
        now.raw_set("run", function)?;
        self.wrapped.now.borrow_mut().insert(id.to_owned(), now.clone());
        let stands_in = lua.load(STAND_IN).set_name("=[host]").call(now)?;
        self.held_export(lua, id, place, stands_in)
    }

    /// After loading: sets each changed export to its final function.
    pub(crate) fn settle_wrapped(self: &Rc<Self>, lua: &Lua) -> mlua::Result<()> {
        for (id, now) in self.wrapped.now.borrow().iter() {
            let export = self.registry().get(EXPORT, id);
            let run = export.and_then(|one| Some((one.get("run")?.as_fn()?.clone(), &one.place)));
            if let Some((run, declared)) = run {
                let whole = self.callable_as(lua, &run, (id, declared))?;
                now.set_readonly(false);
                now.raw_set("run", whole)?;
                now.set_readonly(true);
            }
        }
        Ok(())
    }
}

/// The data of an export's definition.
pub(crate) fn declared(function: FnRef) -> Datum {
    Datum::of([("run", Datum::Fn(Box::new(function)))])
}
