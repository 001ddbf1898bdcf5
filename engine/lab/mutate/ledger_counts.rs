//! Writes the mutation results into a ledger, between two comments: counts by row, and every mark
//! and tuned constant with its reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::report::{MutationReport, TunedLine, id_sort_key};
use base::{Code, Problem};

const RESULTS_START: &str = "<!-- mutate -->";
const RESULTS_END: &str = "<!-- /mutate -->";
/// The maximum length of a line of the page.
const PAGE_COLUMNS: usize = 140;
/// A space at which lines do not break.
const NO_BREAK_SPACE: char = '\u{a0}';

impl MutationReport {
    /// Writes the results into a page, between the two comments.
    pub(super) fn write_to_ledger(&self, page: &Path) -> Result<(), Problem> {
        let name = page.display();
        let wrong = |why: std::io::Error| {
            Problem::error(Code::NotWritten, format!("{name} cannot be written: {why}"))
        };
        if self.untried_mutants > 0 {
            let why = format!(
                "{name} was not changed; mutants that were not tried: {}",
                self.untried_mutants
            );
            return Err(Problem::error(Code::NotWritten, why));
        }
        let unreadable =
            |why| Problem::error(Code::NotWritten, format!("{name} cannot be read: {why}"));
        let text = fs::read_to_string(page).map_err(unreadable)?;
        let parts = text.split_once(RESULTS_START).and_then(|(before, rest)| {
            rest.split_once(RESULTS_END).map(|(_, after)| (before, after))
        });
        let Some((before, after)) = parts else {
            let why = format!("{name} has no place for the results");
            return Err(Problem::error(Code::NotWritten, why).expected(format!(
                "a line {RESULTS_START} and, somewhere below it, a line {RESULTS_END}"
            )));
        };
        let counts = format!("{}\n{}", self.counted_files.to_line(), self.counts_text());
        fs::write(page, format!("{before}{RESULTS_START}\n{counts}{RESULTS_END}{after}"))
            .map_err(wrong)
    }

    /// The text of the results.
    fn counts_text(&self) -> String {
        let all = &self.total;
        let mut text = wrap_text(
            &format!(
                "Of {} changes that load, {} are noticed by a case of their own row, {} by another's \
                 alone, {} are marked since they make no difference, {} survive. Beside them stand {} \
                 changes of figures that are tuned, {} of them noticed. By row, each change counted in \
                 every row that it belongs to:",
                all.counted_mutants,
                all.caught,
                all.caught_by_other_rows,
                all.marked_equivalent,
                all.survived,
                all.tuned,
                self.tuned.iter().map(|one| one.caught_count).sum::<usize>(),
            ),
            "",
        );
        let mut rows: Vec<_> =
            self.rows.iter().filter(|(_, row)| row.counted_mutants > 0).collect();
        rows.sort_by_key(|(id, _)| id_sort_key(id));
        let rows: Vec<String> = rows
            .into_iter()
            .map(|(id, row)| {
                let special_counts = [
                    (row.marked_equivalent, "marked"),
                    (row.caught_by_other_rows, "elsewhere"),
                    (row.survived, "open"),
                ];
                let special_counts: Vec<String> = special_counts
                    .into_iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, what)| format!("{count}{NO_BREAK_SPACE}{what}"))
                    .collect();
                let special_text = if special_counts.is_empty() {
                    String::new()
                } else {
                    format!(
                        "{NO_BREAK_SPACE}({})",
                        special_counts.join(&format!(",{NO_BREAK_SPACE}"))
                    )
                };
                format!("{id}{NO_BREAK_SPACE}{}{special_text}", row.counted_mutants)
            })
            .collect();
        text.push('\n');
        text.push_str(&wrap_text(&format!("{}.", rows.join(", ")), ""));
        if !self.marked_equivalent.is_empty() {
            text.push_str("\nMarked where they stand, since nobody could notice them:\n\n");
        }
        for one in &self.marked_equivalent {
            let reason = one.reason.as_deref().unwrap_or_default();
            let line = format!("- `{}` {}, {}: {reason}", one.file, one.statement_name, one.change);
            text.push_str(&wrap_text(&line, "  "));
        }
        let mut tuned: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
        for TunedLine { file, reason, mutant_count: changes, caught_count: noticed, .. } in
            &self.tuned
        {
            let (all, some) = tuned.entry((file, reason)).or_default();
            *all += changes;
            *some += noticed;
        }
        if !tuned.is_empty() {
            text.push_str("\nTuned, and held by playing:\n\n");
        }
        for ((file, reason), (changes, noticed)) in tuned {
            let line = format!("- `{file}`: {changes} changes, {noticed} noticed: {reason}");
            text.push_str(&wrap_text(&line, "  "));
        }
        text
    }
}

/// Wraps a text; further lines begin with `further`.
fn wrap_text(text: &str, further: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.len() + 1 + word.len() > PAGE_COLUMNS {
            lines.push_str(&line);
            lines.push('\n');
            line = format!("{further}{word}");
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    (lines + &line + "\n").replace(NO_BREAK_SPACE, " ")
}
