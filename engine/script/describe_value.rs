//! Descriptions of Lua values for messages.

use mlua::Value;

/// Describes a value.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Nil => "nothing".to_owned(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Integer(int) => format!("the number {int}"),
        Value::Number(num) => format!("the number {num}"),
        Value::String(text) if text.as_bytes().len() <= 40 => {
            format!("the text {:?}", text.to_string_lossy())
        }
        Value::String(_) => "a long text".to_owned(),
        Value::Table(_) => "a table".to_owned(),
        Value::Function(_) => "a function".to_owned(),
        _ => "userdata of the host".to_owned(),
    }
}

/// Describes the type of a value.
pub(crate) fn describe_type(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nothing",
        Value::Boolean(_) => "true or false",
        Value::Integer(_) | Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Table(_) | Value::UserData(_) => "a table",
        Value::Function(_) => "a function",
        _ => "userdata of the host",
    }
}

/// A field name after a table: `.bag`, or `["two words"]`.
pub(crate) fn field_suffix(name: &str) -> String {
    let is_identifier = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty();
    if is_identifier { format!(".{name}") } else { format!("[{name:?}]") }
}
