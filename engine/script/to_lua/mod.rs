//! Calls of script functions, one file per topic: the start of a run, prompts, views, answers,
//! pages. Each lends the world for the call and always returns it; none rolls anything back.

mod achievement;
mod act;
mod agenda;
mod bot;
mod call;
mod console;
mod lint;
mod migrate;
mod option;
mod page;
mod prompt;
mod shown;
mod start;
mod view;

pub use bot::Seen;
pub use migrate::Risen;
