//! What the tree refuses, in words that a mod's author can act on.

use std::fmt;

use crate::kit::limits;

/// Why a read or a write was refused. Its text says what was found and what was expected; whoever
/// knows the script's line makes a Problem of it.
#[derive(Clone, Debug, PartialEq)]
pub enum StateError {
    /// The handle's table is no longer in the tree.
    Stale,
    /// The root can only be a table with text keys.
    RootNotMap,
    /// A text key was written into a list.
    TextKeyInList(Box<str>),
    /// A whole number was used as key of a map.
    IndexInMap(u32),
    /// Writing there would leave a hole in a list.
    Hole {
        /// The place that was to be written.
        index: u32,
        /// How long the list is.
        length: u32,
    },
    /// Emptying this place would leave a hole in a list.
    Gap {
        /// The place that was to be emptied.
        index: u32,
        /// How long the list is.
        length: u32,
    },
    /// Tables nested too deeply.
    Deep,
    /// Too many entries in one table.
    Wide,
    /// The whole tree would be too large.
    Full,
    /// Too much was written in one step.
    Spent,
    /// A text that is too long, with its bytes.
    LongText(usize),
    /// A number that is not finite.
    NotFinite,
    /// A whole number that a script cannot hold exactly.
    BigInt(i64),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale => write!(f, "this table is no longer part of the state"),
            Self::RootNotMap => write!(f, "the state itself can only be a table with text keys"),
            Self::TextKeyInList(key) => {
                write!(f, "the key \"{key}\" cannot be written into a list; lists have keys 1 to n")
            }
            Self::IndexInMap(index) => {
                write!(f, "the key {index} cannot be written into a table that has text keys")
            }
            Self::Hole { index: 0, .. } => write!(f, "the place 0 of a list; lists start at 1"),
            Self::Hole { index, length } => write!(
                f,
                "writing [{index}] would leave a hole in a list of {length}; the next place is [{}]",
                length + 1
            ),
            Self::Gap { index, length } => write!(
                f,
                "emptying [{index}] would leave a hole in a list of {length}; only the last place can be set to nil"
            ),
            Self::Deep => write!(f, "tables nested deeper than {}", limits::DEPTH),
            Self::Wide => write!(f, "more than {} entries in one table", limits::TABLE_ENTRIES),
            Self::Full => write!(
                f,
                "the whole state would be larger than {} entries or {} bytes of text",
                limits::STATE_NODES,
                limits::STATE_BYTES
            ),
            Self::Spent => write!(
                f,
                "more than {} entries or {} bytes of text written in one step",
                limits::WRITES_PER_STEP,
                limits::WRITTEN_BYTES_PER_STEP
            ),
            Self::LongText(bytes) => {
                write!(f, "a text of {bytes} bytes; at most {} fit", limits::TEXT_BYTES)
            }
            Self::NotFinite => write!(f, "a number that is not finite (0/0 or 1/0)"),
            Self::BigInt(int) => {
                write!(f, "the whole number {int}, past 2^53, cannot be held exactly")
            }
        }
    }
}

impl StateError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Stale => "read the table again from state instead of keeping it in a local",
            Self::RootNotMap => "put the value under a name",
            Self::TextKeyInList(_) | Self::IndexInMap(_) => {
                "keep lists and named fields in tables of their own"
            }
            Self::Hole { .. } => "append with t[#t + 1] = value or table.insert(t, value)",
            Self::Gap { .. } => "use table.remove(t, index)",
            Self::Deep => "flatten the data, or refer to the other table by an id",
            Self::Wide | Self::Full | Self::Spent => "keep less, or write it over several steps",
            Self::LongText(_) => "keep an id and let a definition hold the text",
            Self::NotFinite => "look for a division by zero",
            Self::BigInt(_) => "keep it as a text",
        }
    }
}

impl std::error::Error for StateError {}
