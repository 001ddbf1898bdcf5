//! Fuel: the budget of Lua, counted and never timed, so that the same script stops at the same
//! place on every machine. One unit is one interrupt of the VM (a call, a return, a turn of a
//! loop, a step of a pattern); bulk work of the library is charged by size beside it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::kit::Problem;

/// Longest time that one call may take by the clock. This is the last resort against work that
/// the count of fuel misjudges; it is not repeatable, so a refusal for it is written down and
/// obeyed when a run is replayed.
const TIME_LIMIT: Duration = Duration::from_secs(20);
/// Units between two looks at the clock.
const UNITS_PER_LOOK: i64 = 1024;

thread_local! {
    /// What is left of the budget of the VM that runs on this thread. It lies here so that the
    /// interrupt needs no pointer of ours.
    static LEFT: Cell<i64> = const { Cell::new(0) };
    static STOPPED_BY_CLOCK: Cell<bool> = const { Cell::new(false) };
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Fuel spent by each mod in one call, largest first.
pub type Spent = Vec<(String, u64)>;

/// The budget of Lua, and who spends it.
#[derive(Default)]
pub(crate) struct Fuel {
    budget: Cell<i64>,
    spender: RefCell<String>,
    /// What was left when the present spender began.
    since: Cell<i64>,
    spent: RefCell<BTreeMap<String, u64>>,
}

impl Fuel {
    /// Fills up for one call.
    pub(crate) fn fill(&self, budget: u64) {
        let budget = i64::try_from(budget).unwrap_or(i64::MAX);
        self.budget.set(budget);
        self.since.set(budget);
        self.spent.borrow_mut().clear();
        self.spender.borrow_mut().clear();
        LEFT.set(budget);
        STOPPED_BY_CLOCK.set(false);
        DEADLINE.set(now().checked_add(TIME_LIMIT));
    }

    /// Whether the budget is spent.
    pub(crate) fn is_spent(&self) -> bool {
        LEFT.get() < 0
    }

    /// The Problem of a spent budget: it blames the largest spender.
    pub(crate) fn problem(&self) -> Problem {
        self.settle();
        let blamed = self.spent();
        let who = blamed.first().map(|(owner, _)| owner.as_str()).filter(|who| !who.is_empty());
        let who = who.map(|who| format!("; most of it was spent by `{who}`")).unwrap_or_default();
        if STOPPED_BY_CLOCK.get() {
            let seconds = TIME_LIMIT.as_secs();
            return Problem::error("too-slow", format!("stopped after {seconds} seconds{who}"))
                .hint("look for work on very long texts or very large tables");
        }
        let budget = self.budget.get();
        Problem::error("out-of-fuel", format!("stopped after {budget} units of fuel{who}"))
            .expected("an end: each call and each turn of a loop costs one unit")
            .hint("look for a loop or a recursion that does not end")
    }

    /// Makes `owner` the one who spends, until the guard is dropped.
    pub(crate) fn spender(&self, owner: &str) -> Spender<'_> {
        self.settle();
        let before = self.spender.replace(owner.to_owned());
        Spender { fuel: self, before }
    }

    /// Fuel spent by each mod since the last filling, largest first.
    pub(crate) fn spent(&self) -> Spent {
        self.settle();
        let mut spent: Spent =
            self.spent.borrow().iter().map(|(who, units)| (who.clone(), *units)).collect();
        spent.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        spent
    }

    fn settle(&self) {
        let now = LEFT.get();
        let units = self.since.replace(now).saturating_sub(now);
        if let Ok(units @ 1..) = u64::try_from(units) {
            *self.spent.borrow_mut().entry(self.spender.borrow().clone()).or_default() += units;
        }
    }
}

/// Puts the spender before back when it is dropped.
pub(crate) struct Spender<'a> {
    fuel: &'a Fuel,
    before: String,
}

impl Drop for Spender<'_> {
    fn drop(&mut self) {
        self.fuel.settle();
        self.fuel.spender.replace(std::mem::take(&mut self.before));
    }
}

/// Takes units for work that reaches no interrupt. False if the budget is spent.
pub(crate) fn charge(units: usize) -> bool {
    let units = i64::try_from(units).unwrap_or(i64::MAX);
    let left = LEFT.get().saturating_sub(units);
    LEFT.set(left);
    left >= 0
}

/// One interrupt of the VM. False if Lua must stop.
pub(crate) fn tick() -> bool {
    let left = LEFT.get() - 1;
    LEFT.set(left);
    if left % UNITS_PER_LOOK == 0 && DEADLINE.get().is_some_and(is_past) {
        STOPPED_BY_CLOCK.set(true);
        LEFT.set(-1);
        return false;
    }
    left >= 0
}

fn is_past(deadline: Instant) -> bool {
    now() >= deadline
}

/// The one look at a clock below `ui`. It decides nothing but that a runaway step is refused, and
/// that is written into the journal.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}
