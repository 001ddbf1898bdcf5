//! Putting a folder in the place of another, or taking one away, in the folder where a player's mods lie.
//! What is new is written whole beside it, under a name that nobody reads; then names are changed. So
//! whoever stops half way, by a key, a full disk or a plug, finds everything as it was: at once, or when
//! the next is put there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::kit::fault::planted;
use crate::mods::PUT_ASIDE;
use crate::workshop::watch::Watch;

/// The folder where a player's mods lie, and one mod in it.
pub(super) struct Lot {
    mods: PathBuf,
    id: String,
}

impl Lot {
    /// The lot of the mod of that id. What an earlier try left there is put right first, so that what is
    /// looked at next is what there was.
    pub(super) fn open(mods: &Path, id: &str) -> io::Result<Self> {
        let lot = Self { mods: mods.to_owned(), id: id.to_owned() };
        for ending in ["", ".zip"] {
            let old = lot.old(ending);
            if fs::symlink_metadata(&old).is_err() {
                continue;
            }
            match fs::symlink_metadata(lot.place()) {
                // It was put aside for something that never came.
                Err(_) => fs::rename(&old, mods.join(format!("{id}{ending}")))?,
                Ok(_) => clear(&old)?,
            }
        }
        clear(&lot.new_one())?;
        Ok(lot)
    }

    /// Where the mod lies, or is to.
    pub(super) fn place(&self) -> PathBuf {
        self.mods.join(&self.id)
    }

    /// Where it lies until it is whole.
    pub(super) fn new_one(&self) -> PathBuf {
        self.mods.join(format!(".new-{}", self.id))
    }

    fn old(&self, ending: &str) -> PathBuf {
        self.mods.join(format!("{PUT_ASIDE}{}{ending}", self.id))
    }

    /// Writes the files beside the place; false if it was told to stop. What is written is cleared away
    /// again by [`Lot::leave`].
    pub(super) fn lay(&self, files: &BTreeMap<String, Vec<u8>>, watch: &Watch) -> io::Result<bool> {
        fs::create_dir_all(&self.mods)?;
        fs::create_dir(self.new_one())?;
        for (path, bytes) in files {
            let file = self.new_one().join(path);
            file.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut file = File::create_new(file)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            while planted("busy_installing") && !watch.stopped() {
                std::thread::yield_now();
            }
            if watch.stopped() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts what was laid down in its place; what lay at `old` goes.
    pub(super) fn swap(&self, old: Option<&Path>) -> io::Result<()> {
        let aside = self.old(if old.is_some_and(Path::is_file) { ".zip" } else { "" });
        if let Some(old) = old {
            fs::rename(old, &aside)?;
        }
        if let Err(why) = fs::rename(self.new_one(), self.place()) {
            // Back as it was; if not even that can be done, the next try does it.
            if let Some(old) = old {
                fs::rename(&aside, old)?;
            }
            return Err(why);
        }
        // It is in its place: what cannot be cleared away is no reason to say otherwise.
        let _ = clear(&aside);
        Ok(())
    }

    /// Takes what lies at `old` away.
    pub(super) fn take_away(&self, old: &Path) -> io::Result<()> {
        let aside = self.mods.join(format!(".gone-{}", self.id));
        clear(&aside)?;
        fs::rename(old, &aside)?;
        let _ = clear(&aside);
        Ok(())
    }

    /// Clears away what was laid down and is not to stay.
    pub(super) fn leave(&self) {
        let _ = clear(&self.new_one());
    }
}

/// Removes whatever lies at a path, if anything does; a link itself, and not what it leads to.
fn clear(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}
