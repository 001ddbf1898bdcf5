//! Reads Lua tables in one walk. A visitor builds the result.
//!
//! On an invalid value the walk ends with the kind of error and the path. The message is written
//! later by whoever reports it, so the normal case does not pay for it.

use super::stack::{LuaKind, Stack, StackIndex};
use crate::base::{limits, meter};

/// Builds a result from the values that a walk finds.
pub(crate) trait ValueVisitor<'c> {
    /// The result for one value.
    type Output;
    /// The named entries of one table while they are collected.
    type Entries: Default;

    fn visit_bool(&mut self, truth: bool) -> Self::Output;
    /// A number; `None` if the result cannot hold it.
    fn visit_number(&mut self, number: f64) -> Option<Self::Output>;
    fn visit_text(&mut self, text: &'c str) -> Self::Output;
    /// Adds one named entry.
    fn add_entry(&mut self, names: &mut Self::Entries, name: &'c str, value: Self::Output);
    /// A table that is a list.
    fn visit_list(&mut self, list: Vec<Self::Output>) -> Self::Output;
    /// A table with named entries; an empty table counts as one.
    fn visit_map(&mut self, names: Self::Entries) -> Self::Output;
    /// A table with both; `None` if that is not allowed.
    fn visit_mixed(
        &mut self,
        list: Vec<Self::Output>,
        names: Self::Entries,
    ) -> Option<Self::Output>;
    /// Any other value, such as a function or userdata. It may add to the size.
    fn visit_other(
        &mut self,
        stack: Stack<'c>,
        at: StackIndex,
        weight: &mut ReadSize,
    ) -> Result<Self::Output, ConvertErrorKind>;
    /// Whether metatables are allowed and ignored.
    fn ignores_metatables(&self) -> bool;
    /// Checks the size that was read so far.
    fn check_size(&self, weight: &ReadSize) -> Result<(), ConvertErrorKind>;
}

/// The size that was read so far. A table that occurs in several places counts once for each.
#[derive(Clone, Copy, Default)]
pub(crate) struct ReadSize {
    /// All values, including tables.
    pub(crate) value_count: usize,
    pub(crate) table_count: usize,
    /// Bytes of texts and names.
    pub(crate) text_and_name_bytes: usize,
    /// Bytes of texts only.
    pub(crate) text_bytes: usize,
    /// Texts in units of four bytes, rounded for each text.
    pub(crate) text_4_byte_units: usize,
}

impl ReadSize {
    /// The number of values, with the extra weight of tables.
    pub(crate) fn weighted_values(&self) -> usize {
        self.value_count.saturating_add(self.table_count.saturating_mul(limits::NODES_PER_TABLE))
    }
}

/// Why a value cannot be converted.
pub(crate) enum ConvertErrorKind {
    /// The value has a kind that is not allowed.
    WrongKind(&'static str),
    /// The number is NaN or infinite.
    NotFinite(f64),
    /// The text is too long; its bytes.
    TextTooLong(usize),
    /// The text is not UTF-8.
    NotUtf8,
    /// The table contains itself.
    Cycle,
    /// The table is nested too deep.
    TooDeep,
    /// The table has too many entries.
    TooManyEntries,
    /// The table has a key that is not allowed.
    BadKey(String),
    /// The list has an entry at the first index but none at the second.
    HoleInList(i64, usize),
    /// The table has list entries and also this name.
    MixedTable(String),
    /// There are too many values in total.
    TooManyValues,
    /// There is too much text in total.
    TooMuchText,
    OverSizeBudget,
    /// A Lua error, or an error of the value that this one stands for.
    LuaError(mlua::Error),
}

/// Description of a table whose metatable would be lost.
pub(crate) const TABLE_WITH_METATABLE: &str = "a table with a metatable";

/// One step of the path to a value.
pub(crate) enum ConvertPathStep {
    Name(String),
    /// An index in a list.
    Index(i64),
}

/// A conversion error with the path to the value.
pub(crate) struct ConvertError {
    /// The path from the value up to the root of the walk.
    pub(crate) reversed_path: Vec<ConvertPathStep>,
    pub(crate) kind: ConvertErrorKind,
}

impl From<ConvertErrorKind> for Box<ConvertError> {
    #[cold]
    fn from(odd: ConvertErrorKind) -> Self {
        Box::new(ConvertError { reversed_path: Vec::new(), kind: odd })
    }
}

type ConvertResult<T> = Result<T, Box<ConvertError>>;

/// The initial capacity of a list, at most.
const MAX_LIST_CAPACITY: usize = 64;

/// A walk in progress.
pub(crate) struct TableReader<'s, S> {
    visitor: &'s mut S,
    /// A name that is skipped in the outermost table.
    skipped_name: &'static str,
    /// The size that was read so far.
    pub(crate) size: ReadSize,
    /// The tables that enclose the current one. Meeting one of them again is a cycle.
    enclosing_tables: Vec<usize>,
}

impl<'s, S> TableReader<'s, S> {
    /// Starts a walk.
    pub(crate) fn new(sink: &'s mut S) -> Self {
        Self::with_skipped_name(sink, "")
    }

    /// Starts a walk that skips one name in the outermost table.
    pub(crate) fn with_skipped_name(sink: &'s mut S, skipped_name: &'static str) -> Self {
        Self {
            visitor: sink,
            skipped_name,
            size: ReadSize::default(),
            enclosing_tables: Vec::new(),
        }
    }

    /// Reads the value at an index that is counted from the bottom. Nil is an error.
    pub(crate) fn read_value<'c>(
        &mut self,
        stack: Stack<'c>,
        at: StackIndex,
    ) -> ConvertResult<S::Output>
    where
        S: ValueVisitor<'c>,
    {
        self.size.value_count += 1;
        meter::charge_value();
        self.visitor.check_size(&self.size)?;
        match stack.kind(at) {
            LuaKind::Bool => Ok(self.visitor.visit_bool(stack.is_truthy(at))),
            LuaKind::Number => {
                let number = stack.number(at);
                Ok(self.visitor.visit_number(number).ok_or(ConvertErrorKind::NotFinite(number))?)
            }
            LuaKind::Text => {
                let text = self.read_utf8_text(stack, at)?;
                self.size.text_bytes = self.size.text_bytes.saturating_add(text.len());
                self.size.text_4_byte_units =
                    self.size.text_4_byte_units.saturating_add(text.len() / 4);
                self.visitor.check_size(&self.size)?;
                Ok(self.visitor.visit_text(text))
            }
            LuaKind::Table => self.read_table(stack, at),
            _ => {
                let other = self.visitor.visit_other(stack, at, &mut self.size)?;
                self.visitor.check_size(&self.size)?;
                Ok(other)
            }
        }
    }

    fn read_utf8_text<'c>(&mut self, stack: Stack<'c>, at: StackIndex) -> ConvertResult<&'c str>
    where
        S: ValueVisitor<'c>,
    {
        let bytes = stack.bytes(at).unwrap_or_default();
        if bytes.len() > limits::TEXT_BYTES {
            return Err(ConvertErrorKind::TextTooLong(bytes.len()).into());
        }
        let text = std::str::from_utf8(bytes).map_err(|_| ConvertErrorKind::NotUtf8)?;
        self.size.text_and_name_bytes = self.size.text_and_name_bytes.saturating_add(text.len());
        self.visitor.check_size(&self.size)?;
        Ok(text)
    }

    fn read_table<'c>(&mut self, stack: Stack<'c>, at: StackIndex) -> ConvertResult<S::Output>
    where
        S: ValueVisitor<'c>,
    {
        let pointer = stack.pointer(at);
        if self.enclosing_tables.contains(&pointer) {
            return Err(ConvertErrorKind::Cycle.into());
        }
        if self.enclosing_tables.len() >= limits::MAX_NESTING_DEPTH {
            return Err(ConvertErrorKind::TooDeep.into());
        }
        if stack.has_metatable(at) && !self.visitor.ignores_metatables() {
            return Err(ConvertErrorKind::WrongKind(TABLE_WITH_METATABLE).into());
        }
        self.size.table_count += 1;
        meter::charge_table();
        self.visitor.check_size(&self.size)?;
        self.enclosing_tables.push(pointer);
        let read = self.read_entries(stack, at);
        self.enclosing_tables.pop();
        read
    }

    fn read_entries<'c>(&mut self, stack: Stack<'c>, at: StackIndex) -> ConvertResult<S::Output>
    where
        S: ValueVisitor<'c>,
    {
        let (mut list, mut later) = (Vec::new(), Vec::new());
        let (mut names, mut named, mut all) = (S::Entries::default(), false, 0_usize);
        stack.reserve(6);
        let key = stack.top() + 1;
        let mut next = stack.push_next_entry(at, 0);
        while next >= 0 {
            match stack.kind(key) {
                LuaKind::Number => {
                    let number = stack.number(key);
                    if number != number.trunc() || number.abs() > 9e15 {
                        return Err(ConvertErrorKind::BadKey(format!("the key {number}")).into());
                    }
                    let index = number as i64;
                    let read = self.read_value(stack, key + 1);
                    let value =
                        read.map_err(|odd| add_path_step(odd, ConvertPathStep::Index(index)))?;
                    match usize::try_from(index) == Ok(list.len() + 1) {
                        true => {
                            if list.is_empty() {
                                list.reserve(stack.length(at).min(MAX_LIST_CAPACITY));
                            }
                            list.push(value);
                        }
                        false => later.push((index, value)),
                    }
                }
                LuaKind::Text
                    if self.enclosing_tables.len() == 1 && self.is_skipped(stack, key) => {}
                LuaKind::Text => {
                    let name = self.read_utf8_text(stack, key)?;
                    let read = self.read_value(stack, key + 1);
                    let step = |odd| add_path_step(odd, ConvertPathStep::Name(name.to_owned()));
                    let value = read.map_err(step)?;
                    self.visitor.add_entry(&mut names, name, value);
                    named = true;
                }
                LuaKind::Bool => {
                    return Err(ConvertErrorKind::BadKey("a boolean as a key".to_owned()).into());
                }
                LuaKind::Table => {
                    return Err(ConvertErrorKind::BadKey("a table as a key".to_owned()).into());
                }
                LuaKind::Function => {
                    return Err(ConvertErrorKind::BadKey("a function as a key".to_owned()).into());
                }
                _ => return Err(ConvertErrorKind::BadKey("a userdata as a key".to_owned()).into()),
            }
            all += 1;
            if all > limits::TABLE_ENTRIES {
                return Err(ConvertErrorKind::TooManyEntries.into());
            }
            stack.set_top(key - 1);
            next = stack.push_next_entry(at, next);
        }
        if !later.is_empty() {
            later.sort_by_key(|(index, _)| *index);
            for (index, value) in later {
                if usize::try_from(index) != Ok(list.len() + 1) {
                    return Err(ConvertErrorKind::HoleInList(index, list.len() + 1).into());
                }
                list.push(value);
            }
        }
        match (list.is_empty(), named) {
            (true, _) => Ok(self.visitor.visit_map(names)),
            (false, false) => Ok(self.visitor.visit_list(list)),
            (false, true) => match self.visitor.visit_mixed(list, names) {
                Some(both) => Ok(both),
                None => Err(ConvertErrorKind::MixedTable(find_lowest_name(stack, at)).into()),
            },
        }
    }

    fn is_skipped(&self, stack: Stack<'_>, key: StackIndex) -> bool {
        !self.skipped_name.is_empty() && stack.bytes(key) == Some(self.skipped_name.as_bytes())
    }
}

#[cold]
fn add_path_step(mut convert_error: Box<ConvertError>, step: ConvertPathStep) -> Box<ConvertError> {
    convert_error.reversed_path.push(step);
    convert_error
}

/// The first name of a table in iteration order.
#[cold]
fn find_lowest_name(stack: Stack<'_>, table: StackIndex) -> String {
    let (mut first, mut next) = (None, stack.push_next_entry(table, 0));
    let key = stack.top() - 1;
    while next >= 0 {
        let name = stack.text(key);
        first = match (first, name) {
            (Some(first), Some(name)) => Some(name.min(first)),
            (first, name) => first.or(name),
        };
        stack.set_top(key - 1);
        next = stack.push_next_entry(table, next);
    }
    first.unwrap_or_default().to_owned()
}
