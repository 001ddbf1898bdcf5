//! The path to a value inside a prompt or view, for messages, and the values that fill its texts.

use std::fmt;
use std::sync::Arc;

use super::value_ref::{NamedValue, find_value_by_name};
use base::text_overrides::COUNT_MARK;
use base::{TextOverrides, Value, meter};

/// The path to the current value, and the values that fill texts from here on.
#[derive(Clone, Copy)]
pub(crate) struct DataPath<'a> {
    parent: Option<&'a DataPath<'a>>,
    step: DataPathStep<'a>,
    pub(crate) values: Option<&'a [NamedValue<'a>]>,
    pub(crate) text_overrides: Option<&'a TextOverrides>,
}

#[derive(Clone, Copy)]
enum DataPathStep<'a> {
    Name(&'a str),
    Index(usize),
}

impl<'a> DataPath<'a> {
    /// The root of a path, with the text overrides.
    pub(crate) fn root(name: &'a str, overrides: Option<&'a TextOverrides>) -> Self {
        Self {
            parent: None,
            step: DataPathStep::Name(name),
            values: None,
            text_overrides: overrides,
        }
    }

    /// A field of the current value.
    pub(crate) fn field(&'a self, name: &'a str) -> Self {
        self.child(DataPathStep::Name(name))
    }

    /// An entry of a list, from 1.
    pub(crate) fn index(&'a self, index: usize) -> Self {
        self.child(DataPathStep::Index(index))
    }

    fn child(&'a self, step: DataPathStep<'a>) -> Self {
        Self { parent: Some(self), step, values: None, text_overrides: self.text_overrides }
    }

    pub(crate) fn find_value(&self, name: &str) -> Option<Value> {
        // `{boat.name}` reads a field of a table.
        let mut steps = name.split('.');
        // Comparing names takes longer than a walk.
        meter::charge_table_entries(2 * self.values.map_or(0, <[_]>::len));
        let first_value = steps.next().and_then(|step| find_value_by_name(self.values?, step));
        let value_ref = steps.fold(first_value, |table, step| table?.get(step));
        let local_value = value_ref.map(|value| match value.as_text() {
            // Overrides apply to values too.
            Some(word) => Value::text(self.displayed_word(word)),
            None => {
                let value = value.to_value();
                meter::charge_units(value.copy_fuel_cost());
                value
            }
        });
        local_value.or_else(|| self.parent.and_then(|parent| parent.find_value(name)))
    }

    /// The word to show for a value in a text.
    fn displayed_word<'t>(&'t self, word: &'t str) -> &'t str {
        let find_count = || self.find_value(COUNT_MARK);
        self.text_overrides.map_or(word, |overrides| overrides.apply_counted_word(word, find_count))
    }

    /// The text to show.
    pub(crate) fn apply_word_override<'t>(&'t self, text: &'t str) -> &'t str {
        self.text_overrides.map_or(text, |overrides| overrides.apply_word_override(text))
    }

    pub(crate) fn collect_names(&self, names: &mut Vec<Arc<str>>) {
        if let Some(values) = self.values {
            let mut own_names: Vec<Arc<str>> =
                values.iter().map(|(name, _)| Arc::from(&**name)).collect();
            own_names.sort();
            names.extend(own_names);
        }
        if let Some(parent) = self.parent {
            parent.collect_names(names);
        }
    }
}

impl fmt::Display for DataPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            DataPathStep::Name(name) if self.parent.is_some() => write!(f, ".{name}"),
            DataPathStep::Name(name) => f.write_str(name),
            DataPathStep::Index(index) => write!(f, "[{index}]"),
        }
    }
}
