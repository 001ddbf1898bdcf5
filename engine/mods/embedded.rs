//! The base game inside the program.

use super::source::ModSource;

/// The mods inside the program.
pub fn embedded() -> Vec<ModSource> {
    Vec::new()
}
