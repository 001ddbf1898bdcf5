//! `mods on` and `mods off`, and the search for mods. Mods are on per profile and game. A change is
//! checked before it is stored, so that the next start finds mods that load together.

use std::collections::{BTreeMap, BTreeSet};

use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::CommandOutput;
use base::{Code, Problem, Severity};
use mods::{
    ModSource, SearchPaths, choose_enabled_mods, discover_mods, ids_with_dependencies,
    sort_into_load_order,
};
use save::Profile;

/// The mods that are found, by id, and the problems of others.
pub(super) struct FoundMods {
    pub(super) mods: Vec<ModSource>,
    pub(super) problems: Vec<Problem>,
    search_paths: SearchPaths,
}

/// Why a command changed nothing.
pub type CommandFailure = (CommandOutcome, Vec<Problem>);

impl FoundMods {
    pub(super) fn discover(context: &CommandContext) -> Self {
        let (mods, problems) = discover_mods(&context.search_paths);
        Self { mods, problems, search_paths: context.search_paths.clone() }
    }

    pub(super) fn get(&self, id: &str) -> Option<&ModSource> {
        self.mods.iter().find(|source| source.id() == id)
    }

    /// The mod with this id, or why there is none.
    pub(super) fn find_or_fail(&self, id: &str) -> Result<&ModSource, CommandFailure> {
        if let Some(source) = self.get(id) {
            return Ok(source);
        }
        let about = self.problems.iter().filter(|problem| {
            problem.place.as_ref().is_some_and(|place| place.owner == id)
                || problem.message.contains(&format!("\"{id}\""))
        });
        let about: Vec<Problem> = about.cloned().collect();
        if !about.is_empty() {
            return Err((CommandOutcome::Problems, about));
        }
        let game = self.mods.iter().find(|source| source.manifest.is_game).map(ModSource::id);
        let (_, problems) =
            choose_enabled_mods(self.mods.clone(), &self.search_paths, game, &[id.to_owned()]);
        let problems =
            problems.into_iter().filter(|problem| problem.code == Code::NoSuchMod).collect();
        Err((CommandOutcome::UsageError, problems))
    }

    /// Fails if the command line names a game that does not exist. One that cannot be read exists.
    pub(super) fn check_named_game(&self, context: &CommandContext) -> Result<(), CommandFailure> {
        let Some(game) = context.game.as_deref() else { return Ok(()) };
        if let Err((CommandOutcome::Problems, _)) = self.find_or_fail(game) {
            return Ok(());
        }
        let (chosen, problems) =
            choose_enabled_mods(self.mods.clone(), &self.search_paths, Some(game), &[]);
        if chosen.is_empty() { Err((CommandOutcome::UsageError, problems)) } else { Ok(()) }
    }

    /// A mod with all mods that it needs, as far as they are found.
    pub(super) fn with_dependencies(&self, id: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut to_look = vec![id.to_owned()];
        while let Some(id) = to_look.pop() {
            if let Some(source) = self.get(&id)
                && all.insert(id)
            {
                to_look.extend(source.manifest.needed_mods.keys().cloned());
            }
        }
        all
    }

    /// Mods that are needed, directly or indirectly, and missing.
    pub(super) fn missing_dependencies(&self, id: &str) -> Vec<String> {
        let behind = self.with_dependencies(id);
        let sources = behind.iter().filter_map(|id| self.get(id));
        let needs: BTreeSet<&String> =
            sources.flat_map(|one| one.manifest.needed_mods.keys()).collect();
        needs.into_iter().filter(|need| self.get(need).is_none()).cloned().collect()
    }

    /// The games that a mod is made for; none if it works with any.
    pub(super) fn games_made_for(&self, id: &str) -> Vec<String> {
        let is_game = |id: &String| self.get(id).is_some_and(|source| source.manifest.is_game);
        self.with_dependencies(id).into_iter().filter(is_game).collect()
    }

    /// The games that need this mod, so that it is always on for them.
    pub(super) fn games_including(&self, id: &str) -> Vec<&str> {
        let games = self.mods.iter().filter(|source| source.manifest.is_game && source.id() != id);
        let stands = |game: &&str| {
            ids_with_dependencies(&self.mods, &[(*game).to_owned()]).iter().any(|need| need == id)
        };
        games.map(ModSource::id).filter(stands).collect()
    }

    /// The game whose part of the profile is changed for this mod.
    pub(super) fn game_whose_profile_part_changes(
        &self,
        context: &CommandContext,
        id: &str,
    ) -> Result<String, CommandFailure> {
        let named_game = context.game.as_deref();
        if let ([game], None) = (self.games_made_for(id).as_slice(), named_game) {
            return Ok(game.clone());
        }
        let (chosen, problems) =
            choose_enabled_mods(self.mods.clone(), &self.search_paths, named_game, &[]);
        let game = chosen.iter().find(|source| source.manifest.is_game);
        game.map(|game| game.id().to_owned()).ok_or((CommandOutcome::UsageError, problems))
    }
}

/// Turns mods on, and the mods they need.
pub fn switch_mods_on(
    context: &CommandContext,
    ids: &[String],
    json: bool,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    match plan_switch_on(context, ids) {
        Ok(plan) => apply_plan(context, plan, json, out),
        Err((outcome, problems)) => output::report_failure(out, json, outcome, &problems),
    }
}

/// Turns mods off.
pub fn switch_mods_off(
    context: &CommandContext,
    ids: &[String],
    json: bool,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    match plan_switch_off(context, ids) {
        Ok(plan) => apply_plan(context, plan, json, out),
        Err((outcome, problems)) => output::report_failure(out, json, outcome, &problems),
    }
}

/// Which mods are on for each game after the change, and messages about it.
struct SwitchPlan {
    mods_on: BTreeMap<String, Vec<String>>,
    messages: Vec<String>,
}

pub(super) fn read_profile(context: &CommandContext) -> Result<Profile, CommandFailure> {
    context
        .data_dir
        .read_profile_by_name(&context.profile_name)
        .map_err(|problem| (CommandOutcome::Problems, vec![problem]))
}

fn plan_switch_on(context: &CommandContext, ids: &[String]) -> Result<SwitchPlan, CommandFailure> {
    let (found, profile) = (FoundMods::discover(context), read_profile(context)?);
    let mut plan = SwitchPlan { mods_on: BTreeMap::new(), messages: Vec::new() };
    for id in ids {
        let source = found.find_or_fail(id)?;
        if source.manifest.is_game {
            let problem = Problem::error(Code::IsAGame, format!("{id} is a game"))
                .expected("a mod; games are always available")
                .hint(format!("play it with `sub-rosa --game {id}`"));
            return Err((CommandOutcome::UsageError, vec![problem]));
        }
        let game = found.game_whose_profile_part_changes(context, id)?;
        let on = plan
            .mods_on
            .entry(game.clone())
            .or_insert_with(|| profile.game_profile(&game).enabled_mods);
        if found.games_including(id).contains(&game.as_str()) {
            plan.messages.push(format!("{id} is part of {game} and always on"));
            continue;
        }
        for needed in found.with_dependencies(id) {
            let is_game = found.get(&needed).is_some_and(|source| source.manifest.is_game);
            let is_part_of_game = || found.games_including(&needed).contains(&game.as_str());
            if is_game || on.contains(&needed) || is_part_of_game() {
                continue;
            }
            plan.messages.push(match needed == *id {
                true => format!("{id} is on for {game}"),
                false => format!("{needed} is on for {game}: {id} needs it"),
            });
            on.push(needed);
        }
        if plan.messages.is_empty() {
            plan.messages.push(format!("{id} is already on for {game}"));
        }
    }
    for (game, on) in &plan.mods_on {
        // Missing mods that are on are reported by `mods` and at every start; they block nothing.
        let found_ids: Vec<String> =
            on.iter().filter(|id| found.get(id.as_str()).is_some()).cloned().collect();
        let (chosen, problems) =
            choose_enabled_mods(found.mods.clone(), &found.search_paths, Some(game), &found_ids);
        let set_aside = |problem: &Problem| {
            ids.iter().any(|id| problem.message.starts_with(&format!("{id} is left out")))
        };
        let wrong = problems.into_iter().filter(|p| p.severity == Severity::Error || set_aside(p));
        let mut wrong: Vec<Problem> = wrong.collect();
        if wrong.is_empty() {
            wrong = sort_into_load_order(chosen).err().unwrap_or_default();
        }
        if !wrong.is_empty() {
            return Err((CommandOutcome::Problems, wrong));
        }
    }
    Ok(plan)
}

fn plan_switch_off(context: &CommandContext, ids: &[String]) -> Result<SwitchPlan, CommandFailure> {
    let (found, profile) = (FoundMods::discover(context), read_profile(context)?);
    let mut plan = SwitchPlan { mods_on: BTreeMap::new(), messages: Vec::new() };
    for id in ids {
        let is_selected_game =
            |game: &str| context.game.as_deref().is_none_or(|wanted| wanted == game);
        let games: Vec<&String> = profile
            .games
            .iter()
            .filter(|(game, kept)| is_selected_game(game) && kept.enabled_mods.contains(id))
            .map(|(game, _)| game)
            .collect();
        if games.is_empty() {
            found.check_named_game(context)?;
            found.find_or_fail(id)?;
            plan.messages.push(match found.games_including(id).as_slice() {
                [] => format!("{id} is already off"),
                games => format!("{id} is part of {} and always on there", games.join(" and ")),
            });
        }
        for game in games {
            let on = plan
                .mods_on
                .entry(game.clone())
                .or_insert_with(|| profile.game_profile(game).enabled_mods);
            on.retain(|other| other != id);
            plan.messages.push(format!("{id} is off for {game}"));
        }
    }
    for on in plan.mods_on.values() {
        for id in ids {
            let needs = |other: &&String| found.with_dependencies(other).contains(id);
            let needing: Vec<&str> = on.iter().filter(needs).map(String::as_str).collect();
            if let [first, ..] = needing.as_slice() {
                let who = needing.join(" and ");
                let verb = if needing.len() == 1 { "needs" } else { "need" };
                let problem =
                    Problem::error(Code::NeededMod, format!("{who} {verb} {id}")).hint(format!(
                        "turn them off together: `sub-rosa mods off {id} {}{}`",
                        needing.join(" "),
                        context.mods_command_flags()
                    ));
                let place = found.get(first).map(|source| source.manifest_location("needs", id));
                let problem = Problem { place, ..problem };
                return Err((CommandOutcome::Problems, vec![problem]));
            }
        }
    }
    Ok(plan)
}

fn apply_plan(
    context: &CommandContext,
    plan: SwitchPlan,
    json: bool,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let SwitchPlan { mods_on: on, messages: said } = plan;
    let before = context.data_dir.read_profile_by_name(&context.profile_name).ok();
    let changes = on.iter().any(|(game, on)| {
        before.as_ref().is_none_or(|before| before.game_profile(game).enabled_mods != *on)
    });
    let done = match changes {
        true => context.data_dir.lock_profile(&context.profile_name).and_then(|(mut held, _)| {
            held.update_profile(|profile| {
                for (game, on) in &on {
                    profile.game_profile_mut(game).enabled_mods.clone_from(on);
                }
            })
        }),
        false => Ok(()),
    };
    if let Err(problem) = done {
        return output::report_failure(out, json, CommandOutcome::Problems, &[problem]);
    }
    match json {
        true => output::write_json(out, &serde_json::json!({ "on": on, "messages": said }))?,
        false => said.iter().try_for_each(|line| output::write_line(out, line))?,
    }
    Ok(CommandOutcome::Ok)
}
