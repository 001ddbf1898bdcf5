//! Export overrides. They are known only after loading, when files may already hold the original
//! function. So the mods are loaded a second time, with a stub for each overridden export that
//! looks up the current function. Other exports stay as they are and cost nothing.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use mlua::{Function, Lua, Table};

use crate::host::Host;
use base::{Code, Problem};
use content::{ChangeAction, Datum, EXPORT_KIND, FunctionRef, Registry};

const EXPORT_STUB_SOURCE: &str = "local now = ... return function(...) return now.run(...) end";

/// Exports that other mods change.
#[derive(Default)]
pub(crate) struct ExportOverrides {
    /// Their ids, from loading the same mods before.
    known_override_ids: BTreeSet<String>,
    /// The current function of each.
    current_functions: RefCell<BTreeMap<String, Table>>,
    /// Exports that are called while files load.
    builder_ids: RefCell<BTreeSet<String>>,
}

impl ExportOverrides {
    /// For these ids.
    pub(crate) fn new(ids: BTreeSet<String>) -> Self {
        Self { known_override_ids: ids, ..Self::default() }
    }

    /// Marks an export as a builder, which files call while they load.
    pub(crate) fn add_export_builder(&self, id: &str) {
        self.builder_ids.borrow_mut().insert(id.to_owned());
    }

    /// The changed exports, if some were not known before.
    pub(crate) fn new_override_ids(&self, registry: &Registry) -> Option<BTreeSet<String>> {
        let changed_exports =
            registry.all_definitions(EXPORT_KIND).filter(|export| !export.changes.is_empty());
        let ids: BTreeSet<String> = changed_exports.map(|export| export.id.to_string()).collect();
        (!ids.is_subset(&self.known_override_ids)).then_some(ids)
    }

    /// The Problems of changes that come too late.
    pub(crate) fn late_override_problems(&self, registry: &Registry) -> Vec<Problem> {
        let builders = self.builder_ids.borrow();
        let changed_exports = registry
            .all_definitions(EXPORT_KIND)
            .filter(|export| builders.contains(export.id.as_str()));
        let overrides = changed_exports
            .flat_map(|export| export.changes.iter().map(move |change| (export, change)));
        let late_override_problem =
            |(export, change): (&content::Definition, &content::ProvenanceRecord)| {
                let message =
                    format!("`{}` is called while files load, before this file", export.id.name());
                Problem::error(Code::WrappedBuilder, message)
                    .at(change.place.clone())
                    .expected("an export that is called only in play")
                    .hint("patch the definitions that were built with it")
                    .add_related_location(export.place.clone())
            };
        overrides
            .filter(|(_, change)| change.action != ChangeAction::Retired)
            .map(late_override_problem)
            .collect()
    }
}

impl Host {
    /// An export as other mods see it.
    pub(crate) fn wrap_shared_export(
        self: &Rc<Self>,
        lua: &Lua,
        id: &str,
        function: Function,
    ) -> mlua::Result<Function> {
        let place = self.place_of_function(&function);
        if !self.export_overrides.known_override_ids.contains(id) {
            return self.wrap_export_with_checks(lua, id, place, function);
        }
        let current_function = lua.create_table()?;
        current_function.raw_set("run", function)?;
        self.export_overrides
            .current_functions
            .borrow_mut()
            .insert(id.to_owned(), current_function.clone());
        let stub = lua.load(EXPORT_STUB_SOURCE).set_name("=[host]").call(current_function)?;
        self.wrap_export_with_checks(lua, id, place, stub)
    }

    /// After loading: sets each changed export to its final function.
    pub(crate) fn apply_export_overrides(self: &Rc<Self>, lua: &Lua) -> mlua::Result<()> {
        for (id, current_function) in self.export_overrides.current_functions.borrow().iter() {
            let export = self.registry().get(EXPORT_KIND, id);
            let run_and_place = export.and_then(|definition| {
                Some((definition.get("run")?.as_fn()?.clone(), &definition.place))
            });
            if let Some((run_function, declaration_place)) = run_and_place {
                let callable =
                    self.build_checked_callable(lua, &run_function, (id, declaration_place))?;
                current_function.set_readonly(false);
                current_function.raw_set("run", callable)?;
                current_function.set_readonly(true);
            }
        }
        Ok(())
    }
}

/// The data of an export's definition.
pub(crate) fn export_datum(function: FunctionRef) -> Datum {
    Datum::map_of([("run", Datum::Fn(Box::new(function)))])
}
