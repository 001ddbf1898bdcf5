//! Fuel: the budget of Lua, counted and never timed, so that the same script stops at the same
//! place on every machine. One unit is one interrupt of the VM (a call, a return, a turn of a
//! loop, a step of a pattern); bulk work of the library is charged by size beside it. Memory is
//! watched at the same time: stopped here, a script leaves a whole VM behind; the hard limit of the
//! allocator, further out, does not promise that. What Luau does in one instruction is bounded by what
//! it may do it with: long texts and crowded tables, which `blocks` hears of as they are made.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

mod pause;
mod tick;

pub(crate) use pause::pause;
pub(crate) use tick::{
    Tick, closely, count, doubting, looked, memory_is_short, note_stop, seen, stopped_at, tick,
};

use super::blocks;
use super::spenders::{Purse, Share, Spenders};
use crate::kit::fault::planted;
use crate::kit::meter::{self, PARTS};
use crate::kit::{Problem, limits};

/// Longest time that one call may take by the clock. This is the last resort against work that
/// the count of fuel misjudges; it is not repeatable, so a refusal for it is written down and
/// obeyed when a run is replayed.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// No block that Luau asks for is larger than this and what is spared beyond the limit, in KiB.
const LARGEST_BLOCK_KIB: i32 = 8 * 1024;

/// A call that is known to have succeeded may spend so many times as much: others were the prices then.
const KNOWN_PART: i64 = 16;

/// A hook may spend one part in so many of a step's fuel.
const HOOKS_PART: i64 = 4;

thread_local! {
    static RIGOUR: Cell<Rigour> = const { Cell::new(Rigour::Judging) };
    static STOPPED_BY: Cell<Stop> = const { Cell::new(Stop::Fuel) };
    /// The most memory that the VM may have in use, in KiB.
    static MEMORY_KIB: Cell<i32> = const { Cell::new(0) };
    /// The same, or less than any VM has, where each interrupt is to be looked at more closely.
    static CLOSELY_KIB: Cell<i32> = const { Cell::new(0) };
    /// Where Lua was first stopped: chunks and lines, innermost first.
    static STOPPED_AT: RefCell<Vec<(String, u32)>> = const { RefCell::new(Vec::new()) };
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
    /// What was left at the last look, in parts of a unit as `meter` counts them.
    static LOOKED: Cell<i64> = const { Cell::new(0) };
    /// Units by the mod whose function was found running when they had been spent. A mod's function
    /// may be called by another's without us, through a wrap or a definition; this finds it.
    static SEEN: RefCell<BTreeMap<String, i64>> = const { RefCell::new(BTreeMap::new()) };
}

/// Why a script was stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Fuel,
    Memory,
    Clock,
    /// A text that is too long has come to be.
    Text,
    /// Keys of a table were made to be found slowly.
    Crowded,
}

/// How strictly a call is held to its limits. What a VM has kept of the calls before (texts above all,
/// which are there once) makes the memory of the next one less by as much at most as is left to lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rigour {
    /// The VM is as it was made: what is counted is the same everywhere.
    Judging,
    /// The VM has been used: a call that comes near the limit by what may lie there is given up, and a VM
    /// made anew is the judge.
    Doubting,
    /// The call has succeeded before: only what does not end is stopped.
    Known,
}

/// Fuel spent by each mod in one call, largest first.
pub type Spent = Vec<(String, u64)>;

/// The budget of Lua, and who spends it. All figures in it are parts of a unit: what is left lies in `meter`, so that
/// the interrupt needs no pointer of ours.
#[derive(Default)]
pub(crate) struct Fuel {
    budget: Cell<i64>,
    spenders: Spenders,
    /// What was left when the present spender began.
    since: Cell<i64>,
    /// How often it was filled: what a hook has spent counts until the next filling.
    filling: Cell<u64>,
    /// The share of the hook that runs now, where that is less than what is left at all.
    share: Cell<Option<i64>>,
}

impl Fuel {
    /// Fills up for one call, with units of fuel. `used` is the memory in use now, in bytes.
    pub(crate) fn fill(&self, units: i64, used: usize, rigour: Rigour) {
        RIGOUR.set(rigour);
        let known = if rigour == Rigour::Known { KNOWN_PART } else { 1 };
        let budget = units * PARTS * known;
        self.budget.set(budget);
        self.since.set(budget);
        self.spenders.begin();
        self.filling.set(self.filling.get() + 1);
        self.share.set(None);
        meter::set_left(budget);
        LOOKED.set(budget);
        SEEN.take();
        STOPPED_BY.set(Stop::Fuel);
        STOPPED_AT.take();
        blocks::begin();
        self.make_room(used);
        DEADLINE.set(now().checked_add(TIME_LIMIT));
    }

    /// Lets what runs from now on take as much memory as any one call or mod may. `used` is the
    /// memory in use now, in bytes.
    pub(crate) fn make_room(&self, used: usize) {
        let_room(used);
        meter::set_kept(0);
    }

    /// The budget that was given last, in units.
    pub(crate) fn budget_units(&self) -> i64 {
        self.budget.get() / PARTS
    }

    /// Gives the mod that is loaded next as much as any, whatever those before it spent.
    pub(crate) fn begin_mod(&self) {
        self.allow(self.budget_units());
    }

    /// Gives what runs from now on so many units, and no more.
    pub(crate) fn allow(&self, units: i64) {
        self.settle();
        let budget = units * PARTS;
        self.budget.set(budget);
        meter::set_left(budget);
        LOOKED.set(budget);
        self.since.set(budget);
    }

    /// Whether the budget is spent.
    pub(crate) fn is_spent(&self) -> bool {
        meter::is_spent()
    }

    /// The Problem of a spent budget: it blames the largest spender.
    pub(crate) fn problem(&self) -> Problem {
        let blamed = self.most();
        let who = blamed.as_deref().filter(|who| !who.is_empty());
        let who = who.map(|who| format!("; most of it was spent by `{who}`")).unwrap_or_default();
        match STOPPED_BY.get() {
            Stop::Fuel if meter::keeps_too_much() => out_of_host_memory(&who),
            Stop::Fuel if self.share.get().is_some() => {
                let units = self.whole_share() / PARTS;
                let found = format!("a hook was stopped after {units} units of fuel{who}");
                Problem::error("out-of-fuel", found)
                    .expected("at most its share: a quarter of what a step may spend")
                    .hint("look for a loop or a recursion that does not end")
            }
            Stop::Fuel => {
                let units = self.budget.get() / PARTS;
                Problem::error("out-of-fuel", format!("stopped after {units} units of fuel{who}"))
                    .expected("an end: each call and each turn of a loop costs one unit")
                    .hint("look for a loop or a recursion that does not end")
            }
            Stop::Memory => out_of_memory(),
            Stop::Text => {
                let bytes = blocks::longest();
                Problem::error("text-too-long", format!("a text of {bytes} bytes was made{who}"))
                    .expected(format!("a text of at most {} bytes", limits::TEXT_BYTES))
                    .hint("tell long things line by line")
            }
            Stop::Crowded => crowded(&who),
            Stop::Clock => {
                let seconds = TIME_LIMIT.as_secs();
                Problem::error("too-slow", format!("stopped after {seconds} seconds{who}"))
                    .hint("look for work on very long texts or very large tables")
            }
        }
    }

    /// The mod that spent most: the one that was seen running, where it ran long enough to be seen.
    fn most(&self) -> Option<String> {
        let seen = SEEN.with_borrow(|seen| {
            let mods = seen.iter().filter(|(who, _)| !who.is_empty());
            let most = mods.max_by_key(|(_, units)| **units);
            most.map(|(who, _)| who.clone())
        });
        // Units that were charged in bulk since the last look belong to whoever was called last.
        let unseen = LOOKED.get().saturating_sub(meter::left());
        let called = Some(self.spenders.present()).filter(|who| !who.is_empty());
        let seen = match called {
            Some(called) if unseen > self.budget.get() / 2 => Some(called),
            _ => seen,
        };
        seen.or_else(|| self.spent().into_iter().next().map(|(who, _)| who))
    }

    /// The number of a mod that may spend.
    pub(crate) fn number_of(&self, owner: &str) -> usize {
        self.spenders.number_of(owner)
    }

    /// Makes `owner` the one who spends, until the guard is dropped.
    pub(crate) fn spender(&self, owner: &str) -> Spender<'_> {
        self.spender_of(self.number_of(owner))
    }

    /// Makes a mod, by its number, the one who spends, until the guard is dropped.
    pub(crate) fn spender_of(&self, number: usize) -> Spender<'_> {
        Spender { fuel: self, before: self.turn_to(number) }
    }

    /// Makes another mod the one who spends. Says who was it before.
    fn turn_to(&self, owner: usize) -> usize {
        self.settle();
        self.spenders.turn_to(owner)
    }

    /// Begins a hook: its mod spends, and it is held to its share. One that outruns it has spent
    /// everything: nothing goes on after it.
    pub(crate) fn begin_hook(&self, owner: usize, purse: &Purse) -> Share {
        let spender = self.turn_to(owner);
        let left = meter::left();
        let given = left.min(self.whole_share() - purse.used(self.filling.get()));
        let share = self.share.get();
        if given < left {
            self.share.set(Some(given));
        }
        meter::set_left(given);
        LOOKED.set(LOOKED.get() - (left - given));
        self.since.set(given);
        Share { spender, left, given, share }
    }

    /// Ends a hook, however it ended, and gives back what it left of its share.
    pub(crate) fn end_hook(&self, purse: &Purse, share: Share) {
        self.turn_to(share.spender);
        let now = meter::left();
        let used = share.given - now;
        purse.lay(self.filling.get(), used);
        if now >= 0 {
            self.share.set(share.share);
            LOOKED.set(LOOKED.get() + (share.left - share.given));
            meter::set_left(share.left - used);
            self.since.set(share.left - used);
        }
    }

    fn whole_share(&self) -> i64 {
        self.budget.get() / HOOKS_PART
    }

    /// Fuel spent by each mod since the last filling, largest first.
    pub(crate) fn spent(&self) -> Spent {
        self.settle();
        self.spenders.spent()
    }

    /// Lays what was spent to whoever spends.
    fn settle(&self) {
        let now = meter::left();
        let units = self.since.replace(now).saturating_sub(now);
        if let Ok(units @ 1..) = u64::try_from(units) {
            self.spenders.lay(units);
        }
    }
}

/// Puts the spender before back when it is dropped.
pub(crate) struct Spender<'a> {
    fuel: &'a Fuel,
    before: usize,
}

impl Drop for Spender<'_> {
    fn drop(&mut self) {
        self.fuel.turn_to(self.before);
    }
}

/// Takes units for work that reaches no interrupt. False if the budget is spent.
pub(crate) fn charge(units: usize) -> bool {
    meter::units(units);
    !meter::is_spent()
}

/// What is left of the budget, in whole units.
pub(crate) fn left() -> i64 {
    meter::left().div_euclid(PARTS)
}

/// Lets the VM have as much memory in use as one call may take, beside what it has now.
fn let_room(used: usize) {
    let room = match RIGOUR.get() {
        Rigour::Judging => limits::VM_MEMORY,
        Rigour::Doubting => limits::VM_MEMORY - limits::GARBAGE - limits::VM_MEMORY / 16,
        Rigour::Known => limits::VM_MEMORY + limits::SPARE_MEMORY,
    };
    MEMORY_KIB.set(i32::try_from((used + room) / 1024).unwrap_or(i32::MAX));
    look_as_closely_as_needed();
}

/// So many KiB were taken that are no part of the call.
pub(super) fn spare(kib: usize) {
    MEMORY_KIB.set(MEMORY_KIB.get().saturating_add(i32::try_from(kib).unwrap_or(i32::MAX)));
    look_as_closely_as_needed();
}

/// Looks at each interrupt from here on.
pub(super) fn look_closely() {
    CLOSELY_KIB.set(-1);
}

fn look_as_closely_as_needed() {
    CLOSELY_KIB.set(if blocks::needs_a_look() { -1 } else { MEMORY_KIB.get() });
}

/// The Problem of a mod for which we hold more than we may.
pub(crate) fn held_too_much() -> Option<Problem> {
    let mebibytes = limits::DECLARED_BYTES / (1024 * 1024);
    (meter::kept() > limits::DECLARED_BYTES).then(|| {
        Problem::error("too-large", "a mod declares more than there is room for")
            .expected(format!("at most {mebibytes} MiB for all that one mod declares"))
            .hint("look for a declaration in a loop, or for tables that hold one another twice")
    })
}

/// Whether the last call was stopped for what earlier calls may have a part in: what they made lies in
/// memory, and texts that are there already are not made again.
pub(super) fn stopped_in_doubt() -> bool {
    meter::is_spent()
        && match STOPPED_BY.get() {
            Stop::Memory | Stop::Text | Stop::Crowded => true,
            Stop::Fuel => blocks::is_dear(),
            Stop::Clock => false,
        }
}

/// The Problem of texts or keys that are in each other's way.
pub(crate) fn crowded(who: &str) -> Problem {
    let found = format!("texts, or the keys of a table, were made to be found slowly{who}");
    Problem::error("crowded-table", found)
        .expected("texts and keys that came about by themselves")
        .hint("use short names or whole numbers as keys")
}

/// The Problem of memory that ran out.
pub(crate) fn out_of_memory() -> Problem {
    let mebibytes = limits::VM_MEMORY / (1024 * 1024);
    Problem::error("out-of-memory", "the memory for scripts ran out")
        .expected(format!("at most {mebibytes} MiB in one go"))
        .hint("look for a table or a text that grows in a loop")
}

/// The Problem of a step for which the host keeps more than it may.
fn out_of_host_memory(who: &str) -> Problem {
    let mebibytes = limits::KEPT_PER_STEP / (1024 * 1024);
    let found = format!("the host would keep too much for one step{who}");
    Problem::error("out-of-memory", found)
        .expected(format!("at most {mebibytes} MiB of errors that are caught, prompts and views"))
        .hint("look for a loop that catches errors, or for long texts in what is asked and shown")
}

fn is_past(deadline: Instant) -> bool {
    planted("the_clock_runs_fast") || now() >= deadline
}

/// The one look at a clock below `ui`. It decides nothing but that a runaway step is refused, and
/// that is written into the journal.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}
