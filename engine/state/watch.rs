//! Who keeps copies of tables of the tree, and which of them they must look at again: every table that was
//! written, taken out or put back since they last asked. The tree itself does nothing with it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::State;

/// Tables that are noted at most; who did not ask for so long looks at everything.
const NOTED: usize = 65_536;

/// What is noted for whoever keeps copies. A tree that was copied has nobody who does.
#[derive(Default)]
pub(super) struct Watch {
    /// Who, as a number that nobody else has; 0 for nobody.
    by: u64,
    touched: Vec<u32>,
}

impl Clone for Watch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl State {
    /// Begins to note what is written, for somebody new. The number says who they are, and is never seen by
    /// a rule.
    pub fn watch(&mut self) -> u64 {
        static WATCHERS: AtomicU64 = AtomicU64::new(1);
        self.watch.by = WATCHERS.fetch_add(1, Ordering::Relaxed);
        self.watch.touched.clear();
        self.watch.by
    }

    /// Whether all that was written since the last look has been noted for somebody.
    pub fn is_watched_by(&self, who: u64) -> bool {
        who != 0 && self.watch.by == who
    }

    /// Whether anything was written since the last look.
    #[inline]
    pub fn is_touched(&self) -> bool {
        !self.watch.touched.is_empty()
    }

    /// The cells of tables that were written since the last look, in order, some more than once.
    pub fn take_touched(&mut self, into: &mut Vec<u32>) {
        into.clear();
        std::mem::swap(into, &mut self.watch.touched);
    }

    /// Notes that a table was written.
    #[inline]
    pub(super) fn touch(&mut self, at: u32) {
        let watch = &mut self.watch;
        if watch.by == 0 || watch.touched.last() == Some(&at) {
            return;
        }
        if watch.touched.len() >= NOTED {
            *watch = Watch::default();
            return;
        }
        watch.touched.push(at);
    }
}
