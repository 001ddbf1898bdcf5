//! A stream over a whole journal, for a single pass in constant memory. The checks per line are the
//! same as when all lines are loaded.

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

/// The maximum size of a header line that is read by itself.
const HEADER_BYTES: u64 = 16 * 1024 * 1024;

/// A journal that is streamed from its start, with its length at the time of opening: the run may
/// be in progress.
#[derive(Debug)]
pub struct Whole {
    data_dir: DataDir,
    path: PathBuf,
    header: Header,
    bytes: u64,
    goes_back: bool,
    marks: Vec<ModMark>,
}

/// The entries after the header, one at a time, as far as they are valid.
pub struct Entries<'w> {
    whole: &'w Whole,
    lines: Lines<'w>,
    run_state: RunState,
    unread: Option<Problem>,
}

impl DataDir {
    /// Opens a run as a stream. A Problem says that there is no such run, or that its header cannot
    /// be read.
    pub fn open_whole(&self, run_id: &str) -> Result<Whole, Problem> {
        let path = self.journal(run_id)?;
        let whole = self.open_whole_file(&path)?;
        in_its_place(&whole.header, run_id, &path)?;
        Ok(whole)
    }

    /// The same for a journal file at any path.
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

    /// The header of a journal, from its first line alone.
    pub(super) fn header_at(&self, path: &Path) -> Result<Header, Problem> {
        let source = self.disk().reader(path, 0).telling(DOING, path)?;
        let mut lines = Lines::of(Box::new(source.take(HEADER_BYTES)));
        let first = lines.next_entry().telling(DOING, path)?.map(<[u8]>::to_vec);
        head(first.as_deref(), &mut lines.stop).map_err(|why| headless(path, why))
    }
}

/// Parses an entry that does not belong to a step. Most lines belong to steps, which their first
/// word shows; those are not parsed.
fn other_than_a_step(text: &[u8]) -> Option<Entry> {
    let steps =
        |body: &[u8]| body.starts_with(b"{\"intent\":") || body.starts_with(b"{\"result\":");
    let other = LINE.body(text).filter(|body| !steps(body))?;
    serde_json::from_slice(other).ok()
}

impl Whole {
    /// The parameters of the run.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether steps are undone in it, so that the effective entries are known only at its end.
    pub fn goes_back(&self) -> bool {
        self.goes_back
    }

    /// The mod versions of the run, each once.
    pub fn marks(&self) -> &[ModMark] {
        &self.marks
    }

    /// The entries, from the first after the header.
    pub fn entries(&self) -> Result<Entries<'_>, Problem> {
        let source = self.data_dir.disk().reader(&self.path, 0).telling(DOING, &self.path)?;
        let mut lines = Lines::of(Box::new(source.take(self.bytes)));
        lines.next_entry().telling(DOING, &self.path)?;
        Ok(Entries { whole: self, lines, run_state: RunState::new(&self.header), unread: None })
    }
}

impl Entries<'_> {
    /// The damage at which the stream ended, if any. A Problem reports a disk error.
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
