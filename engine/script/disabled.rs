//! Hooks and mods that take no part. A hook that is set aside is not called. Of a mod that is set
//! aside no hook is called, nothing that it wrapped around a function runs, and what it added to
//! scenes and views is left out; its definitions stay, so that a state that names them is whole.

use std::collections::BTreeSet;

use crate::kit::Place;

/// Hooks and mods that take no part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    hooks: BTreeSet<(String, String)>,
    mods: BTreeSet<String>,
}

impl Aside {
    /// Sets a hook aside, by its mod and its `file:line`.
    pub fn hook(&mut self, owner: &str, hook: &str) {
        self.hooks.insert((owner.to_owned(), hook.to_owned()));
    }

    /// Sets a whole mod aside.
    pub fn whole_mod(&mut self, owner: &str) {
        self.mods.insert(owner.to_owned());
    }

    /// Whether a mod is set aside.
    pub(crate) fn has_mod(&self, owner: &str) -> bool {
        self.mods.contains(owner)
    }

    /// Whether the hook that was written there is not to be called.
    pub(crate) fn has_hook(&self, place: &Place) -> bool {
        let hook = (place.owner.clone(), line_of(place));
        self.has_mod(&place.owner) || self.hooks.contains(&hook)
    }
}

/// A hook in which something went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blamed {
    /// Its mod.
    pub owner: String,
    /// Its `file:line`.
    pub hook: String,
    /// The moment that it hangs on.
    pub moment: String,
}

/// How a hook is named within its mod.
pub(crate) fn line_of(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}
