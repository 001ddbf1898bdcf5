//! The place of a field in a case: in a case file, or in the script that declares the case.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::case_errors::is_case_field;
use base::line_index::LineIndexedText;
use base::{FileText, Problem, SourceLocation, text};
use content::SourceFiles;

/// A field of a case, such as `answers`, and the number of an item in it, from 1; 0 for the whole
/// field. No mod owns the place, so it is told from places in scripts.
pub(crate) fn case_field(field: &str, number: usize) -> SourceLocation {
    SourceLocation::new("", field, u32::try_from(number).unwrap_or(0))
}

fn is_place_of_field(place: &SourceLocation) -> bool {
    let name = place.file.split('.').next().unwrap_or_default();
    place.owner.is_empty() && is_case_field(name)
}

/// Moves a Problem at a field of a case, or without a place, into the text of the case that begins
/// at `place`. Other Problems keep their place.
pub(crate) fn locate_in_case(problem: Problem, place: &SourceLocation, written: &str) -> Problem {
    match &problem.place {
        None => problem.at(place.clone()),
        Some(field) if is_place_of_field(field) => {
            let located = locate_case_field(field, place, written);
            problem.at(located)
        }
        Some(_) => problem,
    }
}

/// The place of a field in the text of the case that begins at `place`.
pub(crate) fn locate_case_field(
    field: &SourceLocation,
    place: &SourceLocation,
    written: &str,
) -> SourceLocation {
    let mut path: Vec<String> = field.file.split('.').map(str::to_owned).collect();
    path.extend((field.line > 0).then(|| format!("[{}]", field.line)));
    if place.file.ends_with(".toml") {
        return locate_in_case_file(place, written, &path).unwrap_or_else(|| place.clone());
    }
    // In a script, the setup is a function, not a list of lines.
    path.truncate(if path[0] == "setup" { 1 } else { path.len() });
    let mut sources = SourceFiles::default();
    sources.add_file(&place.owner, &place.file, FileText::from(written));
    sources.locate_field(place, &path)
}

/// The place of a field in a case file, if the file has it.
fn locate_in_case_file(
    place: &SourceLocation,
    written: &str,
    path: &[String],
) -> Option<SourceLocation> {
    let parsed = DeTable::parse(written).ok()?;
    let root = DeValue::Table(parsed.into_inner());
    let (mut value, mut offset) = (&root, None);
    for name in path {
        let number = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        let found = match (value, number) {
            (DeValue::Array(items), Some(number)) => {
                let index = number.parse::<usize>().ok()?.checked_sub(1)?;
                items.get(index).map(|item| (item.span().start, item))
            }
            (DeValue::Table(fields), None) => {
                let mut fields = fields.iter();
                fields
                    .find(|(key, _)| *key.get_ref() == **name)
                    .map(|(key, field)| (key.span().start, field))
            }
            _ => None,
        };
        let Some((start, inner)) = found else { break };
        (value, offset) = (Spanned::get_ref(inner), Some(start));
    }
    let lines = LineIndexedText::new(FileText::from(written));
    let line = lines.line_number_at_offset(offset?);
    let at = SourceLocation { line: u32::try_from(line + 1).unwrap_or(0), ..place.clone() };
    Some(at.with_excerpt(text::strip_unprintable(lines.line_text(line)?)))
}
