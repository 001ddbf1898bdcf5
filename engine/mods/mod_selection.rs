//! Chooses the mods of a start: the game, and the mods that are enabled for it.

use std::collections::{BTreeMap, BTreeSet};

use super::discover::SearchPaths;
use super::embedded;
use super::load_order::missing_dependency_problems;
use super::mod_source::ModSource;
use base::problem::nearest_name;
use base::{Code, Problem};

/// Chooses the game and the mods that are enabled for it; [`super::load_order`] sorts them. `game`
/// is the id of the game. If it is `None`, the game is the one among `on`, or the one that these
/// mods are made for. Otherwise it is the only game there is, or the default game of the program.
/// The dependencies of the game are added. `on` lists the ids of enabled mods. A mod made for
/// another game is left out with a warning. A mod that is missing, or that needs a disabled mod, is
/// an error. `search_paths` are the search paths, which the message about a missing mod names.
pub fn choose_enabled_mods(
    found: Vec<ModSource>,
    search_paths: &SearchPaths,
    game: Option<&str>,
    enabled_ids: &[String],
) -> (Vec<ModSource>, Vec<Problem>) {
    let all: BTreeMap<&str, &ModSource> = found.iter().map(|one| (one.id(), one)).collect();
    let sources = || enabled_ids.iter().filter_map(|id| all.get(id.as_str()).copied());
    let enabled_game = sources().find(|one| one.manifest.is_game).map(ModSource::id);
    let meant = enabled_game
        .or_else(|| sources().find_map(|one| games_needed_by(one, &all).first().copied()));
    let game = match choose_game(&all, game.or(meant)) {
        Ok(game) => game,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let mut problems = Vec::new();
    let game_mods = ids_with_dependencies(&found, std::slice::from_ref(&game));
    let mut chosen: BTreeSet<&str> = game_mods.iter().map(String::as_str).collect();
    for id in enabled_ids {
        match all.get(id.as_str()) {
            None => problems.push(missing_mod_problem(id, "mod", all.keys().copied())),
            Some(source) => match other_game_warning(source, &game, &all) {
                Some(problem) => problems.push(problem),
                None => drop(chosen.insert(source.id())),
            },
        }
    }
    for id in &chosen {
        let source = all[id];
        for need in
            source.manifest.needed_mods.keys().filter(|need| !chosen.contains(need.as_str()))
        {
            let Some(needed) = all.get(need.as_str()) else { continue };
            let problem = match needed.manifest.is_game {
                true => needs_other_game_problem(source, need, &game),
                false => {
                    Problem::error(Code::NeedIsOff, format!("{id} needs {need}, which is off"))
                        .hint(format!("switch {need} on as well, or {id} off"))
                }
            };
            problems.push(problem.at(source.manifest_location("needs", need)));
        }
    }
    let known: Vec<&str> = all.keys().copied().collect();
    let missing = missing_dependency_problems(chosen.iter().map(|id| all[id]), &known).into_iter();
    problems.extend(missing.map(|(id, problem)| {
        problem.expected(format!("a mod {id} in {}", search_paths.describe()))
    }));
    let chosen: BTreeSet<String> = chosen.into_iter().map(str::to_owned).collect();
    (found.into_iter().filter(|source| chosen.contains(source.id())).collect(), problems)
}

/// The Problem of a game, or of a dependency of the game, that needs another game.
fn needs_other_game_problem(source: &ModSource, need: &str, game: &str) -> Problem {
    let message = format!("{} needs {need}, which is a game of its own", source.id());
    let hint = match source.id() == game {
        true => format!(
            "a game depends only on mods that are not games: move what {game} shares with {need} into such a mod"
        ),
        false => format!("a mod that {game} depends on must work with any game"),
    };
    Problem::error(Code::TwoGames, message).expected("exactly one mod with game = true").hint(hint)
}

/// The given mods with all their dependencies that exist. Games are left out: a game is chosen, not
/// enabled.
pub fn ids_with_dependencies(found: &[ModSource], ids: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut pending: Vec<&str> = ids.iter().rev().map(String::as_str).collect();
    while let Some(id) = pending.pop() {
        if all.iter().any(|other| other == id) {
            continue;
        }
        all.push(id.to_owned());
        let source = found.iter().find(|source| source.id() == id);
        let is_mod = |id: &&str| found.iter().any(|one| one.id() == *id && !one.manifest.is_game);
        let needs = source.into_iter().flat_map(|source| source.manifest.needed_mods.keys());
        pending.extend(needs.map(String::as_str).filter(is_mod));
    }
    all
}

fn choose_game(all: &BTreeMap<&str, &ModSource>, game: Option<&str>) -> Result<String, Problem> {
    let games = || all.values().filter(|one| one.manifest.is_game).map(|one| one.id());
    if let Some(id) = game {
        return match all.get(id) {
            Some(source) if source.manifest.is_game => Ok(id.to_owned()),
            Some(source) => Err(Problem::error(Code::NotAGame, format!("{id} is not a game"))
                .at(source.manifest_location("game", "game"))
                .expected(format!("one of the games: {}", join_names(games())))
                .hint(format!("to make {id} a game, write `game = true` into its mod.toml"))),
            None => Err(missing_mod_problem(id, "game", games())),
        };
    }
    let default_game = embedded::default_game_id().filter(|own| games().any(|id| id == own));
    match (games().count(), default_game) {
        (0, _) => Err(Problem::error(Code::NoGame, "there is no game to play")
            .expected("a mod with game = true")
            .hint("name a folder that contains one with --mods")),
        (1, _) => Ok(games().next().expect("there is one").to_owned()),
        (_, Some(own)) => Ok(own),
        (count, None) => {
            let message = format!("there are {count} games: {}", join_names(games()));
            Err(Problem::error(Code::WhichGame, message).hint("name one of them with --game"))
        }
    }
}

/// Why a mod is left out: it is another game, or it is made for another game.
fn other_game_warning(
    source: &ModSource,
    game: &str,
    all: &BTreeMap<&str, &ModSource>,
) -> Option<Problem> {
    let why = explain_other_game(source, game, all)?;
    let message = format!("{} is left out: {why}, and this start plays {game}", source.id());
    Some(Problem::warning(Code::OtherGame, message))
}

/// Why a mod does not belong to a game: it is another game, or it needs one. `None` if it belongs.
pub fn explain_other_game(
    source: &ModSource,
    game: &str,
    all: &BTreeMap<&str, &ModSource>,
) -> Option<String> {
    let other = games_needed_by(source, all).into_iter().find(|id| *id != game)?;
    Some(match other == source.id() {
        true => "it is a game itself".to_owned(),
        false => format!("it is made for the game {other}"),
    })
}

/// The games that a mod is or is made for: those that it needs, directly or through its
/// dependencies.
fn games_needed_by<'t>(source: &'t ModSource, all: &BTreeMap<&str, &'t ModSource>) -> Vec<&'t str> {
    let (mut games, mut pending, mut visited) = (Vec::new(), vec![source], BTreeSet::new());
    while let Some(one) = pending.pop() {
        if visited.insert(one.id()) {
            games.extend(one.manifest.is_game.then(|| one.id()));
            let needs = one.manifest.needed_mods.keys();
            pending.extend(needs.filter_map(|need| all.get(need.as_str()).copied()));
        }
    }
    games
}

fn missing_mod_problem<'t>(
    id: &str,
    what: &str,
    there: impl Iterator<Item = &'t str> + Clone,
) -> Problem {
    let id = base::text::strip_unprintable(id);
    let problem = Problem::error(Code::NoSuchMod, format!("there is no {what} \"{id}\""))
        .expected(format!("one of {}", join_names(there.clone())));
    problem.suggest_name(nearest_name(&id, there))
}

fn join_names<'t>(words: impl Iterator<Item = &'t str>) -> String {
    words.collect::<Vec<_>>().join(", ")
}
