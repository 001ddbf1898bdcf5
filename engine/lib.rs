//! The engine: a slim host for games written in Luau.
//!
//! It owns the dice, the state, the transaction of a step and the save format. It knows no rule
//! and no content of a game. The modules are listed lowest floor first. A module uses only modules
//! of lower floors; a test reads this list and checks the imports.

// floor 0: shared basics; knows no game, no Lua, no disk
pub mod base;

// floor 1: random numbers and the state of a run
pub mod dice;
pub mod state;

// floor 2: the authors' content, and the protocol between a game and its player
pub mod content;
pub mod mods;
pub mod protocol;

// floor 3: bindings to Luau with all `unsafe` code; knows no state and no game
pub mod luau;

// floor 4: host functions and calls of scripts; only this module and `luau` know Lua
pub mod script;

// floor 5: saves; the only module that writes runs and profiles to disk
pub mod save;

// floor 6: a session: steps, resuming, replaying
pub mod session;

// floor 7: user interfaces
pub mod ui;

// floor 8: commands for mod authors; their automatic runs use the plain text frontend
pub mod author;
