//! The test helpers that the fuzz targets share.

#[path = "../support/mod_builder.rs"]
mod mod_builder;
#[path = "../support/random_source.rs"]
mod random_source;

pub use mod_builder::{GAME_MANIFEST, manifest_needing, mod_from_text};
pub use random_source::RandomSource;

/// No time limit here: libFuzzer has a limit for a whole input.
pub fn thread_time_ms() -> u64 {
    0
}
