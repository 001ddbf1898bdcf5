//! Reads Lua tables in one walk. A visitor builds the result.
//!
//! On an invalid value the walk ends with the kind of error and the path. The message is written
//! later by whoever reports it, so the normal case does not pay for it.

use super::lua_type::LuaType;
use super::stack::{Stack, StackIndex};
use base::{limits, meter};

/// Builds a result from the values that a walk finds.
pub trait ValueVisitor<'c> {
    /// The result for one value.
    type Output;
    /// The named entries of one table while they are collected.
    type Entries: Default;

    /// A boolean.
    fn visit_bool(&mut self, truth: bool) -> Self::Output;
    /// A number; `None` if the result cannot hold it.
    fn visit_number(&mut self, number: f64) -> Option<Self::Output>;
    /// A text.
    fn visit_text(&mut self, text: &'c str) -> Self::Output;
    /// Adds one named entry.
    fn add_entry(&mut self, entries: &mut Self::Entries, name: &'c str, value: Self::Output);
    /// A table that is a list.
    fn visit_list(&mut self, list: Vec<Self::Output>) -> Self::Output;
    /// A table with named entries; an empty table counts as one.
    fn visit_map(&mut self, entries: Self::Entries) -> Self::Output;
    /// A table with both; `None` if that is not allowed.
    fn visit_mixed_table(
        &mut self,
        list: Vec<Self::Output>,
        entries: Self::Entries,
    ) -> Option<Self::Output>;
    /// Any other value, such as a function or userdata. It may add to the size.
    fn visit_function_or_userdata(
        &mut self,
        stack: Stack<'c>,
        index: StackIndex,
        size: &mut ReadSize,
    ) -> Result<Self::Output, ConvertErrorKind>;
    /// Checks the size that was read so far.
    fn check_size(&self, size: &ReadSize) -> Result<(), ConvertErrorKind>;
}

/// The size that was read so far. A table that occurs in several places counts once for each.
#[derive(Clone, Copy, Default)]
pub struct ReadSize {
    /// All values, including tables.
    pub value_count: usize,
    /// Tables.
    pub table_count: usize,
    /// Bytes of texts and names.
    pub text_and_name_bytes: usize,
    /// Bytes of texts only.
    pub text_bytes: usize,
    /// Texts in units of four bytes, rounded for each text.
    pub text_4_byte_units: usize,
}

impl ReadSize {
    /// The number of values, with the extra weight of tables.
    pub fn weighted_values(&self) -> usize {
        self.value_count.saturating_add(self.table_count.saturating_mul(limits::TABLE_COST_ENTRIES))
    }
}

/// Why a value cannot be converted.
pub enum ConvertErrorKind {
    /// The value has a kind that is not allowed.
    WrongType(&'static str),
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
    /// The budget of the whole conversion is spent.
    SizeBudgetExceeded,
    /// A Lua error, or an error of the value that this one stands for.
    LuaError(mlua::Error),
}

/// Description of a table whose metatable would be lost.
pub const TABLE_WITH_METATABLE: &str = "a table with a metatable";

/// One step of the path to a value.
pub enum ConvertPathStep {
    /// A named entry.
    Name(String),
    /// An index in a list.
    Index(i64),
}

/// A conversion error with the path to the value.
pub struct ConvertError {
    /// The path from the value up to the root of the walk.
    pub reversed_path: Vec<ConvertPathStep>,
    /// What is wrong with the value.
    pub kind: ConvertErrorKind,
}

impl From<ConvertErrorKind> for Box<ConvertError> {
    #[cold]
    fn from(error_kind: ConvertErrorKind) -> Self {
        Box::new(ConvertError { reversed_path: Vec::new(), kind: error_kind })
    }
}

type ConvertResult<T> = Result<T, Box<ConvertError>>;

/// The initial capacity of a list, at most.
const MAX_LIST_CAPACITY: usize = 64;

/// A walk in progress.
pub struct TableReader<'s, S> {
    visitor: &'s mut S,
    /// A name that is skipped in the outermost table.
    skipped_name: &'static str,
    /// The size that was read so far.
    pub size: ReadSize,
    /// The tables that enclose the current one. Meeting one of them again is a cycle.
    enclosing_tables: Vec<usize>,
}

impl<'s, S> TableReader<'s, S> {
    /// Starts a walk.
    pub fn new(value_visitor: &'s mut S) -> Self {
        Self::with_skipped_name(value_visitor, "")
    }

    /// Starts a walk that skips one name in the outermost table.
    pub(crate) fn with_skipped_name(value_visitor: &'s mut S, skipped_name: &'static str) -> Self {
        Self {
            visitor: value_visitor,
            skipped_name,
            size: ReadSize::default(),
            enclosing_tables: Vec::new(),
        }
    }

    /// Reads the value at an index that is counted from the bottom. Nil is an error.
    pub fn read_value<'c>(
        &mut self,
        stack: Stack<'c>,
        index: StackIndex,
    ) -> ConvertResult<S::Output>
    where
        S: ValueVisitor<'c>,
    {
        self.size.value_count += 1;
        meter::charge_read_value();
        self.visitor.check_size(&self.size)?;
        match stack.lua_type(index) {
            LuaType::Bool => Ok(self.visitor.visit_bool(stack.is_truthy(index))),
            LuaType::Number => {
                let number = stack.number(index);
                Ok(self.visitor.visit_number(number).ok_or(ConvertErrorKind::NotFinite(number))?)
            }
            LuaType::Text => {
                let text = self.read_utf8_text(stack, index)?;
                self.size.text_bytes = self.size.text_bytes.saturating_add(text.len());
                self.size.text_4_byte_units =
                    self.size.text_4_byte_units.saturating_add(text.len() / 4);
                self.visitor.check_size(&self.size)?;
                Ok(self.visitor.visit_text(text))
            }
            LuaType::Table => self.read_table(stack, index),
            _ => {
                let output =
                    self.visitor.visit_function_or_userdata(stack, index, &mut self.size)?;
                self.visitor.check_size(&self.size)?;
                Ok(output)
            }
        }
    }

    fn read_utf8_text<'c>(&mut self, stack: Stack<'c>, index: StackIndex) -> ConvertResult<&'c str>
    where
        S: ValueVisitor<'c>,
    {
        let (bytes, ascii_text) = stack.read_text(index).unwrap_or_default();
        if bytes.len() > limits::MAX_TEXT_BYTES {
            return Err(ConvertErrorKind::TextTooLong(bytes.len()).into());
        }
        let text = match ascii_text {
            Some(text) => text,
            None => std::str::from_utf8(bytes).map_err(|_| ConvertErrorKind::NotUtf8)?,
        };
        self.size.text_and_name_bytes = self.size.text_and_name_bytes.saturating_add(text.len());
        self.visitor.check_size(&self.size)?;
        Ok(text)
    }

    fn read_table<'c>(&mut self, stack: Stack<'c>, index: StackIndex) -> ConvertResult<S::Output>
    where
        S: ValueVisitor<'c>,
    {
        let pointer = stack.value_address(index);
        if self.enclosing_tables.contains(&pointer) {
            return Err(ConvertErrorKind::Cycle.into());
        }
        if self.enclosing_tables.len() >= limits::MAX_NESTING_DEPTH {
            return Err(ConvertErrorKind::TooDeep.into());
        }
        if stack.has_metatable(index) {
            return Err(ConvertErrorKind::WrongType(TABLE_WITH_METATABLE).into());
        }
        self.size.table_count += 1;
        meter::charge_read_table();
        self.visitor.check_size(&self.size)?;
        self.enclosing_tables.push(pointer);
        let output = self.read_entries(stack, index);
        self.enclosing_tables.pop();
        output
    }

    fn read_entries<'c>(&mut self, stack: Stack<'c>, table: StackIndex) -> ConvertResult<S::Output>
    where
        S: ValueVisitor<'c>,
    {
        let (mut list, mut out_of_order) = (Vec::new(), Vec::new());
        let (mut entries, mut has_names, mut entry_count) = (S::Entries::default(), false, 0_usize);
        let key_index = stack.top() + 1;
        let mut position = stack.push_next_entry(table, 0);
        while position >= 0 {
            match stack.lua_type(key_index) {
                LuaType::Number => {
                    let number = stack.number(key_index);
                    if number != number.trunc() || number.abs() > 9e15 {
                        return Err(ConvertErrorKind::BadKey(format!("the key {number}")).into());
                    }
                    let index = number as i64;
                    let output = self.read_value(stack, key_index + 1);
                    let value = output
                        .map_err(|error| add_path_step(error, ConvertPathStep::Index(index)))?;
                    match usize::try_from(index) == Ok(list.len() + 1) {
                        true => {
                            if list.is_empty() {
                                list.reserve(stack.list_length(table).min(MAX_LIST_CAPACITY));
                            }
                            list.push(value);
                        }
                        false => out_of_order.push((index, value)),
                    }
                }
                LuaType::Text
                    if self.enclosing_tables.len() == 1 && self.is_skipped(stack, key_index) => {}
                LuaType::Text => {
                    let name = self.read_utf8_text(stack, key_index)?;
                    let output = self.read_value(stack, key_index + 1);
                    let add_name_step =
                        |error| add_path_step(error, ConvertPathStep::Name(name.to_owned()));
                    let value = output.map_err(add_name_step)?;
                    self.visitor.add_entry(&mut entries, name, value);
                    has_names = true;
                }
                LuaType::Bool => {
                    return Err(ConvertErrorKind::BadKey("a boolean as a key".to_owned()).into());
                }
                LuaType::Table => {
                    return Err(ConvertErrorKind::BadKey("a table as a key".to_owned()).into());
                }
                LuaType::Function => {
                    return Err(ConvertErrorKind::BadKey("a function as a key".to_owned()).into());
                }
                _ => return Err(ConvertErrorKind::BadKey("a userdata as a key".to_owned()).into()),
            }
            entry_count += 1;
            if entry_count > limits::MAX_TABLE_ENTRIES {
                return Err(ConvertErrorKind::TooManyEntries.into());
            }
            stack.set_top(key_index - 1);
            position = stack.push_next_entry(table, position);
        }
        if !out_of_order.is_empty() {
            out_of_order.sort_by_key(|(index, _)| *index);
            for (index, value) in out_of_order {
                if usize::try_from(index) != Ok(list.len() + 1) {
                    return Err(ConvertErrorKind::HoleInList(index, list.len() + 1).into());
                }
                list.push(value);
            }
        }
        match (list.is_empty(), has_names) {
            (true, _) => Ok(self.visitor.visit_map(entries)),
            (false, false) => Ok(self.visitor.visit_list(list)),
            (false, true) => match self.visitor.visit_mixed_table(list, entries) {
                Some(output) => Ok(output),
                None => Err(ConvertErrorKind::MixedTable(find_first_name(stack, table)).into()),
            },
        }
    }

    fn is_skipped(&self, stack: Stack<'_>, key_index: StackIndex) -> bool {
        !self.skipped_name.is_empty()
            && stack.text_bytes(key_index) == Some(self.skipped_name.as_bytes())
    }
}

#[cold]
fn add_path_step(mut convert_error: Box<ConvertError>, step: ConvertPathStep) -> Box<ConvertError> {
    convert_error.reversed_path.push(step);
    convert_error
}

/// The first name of a table in iteration order.
#[cold]
fn find_first_name(stack: Stack<'_>, table: StackIndex) -> String {
    let (mut lowest, mut position) = (None, stack.push_next_entry(table, 0));
    let key_index = stack.top() - 1;
    while position >= 0 {
        let name = stack.text(key_index);
        lowest = match (lowest, name) {
            (Some(lowest), Some(name)) => Some(name.min(lowest)),
            (lowest, name) => lowest.or(name),
        };
        stack.set_top(key_index - 1);
        position = stack.push_next_entry(table, position);
    }
    lowest.unwrap_or_default().to_owned()
}
