//! The player account: the player's data at the end of a run, against which achievements are
//! evaluated.

use base::Value;

/// The data of a player when a run ends.
#[derive(Clone, Debug)]
pub struct PlayerAccount {
    /// The stored data of the game in the profile.
    pub stored_award_data: Value,
    /// The current day, `2026-11-21`.
    pub today: String,
}
