//! Reload: content is exchanged under a run, or kept where the new one is no good.

mod aside;
mod console;
mod disabled;
mod files;
mod first_mod;
mod four_mods;
pub mod house;
mod known;
mod mods;
mod swap;
pub mod table;
mod versions;
