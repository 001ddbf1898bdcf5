//! Files whose declarations are known. What a file declares depends on its text and on what it can
//! see while it runs; where both are as they were, it need not run again to be heard. What it said
//! is taken as it stands, and the file itself runs when one of its functions is wanted for the first
//! time: not before, and often never. A VM is still made from nothing and holds nothing of another.
//!
//! Only a file that does nothing but declare can be taken so (`Host::quiet`). One that gives names to
//! others, requires something or changes what another file keeps runs in every VM, and its text is
//! part of what those after it depend on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use mlua::{Lua, Value};
use semver::Version;

use super::host::{Host, Phase};
use super::kept::{Kept, index_of, run_of};
use super::{freeze, fuel, load};
use crate::content::Part;
use crate::kit::digest::Hasher;
use crate::kit::{Digest, FileText, Place, limits};
use crate::mods::ModSet;

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
    /// `start`.
    Start(u64),
    /// `lint`.
    Lint(u64),
    /// `migrate` or `migrate_profile`.
    Migration { owner: String, version: Version, work: u64, of_profile: bool },
}

impl Said {
    /// The function that it was said with.
    pub(crate) fn work(&self) -> u64 {
        match self {
            Self::Start(work) | Self::Lint(work) => *work,
            Self::Hook { work, .. } | Self::Migration { work, .. } => *work,
        }
    }
}

/// What one run of a file came to.
#[derive(Debug)]
pub(crate) struct Record {
    run: u32,
    /// What it said of definitions.
    pub(crate) part: Arc<Part>,
    /// What it said beside.
    pub(crate) said: Vec<Said>,
    /// Where its functions were written.
    places: Vec<Place>,
    /// Fuel that it burned.
    pub(crate) fuel: i64,
    /// Bytes that we hold for what it said, as they are counted.
    pub(crate) held: usize,
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
    record: Arc<Record>,
    owner: String,
    path: String,
}

/// What files can see while they run, as a digest that grows with each file that others can see.
pub(super) struct Seen(Digest);

impl Seen {
    /// Before any file has run: the mods with their manifests, settings and libraries.
    pub(super) fn of(mods: &ModSet, host: &Host) -> Self {
        let mut hasher = Hasher::new("what files see");
        hasher.text(&format!("{:?}", host.settings));
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
    host: &Host,
    part: Arc<Part>,
    said: Vec<Said>,
    (fuel, held): (i64, usize),
) {
    let functions = host.functions.borrow();
    let run = functions.now();
    let places = functions.of(run).iter().map(|kept| Place::clone(&kept.place)).collect();
    let record = Arc::new(Record { run, part, said, places, fuel, held });
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= FILES {
        kept.clear();
    }
    let runs = kept.entry(key.file).or_default();
    runs.insert(0, (key.seen, key.text, record));
    runs.truncate(RUNS);
}

impl Host {
    /// Takes what a file is known to say. It runs when it is wanted.
    pub(super) fn take_known(&self, record: Arc<Record>, owner: &str, path: &str) {
        let (owner, path) = (owner.to_owned(), path.to_owned());
        self.waiting.borrow_mut().insert(record.run, Waiting { record, owner, path });
    }

    /// A kept function. The file that it stands in runs now if it has not yet.
    pub(crate) fn kept(&self, id: u64) -> mlua::Result<Kept> {
        if let Some(kept) = self.functions.borrow().get(id) {
            return Ok(kept.clone());
        }
        self.run_known(run_of(id))?;
        let functions = self.functions.borrow();
        Ok(functions.get(id).expect("a file gives the same functions each time").clone())
    }

    /// Where a kept function was written.
    pub(crate) fn place_of(&self, id: u64) -> Place {
        if let Some(kept) = self.functions.borrow().get(id) {
            return Place::clone(&kept.place);
        }
        let waiting = self.waiting.borrow();
        let place = waiting.get(&run_of(id)).and_then(|it| it.record.places.get(index_of(id)));
        place.cloned().unwrap_or_default()
    }

    /// Runs a file whose declarations were taken without it, for its functions alone: what it says
    /// is heard by nobody. What it costs is no part of the step that it happens in: another VM may
    /// have had it at hand.
    fn run_known(&self, run: u32) -> mlua::Result<()> {
        let Some(waiting) = self.waiting.borrow_mut().remove(&run) else {
            unreachable!("a function is kept, or its file waits");
        };
        let lua = self.lua();
        self.aside_from_play(&lua, || {
            let phase = self.phase.replace(Phase::Loading);
            let (changes, said) = (self.changes.take(), self.said.take());
            let declared = self.declared.take();
            let before = self.functions.borrow_mut().go_on(run);
            let outcome = load::compile(&lua, self, &waiting.owner, &waiting.path)
                .and_then(|file| file.call::<()>(()))
                .and_then(|()| self.freeze_run(&lua, run));
            self.functions.borrow_mut().go_on(before);
            self.declared.replace(declared);
            self.said.replace(said);
            self.changes.replace(changes);
            self.phase.set(phase);
            if outcome.is_err() {
                self.functions.borrow_mut().forget(run);
                self.waiting.borrow_mut().insert(run, waiting);
            }
            outcome
        })
    }

    fn freeze_run(&self, lua: &Lua, run: u32) -> mlua::Result<()> {
        let functions = self.functions.borrow();
        let roots = functions.of(run).iter().map(|kept| Value::Function(kept.function.clone()));
        let reached = freeze::freeze(lua, roots.collect())?;
        self.watched.borrow_mut().extend(reached.watched);
        Ok(())
    }

    /// Does something that another VM may have done long ago: it costs neither fuel nor memory of
    /// the call that goes on.
    pub(crate) fn aside_from_play<R>(
        &self,
        lua: &Lua,
        work: impl FnOnce() -> mlua::Result<R>,
    ) -> mlua::Result<R> {
        if self.phase.get() == Phase::Loading {
            return work();
        }
        let used = lua.used_memory();
        let limit = lua.set_memory_limit(used + limits::STOP_MEMORY)?;
        let paused = fuel::pause(used);
        let outcome = work();
        let grown = lua.used_memory().saturating_sub(used);
        paused.go_on(grown);
        self.grown.set(self.grown.get() + grown);
        lua.set_memory_limit(if limit == 0 { 0 } else { limit + grown })?;
        outcome
    }
}
