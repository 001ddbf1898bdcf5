//! Reload replaces the content of a run, or keeps the old content if the new one is broken.

mod cached_files;
mod console;
mod content_swap;
mod disabled;
mod failed_hooks;
mod failure_causes;
mod files;
mod first_mod;
mod four_mods;
pub mod harness;
pub mod live_session;
mod mods;
mod versions;
