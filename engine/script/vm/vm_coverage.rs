//! The coverage that a VM records, for `explore` and `mutate`.

use super::Vm;
use crate::host::coverage::{Coverage, CoverageTrace, LineCounts};

impl Vm {
    /// The coverage so far; empty if it is not recorded.
    pub fn coverage(&self) -> Coverage {
        self.host.coverage_trace.as_ref().map(CoverageTrace::coverage).unwrap_or_default()
    }

    /// Whether it records coverage.
    pub fn traces_coverage(&self) -> bool {
        self.host.coverage_trace.is_some()
    }

    /// Goes on with the coverage of the VM that it replaces, if both record it.
    pub fn continue_coverage_of(&self, replaced: &Self) {
        if let (Some(own), Some(other)) = (&self.host.coverage_trace, &replaced.host.coverage_trace)
        {
            own.continue_trace(other);
        }
    }

    /// How often each line has run so far; empty if it is not recorded.
    pub fn line_counts(&self) -> LineCounts {
        self.host.coverage_trace.as_ref().map(CoverageTrace::line_counts).unwrap_or_default()
    }
}
