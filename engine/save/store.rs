//! The content store: every mod that a run was ever made on, once, by digest. So an old run can be
//! played on, or watched, after its mods have changed.

use std::collections::BTreeSet;

use super::data_dir::DataDir;
use super::disk::replace;
use super::entry::ModMark;
use super::trouble::{Telling, place};
use crate::kit::{Digest, Problem};
use crate::mods::{ModSet, ModSource, StoredChange};

/// Most mods of a run that are looked for in vain.
const MISSING_TOLD: usize = 20;
/// Most bytes of a kept mod.
const CONTENT_BYTES: u64 = 256 * 1024 * 1024;

impl DataDir {
    /// Keeps the content of a mod, if it is not kept already.
    pub fn store_content(&self, source: &ModSource) -> Result<(), Problem> {
        let path = self.content(source.digest);
        let text = source.to_store();
        // What an older program wrote may be written in another way.
        if self.disk().read(&path, CONTENT_BYTES).is_ok_and(|kept| kept == text.as_bytes())
            || self.kept_content(source.digest).is_ok()
        {
            return Ok(());
        }
        self.put_content(source, &text)
    }

    /// The same for a mod of which an earlier version is kept: no more than what changed, where that is
    /// less than half of it. What it is held against is kept whole, so that no chain comes of many changes.
    pub fn store_change(&self, source: &ModSource, earlier: &ModSource) -> Result<(), Problem> {
        if self.kept_content(source.digest).is_ok() {
            return Ok(());
        }
        let base =
            match self.kept_text(earlier.digest).ok().map(|text| StoredChange::from_store(&text)) {
                Some(Some(change)) => self.kept_content(change.base).ok(),
                Some(None) => Some(earlier.clone()),
                None => None,
            };
        let whole = source.to_store();
        let change = base.map(|base| StoredChange::between(&base, source).to_store());
        match change.filter(|change| change.len() < whole.len() / 2) {
            Some(change) => self.put_content(source, &change),
            None => self.put_content(source, &whole),
        }
    }

    fn put_content(&self, source: &ModSource, text: &str) -> Result<(), Problem> {
        let path = self.content(source.digest);
        let doing = format!("keep the content of the mod \"{}\"", source.id());
        self.make_folder(&self.contents())?;
        if self.disk().exists(&path).telling(&doing, &path)? {
            // Something else lies under its digest: damaged, and kept as all damaged files are.
            let aside = self.free_name(&path)?;
            self.disk().rename(&path, &aside).telling(&doing, &aside)?;
        }
        replace(self.disk(), &path, text.as_bytes()).telling(&doing, &path)
    }

    /// Keeps the content of all mods, and gives the marks that a journal names them by.
    pub fn store_mods(&self, mods: &ModSet) -> Result<Vec<ModMark>, Problem> {
        mods.mods.iter().try_for_each(|source| self.store_content(source))?;
        Ok(ModMark::all(mods))
    }

    /// The content of that digest: what was kept or, where that is gone or damaged, the same from
    /// wherever it is at hand.
    pub fn load_content(&self, digest: Digest) -> Result<ModSource, Problem> {
        self.kept_content(digest)
            .or_else(|problem| self.content_at_hand(digest, &problem).ok_or(problem))
    }

    fn kept_content(&self, digest: Digest) -> Result<ModSource, Problem> {
        let text = self.kept_text(digest)?;
        let read = |text: &str| {
            ModSource::from_store(text).map_err(|problems| {
                let why = problems.first().map_or("", |problem| &problem.message);
                self.damaged(digest, why.to_owned())
            })
        };
        let source = match StoredChange::from_store(&text) {
            None => read(&text)?,
            Some(change) => {
                // What a change is held against is whole, or at hand elsewhere.
                let whole = |digest| read(&self.kept_text(digest)?);
                let base = whole(change.base)
                    .or_else(|why| self.content_at_hand(change.base, &why).ok_or(why))?;
                let upon = change.upon(&base);
                upon.map_err(|_| {
                    self.damaged(digest, "what changed in it makes no mod".to_owned())
                })?
            }
        };
        if source.digest != digest {
            let found = format!("its digest is {}", source.digest);
            let problem = self.damaged(digest, found);
            return Err(problem.expected(format!("content with the digest {digest}")));
        }
        Ok(source)
    }

    fn kept_text(&self, digest: Digest) -> Result<String, Problem> {
        let path = self.content(digest);
        if !self.disk().exists(&path).telling("look for the kept content", &path)? {
            let message = "the content of the mod is not among what was kept".to_owned();
            return Err(self.unusable(digest, "content-missing", message));
        }
        let bytes =
            self.disk().read(&path, CONTENT_BYTES).telling("read the kept content", &path)?;
        String::from_utf8(bytes).map_err(|_| self.damaged(digest, "not valid UTF-8".to_owned()))
    }

    fn damaged(&self, digest: Digest, what: String) -> Problem {
        let found = format!("the kept content cannot be used: {what}");
        self.unusable(digest, "content-damaged", found)
    }

    fn unusable(&self, digest: Digest, code: &str, message: String) -> Problem {
        Problem::error(code, message)
            .at(place(&self.content(digest), 0))
            .hint("runs made on it need it; put back the file, or the mod in that version")
    }

    /// The kept content of the mods of a run, in its order.
    pub fn load_mods(&self, marks: &[ModMark]) -> Result<Vec<ModSource>, Vec<Problem>> {
        let (mut sources, mut problems) = (Vec::new(), Vec::new());
        let digests: BTreeSet<Digest> = marks.iter().map(|mark| mark.digest).collect();
        if digests.len() < marks.len() {
            let found =
                format!("the run names {} mods, {} of them different", marks.len(), digests.len());
            let problem = Problem::error("two-of-one-id", found).expected("each mod once");
            return Err(vec![problem.hint("no run is written so; begin another")]);
        }
        for mark in marks {
            if problems.len() == MISSING_TOLD {
                // Each that is missing is looked for in every place there is.
                break;
            }
            match self.load_content(mark.digest) {
                Ok(source) => sources.push(source),
                Err(problem) => {
                    let message = format!("{} {}: {}", mark.id, mark.version, problem.message);
                    problems.push(Problem { message, ..problem });
                }
            }
        }
        if problems.is_empty() { Ok(sources) } else { Err(problems) }
    }
}
