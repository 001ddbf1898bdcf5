//! Peeks at a run: reads its header and run state from the checkpoint and the lines after it. The
//! menu does this for every run, and reading a long journal takes time.

use std::io::Read;

use super::checkpoint;
use super::data_dir::DataDir;
use super::glances::Glance;
use super::head::head;
use super::lines::Lines;
use super::reading::{Reach, in_its_place, parse};
use super::run_state::RunState;
use super::sizes::READ_BYTES;
use super::trouble::Telling;
use crate::kit::Problem;
use crate::kit::fault::planted;
use crate::kit::fence::fenced;

impl DataDir {
    /// Peeks at a run; `None` if its folder has no journal, so that the run never started. Opening
    /// the run reports any other damage.
    pub fn glance(&self, run_id: &str) -> Result<Option<Glance>, Problem> {
        let path = self.journal(run_id)?;
        let short = fenced("read a run's files", || self.behind_the_checkpoint(run_id));
        if let Ok(Some(glance)) = short {
            return Ok(Some(glance));
        }
        if !self.disk().exists(&path).telling("look for a run", &path)? {
            return Ok(None);
        }
        let length = self.disk().length(&path).telling("read a run's size", &path)?;
        if let Some(known) = self.glances.of(run_id, length) {
            return known.map(Some);
        }
        let walked = fenced("read a run's files", || self.line_by_line(run_id));
        let found = match walked {
            Ok(Some(glance)) => Ok(glance),
            _ => self.open(run_id, Reach::Tail).map(|opened| {
                let damaged = opened.damage.is_some();
                Glance { header: opened.header, run_state: opened.run_state, damaged }
            }),
        };
        // A disk error may be temporary; it is not cached.
        if found.as_ref().err().is_none_or(|problem| problem.code == "journal-damaged") {
            self.glances.keep(run_id, length, &found);
        }
        found.map(Some)
    }

    /// The slow path in constant memory: reads every line. `None` if the first line is damaged,
    /// which may be repairable.
    fn line_by_line(&self, run_id: &str) -> Result<Option<Glance>, Problem> {
        const DOING: &str = "read the run's journal";
        assert!(!planted("panic_while_reading_ada") || !run_id.starts_with("ada"), "planted");
        // A checkpoint that knows of more valid lines shows that some were removed.
        let known = checkpoint::read(self, run_id).ok().flatten();
        let known = known.map_or(0, |found| found.journal_bytes);
        let path = self.journal(run_id)?;
        let source = self.disk().reader(&path, 0).telling(DOING, &path)?.take(READ_BYTES);
        let mut lines = Lines::of(Box::new(source));
        let first = lines.next_entry().telling(DOING, &path)?.map(<[u8]>::to_vec);
        let Ok(header) = head(first.as_deref(), &mut lines.stop) else { return Ok(None) };
        in_its_place(&header, run_id, &path)?;
        let mut run_state = RunState::new(&header);
        let mut damaged = false;
        while let Some(entry) = lines.next_entry().telling(DOING, &path)? {
            if parse(entry, &mut run_state).is_err() {
                damaged = true;
                break;
            }
        }
        damaged |= lines.stop.as_ref().is_some_and(|stop| !stop.torn);
        damaged |= lines.good_bytes() < known;
        Ok(Some(Glance { header, run_state, damaged }))
    }

    /// The fast path. It needs a checkpoint, valid lines after it and an unfinished run. A finished
    /// run is always checked from its first line, because it is paid.
    fn behind_the_checkpoint(&self, run_id: &str) -> Result<Option<Glance>, Problem> {
        const DOING: &str = "read the end of the run's journal";
        assert!(!planted("panic_while_reading_ada") || !run_id.starts_with("ada"), "planted");
        let Some(found) = checkpoint::read(self, run_id)? else { return Ok(None) };
        let Some(header) = found.header else { return Ok(None) };
        let (path, mut run_state) = (self.journal(run_id)?, found.run_state);
        // The line break before shows that the journal still has this length.
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
