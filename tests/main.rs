//! The one test binary: behaviour, told by topic.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod content;
mod dice;
mod floors;
mod mods;
mod bundled;
mod dice;
mod floors;
mod runs;
mod state;
mod ui;
mod world;
