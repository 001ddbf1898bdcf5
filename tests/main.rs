//! The test binary: tests of behaviour, one module per topic.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

/// The allocator of the program itself, so that memory tests measure the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod author_api;
mod author_calls;
mod author_check;
mod author_cli;
mod author_lints;
mod author_mods;
mod author_new;
mod author_reports;
mod author_tables;
mod author_why;
mod bots;
mod bundled;
mod cli;
mod command_line;
mod conflicts;
mod determinism;
mod doc_links;
mod editor_files;
mod examples;
mod explore;
mod exports;
mod hidden_state;
mod hints;
mod library_docs;
mod menu;
mod mirrors;
mod mod_limits;
mod mod_pairs;
mod mods;
mod mutate;
mod packages;
mod problem_codes;
mod queued_prompts;
mod recipes;
mod reload;
mod retired_names;
mod rule_cases;
mod rules;
mod ruleset_neutrality;
mod runs;
mod sandbox;
mod save;
mod script_play;
mod second_game;
mod session;
mod simulate;
mod source_rules;
mod sovereign;
mod strict;
mod support;
mod terminal;
mod test_command;
mod text_concatenation;
mod text_overrides;
mod trust;
mod tuning;
mod ui;
mod user_reports;
mod value_conversions;
mod views_and_facts;
mod whole_game;
mod world;
