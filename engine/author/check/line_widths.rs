//! Checks texts that must fit on one line: fields that a kind declares with `columns`, and labels
//! of prompts.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::analysis::FileSummary;
use base::{Code, Problem, SourceLocation, Value, limits, text};
use content::{Datum, DatumMap, Definition, Field, FieldType, Registry, SourceFiles};

/// Checks the texts of definitions and prompts of some mods.
pub(super) fn check_line_widths(
    registry: &Registry,
    sources: &SourceFiles,
    summaries: &[Arc<FileSummary>],
    ids: &BTreeSet<String>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for kind in registry.kinds() {
        for definition in registry.all_definitions(&kind.name) {
            let own = ids.contains(&definition.place.owner).then_some(&definition.place);
            let changes = definition.changes.iter().filter(|change| ids.contains(&change.owner));
            let places: Vec<&SourceLocation> =
                own.into_iter().chain(changes.map(|one| &one.place)).collect();
            if places.is_empty() {
                continue;
            }
            let mut check = LineWidthCheck {
                definition,
                declared_at: places,
                sources,
                summaries,
                problems: &mut problems,
            };
            check.check_record(&kind.fields, &definition.fields, &mut Vec::new());
        }
    }
    for summary in summaries.iter().filter(|facts| ids.contains(&facts.owner)) {
        for label in &summary.prompt_labels {
            let columns = match label.field.as_str() {
                "label" | "title" => limits::MAX_LABEL_COLUMNS,
                "cost" => limits::MAX_COST_COLUMNS,
                _ => limits::MAX_LINE_COLUMNS,
            };
            let found = line_length_problem(&label.field, &label.text, &label.text, columns);
            problems.extend(found.map(|problem| problem.at(summary.place(label.line))));
        }
    }
    problems
}

/// The check of one definition.
struct LineWidthCheck<'t> {
    definition: &'t Definition,
    /// Where the checked mods declare or change it.
    declared_at: Vec<&'t SourceLocation>,
    sources: &'t SourceFiles,
    summaries: &'t [Arc<FileSummary>],
    problems: &'t mut Vec<Problem>,
}

impl LineWidthCheck<'_> {
    fn check_record(&mut self, fields: &[Field], values: &DatumMap, path: &mut Vec<String>) {
        for field in fields {
            if let Some(value) = values.get(&field.name) {
                path.push(field.name.to_string());
                self.check_value(&field.ty, value, path);
                path.pop();
            }
        }
    }

    fn check_value(&mut self, ty: &FieldType, value: &Datum, path: &mut Vec<String>) {
        match (ty, value) {
            (FieldType::SingleLineText(columns), Datum::Text(text)) => {
                self.check_line(*columns, text, path)
            }
            (FieldType::List(inner), Datum::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    path.push(format!("[{}]", index + 1));
                    self.check_value(inner, item, path);
                    path.pop();
                }
            }
            (FieldType::Map(inner), Datum::Map(entries)) => {
                for (key, item) in entries {
                    path.push(key.to_string());
                    self.check_value(inner, item, path);
                    path.pop();
                }
            }
            (FieldType::Record(fields), Datum::Map(values)) => {
                self.check_record(fields, values, path)
            }
            (FieldType::Either(types), value) => {
                if let Some(ty) = types.iter().find(|ty| ty.accepts_basic_type(value)) {
                    self.check_value(ty, value, path);
                }
            }
            _ => {}
        }
    }

    fn check_line(&mut self, columns: u32, text: &str, path: &[String]) {
        let definition = self.definition;
        let filled = text::fill_placeholders(text, &|name| {
            let own = definition.get(name).and_then(Datum::to_value);
            Some(own.unwrap_or(Value::Int(0)))
        });
        let filled = filled.unwrap_or_else(|_| text.to_owned());
        let written = path.join(".").replace(".[", "[");
        let what = format!("{} \"{}\", {written}", definition.kind, definition.id);
        let found = line_length_problem(&what, &filled, text, columns);
        self.problems.extend(
            found.and_then(|problem| Some(problem.at(self.find_text_location(text, path)?))),
        );
    }

    /// The place of the text: the first line that contains it, from where a mod declares or changes
    /// the definition, or the line of the field. None if another mod wrote it.
    fn find_text_location(&self, text: &str, path: &[String]) -> Option<SourceLocation> {
        let says = |begun: &&SourceLocation| {
            let is_it =
                |facts: &&Arc<FileSummary>| facts.owner == begun.owner && facts.file == begun.file;
            let facts = self.summaries.iter().find(is_it)?;
            let words = facts.string_literals.iter();
            let words = words.filter(|w| w.line >= begun.line && w.text == text);
            Some(facts.place(words.map(|w| w.line).min()?))
        };
        let declared = &self.definition.place;
        self.declared_at.iter().find_map(says).or_else(|| {
            self.declared_at.contains(&declared).then(|| self.sources.locate_field(declared, path))
        })
    }
}

fn line_length_problem(
    what: &str,
    displayed: &str,
    written: &str,
    columns: u32,
) -> Option<Problem> {
    let wide = text::display_width(&text::strip_markup(displayed));
    let found = match written.contains('\n') {
        true => format!("{what} has a line break"),
        false if wide > columns as usize => format!("{what} is {wide} columns wide"),
        false => return None,
    };
    let problem = Problem::warning(Code::LongLine, found);
    Some(problem.expected(format!("one line of at most {columns} columns")))
}
