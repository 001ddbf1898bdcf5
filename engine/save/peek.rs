//! Peeks at a run: reads its header and run state from the checkpoint and the lines after it. The
//! menu does this for every run, and reading a long journal takes time.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::checkpoint;
use super::data_dir::DataDir;
use super::hash_chain::JournalPosition;
use super::io_error::{IoContext, file_location};
use super::journal_file::JournalFile;
use super::journal_header::read_header_line;
use super::journal_reader::check_run_id;
use super::line_reader::JournalLines;
use super::peek_cache::RunPeek;
use super::run_state::RunState;
use super::run_state::{ReadExtent, parse_entry};
use super::size_limits::MAX_READ_JOURNAL_BYTES;
use base::panic_guard::catch_panics;
use base::{Code, Problem};

impl DataDir {
    /// Peeks at a run; `None` if its folder has neither journal nor checkpoint: it never started.
    /// Opening the run reports any other damage.
    pub fn peek_run(&self, run_id: &str) -> Result<Option<RunPeek>, Problem> {
        let path = self.journal_path(run_id)?;
        let quick_peek = catch_panics("read a run's files", || self.peek_after_checkpoint(run_id));
        if let Ok(Some(run_peek)) = quick_peek {
            return Ok(Some(run_peek));
        }
        if !self.disk().exists(&path).with_context("look for a run", &path)? {
            return match checkpoint::checkpoint_exists(self, run_id)? {
                true => Err(missing_journal_problem(&path)),
                false => Ok(None),
            };
        }
        let length = self.disk().file_length(&path).with_context("read a run's size", &path)?;
        if let Some(known) = self.peek_cache.get(run_id, length) {
            return known.map(Some);
        }
        let full_peek = catch_panics("read a run's files", || self.peek_whole_journal(run_id));
        let found = match full_peek {
            Ok(Some(run_peek)) => Ok(run_peek),
            _ => self.open_run(run_id, ReadExtent::AfterCheckpoint).map(|opened| {
                let damaged = opened.damage.is_some();
                RunPeek {
                    header: Arc::unwrap_or_clone(opened.header).for_list(),
                    run_state: opened.run_state,
                    is_damaged: damaged,
                }
            }),
        };
        // A disk error may be temporary; it is not cached.
        if found.as_ref().err().is_none_or(|problem| problem.code == Code::JournalDamaged) {
            self.peek_cache.insert(run_id, length, &found);
        }
        found.map(Some)
    }

    /// The slow path in constant memory: reads every line. `None` if the first line is damaged,
    /// which may be repairable.
    fn peek_whole_journal(&self, run_id: &str) -> Result<Option<RunPeek>, Problem> {
        // A checkpoint that knows of more valid lines shows that some were removed.
        let known = checkpoint::read_checkpoint(self, run_id).ok().flatten();
        let known = known.map_or(0, |found| found.journal_bytes);
        let path = self.journal_path(run_id)?;
        let file = JournalFile::new(self, &path);
        let mut lines = file.with_context(file.lines_after(JournalPosition::origin()))?;
        let Ok(header) = file.with_context(read_header_line(&mut lines))? else {
            return Ok(None);
        };
        check_run_id(&header, run_id, &path)?;
        let header = header.for_list();
        let mut run_state = RunState::new(&header);
        let mut damaged = false;
        while let Some(entry) = file.with_context(lines.next_entry())? {
            if parse_entry(entry, &mut run_state).is_err() {
                damaged = true;
                break;
            }
        }
        damaged |= lines.chain_break.as_ref().is_some_and(|stop| !stop.is_torn);
        damaged |= lines.position.byte_count < known;
        Ok(Some(RunPeek { header, run_state, is_damaged: damaged }))
    }

    /// The fast path. It needs a checkpoint, valid lines after it and an unfinished run. A finished
    /// run is always checked from its first line, because it is paid.
    fn peek_after_checkpoint(&self, run_id: &str) -> Result<Option<RunPeek>, Problem> {
        const PEEK_ACTION_TEXT: &str = "read the end of the run's journal";
        let Some(found) = checkpoint::read_checkpoint(self, run_id)? else { return Ok(None) };
        let position = found.position();
        let (path, header, mut run_state) =
            (self.journal_path(run_id)?, found.header, found.run_state);
        // The line break before shows that the journal still has this length.
        let Some(before) = position.byte_count.checked_sub(1) else { return Ok(None) };
        let mut source = self
            .disk()
            .open_reader(&path, before)
            .with_context(PEEK_ACTION_TEXT, &path)?
            .take(MAX_READ_JOURNAL_BYTES);
        let mut line_break = [0];
        if source.read(&mut line_break).with_context(PEEK_ACTION_TEXT, &path)? == 0
            || line_break != *b"\n"
        {
            return Ok(None);
        }
        let mut lines = JournalLines::after_line(Box::new(source), position);
        while let Some(entry) = lines.next_entry().with_context(PEEK_ACTION_TEXT, &path)? {
            if parse_entry(entry, &mut run_state).is_err() {
                return Ok(None);
            }
        }
        let is_intact_and_unfinished =
            lines.chain_break.is_none() && run_state.run_ending.is_none();
        Ok(is_intact_and_unfinished.then_some(RunPeek {
            header: header.for_list(),
            run_state,
            is_damaged: false,
        }))
    }
}

fn missing_journal_problem(path: &Path) -> Problem {
    Problem::error(Code::JournalDamaged, "the journal of a run is gone; its checkpoint is there")
        .at(file_location(path, 0))
        .expected("the journal beside the checkpoint")
        .hint("put the file back, or move the folder out of runs/")
}
