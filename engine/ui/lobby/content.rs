//! Finding, choosing and loading the content of a start.

use super::Setup;
use crate::kit::{Problem, Severity};
use crate::mods::{choose, discover, load_order};
use crate::run::Content;
use crate::save::Profile;
use crate::script::Vm;

/// Why there is no content.
pub(super) enum Wrong {
    /// The command line asks for what there is not.
    Usage(Vec<Problem>),
    /// Something is wrong with the mods.
    Mods(Vec<Problem>),
}

/// Problems that only another command line can mend.
const OF_USAGE: [&str; 5] = ["no-such-mod", "not-a-game", "which-game", "no-folder", "no-game"];

/// The content for a start with a VM loaded from it, and what there is to warn of.
pub(super) fn load(setup: &Setup, profile: &Profile) -> Result<(Content, Vm, Vec<Problem>), Wrong> {
    let (found, mut problems) = discover(&setup.places);
    let game = setup.game.as_deref();
    // Which mods are on is kept for each game, so that the game is chosen first.
    let (alone, wrong) = choose(found.clone(), game, &[]);
    let Some(id) =
        alone.iter().find(|source| source.manifest.game).map(|game| game.id().to_owned())
    else {
        problems.extend(wrong);
        return Err(sorted(problems));
    };
    let kept = profile.game(&id);
    let mut on = kept.mods_on.clone();
    on.extend(setup.with.iter().filter(|id| !kept.mods_on.contains(id)).cloned());
    let (chosen, wrong) = choose(found, Some(&id), &on);
    let stops = wrong.iter().any(|problem| problem.severity == Severity::Error);
    // A mod that cannot be read stops a start only if it was to take part in it.
    let takes_part = |problem: &Problem| {
        let owner = problem.place.as_ref().map_or("", |place| place.owner.as_str());
        owner == id || on.iter().any(|on| on == owner)
    };
    let broken = problems.iter().any(|problem| {
        problem.severity == Severity::Error
            && (takes_part(problem) || OF_USAGE.contains(&problem.code.as_str()))
    });
    problems.extend(wrong);
    if stops || broken {
        return Err(sorted(problems));
    }
    let mods = load_order(chosen).map_err(Wrong::Mods)?;
    let content = Content { mods, settings: kept.settings };
    let vm = content.load().map_err(Wrong::Mods)?;
    problems.extend(vm.warnings().iter().cloned());
    Ok((content, vm, problems))
}

fn sorted(problems: Vec<Problem>) -> Wrong {
    let errors = || problems.iter().filter(|problem| problem.severity == Severity::Error);
    match errors().all(|problem| OF_USAGE.contains(&problem.code.as_str())) {
        true => Wrong::Usage(problems),
        false => Wrong::Mods(problems),
    }
}
