//! The content and the parameters of a run.

use base::{Problem, Value};
use mods::{ModSet, ModSource};
use script::Vm;

/// The content of a session.
#[derive(Clone)]
pub struct RunContent {
    /// The mods, in load order.
    pub mods: ModSet,
    /// The settings of the mods: a table by mod id, each a table of its settings.
    pub settings: Value,
}

impl RunContent {
    /// Loads a VM with this content.
    pub fn load_vm(&self) -> Result<Vm, Vec<Problem>> {
        self.load_vm_with_strictness(false)
    }

    /// Loads a VM in strict mode.
    pub fn load_strict_vm(&self) -> Result<Vm, Vec<Problem>> {
        self.load_vm_with_strictness(true)
    }

    fn load_vm_with_strictness(&self, is_strict: bool) -> Result<Vm, Vec<Problem>> {
        match is_strict {
            true => Vm::load_strict(&self.mods, &self.settings),
            false => Vm::load(&self.mods, &self.settings),
        }
    }

    /// Whether the other content is the same: the same texts from the same origins in the same
    /// order, with the same settings and translation.
    pub fn is_same_content(&self, other: &Self) -> bool {
        let identity = |source: &'_ ModSource| (source.digest, source.origin.clone());
        let identities =
            |content: &Self| content.mods.mods.iter().map(identity).collect::<Vec<_>>();
        self.settings == other.settings
            && self.mods.translation == other.mods.translation
            && identities(self) == identities(other)
    }
}

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct RunParameters {
    /// The seed of all dice.
    pub seed: u64,
    /// The complete options.
    pub options: Value,
    /// The part of the profile that the run may read, frozen at its start.
    pub profile: Value,
}
