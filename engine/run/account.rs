//! What the player has while a run is played: what its end is reckoned against.

use crate::kit::Value;

/// What the player has when a run ends.
#[derive(Clone, Debug)]
pub struct Account {
    /// What the profile keeps of the game.
    pub kept: Value,
    /// The day, `2026-11-21`.
    pub today: String,
}
