//! The trace of a step that a VM records in strict mode, for an author.

use super::Vm;
use crate::host::step_trace::TraceEntry;

impl Vm {
    /// Records what is done from here on, in strict mode.
    pub fn begin_step_trace(&self) {
        let host = self.host();
        // Only a hook that is loaded is seen, so that calls in play cost nothing. If the memory does
        // not suffice, some hooks are not seen.
        let _ = host.hook_table.forget_functions(&host.lua());
        host.step_trace.begin();
    }

    /// Ends it; returns what was done, in order.
    pub fn take_step_trace(&self) -> Vec<TraceEntry> {
        self.host().step_trace.take_entries()
    }
}
