//! The report of the faults of shown texts: a row for each kind of fault and text.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::json;

use super::super::coverage_ignore::ReasonComments;
use super::definition_texts::DefinitionTexts;
use super::source_index::{SourceIndex, TextPlace};
use super::text_checks::TextFaultKind;
use super::{FaultCount, TextFaults};
use author::output;
use mods::ModSet;

/// A row: a kind of fault of one text.
struct TextFaultRow {
    kind: TextFaultKind,
    /// A text as it was shown first.
    text: String,
    place: Option<TextPlace>,
    /// The field that has it, `KIND.FIELD`; empty in code.
    field: String,
    count: FaultCount,
    reason: Option<String>,
}

/// The report of an exploration of texts.
pub(in super::super) struct TextFaultReport {
    rows: Vec<TextFaultRow>,
}

impl TextFaultReport {
    /// Finds where the texts are written, and the reasons there.
    pub(super) fn new(
        mut found: TextFaults,
        mods: &ModSet,
        definition_texts: &DefinitionTexts,
    ) -> Self {
        let sources = SourceIndex::new(mods);
        let comments = ReasonComments::from_mods(mods);
        let mut rows: BTreeMap<(TextFaultKind, Option<TextPlace>, String), TextFaultRow> =
            BTreeMap::new();
        found.add_wrong_numbers();
        for ((kind, text), count) in found.faults {
            let (place, segment) = sources.find_place(&text).unzip();
            let unplaced_text = if place.is_some() { String::new() } else { text.clone() };
            let row = rows.entry((kind, place.clone(), unplaced_text)).or_insert_with(|| {
                let by_line = place.as_ref().and_then(|place: &TextPlace| {
                    let file = format!("{}/{}", place.owner, place.file);
                    let prefix = format!("-- texts({}): ", kind.name());
                    comments.find_reason(&prefix, &file, place.line, place.line)
                });
                let fields: Vec<String> =
                    definition_texts.field_names(segment.unwrap_or(&text)).collect();
                let by_field = || {
                    fields.iter().find_map(|field| {
                        comments.find_anywhere(&format!("-- texts({}) {field}: ", kind.name()))
                    })
                };
                let field = fields.last().cloned().unwrap_or_default();
                let reason = by_line.or_else(by_field).map(str::to_owned);
                TextFaultRow {
                    field,
                    kind,
                    text: text.clone(),
                    place,
                    count: FaultCount { count: 0, ..count },
                    reason,
                }
            });
            row.count.count += count.count;
            let step = |count: &FaultCount| (count.first_run_index, count.first_step);
            if step(&count) < step(&row.count) {
                (row.text, row.count) = (text, FaultCount { count: row.count.count, ..count });
            }
        }
        Self { rows: rows.into_values().collect() }
    }

    /// Whether each fault has a reason.
    pub(in super::super) fn is_clean(&self) -> bool {
        self.rows.iter().all(|row| row.reason.is_some())
    }

    /// Writes it as text.
    pub(in super::super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for row in self.rows.iter().filter(|row| row.reason.is_none()) {
            let place = row.place.as_ref().map_or("not found in a script".to_owned(), |place| {
                format!("{}/{}:{}", place.owner, place.file, place.line)
            });
            let FaultCount { first_run_index, first_step, count } = row.count;
            let line = format!(
                "{}: {place} {}(run {}, step {first_step}; {count} times)\n  {}",
                row.kind.name(),
                if row.field.is_empty() { String::new() } else { format!("{} ", row.field) },
                first_run_index + 1,
                row.text.replace('\n', " "),
            );
            output::write_line(out, &line)?;
        }
        let reasons = self.rows.iter().filter(|row| row.reason.is_some()).count();
        let without = self.rows.len() - reasons;
        output::write_line(out, &format!("faults of texts: {without}; with a reason: {reasons}"))
    }

    /// The rows as JSON.
    pub(in super::super) fn to_json(&self) -> serde_json::Value {
        let rows = self.rows.iter().map(|row| {
            let place = row.place.as_ref();
            json!({
                "fault": row.kind.name(), "text": row.text, "reason": row.reason, "field": row.field,
                "mod": place.map(|place| &place.owner), "file": place.map(|place| &place.file),
                "line": place.map(|place| place.line),
                "run": row.count.first_run_index + 1, "step": row.count.first_step,
                "times": row.count.count,
            })
        });
        rows.collect()
    }
}
