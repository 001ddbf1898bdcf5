//! The VM: sealed, loaded from a set of mods, discarded and rebuilt at any time. Between calls it
//! holds nothing that cannot be rebuilt from the mods.

pub(crate) mod function_doc;
pub(crate) mod name_resolution;
pub(crate) mod strict_mode;
mod vm_coverage;
mod vm_step_trace;
pub(crate) mod wrong_writes;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::OnceLock;

use mlua::{Lua, Table, Value as LuaValue};

use crate::diagnostics::error;
use crate::from_lua::host_fn::{HostFn, HostFnRegistry};
use crate::host::Host;
use crate::host::coverage::CoverageTrace;
use crate::host::disabled_set::{DisabledSet, FailedHook, hook_id};
use crate::host::environment::Environments;
use crate::host::export_overrides::ExportOverrides;
use crate::host::phase::{Permit, Phase};
use crate::host::script_sources::ScriptSources;
use crate::limits::fuel;
use crate::limits::fuel::FuelByMod;
use crate::limits::shared_budget::SharedBudgetGuard;
use crate::limits::{allocation_checks, interrupt};
use crate::load::sandbox;
use crate::{from_lua, load};
use base::{Problem, SourceLocation, TextOverride, Value, limits, meter};
use content::{Kind, Registry, StateSchemas};
use mods::ModSet;
use protocol::WorldState;

/// Settings of mods: a map from mod id to a map of values. A missing value has the default of the
/// manifest.
pub type ModSettings = Value;

/// A hook on an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookInfo {
    /// The name of the event.
    pub event: String,
    /// Whether it runs before and may change the event, or after and sees its final value.
    pub is_before: bool,
    /// The place of the function.
    pub place: SourceLocation,
}

/// The names of Luau's library that are available. Their types are Luau's.
pub const LUAU_LIBRARY: &[(&str, &str)] = &[
    (
        "",
        "assert bit32 debug error getmetatable ipairs math next pairs pcall rawequal rawget rawlen rawset select setmetatable string table tonumber tostring type typeof unpack utf8 xpcall",
    ),
    (
        "bit32",
        "arshift band bnot bor btest bxor byteswap countlz countrz extract lrotate lshift replace rrotate rshift",
    ),
    ("debug", "traceback"),
    ("math", "abs ceil clamp floor fmod huge max min modf pi round sign sqrt"),
    ("string", "byte char find format gmatch gsub len lower match rep reverse split sub upper"),
    ("table", "clear clone concat create find freeze insert isfrozen move pack remove sort unpack"),
    ("utf8", "char charpattern codepoint codes len offset"),
];

/// The Luau types that signatures refer to.
pub const LUAU_TYPES: &str = include_str!("types.luau");

/// Registers the host functions of all topics.
fn register_host_functions(lua: &Lua, host: &Rc<Host>, names: &Table) -> mlua::Result<Vec<HostFn>> {
    luau::register_empty_userdata(lua)?;
    let mut api = HostFnRegistry::new(lua, host, names)?;
    from_lua::register(&mut api)?;
    Ok(api.into_functions())
}

/// The host's own names, without kinds and without Luau's library.
pub fn host_functions() -> &'static [HostFn] {
    static HOST_FUNCTIONS: OnceLock<Vec<HostFn>> = OnceLock::new();
    HOST_FUNCTIONS.get_or_init(list_host_functions)
}

fn list_host_functions() -> Vec<HostFn> {
    let environments = (Environments::default(), ExportOverrides::default());
    let disabled = DisabledSet::default();
    let lua = Lua::new();
    let host =
        Host::new(&lua, Value::map(), ScriptSources::default(), environments, disabled, None);
    let register = |names| register_host_functions(&lua, &host, &names);
    lua.create_table().and_then(register).expect("the host functions are ours, and need no mod")
}

/// How a VM is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Whether it records coverage.
    pub traces_coverage: bool,
    /// Whether every file runs, without the declaration cache.
    pub ignores_cache: bool,
    /// Whether strict mode is on: writes, events, arguments and results are type-checked.
    pub is_strict: bool,
}

/// A sealed VM with the registry of its mods.
pub struct Vm {
    lua: Lua,
    host: Rc<Host>,
    warnings: Vec<Problem>,
    /// Memory in use when loading ended, in bytes.
    baseline_memory: usize,
    /// Whether every file has run, without the declaration cache.
    is_uncached: bool,
}

impl Vm {
    /// Loads all mods into a new VM.
    pub fn load(mods: &ModSet, settings: &ModSettings) -> Result<Self, Vec<Problem>> {
        Self::load_with_options(mods, settings, &DisabledSet::default(), LoadOptions::default())
    }

    /// Loads all mods into a new VM in strict mode.
    pub fn load_strict(mods: &ModSet, settings: &ModSettings) -> Result<Self, Vec<Problem>> {
        let options = LoadOptions { is_strict: true, ..LoadOptions::default() };
        Self::load_with_options(mods, settings, &DisabledSet::default(), options)
    }

    /// Loads all mods into a new VM and runs every file, without the declaration cache. The result
    /// is the same; tests compare the two.
    pub fn load_uncached(mods: &ModSet, settings: &ModSettings) -> Result<Self, Vec<Problem>> {
        let options = LoadOptions { ignores_cache: true, ..LoadOptions::default() };
        Self::load_with_options(mods, settings, &DisabledSet::default(), options)
    }

    /// Loads all mods into a new VM in strict mode with coverage, for `explore`.
    pub fn load_traced(mods: &ModSet, settings: &ModSettings) -> Result<Self, Vec<Problem>> {
        let options = LoadOptions { traces_coverage: true, ignores_cache: true, is_strict: true };
        Self::load_with_options(mods, settings, &DisabledSet::default(), options)
    }

    /// Loads mods with disabled hooks and mods and with options. Loads them a second time if it
    /// turns out that later mods change exports.
    pub fn load_with_options(
        mods: &ModSet,
        settings: &ModSettings,
        disabled: &DisabledSet,
        options: LoadOptions,
    ) -> Result<Self, Vec<Problem>> {
        let build = |ids| Self::load_with_known_overrides(mods, settings, disabled, options, ids);
        let vm = build(BTreeSet::new())?;
        match vm.host.export_overrides.new_override_ids(vm.registry()) {
            None => Ok(vm),
            Some(override_ids) => build(override_ids),
        }
    }

    fn load_with_known_overrides(
        mods: &ModSet,
        settings: &ModSettings,
        disabled: &DisabledSet,
        options: LoadOptions,
        override_ids: BTreeSet<String>,
    ) -> Result<Self, Vec<Problem>> {
        let mut sources = ScriptSources::default();
        for source in &mods.mods {
            for (path, text) in &source.files {
                sources.0.add_file(source.id(), path, text.clone());
            }
        }
        let environments = (Environments::new(mods), ExportOverrides::new(override_ids));
        let (lua, trace) = (Lua::new(), options.traces_coverage.then(CoverageTrace::default));
        let host =
            Host::new(&lua, settings.clone(), sources, environments, disabled.clone(), trace);
        host.checks_export_calls.set(options.is_strict);
        host.set_strict(options.is_strict);
        let prepare_lua = || -> mlua::Result<()> {
            lua.gc_stop();
            lua.set_memory_limit(limits::VM_STOP_BYTES)?;
            let host_names = lua.create_table()?;
            register_host_functions(&lua, &host, &host_names)?;
            sandbox::seal_vm(&lua, &host, &host_names)?;
            interrupt::install_interrupt(&lua)
        };
        prepare_lua().map_err(|error| vec![error::lua_error_to_problem(&host, &error)])?;
        let warnings = load::load_mods(&lua, &host, mods, options.ignores_cache)?;
        let baseline_memory = lua.used_memory();
        Ok(Self { lua, host, warnings, baseline_memory, is_uncached: options.ignores_cache })
    }

    /// Begins a step of one or more calls. In a used VM, a call near a limit is left undecided
    /// (`is_last_call_inconclusive`).
    pub fn begin_step(&self) {
        let is_used = self.host.was_used_for_play.get() || !self.is_uncached;
        self.host.was_used_before_step.set(is_used);
        self.host.write_checks.forget_incomplete_writes();
    }

    /// Whether the last call failed for a reason that might not occur in a new VM.
    pub fn is_last_call_inconclusive(&self) -> bool {
        let is_doubtful = self.host.must_discard_vm.get() || fuel::is_stop_inconclusive();
        self.host.was_used_before_step.get() && is_doubtful
    }

    /// All definitions of the mods.
    pub fn registry(&self) -> &Registry {
        self.host.registry()
    }

    /// The same, for owners that outlive the VM.
    pub fn shared_registry(&self) -> Rc<Registry> {
        self.host.registry().clone()
    }

    /// The source texts of the mods.
    pub fn sources(&self) -> &content::SourceFiles {
        &self.host.sources
    }

    /// Warnings for the authors of the mods.
    pub fn load_warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// The names that every mod sees, and the entries of Luau's libraries: `say`, `math`,
    /// `math.abs`, sorted.
    pub fn base_table_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let Some(base) = self.host.environments.base_table() else { return names };
        for (name, value) in base.pairs::<String, LuaValue>().filter_map(Result::ok) {
            if let LuaValue::Table(library) = &value {
                let entries = library.pairs::<String, LuaValue>().filter_map(Result::ok);
                names.extend(entries.map(|(entry_name, _)| format!("{name}.{entry_name}")));
            }
            names.push(name);
        }
        names.sort();
        names
    }

    /// The declared events, by name, each with its fields.
    pub fn declared_events(&self) -> Vec<Kind> {
        let mut events = self.host.load_state.declared_events.borrow().clone();
        events.sort_by(|a, b| a.name.cmp(&b.name));
        events
    }

    /// The schema of the state.
    pub fn state_schemas(&self) -> StateSchemas {
        self.host.load_state.all_declarations.borrow().schemas.clone()
    }

    /// The text overrides, in mod order.
    pub fn text_overrides(&self) -> Vec<Arc<TextOverride>> {
        self.host.declared_text_overrides()
    }

    /// The hooks on each event, in the order of their calls.
    pub fn registered_hooks(&self) -> Vec<HookInfo> {
        let declarations = self.host.load_state.all_declarations.borrow();
        let mut hook_infos = Vec::new();
        for (event_name, hooks) in &declarations.hooks {
            for (runs_before, list) in [(true, &hooks.before), (false, &hooks.after)] {
                hook_infos.extend(list.iter().map(|id| HookInfo {
                    event: event_name.to_string(),
                    is_before: runs_before,
                    place: self.host.place_of_stored_function(*id),
                }));
            }
        }
        hook_infos
    }

    /// Whether the VM may be used again. After memory has run out it must be rebuilt.
    pub fn is_usable(&self) -> bool {
        !self.host.must_discard_vm.get()
    }

    /// Lets the following calls share one budget until the guard is dropped: each gets an equal
    /// part in any case, and a quarter of what is left. Inside another shared budget, that one
    /// stays.
    #[must_use = "the budget is shared while this exists"]
    pub fn share_budget(&self, call_count: usize) -> SharedBudgetGuard<'_> {
        self.host.shared_budget.begin_shared_budget(call_count)
    }

    /// The fuel that each mod spent in the last call, largest first.
    pub fn fuel_by_mod(&self) -> FuelByMod {
        self.host.fuel.spent_by_mod()
    }

    /// The state that all functions for scripts share.
    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// The hook that failed in the last call, if one did.
    pub fn failed_hook(&self) -> Option<FailedHook> {
        self.host.call_context.failed_hook.borrow().clone()
    }

    /// Adds the failed hook to the trail, if it is not named already.
    fn add_failed_hook_to_trail(&self, mut problem: Problem) -> Problem {
        let Some(failed_hook) = self.failed_hook() else { return problem };
        let is_in_hook = |place: &SourceLocation| {
            let file_prefix = format!("{}:", place.file);
            place.owner == failed_hook.owner && failed_hook.hook.starts_with(&file_prefix)
        };
        if !problem.place.iter().chain(&problem.related_locations).any(is_in_hook) {
            let functions = self.host.function_store.borrow();
            let is_at_hook = |place: &&SourceLocation| {
                place.owner == failed_hook.owner && hook_id(place) == failed_hook.hook
            };
            let place = functions.iter().map(|function| &*function.place).find(is_at_hook);
            problem.related_locations.extend(place.cloned());
        }
        problem
    }

    /// Lends the world to the VM for one call, with full fuel and memory, and always returns it.
    /// Nothing is rolled back here.
    pub(crate) fn call_with_world<R>(
        &self,
        world: &mut WorldState,
        profile: &Value,
        permit: Permit,
        work: impl FnOnce(&Lua, &Rc<Host>) -> mlua::Result<R>,
    ) -> Result<R, Problem> {
        let host = &self.host;
        let call_result = self.prepare_memory().and_then(|()| host.begin_mirrors(&self.lua, world));
        let call_number = call_result.map_err(|error| error::lua_error_to_problem(host, &error))?;
        std::mem::swap(world, &mut *host.call_context.world.borrow_mut());
        if *host.call_context.profile.borrow() != *profile {
            host.call_context.profile.replace(profile.clone());
        }
        host.execution_mode.phase.set(Phase::Playing);
        host.execution_mode.permit.set(permit);
        let is_displaying = permit != Permit::ReadWrite && !host.shows_source_texts.get();
        host.is_displaying.set(is_displaying);
        host.was_used_for_play.set(true);
        let budget = host.shared_budget.budget_of_next_call();
        host.fuel.fill_budget(budget, self.lua.used_memory(), host.limit_policy());
        meter::set_host_bytes_limit(limits::MAX_HOST_BYTES_PER_STEP);
        allocation_checks::add_existing_long_texts(&host.existing_long_texts());
        host.call_context.failed_hook.take();
        host.call_scope.begin_call(call_number);
        let result = work(&self.lua, host);
        host.shared_budget.subtract_units(budget - fuel::remaining_units().max(0));
        host.uncollected_error_bytes
            .set(host.uncollected_error_bytes.get().saturating_add(meter::counted_host_bytes()));
        host.call_scope.end_call();
        allocation_checks::check_new_texts();
        host.leftover_long_texts.replace(allocation_checks::long_texts());
        luau::clear_watched_blocks();
        host.execution_mode.phase.set(Phase::Idle);
        std::mem::swap(world, &mut *host.call_context.world.borrow_mut());
        let outcome = match result {
            Ok(_) if host.fuel.is_spent() => {
                Err(self.add_failed_hook_to_trail(error::fuel_problem(host)))
            }
            Ok(result) => {
                // A game that caught the error of a hook does not need it.
                host.call_context.failed_hook.take();
                Ok(result)
            }
            Err(error) => {
                Err(self.add_failed_hook_to_trail(error::lua_error_to_problem(host, &error)))
            }
        };
        // Long hash chains would slow down later calls.
        if allocation_checks::is_hash_chain_too_long() {
            host.must_discard_vm.set(true);
        }
        outcome
    }

    /// Prepares memory for a call: always the same amount, whatever earlier calls left behind.
    fn prepare_memory(&self) -> mlua::Result<()> {
        let used_bytes = self.lua.used_memory();
        if self.host.call_scope.has_too_many_proxies() {
            self.host.drop_mirrors(&self.lua)?;
            self.host.call_scope.clear_proxies();
        }
        let error_bytes = self.host.uncollected_error_bytes.get();
        let needed_bytes = self.baseline_memory + self.host.lazy_tables.memory_bytes.get();
        if used_bytes + error_bytes > needed_bytes + limits::MAX_GARBAGE_BYTES {
            luau::collect_garbage(&self.lua)?;
            self.host.leftover_long_texts.take();
            self.host.uncollected_error_bytes.set(0);
        }
        self.lua.set_memory_limit(self.lua.used_memory() + limits::VM_STOP_BYTES)?;
        Ok(())
    }
}
