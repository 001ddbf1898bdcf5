//! Basics: quotes and printable characters.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod long_quotes;
mod printable_text;
