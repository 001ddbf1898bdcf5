//! The laboratory: commands that play many runs. They simulate, explore and mutate games for their
//! authors. The program can be built without it.

mod automatic_run;
mod command;
mod explore;
mod mutate;
pub mod simulate;

pub use command::LabCommand;
