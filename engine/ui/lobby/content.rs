//! The content of a start, as its command line and the player's profile ask for it.

use super::Setup;
use crate::run::{Gathered, Wanted, gather};
use crate::save::Profile;

pub(super) use crate::run::Unfit as Wrong;

/// The content for a start with a VM loaded from it.
pub(super) fn load(setup: &Setup, profile: &Profile) -> Result<Gathered, Wrong> {
    let game = setup.game.as_deref();
    gather(Wanted { places: &setup.places, game, with: &setup.with }, profile)
}
