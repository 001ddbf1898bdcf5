//! The laboratory: commands that play many runs. They simulate, explore and mutate games for their
//! authors. The program can be built without it.

mod automatic_run;
mod command;
mod explore;
mod live_request;
mod live_work;
mod mutate;
pub mod simulate;

pub use command::LabCommand;
pub use live_request::start_live_work;
pub use live_work::LiveWork;
