//! The one test binary: behaviour, told by topic.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

/// What the program itself is run with: what a test says of memory is then so of the program.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod asking;
mod authors;
mod bots;
mod bundled;
mod cases;
mod clashes;
mod cli;
mod command_line;
mod content;
mod determinism;
mod dice;
mod duel;
mod examples;
mod explore;
mod exports;
mod floors;
mod held;
mod hints;
mod looks;
mod mirrors;
mod mods;
mod mods_limits;
mod mutate;
mod pages;
mod pairs;
mod parts;
mod problem_codes;
mod recipes;
mod reload;
mod reported;
mod reworded;
mod rules;
mod runs;
mod save;
mod seal;
mod session;
mod sharing;
mod simulate;
mod sovereign;
mod state;
mod state_outside;
mod support;
mod table;
mod terminal;
mod told_whole;
mod trial;
mod trust;
mod tuning;
mod ui;
mod values;
mod voice;
mod whole_game;
mod words_of_games;
mod workshop_api;
mod workshop_check;
mod workshop_cli;
mod workshop_lints;
mod workshop_mods;
mod workshop_new;
mod workshop_why;
mod world;
