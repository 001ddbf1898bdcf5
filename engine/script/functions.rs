//! Stored functions of scripts, and how the host calls them. If the file of a function has not run
//! yet, it runs on first use.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua, Value};

use super::compile::compile;
use super::declaration_cache::{Record, Waiting};
use super::described::{HeldCall, Layer};
use super::function_handles::{Kept, index_of, run_of};
use super::host::Host;
use super::phase::Phase;
use super::{freeze, fuel};
use crate::content::FnRef;
use crate::kit::{Place, Problem, limits, meter};
use crate::luau;

/// A wrapper around a function. If the wrapper returns nothing, or fewer values than the inner
/// function, it is reported at once. Otherwise the missing value would fail later, usually in
/// another mod.
const WRAPPED: &str = "
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

/// The wrapper of older runs.
const UNWATCHED: &str =
    "local outer, inner = ... return function(...) return outer(inner, ...) end";

/// Approximate bytes of a stored function with its place.
pub(crate) const KEPT_BYTES: usize = 512;

/// The Problem of a wrapper that returns nothing, or fewer values than the inner function.
fn gave_less(wrapped: &Place, place: &Place, given: usize, needed: usize) -> Problem {
    let lost =
        if given == 0 { "nothing".to_owned() } else { format!("{given} of {needed} results") };
    let found = format!(
        "the wrapper of `{}` around a function of `{}` returned {lost}",
        place.owner, wrapped.owner
    );
    let expected = match needed {
        0 | 1 => "a result, because the original function returned one".to_owned(),
        more => format!("{more} results, as many as the original function returned"),
    };
    let code = if given == 0 { "gave-nothing" } else { "gave-less" };
    Problem::error(code, found)
        .at(place.clone())
        .expected(expected)
        .hint("return the result of the original: `return original(…)`")
        .by_way_of(wrapped.clone())
}

impl Host {
    /// Stores the cached declarations of a file. The file runs when it is needed.
    pub(super) fn take_known(&self, record: Arc<Record>, owner: &str, path: &str) {
        let (owner, path) = (owner.to_owned(), path.to_owned());
        self.heard.waiting.borrow_mut().insert(record.run, Waiting { record, owner, path });
    }

    /// A stored function. If its file has not run yet, it runs now.
    pub(crate) fn kept(&self, id: u64) -> mlua::Result<Kept> {
        if let Some(kept) = self.functions.borrow().get(id) {
            return Ok(kept.clone());
        }
        self.run_known(run_of(id))?;
        let functions = self.functions.borrow();
        Ok(functions.get(id).expect("a file creates the same functions each time").clone())
    }

    /// The place of a stored function.
    pub(crate) fn place_of(&self, id: u64) -> Place {
        if let Some(kept) = self.functions.borrow().get(id) {
            return Place::clone(&kept.place);
        }
        let waiting = self.heard.waiting.borrow();
        let place = waiting.get(&run_of(id)).and_then(|it| it.record.places.get(index_of(id)));
        place.cloned().unwrap_or_default()
    }

    /// Runs a file whose declarations came from the cache, for its functions only; its declarations
    /// are ignored. The cost is not charged to the step, because another VM may have run the file
    /// earlier.
    fn run_known(&self, run: u32) -> mlua::Result<()> {
        let Some(waiting) = self.heard.waiting.borrow_mut().remove(&run) else {
            unreachable!("a function is stored, or its file is deferred");
        };
        let lua = self.lua();
        self.aside_from_play(&lua, || {
            let phase = self.now.phase.replace(Phase::Loading);
            self.prelude.set_loading(true)?;
            let (changes, said) = (self.heard.changes.take(), self.heard.said.take());
            let declared = self.heard.declared.take();
            self.heard.again.set(true);
            let before = self.functions.borrow_mut().go_on(run);
            let outcome = compile(&lua, self, &waiting.owner, &waiting.path)
                .and_then(|file| self.prelude.run(file))
                .and_then(|()| self.freeze_run(&lua, run));
            self.functions.borrow_mut().go_on(before);
            self.heard.again.set(false);
            self.heard.declared.replace(declared);
            self.heard.said.replace(said);
            self.heard.changes.replace(changes);
            self.now.phase.set(phase);
            self.prelude.set_loading(phase == Phase::Loading)?;
            if outcome.is_err() {
                self.functions.borrow_mut().forget(run);
                self.heard.waiting.borrow_mut().insert(run, waiting);
            }
            outcome
        })
    }

    fn freeze_run(&self, lua: &Lua, run: u32) -> mlua::Result<()> {
        let functions = self.functions.borrow();
        let roots = functions.of(run).iter().map(|kept| Value::Function(kept.function.clone()));
        let reached = freeze::freeze(self, lua, roots.collect())?;
        self.settle(reached);
        Ok(())
    }

    /// Runs work that another VM may have done earlier: it is charged neither to the fuel nor to
    /// the memory of the current call.
    pub(crate) fn aside_from_play<R>(
        &self,
        lua: &Lua,
        work: impl FnOnce() -> mlua::Result<R>,
    ) -> mlua::Result<R> {
        if self.now.phase.get() == Phase::Loading {
            return work();
        }
        let used = lua.used_memory();
        let limit = lua.set_memory_limit(used + limits::STOP_MEMORY)?;
        let paused = fuel::pause(used);
        let outcome = work();
        let grown = lua.used_memory().saturating_sub(used);
        paused.go_on(grown);
        self.made.grown.set(self.made.grown.get() + grown);
        lua.set_memory_limit(if limit == 0 { 0 } else { limit + grown })?;
        outcome
    }

    /// Creates a function for scripts from a Rust function with mlua types.
    pub(crate) fn function<A, R, F>(self: &Rc<Self>, lua: &Lua, work: F) -> mlua::Result<Function>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Rc<Self>, &Lua, A) -> mlua::Result<R> + 'static,
    {
        let host = self.clone();
        luau::function(lua, move |lua, given: A| {
            work(&host, lua, given).map_err(|error| host.placed_error(error))
        })
    }

    /// Creates a lookup whose result Luau then finds by itself.
    pub(crate) fn lookup<A, R, F>(self: &Rc<Self>, lua: &Lua, work: F) -> mlua::Result<Function>
    where
        A: FromLuaMulti,
        R: IntoLuaMulti,
        F: Fn(&Rc<Self>, &Lua, A) -> mlua::Result<R> + 'static,
    {
        let host = self.clone();
        luau::lookup(lua, move |lua, given: A| {
            work(&host, lua, given).map_err(|error| host.placed_error(error))
        })
    }

    /// Stores a function of a script and returns a reference to it.
    pub(crate) fn keep(&self, function: Function) -> FnRef {
        let place = self.place_of_function(&function).unwrap_or_default();
        meter::keep(KEPT_BYTES);
        let kept = Kept { function, place: Rc::new(place.clone()) };
        FnRef::new(self.functions.borrow_mut().add(kept), place)
    }

    /// The place of a function, if a mod wrote it.
    pub(crate) fn place_of_function(&self, function: &Function) -> Option<Place> {
        let info = function.info();
        let line = info.line_defined.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        self.sources.place(&info.short_src?, line)
    }

    /// The account of the mod that wrote a function.
    pub(crate) fn spender_of_function(&self, function: &Function) -> usize {
        self.fuel.number_of(&self.place_of_function(function).unwrap_or_default().owner)
    }

    /// Calls a stored function and charges its mod.
    pub(crate) fn call<R: FromLuaMulti>(
        &self,
        id: u64,
        arguments: impl IntoLuaMulti,
    ) -> mlua::Result<R> {
        let kept = self.kept(id)?;
        let _spender = self.fuel.spender(&kept.place.owner);
        kept.function.call(arguments)
    }

    /// A stored function with all its wrappers.
    pub(crate) fn callable(&self, lua: &Lua, function: &FnRef) -> mlua::Result<Function> {
        self.composed(lua, function, &|whole, _, _| Ok(whole))
    }

    /// The same for a named function. If it has wrappers, the arguments and the result of each
    /// layer are checked.
    pub(crate) fn callable_as(
        self: &Rc<Self>,
        lua: &Lua,
        function: &FnRef,
        (name, declared): (&str, &Place),
    ) -> mlua::Result<Function> {
        if !self.holds_calls.get() && !self.edition.holds_wraps() {
            return self.callable(lua, function);
        }
        let call = Rc::new(Cell::new(true));
        let mut whole = self.composed(lua, function, &|whole, maker, layer| {
            let called = HeldCall::of_part(name, function.place.clone(), maker.clone());
            self.held_part(lua, (called, layer), &call, whole)
        })?;
        // A function that replaces another mod's function must match the signature of that one.
        if function.place.owner != declared.owner {
            let called = HeldCall::of_part(name, declared.clone(), function.place.clone());
            whole = self.held_part(lua, (called, Layer::Outermost), &Rc::default(), whole)?;
        }
        Ok(whole)
    }

    fn composed(
        &self,
        lua: &Lua,
        function: &FnRef,
        part: &dyn Fn(Function, &Place, Layer) -> mlua::Result<Function>,
    ) -> mlua::Result<Function> {
        let plain = |id: u64| self.kept(id).map(|kept| kept.function);
        let whole = plain(function.id)?;
        let in_force = |wrapper: &&FnRef| !self.disabled.has_mod(&wrapper.place.owner);
        let wrappers: Vec<&FnRef> = function.wrappers.iter().filter(in_force).collect();
        let Some((last, between)) = wrappers.split_last() else { return Ok(whole) };
        let compose = lua
            .load(if self.edition.watches_wraps() { WRAPPED } else { UNWATCHED })
            .set_name("=[host]")
            .into_function()?;
        let around = |whole: Function, wrapper: &FnRef, layer| {
            let (wrapped, place) = (function.place.clone(), wrapper.place.clone());
            let lost = luau::function(lua, move |_, (given, needed): (usize, usize)| {
                Err::<(), _>(gave_less(&wrapped, &place, given, needed).into())
            })?;
            part(compose.call((plain(wrapper.id)?, whole, lost))?, &wrapper.place, layer)
        };
        let mut whole = part(whole, &function.place, Layer::Innermost)?;
        for wrapper in between {
            whole = around(whole, wrapper, Layer::Between)?;
        }
        around(whole, last, Layer::Outermost)
    }
}
