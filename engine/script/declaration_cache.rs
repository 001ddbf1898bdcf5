//! Files whose declarations are known. What a file declares depends on its text and on what it can
//! see while it runs; where both are as they were, it need not run again to be heard. What it said
//! is taken as it stands, and the file itself runs when one of its functions is wanted for the first
//! time: not before, and often never. A VM is still made from nothing and holds nothing of another.
//!
//! Only a file that does nothing but declare can be taken so (`Heard::loud`). One that gives names to
//! others, requires something or changes what another file keeps runs in every VM, and its text is
//! part of what those after it depend on.

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

/// Most files that are kept; a new beginning is made after them.
const FILES: usize = 8_192;
/// Most runs that are kept of one file, the latest first: an author goes back and forth, and two
/// sets of mods may be compared.
const RUNS: usize = 3;

/// What a file said, beside definitions. The numbers are those of kept functions.
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
    /// Where it was said, by the place of a kept function.
    pub(crate) fn place(&self, of: impl Fn(u64) -> Place) -> Place {
        match self {
            Self::Shape(shape) => shape.place.clone(),
            Self::Rewording(one) => one.place.clone(),
            Self::Start(work) | Self::Lint(work) => of(*work),
            Self::Hook { work, .. } | Self::Migration { work, .. } => of(*work),
        }
    }
}

/// What one run of a file came to.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) run: u32,
    /// What it said of definitions.
    pub(crate) part: Arc<Part>,
    /// What it said beside.
    pub(crate) said: Vec<Said>,
    /// Where its functions were written.
    pub(crate) places: Vec<Place>,
    /// Fuel that it burned.
    pub(crate) fuel: i64,
    /// Bytes that we hold for what it said, as they are counted.
    pub(crate) held: usize,
    /// The long texts that it made.
    pub(crate) long: Vec<blocks::Long>,
}

/// All that a run depends on: whose file it is, what it can see, and its text.
pub(super) struct Key {
    file: (String, String),
    seen: Digest,
    text: FileText,
}

/// Runs of files, by mod and path.
type Runs = BTreeMap<(String, String), Vec<(Digest, FileText, Arc<Record>)>>;

static KEPT: Mutex<Runs> = Mutex::new(BTreeMap::new());

/// A file that has not run in this VM.
pub(crate) struct Waiting {
    pub(crate) record: Arc<Record>,
    pub(crate) owner: String,
    pub(crate) path: String,
}

/// What files can see while they run, as a digest that grows with each file that others can see.
pub(super) struct Seen(Digest);

impl Seen {
    /// Before any file has run: the mods with their manifests, settings and
    /// libraries, and the edition that they are loaded for.
    pub(super) fn of(mods: &ModSet, settings: &Value, edition: Edition) -> Self {
        let mut hasher = Hasher::new("what files see");
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

    /// A file has run that others can see.
    pub(super) fn add(&mut self, text: &str) {
        let mut hasher = Hasher::new("what files see");
        self.0 = hasher.bytes(&self.0.0).text(text).finish();
    }

    /// What a file is known by.
    pub(super) fn key(&self, owner: &str, path: &str, text: &FileText) -> Key {
        let file = (owner.to_owned(), path.to_owned());
        Key { file, seen: self.0, text: text.clone() }
    }
}

/// What a file came to when it ran last.
pub(super) fn find(key: &Key) -> Option<Arc<Record>> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let same =
        |(seen, text, _): &&(Digest, FileText, Arc<Record>)| *seen == key.seen && *text == key.text;
    kept.get(&key.file)?.iter().find(same).map(|(_, _, record)| record.clone())
}

/// Keeps what the run that goes on now came to.
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
