//! Cache of the declarations of files. What a file declares depends on its text and on what it can
//! see while it runs. When both are unchanged, its declarations come from the cache. The file
//! itself runs when one of its functions is first needed, often never. A VM is still built from
//! nothing and shares no Lua value with another.
//!
//! Only a file without side effects is cached (`LoadState::has_side_effects`). A file that gives
//! names to others, requires something or changes another file's data runs in every VM. Its text is
//! part of the inputs of the files after it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use semver::Version;

use super::function_store::FunctionStore;
use crate::limits::allocation_checks;
use base::digest::Hasher;
use base::{Digest, FileText, SourceLocation, TextOverride, Value};
use content::{FileDeclarations, StateSchema};
use mods::ModSource;

/// Maximum number of cached files. When it is exceeded, the cache is emptied.
const MAX_CACHED_FILES: usize = 8_192;
/// Maximum number of cached runs of one file, newest first: an author may undo a change, and two
/// sets of mods may be compared.
const MAX_CACHED_RUNS_PER_FILE: usize = 3;

/// A declaration that is not a definition. The numbers are ids of stored functions.
#[derive(Clone, Debug)]
pub(crate) enum Declaration {
    /// `before` or `after`.
    Hook { event: Arc<str>, is_before: bool, function_id: u64 },
    /// `schema`.
    Schema(Arc<StateSchema>),
    /// `override_text`.
    TextOverride(Arc<TextOverride>),
    /// `start`.
    Start(u64),
    /// `lint`.
    Lint(u64),
    /// `migrate` or `migrate_profile`.
    Migration { owner: String, version: Version, function_id: u64, is_of_profile: bool },
}

impl Declaration {
    /// The place of the declaration; `place_of_function` gives the place of a stored function.
    pub(crate) fn place_of_declaration(
        &self,
        place_of_function: impl Fn(u64) -> SourceLocation,
    ) -> SourceLocation {
        match self {
            Self::Schema(schema) => schema.place.clone(),
            Self::TextOverride(text_override) => text_override.place.clone(),
            Self::Start(stored_id) | Self::Lint(stored_id) => place_of_function(*stored_id),
            Self::Hook { function_id: stored_id, .. }
            | Self::Migration { function_id: stored_id, .. } => place_of_function(*stored_id),
        }
    }
}

/// The result of one run of a file.
#[derive(Debug)]
pub(crate) struct CachedFileRun {
    pub(crate) run_number: u32,
    /// Its changes to definitions.
    pub(crate) definition_changes: Arc<FileDeclarations>,
    /// Its other declarations.
    pub(crate) other_declarations: Vec<Declaration>,
    /// The places of its functions.
    pub(crate) function_places: Vec<SourceLocation>,
    /// The fuel that it used.
    pub(crate) fuel: i64,
    /// The counted bytes of its declarations.
    pub(crate) declared_bytes: usize,
    /// The long texts that it created.
    pub(crate) long_texts: Vec<allocation_checks::TextHashAndSize>,
}

/// Everything a run depends on: mod and path, the inputs, and the text.
pub(crate) struct DeclarationKey {
    file: (String, String),
    inputs_digest: Digest,
    text: FileText,
}

/// Cached runs by mod and path.
type CachedRuns = BTreeMap<(String, String), Vec<(Digest, FileText, Arc<CachedFileRun>)>>;

static DECLARATION_CACHE: Mutex<CachedRuns> = Mutex::new(BTreeMap::new());

/// A file that has not run in this VM.
pub(crate) struct DeferredFile {
    pub(crate) cached_declarations: Arc<CachedFileRun>,
    pub(crate) owner: String,
    pub(crate) path: String,
}

/// Digest of what files can see while they run. It grows with each mod that begins to load, and
/// with each file that has side effects. Later mods are no part of it, since a mod sees only what
/// comes before it: a game's files are cached for whatever mods are added to it.
pub(crate) struct InputsHash(Digest);

impl InputsHash {
    /// The inputs before any mod has begun to load.
    pub(crate) fn of_settings(settings: &Value) -> Self {
        let mut hasher = Hasher::new("inputs of files");
        Self(hasher.feed_text(&format!("{settings:?}")).finish())
    }

    /// Adds a mod that begins to load: its manifest and its library.
    pub(crate) fn add_mod(&mut self, source: &ModSource) {
        let mut hasher = Hasher::new("inputs of files");
        hasher.feed_bytes(&self.0.0).feed_text(&source.manifest_text);
        let library = source.files.iter().filter(|(path, _)| path.starts_with("lib/"));
        for (path, text) in library {
            hasher.feed_text(path).feed_text(text);
        }
        self.0 = hasher.finish();
    }

    /// Adds a file whose effects later files can see.
    pub(crate) fn add_file(&mut self, text: &str) {
        let mut hasher = Hasher::new("inputs of files");
        self.0 = hasher.feed_bytes(&self.0.0).feed_text(text).finish();
    }

    /// The cache key of a file.
    pub(crate) fn declaration_key(
        &self,
        owner: &str,
        path: &str,
        text: &FileText,
    ) -> DeclarationKey {
        let file = (owner.to_owned(), path.to_owned());
        DeclarationKey { file, inputs_digest: self.0, text: text.clone() }
    }
}

/// Finds the cached result of a file.
pub(crate) fn find_cached(key: &DeclarationKey) -> Option<Arc<CachedFileRun>> {
    let cache = DECLARATION_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same_run = |(inputs, text, _): &&(Digest, FileText, Arc<CachedFileRun>)| {
        *inputs == key.inputs_digest && *text == key.text
    };
    cache.get(&key.file)?.iter().find(is_same_run).map(|(_, _, cached_file)| cached_file.clone())
}

/// Stores the result of the current run.
pub(crate) fn store_file(
    key: DeclarationKey,
    functions: &FunctionStore,
    file_declarations: Arc<FileDeclarations>,
    declarations: Vec<Declaration>,
    (fuel, declared_bytes, long_file_texts): (i64, usize, Vec<allocation_checks::TextHashAndSize>),
) {
    let file_run = functions.current_file_run();
    let places = functions
        .functions_of_file_run(file_run)
        .iter()
        .map(|function| SourceLocation::clone(&function.place))
        .collect();
    let cached_file = Arc::new(CachedFileRun {
        run_number: file_run,
        definition_changes: file_declarations,
        other_declarations: declarations,
        function_places: places,
        fuel,
        declared_bytes,
        long_texts: long_file_texts,
    });
    let mut cache = DECLARATION_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if cache.len() >= MAX_CACHED_FILES {
        cache.clear();
    }
    let runs = cache.entry(key.file).or_default();
    runs.insert(0, (key.inputs_digest, key.text, cached_file));
    runs.truncate(MAX_CACHED_RUNS_PER_FILE);
}
