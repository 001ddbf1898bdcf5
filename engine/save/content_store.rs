//! The content store: the content of every mod version that a run used, once, by digest. An old run
//! can be resumed or watched after its mods have changed.

use std::collections::BTreeSet;

use super::data_dir::DataDir;
use super::disk::replace_file;
use super::entry::ModVersion;
use super::io_error::{IoContext, file_location};
use base::{Code, Digest, Problem};
use mods::{ModSet, ModSource, StoredModDiff};

/// The maximum number of missing mods that are reported for a run.
const MAX_REPORTED_MISSING_MODS: usize = 20;
/// The maximum size of a stored mod.
const MAX_CONTENT_BYTES: u64 = 256 * 1024 * 1024;

impl DataDir {
    /// Stores the content of a mod, if it is not stored yet.
    pub fn store_content(&self, source: &ModSource) -> Result<(), Problem> {
        let path = self.content_path(source.digest);
        let text = source.serialize_for_store();
        // An older version may have written the same content differently.
        if self
            .disk()
            .read_file(&path, MAX_CONTENT_BYTES)
            .is_ok_and(|stored| stored == text.as_bytes())
            || self.read_stored_content(source.digest).is_ok()
        {
            return Ok(());
        }
        self.write_content(source, &text)
    }

    /// The same for a mod with a stored earlier version: stores only the differences if they are
    /// less than half of its size. The base is always a full version, so that there are no chains
    /// of diffs.
    pub fn store_content_diff(
        &self,
        source: &ModSource,
        earlier: &ModSource,
    ) -> Result<(), Problem> {
        if self.read_stored_content(source.digest).is_ok() {
            return Ok(());
        }
        let base = match self
            .read_stored_text(earlier.digest)
            .ok()
            .map(|text| StoredModDiff::deserialize_from_store(&text))
        {
            Some(Some(change)) => self.read_stored_content(change.base_digest).ok(),
            Some(None) => Some(earlier.clone()),
            None => None,
        };
        let full_text = source.serialize_for_store();
        let diff =
            base.map(|base| StoredModDiff::diff_from_base(&base, source).serialize_for_store());
        match diff.filter(|change| change.len() < full_text.len() / 2) {
            Some(change) => self.write_content(source, &change),
            None => self.write_content(source, &full_text),
        }
    }

    fn write_content(&self, source: &ModSource, text: &str) -> Result<(), Problem> {
        let path = self.content_path(source.digest);
        let doing = format!("store the content of the mod \"{}\"", source.id());
        self.create_folder(&self.content_folder())?;
        if self.disk().exists(&path).with_context(&doing, &path)? {
            // The existing file has other content, so it is damaged; it is kept under another name.
            let backup_path = self.find_free_backup_path(&path)?;
            self.disk().rename(&path, &backup_path).with_context(&doing, &backup_path)?;
        }
        replace_file(self.disk(), &path, text.as_bytes()).with_context(&doing, &path)
    }

    /// Stores the content of all mods, and returns their versions for a journal.
    pub fn store_mods(&self, mods: &ModSet) -> Result<Vec<ModVersion>, Problem> {
        mods.mods.iter().try_for_each(|source| self.store_content(source))?;
        Ok(ModVersion::from_mod_set(mods))
    }

    /// The content with that digest: the stored copy or, if that is missing or damaged, a copy from
    /// the fallback sources.
    pub fn load_content_or_fallback(&self, digest: Digest) -> Result<ModSource, Problem> {
        self.read_stored_content(digest)
            .or_else(|problem| self.restore_from_fallback(digest, &problem).ok_or(problem))
    }

    fn read_stored_content(&self, digest: Digest) -> Result<ModSource, Problem> {
        let text = self.read_stored_text(digest)?;
        let parse = |text: &str| {
            ModSource::deserialize_from_store(text).map_err(|problems| {
                let why = problems.first().map_or("", |problem| &problem.message);
                self.damaged_content_problem(digest, why.to_owned())
            })
        };
        let source = match StoredModDiff::deserialize_from_store(&text) {
            None => parse(&text)?,
            Some(change) => {
                // The base of a diff is stored in full, or comes from the fallback sources.
                let load_full = |digest| parse(&self.read_stored_text(digest)?);
                let base = load_full(change.base_digest).or_else(|why| {
                    self.restore_from_fallback(change.base_digest, &why).ok_or(why)
                })?;
                let applied = change.apply_to_base(&base);
                applied.map_err(|_| {
                    self.damaged_content_problem(
                        digest,
                        "its differences do not give a valid mod".to_owned(),
                    )
                })?
            }
        };
        if source.digest != digest {
            let found = format!("its digest is {}", source.digest);
            let problem = self.damaged_content_problem(digest, found);
            return Err(problem.expected(format!("content with the digest {digest}")));
        }
        Ok(source)
    }

    fn read_stored_text(&self, digest: Digest) -> Result<String, Problem> {
        let path = self.content_path(digest);
        if !self.disk().exists(&path).with_context("look for the stored content", &path)? {
            let message = "the content of the mod is not stored".to_owned();
            return Err(self.unusable_content_problem(digest, Code::ContentMissing, message));
        }
        let bytes = self
            .disk()
            .read_file(&path, MAX_CONTENT_BYTES)
            .with_context("read the stored content", &path)?;
        String::from_utf8(bytes)
            .map_err(|_| self.damaged_content_problem(digest, "not valid UTF-8".to_owned()))
    }

    fn damaged_content_problem(&self, digest: Digest, what: String) -> Problem {
        let found = format!("the stored content cannot be used: {what}");
        self.unusable_content_problem(digest, Code::ContentDamaged, found)
    }

    fn unusable_content_problem(&self, digest: Digest, code: Code, message: String) -> Problem {
        Problem::error(code, message)
            .at(file_location(&self.content_path(digest), 0))
            .hint("runs that used it need it; restore the file, or install that version of the mod")
    }

    /// The stored content of the mods of a run, in order.
    pub fn load_stored_mods(
        &self,
        mod_versions: &[ModVersion],
    ) -> Result<Vec<ModSource>, Vec<Problem>> {
        let (mut sources, mut problems) = (Vec::new(), Vec::new());
        let digests: BTreeSet<Digest> =
            mod_versions.iter().map(|mod_version| mod_version.digest).collect();
        if digests.len() < mod_versions.len() {
            let found = "the journal of the run lists a mod twice";
            let problem = Problem::error(Code::JournalDamaged, found).expected("each mod once");
            return Err(vec![problem.hint("the game does not write such a run; start another")]);
        }
        for mod_version in mod_versions {
            if problems.len() == MAX_REPORTED_MISSING_MODS {
                // Each missing mod costs a search of all fallback sources.
                break;
            }
            match self.load_content_or_fallback(mod_version.digest) {
                Ok(source) => sources.push(source),
                Err(problem) => {
                    let message =
                        format!("{} {}: {}", mod_version.id, mod_version.version, problem.message);
                    problems.push(Problem { message, ..problem });
                }
            }
        }
        if problems.is_empty() { Ok(sources) } else { Err(problems) }
    }
}
