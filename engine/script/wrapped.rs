//! Exports that other mods put functions around. Which those are is known once everything has loaded, and
//! then files may hold the plain functions already: so the mods are loaded once more, and each such export
//! is a function that looks up what it has become. All others stay what they were written as, and cost
//! nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, Lua, Table};

use super::host::Host;
use crate::content::{Datum, EXPORT, FnRef, Registry, What};
use crate::kit::Problem;

const STAND_IN: &str = "local now = ... return function(...) return now.run(...) end";

/// Exports that are changed by other mods.
#[derive(Default)]
pub(crate) struct Wrapped {
    /// Their ids, as they are known from loading the same mods before.
    ids: BTreeSet<String>,
    /// What each has become.
    now: RefCell<BTreeMap<String, Table>>,
    /// Exports that are called while files load.
    builders: RefCell<BTreeSet<String>>,
}

impl Wrapped {
    /// Of these ids.
    pub(crate) fn new(ids: BTreeSet<String>) -> Self {
        Self { ids, ..Self::default() }
    }

    /// An export is one that files call while they load.
    pub(crate) fn is_builder(&self, id: &str) {
        self.builders.borrow_mut().insert(id.to_owned());
    }

    /// The exports that are changed and were not known to be; none if all were.
    pub(crate) fn unknown(&self, registry: &Registry) -> Option<BTreeSet<String>> {
        let changed = registry.every(EXPORT).filter(|one| !one.changes.is_empty());
        let ids: BTreeSet<String> = changed.map(|one| one.id.to_string()).collect();
        (!ids.is_subset(&self.ids)).then_some(ids)
    }

    /// What is changed too late to be seen.
    pub(crate) fn too_late(&self, registry: &Registry) -> Vec<Problem> {
        let builders = self.builders.borrow();
        let changed = registry.every(EXPORT).filter(|one| builders.contains(one.id.as_str()));
        let each = changed.flat_map(|one| one.changes.iter().map(move |change| (one, change)));
        let problem = |(one, change): (&crate::content::Definition, &crate::content::Origin)| {
            let found = format!(
                "`{}` is called while files are loaded, by those before this one",
                one.id.name()
            );
            Problem::error("wrapped-builder", found)
                .at(change.place.clone())
                .expected("an export that is called in play")
                .hint("patch the definitions that were built with it")
                .by_way_of(one.place.clone())
        };
        each.filter(|(_, change)| change.what != What::Retired).map(problem).collect()
    }
}

impl Host {
    /// An export as others see it.
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

    /// Everything is known: each changed export becomes what it is changed to.
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

/// What an export is declared with.
pub(crate) fn declared(function: FnRef) -> Datum {
    Datum::of([("run", Datum::Fn(Box::new(function)))])
}
