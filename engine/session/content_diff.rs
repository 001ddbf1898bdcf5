//! The diff between two contents, in words: of definitions by field, or of files if no definition
//! changed. Functions are compared by their text, so that a function that only moved is unchanged.

use std::collections::{BTreeMap, BTreeSet};

use base::FileText;
use content::{Datum, Definition, FunctionRef, Registry};
use mods::ModSet;

/// The maximum number of definitions or files in a line.
const MAX_NAMES_PER_LINE: usize = 6;
/// The maximum number of fields per definition.
const MAX_FIELDS_PER_DEFINITION: usize = 4;
/// The maximum length of a displayed value, in characters.
const MAX_VALUE_CHARS: usize = 24;
/// The number of characters that are displayed before the first that differs.
const CHARS_BEFORE_DIFFERENCE: usize = 6;

/// One side of the diff.
#[derive(Clone, Copy)]
pub struct DiffSide<'a> {
    /// The mods.
    pub mods: &'a ModSet,
    /// The definitions.
    pub registry: &'a Registry,
}

/// The diff, one line for each kind of change; empty if there is none.
pub fn diff_content(before: DiffSide<'_>, after: DiffSide<'_>) -> Vec<String> {
    let mut changed = Vec::new();
    let mut added = Vec::new();
    let old = definitions_by_key(before.registry);
    let new = definitions_by_key(after.registry);
    for (key, now) in &new {
        match old.get(key) {
            None => added.push(now.id.to_string()),
            Some(then) => {
                changed.extend(describe_definition_diff(before.mods, after.mods, then, now))
            }
        }
    }
    let removed = old.iter().filter(|(key, _)| !new.contains_key(*key));
    let removed: Vec<String> = removed.map(|(_, definition)| definition.id.to_string()).collect();
    let mut lines = Vec::new();
    lines.extend(format_line("definition", "changed", &changed));
    lines.extend(format_line("definition", "added", &added));
    lines.extend(format_line("definition", "removed", &removed));
    if lines.is_empty() {
        lines.extend(format_line("file", "changed", &changed_files(before.mods, after.mods)));
    }
    lines
}

type DefinitionsByKey<'a> = BTreeMap<(&'a str, &'a str), &'a Definition>;

fn definitions_by_key(registry: &Registry) -> DefinitionsByKey<'_> {
    let all = registry.kinds().flat_map(|kind| registry.all_definitions(&kind.name));
    all.map(|definition| ((&*definition.kind, definition.id.as_str()), definition)).collect()
}

fn format_line(noun: &str, what: &str, names: &[String]) -> Option<String> {
    let count = names.len();
    let plural = if count == 1 { "" } else { "s" };
    (count > 0).then(|| {
        format!("{count} {noun}{plural} {what}: {}", limit_names(names, MAX_NAMES_PER_LINE))
    })
}

/// The first names, and the number of further ones.
pub(super) fn limit_names(names: &[String], most: usize) -> String {
    let shown = names[..names.len().min(most)].join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown}, and {more} more"),
    }
}

fn describe_definition_diff(
    old: &ModSet,
    new: &ModSet,
    old_definition: &Definition,
    new_definition: &Definition,
) -> Option<String> {
    // Data of an unchanged file is shared by both sides.
    if std::ptr::eq(old_definition, new_definition) {
        return None;
    }
    let mut fields = Vec::new();
    if old_definition.is_retired != new_definition.is_retired {
        fields.push(
            if new_definition.is_retired { "retired" } else { "no longer retired" }.to_owned(),
        );
    }
    let texts = SourceTexts { old_mods: old, new_mods: new };
    let names: BTreeSet<_> =
        old_definition.fields.keys().chain(new_definition.fields.keys()).collect();
    for name in names {
        texts.collect_differences(
            name,
            old_definition.get(name),
            new_definition.get(name),
            &mut fields,
        );
    }
    (!fields.is_empty()).then(|| {
        format!("{} ({})", new_definition.id, limit_names(&fields, MAX_FIELDS_PER_DEFINITION))
    })
}

/// The texts of both sides, for comparing functions.
struct SourceTexts<'a> {
    old_mods: &'a ModSet,
    new_mods: &'a ModSet,
}

impl SourceTexts<'_> {
    /// Whether a function is at the same place in an unchanged file. This holds for nearly all
    /// functions at a reload and needs no reading.
    fn is_unchanged(&self, old_function: &FunctionRef, new_function: &FunctionRef) -> bool {
        old_function.place == new_function.place
            && find_file_text(self.old_mods, old_function)
                == find_file_text(self.new_mods, new_function)
    }

    fn collect_differences(
        &self,
        path: &str,
        old_datum: Option<&Datum>,
        new_datum: Option<&Datum>,
        found: &mut Vec<String>,
    ) {
        match (old_datum, new_datum) {
            (None, None) => {}
            (Some(Datum::Map(then)), Some(Datum::Map(now))) => {
                let names: BTreeSet<_> = then.keys().chain(now.keys()).collect();
                for name in names {
                    let path = format!("{path}.{name}");
                    self.collect_differences(&path, then.get(name), now.get(name), found);
                }
            }
            (Some(Datum::List(then)), Some(Datum::List(now))) => {
                for index in 0..then.len().max(now.len()) {
                    let path = format!("{path}[{}]", index + 1);
                    self.collect_differences(&path, then.get(index), now.get(index), found);
                }
            }
            (Some(Datum::Fn(then)), Some(Datum::Fn(now))) => {
                if !self.has_same_function_text(then, now) {
                    found.push(path.to_owned());
                }
            }
            (Some(then), Some(now)) if then == now => {}
            (then, now) => {
                found.push(format!("{path} {}", describe_change(then, now)));
            }
        }
    }

    /// Whether two functions and their overrides have the same texts.
    fn has_same_function_text(
        &self,
        old_function: &FunctionRef,
        new_function: &FunctionRef,
    ) -> bool {
        (self.is_unchanged(old_function, new_function)
            || function_lines(self.old_mods, old_function)
                == function_lines(self.new_mods, new_function))
            && old_function.wrappers.len() == new_function.wrappers.len()
            && old_function
                .wrappers
                .iter()
                .zip(&new_function.wrappers)
                .all(|(then, now)| self.has_same_function_text(then, now))
    }
}

/// The text of the file that contains a function.
fn find_file_text<'a>(mods: &'a ModSet, function: &FunctionRef) -> Option<&'a FileText> {
    mods.get(&function.place.owner)?.files.get(&function.place.file)
}

/// The lines of a function, without parsing: from its first line to the next line that is not
/// indented further.
fn function_lines<'a>(mods: &'a ModSet, function: &FunctionRef) -> Vec<&'a str> {
    let mut lines = find_file_text(mods, function)
        .map_or("", |text| text)
        .lines()
        .skip((function.place.line as usize).saturating_sub(1));
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(first) = lines.next() else { return Vec::new() };
    let mut body = vec![first.trim()];
    if first.trim_end().ends_with([')', '}', ',']) && first.contains("end") {
        return body;
    }
    for line in lines {
        body.push(line.trim());
        if !line.trim().is_empty() && indent(line) <= indent(first) {
            break;
        }
    }
    body
}

/// Both values, each shortened to the part that differs.
fn describe_change(then: Option<&Datum>, now: Option<&Datum>) -> String {
    let (then, now) = (display_datum(then), display_datum(now));
    let common_chars = then.chars().zip(now.chars()).take_while(|(one, other)| one == other);
    let hidden_chars = common_chars.count().saturating_sub(CHARS_BEFORE_DIFFERENCE);
    let is_short = |text: &str| text.chars().count() <= MAX_VALUE_CHARS;
    match is_short(&then) && is_short(&now) {
        true => format!("{then} → {now}"),
        false => {
            format!("{} → {}", shorten(&then, hidden_chars), shorten(&now, hidden_chars))
        }
    }
}

fn display_datum(datum: Option<&Datum>) -> String {
    match datum {
        None => "nothing".to_owned(),
        Some(Datum::Text(text)) => format!("\"{text}\""),
        Some(Datum::Bool(truth)) => truth.to_string(),
        Some(Datum::Int(int)) => int.to_string(),
        Some(Datum::Num(num)) => num.to_string(),
        Some(Datum::List(_) | Datum::Map(_)) => "a table".to_owned(),
        Some(Datum::Fn(_)) => "a function".to_owned(),
    }
}

/// A value without its first characters, and cut behind; `…` stands for what is left out.
fn shorten(text: &str, hidden_chars: usize) -> String {
    let ellipsis = |is_cut: bool| if is_cut { "…" } else { "" };
    let shown: String = text.chars().skip(hidden_chars).take(MAX_VALUE_CHARS).collect();
    let is_cut_behind = text.chars().count() > hidden_chars + MAX_VALUE_CHARS;
    format!("{}{shown}{}", ellipsis(hidden_chars > 0), ellipsis(is_cut_behind))
}

/// The files that differ, as `mod/path`.
fn changed_files(before: &ModSet, after: &ModSet) -> Vec<String> {
    let texts = |mods: &ModSet| -> BTreeMap<String, FileText> {
        let mut all = BTreeMap::new();
        for source in &mods.mods {
            let name = |path: &str| format!("{}/{path}", source.id());
            all.insert(name("mod.toml"), source.manifest_text.clone());
            all.extend(source.files.iter().map(|(path, text)| (name(path), text.clone())));
        }
        all
    };
    let (old, new) = (texts(before), texts(after));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names.into_iter().filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}
