//! Who keeps copies of tables of the tree, and which of them they must look at again: every table that was
//! written, taken out or put back since they last asked. The tree itself does nothing with it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::StateTree;

/// Tables that are noted at most; who did not ask for so long looks at everything.
const MAX_RECORDED_WRITES: usize = 65_536;

/// What is noted for whoever keeps copies. A tree that was copied has nobody who does.
#[derive(Default)]
pub(super) struct WriteTracker {
    /// Who, as a number that nobody else has; 0 for nobody.
    observer_id: u64,
    written_cells: Vec<u32>,
}

impl Clone for WriteTracker {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl StateTree {
    /// Begins to note what is written, for somebody new. The number says who they are, and is never seen by
    /// a rule.
    pub fn start_tracking_writes(&mut self) -> u64 {
        static NEXT_OBSERVER_ID: AtomicU64 = AtomicU64::new(1);
        self.write_tracker.observer_id = NEXT_OBSERVER_ID.fetch_add(1, Ordering::Relaxed);
        self.write_tracker.written_cells.clear();
        self.write_tracker.observer_id
    }

    /// Whether all that was written since the last look has been noted for somebody.
    pub fn is_tracking_for(&self, observer_id: u64) -> bool {
        observer_id != 0 && self.write_tracker.observer_id == observer_id
    }

    /// Whether anything was written since the last look.
    #[inline]
    pub fn has_recorded_writes(&self) -> bool {
        !self.write_tracker.written_cells.is_empty()
    }

    /// The cells of tables that were written since the last look, in order, some more than once.
    pub fn take_written_cells(&mut self, written_cells: &mut Vec<u32>) {
        written_cells.clear();
        std::mem::swap(written_cells, &mut self.write_tracker.written_cells);
    }

    /// Notes that a table was written.
    #[inline]
    pub(super) fn record_write(&mut self, at: u32) {
        let watch = &mut self.write_tracker;
        if watch.observer_id == 0 || watch.written_cells.last() == Some(&at) {
            return;
        }
        if watch.written_cells.len() >= MAX_RECORDED_WRITES {
            *watch = WriteTracker::default();
            return;
        }
        watch.written_cells.push(at);
    }
}
