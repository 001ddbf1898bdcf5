//! Which of the mods that were found take part in a start: a game, and the mods switched on for
//! it.

use std::collections::{BTreeMap, BTreeSet};

use super::discover::Places;
use super::embedded;
use super::order::missing_needs;
use super::source::ModSource;
use crate::kit::Problem;
use crate::kit::problem::nearest;

/// The game and the mods switched on for it, to be put in order by [`super::load_order`]. `game`
/// is the id of a game; `None` means the one among `on`, or that these are made for, or else the only
/// one there is, or of several the one that comes with the program. What the game needs joins by
/// itself. `on` are the ids of mods that are switched on. A mod made for another game is set aside with
/// a warning; a mod that is not there, or needs one that is off, is an error. `places` are where they
/// were looked for, to be told where one is missing.
pub fn choose(
    found: Vec<ModSource>,
    places: &Places,
    game: Option<&str>,
    on: &[String],
) -> (Vec<ModSource>, Vec<Problem>) {
    let all: BTreeMap<&str, &ModSource> = found.iter().map(|one| (one.id(), one)).collect();
    let sources = || on.iter().filter_map(|id| all.get(id.as_str()).copied());
    let named = sources().find(|one| one.manifest.game).map(ModSource::id);
    let meant = named.or_else(|| sources().find_map(|one| games_of(one, &all).first().copied()));
    let game = match choose_game(&all, game.or(meant)) {
        Ok(game) => game,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let mut problems = Vec::new();
    let stands_on = with_needs(&found, std::slice::from_ref(&game));
    let mut chosen: BTreeSet<&str> = stands_on.iter().map(String::as_str).collect();
    for id in on {
        match all.get(id.as_str()) {
            None => problems.push(absent(id, "mod", all.keys().copied())),
            Some(source) => match other_game(source, &game, &all) {
                Some(problem) => problems.push(problem),
                None => drop(chosen.insert(source.id())),
            },
        }
    }
    for id in &chosen {
        let source = all[id];
        for need in source.manifest.needs.keys().filter(|need| !chosen.contains(need.as_str())) {
            let Some(needed) = all.get(need.as_str()) else { continue };
            let problem = match needed.manifest.game {
                true => another_game(source, need, &game),
                false => Problem::error("need-is-off", format!("{id} needs {need}, which is off"))
                    .hint(format!("switch {need} on as well, or {id} off")),
            };
            problems.push(problem.at(source.manifest_place("needs", need)));
        }
    }
    let known: Vec<&str> = all.keys().copied().collect();
    let missing = missing_needs(chosen.iter().map(|id| all[id]), &known).into_iter();
    problems.extend(
        missing
            .map(|(id, problem)| problem.expected(format!("a mod {id} in {}", places.in_words()))),
    );
    let chosen: BTreeSet<String> = chosen.into_iter().map(str::to_owned).collect();
    (found.into_iter().filter(|source| chosen.contains(source.id())).collect(), problems)
}

/// The Problem of a game, or of what it stands on, that needs another game.
fn another_game(source: &ModSource, need: &str, game: &str) -> Problem {
    let message = format!("{} needs {need}, which is a game of its own", source.id());
    let hint = match source.id() == game {
        true => format!(
            "a game stands on mods that are none: move what {game} shares with {need} into one"
        ),
        false => format!("a mod that {game} stands on must go with any game"),
    };
    Problem::error("two-games", message).expected("exactly one mod with game = true").hint(hint)
}

/// Mods by id, and all that they need as far as it is there: who switches one on means these too, and
/// a game comes with them. Games are not switched on.
pub fn with_needs(found: &[ModSource], ids: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut to_look: Vec<&str> = ids.iter().rev().map(String::as_str).collect();
    while let Some(id) = to_look.pop() {
        if all.iter().any(|other| other == id) {
            continue;
        }
        all.push(id.to_owned());
        let source = found.iter().find(|source| source.id() == id);
        let is_mod = |id: &&str| found.iter().any(|one| one.id() == *id && !one.manifest.game);
        let needs = source.into_iter().flat_map(|source| source.manifest.needs.keys());
        to_look.extend(needs.map(String::as_str).filter(is_mod));
    }
    all
}

fn choose_game(all: &BTreeMap<&str, &ModSource>, game: Option<&str>) -> Result<String, Problem> {
    let games = || all.values().filter(|one| one.manifest.game).map(|one| one.id());
    if let Some(id) = game {
        return match all.get(id) {
            Some(source) if source.manifest.game => Ok(id.to_owned()),
            Some(source) => Err(Problem::error("not-a-game", format!("{id} is no game"))
                .at(source.manifest_place("game", "game"))
                .expected(format!("one of the games: {}", list(games())))
                .hint(format!("if {id} is to be one, write `game = true` into its mod.toml"))),
            None => Err(absent(id, "game", games())),
        };
    }
    let own = embedded::own_game().filter(|own| games().any(|id| id == own));
    match (games().count(), own) {
        (0, _) => Err(Problem::error("no-game", "there is no game to play")
            .expected("a mod with game = true")
            .hint("name a folder that holds one with --mods")),
        (1, _) => Ok(games().next().expect("there is one").to_owned()),
        (_, Some(own)) => Ok(own),
        (count, None) => {
            let message = format!("there are {count} games: {}", list(games()));
            Err(Problem::error("which-game", message).hint("name one of them with --game"))
        }
    }
}

/// Why a mod is set aside: it is another game, or made for one.
fn other_game(source: &ModSource, game: &str, all: &BTreeMap<&str, &ModSource>) -> Option<Problem> {
    let why = made_for_other(source, game, all)?;
    let message = format!("{} is set aside: {why}, and {game} is played", source.id());
    Some(Problem::warning("other-game", message))
}

/// Why a mod is nothing for a game, if it is not: it is another game, or needs one.
pub fn made_for_other(
    source: &ModSource,
    game: &str,
    all: &BTreeMap<&str, &ModSource>,
) -> Option<String> {
    let other = games_of(source, all).into_iter().find(|id| *id != game)?;
    Some(match other == source.id() {
        true => "it is a game of its own".to_owned(),
        false => format!("it is made for the game {other}"),
    })
}

/// The games that a mod is, or is made for: those that it needs, or that what it needs does.
fn games_of<'t>(source: &'t ModSource, all: &BTreeMap<&str, &'t ModSource>) -> Vec<&'t str> {
    let (mut games, mut to_look, mut looked) = (Vec::new(), vec![source], BTreeSet::new());
    while let Some(one) = to_look.pop() {
        if looked.insert(one.id()) {
            games.extend(one.manifest.game.then(|| one.id()));
            let needs = one.manifest.needs.keys();
            to_look.extend(needs.filter_map(|need| all.get(need.as_str()).copied()));
        }
    }
    games
}

fn absent<'t>(id: &str, what: &str, there: impl Iterator<Item = &'t str> + Clone) -> Problem {
    let id = crate::kit::text::clean(id);
    let problem = Problem::error("no-such-mod", format!("there is no {what} \"{id}\""))
        .expected(format!("one of {}", list(there.clone())));
    problem.did_you_mean(nearest(&id, there))
}

fn list<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}
