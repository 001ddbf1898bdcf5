//! The result of a peek at a run, and a cache for slow peeks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::entry::RunHeader;
use super::run_state::RunState;
use base::Problem;

/// A cache of peeks that read a whole journal, so that each start reads each journal once. A
/// journal that grew is read again.
#[derive(Clone, Default)]
pub(super) struct PeekCache(Arc<Mutex<BTreeMap<String, (u64, PeekResult)>>>);

/// The outcome of a peek.
type PeekResult = Result<RunPeek, Problem>;

impl PeekCache {
    pub(super) fn get(&self, run_id: &str, length: u64) -> Option<PeekResult> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .get(run_id)
            .filter(|(cached_length, _)| *cached_length == length)
            .map(|(_, found)| found.clone())
    }

    /// Removes a run that is about to change.
    pub(super) fn remove(&self, run_id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(run_id);
    }

    pub(super) fn insert(&self, run_id: &str, length: u64, found: &PeekResult) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(run_id.to_owned(), (length, found.clone()));
    }
}

/// The result of a peek at a run.
#[derive(Clone, Debug)]
pub struct RunPeek {
    /// Its header, without the profile, which only scripts read.
    pub header: RunHeader,
    /// Its run state.
    pub run_state: RunState,
    /// Whether damage was found. Lines before the checkpoint are checked only if the run is over.
    pub is_damaged: bool,
}
