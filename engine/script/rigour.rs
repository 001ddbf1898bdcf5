//! How strictly the call that goes on is held to its limits, and what a freeze came by.

use super::blocks;
use super::freeze::FrozenFunctions;
use super::fuel::LimitPolicy;
use super::host::Host;

impl Host {
    /// How strictly a call is held to its limits.
    pub(crate) fn limit_policy(&self) -> LimitPolicy {
        match (self.has_succeeded_before.get(), self.was_used_before_step.get()) {
            (true, _) => LimitPolicy::KnownToSucceed,
            (false, true) => LimitPolicy::UsedVm,
            (false, false) => LimitPolicy::NewVm,
        }
    }

    /// The long texts that are there when a call begins: those of the files, and what calls left since
    /// memory was cleared.
    pub(crate) fn existing_long_texts(&self) -> Vec<blocks::LongText> {
        let lying = self.leftover_texts.borrow();
        if lying.is_empty() { self.long_texts.borrow().clone() } else { lying.clone() }
    }

    /// Takes note of what a freeze came by.
    pub(crate) fn add_frozen_closures(&self, reached: FrozenFunctions) {
        self.frozen_closures.borrow_mut().extend(reached.with_upvalues);
    }
}
