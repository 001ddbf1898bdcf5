//! A whole journal read line by line, for whoever walks all of a run once: a run of any length takes
//! the same room. Each line is checked as it is where all of them are read at once.

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::chain::Stop;
use super::damage::{Damage, tell};
use super::data_dir::DataDir;
use super::entry::{Entry, Header, ModMark};
use super::head::{head, headless};
use super::journal::LINE;
use super::lines::Lines;
use super::reading::{in_its_place, parse};
use super::run_state::RunState;
use super::sizes::READ_BYTES;
use super::trouble::{Telling, place};
use crate::kit::Problem;

const DOING: &str = "read the run's journal";

/// The most bytes of a first line that is looked at by itself.
const HEADER_BYTES: u64 = 16 * 1024 * 1024;

/// A journal that is walked from its start, as long as it was when it was opened: someone may be
/// playing on.
#[derive(Debug)]
pub struct Whole {
    data_dir: DataDir,
    path: PathBuf,
    header: Header,
    bytes: u64,
    goes_back: bool,
    marks: Vec<ModMark>,
}

/// Its entries behind the header, one at a time, as far as they are whole.
pub struct Entries<'w> {
    whole: &'w Whole,
    lines: Lines<'w>,
    run_state: RunState,
    unread: Option<Problem>,
}

impl DataDir {
    /// Opens a run to walk all of it, line by line. A Problem says that there is no such run, or
    /// that not even its first line can be read.
    pub fn open_whole(&self, run_id: &str) -> Result<Whole, Problem> {
        let path = self.journal(run_id)?;
        let whole = self.open_whole_file(&path)?;
        in_its_place(&whole.header, run_id, &path)?;
        Ok(whole)
    }

    /// The same for a journal that may lie anywhere, under any name.
    pub fn open_whole_file(&self, path: &Path) -> Result<Whole, Problem> {
        let path = path.to_path_buf();
        let source = self.disk().reader(&path, 0).telling(DOING, &path)?;
        let mut lines = Lines::of(Box::new(source.take(READ_BYTES + 1)));
        let first = lines.next_entry().telling(DOING, &path)?.map(<[u8]>::to_vec);
        let header = head(first.as_deref(), &mut lines.stop).map_err(|why| headless(&path, why))?;
        let (mut goes_back, mut marks) = (false, header.mods.clone());
        while let Some(text) = lines.next_text().telling(DOING, &path)? {
            if let Some(entry) = other_than_a_step(text) {
                goes_back = goes_back || matches!(entry, Entry::Back { .. });
                marks.extend_from_slice(entry.marks());
            }
        }
        let bytes = lines.bytes;
        if bytes > READ_BYTES {
            Err(ErrorKind::FileTooLarge.into()).telling(DOING, &path)?;
        }
        marks.sort_by_key(|mark| mark.digest);
        marks.dedup_by_key(|mark| mark.digest);
        Ok(Whole { data_dir: self.clone(), path, header, bytes, goes_back, marks })
    }

    /// What the run of a journal was started with, from its first line alone.
    pub(super) fn header_at(&self, path: &Path) -> Result<Header, Problem> {
        let source = self.disk().reader(path, 0).telling(DOING, path)?;
        let mut lines = Lines::of(Box::new(source.take(HEADER_BYTES)));
        let first = lines.next_entry().telling(DOING, path)?.map(<[u8]>::to_vec);
        head(first.as_deref(), &mut lines.stop).map_err(|why| headless(path, why))
    }
}

/// The entry of a line that is of no step. Most lines are of steps, which their first word says; only
/// the others are read.
fn other_than_a_step(text: &[u8]) -> Option<Entry> {
    let steps =
        |body: &[u8]| body.starts_with(b"{\"intent\":") || body.starts_with(b"{\"result\":");
    let other = LINE.body(text).filter(|body| !steps(body))?;
    serde_json::from_slice(other).ok()
}

impl Whole {
    /// What the run was started with.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether steps were taken back in it, so that which entries count is known at its end only.
    pub fn goes_back(&self) -> bool {
        self.goes_back
    }

    /// The mods that the run was made on, each version once.
    pub fn marks(&self) -> &[ModMark] {
        &self.marks
    }

    /// The entries, from the first behind the header.
    pub fn entries(&self) -> Result<Entries<'_>, Problem> {
        let source = self.data_dir.disk().reader(&self.path, 0).telling(DOING, &self.path)?;
        let mut lines = Lines::of(Box::new(source.take(self.bytes)));
        lines.next_entry().telling(DOING, &self.path)?;
        Ok(Entries { whole: self, lines, run_state: RunState::new(&self.header), unread: None })
    }
}

impl Entries<'_> {
    /// The damage at which they ended, if they did. A Problem says that the disk gave no more.
    pub fn damage(self) -> Result<Option<Damage>, Problem> {
        let (_, damage) = tell(self.lines.stop, &self.run_state, None);
        let at = |mut damage: Damage| {
            damage.problem.place = Some(place(&self.whole.path, damage.line));
            damage
        };
        self.unread.map_or_else(|| Ok(damage.map(at)), Err)
    }
}

impl Iterator for Entries<'_> {
    type Item = (u64, Entry);

    fn next(&mut self) -> Option<(u64, Entry)> {
        let entry = match self.lines.next_entry().telling(DOING, &self.whole.path) {
            Ok(entry) => entry?,
            Err(problem) => {
                self.unread = Some(problem);
                return None;
            }
        };
        let entry = parse(entry, &mut self.run_state);
        let line = self.lines.number;
        match entry {
            Ok(entry) => Some((line, entry)),
            Err(what) => {
                self.lines.stop = Some(Stop { line, what, torn: false });
                None
            }
        }
    }
}
