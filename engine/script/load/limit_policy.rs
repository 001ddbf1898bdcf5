//! Selects the limit policy of the current call, and lists the long texts that files left behind.

use crate::functions::freeze_values::FrozenFunctions;
use crate::host::Host;
use crate::limits::allocation_checks;
use crate::limits::fuel::LimitPolicy;

impl Host {
    /// The policy of the current call.
    pub(crate) fn limit_policy(&self) -> LimitPolicy {
        if self.was_used_before_step.get() { LimitPolicy::UsedVm } else { LimitPolicy::NewVm }
    }

    /// The long texts that exist when a call begins: those of the files, and those of calls since
    /// garbage was collected.
    pub(crate) fn existing_long_texts(&self) -> Vec<allocation_checks::TextHashAndSize> {
        let leftover_texts = self.leftover_long_texts.borrow();
        if leftover_texts.is_empty() {
            self.long_texts.borrow().clone()
        } else {
            leftover_texts.clone()
        }
    }

    /// Adds the functions with upvalues that a freeze reached.
    pub(crate) fn add_frozen_closures(&self, functions: FrozenFunctions) {
        self.frozen_closures.borrow_mut().extend(functions.closures_by_address);
    }
}
