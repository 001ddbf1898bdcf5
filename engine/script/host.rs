//! The state that all functions callable from scripts share, as one `Rc<Host>`. Parts that only
//! some functions need are separate: the call context (`CallContext`), the state of loading
//! (`LoadState`), and tables built on first use (`LazyTables`).

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

/// Maximum number of frames that are searched for the calling mod.
const CALLS: At = 64;

/// The handle of a kind.
pub(crate) struct KindName {
    pub(crate) kind: Arc<str>,
    /// The userdata that scripts hold.
    pub(crate) handle: AnyUserData,
    /// The definitions that Luau finds without us, by full id.
    pub(crate) found: Table,
}

/// The tables of a kind's definitions that were read so far: frozen, with callable functions.
#[derive(Default)]
pub(crate) struct KindTables {
    /// By full id.
    pub(crate) by_id: BTreeMap<Arc<str>, Table>,
    /// Those that are not retired, as a list in order; created on first use.
    pub(crate) list: Option<Table>,
}

/// Declarations of mods that are not definitions. The numbers are ids of stored functions.
#[derive(Default)]
pub(crate) struct Declared {
    /// Hooks by the name of their event.
    pub(crate) hooks: BTreeMap<Arc<str>, Rc<Hooks>>,
    /// The schema of the state.
    pub(crate) shapes: Shapes,
    /// Text overrides, in mod order.
    pub(crate) rewordings: Vec<Arc<Rewording>>,
    /// The function given to `start`.
    pub(crate) start: Option<u64>,
    /// The game's own lints, in order.
    pub(crate) lints: Vec<u64>,
    /// Migrations of the state: mod, version, function.
    pub(crate) migrations: Vec<(String, semver::Version, u64)>,
    /// Migrations of the profile: mod, version, function.
    pub(crate) profile_migrations: Vec<(String, semver::Version, u64)>,
}

/// What the VM borrows for one call.
pub(crate) struct Lent {
    /// The world; an empty one between calls.
    pub(crate) world: RefCell<World>,
    /// The profile in the run's header.
    pub(crate) profile: RefCell<Value>,
    /// The hook that failed in this call.
    pub(crate) blamed: RefCell<Option<Blamed>>,
}

impl Default for Lent {
    fn default() -> Self {
        let profile = RefCell::new(Value::map());
        Self { world: RefCell::default(), profile, blamed: RefCell::default() }
    }
}

/// The state of loading.
#[derive(Default)]
pub(crate) struct Heard {
    /// Kinds declared so far, in order; emptied when loading ends.
    pub(crate) kinds: RefCell<Vec<Kind>>,
    /// Declared events, in order, with their fields.
    pub(crate) moments: RefCell<Vec<Kind>>,
    /// Changes of definitions by the running file.
    pub(crate) changes: RefCell<Vec<Change>>,
    /// Other declarations of the running file.
    pub(crate) said: RefCell<Vec<Said>>,
    /// Whether the running file has side effects, that is, does more than declare.
    pub(crate) loud: Cell<bool>,
    /// Changes of earlier files that other files may still complete, by run; emptied when loading
    /// ends.
    pub(crate) open: RefCell<BTreeMap<u32, Vec<Change>>>,
    /// Results of `require`, by chunk; `None` while the file runs.
    pub(crate) required: RefCell<BTreeMap<String, Option<mlua::Value>>>,
    /// Whether a file runs again only for its functions, and its declarations are ignored.
    pub(crate) again: Cell<bool>,
    /// The id of the game.
    pub(crate) game: RefCell<String>,
    /// Declarations that wait for their body.
    pub(crate) opened: Opened,
    /// Files that have not run, by the run of their cached declarations.
    pub(crate) waiting: RefCell<BTreeMap<u32, Waiting>>,
    /// Declarations that are not definitions.
    pub(crate) declared: RefCell<Declared>,
}

/// Tables and values that are built on first use.
#[derive(Default)]
pub(crate) struct Made {
    /// The handlers that play asks for at each step.
    pub(crate) handlers: HandlerCache,
    /// The definitions that scripts have read so far, by kind. One session reads only a small part
    /// of a game.
    pub(crate) definitions: RefCell<BTreeMap<Arc<str>, KindTables>>,
    /// The handles of the kinds.
    pub(crate) names: RefCell<Vec<KindName>>,
    /// The groups of choices.
    pub(crate) groups: OnceCell<Vec<Arc<Group>>>,
    /// The rules that Luau finds without us, by name.
    pub(crate) rules: OnceCell<Table>,
    /// Keys of tables that were read before.
    pub(crate) keys: Keys,
    /// Lua texts for the field names that the host reads.
    words: RefCell<BTreeMap<&'static str, LuaString>>,
    /// The memory of all these, in bytes.
    pub(crate) grown: Cell<usize>,
}

/// The state that all functions callable from scripts share.
pub(crate) struct Host {
    /// The host itself, for functions that are created for Luau.
    pub(crate) this: Weak<Self>,
    /// The phase and the permit.
    pub(crate) now: Now,
    /// What is borrowed for a call.
    pub(crate) lent: Lent,
    /// Data of one call.
    pub(crate) scope: CallScope,
    /// The state as Luau reads it by itself.
    pub(crate) mirrors: Mirrors,
    /// The fuel budget and accounts.
    pub(crate) fuel: Fuel,
    /// Settings by mod: a map of maps.
    pub(crate) settings: Value,
    /// Disabled hooks and mods.
    pub(crate) disabled: Aside,
    /// How content behaves for the runs that are played here.
    pub(crate) edition: Edition,
    /// The texts of all files, for the lines in Problems.
    pub(crate) sources: Sources,
    /// The environments of the mods.
    pub(crate) environments: Environments,
    /// The exports that other mods change.
    pub(crate) wrapped: Wrapped,
    /// Whether a file is being compiled; Luau then resolves names ahead of time.
    pub(crate) compiling: Cell<bool>,
    /// The state of loading.
    pub(crate) heard: Heard,
    /// The stored functions.
    pub(crate) functions: RefCell<Functions>,
    /// What the library knows about loading.
    pub(crate) prelude: Prelude,
    /// The functions with upvalues that were created while loading, by address.
    pub(crate) lasting: RefCell<BTreeMap<usize, Function>>,
    /// The frozen registry; set when loading has ended.
    pub(crate) registry: OnceCell<Rc<Registry>>,
    /// The events with hooks; set when loading has ended.
    pub(crate) hooks: HookTable,
    /// The text overrides; set when loading has ended.
    pub(crate) reworded: OnceCell<Reworded>,
    /// What is built on first use.
    pub(crate) made: Made,
    /// Makes protected calls.
    pub(crate) protected: Protected,
    /// Coverage of play, if it is traced.
    pub(crate) trace: Option<Trace>,
    /// Whether strict mode is on: every write and event is type-checked.
    pub(crate) holds: Cell<bool>,
    /// Whether calls of exports can be checked too; decided before files load.
    pub(crate) holds_calls: Cell<bool>,
    /// Whether a bot is being asked; then the state is its memory.
    pub(crate) asks_bot: Cell<bool>,
    /// The budget that several calls share.
    pub(crate) shared_budget: SharedBudget,
    /// Host memory of earlier errors until garbage is collected, in bytes.
    pub(crate) lying_errors: Cell<usize>,
    /// Whether memory ran out, so that the VM must be discarded.
    pub(crate) spoiled: Cell<bool>,
    /// The long texts that files created while loading.
    pub(crate) long_texts: RefCell<Vec<blocks::Long>>,
    /// Those, and texts of earlier calls that may still exist: such a text is not created again.
    pub(crate) lying_texts: RefCell<Vec<blocks::Long>>,
    /// Whether the VM has been used for play.
    pub(crate) entered: Cell<bool>,
    /// Whether it had been used when the step began.
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

    /// Refuses a function that is not available now. Every function for scripts begins with this.
    pub(crate) fn allows(&self, when: When, name: &str) -> Result<(), Problem> {
        self.now.allows(when, name)?;
        if when != When::Loading {
            return Ok(());
        }
        // Declarations use host memory, not Lua's: fuel limits their number, a separate limit their
        // size.
        self.charge(limits::FUEL_PER_DECLARATION)?;
        fuel::held_too_much().map_or(Ok(()), Err)
    }

    /// Charges fuel, or reports that none is left.
    pub(crate) fn charge(&self, units: usize) -> Result<(), Problem> {
        if fuel::charge(units) { Ok(()) } else { Err(self.fuel.problem()) }
    }

    /// Refuses to continue if the budget is spent or the host holds too much.
    pub(crate) fn paid(&self) -> Result<(), Problem> {
        if meter::is_spent() { Err(self.fuel.problem()) } else { Ok(()) }
    }

    /// Adds the place of the calling script to a Problem without a place.
    #[cold]
    pub(crate) fn placed(&self, fault: Fault) -> Fault {
        match fault {
            Fault::OnTop => fault,
            Fault::Error(error) => Fault::Error(self.placed_error(error)),
        }
    }

    /// The same for an mlua error.
    pub(crate) fn placed_error(&self, error: mlua::Error) -> mlua::Error {
        let lost = error.downcast_ref::<Problem>().filter(|problem| problem.place.is_none());
        let Some(problem) = lost else { return error };
        let caller = self.place_of_caller(&self.lua());
        Problem { place: (caller.line > 0).then_some(caller), ..problem.clone() }.into()
    }

    /// The place of the calling script: mod, file, line and source line.
    pub(crate) fn place_of_caller(&self, lua: &Lua) -> Place {
        let caller = self.caller(lua);
        caller.and_then(|(chunk, line)| self.sources.place(&chunk, line)).unwrap_or_default()
    }

    /// The calling mod and its place in short form; both empty if no script called.
    pub(crate) fn caller_in_short(&self, stack: Stack<'_>) -> (String, String) {
        let found = stack.find_call(CALLS, |chunk, line| {
            let chunk = chunk.to_string_lossy();
            let owner = self.sources.owner(&chunk)?;
            // Almost no path has characters that cannot be shown.
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

    /// The id of the calling mod; empty if no script called.
    pub(crate) fn calling_mod(&self, lua: &Lua) -> String {
        let caller = self.caller(lua);
        let owner = |(chunk, _): (String, u32)| self.sources.owner(&chunk).map(str::to_owned);
        caller.and_then(owner).unwrap_or_default()
    }

    /// The chunk and the line of the calling mod's code.
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

    /// Reads a field of a plain table, with a cached key.
    pub(crate) fn field<V: FromLua>(&self, table: &Table, name: &'static str) -> mlua::Result<V> {
        if let Some(word) = self.made.words.borrow().get(name) {
            return table.raw_get(word);
        }
        let word = self.lua().create_string(name)?;
        let found = table.raw_get(&word);
        self.made.words.borrow_mut().insert(name, word);
        found
    }

    /// Records the hook that failed; of nested hooks the innermost.
    pub(crate) fn blame_hook(&self, place: &Place, moment: &str) {
        let blamed = || Blamed {
            owner: place.owner.clone(),
            hook: line_of(place),
            moment: moment.to_owned(),
        };
        self.lent.blamed.borrow_mut().get_or_insert_with(blamed);
    }

    /// The registry. It exists after loading; functions for play may rely on it.
    pub(crate) fn registry(&self) -> &Rc<Registry> {
        self.registry.get().expect("the registry exists after loading")
    }
}
