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

use super::blocks;
use super::function_handles::Functions;
use super::reworded::Rewording;
use crate::content::{Part, Shape};
use crate::kit::digest::Hasher;
use crate::kit::{Digest, FileText, Place, Value};
use crate::mods::ModSet;
use crate::play::Edition;

/// Maximum number of cached files. When it is exceeded, the cache is emptied.
const FILES: usize = 8_192;
/// Maximum number of cached runs of one file, newest first: an author may undo a change, and two
/// sets of mods may be compared.
const RUNS: usize = 3;

/// A declaration that is not a definition. The numbers are ids of stored functions.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    /// `before` or `after`.
    Hook { moment: Arc<str>, before: bool, work: u64 },
    /// `shape`.
    Shape(Arc<Shape>),
    /// `reword`.
    Rewording(Arc<Rewording>),
    /// `start`.
    Start(u64),
    /// `lint`.
    Lint(u64),
    /// `migrate` or `migrate_profile`.
    Migration { owner: String, version: Version, work: u64, of_profile: bool },
}

impl Said {
    /// The place of the declaration; `of` gives the place of a stored function.
    pub(crate) fn place(&self, of: impl Fn(u64) -> Place) -> Place {
        match self {
            Self::Shape(shape) => shape.place.clone(),
            Self::Rewording(one) => one.place.clone(),
            Self::Start(work) | Self::Lint(work) => of(*work),
            Self::Hook { work, .. } | Self::Migration { work, .. } => of(*work),
        }
    }
}

/// The result of one run of a file.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) run: u32,
    /// Its changes to definitions.
    pub(crate) part: Arc<Part>,
    /// Its other declarations.
    pub(crate) said: Vec<Said>,
    /// The places of its functions.
    pub(crate) places: Vec<Place>,
    /// The fuel that it used.
    pub(crate) fuel: i64,
    /// The counted bytes of its declarations.
    pub(crate) held: usize,
    /// The long texts that it created.
    pub(crate) long: Vec<blocks::Long>,
}

/// Everything a run depends on: mod and path, the inputs, and the text.
pub(super) struct Key {
    file: (String, String),
    seen: Digest,
    text: FileText,
}

/// Cached runs by mod and path.
type Runs = BTreeMap<(String, String), Vec<(Digest, FileText, Arc<Record>)>>;

static KEPT: Mutex<Runs> = Mutex::new(BTreeMap::new());

/// A file that has not run in this VM.
pub(crate) struct Waiting {
    pub(crate) record: Arc<Record>,
    pub(crate) owner: String,
    pub(crate) path: String,
}

/// Digest of what files can see while they run. It grows with each file that has side effects.
pub(super) struct Seen(Digest);

impl Seen {
    /// The inputs before any file has run: the mods with manifests, settings and libraries, and the
    /// edition.
    pub(super) fn of(mods: &ModSet, settings: &Value, edition: Edition) -> Self {
        let mut hasher = Hasher::new("inputs of files");
        hasher.text(&format!("{edition:?} {settings:?}"));
        for source in &mods.mods {
            hasher.text(&source.manifest_text);
            let library = source.files.iter().filter(|(path, _)| path.starts_with("lib/"));
            for (path, text) in library {
                hasher.text(path).text(text);
            }
        }
        Self(hasher.finish())
    }

    /// Adds a file whose effects later files can see.
    pub(super) fn add(&mut self, text: &str) {
        let mut hasher = Hasher::new("inputs of files");
        self.0 = hasher.bytes(&self.0.0).text(text).finish();
    }

    /// The cache key of a file.
    pub(super) fn key(&self, owner: &str, path: &str, text: &FileText) -> Key {
        let file = (owner.to_owned(), path.to_owned());
        Key { file, seen: self.0, text: text.clone() }
    }
}

/// Finds the cached result of a file.
pub(super) fn find(key: &Key) -> Option<Arc<Record>> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let same =
        |(seen, text, _): &&(Digest, FileText, Arc<Record>)| *seen == key.seen && *text == key.text;
    kept.get(&key.file)?.iter().find(same).map(|(_, _, record)| record.clone())
}

/// Stores the result of the current run.
pub(super) fn keep(
    key: Key,
    functions: &Functions,
    part: Arc<Part>,
    said: Vec<Said>,
    (fuel, held, long): (i64, usize, Vec<blocks::Long>),
) {
    let run = functions.now();
    let places = functions.of(run).iter().map(|kept| Place::clone(&kept.place)).collect();
    let record = Arc::new(Record { run, part, said, places, fuel, held, long });
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= FILES {
        kept.clear();
    }
    let runs = kept.entry(key.file).or_default();
    runs.insert(0, (key.seen, key.text, record));
    runs.truncate(RUNS);
}
