//! The load order of mods: dependencies first, then by id.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::manifest::engine_version;
use super::mod_selection::ids_with_dependencies;
use super::mod_source::ModSource;
use super::version_ranges;
use base::digest::Hasher;
use base::problem::nearest_name;
use base::{Code, Digest, Problem, Translation};

/// The mods of a run, in load order. Exactly one of them is the game.
#[derive(Clone, Debug)]
pub struct ModSet {
    /// The mods, in load order.
    pub mods: Vec<ModSource>,
    /// The language that they are shown in, if it is not their own. It changes no digest.
    pub translation: Option<Arc<Translation>>,
}

impl ModSet {
    /// Digest of all mods, in load order.
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::new("mods");
        hasher.feed_count(self.mods.len());
        for source in &self.mods {
            hasher.feed_text(source.id()).feed_bytes(&source.digest.0);
        }
        hasher.finish()
    }

    /// The game.
    pub fn game(&self) -> &ModSource {
        self.mods.iter().find(|source| source.manifest.is_game).expect("a set of mods has a game")
    }

    /// Whether a mod is the game or a dependency of the game.
    pub fn is_game_or_dependency(&self, id: &str) -> bool {
        ids_with_dependencies(&self.mods, &[self.game().id().to_owned()])
            .iter()
            .any(|own| own == id)
    }

    /// The set without some mods and their dependents. The game and its dependencies stay.
    pub fn without_mods(&self, ids: &[&str]) -> Self {
        let mut removed: BTreeSet<&str> = BTreeSet::new();
        for source in &self.mods {
            let needs = source.manifest.needed_mods.keys();
            let is_removed =
                ids.contains(&source.id()) || needs.into_iter().any(|id| removed.contains(&**id));
            if is_removed && !self.is_game_or_dependency(source.id()) {
                removed.insert(source.id());
            }
        }
        let mods = self.mods.iter().filter(|source| !removed.contains(source.id()));
        Self { mods: mods.cloned().collect(), translation: self.translation.clone() }
    }

    /// The mod with that id.
    pub fn get(&self, id: &str) -> Option<&ModSource> {
        self.mods.iter().find(|source| source.id() == id)
    }

    /// The ids of the mods, in load order.
    pub fn ids(&self) -> Vec<String> {
        self.mods.iter().map(|source| source.id().to_owned()).collect()
    }

    /// For each mod, all direct and indirect dependencies.
    pub fn dependencies_by_mod(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut by_mod: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in &self.mods {
            let manifest = &source.manifest;
            let mut all = BTreeSet::new();
            for id in manifest.needed_mods.keys().chain(&manifest.loads_after) {
                if let Some(further) = by_mod.get(id) {
                    all.extend(further.iter().cloned());
                    all.insert(id.clone());
                }
            }
            by_mod.insert(source.id().to_owned(), all);
        }
        by_mod
    }
}

/// Sorts mods into load order, or reports at once all reasons why they cannot be loaded together.
pub fn sort_into_load_order(mods: Vec<ModSource>) -> Result<ModSet, Vec<Problem>> {
    let mut problems = Vec::new();
    mods.iter().for_each(|source| check_engine_version(source, &mut problems));
    let sorted = sort_stored_mods(mods);
    if problems.is_empty() {
        return sorted;
    }
    problems.extend(sorted.err().into_iter().flatten());
    Err(problems)
}

/// The same for the mods that a run keeps: it goes on with them in every later engine, whatever
/// engine they were made for.
pub fn sort_stored_mods(mods: Vec<ModSource>) -> Result<ModSet, Vec<Problem>> {
    let mut by_id: BTreeMap<String, ModSource> = BTreeMap::new();
    let mut problems = Vec::new();
    for source in mods {
        let id = source.id().to_owned();
        if by_id.insert(id.clone(), source).is_some() {
            let message = format!("two mods have the id \"{id}\"");
            problems.push(Problem::error(Code::TwoOfOneId, message));
        }
    }
    check_single_game(&by_id, &mut problems);
    let names: Vec<&str> = by_id.keys().map(String::as_str).collect();
    problems.extend(
        missing_dependency_problems(by_id.values(), &names)
            .into_iter()
            .map(|(_, missing_problem)| missing_problem),
    );
    for source in by_id.values() {
        check_dependency_versions(source, &by_id, &mut problems);
        check_conflicts(source, &by_id, &mut problems);
    }
    let order = match ids_in_load_order(&by_id) {
        Ok(order) => order,
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    };
    if !problems.is_empty() {
        return Err(problems);
    }
    let mods = order.iter().filter_map(|id| by_id.remove(id)).collect();
    Ok(ModSet { mods, translation: None })
}

fn check_single_game(by_id: &BTreeMap<String, ModSource>, problems: &mut Vec<Problem>) {
    let games: Vec<&ModSource> = by_id.values().filter(|one| one.manifest.is_game).collect();
    let expected = "exactly one mod with game = true";
    match games.as_slice() {
        [_] => {}
        [] => problems
            .push(Problem::error(Code::NoGame, "none of the mods is a game").expected(expected)),
        [_, second, ..] => {
            let ids: Vec<&str> = games.iter().map(|one| one.id()).collect();
            let message = format!("{} are all games", ids.join(" and "));
            problems.push(
                Problem::error(Code::TwoGames, message)
                    .at(second.manifest_location("game", "game"))
                    .expected(expected)
                    .hint("switch all of them off but one"),
            );
        }
    }
}

fn check_engine_version(source: &ModSource, problems: &mut Vec<Problem>) {
    let (range, this_engine) = (&source.manifest.engine_versions, engine_version());
    if version_ranges::is_in_range(range, &this_engine) {
        return;
    }
    let why = version_ranges::explain_mismatch(range, &this_engine, "engine = ").reason;
    let message = format!("{} is made for engine {range}; this is {this_engine}", source.id());
    problems.push(
        Problem::error(Code::WrongEngine, message)
            .at(source.manifest_location("engine", "engine"))
            .expected(format!("a range that contains {this_engine}: {why}"))
            .hint("get a version of the mod that is made for this engine"),
    );
}

/// The missing dependencies: the id of each with one Problem, however many mods need it.
pub(super) fn missing_dependency_problems<'t>(
    mods: impl Iterator<Item = &'t ModSource>,
    known: &[&str],
) -> Vec<(String, Problem)> {
    let mut missing: BTreeMap<&str, Vec<&ModSource>> = BTreeMap::new();
    for source in mods {
        let needs = source.manifest.needed_mods.keys().map(String::as_str);
        for id in needs.filter(|id| !known.contains(id)) {
            missing.entry(id).or_default().push(source);
        }
    }
    let problem = |(id, dependents): (&str, Vec<&ModSource>)| {
        let dependent_ids: Vec<&str> = dependents.iter().map(|source| source.id()).collect();
        let verb = if dependent_ids.len() == 1 { "needs" } else { "need" };
        let dependent_names = dependent_ids.join(" and ");
        let message = format!("{dependent_names} {verb} the mod {id}, which is missing");
        let mut places = dependents.iter().map(|source| source.manifest_location("needs", id));
        let mut problem = Problem::error(Code::MissingNeed, message);
        problem.place = places.next();
        problem.related_locations = places.collect();
        // A game cannot be disabled; its dependencies come from the same source as the game.
        let hint = match dependents.iter().find(|source| source.manifest.is_game) {
            Some(game) => {
                format!("get {id} from the source of {}, and put it there", game.id())
            }
            None => format!("add {id}, or switch {dependent_names} off"),
        };
        let others =
            known.iter().copied().filter(|known| !dependents.iter().any(|one| one.id() == *known));
        (id.to_owned(), problem.hint(hint).suggest_name(nearest_name(id, others)))
    };
    missing.into_iter().map(problem).collect()
}

fn check_dependency_versions(
    source: &ModSource,
    by_id: &BTreeMap<String, ModSource>,
    problems: &mut Vec<Problem>,
) {
    for (id, range) in &source.manifest.needed_mods {
        let place = source.manifest_location("needs", id);
        // A missing mod is reported once for all mods that need it.
        let Some(needed) = by_id.get(id) else { continue };
        let version = &needed.manifest.version;
        if !version_ranges::is_in_range(range, version) {
            let mismatch = version_ranges::explain_mismatch(range, version, &format!("{id} = "));
            let message = format!("{} needs {id} {range}; {version} is there", source.id());
            problems.push(
                Problem::error(Code::WrongVersion, message)
                    .at(place)
                    .expected(format!("a range that contains {version}: {}", mismatch.reason))
                    .hint(mismatch.fix)
                    .add_related_location(needed.manifest_location("version", "version")),
            );
        }
    }
}

fn check_conflicts(
    source: &ModSource,
    by_id: &BTreeMap<String, ModSource>,
    problems: &mut Vec<Problem>,
) {
    for other in source.manifest.conflicting_mods.iter().filter(|other| by_id.contains_key(*other))
    {
        let message = format!("{} cannot be loaded together with {other}", source.id());
        problems.push(
            Problem::error(Code::ModsConflict, message)
                .at(source.manifest_location("clashes", other))
                .hint("switch one of the two off")
                .add_related_location(by_id[other].manifest_location("id", other)),
        );
    }
}

/// The mods that must load before a mod.
fn mods_loaded_before(source: &ModSource, by_id: &BTreeMap<String, ModSource>) -> BTreeSet<String> {
    let manifest = &source.manifest;
    let ids = manifest.needed_mods.keys().chain(&manifest.loads_after);
    ids.filter(|id| by_id.contains_key(*id)).cloned().collect()
}

/// The ids in load order. Among the mods that are ready, the smallest id is next.
fn ids_in_load_order(by_id: &BTreeMap<String, ModSource>) -> Result<Vec<String>, Problem> {
    let mut blockers_by_id: BTreeMap<String, BTreeSet<String>> =
        by_id.values().map(|one| (one.id().to_owned(), mods_loaded_before(one, by_id))).collect();
    let mut order: Vec<String> = Vec::new();
    while !blockers_by_id.is_empty() {
        let ready = blockers_by_id.iter().find(|(_, blockers)| blockers.is_empty());
        let Some(id) = ready.map(|(id, _)| id.clone()) else {
            return Err(cycle_problem(&blockers_by_id, by_id));
        };
        blockers_by_id.remove(&id);
        for blockers in blockers_by_id.values_mut() {
            blockers.remove(&id);
        }
        order.push(id);
    }
    Ok(order)
}

/// The Problem of a dependency cycle, listed from its first id.
fn cycle_problem(
    blockers_by_id: &BTreeMap<String, BTreeSet<String>>,
    by_id: &BTreeMap<String, ModSource>,
) -> Problem {
    let mut visited: Vec<&String> = Vec::new();
    let mut current_id = blockers_by_id.keys().next().expect("somebody waits");
    let start = loop {
        if let Some(start) = visited.iter().position(|id| *id == current_id) {
            break start;
        }
        visited.push(current_id);
        current_id = blockers_by_id[current_id].first().expect("everybody here waits for somebody");
    };
    let mut cycle = visited.split_off(start);
    let first = cycle.iter().enumerate().min_by_key(|(_, id)| **id).map_or(0, |(index, _)| index);
    cycle.rotate_left(first);
    let mut steps = Vec::new();
    let mut places = Vec::new();
    for (index, id) in cycle.iter().enumerate() {
        let next = cycle[(index + 1) % cycle.len()];
        let source = &by_id[*id];
        let (key, relation) = match source.manifest.needed_mods.contains_key(next) {
            true => ("needs", "needs"),
            false => ("after", "comes after"),
        };
        steps.push(format!("{id} {relation} {next}"));
        places.push(source.manifest_location(key, next));
    }
    let mut places = places.into_iter();
    let mut problem = Problem::error(Code::ModsInARing, steps.join(", "))
        .expected("dependencies without a cycle")
        .hint("remove one of these from its mod.toml");
    problem.place = places.next();
    problem.related_locations = places.collect();
    problem
}
