//! Watching the folders of the mods that are played, so that a file that is saved is taken up a
//! moment later. Editors write in many ways (half a file at a time, to another name first, by
//! renaming a folder), so a change counts only once it has been quiet for a moment. What changed
//! is remembered as far as the system tells it, so that no more than that need be read again.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::kit::Problem;

/// How long a folder must be quiet before a change in it counts.
pub const DEBOUNCE: Duration = Duration::from_millis(25);
/// How long it must be so where the last that was heard is that a file is whole: it was closed after
/// it had been written, or put in its place under its name.
pub const WHOLE: Duration = Duration::from_millis(10);

/// How long a file is waited for that is empty, or still open for writing: some editors, and slow disks,
/// empty a file first and write it later.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// What a front end looks at while it waits: whether something has changed. It says so once.
pub type Bell = Rc<dyn Fn() -> bool>;

/// A watch over folders.
pub struct Watch {
    watcher: RefCell<RecommendedWatcher>,
    folders: Vec<PathBuf>,
    changes: Receiver<Heard>,
    /// When the last change came that has not been told yet, and how long it must be quiet now.
    since: Cell<Option<(Instant, Duration)>>,
    /// What changed since it was last asked.
    changed: RefCell<Changed>,
    /// Files that were written to and not closed yet, where the system tells when they are.
    open: RefCell<BTreeSet<PathBuf>>,
}

/// What was heard from the system: the files, and whether the last of it is that one is whole. No
/// files if it cannot say which.
struct Heard {
    files: Option<Vec<PathBuf>>,
    whole: bool,
    /// Whether they were written to, and may be written to further.
    written: bool,
}

/// What changed, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// These files and no others; there may be none.
    These(BTreeSet<PathBuf>),
    /// It cannot be said what.
    Something,
}

impl Default for Changed {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl Changed {
    /// The files, where it is known that something changed and what.
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
    /// Watches folders with everything in them. A folder may be renamed, removed and made anew
    /// meanwhile.
    pub fn over(folders: Vec<PathBuf>) -> Result<Self, Problem> {
        let (sender, changes) = channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Some(heard) = hear(event) {
                // Nobody may be listening any more; then there is nobody to tell.
                let _ = sender.send(heard);
            }
        });
        let watcher = RefCell::new(watcher.map_err(|error| unwatched(&error))?);
        let (since, changed, open) = (Cell::new(None), RefCell::default(), RefCell::default());
        let watch = Self { watcher, folders, changes, since, changed, open };
        watch.look_at_folders().map_err(|error| unwatched(&error))?;
        Ok(watch)
    }

    /// Whether something changed since this was last asked, and has been quiet for a moment.
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
            // A folder that was made anew is another folder to the system. One that is not there
            // is heard of through the folder above it when it comes back.
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

    /// Whether a file that mods are read from is empty, or still open for writing.
    fn is_unfinished(&self) -> bool {
        let (changed, open) = (self.changed.borrow(), self.open.borrow());
        let is_empty = |file: &PathBuf| {
            let about = file.symlink_metadata();
            about.is_ok_and(|about| about.is_file() && about.len() == 0)
        };
        let mut files = changed.files().into_iter().flatten().filter(|file| is_read(file));
        files.any(|file| open.contains(file) || is_empty(file))
    }

    /// What changed since this was last asked. Whoever could not make use of it gives it back.
    pub fn take(&self) -> Changed {
        self.changed.take()
    }

    /// Takes back what changed.
    pub fn give_back(&self, changed: Changed) {
        let files = match changed {
            Changed::These(files) => Some(files),
            Changed::Something => None,
        };
        self.changed.borrow_mut().add(files);
    }

    /// This watch as what a front end looks at.
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

/// What an event says; nothing if it says only that someone looked.
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
    // Only there the system tells when a file is closed.
    let written =
        cfg!(target_os = "linux") && matches!(event.kind, EventKind::Modify(ModifyKind::Data(_)));
    Some(Heard { files: known.then_some(event.paths), whole, written })
}

/// Whether a mod is read from a file of that name.
fn is_read(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name == "mod.toml" || name.ends_with(".luau") || name.ends_with(".lua")
}

/// The absolute path of a folder, so that it does not matter where the program stands.
pub(super) fn whole(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

fn unwatched(error: &notify::Error) -> Problem {
    Problem::warning("unwatched", format!("the mods' folders cannot be watched: {error}"))
        .hint("what changes there is taken up when you ask for it: `reload`")
}

/// The clock of this room: it decides when a file is read again, and nothing else.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}
