//! The state that all functions callable from scripts share, as one `Rc<Userdata>`. Parts that only
//! some functions need are separate: the call context (`CallContext`), the state of loading
//! (`LoadState`), and tables built on first use (`LazyTables`).

pub(crate) mod call_scope;
pub(crate) mod coverage;
pub(crate) mod declaration_cache;
pub(crate) mod disabled_set;
pub(crate) mod environment;
pub(crate) mod export_overrides;
pub(crate) mod filled_texts;
pub(crate) mod function_store;
pub(crate) mod handler_cache;
pub(crate) mod hook_table;
pub(crate) mod key_interner;
pub(crate) mod lazy_tables;
pub(crate) mod load_state;
pub(crate) mod mirror_states;
pub(crate) mod pending_declarations;
pub(crate) mod phase;
pub(crate) mod prelude;
pub(crate) mod script_sources;
pub(crate) mod step_trace;
pub(crate) mod text_overrides;
pub(crate) mod upvalues;
pub(crate) mod write_checks;

use mlua::ExternalError as _;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use mlua::{FromLua, Function, Lua, Table, WeakLua};

use crate::limits::allocation_checks;
use crate::limits::fuel::{self, Fuel};
use crate::limits::shared_budget::SharedBudget;
use base::{Problem, SourceLocation, Value, limits, meter};
use call_scope::CallScope;
use content::Registry;
use coverage::CoverageTrace;
use disabled_set::{DisabledSet, FailedHook, hook_id};
use environment::Environments;
use export_overrides::ExportOverrides;
use function_store::FunctionStore;
use hook_table::HookTable;
use lazy_tables::LazyTables;
use load_state::LoadState;
use luau::{CallError, ProtectedCaller, Stack, StackIndex};
use mirror_states::Mirrors;
use phase::{Availability, ExecutionMode};
use prelude::Prelude;
use protocol::WorldState;
use script_sources::ScriptSources;
use step_trace::StepTrace;
use write_checks::WriteChecks;

/// Maximum number of frames that are searched for the calling mod.
const MAX_CALLER_DEPTH: StackIndex = 64;

/// The data that the VM borrows for one call.
pub(crate) struct CallContext {
    /// The world; an empty one between calls.
    pub(crate) world: RefCell<WorldState>,
    /// The profile in the run's header.
    pub(crate) profile: RefCell<Value>,
    /// The hook that failed in this call.
    pub(crate) failed_hook: RefCell<Option<FailedHook>>,
}

impl Default for CallContext {
    fn default() -> Self {
        let profile = RefCell::new(Value::map());
        Self { world: RefCell::default(), profile, failed_hook: RefCell::default() }
    }
}

/// The state that all functions callable from scripts share.
pub(crate) struct Host {
    /// The host itself, for functions that are created for Luau.
    pub(crate) weak_self: Weak<Self>,
    /// The phase and the permit.
    pub(crate) execution_mode: ExecutionMode,
    /// The data that is borrowed for a call.
    pub(crate) call_context: CallContext,
    /// Data of one call.
    pub(crate) call_scope: CallScope,
    /// The mirrors of the state, which Luau reads without a call.
    pub(crate) mirrors: Mirrors,
    /// The fuel budget and accounts.
    pub(crate) fuel: Fuel,
    /// Settings by mod: a map of maps.
    pub(crate) settings: Value,
    /// Disabled hooks and mods.
    pub(crate) disabled_set: DisabledSet,
    /// The texts of all files, for the lines in Problems.
    pub(crate) sources: ScriptSources,
    /// The environments of the mods.
    pub(crate) environments: Environments,
    /// The exports that other mods change.
    pub(crate) export_overrides: ExportOverrides,
    /// Whether a file is being compiled; Luau then resolves names ahead of time.
    pub(crate) is_compiling: Cell<bool>,
    /// The state of loading.
    pub(crate) load_state: LoadState,
    /// The stored functions.
    pub(crate) function_store: RefCell<FunctionStore>,
    /// The loading state that the host shares with the prelude.
    pub(crate) prelude: Prelude,
    /// The functions with upvalues that were created while loading, by address.
    pub(crate) frozen_closures: RefCell<BTreeMap<usize, Function>>,
    /// The frozen registry; set when loading has ended.
    pub(crate) registry: OnceCell<Rc<Registry>>,
    /// The events with hooks; set when loading has ended.
    pub(crate) hook_table: HookTable,
    /// The tables that are built on first use.
    pub(crate) lazy_tables: LazyTables,
    /// Makes protected calls.
    pub(crate) protected_caller: ProtectedCaller,
    /// Coverage of play, if it is traced.
    pub(crate) coverage_trace: Option<CoverageTrace>,
    /// Whether strict mode is on: every write and event is type-checked.
    pub(crate) is_strict: Cell<bool>,
    pub(crate) write_checks: WriteChecks,
    pub(crate) step_trace: StepTrace,
    /// Whether calls of exports can be checked too; decided before files load.
    pub(crate) checks_export_calls: Cell<bool>,
    /// Whether a bot is being asked; then the state is its memory.
    pub(crate) is_bot_running: Cell<bool>,
    /// Whether a prompt, a view or a page is computed, which is shown in the player's language.
    pub(crate) is_displaying: Cell<bool>,
    /// Whether prompts are computed as they are written, for the journal.
    pub(crate) shows_source_texts: Cell<bool>,
    /// The budget that several calls share.
    pub(crate) shared_budget: SharedBudget,
    /// Host memory of earlier errors until garbage is collected, in bytes.
    pub(crate) uncollected_error_bytes: Cell<usize>,
    /// Whether memory ran out, so that the VM must be discarded.
    pub(crate) must_discard_vm: Cell<bool>,
    /// The long texts that files created while loading.
    pub(crate) long_texts: RefCell<Vec<allocation_checks::TextHashAndSize>>,
    /// The same, and texts of earlier calls that may still exist: such a text is not created again.
    pub(crate) leftover_long_texts: RefCell<Vec<allocation_checks::TextHashAndSize>>,
    /// Whether the VM has been used for play.
    pub(crate) was_used_for_play: Cell<bool>,
    /// Whether it had been used when the step began.
    pub(crate) was_used_before_step: Cell<bool>,
    lua: WeakLua,
}

impl Host {
    /// The host of a VM that is about to load.
    pub(crate) fn new(
        lua: &Lua,
        settings: Value,
        sources: ScriptSources,
        (environments, changed_exports): (Environments, ExportOverrides),
        disabled: DisabledSet,
        trace: Option<CoverageTrace>,
    ) -> Rc<Self> {
        Rc::new_cyclic(|weak_host| Self {
            weak_self: weak_host.clone(),
            execution_mode: ExecutionMode::default(),
            call_context: CallContext::default(),
            call_scope: CallScope::default(),
            mirrors: Mirrors::default(),
            fuel: Fuel::default(),
            settings,
            disabled_set: disabled,
            sources,
            environments,
            export_overrides: changed_exports,
            is_compiling: Cell::new(false),
            load_state: LoadState::default(),
            function_store: RefCell::default(),
            prelude: Prelude::default(),
            frozen_closures: RefCell::default(),
            long_texts: RefCell::default(),
            leftover_long_texts: RefCell::default(),
            was_used_for_play: Cell::new(false),
            was_used_before_step: Cell::new(false),
            registry: OnceCell::new(),
            hook_table: HookTable::default(),
            lazy_tables: LazyTables::default(),
            protected_caller: ProtectedCaller::default(),
            is_strict: Cell::new(false),
            write_checks: WriteChecks::default(),
            step_trace: StepTrace::default(),
            checks_export_calls: Cell::new(false),
            is_bot_running: Cell::new(false),
            is_displaying: Cell::new(false),
            shows_source_texts: Cell::new(false),
            coverage_trace: trace,
            shared_budget: SharedBudget::default(),
            uncollected_error_bytes: Cell::new(0),
            must_discard_vm: Cell::new(false),
            lua: lua.weak(),
        })
    }

    /// Refuses a function that is not available now. Every function for scripts begins with this.
    pub(crate) fn check_function_allowed(
        &self,
        availability: Availability,
        name: &str,
    ) -> Result<(), Problem> {
        self.execution_mode.check_function_allowed(availability, name)?;
        if availability != Availability::Loading {
            return Ok(());
        }
        // Declarations use host memory, not Lua's: fuel limits their number, a separate limit their
        // size.
        self.charge_fuel(limits::DECLARATION_COST_FUEL)?;
        fuel::declared_bytes_problem().map_or(Ok(()), Err)
    }

    /// Charges fuel, or reports that none is left.
    pub(crate) fn charge_fuel(&self, units: usize) -> Result<(), Problem> {
        if fuel::charge_fuel(units) { Ok(()) } else { Err(self.fuel.stop_problem()) }
    }

    /// Refuses to continue if the budget is spent or the host holds too much.
    pub(crate) fn check_fuel_budget(&self) -> Result<(), Problem> {
        if meter::is_fuel_exhausted() { Err(self.fuel.stop_problem()) } else { Ok(()) }
    }

    /// Adds the place of the calling script to a Problem without a place.
    #[cold]
    pub(crate) fn add_caller_location(&self, call_error: CallError) -> CallError {
        match call_error {
            CallError::ErrorOnStack => call_error,
            CallError::Error(error) => CallError::Error(self.add_error_place(error)),
        }
    }

    /// The same for an mlua error.
    pub(crate) fn add_error_place(&self, error: mlua::Error) -> mlua::Error {
        let unplaced_problem =
            error.downcast_ref::<Problem>().filter(|problem| problem.place.is_none());
        let Some(problem) = unplaced_problem else { return error };
        let caller = self.place_of_caller(&self.lua());
        Problem { place: (caller.line > 0).then_some(caller), ..problem.clone() }.into_lua_err()
    }

    /// The place of the calling script: mod, file, line and source line.
    pub(crate) fn place_of_caller(&self, lua: &Lua) -> SourceLocation {
        let caller = self.find_caller(lua);
        caller
            .and_then(|(chunk, line)| self.sources.source_location(&chunk, line))
            .unwrap_or_default()
    }

    /// The calling mod and its place in short form; both empty if no script called.
    pub(crate) fn caller_summary(&self, stack: Stack<'_>) -> (String, String) {
        let summary = stack.find_in_call_frames(MAX_CALLER_DEPTH, |chunk, line| {
            let chunk = chunk.to_string_lossy();
            let owner = self.sources.owner_of_chunk(&chunk)?;
            // Almost no path has characters that cannot be shown.
            let place_text = match line > 0 && chunk.bytes().all(|byte| byte.is_ascii_graphic()) {
                true => [&*chunk, ":", &line.to_string()].concat(),
                false => {
                    let file = chunk.split_once('/').map_or("", |(_, file)| file);
                    SourceLocation::new(owner, file, line).to_string()
                }
            };
            Some((owner.to_owned(), place_text))
        });
        summary.unwrap_or_default()
    }

    /// The id of the calling mod; empty if no script called.
    pub(crate) fn calling_mod(&self, lua: &Lua) -> String {
        let caller = self.find_caller(lua);
        let owner_of =
            |(chunk, _): (String, u32)| self.sources.owner_of_chunk(&chunk).map(str::to_owned);
        caller.and_then(owner_of).unwrap_or_default()
    }

    /// The chunk and the line of the calling mod's code.
    fn find_caller(&self, lua: &Lua) -> Option<(String, u32)> {
        let mut frame = None;
        let frame_mut = &mut frame;
        let walk_result = luau::call_with_stack::<()>(lua, (), |stack| {
            *frame_mut = stack.find_in_call_frames(MAX_CALLER_DEPTH, |chunk, line| {
                let chunk = chunk.to_string_lossy();
                self.sources.owner_of_chunk(&chunk).is_some().then(|| (chunk.into_owned(), line))
            });
        });
        walk_result.ok().and(frame)
    }

    pub(crate) fn lua(&self) -> Lua {
        self.lua.upgrade()
    }

    /// Reads a field of a plain table, with a cached key.
    pub(crate) fn read_field<V: FromLua>(
        &self,
        table: &Table,
        name: &'static str,
    ) -> mlua::Result<V> {
        if let Some(key) = self.lazy_tables.field_names.borrow().get(name) {
            return table.raw_get(key);
        }
        let key = self.lua().create_string(name)?;
        let value = table.raw_get(&key);
        self.lazy_tables.field_names.borrow_mut().insert(name, key);
        value
    }

    /// Records the hook that failed; of nested hooks the innermost.
    pub(crate) fn record_failed_hook(&self, place: &SourceLocation, event_name: &str) {
        let create_failed_hook = || FailedHook {
            owner: place.owner.clone(),
            hook: hook_id(place),
            event: event_name.to_owned(),
        };
        self.call_context.failed_hook.borrow_mut().get_or_insert_with(create_failed_hook);
    }

    /// The registry. It exists after loading; functions for play may rely on it.
    pub(crate) fn registry(&self) -> &Rc<Registry> {
        self.registry.get().expect("the registry exists after loading")
    }
}
