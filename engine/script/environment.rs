//! The environment of each mod: its own names over the sealed base table. A mod sees the kinds and
//! exports of itself and of the mods that it needs. Environments are read-only.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, Lua, Table, Value};

use crate::base::{Code, Problem, SourceLocation, limits};
use crate::luau;
use crate::mods::ModSet;

/// A name that a mod shares with itself and with the mods that need it.
struct SharedName {
    owner: String,
    name: String,
    value: Value,
    place: SourceLocation,
}

impl SharedName {
    /// The first word that a script writes: the module, or the name itself.
    fn module_or_name(&self) -> &str {
        module_or_name(&self.name)
    }
}

fn module_or_name(name: &str) -> &str {
    name.split_once('.').map_or(name, |(module, _)| module)
}

/// The environments of all mods.
#[derive(Default)]
pub(crate) struct Environments {
    /// For each mod: itself, the mods that it needs, and theirs.
    visible_mods: BTreeMap<String, BTreeSet<String>>,
    /// The base table that all mods see.
    base: OnceCell<Table>,
    shared_names: RefCell<Vec<SharedName>>,
    /// Modules (tables of exports) by mod and name.
    modules: RefCell<BTreeMap<(String, String), Table>>,
    /// For each mod that has begun to load: the table of visible names, and its globals.
    tables: RefCell<BTreeMap<String, (Table, Table)>>,
}

impl Environments {
    /// The environments for a set of mods.
    pub(crate) fn new(mods: &ModSet) -> Self {
        let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in &mods.mods {
            let mut all = BTreeSet::from([source.id().to_owned()]);
            for id in source.manifest.needs.keys() {
                all.extend(seen.get(id).into_iter().flatten().cloned());
            }
            seen.insert(source.id().to_owned(), all);
        }
        Self { visible_mods: seen, ..Self::default() }
    }

    /// Sets the base table.
    pub(crate) fn set_base(&self, base: Table) {
        assert!(self.base.set(base).is_ok(), "the base is set once");
    }

    /// Whether a mod sees the names of another mod.
    pub(crate) fn can_see(&self, viewer: &str, owner: &str) -> bool {
        self.visible_mods.get(viewer).is_some_and(|seen| seen.contains(owner))
    }

    /// The mod that shares a name, whether it is visible or not.
    pub(crate) fn owner_of_shared_name(&self, name: &str) -> Option<String> {
        self.shared_names
            .borrow()
            .iter()
            .find(|given| given.name == name)
            .map(|given| given.owner.clone())
    }

    /// The shared names that a mod sees.
    pub(crate) fn visible_names(&self, viewer: &str) -> Vec<String> {
        let shared_names = self.shared_names.borrow();
        shared_names
            .iter()
            .filter(|g| self.can_see(viewer, &g.owner))
            .map(|g| g.name.clone())
            .collect()
    }

    /// Whether a mod sees a module of that name.
    pub(crate) fn has_module(&self, viewer: &str, module: &str) -> bool {
        let modules = self.modules.borrow();
        modules.keys().any(|(owner, name)| name == module && self.can_see(viewer, owner))
    }

    /// The names in a module that a mod sees, and the owner of the module.
    pub(crate) fn visible_module(
        &self,
        viewer: &str,
        module: &str,
    ) -> Option<(String, Vec<String>)> {
        let modules = self.modules.borrow();
        let seen =
            |(owner, name): &&(String, String)| name == module && self.can_see(viewer, owner);
        let (owner, _) = modules.keys().find(seen)?;
        let shared_names = self.shared_names.borrow();
        let own =
            shared_names.iter().filter(|one| one.owner == *owner && one.module_or_name() == module);
        let names = own.filter_map(|one| Some(one.name.split_once('.')?.1.to_owned()));
        Some((owner.clone(), names.collect()))
    }

    /// The base table, once it is set.
    pub(crate) fn base(&self) -> Option<&Table> {
        self.base.get()
    }

    /// All shared values.
    pub(crate) fn shared_values(&self) -> Vec<Value> {
        self.shared_names.borrow().iter().map(|given| given.value.clone()).collect()
    }

    /// The globals of a mod.
    pub(crate) fn globals(&self, owner: &str) -> Option<Table> {
        self.tables.borrow().get(owner).map(|(_, globals)| globals.clone())
    }

    /// Creates the environment of a mod that begins to load.
    pub(crate) fn create_environment(
        &self,
        lua: &Lua,
        owner: &str,
        settings: Table,
        refuse: Function,
    ) -> mlua::Result<()> {
        let names = lua.create_table()?;
        names.raw_set("settings", settings)?;
        let shared_names = self.shared_names.borrow();
        for given in shared_names.iter().filter(|g| self.can_see(owner, &g.owner)) {
            match self
                .modules
                .borrow()
                .get(&(given.owner.clone(), given.module_or_name().to_owned()))
            {
                Some(module) => names.raw_set(given.module_or_name(), module)?,
                None => names.raw_set(given.name.as_str(), &given.value)?,
            }
        }
        let below = lua.create_table()?;
        below.set("__index", self.base.get().expect("the base is there before any file runs"))?;
        below.set("__metatable", false)?;
        names.set_metatable(Some(below))?;

        let globals = lua.create_table()?;
        let meta = lua.create_table()?;
        meta.set("__index", &names)?;
        meta.set("__newindex", refuse)?;
        meta.set("__metatable", false)?;
        globals.set_metatable(Some(meta))?;
        globals.set_safeenv(true);
        self.tables.borrow_mut().insert(owner.to_owned(), (names, globals));
        Ok(())
    }

    /// Shares a name with the mod itself and the mods that need it. The Problem names the mod that
    /// already uses it. A name in a module, such as `fight.harm`, goes into its table; `make`
    /// creates a new module.
    pub(crate) fn share_name(
        &self,
        place: SourceLocation,
        name: &str,
        value: Value,
        make: impl FnOnce(&str) -> mlua::Result<Table>,
    ) -> mlua::Result<Option<Problem>> {
        let owner = place.owner.clone();
        let front = module_or_name(name);
        let taken = Problem::error(Code::NameTaken, format!("the name `{front}` is already used"));
        let base = self.base.get().expect("the base is there before any file runs");
        if !base.raw_get::<Value>(front)?.is_nil() {
            return Ok(Some(taken.expected("a name that the host does not use")));
        }
        let both = |other: &str| {
            self.visible_mods.values().any(|s| s.contains(&owner) && s.contains(other))
        };
        let others = self.shared_names.borrow();
        if others.iter().filter(|given| given.owner == owner).count() >= limits::NAMES_PER_MOD {
            let found = format!("`{owner}` shares `{name}` and too many other names");
            let most = format!("at most {} kinds and exports", limits::NAMES_PER_MOD);
            return Ok(Some(Problem::error(Code::TooMany, found).expected(most)));
        }
        // A module belongs to one mod, which may add several exports to it.
        let beside = |given: &SharedName| {
            given.owner == owner
                && given.name != name
                && given.name.contains('.')
                && name.contains('.')
        };
        let same = |given: &&SharedName| {
            given.module_or_name() == front && !beside(given) && both(&given.owner)
        };
        if let Some(first) = others.iter().find(same) {
            let what = if first.name.contains('.') { &first.name } else { "this one" };
            let whose = format!("another name: `{}` shared {what} first", first.owner);
            return Ok(Some(taken.expected(whose).add_related_location(first.place.clone())));
        }
        drop(others);
        let shared_value = match name.split_once('.') {
            None => value.clone(),
            Some((_, own)) => {
                let key = (owner.clone(), front.to_owned());
                let there = self.modules.borrow().get(&key).cloned();
                let module = there.map_or_else(|| make(front), Ok)?;
                module.set_readonly(false);
                module.raw_set(own, &value)?;
                module.set_readonly(true);
                self.modules.borrow_mut().insert(key, module.clone());
                Value::Table(module)
            }
        };
        for (viewer, (names, _)) in self.tables.borrow().iter() {
            if self.can_see(viewer, &owner) {
                names.raw_set(front, &shared_value)?;
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
    pub(crate) fn freeze(&self, lua: &Lua) -> mlua::Result<()> {
        for (names, globals) in self.tables.borrow().values() {
            luau::copy_missing_entries(lua, globals, names)?;
            if let Some(base) = self.base.get() {
                luau::copy_missing_entries(lua, globals, base)?;
            }
            names.set_readonly(true);
            globals.set_readonly(true);
        }
        Ok(())
    }
}
