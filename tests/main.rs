//! The one test binary: behaviour, told by topic.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod bots;
mod bundled;
mod cli;
mod content;
mod determinism;
mod dice;
mod duel;
mod explore;
mod floors;
mod mods;
mod pairs;
mod problem_codes;
mod reload;
mod rules;
mod runs;
mod save;
mod seal;
mod session;
mod simulate;
mod state;
mod support;
mod table;
mod terminal;
mod trial;
mod ui;
mod voice;
mod words_of_games;
mod workshop_api;
mod workshop_check;
mod workshop_cli;
mod workshop_lints;
mod workshop_mods;
mod workshop_new;
mod workshop_why;
mod world;
