//! Descriptions of Lua values for messages.

use mlua::Value;

use base::{quote, truncate_quoted_bytes, truncate_quoted_text};

/// Describes a value.
pub(crate) fn describe_lua_value(value: &Value) -> String {
    match value {
        Value::Nil => "nothing".to_owned(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Integer(int) => format!("the number {int}"),
        Value::Number(num) => format!("the number {num}"),
        Value::String(text) if text.as_bytes().len() <= 40 => {
            format!("the text {}", quote(&shortened_name(text)))
        }
        Value::String(_) => "a long text".to_owned(),
        Value::Table(_) => "a table".to_owned(),
        Value::Function(_) => "a function".to_owned(),
        _ => "an object of the engine".to_owned(),
    }
}

/// Describes the type of a value.
pub(crate) fn describe_lua_type(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nothing",
        Value::Boolean(_) => "true or false",
        Value::Integer(_) | Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Table(_) | Value::UserData(_) => "a table",
        Value::Function(_) => "a function",
        _ => "an object of the engine",
    }
}

/// A text of a script to look up as a name, or to show in a message. One that is longer than any
/// name is cut.
pub(crate) fn shortened_name(text: &mlua::LuaString) -> String {
    truncate_quoted_bytes(&text.as_bytes()).into_owned()
}

/// A field name after a table: `.bag`, or `["two words"]`.
pub(crate) fn field_suffix(name: &str) -> String {
    let name = &*truncate_quoted_text(name);
    let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty();
    if is_identifier { format!(".{name}") } else { format!("[{name:?}]") }
}
