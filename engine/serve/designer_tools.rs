//! What a designer asks of the program beside the game, with `--dev`: where something comes from, and
//! work on many runs that goes on while its results are read.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A question of an author about the content, answered as text.
pub type AuthorQuery = Box<dyn Fn(&str) -> String + Send + Sync>;
/// Starts the work that a request asks for, or returns why it is refused.
pub type WorkStarter = Box<dyn Fn(&str) -> Result<Box<dyn DesignerWork>, String> + Send + Sync>;

/// Work in the background. It ends when it is dropped.
pub trait DesignerWork: Send {
    /// The results so far, as JSON.
    fn results_text(&self) -> String;
    /// Stops it; the results so far stay.
    fn stop(&self);
    /// Whether it has ended.
    fn is_over(&self) -> bool;
}

/// All of it.
pub struct DesignerTools {
    /// Answers `why`.
    pub author_query: AuthorQuery,
    /// Starts work; none in a build without the laboratory.
    pub work_starter: Option<WorkStarter>,
    /// The last work that was started; one at a time.
    work: Mutex<Option<Box<dyn DesignerWork>>>,
}

impl DesignerTools {
    /// The tools, with no work yet.
    pub fn new(author_query: AuthorQuery, work_starter: Option<WorkStarter>) -> Self {
        Self { author_query, work_starter, work: Mutex::new(None) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn DesignerWork>>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts work, if that before has ended. `None` if none can be started.
    pub(crate) fn start_work(&self, request: &str) -> Option<Result<(), String>> {
        let starter = self.work_starter.as_ref()?;
        let mut work = self.lock();
        if work.as_ref().is_some_and(|work| !work.is_over()) {
            return Some(Err("the work before has not ended".to_owned()));
        }
        Some(starter(request).map(|started| *work = Some(started)))
    }

    pub(crate) fn stop_work(&self) {
        if let Some(work) = &*self.lock() {
            work.stop();
        }
    }

    /// The results so far as JSON; `null` if nothing was started, `None` if nothing can be.
    pub(crate) fn work_results(&self) -> Option<String> {
        self.work_starter.as_ref()?;
        Some(self.lock().as_ref().map_or("null".to_owned(), |work| work.results_text()))
    }
}
