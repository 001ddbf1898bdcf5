//! The VM: sealed, loaded from a set of mods, thrown away and rebuilt at will. Between calls it
//! holds nothing that cannot be rebuilt from the mods.

use std::rc::Rc;

use mlua::Lua;

use super::fuel::Spent;
use super::host::{Host, Permit, Phase};
use super::sources::Sources;
use super::{fault, from_lua, raw, sandbox};
use crate::content::Registry;
use crate::kit::{Problem, Value, limits};
use crate::mods::ModSet;
use crate::play::World;

/// Settings of mods: a map from a mod's id to a map of what is set. What is missing is as the
/// mod's manifest has it.
pub type Settings = Value;

/// A sealed VM with the registry that its mods declared.
pub struct Vm {
    lua: Lua,
    host: Rc<Host>,
    registry: Rc<Registry>,
    warnings: Vec<Problem>,
}

impl Vm {
    /// Loads all mods into a new VM.
    pub fn load(mods: &ModSet, settings: &Settings) -> Result<Self, Vec<Problem>> {
        let mut sources = Sources::default();
        for source in &mods.mods {
            for (path, text) in &source.files {
                sources.add(source.id(), path, text.clone());
            }
        }
        let host = Host::new(settings.clone(), sources);
        let lua = Lua::new();
        let built = || -> mlua::Result<()> {
            lua.set_memory_limit(limits::VM_MEMORY)?;
            let base = lua.globals();
            from_lua::declare(&lua, &host, &base)?;
            sandbox::seal(&lua, &host)?;
            raw::count_fuel(&lua)
        };
        built().map_err(|error| vec![fault::problem(&host, &error)])?;
        let registry = Rc::new(Registry::default());
        Ok(Self { lua, host, registry, warnings: Vec::new() })
    }

    /// Everything that the mods declared.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What the authors of the mods will want to know.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Whether the VM may be used again. After memory has run out it may not: it is rebuilt.
    pub fn usable(&self) -> bool {
        !self.host.spoiled.get()
    }

    /// The fuel that each mod spent in the last call, largest first.
    pub fn spent(&self) -> Spent {
        self.host.fuel.spent()
    }

    /// Lends the world to the VM for one call, with a full budget of fuel and memory, and gives it
    /// back whatever happens. Nothing is rolled back here.
    pub(crate) fn enter<R>(
        &self,
        world: &mut World,
        profile: &Value,
        permit: Permit,
        work: impl FnOnce(&Lua, &Rc<Host>) -> mlua::Result<R>,
    ) -> Result<R, Problem> {
        let host = &self.host;
        std::mem::swap(world, &mut *host.world.borrow_mut());
        if *host.profile.borrow() != *profile {
            host.profile.replace(profile.clone());
        }
        host.phase.set(Phase::Playing);
        host.permit.set(permit);
        host.fuel.fill(limits::FUEL_PER_STEP);
        host.turn.begin();
        let result = work(&self.lua, host);
        host.turn.end();
        host.phase.set(Phase::Between);
        std::mem::swap(world, &mut *host.world.borrow_mut());
        let result = result.map_err(|error| fault::problem(host, &error));
        // Garbage is collected here and nowhere else, so that memory runs out at the same place
        // every time.
        if self.lua.gc_collect().is_err() {
            host.spoiled.set(true);
        }
        if host.fuel.is_spent() && result.is_ok() {
            return Err(host.fuel.problem());
        }
        result
    }
}
