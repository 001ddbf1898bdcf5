//! `mods on` and `mods off`, and the search for mods. Mods are on per profile and game. A change is
//! checked before it is stored, so that the next start finds mods that load together.

use std::collections::{BTreeMap, BTreeSet};

use super::{Bench, Done, Outcome, told};
use crate::kit::{Problem, Severity};
use crate::mods::{ModSource, Places, choose, discover, load_order, with_needs};
use crate::save::Profile;
use crate::workshop::Out;

/// The mods that are found, by id, and the problems of others.
pub(super) struct Found {
    pub(super) mods: Vec<ModSource>,
    pub(super) problems: Vec<Problem>,
    places: Places,
}

/// Why a command changed nothing.
pub(super) type Refused = (Outcome, Vec<Problem>);

impl Found {
    pub(super) fn look(bench: &Bench) -> Self {
        let (mods, problems) = discover(&bench.places);
        Self { mods, problems, places: bench.places.clone() }
    }

    pub(super) fn get(&self, id: &str) -> Option<&ModSource> {
        self.mods.iter().find(|source| source.id() == id)
    }

    /// The mod with this id, or why there is none.
    pub(super) fn want(&self, id: &str) -> Result<&ModSource, Refused> {
        if let Some(source) = self.get(id) {
            return Ok(source);
        }
        let about = self.problems.iter().filter(|problem| {
            problem.place.as_ref().is_some_and(|place| place.owner == id)
                || problem.message.contains(&format!("\"{id}\""))
        });
        let about: Vec<Problem> = about.cloned().collect();
        if !about.is_empty() {
            return Err((Outcome::Problems, about));
        }
        let game = self.mods.iter().find(|source| source.manifest.game).map(ModSource::id);
        let (_, told) = choose(self.mods.clone(), &self.places, game, &[id.to_owned()]);
        let told = told.into_iter().filter(|problem| problem.code == "no-such-mod").collect();
        Err((Outcome::Usage, told))
    }

    /// A mod with all mods that it needs, as far as they are found.
    pub(super) fn behind(&self, id: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut to_look = vec![id.to_owned()];
        while let Some(id) = to_look.pop() {
            if let Some(source) = self.get(&id)
                && all.insert(id)
            {
                to_look.extend(source.manifest.needs.keys().cloned());
            }
        }
        all
    }

    /// Mods that are needed, directly or indirectly, and missing.
    pub(super) fn missing(&self, id: &str) -> Vec<String> {
        let behind = self.behind(id);
        let sources = behind.iter().filter_map(|id| self.get(id));
        let needs: BTreeSet<&String> = sources.flat_map(|one| one.manifest.needs.keys()).collect();
        needs.into_iter().filter(|need| self.get(need).is_none()).cloned().collect()
    }

    /// The games that a mod is made for; none if it works with any.
    pub(super) fn games_of(&self, id: &str) -> Vec<String> {
        let is_game = |id: &String| self.get(id).is_some_and(|source| source.manifest.game);
        self.behind(id).into_iter().filter(is_game).collect()
    }

    /// The games that need this mod, so that it is always on for them.
    pub(super) fn comes_with(&self, id: &str) -> Vec<&str> {
        let games = self.mods.iter().filter(|source| source.manifest.game && source.id() != id);
        let stands = |game: &&str| {
            with_needs(&self.mods, &[(*game).to_owned()]).iter().any(|need| need == id)
        };
        games.map(ModSource::id).filter(stands).collect()
    }

    /// The game whose part of the profile is changed for this mod.
    pub(super) fn game_for(&self, bench: &Bench, id: &str) -> Result<String, Refused> {
        let asked = bench.game.as_deref();
        if let ([game], None) = (self.games_of(id).as_slice(), asked) {
            return Ok(game.clone());
        }
        let (chosen, problems) = choose(self.mods.clone(), &self.places, asked, &[]);
        let game = chosen.iter().find(|source| source.manifest.game);
        game.map(|game| game.id().to_owned()).ok_or((Outcome::Usage, problems))
    }
}

/// Turns mods on, and the mods they need.
pub fn switch_on(bench: &Bench, ids: &[String], json: bool, out: &mut dyn Out) -> Done {
    match plan_on(bench, ids) {
        Ok(plan) => carry_out(bench, plan, json, out),
        Err((outcome, problems)) => told::refuse(out, json, outcome, &problems),
    }
}

/// Turns mods off.
pub fn switch_off(bench: &Bench, ids: &[String], json: bool, out: &mut dyn Out) -> Done {
    match plan_off(bench, ids) {
        Ok(plan) => carry_out(bench, plan, json, out),
        Err((outcome, problems)) => told::refuse(out, json, outcome, &problems),
    }
}

/// Which mods are on for each game after the change, and messages about it.
struct Plan {
    on: BTreeMap<String, Vec<String>>,
    said: Vec<String>,
}

pub(super) fn profile(bench: &Bench) -> Result<Profile, Refused> {
    bench
        .data_dir
        .look_at_profile(&bench.profile)
        .map_err(|problem| (Outcome::Problems, vec![problem]))
}

fn plan_on(bench: &Bench, ids: &[String]) -> Result<Plan, Refused> {
    let (found, profile) = (Found::look(bench), profile(bench)?);
    let mut plan = Plan { on: BTreeMap::new(), said: Vec::new() };
    for id in ids {
        let source = found.want(id)?;
        if source.manifest.game {
            let problem = Problem::error("is-a-game", format!("{id} is a game"))
                .expected("a mod; games are always available")
                .hint(format!("play it with `sub-rosa --game {id}`"));
            return Err((Outcome::Usage, vec![problem]));
        }
        let game = found.game_for(bench, id)?;
        let on = plan.on.entry(game.clone()).or_insert_with(|| profile.game(&game).mods_on);
        if found.comes_with(id).contains(&game.as_str()) {
            plan.said.push(format!("{id} is part of {game} and always on"));
            continue;
        }
        for needed in found.behind(id) {
            let is_game = found.get(&needed).is_some_and(|source| source.manifest.game);
            let comes = || found.comes_with(&needed).contains(&game.as_str());
            if is_game || on.contains(&needed) || comes() {
                continue;
            }
            plan.said.push(match needed == *id {
                true => format!("{id} is on for {game}"),
                false => format!("{needed} is on for {game}: {id} needs it"),
            });
            on.push(needed);
        }
        if plan.said.is_empty() {
            plan.said.push(format!("{id} is already on for {game}"));
        }
    }
    for (game, on) in &plan.on {
        // Missing mods that are on are reported by `mods` and at every start; they block nothing.
        let there: Vec<String> =
            on.iter().filter(|id| found.get(id.as_str()).is_some()).cloned().collect();
        let (chosen, problems) = choose(found.mods.clone(), &found.places, Some(game), &there);
        let set_aside = |problem: &Problem| {
            ids.iter().any(|id| problem.message.starts_with(&format!("{id} is left out")))
        };
        let wrong = problems.into_iter().filter(|p| p.severity == Severity::Error || set_aside(p));
        let mut wrong: Vec<Problem> = wrong.collect();
        if wrong.is_empty() {
            wrong = load_order(chosen).err().unwrap_or_default();
        }
        if !wrong.is_empty() {
            return Err((Outcome::Problems, wrong));
        }
    }
    Ok(plan)
}

fn plan_off(bench: &Bench, ids: &[String]) -> Result<Plan, Refused> {
    let (found, profile) = (Found::look(bench), profile(bench)?);
    let mut plan = Plan { on: BTreeMap::new(), said: Vec::new() };
    for id in ids {
        let asked = |game: &str| bench.game.as_deref().is_none_or(|wanted| wanted == game);
        let games: Vec<&String> = profile
            .games
            .iter()
            .filter(|(game, kept)| asked(game) && kept.mods_on.contains(id))
            .map(|(game, _)| game)
            .collect();
        if games.is_empty() {
            found.want(id)?;
            plan.said.push(match found.comes_with(id).as_slice() {
                [] => format!("{id} is already off"),
                games => format!("{id} is part of {} and always on there", games.join(" and ")),
            });
        }
        for game in games {
            let on = plan.on.entry(game.clone()).or_insert_with(|| profile.game(game).mods_on);
            on.retain(|other| other != id);
            plan.said.push(format!("{id} is off for {game}"));
        }
    }
    for on in plan.on.values() {
        for id in ids {
            let needs = |other: &&String| found.behind(other).contains(id);
            let needing: Vec<&str> = on.iter().filter(needs).map(String::as_str).collect();
            if let [first, ..] = needing.as_slice() {
                let who = needing.join(" and ");
                let verb = if needing.len() == 1 { "needs" } else { "need" };
                let problem = Problem::error("needed-mod", format!("{who} {verb} {id}"))
                    .hint(format!("turn off both: `sub-rosa mods off {id} {}`", needing.join(" ")));
                let place = found.get(first).map(|source| source.manifest_place("needs", id));
                let problem = Problem { place, ..problem };
                return Err((Outcome::Problems, vec![problem]));
            }
        }
    }
    Ok(plan)
}

fn carry_out(bench: &Bench, plan: Plan, json: bool, out: &mut dyn Out) -> Done {
    let Plan { on, said } = plan;
    let before = bench.data_dir.look_at_profile(&bench.profile).ok();
    let changes = on
        .iter()
        .any(|(game, on)| before.as_ref().is_none_or(|before| before.game(game).mods_on != *on));
    let done = match changes {
        true => bench.data_dir.lock_profile(&bench.profile).and_then(|(mut held, _)| {
            held.change(|profile| {
                for (game, on) in &on {
                    profile.game_mut(game).mods_on.clone_from(on);
                }
            })
        }),
        false => Ok(()),
    };
    if let Err(problem) = done {
        return told::refuse(out, json, Outcome::Problems, &[problem]);
    }
    match json {
        true => told::json(out, &serde_json::json!({ "on": on, "said": said }))?,
        false => said.iter().try_for_each(|line| told::line(out, line))?,
    }
    Ok(Outcome::Ok)
}
