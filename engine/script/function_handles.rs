//! Functions that Lua gave us and the host keeps, by number. A number says which run of a file the
//! function came from and which of its functions it is; no two runs share a number, so that what
//! was read of a file in one VM can be said of another.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use mlua::Function;

use crate::kit::Place;

/// Runs of files so far, in all VMs.
static RUNS: AtomicU32 = AtomicU32::new(1);

/// A function of a script that the host keeps.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) function: Function,
    /// Where it was written; the owner is the mod whose fuel it burns.
    pub(crate) place: Rc<Place>,
}

/// The functions that the host keeps.
#[derive(Default)]
pub(crate) struct Functions {
    runs: BTreeMap<u32, Vec<Kept>>,
    /// The run that goes on now.
    now: u32,
}

impl Functions {
    /// Begins a run that nobody has heard of.
    pub(crate) fn begin(&mut self) -> u32 {
        self.now = RUNS.fetch_add(1, Ordering::Relaxed);
        self.now
    }

    /// Goes on with a run; says which one went on before.
    pub(crate) fn go_on(&mut self, run: u32) -> u32 {
        std::mem::replace(&mut self.now, run)
    }

    /// The run that goes on now.
    pub(crate) fn now(&self) -> u32 {
        self.now
    }

    pub(crate) fn add(&mut self, kept: Kept) -> u64 {
        let list = self.runs.entry(self.now).or_default();
        list.push(kept);
        u64::from(self.now) << 32 | (list.len() as u64 - 1)
    }

    /// A function, if it is there.
    pub(crate) fn get(&self, id: u64) -> Option<&Kept> {
        self.runs.get(&run_of(id))?.get(index_of(id))
    }

    pub(crate) fn of(&self, run: u32) -> &[Kept] {
        self.runs.get(&run).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn forget(&mut self, run: u32) {
        self.runs.remove(&run);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Kept> {
        self.runs.values().flatten()
    }
}

/// The run that a function came from.
pub(crate) fn run_of(id: u64) -> u32 {
    (id >> 32) as u32
}

/// Which of the functions of its run it is, from 0.
pub(crate) fn index_of(id: u64) -> usize {
    (id & u64::from(u32::MAX)) as usize
}
