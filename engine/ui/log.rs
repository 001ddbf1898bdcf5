//! What was told and answered, as a front end tells it again: the newest of it is held in memory, and where
//! that is not all, everything is read from the journal of the run.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::play::Past;

/// Reads what a run told and what was answered, oldest first.
pub type LogReader = Rc<dyn Fn() -> Vec<Past>>;

/// Most bytes of text that are held in memory.
pub const LOG_BYTES: usize = 1024 * 1024;

/// What was told and answered.
#[derive(Default)]
pub struct Log {
    newest: VecDeque<Past>,
    bytes: usize,
    /// Whether something older is held no more.
    is_cut: bool,
    reader: Option<LogReader>,
}

impl Log {
    /// Begins anew with what was told before.
    pub fn begin(&mut self, past: &[Past]) {
        self.newest.clear();
        (self.bytes, self.is_cut) = (0, false);
        past.iter().cloned().for_each(|past| self.push(past));
    }

    /// Says where all of it is read from, if it lies anywhere.
    pub fn read_from(&mut self, reader: Option<LogReader>) {
        self.reader = reader;
    }

    /// Adds what was told or answered.
    pub fn push(&mut self, past: Past) {
        self.bytes += past.bytes();
        self.newest.push_back(past);
        while self.bytes > LOG_BYTES
            && let Some(oldest) = self.newest.pop_front()
        {
            self.bytes -= oldest.bytes();
            self.is_cut = true;
        }
    }

    /// All of it, oldest first, as far as it can be had.
    pub fn all(&self) -> Vec<Past> {
        match self.reader.as_ref().filter(|_| self.is_cut) {
            Some(read) => read(),
            None => self.newest.iter().cloned().collect(),
        }
    }
}
