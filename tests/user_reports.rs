//! Regressions of failures that users reported for this program and similar ones. Each test covers
//! the whole kind of failure.

mod archives;
mod broken_mods;
mod harness;
mod players;
mod stored_content;
mod truncated_files;
mod unread_files;
