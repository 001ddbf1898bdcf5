//! The text of a file. Texts embedded in the program are large, so they are shared and never
//! copied.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The text of a file. A clone is cheap. Equality compares the contents.
#[derive(Clone)]
pub struct FileText(TextStorage);

#[derive(Clone)]
enum TextStorage {
    /// Embedded in the program.
    Embedded(&'static str),
    /// Read at run time.
    Shared(Arc<str>),
}

impl FileText {
    /// Creates a text that is embedded in the program.
    pub fn from_static(text: &'static str) -> Self {
        Self(TextStorage::Embedded(text))
    }

    /// Whether both share one buffer (pointer equality).
    pub fn shares_buffer_with(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const **self, &raw const **other)
    }
}

impl Deref for FileText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            TextStorage::Embedded(text) => text,
            TextStorage::Shared(text) => text,
        }
    }
}

impl From<String> for FileText {
    fn from(text: String) -> Self {
        Self(TextStorage::Shared(text.into()))
    }
}

impl From<&str> for FileText {
    fn from(text: &str) -> Self {
        Self(TextStorage::Shared(text.into()))
    }
}

impl PartialEq for FileText {
    fn eq(&self, other: &Self) -> bool {
        self.shares_buffer_with(other) || **self == **other
    }
}

impl Eq for FileText {}

impl PartialOrd for FileText {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FileText {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        str::cmp(self, other)
    }
}

impl fmt::Debug for FileText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
