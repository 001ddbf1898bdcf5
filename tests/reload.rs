//! Reload: content is exchanged under a run, or kept where the new one is no good.

mod aside;
mod console;
mod files;
mod first_mod;
mod four_mods;
mod house;
mod known;
mod mods;
mod swap;
mod table;
