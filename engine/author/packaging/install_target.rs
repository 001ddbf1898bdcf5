//! Replaces or removes a folder in the player's mods folder, atomically. New files are written
//! beside it under a hidden name, then folders are renamed. If this is interrupted by a signal, a
//! full disk or a power cut, the old state is restored, at once or at the next attempt.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::progress::Progress;
use mods::REPLACED_MOD_PREFIX;

/// The player's mods folder, and one mod in it.
pub(super) struct InstallTarget {
    mods_folder: PathBuf,
    id: String,
}

impl InstallTarget {
    /// Opens the slot of a mod. What an interrupted attempt left is repaired first.
    pub(super) fn open(mods: &Path, id: &str) -> io::Result<Self> {
        let install_target = Self { mods_folder: mods.to_owned(), id: id.to_owned() };
        for ending in ["", ".zip"] {
            let old = install_target.replaced_mod_path(ending);
            if fs::symlink_metadata(&old).is_err() {
                continue;
            }
            match fs::symlink_metadata(install_target.mod_folder()) {
                // It was moved away for a new one that never came.
                Err(_) => fs::rename(&old, mods.join(format!("{id}{ending}")))?,
                Ok(_) => remove_path(&old)?,
            }
        }
        remove_path(&install_target.staging_folder())?;
        Ok(install_target)
    }

    /// The folder of the mod.
    pub(super) fn mod_folder(&self) -> PathBuf {
        self.mods_folder.join(&self.id)
    }

    /// The folder of the new files until it is complete.
    pub(super) fn staging_folder(&self) -> PathBuf {
        self.mods_folder.join(format!(".new-{}", self.id))
    }

    fn replaced_mod_path(&self, ending: &str) -> PathBuf {
        self.mods_folder.join(format!("{REPLACED_MOD_PREFIX}{}{ending}", self.id))
    }

    /// Writes the files beside the folder; false if it was told to stop.
    /// [`InstallTarget::remove_staging_files`] removes them again.
    pub(super) fn write_staging_files(
        &self,
        files: &BTreeMap<String, Vec<u8>>,
        progress: &Progress,
    ) -> io::Result<bool> {
        fs::create_dir_all(&self.mods_folder)?;
        fs::create_dir(self.staging_folder())?;
        for (path, bytes) in files {
            let file = self.staging_folder().join(path);
            file.parent().map_or(Ok(()), fs::create_dir_all)?;
            let mut file = File::create_new(file)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            if progress.is_stopped() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Moves the new files into place; the folder `old` is removed.
    pub(super) fn replace_installed(&self, old: Option<&Path>) -> io::Result<()> {
        let replaced =
            self.replaced_mod_path(if old.is_some_and(Path::is_file) { ".zip" } else { "" });
        if let Some(old) = old {
            fs::rename(old, &replaced)?;
        }
        if let Err(why) = fs::rename(self.staging_folder(), self.mod_folder()) {
            // Move the old one back. If that fails too, the next attempt does it.
            if let Some(old) = old {
                fs::rename(&replaced, old)?;
            }
            return Err(why);
        }
        // The mod is in place; leftover files are no error.
        let _ = remove_path(&replaced);
        Ok(())
    }

    /// Removes the folder `old`.
    pub(super) fn remove_installed(&self, old: &Path) -> io::Result<()> {
        let removed = self.mods_folder.join(format!(".gone-{}", self.id));
        remove_path(&removed)?;
        fs::rename(old, &removed)?;
        let _ = remove_path(&removed);
        Ok(())
    }

    /// Removes new files that are not to stay.
    pub(super) fn remove_staging_files(&self) {
        let _ = remove_path(&self.staging_folder());
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
