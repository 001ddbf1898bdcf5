//! Stored functions of scripts, and how the host calls them. If the file of a function has not run
//! yet, it runs on first use.

use mlua::ExternalError as _;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua, Value};

use super::compile_mod_file::compile_mod_file;
use super::freeze_values;
use super::function_call_checker::FunctionCallChecker;
use super::function_wrappers::WrapperPosition;
use crate::host::Host;
use crate::host::declaration_cache::{CachedFileRun, DeferredFile};
use crate::host::function_store::{ScriptFunction, file_run_of_function, index_in_file_run};
use crate::host::phase::Phase;
use crate::limits::fuel;
use base::{Code, Problem, SourceLocation, limits, meter};
use content::FunctionRef;

/// A wrapper around a function. If the wrapper returns nothing, or fewer values than the inner
/// function, it is reported at once. Otherwise the missing value would fail later, usually in
/// another mod.
const WRAPPER_LUAU_SOURCE: &str = "
local outer, inner, lost = ...
local gave, least = 0, 0
local function note(...)
  gave = select('#', ...)
  least = gave
  while least > 1 and (select(least, ...)) == nil do
    least -= 1
  end
  return ...
end
local function noted(...)
  return note(inner(...))
end
local function look(gave_before, least_before, ...)
  local given = select('#', ...)
  local of, needed = gave, least
  gave, least = gave_before, least_before
  if of > 0 and given == 0 or given < needed then
    lost(given, needed)
  end
  return ...
end
return function(...)
  local gave_before, least_before = gave, least
  gave, least = 0, 0
  return look(gave_before, least_before, outer(noted, ...))
end
";

/// The Problem of a wrapper that returns nothing, or fewer values than the inner function.
fn lost_results_problem(
    original_place: &SourceLocation,
    wrapper_place: &SourceLocation,
    returned_count: usize,
    needed_count: usize,
) -> Problem {
    let returned_text = if returned_count == 0 {
        "nothing".to_owned()
    } else {
        format!("{returned_count} of {needed_count} results")
    };
    let message = format!(
        "the wrapper of `{}` around a function of `{}` returned {returned_text}",
        wrapper_place.owner, original_place.owner
    );
    let expected = match needed_count {
        0 | 1 => "a result, because the original function returned one".to_owned(),
        count => format!("{count} results, as many as the original function returned"),
    };
    let code = if returned_count == 0 { Code::WrapReturnsNothing } else { Code::WrapReturnsLess };
    Problem::error(code, message)
        .at(wrapper_place.clone())
        .expected(expected)
        .hint("return the result of the original: `return original(…)`")
        .add_related_location(original_place.clone())
}

impl Host {
    /// Stores the cached declarations of a file. The file runs when it is needed.
    pub(crate) fn store_deferred_file(
        &self,
        cached_file: Arc<CachedFileRun>,
        owner: &str,
        path: &str,
    ) {
        let (owner, path) = (owner.to_owned(), path.to_owned());
        self.load_state.deferred_files.borrow_mut().insert(
            cached_file.run_number,
            DeferredFile { cached_declarations: cached_file, owner, path },
        );
    }

    /// A stored function. If its file has not run yet, it runs now.
    pub(crate) fn stored_function(&self, id: u64) -> mlua::Result<ScriptFunction> {
        if let Some(script_function) = self.function_store.borrow().get(id) {
            return Ok(script_function.clone());
        }
        self.run_deferred_file(file_run_of_function(id))?;
        let functions = self.function_store.borrow();
        Ok(functions.get(id).expect("a file creates the same functions each time").clone())
    }

    /// The place of a stored function.
    pub(crate) fn place_of_stored_function(&self, id: u64) -> SourceLocation {
        if let Some(script_function) = self.function_store.borrow().get(id) {
            return SourceLocation::clone(&script_function.place);
        }
        let deferred_files = self.load_state.deferred_files.borrow();
        let place = deferred_files
            .get(&file_run_of_function(id))
            .and_then(|file| file.cached_declarations.function_places.get(index_in_file_run(id)));
        place.cloned().unwrap_or_default()
    }

    /// Runs a file whose declarations came from the cache, for its functions only; its declarations
    /// are ignored. The cost is not charged to the step, because another VM may have run the file
    /// earlier.
    fn run_deferred_file(&self, file_run: u32) -> mlua::Result<()> {
        let Some(deferred_file) = self.load_state.deferred_files.borrow_mut().remove(&file_run)
        else {
            unreachable!("a function is stored, or its file is deferred");
        };
        let lua = self.lua();
        self.run_without_accounting(&lua, || {
            let phase = self.execution_mode.phase.replace(Phase::Loading);
            self.prelude.set_loading(true)?;
            let (changes, declarations) = (
                self.load_state.definition_changes.take(),
                self.load_state.other_declarations.take(),
            );
            let all_declarations = self.load_state.all_declarations.take();
            self.load_state.is_function_rerun.set(true);
            let previous_run = self.function_store.borrow_mut().replace_current_file_run(file_run);
            let outcome = compile_mod_file(&lua, self, &deferred_file.owner, &deferred_file.path)
                .and_then(|file| self.prelude.run_file(file))
                .and_then(|()| self.freeze_file_functions(&lua, file_run));
            self.function_store.borrow_mut().replace_current_file_run(previous_run);
            self.load_state.is_function_rerun.set(false);
            self.load_state.all_declarations.replace(all_declarations);
            self.load_state.other_declarations.replace(declarations);
            self.load_state.definition_changes.replace(changes);
            self.execution_mode.phase.set(phase);
            self.prelude.set_loading(phase == Phase::Loading)?;
            if outcome.is_err() {
                self.function_store.borrow_mut().remove_file_run(file_run);
                self.load_state.deferred_files.borrow_mut().insert(file_run, deferred_file);
            }
            outcome
        })
    }

    fn freeze_file_functions(&self, lua: &Lua, file_run: u32) -> mlua::Result<()> {
        let functions = self.function_store.borrow();
        let roots = functions
            .functions_of_file_run(file_run)
            .iter()
            .map(|script_function| Value::Function(script_function.function.clone()));
        let frozen_functions = freeze_values::freeze_reachable(self, lua, roots.collect())?;
        self.add_frozen_closures(frozen_functions);
        Ok(())
    }

    /// Runs work that another VM may have done earlier: it is charged neither to the fuel nor to
    /// the memory of the current call.
    pub(crate) fn run_without_accounting<R>(
        &self,
        lua: &Lua,
        work: impl FnOnce() -> mlua::Result<R>,
    ) -> mlua::Result<R> {
        if self.execution_mode.phase.get() == Phase::Loading {
            return work();
        }
        let used_bytes = lua.used_memory();
        let limit = lua.set_memory_limit(used_bytes + limits::VM_STOP_BYTES)?;
        let paused_fuel = fuel::pause_accounting(used_bytes);
        let outcome = work();
        let grown_bytes = lua.used_memory().saturating_sub(used_bytes);
        paused_fuel.resume(grown_bytes);
        self.lazy_tables.memory_bytes.set(self.lazy_tables.memory_bytes.get() + grown_bytes);
        lua.set_memory_limit(if limit == 0 { 0 } else { limit + grown_bytes })?;
        outcome
    }

    /// Creates a function for scripts from a Rust function with mlua types.
    pub(crate) fn create_typed_function<A, R, F>(
        self: &Rc<Self>,
        lua: &Lua,
        body: F,
    ) -> mlua::Result<Function>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Rc<Self>, &Lua, A) -> mlua::Result<R> + 'static,
    {
        let host = self.clone();
        luau::create_typed_function(lua, move |lua, arguments: A| {
            body(&host, lua, arguments).map_err(|error| host.add_error_place(error))
        })
    }

    /// Creates a lookup whose result Luau then finds by itself.
    pub(crate) fn create_uncharged_lookup<A, R, F>(
        self: &Rc<Self>,
        lua: &Lua,
        body: F,
    ) -> mlua::Result<Function>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Rc<Self>, &Lua, A) -> mlua::Result<R> + 'static,
    {
        let host = self.clone();
        luau::create_uncharged_lookup(lua, move |lua, arguments: A| {
            body(&host, lua, arguments).map_err(|error| host.add_error_place(error))
        })
    }

    /// Stores a function of a script and returns a reference to it.
    pub(crate) fn store_function(&self, function: Function) -> FunctionRef {
        let place = self.place_of_function(&function).unwrap_or_default();
        meter::count_host_bytes(limits::STORED_FUNCTION_HOST_BYTES);
        let script_function = ScriptFunction { function, place: Rc::new(place.clone()) };
        FunctionRef::new(self.function_store.borrow_mut().store_function(script_function), place)
    }

    /// The place of a function, if a mod wrote it.
    pub(crate) fn place_of_function(&self, function: &Function) -> Option<SourceLocation> {
        let info = function.info();
        let line = info.line_defined.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        self.sources.source_location(&info.short_src?, line)
    }

    /// The account of the mod that wrote a function.
    pub(crate) fn account_of_function(&self, function: &Function) -> usize {
        self.fuel.account_of_mod(&self.place_of_function(function).unwrap_or_default().owner)
    }

    /// Calls a stored function and charges its mod.
    pub(crate) fn call_stored_function<R: FromLuaMulti>(
        &self,
        id: u64,
        arguments: impl IntoLuaMulti,
    ) -> mlua::Result<R> {
        let script_function = self.stored_function(id)?;
        let _account_guard = self.fuel.charge_to(&script_function.place.owner);
        script_function.function.call(arguments)
    }

    /// A stored function with all its wrappers.
    pub(crate) fn build_callable(
        &self,
        lua: &Lua,
        function: &FunctionRef,
    ) -> mlua::Result<Function> {
        self.compose_wrappers(lua, function, &|callable, _, _| Ok(callable))
    }

    /// The same for a named function. If it has wrappers, the arguments and the result of each
    /// layer are checked.
    pub(crate) fn build_checked_callable(
        self: &Rc<Self>,
        lua: &Lua,
        function: &FunctionRef,
        (name, declaration_place): (&str, &SourceLocation),
    ) -> mlua::Result<Function> {
        let is_call_valid = Rc::new(Cell::new(true));
        let mut callable = self.compose_wrappers(lua, function, &|whole, code_place, layer| {
            let checked_function =
                FunctionCallChecker::for_wrapper(name, function.place.clone(), code_place.clone());
            self.wrap_wrapper_with_checks(lua, (checked_function, layer), &is_call_valid, whole)
        })?;
        // A function that replaces another mod's function must match the signature of that one.
        if function.place.owner != declaration_place.owner {
            let checked_function = FunctionCallChecker::for_wrapper(
                name,
                declaration_place.clone(),
                function.place.clone(),
            );
            callable = self.wrap_wrapper_with_checks(
                lua,
                (checked_function, WrapperPosition::Outermost),
                &Rc::default(),
                callable,
            )?;
        }
        Ok(callable)
    }

    fn compose_wrappers(
        &self,
        lua: &Lua,
        function: &FunctionRef,
        build_layer: &dyn Fn(Function, &SourceLocation, WrapperPosition) -> mlua::Result<Function>,
    ) -> mlua::Result<Function> {
        let load_function =
            |id: u64| self.stored_function(id).map(|script_function| script_function.function);
        let original = load_function(function.id)?;
        let is_active =
            |wrapper: &&FunctionRef| !self.disabled_set.is_mod_disabled(&wrapper.place.owner);
        let wrappers: Vec<&FunctionRef> = function.wrappers.iter().filter(is_active).collect();
        let Some((outermost, inner_wrappers)) = wrappers.split_last() else { return Ok(original) };
        let compose_function = lua.load(WRAPPER_LUAU_SOURCE).set_name("=[host]").into_function()?;
        let wrap_layer = |inner_function: Function, wrapper: &FunctionRef, layer| {
            let (original_place, wrapper_place) = (function.place.clone(), wrapper.place.clone());
            let report_lost_results = luau::create_typed_function(
                lua,
                move |_, (returned_count, needed_count): (usize, usize)| {
                    Err::<(), _>(
                        lost_results_problem(
                            &original_place,
                            &wrapper_place,
                            returned_count,
                            needed_count,
                        )
                        .into_lua_err(),
                    )
                },
            )?;
            build_layer(
                compose_function.call((
                    load_function(wrapper.id)?,
                    inner_function,
                    report_lost_results,
                ))?,
                &wrapper.place,
                layer,
            )
        };
        let mut callable = build_layer(original, &function.place, WrapperPosition::Innermost)?;
        for wrapper in inner_wrappers {
            callable = wrap_layer(callable, wrapper, WrapperPosition::Intermediate)?;
        }
        wrap_layer(callable, outermost, WrapperPosition::Outermost)
    }
}
