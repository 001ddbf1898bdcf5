//! Fuel spent by each mod. Accounts have numbers, because hooks switch the account often and a name
//! takes longer to find.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::fuel::FuelByMod;
use base::meter::PARTS_PER_FUEL_UNIT;

/// The accounts of the mods, in parts of a unit. The first is for code of no mod.
pub(crate) struct FuelAccounts {
    accounts: RefCell<Vec<(String, u64)>>,
    account_numbers: RefCell<BTreeMap<String, usize>>,
    current_account: Cell<usize>,
    /// What the current account spent since it was selected.
    spent_since_switch: Cell<u64>,
}

impl Default for FuelAccounts {
    fn default() -> Self {
        Self {
            accounts: RefCell::new(vec![(String::new(), 0)]),
            account_numbers: RefCell::new([(String::new(), 0)].into()),
            current_account: Cell::new(0),
            spent_since_switch: Cell::new(0),
        }
    }
}

impl FuelAccounts {
    /// Resets all accounts.
    pub(crate) fn reset(&self) {
        self.accounts.borrow_mut().iter_mut().for_each(|(_, parts)| *parts = 0);
        self.current_account.set(0);
        self.spent_since_switch.set(0);
    }

    /// The number of a mod's account; it never changes.
    pub(crate) fn account_of_mod(&self, owner: &str) -> usize {
        if let Some(number) = self.account_numbers.borrow().get(owner) {
            return *number;
        }
        let mut accounts = self.accounts.borrow_mut();
        accounts.push((owner.to_owned(), 0));
        self.account_numbers.borrow_mut().insert(owner.to_owned(), accounts.len() - 1);
        accounts.len() - 1
    }

    /// Selects an account. Returns the previous one.
    #[inline]
    pub(crate) fn switch_to(&self, number: usize) -> usize {
        let previous_number = self.current_account.get();
        // Most hooks of a game belong to the mod that emits their event.
        if number != previous_number {
            self.close_current_account();
            self.current_account.set(number);
        }
        previous_number
    }

    /// Adds to the current account what it spent since it was selected.
    fn close_current_account(&self) {
        let parts = self.spent_since_switch.take();
        self.accounts.borrow_mut()[self.current_account.get()].1 += parts;
    }

    /// The mod of the current account.
    pub(crate) fn current_mod(&self) -> String {
        self.accounts.borrow()[self.current_account.get()].0.clone()
    }

    /// Charges parts of units to the current account.
    #[inline]
    pub(crate) fn charge(&self, parts: u64) {
        self.spent_since_switch.set(self.spent_since_switch.get() + parts);
    }

    /// The fuel that each mod has spent, largest first.
    pub(crate) fn spent_by_mod(&self) -> FuelByMod {
        self.close_current_account();
        let accounts = self.accounts.borrow();
        let units_by_mod = accounts
            .iter()
            .map(|(owner, parts)| (owner.clone(), parts / PARTS_PER_FUEL_UNIT.unsigned_abs()));
        let mut fuel_by_mod: FuelByMod = units_by_mod.filter(|(_, units)| *units > 0).collect();
        fuel_by_mod.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        fuel_by_mod
    }
}

/// The fuel that a hook has spent, and the number of the fill to which it belongs.
#[derive(Default)]
pub(crate) struct HookBudget(Cell<(u64, i64)>);

impl HookBudget {
    /// The parts spent since this fill.
    pub(crate) fn spent_since_fill(&self, fill_number: u64) -> i64 {
        let (last_fill, used_parts) = self.0.get();
        if last_fill == fill_number { used_parts } else { 0 }
    }

    /// Adds to what was spent.
    pub(crate) fn charge(&self, fill_number: u64, parts: i64) {
        self.0.set((fill_number, self.spent_since_fill(fill_number) + parts));
    }
}

/// The limit of one call of a hook, and what is restored afterwards.
pub(crate) struct HookAllowance {
    /// The previous account.
    pub(crate) previous_account: usize,
    /// The fuel left before.
    pub(crate) fuel_parts_before_hook: i64,
    /// The fuel that the hook may use.
    pub(crate) allowed_fuel_parts: i64,
    /// The limit that applied before, if one did.
    pub(crate) outer_limit_parts: Option<i64>,
}
