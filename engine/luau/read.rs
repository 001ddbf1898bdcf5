//! Reads Lua tables in one walk. A visitor builds the result.
//!
//! On an invalid value the walk ends with the kind of error and the path. The message is written
//! later by whoever reports it, so the normal case does not pay for it.

use super::stack::{At, Kind, Stack};
use crate::kit::{limits, meter};

/// Builds a result from the values that a walk finds.
pub(crate) trait Sink<'c> {
    /// The result for one value.
    type Out;
    /// The named entries of one table while they are collected.
    type Names: Default;

    fn truth(&mut self, truth: bool) -> Self::Out;
    /// A number; `None` if the result cannot hold it.
    fn number(&mut self, number: f64) -> Option<Self::Out>;
    fn text(&mut self, text: &'c str) -> Self::Out;
    /// Adds one named entry.
    fn name(&mut self, names: &mut Self::Names, name: &'c str, value: Self::Out);
    /// A table that is a list.
    fn list(&mut self, list: Vec<Self::Out>) -> Self::Out;
    /// A table with named entries; an empty table counts as one.
    fn names(&mut self, names: Self::Names) -> Self::Out;
    /// A table with both; `None` if that is not allowed.
    fn both(&mut self, list: Vec<Self::Out>, names: Self::Names) -> Option<Self::Out>;
    /// Any other value, such as a function or userdata. It may add to the size.
    fn other(&mut self, stack: Stack<'c>, at: At, weight: &mut Weight) -> Result<Self::Out, Odd>;
    /// Whether metatables are allowed and ignored.
    fn passes_metatables_by(&self) -> bool;
    /// Checks the size that was read so far.
    fn fits(&self, weight: &Weight) -> Result<(), Odd>;
}

/// The size that was read so far. A table that occurs in several places counts once for each.
#[derive(Clone, Copy, Default)]
pub(crate) struct Weight {
    /// All values, including tables.
    pub(crate) values: usize,
    pub(crate) tables: usize,
    /// Bytes of texts and names.
    pub(crate) bytes: usize,
    /// Bytes of texts only.
    pub(crate) texts: usize,
    /// Texts in units of four bytes, rounded for each text.
    pub(crate) quads: usize,
}

impl Weight {
    /// The number of values, with the extra weight of tables.
    pub(crate) fn nodes(&self) -> usize {
        self.values.saturating_add(self.tables.saturating_mul(limits::TABLE_NODES))
    }
}

/// Why a value cannot be converted.
pub(crate) enum Odd {
    /// The value has a kind that is not allowed.
    Is(&'static str),
    /// The number is NaN or infinite.
    NotFinite(f64),
    /// The text is too long; its bytes.
    Long(usize),
    /// The text is not UTF-8.
    NotUtf8,
    /// The table contains itself.
    Cycle,
    /// The table is nested too deep.
    Deep,
    /// The table has too many entries.
    Wide,
    /// The table has a key that is not allowed.
    Key(String),
    /// The list has an entry at the first index but none at the second.
    Hole(i64, usize),
    /// The table has list entries and also this name.
    Both(String),
    /// There are too many values in total.
    ManyValues,
    /// There is too much text in total.
    MuchText,
    NoRoom,
    /// A Lua error, or an error of the value that this one stands for.
    Raised(mlua::Error),
}

/// Description of a table whose metatable would be lost.
pub(crate) const WITH_METATABLE: &str = "a table with a metatable";

/// One step of the path to a value.
pub(crate) enum Step {
    Name(String),
    /// An index in a list.
    Index(i64),
}

/// A conversion error with the path to the value.
pub(crate) struct Refused {
    /// The path from the value up to the root of the walk.
    pub(crate) way_back: Vec<Step>,
    pub(crate) odd: Odd,
}

impl From<Odd> for Box<Refused> {
    #[cold]
    fn from(odd: Odd) -> Self {
        Box::new(Refused { way_back: Vec::new(), odd })
    }
}

type Read<T> = Result<T, Box<Refused>>;

/// The initial capacity of a list, at most.
const LIST: usize = 64;

/// A walk in progress.
pub(crate) struct Reader<'s, S> {
    sink: &'s mut S,
    /// A name that is skipped in the outermost table.
    but: &'static str,
    /// The size that was read so far.
    pub(crate) weight: Weight,
    /// The tables that enclose the current one. Meeting one of them again is a cycle.
    open: Vec<usize>,
}

impl<'s, S> Reader<'s, S> {
    /// Starts a walk.
    pub(crate) fn new(sink: &'s mut S) -> Self {
        Self::but(sink, "")
    }

    /// Starts a walk that skips one name in the outermost table.
    pub(crate) fn but(sink: &'s mut S, but: &'static str) -> Self {
        Self { sink, but, weight: Weight::default(), open: Vec::new() }
    }

    /// Reads the value at an index that is counted from the bottom. Nil is an error.
    pub(crate) fn value<'c>(&mut self, stack: Stack<'c>, at: At) -> Read<S::Out>
    where
        S: Sink<'c>,
    {
        self.weight.values += 1;
        meter::value();
        self.sink.fits(&self.weight)?;
        match stack.kind(at) {
            Kind::Bool => Ok(self.sink.truth(stack.truth(at))),
            Kind::Number => {
                let number = stack.number(at);
                Ok(self.sink.number(number).ok_or(Odd::NotFinite(number))?)
            }
            Kind::Text => {
                let text = self.bytes(stack, at)?;
                self.weight.texts = self.weight.texts.saturating_add(text.len());
                self.weight.quads = self.weight.quads.saturating_add(text.len() / 4);
                self.sink.fits(&self.weight)?;
                Ok(self.sink.text(text))
            }
            Kind::Table => self.table(stack, at),
            _ => {
                let other = self.sink.other(stack, at, &mut self.weight)?;
                self.sink.fits(&self.weight)?;
                Ok(other)
            }
        }
    }

    fn bytes<'c>(&mut self, stack: Stack<'c>, at: At) -> Read<&'c str>
    where
        S: Sink<'c>,
    {
        let bytes = stack.bytes(at).unwrap_or_default();
        if bytes.len() > limits::TEXT_BYTES {
            return Err(Odd::Long(bytes.len()).into());
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Odd::NotUtf8)?;
        self.weight.bytes = self.weight.bytes.saturating_add(text.len());
        self.sink.fits(&self.weight)?;
        Ok(text)
    }

    fn table<'c>(&mut self, stack: Stack<'c>, at: At) -> Read<S::Out>
    where
        S: Sink<'c>,
    {
        let pointer = stack.pointer(at);
        if self.open.contains(&pointer) {
            return Err(Odd::Cycle.into());
        }
        if self.open.len() >= limits::DEPTH {
            return Err(Odd::Deep.into());
        }
        if stack.has_rules(at) && !self.sink.passes_metatables_by() {
            return Err(Odd::Is(WITH_METATABLE).into());
        }
        self.weight.tables += 1;
        meter::table();
        self.sink.fits(&self.weight)?;
        self.open.push(pointer);
        let read = self.entries(stack, at);
        self.open.pop();
        read
    }

    fn entries<'c>(&mut self, stack: Stack<'c>, at: At) -> Read<S::Out>
    where
        S: Sink<'c>,
    {
        let (mut list, mut later) = (Vec::new(), Vec::new());
        let (mut names, mut named, mut all) = (S::Names::default(), false, 0_usize);
        stack.room(6);
        let key = stack.top() + 1;
        let mut next = stack.next(at, 0);
        while next >= 0 {
            match stack.kind(key) {
                Kind::Number => {
                    let number = stack.number(key);
                    if number != number.trunc() || number.abs() > 9e15 {
                        return Err(Odd::Key(format!("the key {number}")).into());
                    }
                    let index = number as i64;
                    let read = self.value(stack, key + 1);
                    let value = read.map_err(|odd| behind(odd, Step::Index(index)))?;
                    match usize::try_from(index) == Ok(list.len() + 1) {
                        true => {
                            if list.is_empty() {
                                list.reserve(stack.length(at).min(LIST));
                            }
                            list.push(value);
                        }
                        false => later.push((index, value)),
                    }
                }
                Kind::Text if self.open.len() == 1 && self.is_passed_by(stack, key) => {}
                Kind::Text => {
                    let name = self.bytes(stack, key)?;
                    let read = self.value(stack, key + 1);
                    let step = |odd| behind(odd, Step::Name(name.to_owned()));
                    let value = read.map_err(step)?;
                    self.sink.name(&mut names, name, value);
                    named = true;
                }
                Kind::Bool => return Err(Odd::Key("a boolean as a key".to_owned()).into()),
                Kind::Table => return Err(Odd::Key("a table as a key".to_owned()).into()),
                Kind::Function => return Err(Odd::Key("a function as a key".to_owned()).into()),
                _ => return Err(Odd::Key("a userdata as a key".to_owned()).into()),
            }
            all += 1;
            if all > limits::TABLE_ENTRIES {
                return Err(Odd::Wide.into());
            }
            stack.set_top(key - 1);
            next = stack.next(at, next);
        }
        if !later.is_empty() {
            later.sort_by_key(|(index, _)| *index);
            for (index, value) in later {
                if usize::try_from(index) != Ok(list.len() + 1) {
                    return Err(Odd::Hole(index, list.len() + 1).into());
                }
                list.push(value);
            }
        }
        match (list.is_empty(), named) {
            (true, _) => Ok(self.sink.names(names)),
            (false, false) => Ok(self.sink.list(list)),
            (false, true) => match self.sink.both(list, names) {
                Some(both) => Ok(both),
                None => Err(Odd::Both(first_name(stack, at)).into()),
            },
        }
    }

    fn is_passed_by(&self, stack: Stack<'_>, key: At) -> bool {
        !self.but.is_empty() && stack.bytes(key) == Some(self.but.as_bytes())
    }
}

#[cold]
fn behind(mut refused: Box<Refused>, step: Step) -> Box<Refused> {
    refused.way_back.push(step);
    refused
}

/// The first name of a table in iteration order.
#[cold]
fn first_name(stack: Stack<'_>, table: At) -> String {
    let (mut first, mut next) = (None, stack.next(table, 0));
    let key = stack.top() - 1;
    while next >= 0 {
        let name = stack.text(key);
        first = match (first, name) {
            (Some(first), Some(name)) => Some(name.min(first)),
            (first, name) => first.or(name),
        };
        stack.set_top(key - 1);
        next = stack.next(table, next);
    }
    first.unwrap_or_default().to_owned()
}
