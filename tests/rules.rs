//! The rules of Sub Rosa, row by row (`docs/games/sub_rosa.md`). Numbers are compared with
//! independent calculations over whole ranges; whole descents run in the VM.

mod counts;
mod descents;
mod effects;
mod leak;
mod ledger;
mod maps;
mod oracle;
mod place_knowledge;
mod scenarios;
mod scene;
mod secret;
mod unlocks;

pub mod harness;
mod items;
mod odds_player;
mod standing;
mod words;
