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

use base::{Code, Problem};

/// How long a folder must be quiet before a change counts.
pub const FILE_EVENT_DEBOUNCE: Duration = Duration::from_millis(25);
/// The quiet time when the last event says that a file is complete: it was closed after writing, or
/// renamed into place.
pub const COMPLETE_DEBOUNCE: Duration = Duration::from_millis(10);

/// How long to wait for a file that is empty or still open for writing. Some editors and slow disks
/// empty a file first and write it later.
pub const UNFINISHED_FILE_TIMEOUT: Duration = Duration::from_secs(2);

/// A signal that a frontend polls while it waits: returns true once after a change.
pub type ReloadSignal = Rc<dyn Fn() -> bool>;

/// A watch over folders.
pub struct FileWatch {
    watcher: RefCell<RecommendedWatcher>,
    folders: Vec<PathBuf>,
    file_events: Receiver<FileEvent>,
    /// When the last unreported change came, and how long it must be quiet from then.
    pending_since: Cell<Option<(Instant, Duration)>>,
    /// The changes since the last call of `take`.
    changed_files: RefCell<ChangedFiles>,
    /// Files that were written and not closed yet, where the system reports closing.
    open_files: RefCell<BTreeSet<PathBuf>>,
}

/// An event of the system: the files (`None` if unknown), and whether the last file is complete.
struct FileEvent {
    files: Option<Vec<PathBuf>>,
    is_complete: bool,
    /// Whether the files were written and may be written again.
    is_open_for_writing: bool,
}

/// The changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangedFiles {
    /// Exactly these files; can be empty.
    Files(BTreeSet<PathBuf>),
    /// Something unknown.
    Unknown,
}

impl Default for ChangedFiles {
    fn default() -> Self {
        Self::Files(BTreeSet::new())
    }
}

impl ChangedFiles {
    /// The changed files, if any are known.
    pub fn files(&self) -> Option<&BTreeSet<PathBuf>> {
        match self {
            Self::Files(files) if !files.is_empty() => Some(files),
            _ => None,
        }
    }

    fn add_files(&mut self, files: Option<impl IntoIterator<Item = PathBuf>>) {
        match (self, files) {
            (Self::Files(known), Some(files)) => known.extend(files),
            (all, _) => *all = Self::Unknown,
        }
    }
}

impl FileWatch {
    /// Watches folders recursively. A folder may be renamed, removed and created again.
    pub fn start(folders: Vec<PathBuf>) -> Result<Self, Problem> {
        let (sender, changes) = channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Some(heard) = convert_event(event) {
                // The receiver may be gone; then nobody needs the event.
                let _ = sender.send(heard);
            }
        });
        let watcher = RefCell::new(watcher.map_err(|error| watch_error(&error))?);
        let (since, changed, open) = (Cell::new(None), RefCell::default(), RefCell::default());
        let watch = Self {
            watcher,
            folders,
            file_events: changes,
            pending_since: since,
            changed_files: changed,
            open_files: open,
        };
        watch.watch_folders().map_err(|error| watch_error(&error))?;
        Ok(watch)
    }

    /// Whether something changed since the last call and has been quiet long enough.
    pub fn poll_changed(&self) -> bool {
        for heard in self.file_events.try_iter() {
            self.track_open_files(&heard);
            self.changed_files.borrow_mut().add_files(heard.files);
            self.pending_since.set(Some((
                now(),
                if heard.is_complete { COMPLETE_DEBOUNCE } else { FILE_EVENT_DEBOUNCE },
            )));
        }
        let is_quiet = self.pending_since.get().is_some_and(|(since, long)| {
            let waited = now() - since;
            waited >= long && (waited >= UNFINISHED_FILE_TIMEOUT || !self.has_unfinished_file())
        });
        if is_quiet {
            self.open_files.take();
            self.pending_since.set(None);
            // A folder that was created again is a new folder to the system. A missing folder is
            // noticed through its parent when it comes back.
            let _ = self.watch_folders();
        }
        is_quiet
    }

    fn track_open_files(&self, event: &FileEvent) {
        let mut open = self.open_files.borrow_mut();
        for file in event.files.iter().flatten() {
            match event.is_open_for_writing {
                true => drop(open.insert(file.clone())),
                false => drop(open.remove(file)),
            }
        }
    }

    /// Whether a changed mod file is empty or still open for writing.
    fn has_unfinished_file(&self) -> bool {
        let (changed, open) = (self.changed_files.borrow(), self.open_files.borrow());
        let is_empty = |file: &PathBuf| {
            let about = file.symlink_metadata();
            about.is_ok_and(|about| about.is_file() && about.len() == 0)
        };
        let mut files = changed.files().into_iter().flatten().filter(|file| is_mod_file(file));
        files.any(|file| open.contains(file) || is_empty(file))
    }

    /// Takes what changed since the last call. A caller that cannot use it returns it with
    /// `give_back`.
    pub fn take_changes(&self) -> ChangedFiles {
        self.changed_files.take()
    }

    /// Puts changes back.
    pub fn return_changes(&self, changed: ChangedFiles) {
        let files = match changed {
            ChangedFiles::Files(files) => Some(files),
            ChangedFiles::Unknown => None,
        };
        self.changed_files.borrow_mut().add_files(files);
    }

    /// This watch as a reload signal.
    pub fn reload_signal(self: &Rc<Self>) -> ReloadSignal {
        let watch = self.clone();
        Rc::new(move || watch.poll_changed())
    }

    fn watch_folders(&self) -> notify::Result<()> {
        let mut watcher = self.watcher.borrow_mut();
        let mut result = Ok(());
        for folder in &self.folders {
            let parent = folder.parent().filter(|above| !above.as_os_str().is_empty());
            if let Some(above) = parent {
                let parent_result = watcher.watch(above, RecursiveMode::NonRecursive);
                result = result.and(parent_result);
            }
            result = result.and(watcher.watch(folder, RecursiveMode::Recursive));
        }
        result
    }
}

/// Interprets an event of the system; `None` for a mere read access.
fn convert_event(event: notify::Result<Event>) -> Option<FileEvent> {
    let Ok(event) = event else {
        return Some(FileEvent { files: None, is_complete: false, is_open_for_writing: false });
    };
    let close_event = EventKind::Access(AccessKind::Close(AccessMode::Write));
    let is_complete =
        event.kind == close_event || matches!(event.kind, EventKind::Modify(ModifyKind::Name(_)));
    if event.kind.is_access() && !is_complete {
        return None;
    }
    let has_known_paths = !event.need_rescan() && !event.paths.is_empty();
    // Only Linux reports when a file is closed.
    let is_open =
        cfg!(target_os = "linux") && matches!(event.kind, EventKind::Modify(ModifyKind::Data(_)));
    Some(FileEvent {
        files: has_known_paths.then_some(event.paths),
        is_complete,
        is_open_for_writing: is_open,
    })
}

/// Whether mods are read from a file of this name.
fn is_mod_file(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name == "mod.toml" || name.ends_with(".luau") || name.ends_with(".lua")
}

/// The absolute path of a folder, independent of the working directory.
pub(super) fn absolute_path(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

fn watch_error(error: &notify::Error) -> Problem {
    Problem::warning(Code::Unwatched, format!("the mods' folders cannot be watched: {error}"))
        .hint("after a change type `reload`, or press its key (`R`) in the full screen")
}

/// The clock of this module: it decides when a file is read again, and nothing else.
#[allow(clippy::disallowed_methods)]
fn now() -> Instant {
    Instant::now()
}
