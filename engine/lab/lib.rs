//! The laboratory: commands that play many runs. They simulate, explore and mutate games for their
//! authors. The program can be built without it.

mod automatic_run;
pub mod explore;
pub mod mutate;
pub mod simulate;
