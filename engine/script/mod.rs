//! Lua, and the only room that knows it: a sealed VM, its limits, and the two directions of
//! calls. `from_lua/` holds what scripts call, `to_lua/` what calls scripts, one file per topic.
//! Nothing of Lua leaves this room: what comes out is plain data, prompts, views and Problems.

mod blocks;
mod bytecode;
mod call_scope;
mod code;
mod compile;
mod compiler;
mod declaration_cache;
mod definition_tables;
mod definitions;
mod disabled;
mod environment;
mod error;
mod freeze;
mod from_lua;
mod fuel;
mod function_handles;
mod functions;
mod guards;
mod handler_cache;
mod hook_table;
mod host;
mod interrupt;
mod keys;
mod load;
mod missing_names;
mod phase;
mod plain;
mod proxy;
mod read_prompt;
mod read_view;
mod rigour;
mod row;
mod sandbox;
mod scan;
mod shape;
mod sources;
mod spenders;
mod syntax;
mod to_lua;
mod tombstone;
mod trace;
mod value_ref;
mod vm;
mod words;

pub use disabled::{Aside, Blamed};
pub use environment::Exported;
pub use fuel::Spent;
pub use phase::When;
pub use row::Row;
pub use syntax::syntax;
pub use to_lua::{Risen, Seen};
pub use trace::{LineCounts, Reached};
pub use vm::{HookLine, LIBRARY, Settings, TYPES, Vm, surface};
