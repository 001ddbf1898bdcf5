//! The run state after the entries of a journal: the next step, the pending step and why the run
//! earns no award. Writer and reader compute it with the same fold; a checkpoint stores it.

use super::body_parser::parse_body;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entry::{
    ConsoleCommand, DisabledEntry, JOURNAL_FORMAT, JournalEntry, ModVersion, RunEnding, RunHeader,
};
use super::run_size_checks::{
    check_disabled_list_size, check_ending_size, check_mod_list_size, check_no_award_reasons_size,
    check_run_state_size, check_task_size,
};
use protocol::Input;

/// How much of a journal is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadExtent {
    /// The entries after the newest checkpoint: enough to resume.
    AfterCheckpoint,
    /// All entries, for navigation; the checkpoint is not used.
    All,
}

/// The state of a run's journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The next or pending step. 0 until the start has completed.
    pub next_step: u64,
    /// A step that began and has no result yet.
    #[serde(rename = "pending")]
    pub pending_step: Option<PendingStep>,
    /// The active mods, in load order. Shared, because every line is tried on a copy of the state.
    pub mods: Arc<[ModVersion]>,
    /// Why the run earns no award (`practice`, `console`, `fork`).
    #[serde(rename = "marks")]
    pub no_award_reasons: BTreeSet<String>,
    /// The disabled hooks and mods.
    #[serde(rename = "set_aside")]
    pub disabled_entries: Vec<DisabledEntry>,
    /// Its end, if it is over.
    #[serde(rename = "ended")]
    pub run_ending: Option<RunEnding>,
    /// Whether the journal notes that the profile was paid.
    #[serde(rename = "settled")]
    pub is_paid: bool,
}

/// A step that began and has no result yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingStep {
    /// The step.
    pub step: u64,
    /// The input; none for step 0, the start.
    pub input: Option<Input>,
    /// The console command, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(rename = "order")]
    pub console_command: Option<ConsoleCommand>,
    /// The number of retries after the program died in it.
    #[serde(rename = "again")]
    pub retry_count: u64,
}

impl RunState {
    /// The state after the header: the start is pending.
    pub fn new(header: &RunHeader) -> Self {
        let mut no_award_reasons = BTreeSet::new();
        if header.is_practice {
            no_award_reasons.insert("practice".to_owned());
        }
        if header.forked_from.is_some() {
            no_award_reasons.insert("fork".to_owned());
        }
        Self {
            next_step: 0,
            pending_step: Some(PendingStep {
                step: 0,
                input: None,
                console_command: None,
                retry_count: 0,
            }),
            mods: header.mods.as_slice().into(),
            no_award_reasons,
            disabled_entries: Vec::new(),
            run_ending: None,
            is_paid: false,
        }
    }

    /// The last completed step; `None` before the start has completed.
    pub fn last_completed_step(&self) -> Option<u64> {
        self.next_step.checked_sub(1)
    }

    /// Whether the run is paid.
    pub fn earns_award(&self) -> bool {
        self.no_award_reasons.is_empty()
    }

    /// Applies the next entry; the error says why it is out of order.
    pub fn apply_entry(&mut self, entry: &JournalEntry) -> Result<(), String> {
        match entry {
            JournalEntry::Header(_) => return Err("a second header".to_owned()),
            JournalEntry::Intent { step, input, .. } => {
                self.begin_journal_step(*step, Some(input), None)?
            }
            JournalEntry::Console { step, command: order } => {
                self.begin_journal_step(*step, None, Some(order))?
            }
            JournalEntry::Retry { step } => {
                self.check_step_is_pending(*step)?;
                if let Some(pending) = &mut self.pending_step {
                    pending.retry_count = pending.retry_count.saturating_add(1);
                }
            }
            JournalEntry::Result { step, .. } => {
                self.check_step_is_pending(*step)?;
                self.pending_step = None;
                self.next_step = step.checked_add(1).ok_or("a step number that is too large")?;
            }
            JournalEntry::Refusal { step, .. } => self.apply_refusal(*step)?,
            JournalEntry::NoAwardReason { reason } => {
                if self.no_award_reasons.insert(reason.clone()) {
                    check_no_award_reasons_size(&self.no_award_reasons)?;
                }
            }
            JournalEntry::Reload { mods, .. } => {
                // A changed mod may be fixed: it is enabled again.
                let digest = |mods: &[ModVersion], id: &str| {
                    mods.iter().find(|m| m.id == id).map(|m| m.digest)
                };
                let is_unchanged = |one: &DisabledEntry| {
                    digest(&self.mods, &one.owner) == digest(mods, &one.owner)
                };
                check_mod_list_size(mods)?;
                self.disabled_entries.retain(is_unchanged);
                self.mods = mods.as_slice().into();
            }
            JournalEntry::Disabled(disabled_entry) => {
                self.disabled_entries.push(disabled_entry.clone());
                check_disabled_list_size(&self.disabled_entries)?;
            }
            JournalEntry::Undo { to_step: to, mods, disabled: set_aside } => {
                if *to >= self.next_step {
                    return Err(format!("an undo to step {to}, which is in the future"));
                }
                check_disabled_list_size(set_aside)?;
                check_mod_list_size(mods)?;
                self.pending_step = None;
                self.run_ending = None;
                self.next_step = to + 1;
                self.disabled_entries.clone_from(set_aside);
                if !mods.is_empty() {
                    self.mods = mods.as_slice().into();
                }
            }
            JournalEntry::RestoredFromCheckpoint(restored) => {
                let run_state = &restored.run_state;
                if run_state.pending_step.is_some()
                    || run_state.last_completed_step() != Some(restored.step)
                {
                    return Err("a checkpoint during a step".to_owned());
                }
                if restored.step < self.next_step {
                    return Err(format!(
                        "a checkpoint after step {}, which has already passed",
                        restored.step
                    ));
                }
                check_run_state_size(run_state)?;
                self.clone_from(run_state);
            }
            JournalEntry::Ended(ending) => {
                if self.run_ending.is_some() {
                    return Err("a second end".to_owned());
                }
                check_ending_size(ending)?;
                self.pending_step = None;
                self.run_ending = Some(ending.clone());
            }
            JournalEntry::Paid {} => {
                if self.run_ending.is_none() {
                    return Err("an award paid before the end of the run".to_owned());
                }
                self.is_paid = true;
            }
        }
        Ok(())
    }

    fn begin_journal_step(
        &mut self,
        step: u64,
        input: Option<&Input>,
        console_command: Option<&ConsoleCommand>,
    ) -> Result<(), String> {
        if self.run_ending.is_some() {
            return Err(format!("step {step} after the end"));
        }
        if let Some(pending) = &self.pending_step {
            return Err(format!("step {step} begun while step {} is pending", pending.step));
        }
        if step != self.next_step {
            return Err(format!("step {step} where step {} comes next", self.next_step));
        }
        check_task_size(input, console_command)?;
        let (input, console_command) = (input.cloned(), console_command.cloned());
        self.pending_step = Some(PendingStep { step, input, console_command, retry_count: 0 });
        Ok(())
    }

    /// A refused step is over; a refused start is still pending.
    fn apply_refusal(&mut self, step: u64) -> Result<(), String> {
        self.check_step_is_pending(step)?;
        if step == 0 {
            self.pending_step =
                Some(PendingStep { step: 0, input: None, console_command: None, retry_count: 0 });
        } else {
            self.pending_step = None;
            self.next_step = step.checked_add(1).ok_or("a step number that is too large")?;
        }
        Ok(())
    }

    fn check_step_is_pending(&self, step: u64) -> Result<(), String> {
        match &self.pending_step {
            Some(pending) if pending.step == step => Ok(()),
            Some(pending) => Err(format!("step {step} where step {} is pending", pending.step)),
            None => Err(format!("the result of step {step}, which did not begin")),
        }
    }
}

/// Whether this program reads the format of a header.
pub(super) fn check_journal_format(format: u32) -> Result<(), String> {
    if format == JOURNAL_FORMAT {
        return Ok(());
    }
    Err(format!("it has format {format}, and this program reads format {JOURNAL_FORMAT}"))
}

/// Parses the entry of a valid line.
pub(super) fn parse_entry(entry: &[u8], run_state: &mut RunState) -> Result<JournalEntry, String> {
    let entry: JournalEntry =
        parse_body(entry).map_err(|why| format!("it is intact, but cannot be parsed: {why}"))?;
    run_state
        .apply_entry(&entry)
        .map_err(|why| format!("it is intact, but out of order: {why}"))?;
    Ok(entry)
}
