//! Formats data of definitions: as Lua, or as JSON.

use serde_json::json;

use crate::content::{Datum, Fields, FnRef};
use crate::kit::id::check_word;
use crate::kit::text;

/// The maximum width of a table on one line.
const COLUMNS: usize = 76;
/// The maximum length of a value beside other text, in characters.
const BESIDE: usize = 60;

/// Formats a value on one line, cut to a maximum length.
pub(super) fn inline(datum: &Datum) -> String {
    let whole = flat(datum);
    match whole.chars().count() > BESIDE {
        true => whole.chars().take(BESIDE).chain("…".chars()).collect(),
        false => whole,
    }
}

/// Formats a whole value, over several lines if it is long; further lines are indented by `indent`.
pub(super) fn written(datum: &Datum, indent: usize) -> String {
    let whole = flat(datum);
    if indent + text::width(&whole) <= COLUMNS {
        return whole;
    }
    let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
    let lines: Vec<String> = match datum {
        Datum::List(items) => items.iter().map(|item| written(item, indent + 2)).collect(),
        Datum::Map(entries) => entries
            .iter()
            .map(|(key, item)| format!("{} = {}", key_of(key), written(item, indent + 2)))
            .collect(),
        _ => return whole,
    };
    let lines: Vec<String> = lines.iter().map(|line| format!("{inner}{line},\n")).collect();
    format!("{{\n{}{outer}}}", lines.concat())
}

fn flat(datum: &Datum) -> String {
    match datum {
        Datum::Bool(truth) => truth.to_string(),
        Datum::Int(int) => int.to_string(),
        Datum::Num(number) => number.to_string(),
        Datum::Text(text) => format!("{text:?}"),
        Datum::List(items) => braced(items.iter().map(flat)),
        Datum::Map(entries) => {
            braced(entries.iter().map(|(key, item)| format!("{} = {}", key_of(key), flat(item))))
        }
        Datum::Fn(function) => {
            let wrappers =
                function.wrappers.iter().map(|one| format!(", wrapped at {}", one.place));
            format!("a function at {}{}", function.place, wrappers.collect::<String>())
        }
    }
}

fn braced(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", items.join(", ")) }
}

fn key_of(key: &str) -> String {
    if check_word(key).is_ok() { key.to_owned() } else { format!("[{key:?}]") }
}

/// A value as JSON. A function is the place where it was written, with the wrappers around it.
pub(super) fn as_json(datum: &Datum) -> serde_json::Value {
    match datum {
        Datum::Bool(truth) => json!(truth),
        Datum::Int(int) => json!(int),
        Datum::Num(number) => json!(number),
        Datum::Text(text) => json!(**text),
        Datum::List(items) => items.iter().map(as_json).collect(),
        Datum::Map(entries) => map(entries),
        Datum::Fn(function) => json!({ "function": function_of(function) }),
    }
}

fn map(entries: &Fields) -> serde_json::Value {
    entries.iter().map(|(key, item)| (key.to_string(), as_json(item))).collect()
}

fn function_of(function: &FnRef) -> serde_json::Value {
    let wrappers: Vec<_> = function.wrappers.iter().map(|one| json!(one.place)).collect();
    json!({ "place": function.place, "wrappers": wrappers })
}
