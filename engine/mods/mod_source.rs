//! A mod that was read: its manifest and its scripts, with one digest over both. It can be
//! serialized for the content store of runs and read back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::embedded;
use super::language_files::language_of_file;
use super::manifest::{MANIFEST_FILE_NAME, Manifest};
use base::digest::Hasher;
use base::{Code, Digest, FileText, Problem, SourceLocation, text};

/// A mod that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ModSource {
    /// Its manifest.
    pub manifest: Manifest,
    /// The text of its `mod.toml`, line ends as LF.
    pub manifest_text: FileText,
    /// Its scripts by path within the mod (`rules/round.luau`), line ends as LF. Scripts under
    /// `tests/` are left out.
    pub files: BTreeMap<String, FileText>,
    /// Its translations by path (`locale/de.po`). They are not part of a run, so neither the digest
    /// nor the content store knows them.
    pub translations: BTreeMap<String, FileText>,
    /// The digest of manifest and scripts.
    pub digest: Digest,
    /// Its origin.
    pub origin: ModOrigin,
}

/// Where a mod comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModOrigin {
    /// A folder.
    Folder(PathBuf),
    /// An archive among the mods.
    Archive(PathBuf),
    /// The program.
    Embedded,
    /// The content store beside the runs.
    ContentStore,
}

/// Stores a text of a mod.
pub(super) fn reuse_embedded_text(text: String) -> FileText {
    embedded::embedded_text(&text).map_or_else(|| text.into(), FileText::from_static)
}

fn mod_digest(manifest: &str, files: &BTreeMap<String, FileText>) -> Digest {
    let mut hasher = Hasher::new("mod");
    hasher.feed_text(manifest).feed_count(files.len());
    for (path, text) in files {
        hasher.feed_text(path).feed_text(text);
    }
    hasher.finish()
}

/// A mod as the content store saves it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredMod<T: Ord> {
    manifest: T,
    files: BTreeMap<T, T>,
}

/// A mod as the content store saves it relative to another version: only the differences.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredModDiff {
    /// The digest of the base version, which is stored in full.
    #[serde(rename = "base")]
    pub base_digest: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    manifest: Option<String>,
    /// Files that differ or are new.
    files: BTreeMap<String, String>,
    /// Files that were removed.
    #[serde(rename = "gone")]
    removed_files: BTreeSet<String>,
}

impl StoredModDiff {
    /// Computes the differences from an earlier version of a mod.
    pub fn diff_from_base(base: &ModSource, new_version: &ModSource) -> Self {
        let changed_files =
            new_version.files.iter().filter(|(path, text)| base.files.get(*path) != Some(*text));
        let removed = base.files.keys().filter(|path| !new_version.files.contains_key(*path));
        let manifest = (base.manifest_text != new_version.manifest_text)
            .then(|| new_version.manifest_text.to_string());
        Self {
            base_digest: base.digest,
            manifest,
            files: changed_files.map(|(path, text)| (path.clone(), text.to_string())).collect(),
            removed_files: removed.cloned().collect(),
        }
    }

    /// Serializes it for the content store.
    pub fn serialize_for_store(&self) -> String {
        serde_json::to_string(self).expect("texts always have a JSON text")
    }

    /// Reads a stored text, if it is a diff and not a full mod.
    pub fn deserialize_from_store(stored: &str) -> Option<Self> {
        stored.starts_with("{\"base\":").then(|| serde_json::from_str(stored).ok()).flatten()
    }

    /// Applies the differences to the base version.
    pub fn apply_to_base(self, base: &ModSource) -> Result<ModSource, Vec<Problem>> {
        let text = self.manifest.map_or_else(|| base.manifest_text.clone(), FileText::from);
        let manifest = Manifest::parse("stored content", &text)?;
        let mut files = base.files.clone();
        files.retain(|path, _| !self.removed_files.contains(path));
        files.extend(self.files.into_iter().map(|(path, text)| (path, reuse_embedded_text(text))));
        Ok(ModSource::new(manifest, text, files, ModOrigin::ContentStore))
    }
}

impl ModSource {
    pub(super) fn new(
        manifest: Manifest,
        manifest_text: FileText,
        files: BTreeMap<String, FileText>,
        origin: ModOrigin,
    ) -> Self {
        let (translations, files) =
            files.into_iter().partition(|(path, _)| language_of_file(path).is_some());
        let digest = mod_digest(&manifest_text, &files);
        Self { manifest, manifest_text, files, translations, digest, origin }
    }

    /// The same mod with new texts for some scripts.
    pub fn with_changed_scripts(&self, texts: BTreeMap<String, FileText>) -> Self {
        let mut updated = self.clone();
        if !texts.is_empty() {
            updated.files.extend(texts);
            updated.digest = mod_digest(&updated.manifest_text, &updated.files);
        }
        updated
    }

    /// The id of the mod.
    pub fn id(&self) -> &str {
        &self.manifest.id
    }

    /// The scripts that are run at load, in load order: `kinds/` first, then by path. `lib/` is
    /// only for `require`.
    pub fn scripts_in_load_order(&self) -> impl Iterator<Item = (&str, &FileText)> {
        let scripts_of = |kinds: bool| {
            self.files.iter().filter(move |(path, _)| {
                path.starts_with("kinds/") == kinds && !path.starts_with("lib/")
            })
        };
        scripts_of(true).chain(scripts_of(false)).map(|(path, text)| (path.as_str(), text))
    }

    /// Serializes the mod as one text, which [`ModSource::deserialize_from_store`] reads.
    pub fn serialize_for_store(&self) -> String {
        let files = self.files.iter().map(|(path, text)| (path.as_str(), &**text)).collect();
        let stored = StoredMod { manifest: &*self.manifest_text, files };
        serde_json::to_string(&stored).expect("texts always have a JSON text")
    }

    /// Reads what [`ModSource::serialize_for_store`] wrote. The digest is computed from the
    /// content; the caller compares it with the expected one.
    pub fn deserialize_from_store(stored: &str) -> Result<Self, Vec<Problem>> {
        let stored: StoredMod<String> = serde_json::from_str(stored).map_err(|why| {
            vec![
                Problem::error(Code::BadStore, format!("stored content cannot be read: {why}"))
                    .expected("a mod as this program stores it"),
            ]
        })?;
        let manifest = Manifest::parse("stored content", &stored.manifest)?;
        let files = stored
            .files
            .into_iter()
            .map(|(path, text)| (path, reuse_embedded_text(text)))
            .collect();
        Ok(Self::new(manifest, stored.manifest.into(), files, ModOrigin::ContentStore))
    }

    /// The source location of a word under a key of the manifest, as closely as it can be found.
    pub fn manifest_location(&self, key: &str, word: &str) -> SourceLocation {
        let lines = || self.manifest_text.lines().enumerate();
        let place = |(index, line): (usize, &str)| {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            SourceLocation::new(self.id(), MANIFEST_FILE_NAME, number)
                .with_excerpt(text::strip_unprintable(line))
        };
        let starts_with_key =
            |line: &str| line.trim_start().trim_start_matches('[').starts_with(key);
        let key_line = lines().position(|(_, line)| starts_with_key(line)).unwrap_or(0);
        let found = lines().skip(key_line).find(|(_, line)| line.contains(word));
        found.map(place).unwrap_or_else(|| SourceLocation::new(self.id(), MANIFEST_FILE_NAME, 0))
    }
}
