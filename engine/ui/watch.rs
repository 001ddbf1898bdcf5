//! Watching the folders of the mods that are played, so that a file that is saved is taken up a
//! moment later. Editors write in many ways (half a file at a time, to another name first, by
//! renaming a folder), so a change counts only once it has been quiet for a moment, and what it
//! was is never asked: everything is read again.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::kit::Problem;

/// How long a folder must be quiet before a change in it counts.
pub const DEBOUNCE: Duration = Duration::from_millis(25);

/// What a front end looks at while it waits: whether something has changed. It says so once.
pub type Bell = Rc<dyn Fn() -> bool>;

/// A watch over folders.
pub struct Watch {
    watcher: RefCell<RecommendedWatcher>,
    folders: Vec<PathBuf>,
    changes: Receiver<()>,
    /// When the last change came that has not been told yet.
    since: Cell<Option<Instant>>,
}

impl Watch {
    /// Watches folders with everything in them. A folder may be renamed, removed and made anew
    /// meanwhile.
    pub fn over(folders: Vec<PathBuf>) -> Result<Self, Problem> {
        let (sender, changes) = channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let looked_at =
                matches!(&event, Ok(event) if matches!(event.kind, EventKind::Access(_)));
            if !looked_at {
                // Nobody may be listening any more; then there is nobody to tell.
                let _ = sender.send(());
            }
        });
        let watcher = RefCell::new(watcher.map_err(|error| unwatched(&error))?);
        let watch = Self { watcher, folders, changes, since: Cell::new(None) };
        watch.look_at_folders().map_err(|error| unwatched(&error))?;
        Ok(watch)
    }

    /// Whether something changed since this was last asked, and has been quiet for a moment.
    pub fn changed(&self) -> bool {
        if self.changes.try_iter().count() > 0 {
            self.since.set(Some(now()));
        }
        let quiet = self.since.get().is_some_and(|since| now() - since >= DEBOUNCE);
        if quiet {
            self.since.set(None);
            // A folder that was made anew is another folder to the system. One that is not there
            // is heard of through the folder above it when it comes back.
            let _ = self.look_at_folders();
        }
        quiet
    }

    /// This watch as what a front end looks at.
    pub fn bell(self) -> Bell {
        Rc::new(move || self.changed())
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
