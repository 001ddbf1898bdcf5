//! Fuel spent by each mod. Accounts have numbers, because hooks switch the account often and a name
//! takes longer to find.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::fuel::FuelByMod;
use crate::base::meter::PARTS_PER_FUEL_UNIT;

/// The accounts of the mods, in parts of a unit. The first is for code of no mod.
pub(crate) struct FuelAccounts {
    accounts: RefCell<Vec<(String, u64)>>,
    numbers: RefCell<BTreeMap<String, usize>>,
    current: Cell<usize>,
}

impl Default for FuelAccounts {
    fn default() -> Self {
        Self {
            accounts: RefCell::new(vec![(String::new(), 0)]),
            numbers: RefCell::new([(String::new(), 0)].into()),
            current: Cell::new(0),
        }
    }
}

impl FuelAccounts {
    /// Resets all accounts.
    pub(super) fn reset(&self) {
        self.accounts.borrow_mut().iter_mut().for_each(|(_, parts)| *parts = 0);
        self.current.set(0);
    }

    /// The number of a mod's account; it never changes.
    pub(super) fn account_of(&self, owner: &str) -> usize {
        if let Some(number) = self.numbers.borrow().get(owner) {
            return *number;
        }
        let mut all = self.accounts.borrow_mut();
        all.push((owner.to_owned(), 0));
        self.numbers.borrow_mut().insert(owner.to_owned(), all.len() - 1);
        all.len() - 1
    }

    /// Selects another account. Returns the previous one.
    pub(super) fn switch_to(&self, number: usize) -> usize {
        self.current.replace(number)
    }

    /// The mod of the current account.
    pub(super) fn current_mod(&self) -> String {
        self.accounts.borrow()[self.current.get()].0.clone()
    }

    /// Charges parts of units to the current account.
    pub(super) fn charge(&self, parts: u64) {
        self.accounts.borrow_mut()[self.current.get()].1 += parts;
    }

    /// What each mod has spent, largest first.
    pub(super) fn spent_by_mod(&self) -> FuelByMod {
        let all = self.accounts.borrow();
        let units = all
            .iter()
            .map(|(who, parts)| (who.clone(), parts / PARTS_PER_FUEL_UNIT.unsigned_abs()));
        let mut spent: FuelByMod = units.filter(|(_, units)| *units > 0).collect();
        spent.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        spent
    }
}

/// What a hook has spent, and since which fill.
#[derive(Default)]
pub(crate) struct HookBudget(Cell<(u64, i64)>);

impl HookBudget {
    /// What was spent since a fill.
    pub(super) fn spent(&self, filling: u64) -> i64 {
        let (since, used) = self.0.get();
        if since == filling { used } else { 0 }
    }

    /// Adds to what was spent.
    pub(super) fn charge(&self, filling: u64, units: i64) {
        self.0.set((filling, self.spent(filling) + units));
    }
}

/// The limit of one call of a hook, and what is restored afterwards.
pub(crate) struct HookAllowance {
    /// The previous account.
    pub(super) previous_account: usize,
    /// The fuel left before.
    pub(super) left_before: i64,
    /// The fuel that the hook may use.
    pub(super) allowed: i64,
    /// The limit that applied before, if one did.
    pub(super) outer_share: Option<i64>,
}
