//! Translations in gettext's PO format, which Poedit, Weblate and other translators' tools edit:
//! reads and writes the format, reads a translation from it, merges new source texts into it.
//!
//! The format is read by hand. It is small, the files come from strangers, and a Problem names a
//! line: of the crates for it, `rspolib` opens a path that it is given as text and allocates as many
//! plural forms as the file says; `polib` knows no lines and drops obsolete entries; `gettext` and
//! `poreader` read other formats or build a parser generator.

mod merge;
mod po_file;
mod po_reader;
mod po_writer;
mod read_translation;

pub use merge::{MergeSummary, SourceText, merge_source_texts};
pub use po_file::{PoEntry, PoFile};
pub use po_reader::{PoSyntaxError, parse_po};
pub use read_translation::read_translated_texts;
