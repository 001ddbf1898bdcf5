//! One budget for several calls: the options of a start, the achievements at the end of a run, the
//! migrations of an update. Together they spend at most twice the fuel of one step, however many
//! there are.

use std::cell::Cell;

use crate::base::limits;

/// A call may spend this fraction (one in so many) of what is left.
const SHARE_DIVISOR: i64 = 4;

/// The budget of calls that share one.
#[derive(Clone, Copy)]
struct BudgetShare {
    remaining_units: i64,
    /// What each call may spend in any case: its equal part.
    minimum: i64,
}

/// The budget that is shared now, if any.
#[derive(Default)]
pub(crate) struct SharedBudget(Cell<Option<BudgetShare>>);

impl SharedBudget {
    /// Lets the following calls share one budget until the guard is dropped. Inside another shared
    /// budget, that one stays.
    pub(super) fn share(&self, calls: usize) -> SharedBudgetGuard<'_> {
        let is_outermost = self.0.get().is_none();
        if is_outermost {
            let calls = i64::try_from(calls.max(1)).unwrap_or(i64::MAX);
            let (left, least) = (limits::FUEL_PER_STEP, limits::FUEL_PER_STEP / calls);
            self.0.set(Some(BudgetShare { remaining_units: left, minimum: least }));
        }
        SharedBudgetGuard { budget: self, is_outermost }
    }

    /// Units that the next call may spend.
    pub(super) fn next_budget(&self) -> i64 {
        let share =
            |shared: BudgetShare| (shared.remaining_units / SHARE_DIVISOR).max(shared.minimum);
        self.0.get().map_or(limits::FUEL_PER_STEP, share)
    }

    /// Records the units that a call has spent.
    pub(super) fn spend(&self, units: i64) {
        let less = |shared: BudgetShare| BudgetShare {
            remaining_units: (shared.remaining_units - units).max(0),
            ..shared
        };
        self.0.set(self.0.get().map(less));
    }
}

/// While it exists, calls share one budget.
pub struct SharedBudgetGuard<'v> {
    budget: &'v SharedBudget,
    is_outermost: bool,
}

impl Drop for SharedBudgetGuard<'_> {
    fn drop(&mut self) {
        if self.is_outermost {
            self.budget.0.set(None);
        }
    }
}
