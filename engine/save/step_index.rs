//! The completed steps of a journal with their lines, and the lines that an undo took back: enough
//! to find an entry in the file without holding any.

use std::ops::RangeInclusive;

use super::entry::JournalEntry;

/// The steps that count. Takes 16 bytes for each, however long its entries are.
#[derive(Clone, Debug, Default)]
pub(super) struct StepIndex {
    /// Step and line, in the order of the journal.
    completed_steps_and_lines: Vec<(u64, u64)>,
    /// Lines of undone steps, in order, each range with the line of its undo.
    undone_lines: Vec<RangeInclusive<u64>>,
    earliest_undo: Option<u64>,
}

impl StepIndex {
    /// Adds the next line.
    pub(super) fn add_entry(&mut self, line: u64, entry: &JournalEntry) {
        if let JournalEntry::Undo { to_step: to, .. } = entry {
            while self.completed_steps_and_lines.pop_if(|(step, _)| step != to).is_some() {}
            let from = self.last_completed_step().map_or(0, |(_, line)| line) + 1;
            while self.undone_lines.pop_if(|range| *range.start() >= from).is_some() {}
            self.undone_lines.push(from..=line);
            self.earliest_undo = Some(self.earliest_undo.map_or(*to, |step| step.min(*to)));
        } else if let Some(step) = entry.completed_step() {
            self.completed_steps_and_lines.push((step, line));
        }
    }

    /// The last step that counts, and its line.
    pub(super) fn last_completed_step(&self) -> Option<(u64, u64)> {
        self.completed_steps_and_lines.last().copied()
    }

    /// The earliest step to which steps were undone.
    pub(super) fn earliest_undo(&self) -> Option<u64> {
        self.earliest_undo
    }

    /// The line that completes a step; 0 if none does.
    pub(super) fn line_of_step(&self, step: u64) -> u64 {
        let found =
            self.completed_steps_and_lines.iter().rev().find(|(completed, _)| *completed == step);
        found.map_or(0, |(_, line)| *line)
    }

    /// Whether the entry of a line counts.
    pub(super) fn is_effective(&self, line: u64) -> bool {
        let next = self.undone_lines.partition_point(|range| *range.end() < line);
        self.undone_lines.get(next).is_none_or(|range| !range.contains(&line))
    }

    /// Whether the same lines count in both, up to this one.
    pub(super) fn agrees_up_to(&self, line: u64, other: &Self) -> bool {
        let ranges = |index: &Self| -> Vec<(u64, u64)> {
            let begun = index.undone_lines.iter().filter(|range| *range.start() <= line);
            begun.map(|range| (*range.start(), line.min(*range.end()))).collect()
        };
        ranges(self) == ranges(other)
    }
}
