//! Checks of writes to the state against their schema. In strict mode a wrong write is refused.
//! When a failed step is diagnosed, its wrong writes are collected, and nothing else changes.

use crate::host::Host;
use crate::host::write_checks::WrongWrite;
use crate::vm::Vm;
use base::{Code, Problem, Value, meter};
use state::{Key, TableHandle};

/// Maximum number of collected wrong writes.
const MAX_COLLECTED_WRITES: usize = 16;

impl Host {
    /// Sets strict mode.
    pub(crate) fn set_strict(&self, is_strict: bool) {
        self.is_strict.set(is_strict);
        self.write_checks
            .is_enabled
            .set(is_strict || self.write_checks.collected_writes.borrow().is_some());
    }

    /// The Problem of a write that is refused, where writes are checked.
    #[cold]
    pub(crate) fn check_write(
        &self,
        node: TableHandle,
        key: &Key,
        value: Option<&Value>,
    ) -> Option<Problem> {
        self.trace_write(node, Some(key));
        let mut collected = self.write_checks.collected_writes.borrow_mut();
        let Some(collected) = &mut *collected else {
            return self.check_strict_write(&self.lua(), node, key, value);
        };
        // A diagnosis costs no fuel.
        meter::run_without_charge(|| {
            let path = self.format_state_path(node, Some(key.clone()));
            // A later write replaces an earlier one, and all that was below it.
            collected.retain(|earlier| !is_at_or_below(&earlier.path, &path));
            if let Some(problem) = self.check_strict_write(&self.lua(), node, key, value)
                && problem.code == Code::StateWrongValue
                && collected.len() < MAX_COLLECTED_WRITES
            {
                let problem = problem.at(self.place_of_caller(&self.lua())).explain(self);
                collected.push(WrongWrite { path, type_problem: problem });
            }
        });
        None
    }
}

/// Whether a path is another one, or leads into it.
fn is_at_or_below(path: &str, other: &str) -> bool {
    let rest = path.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

impl Vm {
    /// From now on, wrong writes are collected and not refused.
    pub fn collect_wrong_writes(&self) {
        let host = self.host();
        host.write_checks.collected_writes.replace(Some(Vec::new()));
        host.set_strict(host.is_strict.get());
    }

    /// Ends the collection; returns what was not written again, oldest first.
    pub fn take_wrong_writes(&self) -> Vec<WrongWrite> {
        let host = self.host();
        let collected = host.write_checks.collected_writes.take();
        host.set_strict(host.is_strict.get());
        collected.unwrap_or_default()
    }
}
