//! Disabled hooks and mods.
//!
//! A disabled hook is not called. For a disabled mod no hook is called, no wrapper runs, and its
//! additions to scenes and views are left out. Its definitions stay, so that a state that refers to
//! them stays valid.

use std::collections::BTreeSet;

use base::SourceLocation;

/// Disabled hooks and mods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisabledSet {
    disabled_hooks: BTreeSet<(String, String)>,
    mods: BTreeSet<String>,
}

impl DisabledSet {
    /// Disables a hook, by its mod and its `file:line`.
    pub fn disable_hook(&mut self, owner: &str, hook: &str) {
        self.disabled_hooks.insert((owner.to_owned(), hook.to_owned()));
    }

    /// Disables a whole mod.
    pub fn disable_mod(&mut self, owner: &str) {
        self.mods.insert(owner.to_owned());
    }

    /// Whether a mod is disabled.
    pub(crate) fn is_mod_disabled(&self, owner: &str) -> bool {
        self.mods.contains(owner)
    }

    /// Whether the hook at a place is disabled.
    pub(crate) fn is_hook_disabled(&self, place: &SourceLocation) -> bool {
        let hook = (place.owner.clone(), hook_id(place));
        self.is_mod_disabled(&place.owner) || self.disabled_hooks.contains(&hook)
    }
}

/// A hook in which a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedHook {
    /// Its mod.
    pub owner: String,
    /// Its `file:line`.
    pub hook: String,
    /// The event on which it is registered.
    pub event: String,
}

/// The id of a hook within its mod, `file:line`.
pub(crate) fn hook_id(place: &SourceLocation) -> String {
    format!("{}:{}", place.file, place.line)
}
