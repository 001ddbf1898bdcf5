//! Gathering what a start plays on: which mods are found, which of them take part, in what order,
//! and a VM loaded from them.

use super::content::Content;
use super::unfit::unfit_settings;
use crate::kit::fault::linger;
use crate::kit::{Problem, Severity};
use crate::mods::{
    Manifest, ModSource, Places, choose, discover_manifests, load_order, read_scripts, with_needs,
};
use crate::save::Profile;
use crate::script::Vm;

/// What a start asks for.
#[derive(Clone, Copy, Debug)]
pub struct StartRequest<'a> {
    /// Where mods are looked for.
    pub places: &'a Places,
    /// The game; without one the only one there is, or the program's own.
    pub game: Option<&'a str>,
    /// Mods switched on for this start with what they need, beside those that the profile has on.
    pub with: &'a [String],
}

/// What a start would play on, before it is loaded.
pub struct StartPlan {
    /// The mods and their settings.
    pub content: Content,
    /// All games that were found, the one that is played among them.
    pub games: Vec<Manifest>,
    /// What there is to warn of.
    pub warnings: Vec<Problem>,
}

/// What a start plays on.
pub struct Startup {
    /// The mods and their settings.
    pub content: Content,
    /// A VM loaded from them.
    pub vm: Vm,
    /// All games that were found, the one that is played among them.
    pub games: Vec<Manifest>,
    /// What there is to warn of.
    pub warnings: Vec<Problem>,
}

/// Why there is nothing to play on.
#[derive(Debug)]
pub enum Unfit {
    /// What was asked for is not there.
    Usage(Vec<Problem>),
    /// Something is wrong with the mods.
    Mods(Vec<Problem>),
}

/// The code of the Problem that two mods have one id.
const TWICE: &str = "two-of-one-id";

/// Problems that only asking for something else can mend.
const OF_USAGE: [&str; 5] = ["no-such-mod", "not-a-game", "which-game", "no-folder", "no-game"];

/// Finds, chooses, orders and loads.
pub fn start_up(wanted: StartRequest<'_>, profile: &Profile) -> Result<Startup, Unfit> {
    find(wanted, profile)?.load()
}

/// Finds, chooses and orders.
pub fn find(wanted: StartRequest<'_>, profile: &Profile) -> Result<StartPlan, Unfit> {
    linger("busy_looking_for_mods");
    let (found, unread) = discover_manifests(wanted.places);
    let is_read = |one: &String| found.iter().any(|source| source.id() == one);
    let is_broken = |one: &String| unread.iter().any(|problem| is_about(problem, one));
    // A mod that is there and cannot be read is told of as that, and not as one that is not there.
    let not_broken = |one: &&String| is_read(one) || !is_broken(one);
    let with: Vec<String> = wanted.with.iter().filter(not_broken).cloned().collect();
    // Which mods are on is kept for each game, so that the game is chosen first; what is switched on for
    // this start alone may say which.
    let (alone, wrong) = choose(found.clone(), wanted.places, wanted.game, &with);
    let Some(id) = game_among(&alone) else {
        return Err(sorted(unread.into_iter().chain(wrong).collect()));
    };
    let kept = profile.game(&id);
    // One that is gone stops nobody from playing.
    let is_there = |one: &String| is_read(one) || is_broken(one);
    let (mut on, gone): (Vec<String>, Vec<String>) =
        kept.mods_on.iter().cloned().partition(|one| is_there(one));
    let games = found.iter().map(|source| &source.manifest).filter(|manifest| manifest.game);
    let games = games.cloned().collect();
    let with = with_needs(&found, wanted.with);
    on.extend(with.into_iter().filter(|id| !on.contains(id)).collect::<Vec<_>>());
    let asked: Vec<String> = on.iter().filter(not_broken).cloned().collect();
    let mut problems = unread.clone();
    problems.extend(gone.iter().map(|one| missing_mod(one, &id)));
    let (chosen, wrong) = choose(found.clone(), wanted.places, Some(&id), &asked);
    let stops = wrong.iter().any(|problem| problem.severity == Severity::Error);
    // A mod that cannot be read stops a start only if it was to take part in it.
    let takes_part =
        |problem: &Problem| is_about(problem, &id) || on.iter().any(|on| is_about(problem, on));
    let broken = problems.iter().any(|problem| {
        problem.severity == Severity::Error
            && (takes_part(problem) || OF_USAGE.contains(&problem.code.as_str()))
    });
    problems.extend(wrong);
    if stops || broken {
        return Err(sorted(problems));
    }
    // Of what takes no part no script is read.
    let mods = read_scripts(chosen).and_then(load_order).map_err(Unfit::Mods)?;
    problems.extend(unfit_settings(&mods, &kept.settings));
    Ok(StartPlan { content: Content { mods, settings: kept.settings }, games, warnings: problems })
}

impl StartPlan {
    /// The same with a VM loaded from it.
    pub fn load(self) -> Result<Startup, Unfit> {
        let Self { content, games, mut warnings } = self;
        let vm = content.load().map_err(Unfit::Mods)?;
        warnings.extend(vm.warnings().iter().cloned());
        Ok(Startup { content, vm, games, warnings })
    }
}

/// The Problem of a mod that is switched on and gone.
pub fn missing_mod(id: &str, game: &str) -> Problem {
    Problem::warning("absent-mod", format!("{id} is on for {game}, and it is not there"))
        .hint(format!("put it back, or switch it off: `sub-rosa mods off {id}`"))
}

/// The game that a start is of, if that can be told.
pub fn game_of_start(found: &[ModSource], wanted: StartRequest<'_>) -> Option<String> {
    let is_read = |one: &&String| found.iter().any(|source| source.id() == *one);
    let with: Vec<String> = wanted.with.iter().filter(is_read).cloned().collect();
    game_among(&choose(found.to_vec(), wanted.places, wanted.game, &with).0)
}

fn game_among(chosen: &[ModSource]) -> Option<String> {
    chosen.iter().find(|source| source.manifest.game).map(|game| game.id().to_owned())
}

/// Whether a Problem with reading mods is about the one of that id.
pub fn is_about(problem: &Problem, id: &str) -> bool {
    let place = problem.place.as_ref();
    // Of two of one id, neither of the two places is the mod's.
    let twice = || problem.code == TWICE && problem.message.contains(&format!("\"{id}\""));
    place.is_some_and(|place| place.owner == id) || twice()
}

fn sorted(problems: Vec<Problem>) -> Unfit {
    let errors = || problems.iter().filter(|problem| problem.severity == Severity::Error);
    match errors().all(|problem| OF_USAGE.contains(&problem.code.as_str())) {
        true => Unfit::Usage(problems),
        false => Unfit::Mods(problems),
    }
}
