//! Resolves names in the source of a script without running it. The result is the same Problem that
//! running the line would give.

use mlua::Value;

use crate::diagnostics::missing_names;
use crate::from_lua::{rules, run_options, scenes};
use crate::load::definition_tables;
use crate::vm::{LUAU_LIBRARY, Vm};
use base::{Id, Problem, SourceLocation};

/// A use of a name in a script.
#[derive(Clone, Copy, Debug)]
pub enum NameUse<'t> {
    /// A global name: `say`.
    Global(&'t str),
    /// A global that is assigned.
    AssignedGlobal(&'t str),
    /// A name in a table: `math.abs`, `rules.fare`, `spell.cinder`.
    Member(&'t str, &'t str),
    /// An id passed to a function: the kind, the function, the id (`scene`, `go`, `room`).
    IdArgument(&'t str, &'t str, &'t str),
}

impl Vm {
    /// Whether a mod sees another mod's names: it is that mod, or needs it.
    pub fn can_see(&self, viewer: &str, owner: &str) -> bool {
        self.host().environments.can_see(viewer, owner)
    }

    /// What a global name, or a field of it, refers to in a mod: a function, a module or a library.
    pub fn describe_visible(&self, owner: &str, name: &str, field: Option<&str>) -> Option<String> {
        let environments = &self.host().environments;
        let Some(field) = field else {
            let is_function = |table: Option<mlua::Table>| {
                table.is_some_and(|table| matches!(table.raw_get(name), Ok(Value::Function(_))))
            };
            let exists = is_function(environments.globals_of_mod(owner))
                || is_function(environments.base_table().cloned());
            return exists.then(|| format!("the function `{name}`"));
        };
        if let Some((module_owner, names)) = environments.visible_module(owner, name) {
            let has_field = names.iter().any(|exported_name| exported_name == field);
            return has_field.then(|| format!("the module `{name}` of {module_owner}"));
        }
        let (_, library_names) = LUAU_LIBRARY.iter().find(|(library, _)| *library == name)?;
        library_names
            .split(' ')
            .any(|library_name| library_name == field)
            .then(|| format!("the library `{name}`"))
    }

    /// The Problem of a missing name in a file; `None` if it exists, or if only running can tell.
    pub fn missing_name_problem(
        &self,
        place: &SourceLocation,
        name_use: NameUse<'_>,
    ) -> Option<Problem> {
        let (host, owner) = (self.host(), place.owner.as_str());
        let globals = host.environments.globals_of_mod(owner)?;
        let problem = match name_use {
            NameUse::Global(name) | NameUse::Member(name, _)
                if globals.raw_get::<Value>(name).ok()?.is_nil() =>
            {
                missing_names::unknown_global_problem(name)
            }
            NameUse::Global(_) => return None,
            NameUse::AssignedGlobal(name) => missing_names::assigned_global_problem(name),
            NameUse::Member("rules", name) => {
                rules::resolve_rule_id(self.registry(), owner, name).err()?
            }
            NameUse::Member("options", name) => {
                run_options::missing_option_problem(self.registry(), name)?
            }
            NameUse::Member(kind, id) if self.registry().kind(kind).is_some() => {
                let (registry, full_id) = (self.registry(), Id::parse(id, owner).ok()?);
                if [id, full_id.as_str()].iter().any(|id| registry.get(kind, id).is_some()) {
                    return None;
                }
                definition_tables::unknown_definition_problem(kind, &full_id)
            }
            NameUse::Member(module, name) if host.environments.has_module(owner, module) => {
                let table: mlua::Table = globals.raw_get(module).ok()?;
                if !table.raw_get::<Value>(name).ok()?.is_nil() {
                    return None;
                }
                missing_names::not_exported_problem(host, owner, module, name)
            }
            NameUse::Member(library, name) => {
                LUAU_LIBRARY.iter().find(|(known_library, _)| *known_library == library)?;
                let table: mlua::Table = globals.raw_get(library).ok()?;
                if !table.raw_get::<Value>(name).ok()?.is_nil() {
                    return None;
                }
                missing_names::unknown_entry_problem(library, name)
            }
            NameUse::IdArgument(kind, function_name, id) => {
                scenes::resolve_definition_id(self.registry(), function_name, kind, owner, id)
                    .err()?
            }
        };
        Some(problem.at(place.clone()).explain(host))
    }
}
