//! Failures that people reported of this program and of others like it, each mended as a kind.

mod archives;
mod broken_mods;
mod harness;
mod players;
mod stored_content;
mod truncated_files;
mod unread_files;
