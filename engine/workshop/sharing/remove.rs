//! `mods remove`: removes an installed mod.

use std::io;

use super::in_place::Lot;
use super::{Asker, There, failed, lies_where, own_mods, there, under_way, unwritten, usage};
use crate::kit::Problem;
use crate::kit::id::check_mod_id;
use crate::workshop::Out;
use crate::workshop::mods::{Found, Refused};
use crate::workshop::{Bench, Done, Outcome, told};

/// The arguments of `mods remove`.
#[derive(Clone, Debug)]
pub struct Remove {
    /// The id of the mod.
    pub id: String,
    /// Whether to remove without asking.
    pub yes: bool,
    /// Whether to print JSON.
    pub json: bool,
}

/// Removes a mod.
pub fn remove(bench: &Bench, asked: &Remove, ask: &mut Asker<'_>, out: &mut dyn Out) -> Done {
    match take_away(bench, asked, ask)? {
        Ok(said) if asked.json => {
            told::json(out, &serde_json::json!({ "id": asked.id, "said": said }))?
        }
        Ok(said) => said.iter().try_for_each(|line| told::line(out, line))?,
        Err((outcome, problems)) => return told::refuse(out, asked.json, outcome, &problems),
    }
    Ok(Outcome::Ok)
}

fn take_away(
    bench: &Bench,
    asked: &Remove,
    ask: &mut Asker<'_>,
) -> io::Result<Result<Vec<String>, Refused>> {
    let found = own_mods(bench).and_then(|mods| {
        // An invalid id must not become part of a path.
        if check_mod_id(&asked.id).is_err() {
            Found::look(bench).want(&asked.id)?;
        }
        let lot = Lot::open(&mods, &asked.id).map_err(|why| unwritten(&mods, &why))?;
        find(bench, &asked.id).map(|there| (lot, there))
    });
    let (lot, There { source, path }) = match found {
        Ok(found) => found,
        Err(refused) => return Ok(Err(refused)),
    };
    let id = &asked.id;
    let shown = path.display();
    let called =
        source.map_or_else(|| id.clone(), |source| format!("{id} {}", source.manifest.version));
    let mut question = vec![format!("{called} is installed in {shown}")];
    question.extend(under_way(bench, id));
    let question = format!("{}. Remove it?", question.join("; "));
    if !asked.yes && !ask(&question)? {
        let found = format!("{called} was not removed; nothing was changed");
        let problem = Problem::error("not-removed", found).expected(format!("yes to: {question}"));
        return Ok(Err(failed(problem.hint("answer yes, or pass --yes"))));
    }
    if let Err(why) = lot.take_away(&path) {
        return Ok(Err(unwritten(&path, &why)));
    }
    let mut said = vec![format!("{called} is removed from {shown}")];
    said.extend(switch_off(bench, id));
    if let Some(other) = Found::look(bench).get(id) {
        said.push(format!(
            "Another copy of {id} {} is in {}",
            other.manifest.version,
            lies_where(other)
        ));
    }
    Ok(Ok(said))
}

/// The installed mod, or why it cannot be removed.
fn find(bench: &Bench, id: &str) -> Result<There, Refused> {
    let found = Found::look(bench);
    let Some(there) = there(bench, id)? else {
        let other = found.want(id)?;
        let problem =
            Problem::error("not-installed-here", format!("{id} is in {}", lies_where(other)));
        let problem = problem.expected(format!("a mod in {}", own_mods(bench)?.display()));
        return Err(usage(
            problem.hint("only mods installed there can be removed; nothing was changed"),
        ));
    };
    let profiles = bench.data_dir.profiles_there().unwrap_or_default();
    let on: Vec<String> = profiles
        .iter()
        .filter_map(|line| line.profile.as_ref().ok())
        .flat_map(|profile| profile.games.values().flat_map(|kept| kept.mods_on.clone()))
        .collect();
    let needs = |one: &&crate::mods::ModSource| {
        one.id() != id
            && one.manifest.needs.contains_key(id)
            && (one.manifest.game || on.iter().any(|on| on == one.id()))
    };
    let needing: Vec<_> = found.mods.iter().filter(needs).collect();
    if let [first, ..] = needing.as_slice() {
        let who = needing.iter().map(|one| one.id()).collect::<Vec<_>>().join(" and ");
        let verb = if needing.len() == 1 { "needs" } else { "need" };
        let problem =
            Problem::error("needed-mod", format!("{who} {verb} {id}; nothing was changed"));
        let problem = problem.at(first.manifest_place("needs", id));
        return Err(failed(problem.hint(format!("turn {who} off first, or remove it"))));
    }
    Ok(there)
}

/// Turns the mod off for all players, so that no start reports it as missing.
fn switch_off(bench: &Bench, id: &str) -> Vec<String> {
    let mut said = Vec::new();
    for line in bench.data_dir.profiles_there().unwrap_or_default() {
        let Ok(profile) = line.profile else { continue };
        let on = profile.games.values().any(|kept| kept.mods_on.iter().any(|on| on == id));
        if !on {
            continue;
        }
        let done = bench.data_dir.lock_profile(&profile.name).and_then(|(mut held, _)| {
            held.change(|profile| {
                for game in profile.games.keys().cloned().collect::<Vec<_>>() {
                    profile.game_mut(&game).mods_on.retain(|on| on != id);
                }
            })
        });
        said.push(match done {
            Ok(()) => format!("it is off for {}", profile.name),
            Err(problem) => format!("it is still on for {}: {}", profile.name, problem.message),
        });
    }
    said
}
