//! What every function that scripts can call shares: the world that is lent to the VM for a call,
//! where we are (loading or playing, looking or acting), who is to blame, and what the mods have
//! declared. One `Rc<Host>` is captured by each of those functions.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{
    AnyUserData, FromLua, FromLuaMulti, Function, IntoLuaMulti, Lua, LuaString, Table, WeakLua,
};

use super::aside::{Aside, Blamed, line_of};
use super::asked::Asked;
use super::environment::Environments;
use super::freeze::Watched;
use super::fuel::{self, Fuel};
use super::kept::{Functions, Kept};
use super::known::{Said, Waiting};
use super::moment::Moments;
use super::raw::{self, Keys};
use super::shelf::Shelves;
use super::sources::Sources;
use super::trace::Trace;
use super::turn::Turn;
use crate::content::{Change, FnRef, Kind, Registry};
use crate::kit::{Place, Problem, Value, limits};
use crate::play::World;

/// About what a kept function takes, with the word of where it was written.
pub(crate) const KEPT_BYTES: usize = 512;

/// Whether scripts are being loaded or played, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Files are running; only declarations may be called.
    Loading,
    /// Nothing of Lua should be running.
    Between,
    /// A step, a prompt or a view is being computed; declarations are over.
    Playing,
}

/// What the Lua that runs now may do to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// Look only: no writes, no dice, nothing told. Says what is looking, with its article
    /// (`a prompt`, `a rule`).
    Look(&'static str),
    /// Look and change.
    Act,
}

/// The name of a kind, as scripts hold it.
pub(crate) struct KindName {
    /// The kind.
    pub(crate) kind: Arc<str>,
    /// What scripts hold.
    pub(crate) handle: AnyUserData,
    /// What it finds at once: definitions by their whole id.
    pub(crate) found: Table,
}

/// The hooks on one moment, in mod order and then in the order they were declared in. The numbers
/// are those of kept functions.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    /// Those that may change the event.
    pub(crate) before: Vec<u64>,
    /// Those that see its final value.
    pub(crate) after: Vec<u64>,
}

/// What mods declared that is not a definition.
#[derive(Default)]
pub(crate) struct Declared {
    /// Hooks by the name of their moment.
    pub(crate) hooks: BTreeMap<Arc<str>, Rc<Hooks>>,
    /// How a run begins: the function given to `start`.
    pub(crate) start: Option<u64>,
    /// A game's own checks, in order.
    pub(crate) lints: Vec<u64>,
    /// Carries an old state over: mod, version, function.
    pub(crate) migrations: Vec<(String, semver::Version, u64)>,
    /// Carries an old profile over: mod, version, function.
    pub(crate) profile_migrations: Vec<(String, semver::Version, u64)>,
}

/// What every function that scripts can call shares.
pub(crate) struct Host {
    /// The world, lent for one call; an empty one between calls.
    pub(crate) world: RefCell<World>,
    /// What the run's header froze of the profile, lent likewise.
    pub(crate) profile: RefCell<Value>,
    /// Settings by mod: a map of maps.
    pub(crate) settings: Value,
    /// Hooks and mods that take no part.
    pub(crate) aside: Aside,
    /// The hook in which something went wrong in this call.
    pub(crate) blamed: RefCell<Option<Blamed>>,
    /// Loading, playing or neither.
    pub(crate) phase: Cell<Phase>,
    /// What may be done now.
    pub(crate) permit: Cell<Permit>,
    /// The budget of Lua, and who spends it.
    pub(crate) fuel: Fuel,
    /// What functions for playing keep for one call.
    pub(crate) turn: Turn,
    /// The texts of all files, for the lines that Problems show.
    pub(crate) sources: Sources,
    /// Whether a file is being compiled; Luau looks names up ahead of time then.
    pub(crate) compiling: Cell<bool>,
    /// The environment of each mod.
    pub(crate) environments: Environments,
    /// Functions by number.
    pub(crate) functions: RefCell<Functions>,
    /// Files that have not run, by the number of the run in which they were heard.
    pub(crate) waiting: RefCell<BTreeMap<u32, Waiting>>,
    /// What is declared so far, in order; emptied when loading ends.
    pub(crate) kinds: RefCell<Vec<Kind>>,
    /// What the file that runs has said of definitions so far.
    pub(crate) changes: RefCell<Vec<Change>>,
    /// What it has said beside.
    pub(crate) said: RefCell<Vec<Said>>,
    /// Whether it has done nothing but declare so far.
    pub(crate) quiet: Cell<bool>,
    /// What files said before it that others may still add to, by their run; emptied when loading
    /// ends.
    pub(crate) open: RefCell<BTreeMap<u32, Vec<Change>>>,
    /// Memory that went into what is made when it is wanted first, in bytes.
    pub(crate) grown: Cell<usize>,
    /// What makes protected calls.
    pub(crate) caller: raw::Caller,
    /// What play asks for at each step.
    pub(crate) asked: Asked,
    /// The VM.
    lua: OnceCell<WeakLua>,
    /// Results of `require`, by chunk; `None` while the file runs.
    pub(crate) required: RefCell<BTreeMap<String, Option<mlua::Value>>>,
    /// Everything declared, frozen; there once loading has ended.
    pub(crate) registry: OnceCell<Rc<Registry>>,
    /// The definitions that scripts have wanted so far.
    pub(crate) shelves: Shelves,
    /// Keys of tables that were read before.
    pub(crate) keys: RefCell<Keys>,
    /// Names of fields that the host itself looks for, as texts of Lua.
    words: RefCell<BTreeMap<&'static str, LuaString>>,
    /// Words for who looked so far; see `keep_permit`.
    looks: RefCell<Vec<&'static str>>,
    /// The names of kinds.
    pub(crate) names: RefCell<Vec<KindName>>,
    /// The rules that scripts find at once, by name.
    pub(crate) rules: OnceCell<Table>,
    /// What mods declared that is not a definition.
    pub(crate) declared: RefCell<Declared>,
    /// The moments that hooks hang on; there once loading has ended.
    pub(crate) moments: Moments,
    /// Functions that captured plain values while loading.
    pub(crate) watched: RefCell<Vec<Watched>>,
    /// Where it is noted what play reaches, if anyone asks.
    pub(crate) trace: Option<Trace>,
    /// Whether memory ran out, so that the VM must be thrown away.
    pub(crate) spoiled: Cell<bool>,
}

impl Host {
    /// A host about to load.
    pub(crate) fn new(
        settings: Value,
        sources: Sources,
        environments: Environments,
        aside: Aside,
        trace: Option<Trace>,
    ) -> Rc<Self> {
        Rc::new(Self {
            world: RefCell::default(),
            profile: RefCell::new(Value::map()),
            settings,
            aside,
            blamed: RefCell::default(),
            phase: Cell::new(Phase::Loading),
            permit: Cell::new(Permit::Act),
            fuel: Fuel::default(),
            turn: Turn::default(),
            sources,
            compiling: Cell::new(false),
            environments,
            functions: RefCell::default(),
            waiting: RefCell::default(),
            kinds: RefCell::default(),
            changes: RefCell::default(),
            said: RefCell::default(),
            quiet: Cell::new(true),
            open: RefCell::default(),
            grown: Cell::new(0),
            caller: raw::Caller::default(),
            asked: Asked::default(),
            lua: OnceCell::new(),
            required: RefCell::default(),
            registry: OnceCell::new(),
            shelves: Shelves::default(),
            keys: RefCell::default(),
            words: RefCell::default(),
            looks: RefCell::default(),
            names: RefCell::default(),
            rules: OnceCell::new(),
            declared: RefCell::default(),
            moments: Moments::default(),
            watched: RefCell::default(),
            trace,
            spoiled: Cell::new(false),
        })
    }

    /// Refuses a declaration outside loading. Every function for loading begins with this.
    pub(crate) fn loading(&self, lua: &Lua, name: &str) -> mlua::Result<()> {
        if self.phase.get() == Phase::Loading {
            // What is declared lies in our memory and not in that of Lua: its number ends with the
            // fuel, its size with what we hold.
            let spent = !fuel::charge(limits::FUEL_PER_DECLARATION);
            let problem = spent.then(|| self.fuel.problem()).or_else(fuel::held_too_much);
            return problem.map_or(Ok(()), |problem| Err(self.fail(lua, problem)));
        }
        let problem = Problem::error("not-loading", format!("`{name}` was used while playing"))
            .expected(format!("`{name}` declares something: it belongs to the time of loading"))
            .hint("call it at the top of a file, outside any function");
        Err(self.fail(lua, problem))
    }

    /// Refuses a function of play while loading. Every function for playing that changes nothing
    /// begins with this.
    pub(crate) fn playing(&self, lua: &Lua, name: &str) -> mlua::Result<()> {
        if self.phase.get() == Phase::Playing {
            return Ok(());
        }
        let problem = Problem::error("not-playing", format!("`{name}` was used while loading"))
            .expected("declarations only, while files are loaded")
            .hint(format!("use `{name}` inside a function that a run calls, such as a handler"));
        Err(self.fail(lua, problem))
    }

    /// Refuses a change while loading and where things are only looked at. Every function that
    /// writes, throws dice or tells something begins with this.
    pub(crate) fn acting(&self, lua: &Lua, name: &str) -> mlua::Result<()> {
        self.playing(lua, name)?;
        let Permit::Look(what) = self.permit.get() else {
            return Ok(());
        };
        let problem = Problem::error("only-looking", format!("`{name}` was used in {what}"))
            .expected(format!("{what} changes nothing: no writes, no dice, nothing told"))
            .hint("move it into the handler of a choice, or into an `after` hook");
        Err(self.fail(lua, problem))
    }

    /// Makes a Problem into a Lua error. One without a place gets that of the Lua that called.
    pub(crate) fn fail(&self, lua: &Lua, mut problem: Problem) -> mlua::Error {
        if problem.place.is_none() {
            let caller = self.place_of_caller(lua);
            problem.place = (caller.line > 0).then_some(caller);
        }
        mlua::Error::external(problem)
    }

    /// Where the Lua stands that called us: mod, file, line and the text of that line.
    pub(crate) fn place_of_caller(&self, lua: &Lua) -> Place {
        let caller = self.caller(lua);
        caller.and_then(|(chunk, line)| self.sources.place(&chunk, line)).unwrap_or_default()
    }

    /// Who called us: the id of the mod, and where its Lua stands as it is shown in short; both empty if
    /// none did.
    pub(crate) fn caller_in_short(&self, lua: &Lua) -> (String, String) {
        let Some((chunk, line)) = self.caller(lua) else { return Default::default() };
        let Some((owner, file)) = chunk.split_once('/') else { return Default::default() };
        // Hardly any path holds what is not to be shown.
        let short = match line > 0 && chunk.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => format!("{chunk}:{line}"),
            false => Place::new(owner, file, line).to_string(),
        };
        (owner.to_owned(), short)
    }

    /// The id of the mod whose Lua called us; empty if none did.
    pub(crate) fn calling_mod(&self, lua: &Lua) -> String {
        let caller = self.caller(lua);
        let owner = |(chunk, _): (String, u32)| self.sources.owner(&chunk).map(str::to_owned);
        caller.and_then(owner).unwrap_or_default()
    }

    /// The chunk and the line of the mod's Lua that called us.
    fn caller(&self, lua: &Lua) -> Option<(String, u32)> {
        raw::caller(lua, |chunk| self.sources.owner(chunk).is_some())
    }

    /// Keeps a function of a script, and says how it is to be referred to.
    pub(crate) fn keep(&self, function: Function) -> FnRef {
        let info = function.info();
        let line = info.line_defined.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        let source = info.short_src.unwrap_or_default();
        let place = self.sources.place(&source, line).unwrap_or_default();
        fuel::hold(KEPT_BYTES);
        let kept = Kept { function, place: Rc::new(place.clone()) };
        FnRef::new(self.functions.borrow_mut().add(kept), place)
    }

    /// Says which VM this is the host of.
    pub(crate) fn belongs_to(&self, lua: &Lua) {
        assert!(self.lua.set(lua.weak()).is_ok(), "a host has one VM");
    }

    /// The VM.
    pub(crate) fn lua(&self) -> Lua {
        self.lua.get().expect("the VM was made with the host").upgrade()
    }

    /// Where a function was written, if a mod wrote it.
    pub(crate) fn place_of_function(&self, function: &Function) -> Option<Place> {
        let info = function.info();
        let line = info.line_defined.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        self.sources.place(&info.short_src?, line)
    }

    /// The mod that wrote a function; nobody if none did.
    pub(crate) fn owner_of_function(&self, function: &Function) -> String {
        let chunk = function.info().short_src.unwrap_or_default();
        self.sources.owner(&chunk).unwrap_or_default().to_owned()
    }

    /// A field that the host itself looks for in a plain table.
    pub(crate) fn field<V: FromLua>(&self, table: &Table, name: &'static str) -> mlua::Result<V> {
        if let Some(word) = self.words.borrow().get(name) {
            return table.raw_get(word);
        }
        let word = self.lua().create_string(name)?;
        let found = table.raw_get(&word);
        self.words.borrow_mut().insert(name, word);
        found
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

    /// Remembers the hook in which something went wrong; of several inside each other the innermost.
    pub(crate) fn blame_hook(&self, place: &Place, moment: &str) {
        let blamed = || Blamed {
            owner: place.owner.clone(),
            hook: line_of(place),
            moment: moment.to_owned(),
        };
        self.blamed.borrow_mut().get_or_insert_with(blamed);
    }

    /// Does something with a narrower or wider permit, and puts the old one back.
    pub(crate) fn with_permit<R>(&self, permit: Permit, work: impl FnOnce() -> R) -> R {
        let before = self.permit.replace(permit);
        let result = work();
        self.permit.set(before);
        result
    }

    /// What may be done now, as a number to be handed to `give_permit`: who catches an error gives
    /// back what whoever raised it had changed.
    pub(crate) fn keep_permit(&self) -> usize {
        match self.permit.get() {
            Permit::Act => 0,
            Permit::Look(what) => {
                let mut looks = self.looks.borrow_mut();
                let known = looks.iter().position(|known| *known == what);
                1 + known.unwrap_or_else(|| {
                    looks.push(what);
                    looks.len() - 1
                })
            }
        }
    }

    /// Gives back what could be done when the number was kept.
    pub(crate) fn give_permit(&self, kept: usize) {
        let what = kept.checked_sub(1).and_then(|at| self.looks.borrow().get(at).copied());
        self.permit.set(what.map_or(Permit::Act, Permit::Look));
    }

    /// The registry. There is none while loading; functions for playing may count on it.
    pub(crate) fn registry(&self) -> &Rc<Registry> {
        self.registry.get().expect("the registry is there once loading has ended")
    }
}
