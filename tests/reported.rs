//! Failures that people reported of this program and of others like it, each mended as a kind.

mod archives;
mod broken_mods;
mod emptied;
mod kept_content;
mod place;
mod players;
mod unread_files;
