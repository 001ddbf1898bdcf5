//! What every function that scripts can call shares. One `Rc<Host>` is captured by each of them; what
//! only some of them need lies in a part of it by itself: what is lent for a call (`lent`), what files
//! say while they are loaded (`heard`), what was made for scripts once it was wanted (`made`).

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use mlua::{AnyUserData, FromLua, Function, Lua, LuaString, Table, WeakLua};

use super::blocks;
use super::call_scope::CallScope;
use super::declaration_cache::{Said, Waiting};
use super::disabled::{Aside, Blamed, line_of};
use super::environment::Environments;
use super::fuel::{self, Fuel};
use super::function_handles::Functions;
use super::handler_cache::HandlerCache;
use super::hook_table::{HookTable, Hooks};
use super::keys::Keys;
use super::mirrored::Mirrors;
use super::one_budget::SharedBudget;
use super::opened::Opened;
use super::phase::{Now, When};
use super::prelude::Prelude;
use super::reworded::{Reworded, Rewording};
use super::sources::Sources;
use super::trace::Trace;
use super::wrapped::Wrapped;
use crate::content::{Change, Kind, Registry, Shapes};
use crate::kit::{Place, Problem, Value, limits, meter};
use crate::luau::{self, At, Fault, Protected, Stack};
use crate::play::group::Group;
use crate::play::{Edition, World};

/// Calls that are looked at for whoever called us.
const CALLS: At = 64;

/// The name of a kind, as scripts hold it.
pub(crate) struct KindName {
    pub(crate) kind: Arc<str>,
    /// What scripts hold.
    pub(crate) handle: AnyUserData,
    /// What it finds at once: definitions by their whole id.
    pub(crate) found: Table,
}

/// The definitions of a kind that were wanted so far, as scripts read them: frozen tables with functions
/// that are ready to be called.
#[derive(Default)]
pub(crate) struct KindTables {
    /// By whole id.
    pub(crate) by_id: BTreeMap<Arc<str>, Table>,
    /// Those that are not retired, as a list in order, once someone has asked for it.
    pub(crate) list: Option<Table>,
}

/// What mods declared that is not a definition. The numbers are those of kept functions.
#[derive(Default)]
pub(crate) struct Declared {
    /// Hooks by the name of their moment.
    pub(crate) hooks: BTreeMap<Arc<str>, Rc<Hooks>>,
    /// What the state may hold.
    pub(crate) shapes: Shapes,
    /// Texts that are told in other words, in the order of mods.
    pub(crate) rewordings: Vec<Arc<Rewording>>,
    /// How a run begins: the function given to `start`.
    pub(crate) start: Option<u64>,
    /// A game's own checks, in order.
    pub(crate) lints: Vec<u64>,
    /// Carries an old state over: mod, version, function.
    pub(crate) migrations: Vec<(String, semver::Version, u64)>,
    /// Carries an old profile over: mod, version, function.
    pub(crate) profile_migrations: Vec<(String, semver::Version, u64)>,
}

/// What is lent to the VM for one call.
pub(crate) struct Lent {
    /// The world; an empty one between calls.
    pub(crate) world: RefCell<World>,
    /// What the run's header froze of the profile.
    pub(crate) profile: RefCell<Value>,
    /// The hook in which something went wrong in this call.
    pub(crate) blamed: RefCell<Option<Blamed>>,
}

impl Default for Lent {
    fn default() -> Self {
        let profile = RefCell::new(Value::map());
        Self { world: RefCell::default(), profile, blamed: RefCell::default() }
    }
}

/// What files say while they are loaded.
#[derive(Default)]
pub(crate) struct Heard {
    /// Kinds so far, in order; emptied when loading ends.
    pub(crate) kinds: RefCell<Vec<Kind>>,
    /// The moments that were declared, in order: each the shape of its event.
    pub(crate) moments: RefCell<Vec<Kind>>,
    /// What the file that runs has said of definitions so far.
    pub(crate) changes: RefCell<Vec<Change>>,
    /// What it has said beside.
    pub(crate) said: RefCell<Vec<Said>>,
    /// Whether it has done more than declare.
    pub(crate) loud: Cell<bool>,
    /// What files said before it that others may still add to, by their run; emptied when loading
    /// ends.
    pub(crate) open: RefCell<BTreeMap<u32, Vec<Change>>>,
    /// Results of `require`, by chunk; `None` while the file runs.
    pub(crate) required: RefCell<BTreeMap<String, Option<mlua::Value>>>,
    /// Whether a file runs for its functions alone, and what it says was heard long ago.
    pub(crate) again: Cell<bool>,
    /// The id of the game.
    pub(crate) game: RefCell<String>,
    /// What was named and waits for what follows its name.
    pub(crate) opened: Opened,
    /// Files that have not run, by the number of the run in which they were heard.
    pub(crate) waiting: RefCell<BTreeMap<u32, Waiting>>,
    /// What mods declared that is not a definition.
    pub(crate) declared: RefCell<Declared>,
}

/// What was made for scripts, or for us who read their tables, once it was wanted.
#[derive(Default)]
pub(crate) struct Made {
    /// What play asks for at each step.
    pub(crate) handlers: HandlerCache,
    /// The definitions that scripts have wanted so far, by kind. Most of a game is not wanted in one sitting.
    pub(crate) definitions: RefCell<BTreeMap<Arc<str>, KindTables>>,
    /// The names of kinds.
    pub(crate) names: RefCell<Vec<KindName>>,
    /// What choices may belong to.
    pub(crate) groups: OnceCell<Vec<Arc<Group>>>,
    /// The rules that scripts find at once, by name.
    pub(crate) rules: OnceCell<Table>,
    /// Keys of tables that were read before.
    pub(crate) keys: Keys,
    /// Names of fields that the host itself looks for, as texts of Lua.
    words: RefCell<BTreeMap<&'static str, LuaString>>,
    /// Memory that went into all that, in bytes.
    pub(crate) grown: Cell<usize>,
}

/// What every function that scripts can call shares.
pub(crate) struct Host {
    /// The host itself, for functions that are made for Luau.
    pub(crate) this: Weak<Self>,
    /// Where we are, and what may be done.
    pub(crate) now: Now,
    /// What is lent for a call.
    pub(crate) lent: Lent,
    /// What functions for playing keep for one call.
    pub(crate) scope: CallScope,
    /// The state as Luau reads it by itself.
    pub(crate) mirrors: Mirrors,
    /// The budget of Lua, and who spends it.
    pub(crate) fuel: Fuel,
    /// Settings by mod: a map of maps.
    pub(crate) settings: Value,
    /// Hooks and mods that take no part.
    pub(crate) disabled: Aside,
    /// How content behaves for the runs that are played here.
    pub(crate) edition: Edition,
    /// The texts of all files, for the lines that Problems show.
    pub(crate) sources: Sources,
    /// The environment of each mod.
    pub(crate) environments: Environments,
    /// The exports that other mods change.
    pub(crate) wrapped: Wrapped,
    /// Whether a file is being compiled; Luau looks names up ahead of time then.
    pub(crate) compiling: Cell<bool>,
    /// What files say.
    pub(crate) heard: Heard,
    /// Functions by number.
    pub(crate) functions: RefCell<Functions>,
    /// What the library knows of loading.
    pub(crate) prelude: Prelude,
    /// Where the functions lie that were made while loading and captured anything.
    pub(crate) lasting: RefCell<BTreeMap<usize, Function>>,
    /// Everything declared, frozen; there once loading has ended.
    pub(crate) registry: OnceCell<Rc<Registry>>,
    /// The moments that hooks hang on; there once loading has ended.
    pub(crate) hooks: HookTable,
    /// What is told in other words; there once loading has ended.
    pub(crate) reworded: OnceCell<Reworded>,
    /// What was made once it was wanted.
    pub(crate) made: Made,
    /// What makes protected calls.
    pub(crate) protected: Protected,
    /// Where it is noted what play reaches, if anyone asks.
    pub(crate) trace: Option<Trace>,
    /// Whether everything that is written and announced is held to what is declared.
    pub(crate) holds: Cell<bool>,
    /// Whether calls of exports can be held to it too: that is decided before files load.
    pub(crate) holds_calls: Cell<bool>,
    /// Whether a bot is asked, whose memory is the state that is lent.
    pub(crate) asks_bot: Cell<bool>,
    /// The budget that several calls share.
    pub(crate) shared_budget: SharedBudget,
    /// Bytes of our memory that errors of earlier calls take until garbage is collected.
    pub(crate) lying_errors: Cell<usize>,
    /// Whether memory ran out, so that the VM must be thrown away.
    pub(crate) spoiled: Cell<bool>,
    /// The long texts that files made while they were loaded.
    pub(crate) long_texts: RefCell<Vec<blocks::Long>>,
    /// Those, and what calls made that may still lie there: such a text is not made again.
    pub(crate) lying_texts: RefCell<Vec<blocks::Long>>,
    /// Whether the VM has been played in at all.
    pub(crate) entered: Cell<bool>,
    /// Whether it had been when the step began.
    pub(crate) used: Cell<bool>,
    /// Whether the step is known to have succeeded before.
    pub(crate) known_good: Cell<bool>,
    lua: WeakLua,
}

impl Host {
    /// The host of a VM that is about to load.
    pub(crate) fn new(
        lua: &Lua,
        settings: Value,
        sources: Sources,
        (environments, wrapped): (Environments, Wrapped),
        (disabled, edition): (Aside, Edition),
        trace: Option<Trace>,
    ) -> Rc<Self> {
        Rc::new_cyclic(|this| Self {
            this: this.clone(),
            now: Now::default(),
            lent: Lent::default(),
            scope: CallScope::default(),
            mirrors: Mirrors::default(),
            fuel: Fuel::default(),
            settings,
            disabled,
            edition,
            sources,
            environments,
            wrapped,
            compiling: Cell::new(false),
            heard: Heard::default(),
            functions: RefCell::default(),
            prelude: Prelude::default(),
            lasting: RefCell::default(),
            long_texts: RefCell::default(),
            lying_texts: RefCell::default(),
            entered: Cell::new(false),
            used: Cell::new(false),
            known_good: Cell::new(false),
            registry: OnceCell::new(),
            hooks: HookTable::default(),
            reworded: OnceCell::new(),
            made: Made::default(),
            protected: Protected::default(),
            holds: Cell::new(false),
            holds_calls: Cell::new(false),
            asks_bot: Cell::new(false),
            trace,
            shared_budget: SharedBudget::default(),
            lying_errors: Cell::new(0),
            spoiled: Cell::new(false),
            lua: lua.weak(),
        })
    }

    /// Refuses what may not be used now. Every function that scripts can call begins with this.
    pub(crate) fn allows(&self, when: When, name: &str) -> Result<(), Problem> {
        self.now.allows(when, name)?;
        if when != When::Loading {
            return Ok(());
        }
        // What is declared lies in our memory and not in that of Lua: its number ends with the
        // fuel, its size with what we hold.
        self.charge(limits::FUEL_PER_DECLARATION)?;
        fuel::held_too_much().map_or(Ok(()), Err)
    }

    /// Takes fuel, or says that there is none left.
    pub(crate) fn charge(&self, units: usize) -> Result<(), Problem> {
        if fuel::charge(units) { Ok(()) } else { Err(self.fuel.problem()) }
    }

    /// Refuses to go on where the budget is spent, or the host keeps too much.
    pub(crate) fn paid(&self) -> Result<(), Problem> {
        if meter::is_spent() { Err(self.fuel.problem()) } else { Ok(()) }
    }

    /// What went wrong in a function of ours: a Problem without a place gets that of the Lua that called.
    #[cold]
    pub(crate) fn placed(&self, fault: Fault) -> Fault {
        match fault {
            Fault::OnTop => fault,
            Fault::Error(error) => Fault::Error(self.placed_error(error)),
        }
    }

    /// The same of an error.
    pub(crate) fn placed_error(&self, error: mlua::Error) -> mlua::Error {
        let lost = error.downcast_ref::<Problem>().filter(|problem| problem.place.is_none());
        let Some(problem) = lost else { return error };
        let caller = self.place_of_caller(&self.lua());
        Problem { place: (caller.line > 0).then_some(caller), ..problem.clone() }.into()
    }

    /// Where the Lua stands that called us: mod, file, line and the text of that line.
    pub(crate) fn place_of_caller(&self, lua: &Lua) -> Place {
        let caller = self.caller(lua);
        caller.and_then(|(chunk, line)| self.sources.place(&chunk, line)).unwrap_or_default()
    }

    /// Who called us: the id of the mod, and where its Lua stands as it is shown in short; both empty if
    /// none did.
    pub(crate) fn caller_in_short(&self, stack: Stack<'_>) -> (String, String) {
        let found = stack.find_call(CALLS, |chunk, line| {
            let chunk = chunk.to_string_lossy();
            let owner = self.sources.owner(&chunk)?;
            // Hardly any path holds what is not to be shown.
            let short = match line > 0 && chunk.bytes().all(|byte| byte.is_ascii_graphic()) {
                true => [&*chunk, ":", &line.to_string()].concat(),
                false => {
                    let file = chunk.split_once('/').map_or("", |(_, file)| file);
                    Place::new(owner, file, line).to_string()
                }
            };
            Some((owner.to_owned(), short))
        });
        found.unwrap_or_default()
    }

    /// The id of the mod whose Lua called us; empty if none did.
    pub(crate) fn calling_mod(&self, lua: &Lua) -> String {
        let caller = self.caller(lua);
        let owner = |(chunk, _): (String, u32)| self.sources.owner(&chunk).map(str::to_owned);
        caller.and_then(owner).unwrap_or_default()
    }

    /// The chunk and the line of the mod's Lua that called us.
    fn caller(&self, lua: &Lua) -> Option<(String, u32)> {
        let mut found = None;
        let out = &mut found;
        let asked = luau::once::<()>(lua, (), |stack| {
            *out = stack.find_call(CALLS, |chunk, line| {
                let chunk = chunk.to_string_lossy();
                self.sources.owner(&chunk).is_some().then(|| (chunk.into_owned(), line))
            });
        });
        asked.ok().and(found)
    }

    pub(crate) fn lua(&self) -> Lua {
        self.lua.upgrade()
    }

    /// A field that the host itself looks for in a plain table.
    pub(crate) fn field<V: FromLua>(&self, table: &Table, name: &'static str) -> mlua::Result<V> {
        if let Some(word) = self.made.words.borrow().get(name) {
            return table.raw_get(word);
        }
        let word = self.lua().create_string(name)?;
        let found = table.raw_get(&word);
        self.made.words.borrow_mut().insert(name, word);
        found
    }

    /// Remembers the hook in which something went wrong; of several inside each other the innermost.
    pub(crate) fn blame_hook(&self, place: &Place, moment: &str) {
        let blamed = || Blamed {
            owner: place.owner.clone(),
            hook: line_of(place),
            moment: moment.to_owned(),
        };
        self.lent.blamed.borrow_mut().get_or_insert_with(blamed);
    }

    /// The registry. There is none while loading; functions for playing may count on it.
    pub(crate) fn registry(&self) -> &Rc<Registry> {
        self.registry.get().expect("the registry is there once loading has ended")
    }
}
