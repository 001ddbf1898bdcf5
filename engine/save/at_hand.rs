//! Content that is at hand beside what was kept: that of the program, and that of mods in their folders.
//! What a run was made on is known by its digest, so that a kept file which is gone or damaged is
//! no loss as long as the same content lies anywhere else.

use std::sync::{Arc, Mutex, PoisonError};

use super::data_dir::DataDir;
use crate::kit::fault::planted;
use crate::kit::{Digest, Problem};
use crate::mods::{ModSource, Origin, Places, discover, embedded_if_any};

/// Where else content is looked for, and what was helped by it.
#[derive(Clone, Default)]
pub(super) struct AtHand {
    sources: Vec<ModSource>,
    places: Option<Places>,
    helped: Arc<Mutex<Vec<Problem>>>,
}

impl DataDir {
    /// The same with mods that are at hand, for runs that were made on them.
    pub fn with_mods_at_hand(&self, sources: &[ModSource]) -> Self {
        let mut data_dir = self.clone();
        data_dir.at_hand.sources.extend_from_slice(sources);
        data_dir
    }

    /// The same, looking for mods in these places too.
    pub fn with_mods_in(mut self, places: Places) -> Self {
        self.at_hand.places = Some(places);
        self
    }

    /// What was put right on the way since this was last asked.
    pub fn helped(&self) -> Vec<Problem> {
        std::mem::take(&mut self.at_hand.helped.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The content of that digest that is not among what was kept, from wherever else it lies. It is
    /// kept again; why it had to be is told.
    pub(super) fn content_at_hand(&self, digest: Digest, why: &Problem) -> Option<ModSource> {
        if planted("content_only_from_the_store") {
            return None;
        }
        let AtHand { sources, places, helped } = &self.at_hand;
        let is_it = |source: &ModSource| source.digest == digest;
        let given = sources.iter().find(|source| is_it(source)).cloned();
        let built_in = || embedded_if_any().into_iter().find(is_it);
        let found = || places.as_ref().and_then(|at| discover(at).0.into_iter().find(is_it));
        let found = given.or_else(built_in).or_else(found)?;
        let from = match &found.origin {
            Origin::Embedded => "in the program itself",
            _ => "in the folder of the mod",
        };
        let source = ModSource { origin: Origin::Stored, ..found };
        // That it cannot be kept again is no reason not to go on with it.
        let kept = match self.store_content(&source) {
            Ok(()) => "it is kept again, and a damaged one stays beside it",
            Err(_) => "it cannot be kept again now",
        };
        let told = Problem { severity: crate::kit::Severity::Warning, ..why.clone() };
        let told = Problem { code: "content-found".to_owned(), ..told };
        let told = told.hint(format!("the same content was found {from}; {kept}"));
        helped.lock().unwrap_or_else(PoisonError::into_inner).push(told);
        Some(source)
    }
}
