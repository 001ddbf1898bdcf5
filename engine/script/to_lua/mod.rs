//! Calls of script functions, one file per topic: the start of a run, prompts, views, answers,
//! pages. Each lends the world for the call and always returns it; none rolls anything back.

mod achievement;
mod agenda;
mod answer;
mod bot;
mod bot_table;
mod call_support;
mod console;
mod lint;
mod migrate;
mod option;
mod page;
mod prompt;
pub(crate) mod read_prompt;
pub(crate) mod read_view;
pub(crate) mod scene_groups;
mod start;
mod step_ended;
mod view;

pub use bot::BotInput;
pub use migrate::VersionBump;
