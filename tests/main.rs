//! The one test binary: behaviour, told by topic.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod dice;
mod floors;
mod state;
mod ui;
