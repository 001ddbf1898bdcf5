//! Content fallback: finds the content of a run in the program or in mod folders if the stored copy
//! is missing or damaged. Content is identified by its digest, so any equal copy is as good.

use std::sync::{Arc, Mutex, PoisonError};

use super::data_dir::DataDir;
use base::{Code, Digest, Problem};
use mods::{ModOrigin, ModSource, SearchPaths, discover_mods, read_embedded_mods_if_any};

/// The fallback sources, and notes about what they replaced.
#[derive(Clone, Default)]
pub(super) struct ContentFallback {
    sources: Vec<ModSource>,
    search_paths: Option<SearchPaths>,
    warnings: Arc<Mutex<Vec<Problem>>>,
}

impl DataDir {
    /// The same with these mods as fallback sources.
    pub fn with_fallback_mods(&self, sources: &[ModSource]) -> Self {
        let mut data_dir = self.clone();
        data_dir.content_fallback.sources.extend_from_slice(sources);
        data_dir
    }

    /// The same with these search paths as fallback sources.
    pub fn with_fallback_paths(mut self, search_paths: SearchPaths) -> Self {
        self.content_fallback.search_paths = Some(search_paths);
        self
    }

    /// Takes the notes about repaired content since the last call.
    pub fn take_fallback_warnings(&self) -> Vec<Problem> {
        std::mem::take(
            &mut self.content_fallback.warnings.lock().unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Finds content with this digest in the fallback sources and stores it again. Notes why this
    /// was needed.
    pub(super) fn restore_from_fallback(&self, digest: Digest, why: &Problem) -> Option<ModSource> {
        let ContentFallback { sources, search_paths, warnings: repair_notes } =
            &self.content_fallback;
        let has_digest = |source: &ModSource| source.digest == digest;
        let named_source = sources.iter().find(|source| has_digest(source)).cloned();
        let embedded_copy = || read_embedded_mods_if_any().into_iter().find(has_digest);
        let found = || {
            search_paths.as_ref().and_then(|at| discover_mods(at).0.into_iter().find(has_digest))
        };
        let found = named_source.or_else(embedded_copy).or_else(found)?;
        let where_found = match &found.origin {
            ModOrigin::Embedded => "in the program",
            _ => "in the folder of the mod",
        };
        let source = ModSource { origin: ModOrigin::ContentStore, ..found };
        // The run continues even if the content cannot be stored again.
        let storing_outcome = match self.store_content(&source) {
            Ok(()) => "it is stored again, and a damaged copy stays beside it",
            Err(_) => "it cannot be stored again now",
        };
        let note = Problem { severity: base::Severity::Warning, ..why.clone() };
        let note = Problem { code: Code::ContentFound, ..note };
        let note =
            note.hint(format!("the same content was found {where_found}; {storing_outcome}"));
        repair_notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        Some(source)
    }
}
