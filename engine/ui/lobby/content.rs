//! The content of a start, as its command line and the player's profile ask for it.

use super::Setup;
use crate::kit::Problem;
use crate::run::{Content, Gathered, Wanted, gather};
use crate::save::Profile;
use crate::script::Vm;

pub(super) use crate::run::Unfit as Wrong;

/// The content for a start with a VM loaded from it, and what there is to warn of.
pub(super) fn load(setup: &Setup, profile: &Profile) -> Result<(Content, Vm, Vec<Problem>), Wrong> {
    let game = setup.game.as_deref();
    let wanted = Wanted { places: &setup.places, game, with: &setup.with };
    let Gathered { content, vm, warnings } = gather(wanted, profile)?;
    Ok((content, vm, warnings))
}
