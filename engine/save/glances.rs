//! What a glance at a run tells, and what is remembered of glances that took long.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::entry::Header;
use super::run_state::RunState;
use crate::kit::Problem;

/// Glances that took a walk along a whole journal, so that a start walks along each once. A journal that grew
/// is looked at anew.
#[derive(Clone, Default)]
pub(super) struct Glances(Arc<Mutex<BTreeMap<String, (u64, Found)>>>);

/// What came of a glance.
type Found = Result<Glance, Problem>;

impl Glances {
    pub(super) fn of(&self, run_id: &str, length: u64) -> Option<Found> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(run_id).filter(|(then, _)| *then == length).map(|(_, found)| found.clone())
    }

    /// Forgets a run that is about to be changed.
    pub(super) fn forget(&self, run_id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(run_id);
    }

    pub(super) fn keep(&self, run_id: &str, length: u64, found: &Found) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(run_id.to_owned(), (length, found.clone()));
    }
}

/// What a glance at a run tells.
#[derive(Clone, Debug)]
pub struct Glance {
    /// What it was started with.
    pub header: Header,
    /// Where it stands.
    pub run_state: RunState,
    /// Whether damage was seen. What lies before the checkpoint is looked at only where the run is over.
    pub damaged: bool,
}
