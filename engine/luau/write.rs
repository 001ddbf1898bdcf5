//! Pushes plain data as Lua tables, each in one go.

use serde_json::Value as Json;

use super::stack::{Stack, StackIndex};
use base::Value;

impl Stack<'_> {
    /// Pushes plain data; with `read_only` the tables are read-only.
    pub fn push_plain_data(self, value: &Value, read_only: bool) {
        match value {
            Value::Bool(truth) => self.push_bool(*truth),
            Value::Int(int) => self.push_number(*int as f64),
            Value::Num(number) => self.push_number(*number),
            Value::Text(text) => self.push_text(&**text),
            Value::List(list) => {
                self.push_list(list, read_only, |item| self.push_plain_data(item, read_only))
            }
            Value::Map(map) => {
                let entries = map.iter().map(|(name, item)| (&**name, item));
                self.push_map(entries, read_only, |item| self.push_plain_data(item, read_only));
            }
        }
    }

    /// Pushes JSON as read-only tables of the same shape.
    pub fn push_json(self, value: &Json) {
        match value {
            Json::Null => self.push_nil(),
            Json::Bool(truth) => self.push_bool(*truth),
            Json::Number(number) => self.push_number(number.as_f64().unwrap_or_default()),
            Json::String(text) => self.push_text(text),
            Json::Array(list) => self.push_list(list, true, |item| self.push_json(item)),
            Json::Object(map) => {
                let entries = map.iter().map(|(name, item)| (name.as_str(), item));
                self.push_map(entries, true, |item| self.push_json(item));
            }
        }
    }

    /// Pushes a table with keys 1..n.
    pub fn push_list<T>(self, list: &[T], read_only: bool, mut push_item: impl FnMut(&T)) {
        self.push_table(list.len(), 0);
        let table = self.top();
        for (index, item) in (1..).zip(list) {
            push_item(item);
            self.raw_set_at(table, index);
        }
        self.set_frozen(table, read_only);
    }

    /// Pushes a table with string keys.
    pub fn push_map<'n, T>(
        self,
        entries: impl ExactSizeIterator<Item = (&'n str, T)>,
        read_only: bool,
        mut push_item: impl FnMut(T),
    ) {
        self.push_table(0, entries.len());
        let table = self.top();
        for (name, item) in entries {
            self.push_text(name);
            push_item(item);
            self.raw_set(table);
        }
        self.set_frozen(table, read_only);
    }

    /// Pops the top value and stores it under a name in the table at an index.
    pub fn set_field(self, table: StackIndex, name: &str) {
        self.push_text(name);
        self.insert(self.top() - 1);
        self.raw_set(table);
    }
}
