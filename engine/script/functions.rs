//! Functions of scripts that the host keeps and calls. One whose file has not run yet has it run when
//! it is wanted.

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

/// A function around another. One that gives nothing where the other gave something, or fewer values than
/// it had, has lost them, and it is told so at once: whoever meets the nothing later is mostly somebody else.
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

/// The same as it was for older runs.
const UNWATCHED: &str =
    "local outer, inner = ... return function(...) return outer(inner, ...) end";

/// About what a kept function takes, with the word of where it was written.
pub(crate) const KEPT_BYTES: usize = 512;

/// The Problem of a function around another that gives nothing, or less than the other gave.
fn gave_less(wrapped: &Place, place: &Place, given: usize, needed: usize) -> Problem {
    let lost =
        if given == 0 { "nothing".to_owned() } else { format!("{given} of {needed} results") };
    let found = format!(
        "what `{}` wrapped around a function of `{}` gave {lost}",
        place.owner, wrapped.owner
    );
    let expected = match needed {
        0 | 1 => "a result, since the function that it was given had one".to_owned(),
        more => format!("{more} results, as the function gave that it was given"),
    };
    let code = if given == 0 { "gave-nothing" } else { "gave-less" };
    Problem::error(code, found)
        .at(place.clone())
        .expected(expected)
        .hint("return what is made of it: `return original(…)`")
        .by_way_of(wrapped.clone())
}

impl Host {
    /// Takes what a file is known to say. It runs when it is wanted.
    pub(super) fn take_known(&self, record: Arc<Record>, owner: &str, path: &str) {
        let (owner, path) = (owner.to_owned(), path.to_owned());
        self.heard.waiting.borrow_mut().insert(record.run, Waiting { record, owner, path });
    }

    /// A kept function. The file that it stands in runs now if it has not yet.
    pub(crate) fn kept(&self, id: u64) -> mlua::Result<Kept> {
        if let Some(kept) = self.functions.borrow().get(id) {
            return Ok(kept.clone());
        }
        self.run_known(run_of(id))?;
        let functions = self.functions.borrow();
        Ok(functions.get(id).expect("a file gives the same functions each time").clone())
    }

    /// Where a kept function was written.
    pub(crate) fn place_of(&self, id: u64) -> Place {
        if let Some(kept) = self.functions.borrow().get(id) {
            return Place::clone(&kept.place);
        }
        let waiting = self.heard.waiting.borrow();
        let place = waiting.get(&run_of(id)).and_then(|it| it.record.places.get(index_of(id)));
        place.cloned().unwrap_or_default()
    }

    /// Runs a file whose declarations were taken without it, for its functions alone: what it says
    /// is heard by nobody. What it costs is no part of the step that it happens in: another VM may
    /// have had it at hand.
    fn run_known(&self, run: u32) -> mlua::Result<()> {
        let Some(waiting) = self.heard.waiting.borrow_mut().remove(&run) else {
            unreachable!("a function is kept, or its file waits");
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

    /// Does something that another VM may have done long ago: it costs neither fuel nor memory of
    /// the call that goes on.
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

    /// Makes a function that scripts may call, of one that takes and gives values of mlua's.
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

    /// Makes a lookup whose result Luau finds by itself from then on.
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

    /// Keeps a function of a script, and says how it is to be referred to.
    pub(crate) fn keep(&self, function: Function) -> FnRef {
        let place = self.place_of_function(&function).unwrap_or_default();
        meter::keep(KEPT_BYTES);
        let kept = Kept { function, place: Rc::new(place.clone()) };
        FnRef::new(self.functions.borrow_mut().add(kept), place)
    }

    /// Where a function was written, if a mod wrote it.
    pub(crate) fn place_of_function(&self, function: &Function) -> Option<Place> {
        let info = function.info();
        let line = info.line_defined.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        self.sources.place(&info.short_src?, line)
    }

    /// The mod that wrote a function, as one who spends fuel.
    pub(crate) fn spender_of_function(&self, function: &Function) -> usize {
        self.fuel.number_of(&self.place_of_function(function).unwrap_or_default().owner)
    }

    /// Calls a kept function; its mod is blamed for the fuel.
    pub(crate) fn call<R: FromLuaMulti>(
        &self,
        id: u64,
        arguments: impl IntoLuaMulti,
    ) -> mlua::Result<R> {
        let kept = self.kept(id)?;
        let _spender = self.fuel.spender(&kept.place.owner);
        kept.function.call(arguments)
    }

    /// A kept function with everything that was wrapped around it.
    pub(crate) fn callable(&self, lua: &Lua, function: &FnRef) -> mlua::Result<Function> {
        self.composed(lua, function, &|whole, _, _| Ok(whole))
    }

    /// The same of one with a name. Where others are wrapped around it, what each part of it is given and gives
    /// is looked at; a function by itself is what it is.
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
        // One that stands in the place of another mod's is to do what that says.
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
