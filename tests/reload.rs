//! Reload: content is exchanged under a run, or kept where the new one is no good.

mod cached_files;
mod console;
mod content_swap;
mod disabled;
mod failed_hooks;
mod files;
mod first_mod;
mod four_mods;
pub mod harness;
pub mod live_session;
mod mods;
mod versions;
