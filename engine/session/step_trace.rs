//! The trace of each step, for an author who plays: its events, hooks and writes.

use super::step::Session;
use script::TraceEntry;

impl Session {
    /// Traces each step from here on. Enables strict mode, which the trace needs.
    pub fn trace_steps(&mut self) {
        if !self.is_strict {
            self.enable_strict_mode();
        }
        self.traces_steps = true;
    }

    /// Takes what the last step did, also if it was refused.
    pub fn take_step_trace(&mut self) -> Vec<TraceEntry> {
        self.vm.take_step_trace()
    }
}
