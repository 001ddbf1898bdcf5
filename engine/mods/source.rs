//! A mod as it was read: its manifest and its scripts, with one digest over both.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::manifest::Manifest;
use crate::kit::Digest;

/// A mod as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ModSource {
    /// What it says of itself.
    pub manifest: Manifest,
    /// The text of its `mod.toml`, line ends as LF.
    pub manifest_text: Arc<str>,
    /// Its scripts by path within the mod (`rules/round.luau`), line ends as LF. Scripts under
    /// `tests/` are no part of it.
    pub files: BTreeMap<String, Arc<str>>,
    /// Digest of manifest and scripts.
    pub digest: Digest,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a mod came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A folder.
    Disk(PathBuf),
    /// The program itself.
    Embedded,
    /// The content store beside the runs.
    Stored,
}

impl ModSource {
    /// The mod's id.
    pub fn id(&self) -> &str {
        &self.manifest.id
    }

    /// The scripts that declare things, in the order they are loaded in: `kinds/` first, then by
    /// path. `lib/` is only for `require`.
    pub fn scripts(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        let of = |kinds: bool| {
            self.files.iter().filter(move |(path, _)| {
                path.starts_with("kinds/") == kinds && !path.starts_with("lib/")
            })
        };
        of(true).chain(of(false)).map(|(path, text)| (path.as_str(), text))
    }
}
