//! Watches the folders of the mods in play, so that changed files are reloaded. Editors save in
//! many ways (in pieces, through a temporary file, by renaming a folder), so a change counts only
//! after a short quiet time. Changed files are recorded if the system names them, so that only they
//! are read again.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::kit::Problem;

/// How long a folder must be quiet before a change counts.
pub const DEBOUNCE: Duration = Duration::from_millis(25);
/// The quiet time when the last event says that a file is complete: it was closed after writing, or
/// renamed into place.
pub const WHOLE: Duration = Duration::from_millis(10);

/// How long to wait for a file that is empty or still open for writing. Some editors and slow disks
/// empty a file first and write it later.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// What a frontend polls while it waits: returns true once after a change.
pub type Bell = Rc<dyn Fn() -> bool>;

/// A watch over folders.
pub struct Watch {
    watcher: RefCell<RecommendedWatcher>,
    folders: Vec<PathBuf>,
    changes: Receiver<Heard>,
    /// When the last unreported change came, and how long it must be quiet from then.
    since: Cell<Option<(Instant, Duration)>>,
    /// What changed since the last call of `take`.
    changed: RefCell<Changed>,
    /// Files that were written and not closed yet, where the system reports closing.
    open: RefCell<BTreeSet<PathBuf>>,
}

/// An event of the system: the files (`None` if unknown), and whether the last file is complete.
struct Heard {
    files: Option<Vec<PathBuf>>,
    whole: bool,
    /// Whether the files were written and may be written again.
    written: bool,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Exactly these files; can be empty.
    These(BTreeSet<PathBuf>),
    /// Something unknown.
    Something,
}

impl Default for Changed {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Changed {
    /// The changed files, if any are known.
    pub fn files(&self) -> Option<&BTreeSet<PathBuf>> {
        match self {
            Self::These(files) if !files.is_empty() => Some(files),
            _ => None,
        }
    }

    fn add(&mut self, files: Option<impl IntoIterator<Item = PathBuf>>) {
        match (self, files) {
            (Self::These(known), Some(files)) => known.extend(files),
            (all, _) => *all = Self::Something,
        }
    }
}

impl Watch {
    /// Watches folders recursively. A folder may be renamed, removed and created again.
    pub fn over(folders: Vec<PathBuf>) -> Result<Self, Problem> {
        let (sender, changes) = channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Some(heard) = hear(event) {
                // The receiver may be gone; then nobody needs the event.
                let _ = sender.send(heard);
            }
        });
        let watcher = RefCell::new(watcher.map_err(|error| unwatched(&error))?);
        let (since, changed, open) = (Cell::new(None), RefCell::default(), RefCell::default());
        let watch = Self { watcher, folders, changes, since, changed, open };
        watch.look_at_folders().map_err(|error| unwatched(&error))?;
        Ok(watch)
    }

    /// Whether something changed since the last call and has been quiet long enough.
    pub fn changed(&self) -> bool {
        for heard in self.changes.try_iter() {
            self.note_open(&heard);
            self.changed.borrow_mut().add(heard.files);
            self.since.set(Some((now(), if heard.whole { WHOLE } else { DEBOUNCE })));
        }
        let quiet = self.since.get().is_some_and(|(since, long)| {
            let waited = now() - since;
            waited >= long && (waited >= PATIENCE || !self.is_unfinished())
        });
        if quiet {
            self.open.take();
            self.since.set(None);
            // A folder that was created again is a new folder to the system. A missing folder is
            // noticed through its parent when it comes back.
            let _ = self.look_at_folders();
        }
        quiet
    }

    fn note_open(&self, heard: &Heard) {
        let mut open = self.open.borrow_mut();
        for file in heard.files.iter().flatten() {
            match heard.written {
                true => drop(open.insert(file.clone())),
                false => drop(open.remove(file)),
            }
        }
    }

    /// Whether a changed mod file is empty or still open for writing.
    fn is_unfinished(&self) -> bool {
        let (changed, open) = (self.changed.borrow(), self.open.borrow());
        let is_empty = |file: &PathBuf| {
            let about = file.symlink_metadata();
            about.is_ok_and(|about| about.is_file() && about.len() == 0)
        };
        let mut files = changed.files().into_iter().flatten().filter(|file| is_read(file));
        files.any(|file| open.contains(file) || is_empty(file))
    }

    /// Takes what changed since the last call. A caller that cannot use it returns it with
    /// `give_back`.
    pub fn take(&self) -> Changed {
        self.changed.take()
    }

    /// Puts changes back.
    pub fn give_back(&self, changed: Changed) {
        let files = match changed {
            Changed::These(files) => Some(files),
            Changed::Something => None,
        };
        self.changed.borrow_mut().add(files);
    }

    /// This watch as a reload signal.
    pub fn bell(self: &Rc<Self>) -> Bell {
        let watch = self.clone();
        Rc::new(move || watch.changed())
    }

    fn look_at_folders(&self) -> notify::Result<()> {
        let mut watcher = self.watcher.borrow_mut();
        let mut looked = Ok(());
        for folder in &self.folders {
            let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
            if let Some(above) = above {
                let here = watcher.watch(above, RecursiveMode::NonRecursive);
                looked = looked.and(here);
            }
            looked = looked.and(watcher.watch(folder, RecursiveMode::Recursive));
        }
        looked
    }
}

/// What an event of the system says; `None` for a mere read access.
fn hear(event: notify::Result<Event>) -> Option<Heard> {
    let Ok(event) = event else {
        return Some(Heard { files: None, whole: false, written: false });
    };
    let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
    let whole =
        event.kind == closed || matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
    if event.kind.is_access() && !whole {
        return None;
    }
    let known = !event.need_rescan() && !event.paths.is_empty();
    // Only Linux reports when a file is closed.
    let written =
        cfg!(target_os = "linux") && matches!(event.kind, EventKind::Modify(ModifyKind::Data(_)));
    Some(Heard { files: known.then_some(event.paths), whole, written })
}

/// Whether mods are read from a file of this name.
fn is_read(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name == "mod.toml" || name.ends_with(".luau") || name.ends_with(".lua")
}

/// The absolute path of a folder, independent of the working directory.
pub(super) fn whole(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

fn unwatched(error: &notify::Error) -> Problem {
    Problem::warning("unwatched", format!("the mods' folders cannot be watched: {error}"))
        .hint("use `reload` to load changed files")
}

/// The clock of this module: it decides when a file is read again, and nothing else.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}
