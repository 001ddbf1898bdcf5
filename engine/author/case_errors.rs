//! Error messages for a case file that cannot be parsed.

use toml::{Table, Value};

use base::problem::nearest_name;
use base::{Code, Problem, SourceLocation, text};

/// The fields of a case file, the type of each and an example.
const CASE_FIELDS: [(&str, CaseFieldType, &str); 13] = [
    ("about", CaseFieldType::Text, "about = \"what it shows\""),
    ("seed", CaseFieldType::Number, "seed = 1"),
    ("answers", CaseFieldType::TextList, "answers = [\"go\", \"stay\"]"),
    ("game", CaseFieldType::Text, "game = \"my_game\""),
    ("mods", CaseFieldType::TextList, "mods = [\"my_mod\"]"),
    ("settings", CaseFieldType::Table, "settings = { my_mod = { heat = 1 } }"),
    ("options", CaseFieldType::Table, "options = { name = \"value\" }"),
    ("profile", CaseFieldType::Table, "profile = { name = 1 }"),
    ("dice", CaseFieldType::Table, "dice = { stream = [3, 1] }"),
    ("setup", CaseFieldType::TextList, "setup = [\"state.count = 1\"]"),
    ("outcome", CaseFieldType::Text, "outcome = \"victory\""),
    ("expect", CaseFieldType::TextList, "expect = [\"a text that must be shown\"]"),
    ("problem", CaseFieldType::Text, "problem = \"a-code\""),
];

/// Every case has the first three fields.
const REQUIRED_FIELD_COUNT: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseFieldType {
    Text,
    TextList,
    Number,
    Table,
}

impl CaseFieldType {
    fn accepts_value(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text, Value::String(_)) | (Self::Table, Value::Table(_)) => true,
            (Self::Number, Value::Integer(number)) => *number >= 0,
            (Self::TextList, Value::Array(list)) => list.iter().all(Value::is_str),
            _ => false,
        }
    }
}

/// Whether a case has a field of this name.
pub(super) fn is_case_field(name: &str) -> bool {
    CASE_FIELDS.iter().any(|(field, ..)| *field == name)
}

/// The Problem of a text that is not a case; `why` is the parser's error.
pub(super) fn case_parse_problem(name: &str, written: &str, why: &toml::de::Error) -> Problem {
    let at = |line: usize| {
        let excerpt = written.lines().nth(line).unwrap_or_default();
        SourceLocation::new("", name, u32::try_from(line + 1).unwrap_or(0))
            .with_excerpt(text::strip_unprintable(excerpt))
    };
    let span = why.span().map_or(0, |span| span.start.min(written.len()));
    let line = written.get(..span).map_or(0, |before| before.matches('\n').count());
    let bad_case = |found: String| Problem::error(Code::BadCase, format!("{name}: {found}"));
    let Ok(table) = written.parse::<Table>() else {
        return bad_case(format!("it is not valid TOML: {}", why.message())).at(at(line));
    };
    let names = || CASE_FIELDS.iter().map(|(name, ..)| *name);
    for (key, value) in &table {
        let begins = |line: &str| {
            let rest = line.trim_start().trim_start_matches('[').trim_start();
            let rest = rest.strip_prefix(&**key).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with(['=', ']', '.']))
        };
        let own = at(written.lines().position(begins).unwrap_or(line));
        let Some((_, shape, sample_line)) = CASE_FIELDS.iter().find(|(name, ..)| name == key)
        else {
            let known = names().collect::<Vec<_>>().join(", ");
            let problem = bad_case(format!("a case has no key {key:?}")).at(own);
            return problem
                .expected(format!("one of {known}"))
                .suggest_name(nearest_name(key, names()));
        };
        if !shape.accepts_value(value) {
            let found = format!("`{key}` is {}", describe_value(value));
            return bad_case(found).at(own).expected(*sample_line);
        }
    }
    match CASE_FIELDS[..REQUIRED_FIELD_COUNT].iter().find(|(name, ..)| !table.contains_key(*name)) {
        Some((missing, _, like)) => {
            bad_case(format!("`{missing}` is missing")).at(at(0)).expected(*like)
        }
        None => bad_case(why.message().to_owned()).at(at(line)),
    }
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text {text:?}"),
        Value::Integer(number) => format!("the number {number}"),
        Value::Float(number) => format!("the number {number}"),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(_) => "a date".to_owned(),
        Value::Array(list) if list.iter().any(Value::is_str) && !list.iter().all(Value::is_str) => {
            "a list with values that are not texts".to_owned()
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}
