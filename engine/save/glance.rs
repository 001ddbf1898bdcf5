//! A glance at a run: what it was started with and where it stands, from its checkpoint and what was
//! written since. The title asks that of every run there is, and a long journal takes its time.

use std::io::Read;

use super::checkpoint;
use super::data_dir::DataDir;
use super::entry::Header;
use super::lines::Lines;
use super::reading::{Reach, parse};
use super::run_state::RunState;
use super::sizes::READ_BYTES;
use super::trouble::Telling;
use crate::kit::Problem;
use crate::kit::fault::planted;
use crate::kit::fence::fenced;

/// What a glance at a run tells.
#[derive(Debug)]
pub struct Glance {
    /// What it was started with.
    pub header: Header,
    /// Where it stands.
    pub run_state: RunState,
    /// Whether damage was seen. What lies before the checkpoint is looked at only where the run is over.
    pub damaged: bool,
}

impl DataDir {
    /// Where a run stands; `None` where its folder holds no journal: such a run never began. Whoever plays
    /// it opens it, and is told what else is wrong with it.
    pub fn glance(&self, run_id: &str) -> Result<Option<Glance>, Problem> {
        let path = self.journal(run_id)?;
        let short = fenced("look at a run's files", || self.behind_the_checkpoint(run_id));
        if let Ok(Some(glance)) = short {
            return Ok(Some(glance));
        }
        if !self.disk().exists(&path).telling("look for a run", &path)? {
            return Ok(None);
        }
        let opened = self.open(run_id, Reach::Tail)?;
        let damaged = opened.damage.is_some();
        Ok(Some(Glance { header: opened.header, run_state: opened.run_state, damaged }))
    }

    /// The short way, where nothing speaks for another: there is a checkpoint, every line behind it is whole,
    /// and the run is not over, since what is paid for is read from its first line on.
    fn behind_the_checkpoint(&self, run_id: &str) -> Result<Option<Glance>, Problem> {
        const DOING: &str = "read the end of the run's journal";
        assert!(!planted("panic_while_reading_ada") || !run_id.starts_with("ada"), "planted");
        let Some(found) = checkpoint::read(self, run_id)? else { return Ok(None) };
        let Some(header) = found.header else { return Ok(None) };
        let (path, mut run_state) = (self.journal(run_id)?, found.run_state);
        // The line break before shows that the journal is as long as it was.
        let Some(before) = found.journal_bytes.checked_sub(1) else { return Ok(None) };
        let mut source = self.disk().reader(&path, before).telling(DOING, &path)?.take(READ_BYTES);
        let mut line_break = [0];
        if source.read(&mut line_break).telling(DOING, &path)? == 0 || line_break != *b"\n" {
            return Ok(None);
        }
        let mut lines = Lines::behind(Box::new(source), found.journal_lines, found.journal_chain);
        while let Some(entry) = lines.next_entry().telling(DOING, &path)? {
            if parse(entry, &mut run_state).is_err() {
                return Ok(None);
            }
        }
        let plain = lines.stop.is_none() && run_state.ended.is_none();
        Ok(plain.then_some(Glance { header: *header, run_state, damaged: false }))
    }
}
