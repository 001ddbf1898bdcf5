//! Data of definitions as people and programs read it: written like Lua, or as JSON.

use serde_json::json;

use crate::content::{Datum, Fields, FnRef};
use crate::kit::id::check_word;
use crate::kit::text;

/// Columns that a table may take on one line.
const COLUMNS: usize = 76;
/// Longest value that is shown beside something else, in characters.
const BESIDE: usize = 60;

/// A value on one line, cut to a length that leaves room for what it stands beside.
pub(super) fn inline(datum: &Datum) -> String {
    let whole = flat(datum);
    match whole.chars().count() > BESIDE {
        true => whole.chars().take(BESIDE).chain("…".chars()).collect(),
        false => whole,
    }
}

/// A value in full, broken into lines where it is long; further lines are indented by so much.
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

/// A value as JSON. A function is the place where it was written, with what was wrapped around it.
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
