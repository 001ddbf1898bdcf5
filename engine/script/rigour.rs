//! How strictly the call that goes on is held to its limits, and what a freeze came by.

use super::blocks;
use super::freeze::FrozenFunctions;
use super::fuel::Rigour;
use super::host::Host;

impl Host {
    /// How strictly a call is held to its limits.
    pub(crate) fn rigour(&self) -> Rigour {
        match (self.known_good.get(), self.was_used.get()) {
            (true, _) => Rigour::Known,
            (false, true) => Rigour::Doubting,
            (false, false) => Rigour::Judging,
        }
    }

    /// The long texts that are there when a call begins: those of the files, and what calls left since
    /// memory was cleared.
    pub(crate) fn texts_that_lie_there(&self) -> Vec<blocks::Long> {
        let lying = self.lying_texts.borrow();
        if lying.is_empty() { self.long_texts.borrow().clone() } else { lying.clone() }
    }

    /// Takes note of what a freeze came by.
    pub(crate) fn settle(&self, reached: FrozenFunctions) {
        self.pinned_functions.borrow_mut().extend(reached.with_upvalues);
    }
}
