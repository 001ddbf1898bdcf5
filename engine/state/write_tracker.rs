//! Records the written tables for an observer that caches copies of them. The tree itself does not
//! use the record.

use std::sync::atomic::{AtomicU64, Ordering};

use super::StateTree;

/// Maximum number of recorded writes. When it is exceeded, the observer must discard all its
/// copies.
const MAX_RECORDED_WRITES: usize = 65_536;

/// The record for one observer. A clone of a tree has no observer.
#[derive(Default)]
pub(super) struct WriteTracker {
    /// The unique id of the observer; 0 for none.
    observer_id: u64,
    written_cells: Vec<u32>,
}

impl Clone for WriteTracker {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl StateTree {
    /// Starts recording for a new observer. Returns its id, which no rule ever sees.
    pub fn start_tracking_writes(&mut self) -> u64 {
        static NEXT_OBSERVER_ID: AtomicU64 = AtomicU64::new(1);
        self.write_tracker.observer_id = NEXT_OBSERVER_ID.fetch_add(1, Ordering::Relaxed);
        self.write_tracker.written_cells.clear();
        self.write_tracker.observer_id
    }

    /// Whether all writes since the last query are recorded for an observer.
    pub fn is_tracking_for(&self, observer_id: u64) -> bool {
        observer_id != 0 && self.write_tracker.observer_id == observer_id
    }

    /// Whether a table was written since the last query.
    #[inline]
    pub fn has_recorded_writes(&self) -> bool {
        !self.write_tracker.written_cells.is_empty()
    }

    /// Takes the cells of the tables that were written since the last query, in order. A cell may
    /// occur more than once.
    pub fn take_written_cells(&mut self, written_cells: &mut Vec<u32>) {
        written_cells.clear();
        std::mem::swap(written_cells, &mut self.write_tracker.written_cells);
    }

    /// Records a written table.
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
