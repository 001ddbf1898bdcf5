//! The VM: sealed, loaded from a set of mods, discarded and rebuilt at any time. Between calls it
//! holds nothing that cannot be rebuilt from the mods.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Lua, Table, Value as LuaValue};

use super::disabled::{Aside, Blamed, line_of};
use super::environment::Environments;
use super::fuel::{self, Rigour, Spent};
use super::host::Host;
use super::one_budget::OneBudget;
use super::phase::{Permit, Phase};
use super::reworded::Rewording;
use super::row::{Api, Row};
use super::sources::Sources;
use super::trace::{LineCounts, Reached, Trace};
use super::wrapped::Wrapped;
use super::{blocks, error, from_lua, interrupt, load, sandbox};
use crate::content::{self, Kind, Registry, Shapes};
use crate::kit::fault::planted;
use crate::kit::{Place, Problem, Value, limits, meter};
use crate::luau;
use crate::mods::ModSet;
use crate::play::{Edition, World};

/// Settings of mods: a map from mod id to a map of values. A missing value has the default of the
/// manifest.
pub type Settings = Value;

/// A hook on an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookLine {
    /// The name of the event.
    pub moment: String,
    /// Whether it runs before and may change the event, or after and sees its final value.
    pub before: bool,
    /// The place of the function.
    pub place: Place,
}

/// The names of Luau's library that are available. Their types are Luau's.
pub const LIBRARY: &[(&str, &str)] = &[
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
pub const TYPES: &str = include_str!("types.luau");

/// Registers the host functions of all topics.
fn declare(lua: &Lua, host: &Rc<Host>, names: &Table) -> mlua::Result<Vec<Row>> {
    luau::allow_blank(lua)?;
    let mut api = Api::new(lua, host, names)?;
    from_lua::declare(&mut api)?;
    Ok(api.into_rows())
}

/// The host's own names, without kinds and without Luau's library.
pub fn surface() -> Vec<Row> {
    let nothing = (Sources::default(), (Environments::default(), Wrapped::default()));
    let taken = (Aside::default(), Edition::NOW);
    let lua = Lua::new();
    let host = Host::new(&lua, Value::map(), nothing.0, nothing.1, taken, None);
    let rows = lua.create_table().and_then(|names| declare(&lua, &host, &names));
    rows.expect("the host functions are ours, and need no mod")
}

/// How a VM is loaded.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Whether it records coverage.
    pub traces: bool,
    /// Whether every file runs, without the declaration cache.
    pub anew: bool,
    /// Whether strict mode is on: writes, events, arguments and results are type-checked.
    pub holds: bool,
}

/// A sealed VM with the registry of its mods.
pub struct Vm {
    lua: Lua,
    host: Rc<Host>,
    warnings: Vec<Problem>,
    /// Memory in use when loading ended, in bytes.
    resting: usize,
    /// Whether every file has run, without the declaration cache.
    anew: bool,
}

impl Vm {
    /// Loads all mods into a new VM.
    pub fn load(mods: &ModSet, settings: &Settings) -> Result<Self, Vec<Problem>> {
        Self::load_so(mods, settings, (&Aside::default(), Edition::NOW), How::default())
    }

    /// Loads all mods into a new VM in strict mode.
    pub fn load_held(mods: &ModSet, settings: &Settings) -> Result<Self, Vec<Problem>> {
        let how = How { holds: true, ..How::default() };
        Self::load_so(mods, settings, (&Aside::default(), Edition::NOW), how)
    }

    /// Loads all mods into a new VM and runs every file, without the declaration cache. The result
    /// is the same; tests compare the two.
    pub fn load_anew(mods: &ModSet, settings: &Settings) -> Result<Self, Vec<Problem>> {
        let how = How { anew: true, ..How::default() };
        Self::load_so(mods, settings, (&Aside::default(), Edition::NOW), how)
    }

    /// Loads all mods into a new VM in strict mode with coverage, for `explore`.
    pub fn load_traced(mods: &ModSet, settings: &Settings) -> Result<Self, Vec<Problem>> {
        let how = How { traces: true, anew: true, holds: true };
        Self::load_so(mods, settings, (&Aside::default(), Edition::NOW), how)
    }

    /// Loads mods with disabled hooks and mods and with options. Loads them a second time if it
    /// turns out that later mods change exports.
    pub fn load_so(
        mods: &ModSet,
        settings: &Settings,
        taken: (&Aside, Edition),
        how: How,
    ) -> Result<Self, Vec<Problem>> {
        let once = |wrapped| Self::build_with(mods, settings, taken, how, wrapped);
        let vm = once(BTreeSet::new())?;
        match vm.host.wrapped.unknown(vm.registry()) {
            None => Ok(vm),
            Some(wrapped) => once(wrapped),
        }
    }

    fn build_with(
        mods: &ModSet,
        settings: &Settings,
        (aside, edition): (&Aside, Edition),
        how: How,
        wrapped: BTreeSet<String>,
    ) -> Result<Self, Vec<Problem>> {
        let mut sources = Sources::default();
        for source in &mods.mods {
            for (path, text) in &source.files {
                sources.0.add(source.id(), path, text.clone());
            }
        }
        let environments = (Environments::new(mods), Wrapped::new(wrapped));
        let lua = Lua::new();
        let taken = (aside.clone(), edition);
        let trace = how.traces.then(Trace::default);
        let host = Host::new(&lua, settings.clone(), sources, environments, taken, trace);
        host.holds_calls.set(how.holds);
        host.holds.set(how.holds);
        let built = || -> mlua::Result<()> {
            lua.gc_stop();
            lua.set_memory_limit(limits::STOP_MEMORY)?;
            let names = lua.create_table()?;
            declare(&lua, &host, &names)?;
            sandbox::seal(&lua, &host, &names)?;
            interrupt::count_fuel(&lua)
        };
        built().map_err(|error| vec![error::problem(&host, &error)])?;
        let warnings = load::load(&lua, &host, mods, how.anew)?;
        let resting = lua.used_memory();
        Ok(Self { lua, host, warnings, resting, anew: how.anew })
    }

    /// The edition of the runs that it was loaded for.
    pub fn edition(&self) -> Edition {
        self.host.edition
    }

    /// Begins a step of one or more calls. In a used VM, a call that comes near a limit is left
    /// undecided (`is_inconclusive`). With `known`, for a step that has succeeded before, only
    /// limits against endless programs apply.
    pub fn begin_step(&self, known: bool) {
        let used = self.host.entered.get() || !self.anew;
        self.host.used.set(used && !planted("used_vms_judge"));
        self.host.known_good.set(known);
    }

    /// Whether the last call failed for a reason that might not occur in a new VM.
    pub fn in_doubt(&self) -> bool {
        self.host.used.get() && (self.host.spoiled.get() || fuel::stopped_in_doubt())
    }

    /// The coverage so far; empty if it is not recorded.
    pub fn reached(&self) -> Reached {
        self.host.trace.as_ref().map(Trace::reached).unwrap_or_default()
    }

    /// How often each line has run so far; empty if it is not recorded.
    pub fn line_counts(&self) -> LineCounts {
        self.host.trace.as_ref().map(Trace::counts).unwrap_or_default()
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
    pub fn sources(&self) -> &content::Sources {
        &self.host.sources
    }

    /// Warnings for the authors of the mods.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// The names that every mod sees, and the entries of Luau's libraries: `say`, `math`,
    /// `math.abs`, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let Some(base) = self.host.environments.base() else { return names };
        for (name, value) in base.pairs::<String, LuaValue>().filter_map(Result::ok) {
            if let LuaValue::Table(library) = &value {
                let inside = library.pairs::<String, LuaValue>().filter_map(Result::ok);
                names.extend(inside.map(|(inner, _)| format!("{name}.{inner}")));
            }
            names.push(name);
        }
        names.sort();
        names
    }

    /// The declared events, by name, each with its fields.
    pub fn moments(&self) -> Vec<Kind> {
        let mut moments = self.host.heard.moments.borrow().clone();
        moments.sort_by(|a, b| a.name.cmp(&b.name));
        moments
    }

    /// The schema of the state.
    pub fn shapes(&self) -> Shapes {
        self.host.heard.declared.borrow().shapes.clone()
    }

    /// The text overrides, in mod order.
    pub fn rewordings(&self) -> Vec<Arc<Rewording>> {
        self.host.rewordings()
    }

    /// The hooks on each event, in the order of their calls.
    pub fn hooks(&self) -> Vec<HookLine> {
        let declared = self.host.heard.declared.borrow();
        let mut lines = Vec::new();
        for (moment, hooks) in &declared.hooks {
            for (before, list) in [(true, &hooks.before), (false, &hooks.after)] {
                lines.extend(list.iter().map(|id| HookLine {
                    moment: moment.to_string(),
                    before,
                    place: self.host.place_of(*id),
                }));
            }
        }
        lines
    }

    /// Whether the VM may be used again. After memory has run out it must be rebuilt.
    pub fn usable(&self) -> bool {
        !self.host.spoiled.get()
    }

    /// Lets the following calls share one budget until the guard is dropped: each gets an equal
    /// part in any case, and a quarter of what is left. Inside another shared budget, that one
    /// stays.
    #[must_use = "the budget is shared while this exists"]
    pub fn one_budget(&self, calls: usize) -> OneBudget<'_> {
        self.host.shared_budget.share(calls)
    }

    /// The fuel that each mod spent in the last call, largest first.
    pub fn spent(&self) -> Spent {
        self.host.fuel.spent()
    }

    /// The state that all functions for scripts share.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    /// The hook that failed in the last call, if one did.
    pub fn blamed(&self) -> Option<Blamed> {
        self.host.lent.blamed.borrow().clone()
    }

    /// Adds the failed hook to the trail, if it is not named already.
    fn naming_hook(&self, mut problem: Problem) -> Problem {
        let Some(blamed) = self.blamed() else { return problem };
        let in_hook = |place: &Place| {
            place.owner == blamed.owner && blamed.hook.starts_with(&format!("{}:", place.file))
        };
        if !problem.place.iter().chain(&problem.trail).any(in_hook) {
            let functions = self.host.functions.borrow();
            let is_it =
                |place: &&Place| place.owner == blamed.owner && line_of(place) == blamed.hook;
            let place = functions.iter().map(|kept| &*kept.place).find(is_it);
            problem.trail.extend(place.cloned());
        }
        problem
    }

    /// Lends the world to the VM for one call, with full fuel and memory, and always returns it.
    /// Nothing is rolled back here.
    pub(crate) fn enter<R>(
        &self,
        world: &mut World,
        profile: &Value,
        permit: Permit,
        work: impl FnOnce(&Lua, &Rc<Host>) -> mlua::Result<R>,
    ) -> Result<R, Problem> {
        let host = &self.host;
        let begun = self.make_room().and_then(|()| host.begin_mirrors(&self.lua, world));
        let number = begun.map_err(|error| error::problem(host, &error))?;
        std::mem::swap(world, &mut *host.lent.world.borrow_mut());
        if *host.lent.profile.borrow() != *profile {
            host.lent.profile.replace(profile.clone());
        }
        host.now.phase.set(Phase::Playing);
        host.now.permit.set(permit);
        host.entered.set(true);
        let budget = host.shared_budget.next();
        host.fuel.fill(budget, self.lua.used_memory(), host.rigour());
        meter::set_most_kept(match host.rigour() {
            Rigour::Known => usize::MAX,
            _ => limits::KEPT_PER_STEP,
        });
        blocks::begin_with(&host.texts_that_lie_there());
        host.lent.blamed.take();
        host.scope.begin(number);
        let result = work(&self.lua, host);
        host.shared_budget.spend(budget - fuel::left().max(0));
        host.lying_errors.set(host.lying_errors.get().saturating_add(meter::kept()));
        host.scope.end();
        blocks::look_at_texts();
        host.lying_texts.replace(blocks::long_texts());
        blocks::end();
        host.now.phase.set(Phase::Between);
        std::mem::swap(world, &mut *host.lent.world.borrow_mut());
        let outcome = match result {
            Ok(_) if host.fuel.is_spent() => Err(self.naming_hook(error::spent(host))),
            Ok(result) => {
                // A game that caught the error of a hook does not need it.
                host.lent.blamed.take();
                Ok(result)
            }
            Err(error) => Err(self.naming_hook(error::problem(host, &error))),
        };
        // Long hash chains would slow down later calls.
        if blocks::is_chained() {
            host.spoiled.set(true);
        }
        outcome
    }

    /// Prepares memory for a call: always the same amount, whatever earlier calls left behind.
    fn make_room(&self) -> mlua::Result<()> {
        let used = self.lua.used_memory();
        if self.host.scope.is_full() {
            self.host.drop_mirrors(&self.lua)?;
            self.host.scope.clear();
        }
        let errors = self.host.lying_errors.get();
        if used + errors > self.resting + self.host.made.grown.get() + limits::GARBAGE {
            load::collect(&self.lua)?;
            self.host.lying_texts.take();
            self.host.lying_errors.set(0);
        }
        let more = if self.host.known_good.get() { limits::SPARE_MEMORY } else { 0 };
        self.lua.set_memory_limit(self.lua.used_memory() + limits::STOP_MEMORY + more)?;
        Ok(())
    }
}
