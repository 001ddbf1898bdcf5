//! The texts of all scripts, and how the names that Lua gives to chunks become places.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kit::Place;

/// The texts of all scripts, by mod and path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    files: BTreeMap<String, Arc<str>>,
}

impl Sources {
    /// Adds the text of a file.
    pub(crate) fn add(&mut self, owner: &str, file: &str, text: Arc<str>) {
        self.files.insert(format!("{owner}/{file}"), text);
    }

    /// The text of a file.
    pub(crate) fn text(&self, owner: &str, file: &str) -> Option<&Arc<str>> {
        self.files.get(&format!("{owner}/{file}"))
    }

    /// The place of a line of a chunk, if the chunk is a file of a mod (the host's own Lua is
    /// not).
    pub(crate) fn place(&self, chunk: &str, line: u32) -> Option<Place> {
        let chunk = chunk.strip_prefix('=').unwrap_or(chunk);
        let text = self.files.get(chunk)?;
        let (owner, file) = chunk.split_once('/')?;
        let mut place = Place::new(owner, file, line);
        place.excerpt = line_of(text, line);
        Some(place)
    }
}

/// One line of a text, counted from 1.
fn line_of(text: &str, line: u32) -> Option<String> {
    let index = usize::try_from(line).ok()?.checked_sub(1)?;
    text.lines().nth(index).map(|line| line.chars().take(160).collect())
}
