//! Settings: values that a player may set for a mod, declared as `[settings.x]` in `mod.toml`.

use super::toml_reader::{TomlEntry, TomlReader, TomlTable};
use base::{Code, Value, text};

/// A setting of a mod.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The type of its value.
    pub ty: SettingType,
    /// The default value.
    pub default: Value,
    /// The label that players see; empty for the bare name.
    pub label: String,
    /// The description.
    pub doc: String,
}

/// The type of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// True or false.
    Boolean,
    /// A whole number within inclusive bounds.
    Integer {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// A line of text.
    Text,
    /// One of several texts.
    OneOf(Vec<String>),
}

/// The largest whole number that Lua holds exactly, 2^53.
const MAX_EXACT_INTEGER: i64 = 1 << 53;
/// The maximum length of a text setting, in characters.
const MAX_SETTING_TEXT_CHARS: usize = 400;

impl Setting {
    /// Checks a value; the error says why it is invalid.
    pub fn check_value(&self, value: &Value) -> Result<(), String> {
        let fits = match (&self.ty, value) {
            (SettingType::Boolean, Value::Bool(_)) => true,
            (SettingType::Integer { min, max }, Value::Int(int)) => (min..=max).contains(&int),
            (SettingType::Text, Value::Text(line)) => {
                line.chars().count() <= MAX_SETTING_TEXT_CHARS
                    && line.chars().all(|c| c != '\n' && text::is_printable(c))
            }
            (SettingType::OneOf(words), Value::Text(word)) => words.iter().any(|w| **w == **word),
            _ => false,
        };
        if fits {
            return Ok(());
        }
        Err(format!("{} is not valid; expected {}", value.to_json(), self.ty.describe_expected()))
    }
}

impl SettingType {
    /// Describes the expected value.
    pub fn describe_expected(&self) -> String {
        match self {
            Self::Boolean => "true or false".to_owned(),
            Self::Integer { min, max } => {
                match (*min == -MAX_EXACT_INTEGER, *max == MAX_EXACT_INTEGER) {
                    (true, true) => "a whole number".to_owned(),
                    (true, false) => format!("a whole number of {max} or less"),
                    (false, true) => format!("a whole number of {min} or more"),
                    (false, false) => format!("a whole number from {min} to {max}"),
                }
            }
            Self::Text => "a line of text".to_owned(),
            Self::OneOf(words) => format!("one of {}", words.join(", ")),
        }
    }
}

/// Reads one `[settings.x]`.
pub(super) fn read_setting<'t>(
    reader: &mut TomlReader<'t>,
    entry: &TomlEntry<'t>,
) -> Option<Setting> {
    let table = reader.entry_table(entry)?;
    reader
        .record_unknown_keys(&table, &["type", "default", "min", "max", "values", "label", "doc"]);
    let ty = reader.required_entry(&table, "type", "\"integer\"");
    let ty = ty.and_then(|entry| read_setting_type(reader, &table, &entry));
    let mut read_optional_text = |key| {
        table.get(key).and_then(|entry| reader.read_text_entry(&entry, MAX_SETTING_TEXT_CHARS))
    };
    let label = read_optional_text("label").unwrap_or_default();
    let doc = read_optional_text("doc").unwrap_or_default();
    let default = reader.required_entry(&table, "default", "1")?;
    let value = read_setting_value(reader, &default)?;
    let setting = Setting { ty: ty?, default: value, label, doc };
    if setting.check_value(&setting.default).is_err() {
        reader.record_wrong_type(&default, &setting.ty.describe_expected());
        return None;
    }
    Some(setting)
}

fn read_setting_type<'t>(
    reader: &mut TomlReader<'t>,
    table: &TomlTable<'t>,
    entry: &TomlEntry<'t>,
) -> Option<SettingType> {
    let mut read_bound = |key| table.get(key).and_then(|entry| reader.read_integer(&entry));
    let (min, max) = (
        read_bound("min").unwrap_or(-MAX_EXACT_INTEGER),
        read_bound("max").unwrap_or(MAX_EXACT_INTEGER),
    );
    let values =
        table.get("values").map(|entry| reader.read_text_list(&entry, MAX_SETTING_TEXT_CHARS));
    match entry.value.get_ref().as_str() {
        Some("boolean") => Some(SettingType::Boolean),
        Some("integer") => Some(SettingType::Integer { min, max }),
        Some("text") => Some(SettingType::Text),
        Some("one_of") => match values {
            Some(values) if !values.is_empty() => Some(SettingType::OneOf(values)),
            _ => {
                reader.record_wrong_value(
                    Code::MissingKey,
                    entry,
                    "there are no values",
                    "values = [\"a\", \"b\"]",
                );
                None
            }
        },
        _ => {
            reader.record_wrong_type(entry, "one of boolean, integer, text, one_of");
            None
        }
    }
}

fn read_setting_value<'t>(reader: &mut TomlReader<'t>, entry: &TomlEntry<'t>) -> Option<Value> {
    let value = entry.value.get_ref();
    if let Some(truth) = value.as_bool() {
        return Some(Value::Bool(truth));
    }
    if value.is_integer() {
        return reader.read_integer(entry).map(Value::Int);
    }
    reader.read_text_entry(entry, MAX_SETTING_TEXT_CHARS).map(Value::from)
}
