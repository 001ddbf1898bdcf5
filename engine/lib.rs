//! The engine: a slim host for games written in Luau.
//!
//! It owns the dice, the state, the transaction of a step and the save format. It names no rule
//! and no content. The rooms are listed lowest floor first; a room uses only rooms of floors
//! below its own (a test reads this list and the imports and holds them to it).

// floor 0: words that everything shares; no game, no Lua, no disk
pub mod kit;

// floor 1: chance and memory
pub mod dice;
pub mod state;

// floor 2: what is written by authors, and what passes between a game and its player
pub mod content;
pub mod mods;
pub mod play;

// floor 3: Luau by itself, and all that is `unsafe`: it knows no world and no game
pub mod luau;

// floor 4: what scripts call, and what calls scripts; with `luau` the only room that knows Lua
pub mod script;

// floor 5: the only room that writes runs and profiles to disk
pub mod save;

// floor 6: a session: steps, resuming, replaying
pub mod run;

// floor 7: what faces a person
pub mod ui;

// floor 8: what a person runs who writes mods; its scripted runs read as they do in plain
pub mod workshop;
