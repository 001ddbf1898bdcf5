//! Replaces or removes a folder in the player's mods folder, atomically. New files are written
//! beside it under a hidden name, then folders are renamed. If this is interrupted by a signal, a
//! full disk or a power cut, the old state is restored, at once or at the next attempt.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::author::progress::Progress;
use crate::base::fault::planted;
use crate::mods::REPLACED_MOD_PREFIX;

/// The player's mods folder, and one mod in it.
pub(super) struct ModSlot {
    mods: PathBuf,
    id: String,
}

impl ModSlot {
    /// Opens the slot of a mod. What an interrupted attempt left is repaired first.
    pub(super) fn open(mods: &Path, id: &str) -> io::Result<Self> {
        let lot = Self { mods: mods.to_owned(), id: id.to_owned() };
        for ending in ["", ".zip"] {
            let old = lot.old_path(ending);
            if fs::symlink_metadata(&old).is_err() {
                continue;
            }
            match fs::symlink_metadata(lot.target()) {
                // It was moved away for a new one that never came.
                Err(_) => fs::rename(&old, mods.join(format!("{id}{ending}")))?,
                Ok(_) => remove_path(&old)?,
            }
        }
        remove_path(&lot.new_path())?;
        Ok(lot)
    }

    /// The folder of the mod.
    pub(super) fn target(&self) -> PathBuf {
        self.mods.join(&self.id)
    }

    /// The folder of the new files until it is complete.
    pub(super) fn new_path(&self) -> PathBuf {
        self.mods.join(format!(".new-{}", self.id))
    }

    fn old_path(&self, ending: &str) -> PathBuf {
        self.mods.join(format!("{REPLACED_MOD_PREFIX}{}{ending}", self.id))
    }

    /// Writes the files beside the folder; false if it was told to stop. [`ModSlot::clean_up`] removes
    /// them again.
    pub(super) fn write_new(
        &self,
        files: &BTreeMap<String, Vec<u8>>,
        watch: &Progress,
    ) -> io::Result<bool> {
        fs::create_dir_all(&self.mods)?;
        fs::create_dir(self.new_path())?;
        for (path, bytes) in files {
            let file = self.new_path().join(path);
            file.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut file = File::create_new(file)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            while planted("busy_installing") && !watch.is_stopped() {
                std::thread::yield_now();
            }
            if watch.is_stopped() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Moves the new files into place; the folder `old` is removed.
    pub(super) fn swap_in(&self, old: Option<&Path>) -> io::Result<()> {
        let disabled = self.old_path(if old.is_some_and(Path::is_file) { ".zip" } else { "" });
        if let Some(old) = old {
            fs::rename(old, &disabled)?;
        }
        if let Err(why) = fs::rename(self.new_path(), self.target()) {
            // Move the old one back. If that fails too, the next attempt does it.
            if let Some(old) = old {
                fs::rename(&disabled, old)?;
            }
            return Err(why);
        }
        // The mod is in place; leftover files are no error.
        let _ = remove_path(&disabled);
        Ok(())
    }

    /// Removes the folder `old`.
    pub(super) fn remove_old(&self, old: &Path) -> io::Result<()> {
        let disabled = self.mods.join(format!(".gone-{}", self.id));
        remove_path(&disabled)?;
        fs::rename(old, &disabled)?;
        let _ = remove_path(&disabled);
        Ok(())
    }

    /// Removes new files that are not to stay.
    pub(super) fn clean_up(&self) {
        let _ = remove_path(&self.new_path());
    }
}

/// Removes whatever is at a path; a link itself, not its target.
fn remove_path(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}
