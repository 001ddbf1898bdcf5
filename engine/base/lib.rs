//! Basic types that every module shares: plain values, ids, Problems, digests, text. Knows nothing
//! of games, Lua or the disk.

pub mod digest;
pub mod file_text;
pub mod host_texts;
pub mod id;
pub mod limits;
pub mod line_index;
pub mod meter;
mod name_search;
pub mod panic_guard;
pub mod plural_forms;
pub mod problem;
pub mod problem_code;
mod problem_names;
pub mod quote;
pub mod text;
pub mod text_overrides;
pub mod translation;
pub mod value;

pub use digest::Digest;
pub use file_text::FileText;
pub use id::Id;
pub use plural_forms::PluralForms;
pub use problem::{Problem, Severity, SourceLocation, UndeclaredName};
pub use problem_code::Code;
pub use quote::{quote, truncate_quoted_bytes, truncate_quoted_text};
pub use text_overrides::{TextOverride, TextOverrides};
pub use translation::{TranslatedPlural, TranslatedText, Translation};
pub use value::Value;
