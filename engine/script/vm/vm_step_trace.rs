//! The trace of a step that a VM records in strict mode, for an author.

use super::Vm;
use crate::host::step_trace::TraceEntry;

impl Vm {
    /// Records what is done from here on, in strict mode.
    pub fn begin_step_trace(&self) {
        self.host().step_trace.begin();
    }

    /// Ends it; returns what was done, in order.
    pub fn take_step_trace(&self) -> Vec<TraceEntry> {
        self.host().step_trace.take_entries()
    }
}
