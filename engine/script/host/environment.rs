//! The environment of each mod: its own names over the sealed base table. A mod sees the kinds and
//! exports of itself and of the mods that it needs. Environments are read-only.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, Lua, Table, Value};

use base::{Code, Problem, SourceLocation, limits};
use content::HOST_MOD_ID;
use mods::ModSet;

/// The names under which each mod has a value of its own. They are not in the base table: Luau would
/// take the value there, whatever the environment of the function has.
const OWN_NAMES: [&str; 2] = ["profile", "settings"];

/// A name that a mod shares with itself and with the mods that need it.
struct SharedName {
    owner: String,
    name: String,
    value: Value,
    place: SourceLocation,
}

impl SharedName {
    /// The first word that a script writes: the module, or the name itself.
    fn top_level_name(&self) -> &str {
        top_level_name(&self.name)
    }
}

fn top_level_name(name: &str) -> &str {
    name.split_once('.').map_or(name, |(module, _)| module)
}

/// The environments of all mods.
#[derive(Default)]
pub(crate) struct Environments {
    /// For each mod: itself, the mods that it needs, and theirs.
    visible_mods: BTreeMap<String, BTreeSet<String>>,
    /// The base table that all mods see.
    base_table: OnceCell<Table>,
    shared_names: RefCell<Vec<SharedName>>,
    /// Modules (tables of exports) by mod and name.
    modules: RefCell<BTreeMap<(String, String), Table>>,
    /// For each mod that has begun to load: the table of visible names, and its globals.
    visible_names_and_globals: RefCell<BTreeMap<String, (Table, Table)>>,
}

impl Environments {
    /// The environments for a set of mods.
    pub(crate) fn new(mods: &ModSet) -> Self {
        let mut visible_by_mod: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in &mods.mods {
            let mut visible_ids = BTreeSet::from([source.id().to_owned()]);
            for id in source.manifest.needed_mods.keys() {
                visible_ids.extend(visible_by_mod.get(id).into_iter().flatten().cloned());
            }
            visible_by_mod.insert(source.id().to_owned(), visible_ids);
        }
        Self { visible_mods: visible_by_mod, ..Self::default() }
    }

    /// Sets the base table.
    pub(crate) fn set_base_table(&self, base: Table) {
        assert!(self.base_table.set(base).is_ok(), "the base is set once");
    }

    /// Whether a mod sees the names of another mod, or of the host.
    pub(crate) fn can_see(&self, viewer: &str, owner: &str) -> bool {
        owner == HOST_MOD_ID
            || self.visible_mods.get(viewer).is_some_and(|visible_ids| visible_ids.contains(owner))
    }

    /// The mod that shares a name, whether it is visible or not.
    pub(crate) fn owner_of_shared_name(&self, name: &str) -> Option<String> {
        self.shared_names
            .borrow()
            .iter()
            .find(|shared_name| shared_name.name == name)
            .map(|shared_name| shared_name.owner.clone())
    }

    /// The shared names that a mod sees.
    pub(crate) fn visible_names(&self, viewer: &str) -> Vec<String> {
        let shared_names = self.shared_names.borrow();
        shared_names
            .iter()
            .filter(|shared_name| self.can_see(viewer, &shared_name.owner))
            .map(|shared_name| shared_name.name.clone())
            .collect()
    }

    /// Whether a mod sees a value under a name, such as `roll` or `fight.harm`.
    pub(crate) fn has_visible_value(&self, viewer: &str, name: &str) -> bool {
        let is_there =
            |table: &Table, name: &str| table.raw_get(name).is_ok_and(|it: Value| !it.is_nil());
        let in_base = |table: &Table| match name.split_once('.') {
            Some((library, name)) => {
                table.raw_get(library).is_ok_and(|inner: Table| is_there(&inner, name))
            }
            None => is_there(table, name),
        };
        self.base_table.get().is_some_and(in_base)
            || self.shared_names.borrow().iter().any(|shared_name| {
                shared_name.name == name && self.can_see(viewer, &shared_name.owner)
            })
    }

    /// Whether a mod sees a module of that name.
    pub(crate) fn has_module(&self, viewer: &str, module: &str) -> bool {
        self.owner_of_visible_module(viewer, module).is_some()
    }

    /// The owner of a module that a mod sees.
    pub(crate) fn owner_of_visible_module(&self, viewer: &str, module: &str) -> Option<String> {
        let modules = self.modules.borrow();
        let is_visible_module =
            |(owner, name): &&(String, String)| name == module && self.can_see(viewer, owner);
        modules.keys().find(is_visible_module).map(|(owner, _)| owner.clone())
    }

    /// The names in a module that a mod sees, and the owner of the module.
    pub(crate) fn visible_module(
        &self,
        viewer: &str,
        module: &str,
    ) -> Option<(String, Vec<String>)> {
        let owner = self.owner_of_visible_module(viewer, module)?;
        let shared_names = self.shared_names.borrow();
        let module_entries = shared_names.iter().filter(|shared_name| {
            shared_name.owner == owner && shared_name.top_level_name() == module
        });
        let names = module_entries
            .filter_map(|shared_name| Some(shared_name.name.split_once('.')?.1.to_owned()));
        let names = names.collect();
        Some((owner, names))
    }

    /// The base table, once it is set.
    pub(crate) fn base_table(&self) -> Option<&Table> {
        self.base_table.get()
    }

    /// All shared values.
    pub(crate) fn shared_values(&self) -> Vec<Value> {
        self.shared_names.borrow().iter().map(|shared_name| shared_name.value.clone()).collect()
    }

    /// The globals of a mod.
    pub(crate) fn globals_of_mod(&self, owner: &str) -> Option<Table> {
        self.visible_names_and_globals.borrow().get(owner).map(|(_, globals)| globals.clone())
    }

    /// Creates the environment of a mod that begins to load.
    pub(crate) fn create_environment(
        &self,
        lua: &Lua,
        owner: &str,
        (settings, profile): (Table, Value),
        write_refuser: Function,
    ) -> mlua::Result<()> {
        let name_table = lua.create_table()?;
        name_table.raw_set("settings", settings)?;
        name_table.raw_set("profile", profile)?;
        let shared_names = self.shared_names.borrow();
        for shared_name in
            shared_names.iter().filter(|candidate| self.can_see(owner, &candidate.owner))
        {
            match self
                .modules
                .borrow()
                .get(&(shared_name.owner.clone(), shared_name.top_level_name().to_owned()))
            {
                Some(module) => name_table.raw_set(shared_name.top_level_name(), module)?,
                None => name_table.raw_set(shared_name.name.as_str(), &shared_name.value)?,
            }
        }
        let base_metatable = lua.create_table()?;
        base_metatable.set(
            "__index",
            self.base_table.get().expect("the base is there before any file runs"),
        )?;
        base_metatable.set("__metatable", false)?;
        name_table.set_metatable(Some(base_metatable))?;

        let globals = lua.create_table()?;
        let globals_metatable = lua.create_table()?;
        globals_metatable.set("__index", &name_table)?;
        globals_metatable.set("__newindex", write_refuser)?;
        globals_metatable.set("__metatable", false)?;
        globals.set_metatable(Some(globals_metatable))?;
        globals.set_safeenv(true);
        self.visible_names_and_globals.borrow_mut().insert(owner.to_owned(), (name_table, globals));
        Ok(())
    }

    /// Shares a name with the mod itself and the mods that need it. The Problem names the mod that
    /// already uses it. A name in a module, such as `fight.harm`, goes into its table;
    /// `create_module` creates a new module.
    pub(crate) fn share_name(
        &self,
        place: SourceLocation,
        name: &str,
        value: Value,
        create_module: impl FnOnce(&str) -> mlua::Result<Table>,
    ) -> mlua::Result<Option<Problem>> {
        let owner = place.owner.clone();
        let top_level_name = top_level_name(name);
        let name_taken_problem = |name: &str| {
            Problem::error(Code::NameTaken, format!("the name `{name}` is already used"))
        };
        let base = self.base_table.get().expect("the base is there before any file runs");
        let is_own_name = OWN_NAMES.contains(&top_level_name);
        if is_own_name || !base.raw_get::<Value>(top_level_name)?.is_nil() {
            let problem = name_taken_problem(top_level_name);
            return Ok(Some(problem.expected("a name that the host does not use")));
        }
        let is_visible_to_both = |other_owner: &str| {
            self.visible_mods.values().any(|visible_ids| {
                visible_ids.contains(&owner) && visible_ids.contains(other_owner)
            })
        };
        let shared_names = self.shared_names.borrow();
        if shared_names.iter().filter(|shared_name| shared_name.owner == owner).count()
            >= limits::MAX_DECLARED_NAMES_PER_MOD
        {
            let message = format!("`{owner}` shares `{name}` and too many other names");
            let expected =
                format!("at most {} kinds and exports", limits::MAX_DECLARED_NAMES_PER_MOD);
            return Ok(Some(Problem::error(Code::TooMany, message).expected(expected)));
        }
        // A module belongs to one mod, which may add several exports to it.
        let is_in_same_module = |shared_name: &SharedName| {
            shared_name.owner == owner
                && shared_name.name != name
                && shared_name.name.contains('.')
                && name.contains('.')
        };
        let is_conflict = |shared_name: &&SharedName| {
            shared_name.top_level_name() == top_level_name
                && !is_in_same_module(shared_name)
                && is_visible_to_both(&shared_name.owner)
        };
        if let Some(conflicting_name) = shared_names.iter().find(is_conflict) {
            let conflict_text =
                if conflicting_name.name.contains('.') && conflicting_name.name != name {
                    &conflicting_name.name
                } else {
                    "this one"
                };
            let expected_text =
                format!("another name: `{}` shared {conflict_text} first", conflicting_name.owner);
            // A name in a module is taken by itself, or by a module of another mod.
            let taken = if conflicting_name.name == name { name } else { top_level_name };
            return Ok(Some(
                name_taken_problem(taken)
                    .expected(expected_text)
                    .add_related_location(conflicting_name.place.clone()),
            ));
        }
        drop(shared_names);
        let shared_value = match name.split_once('.') {
            None => value.clone(),
            Some((_, name_in_module)) => {
                let key = (owner.clone(), top_level_name.to_owned());
                let existing_module = self.modules.borrow().get(&key).cloned();
                let module = existing_module.map_or_else(|| create_module(top_level_name), Ok)?;
                module.set_readonly(false);
                module.raw_set(name_in_module, &value)?;
                module.set_readonly(true);
                self.modules.borrow_mut().insert(key, module.clone());
                Value::Table(module)
            }
        };
        for (viewer, (name_table, _)) in self.visible_names_and_globals.borrow().iter() {
            if self.can_see(viewer, &owner) {
                name_table.raw_set(top_level_name, &shared_value)?;
            }
        }
        self.shared_names.borrow_mut().push(SharedName {
            owner,
            name: name.to_owned(),
            value,
            place,
        });
        Ok(None)
    }

    /// Ends loading: no name is shared any more. From here on all visible names are in the globals
    /// themselves, so that each is found in one lookup.
    pub(crate) fn freeze_visible_names(&self, lua: &Lua) -> mlua::Result<()> {
        for (name_table, globals) in self.visible_names_and_globals.borrow().values() {
            luau::copy_missing_entries(lua, globals, name_table)?;
            if let Some(base) = self.base_table.get() {
                luau::copy_missing_entries(lua, globals, base)?;
            }
            name_table.set_readonly(true);
            globals.set_readonly(true);
        }
        Ok(())
    }
}
