//! Fuel spent by each mod. Accounts have numbers, because hooks switch the account often and a name
//! takes longer to find.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::fuel::Spent;
use crate::kit::meter::PARTS;

/// The accounts of the mods, in parts of a unit. The first is for code of no mod.
pub(crate) struct Spenders {
    all: RefCell<Vec<(String, u64)>>,
    numbers: RefCell<BTreeMap<String, usize>>,
    present: Cell<usize>,
}

impl Default for Spenders {
    fn default() -> Self {
        Self {
            all: RefCell::new(vec![(String::new(), 0)]),
            numbers: RefCell::new([(String::new(), 0)].into()),
            present: Cell::new(0),
        }
    }
}

impl Spenders {
    /// Resets all accounts.
    pub(super) fn begin(&self) {
        self.all.borrow_mut().iter_mut().for_each(|(_, parts)| *parts = 0);
        self.present.set(0);
    }

    /// The number of a mod's account; it never changes.
    pub(super) fn number_of(&self, owner: &str) -> usize {
        if let Some(number) = self.numbers.borrow().get(owner) {
            return *number;
        }
        let mut all = self.all.borrow_mut();
        all.push((owner.to_owned(), 0));
        self.numbers.borrow_mut().insert(owner.to_owned(), all.len() - 1);
        all.len() - 1
    }

    /// Selects another account. Returns the previous one.
    pub(super) fn turn_to(&self, number: usize) -> usize {
        self.present.replace(number)
    }

    /// The mod of the current account.
    pub(super) fn present(&self) -> String {
        self.all.borrow()[self.present.get()].0.clone()
    }

    /// Charges parts of units to the current account.
    pub(super) fn lay(&self, parts: u64) {
        self.all.borrow_mut()[self.present.get()].1 += parts;
    }

    /// What each mod has spent, largest first.
    pub(super) fn spent(&self) -> Spent {
        let all = self.all.borrow();
        let units = all.iter().map(|(who, parts)| (who.clone(), parts / PARTS.unsigned_abs()));
        let mut spent: Spent = units.filter(|(_, units)| *units > 0).collect();
        spent.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        spent
    }
}

/// What a hook has spent, and since which fill.
#[derive(Default)]
pub(crate) struct Purse(Cell<(u64, i64)>);

impl Purse {
    /// What was spent since a fill.
    pub(super) fn used(&self, filling: u64) -> i64 {
        let (since, used) = self.0.get();
        if since == filling { used } else { 0 }
    }

    /// Adds to what was spent.
    pub(super) fn lay(&self, filling: u64, units: i64) {
        self.0.set((filling, self.used(filling) + units));
    }
}

/// The limit of one call of a hook, and what is restored afterwards.
pub(crate) struct Share {
    /// The previous account.
    pub(super) spender: usize,
    /// The fuel left before.
    pub(super) left: i64,
    /// The fuel that the hook may use.
    pub(super) given: i64,
    /// The limit that applied before, if one did.
    pub(super) share: Option<i64>,
}
