//! The protocol between game and player (prompts, views, story events, inputs), and the world that
//! a step changes. Plain data with a documented format: scripts produce it, frontends display it,
//! the journal records it.

pub mod agenda;
pub mod award;
pub mod compat;
pub mod event;
pub mod gone;
pub mod group;
pub mod input;
pub mod open_roll;
pub mod prompt;
pub mod view;
pub mod world;

pub use compat::Edition;
pub use event::{Event, Past};
pub use group::Group;
pub use input::Input;
pub use prompt::{Ask, Choice, Odds, Prompt};
pub use view::View;
pub use world::{Snapshot, World, WorldMark};
