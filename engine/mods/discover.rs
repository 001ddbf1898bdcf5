//! Where mods are found.

use std::path::PathBuf;

use super::source::ModSource;
use crate::kit::Problem;

/// Where to look for mods; the embedded base game comes last by itself.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Folders named by hand (`--mods`): each either a mod itself or a folder of mods.
    pub extra: Vec<PathBuf>,
    /// The project: its `base_game/` and the mods in its `mods/`.
    pub project: Option<PathBuf>,
    /// The user's data folder: the mods in its `mods/`.
    pub user: Option<PathBuf>,
}

/// All mods that are found, by id; of two with one id the one found first. Beside them what was
/// wrong with others: a mod that cannot be read stops nothing by itself.
pub fn discover(places: &Places) -> (Vec<ModSource>, Vec<Problem>) {
    let _ = places;
    (Vec::new(), Vec::new())
}
