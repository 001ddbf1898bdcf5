//! Disabled hooks and mods.
//!
//! A disabled hook is not called. For a disabled mod no hook is called, no wrapper runs, and its
//! additions to scenes and views are left out. Its definitions stay, so that a state that refers to
//! them stays valid.

use std::collections::BTreeSet;

use crate::kit::Place;

/// Disabled hooks and mods.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    hooks: BTreeSet<(String, String)>,
    mods: BTreeSet<String>,
}

impl Aside {
    /// Disables a hook, by its mod and its `file:line`.
    pub fn hook(&mut self, owner: &str, hook: &str) {
        self.hooks.insert((owner.to_owned(), hook.to_owned()));
    }

    /// Disables a whole mod.
    pub fn whole_mod(&mut self, owner: &str) {
        self.mods.insert(owner.to_owned());
    }

    /// Whether a mod is disabled.
    pub(crate) fn has_mod(&self, owner: &str) -> bool {
        self.mods.contains(owner)
    }

    /// Whether the hook at a place is disabled.
    pub(crate) fn has_hook(&self, place: &Place) -> bool {
        let hook = (place.owner.clone(), line_of(place));
        self.has_mod(&place.owner) || self.hooks.contains(&hook)
    }
}

/// A hook in which a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// Its mod.
    pub owner: String,
    /// Its `file:line`.
    pub hook: String,
    /// The event on which it is registered.
    pub moment: String,
}

/// The id of a hook within its mod, `file:line`.
pub(crate) fn line_of(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}
