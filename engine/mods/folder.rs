//! Reading a mod's folder.

use std::path::Path;

use super::source::ModSource;
use crate::kit::Problem;

/// Reads the mod in a folder.
pub fn read_folder(folder: &Path) -> Result<ModSource, Vec<Problem>> {
    Err(vec![Problem::error("bad-folder", format!("{} cannot be read yet", folder.display()))])
}
