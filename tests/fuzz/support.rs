//! The test helpers that the fuzz targets share.

#[path = "../support/random_source.rs"]
mod chance;
#[path = "../support/mod_builder.rs"]
mod made;

pub use chance::Chance;
pub use made::{GAME, mod_of, needing};

/// No time limit here: libFuzzer has a limit for a whole input.
pub fn thread_ms() -> u64 {
    0
}
