//! A whole journal read line by line, for whoever walks all of a run once: its text is held, and one
//! entry at a time. Each line is checked as it is where all of them are read at once.

use std::path::PathBuf;

use super::chain::{Chain, Line, Stop, texts};
use super::entry::{Entry, Header};
use super::home::Home;
use super::journal::{JOURNAL_BYTES, LINE};
use super::reading::{Damage, head, headless, in_its_place, parse, tell};
use super::standing::Standing;
use super::trouble::{Telling, place};
use crate::kit::{Digest, Problem};

/// A journal that is walked from its start.
#[derive(Debug)]
pub struct Whole {
    path: PathBuf,
    header: Header,
    bytes: Vec<u8>,
    first: Line,
}

/// Its entries behind the header, one at a time, as far as they are whole.
pub struct Entries<'w> {
    whole: &'w Whole,
    chain: Chain<'w>,
    standing: Standing,
}

impl Home {
    /// Opens a run to walk all of it, line by line. A Problem says that there is no such run, or
    /// that not even its first line can be read.
    pub fn open_whole(&self, run_id: &str) -> Result<Whole, Problem> {
        let path = self.journal(run_id)?;
        let bytes =
            self.disk().read(&path, JOURNAL_BYTES).telling("read the run's journal", &path)?;
        let mut chain = Chain::behind(&bytes, &Line::before_all(Digest::default()));
        let first = chain.next();
        let (first, header) =
            head(&bytes, first, &mut chain.stop).map_err(|why| headless(&path, why))?;
        in_its_place(&header, run_id, &path)?;
        Ok(Whole { path, header, bytes, first })
    }
}

impl Whole {
    /// What the run was started with.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The entries, from the first behind the header.
    pub fn entries(&self) -> Entries<'_> {
        let chain = Chain::behind(&self.bytes, &self.first);
        Entries { whole: self, chain, standing: Standing::new(&self.header) }
    }

    /// Whether steps were taken back in it, so that which entries count is known at its end only.
    pub fn goes_back(&self) -> bool {
        // Most lines are of steps, which their first word says; only the others are read.
        let other =
            |body: &&[u8]| !body.starts_with(b"{\"intent\":") && !body.starts_with(b"{\"result\":");
        let mut others = texts(&self.bytes).filter_map(|text| LINE.body(text)).filter(other);
        others.any(|body| matches!(serde_json::from_slice(body), Ok(Entry::Back { .. })))
    }
}

impl Entries<'_> {
    /// The damage at which they ended, if they did.
    pub fn damage(self) -> Option<Damage> {
        let (_, damage) = tell(self.chain.stop, &self.standing, None);
        damage.map(|mut damage| {
            damage.problem.place = Some(place(&self.whole.path, damage.line));
            damage
        })
    }
}

impl Iterator for Entries<'_> {
    type Item = (u64, Entry);

    fn next(&mut self) -> Option<(u64, Entry)> {
        let Line { number, entry, .. } = self.chain.next()?;
        match parse(&self.whole.bytes[entry], &mut self.standing) {
            Ok(entry) => Some((number, entry)),
            Err(what) => {
                self.chain.stop = Some(Stop { line: number, what, torn: false });
                None
            }
        }
    }
}
