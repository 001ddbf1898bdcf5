//! Errors of reads and writes, with texts that the author of a mod can act on.

use std::fmt;

use base::limits;

/// Why a read or a write was refused. Its text says what was found and what was expected; a caller
/// that knows the line of the script makes a Problem of it.
#[derive(Clone, Debug, PartialEq)]
pub enum StateError {
    /// The handle's table is no longer in the tree.
    StaleHandle,
    /// The root accepts text keys only.
    RootNotMap,
    /// A text key was written into a list.
    TextKeyInList(Box<str>),
    /// An integer was used as a key of a map.
    IndexInMap(u32),
    /// The write would leave a hole in a list.
    WriteLeavesHole {
        /// The index of the write.
        index: u32,
        /// The length of the list.
        length: u32,
    },
    /// Setting this item to nil would leave a hole in a list.
    RemovalLeavesHole {
        /// The index of the item.
        index: u32,
        /// The length of the list.
        length: u32,
    },
    /// Tables are nested too deeply.
    TooDeep,
    /// A table has too many entries.
    TooManyEntries,
    /// The whole tree would be too large.
    StateTooLarge,
    /// One step has written too much.
    WriteBudgetExceeded,
    /// A text is too long; its bytes.
    TextTooLong(usize),
    /// A number is not finite.
    NotFinite,
    /// An integer that a script cannot represent exactly.
    IntegerTooLarge(i64),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StaleHandle => write!(f, "this table is no longer part of the state"),
            Self::RootNotMap => write!(f, "the state itself can only be a table with text keys"),
            Self::TextKeyInList(key) => {
                write!(f, "the key \"{key}\" cannot be written into a list; lists have keys 1 to n")
            }
            Self::IndexInMap(index) => {
                write!(f, "the key {index} cannot be written into a table that has text keys")
            }
            Self::WriteLeavesHole { index: 0, .. } => {
                write!(f, "index 0 of a list; lists start at 1")
            }
            Self::WriteLeavesHole { index, length } => write!(
                f,
                "writing [{index}] would leave a hole in a list of {length}; the next index is [{}]",
                length + 1
            ),
            Self::RemovalLeavesHole { index, length } => write!(
                f,
                "emptying [{index}] would leave a hole in a list of {length}; only the last item can be set to nil"
            ),
            Self::TooDeep => write!(f, "tables nested deeper than {}", limits::MAX_NESTING_DEPTH),
            Self::TooManyEntries => {
                write!(f, "more than {} entries in one table", limits::MAX_TABLE_ENTRIES)
            }
            Self::StateTooLarge => write!(
                f,
                "the whole state would be larger than {} entries or {} bytes of text",
                limits::MAX_STATE_ENTRIES,
                limits::MAX_STATE_TEXT_BYTES
            ),
            Self::WriteBudgetExceeded => write!(
                f,
                "more than {} entries or {} bytes of text written in one step",
                limits::MAX_WRITES_PER_STEP,
                limits::MAX_WRITTEN_BYTES_PER_STEP
            ),
            Self::TextTooLong(bytes) => {
                write!(f, "a text of {bytes} bytes; at most {} are allowed", limits::MAX_TEXT_BYTES)
            }
            Self::NotFinite => write!(f, "a number that is not finite (0/0 or 1/0)"),
            Self::IntegerTooLarge(int) => {
                write!(f, "the whole number {int} is beyond 2^53 and is not exact")
            }
        }
    }
}

impl StateError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::StaleHandle => "read the table again from state instead of keeping it in a local",
            Self::RootNotMap => "put the value under a name",
            Self::TextKeyInList(_) | Self::IndexInMap(_) => {
                "keep lists and named fields in tables of their own"
            }
            Self::WriteLeavesHole { .. } => {
                "append with t[#t + 1] = value or table.insert(t, value)"
            }
            Self::RemovalLeavesHole { .. } => "use table.remove(t, index)",
            Self::TooDeep => "flatten the data, or refer to the other table by an id",
            Self::TooManyEntries | Self::StateTooLarge | Self::WriteBudgetExceeded => {
                "store less, or write it over several steps"
            }
            Self::TextTooLong(_) => "store an id and put the text in a definition",
            Self::NotFinite => "look for a division by zero",
            Self::IntegerTooLarge(_) => "store it as a text",
        }
    }
}

impl std::error::Error for StateError {}
