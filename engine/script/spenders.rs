//! Who spends fuel, and how much: mods by number, since hooks change the spender often and a name
//! takes its time to be found.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::fuel::Spent;
use crate::kit::meter::PARTS;

/// The mods that may spend, and what each has spent in parts of a unit. The first is nobody.
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
    /// Nobody has spent anything.
    pub(super) fn begin(&self) {
        self.all.borrow_mut().iter_mut().for_each(|(_, parts)| *parts = 0);
        self.present.set(0);
    }

    /// The number of a mod, which stays the same.
    pub(super) fn number_of(&self, owner: &str) -> usize {
        if let Some(number) = self.numbers.borrow().get(owner) {
            return *number;
        }
        let mut all = self.all.borrow_mut();
        all.push((owner.to_owned(), 0));
        self.numbers.borrow_mut().insert(owner.to_owned(), all.len() - 1);
        all.len() - 1
    }

    /// Makes another mod the one who spends. Says who was it before.
    pub(super) fn turn_to(&self, number: usize) -> usize {
        self.present.replace(number)
    }

    /// Whoever spends now.
    pub(super) fn present(&self) -> String {
        self.all.borrow()[self.present.get()].0.clone()
    }

    /// Lays parts of units to whoever spends now.
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

/// What a hook has spent, and since which filling.
#[derive(Default)]
pub(crate) struct Purse(Cell<(u64, i64)>);

impl Purse {
    /// What was spent since a filling.
    pub(super) fn used(&self, filling: u64) -> i64 {
        let (since, used) = self.0.get();
        if since == filling { used } else { 0 }
    }

    /// Some more was spent.
    pub(super) fn lay(&self, filling: u64, units: i64) {
        self.0.set((filling, self.used(filling) + units));
    }
}

/// What a hook was given, and what is to be given back after it.
pub(crate) struct Share {
    /// Who spent before.
    pub(super) spender: usize,
    /// What was left before.
    pub(super) left: i64,
    /// What was left to the hook.
    pub(super) given: i64,
    /// The share that held before, if one did.
    pub(super) share: Option<i64>,
}
