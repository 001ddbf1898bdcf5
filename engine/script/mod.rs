//! Lua, and the only room that knows it: a sealed VM, its limits, and the two directions of
//! calls. `from_lua/` holds what scripts call, `to_lua/` what calls scripts, one file per topic.
//! Nothing of Lua leaves this room: what comes out is plain data, prompts, views and Problems.

mod absent;
mod aside;
mod asked;
mod bytecode;
mod compiler;
mod convert;
mod environment;
mod fault;
mod freeze;
mod from_lua;
mod fuel;
mod glance;
mod host;
mod kept;
mod known;
mod load;
mod look;
mod moment;
mod proxy;
mod raw;
mod read_prompt;
mod read_view;
mod sandbox;
mod scan;
mod shape;
mod shelf;
mod sources;
mod spenders;
mod surface;
mod syntax;
mod to_lua;
mod tombstone;
mod trace;
mod turn;
mod vm;

pub use aside::{Aside, Blamed};
pub use fuel::Spent;
pub use surface::{Exported, LIBRARY, Named, SURFACE, TYPES, When};
pub use syntax::syntax;
pub use to_lua::{Risen, Seen};
pub use trace::Reached;
pub use vm::{HookLine, Settings, Vm};
