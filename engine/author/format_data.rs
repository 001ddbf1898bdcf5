//! Formats data of definitions: as Lua, or as JSON.

use serde_json::json;

use base::id::check_id_part;
use base::text;
use content::{Datum, DatumMap, FunctionRef};

/// The maximum width of a table on one line.
const MAX_TABLE_COLUMNS: usize = 76;
/// The maximum length of a value beside other text, in characters.
const INLINE_LENGTH: usize = 60;

/// Formats a value on one line, cut to a maximum length.
pub(super) fn format_inline(datum: &Datum) -> String {
    let one_line = format_on_one_line(datum);
    match one_line.chars().count() > INLINE_LENGTH {
        true => one_line.chars().take(INLINE_LENGTH).chain("…".chars()).collect(),
        false => one_line,
    }
}

/// Formats a whole value, over several lines if it is long; further lines are indented by `indent`.
pub(super) fn format_block(datum: &Datum, indent: usize) -> String {
    let one_line = format_on_one_line(datum);
    if indent + text::display_width(&one_line) <= MAX_TABLE_COLUMNS {
        return one_line;
    }
    let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
    let lines: Vec<String> = match datum {
        Datum::List(items) => items.iter().map(|item| format_block(item, indent + 2)).collect(),
        Datum::Map(entries) => entries
            .iter()
            .map(|(key, item)| format!("{} = {}", format_key(key), format_block(item, indent + 2)))
            .collect(),
        _ => return one_line,
    };
    let lines: Vec<String> = lines.iter().map(|line| format!("{inner}{line},\n")).collect();
    format!("{{\n{}{outer}}}", lines.concat())
}

fn format_on_one_line(datum: &Datum) -> String {
    match datum {
        Datum::Bool(truth) => truth.to_string(),
        Datum::Int(int) => int.to_string(),
        Datum::Num(number) => number.to_string(),
        Datum::Text(text) => format!("{text:?}"),
        Datum::List(items) => in_braces(items.iter().map(format_on_one_line)),
        Datum::Map(entries) => in_braces(
            entries
                .iter()
                .map(|(key, item)| format!("{} = {}", format_key(key), format_on_one_line(item))),
        ),
        Datum::Fn(function) => {
            let wrappers =
                function.wrappers.iter().map(|one| format!(", wrapped at {}", one.place));
            format!("a function at {}{}", function.place, wrappers.collect::<String>())
        }
    }
}

fn in_braces(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", items.join(", ")) }
}

fn format_key(key: &str) -> String {
    if check_id_part(key).is_ok() { key.to_owned() } else { format!("[{key:?}]") }
}

/// A value as JSON. A function is the place where it was written, with the wrappers around it.
pub(super) fn to_json(datum: &Datum) -> serde_json::Value {
    match datum {
        Datum::Bool(truth) => json!(truth),
        Datum::Int(int) => json!(int),
        Datum::Num(number) => json!(number),
        Datum::Text(text) => json!(**text),
        Datum::List(items) => items.iter().map(to_json).collect(),
        Datum::Map(entries) => map_json(entries),
        Datum::Fn(function) => json!({ "function": function_json(function) }),
    }
}

fn map_json(entries: &DatumMap) -> serde_json::Value {
    entries.iter().map(|(key, item)| (key.to_string(), to_json(item))).collect()
}

fn function_json(function: &FunctionRef) -> serde_json::Value {
    let wrappers: Vec<_> = function.wrappers.iter().map(|one| json!(one.place)).collect();
    json!({ "place": function.place, "wrappers": wrappers })
}
