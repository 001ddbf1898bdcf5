//! One budget for several calls: the options of a start, the achievements at the end of a run, the
//! migrations of an update. Together they spend at most twice the fuel of one step, however many
//! there are.

use std::cell::Cell;

use base::limits;

/// The budget of calls that share one.
#[derive(Clone, Copy)]
struct BudgetShare {
    remaining_units: i64,
    /// The minimum that each call may spend: its equal part.
    minimum_per_call: i64,
}

/// The budget that is shared now, if any.
#[derive(Default)]
pub(crate) struct SharedBudget(Cell<Option<BudgetShare>>);

impl SharedBudget {
    /// Lets the following calls share one budget until the guard is dropped. Inside another shared
    /// budget, that one stays.
    pub(crate) fn begin_shared_budget(&self, call_count: usize) -> SharedBudgetGuard<'_> {
        let is_outermost = self.0.get().is_none();
        if is_outermost {
            let call_count = i64::try_from(call_count.max(1)).unwrap_or(i64::MAX);
            let (total_units, minimum_units) =
                (limits::MAX_FUEL_PER_STEP, limits::MAX_FUEL_PER_STEP / call_count);
            self.0.set(Some(BudgetShare {
                remaining_units: total_units,
                minimum_per_call: minimum_units,
            }));
        }
        SharedBudgetGuard { budget: self, is_outermost }
    }

    /// Units that the next call may spend.
    pub(crate) fn budget_of_next_call(&self) -> i64 {
        let call_budget = |budget_share: BudgetShare| {
            (budget_share.remaining_units / limits::SHARED_BUDGET_DIVISOR)
                .max(budget_share.minimum_per_call)
        };
        self.0.get().map_or(limits::MAX_FUEL_PER_STEP, call_budget)
    }

    /// Records the units that a call has spent.
    pub(crate) fn subtract_units(&self, units: i64) {
        let subtract_units = |budget_share: BudgetShare| BudgetShare {
            remaining_units: (budget_share.remaining_units - units).max(0),
            ..budget_share
        };
        self.0.set(self.0.get().map(subtract_units));
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
