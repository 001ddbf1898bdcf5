//! `mods remove`: removes an installed mod.

use std::io;

use super::install_target::InstallTarget;
use super::{
    ConfirmFn, ExistingMod, command_failure, existing_mod, location_text, player_mods_folder,
    unfinished_run_messages, usage_error, write_error_failure,
};
use crate::CommandOutput;
use crate::switch_mods::{CommandFailure, FoundMods};
use crate::{CommandContext, CommandOutcome, CommandResult, output};
use base::id::check_mod_id;
use base::{Code, Problem};

/// The arguments of `mods remove`.
#[derive(Clone, Debug)]
pub struct RemoveRequest {
    /// The id of the mod.
    pub id: String,
    /// Whether to remove without asking.
    pub skips_confirmation: bool,
    /// Whether to print JSON.
    pub json: bool,
}

/// Removes a mod.
pub fn remove_mod(
    context: &CommandContext,
    request: &RemoveRequest,
    ask: &mut ConfirmFn<'_>,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    match ask_and_remove(context, request, ask)? {
        Ok(said) if request.json => {
            output::write_json(out, &serde_json::json!({ "id": request.id, "messages": said }))?
        }
        Ok(said) => said.iter().try_for_each(|line| output::write_line(out, line))?,
        Err((outcome, problems)) => {
            return output::report_failure(out, request.json, outcome, &problems);
        }
    }
    Ok(CommandOutcome::Ok)
}

fn ask_and_remove(
    context: &CommandContext,
    request: &RemoveRequest,
    ask: &mut ConfirmFn<'_>,
) -> io::Result<Result<Vec<String>, CommandFailure>> {
    let found = player_mods_folder(context).and_then(|mods| {
        // An invalid id must not become part of a path.
        if check_mod_id(&request.id).is_err() {
            FoundMods::discover(context).find_or_fail(&request.id)?;
        }
        let install_target = InstallTarget::open(&mods, &request.id)
            .map_err(|why| write_error_failure(&mods, &why))?;
        find_removable_mod(context, &request.id).map(|there| (install_target, there))
    });
    let (install_target, ExistingMod { source, path }) = match found {
        Ok(found) => found,
        Err(refused) => return Ok(Err(refused)),
    };
    let id = &request.id;
    let path_text = path.display();
    let name_and_version =
        source.map_or_else(|| id.clone(), |source| format!("{id} {}", source.manifest.version));
    let mut question = vec![format!("{name_and_version} is installed in {path_text}")];
    question.extend(unfinished_run_messages(context, id));
    let question = format!("{}. Remove it?", question.join("; "));
    if !request.skips_confirmation && !ask(&question)? {
        let found = format!("{name_and_version} was not removed; nothing was changed");
        let problem =
            Problem::error(Code::NotRemoved, found).expected(format!("yes to: {question}"));
        return Ok(Err(command_failure(problem.hint("answer yes, or pass --yes"))));
    }
    if let Err(why) = install_target.remove_installed(&path) {
        return Ok(Err(write_error_failure(&path, &why)));
    }
    let mut messages = vec![format!("{name_and_version} is removed from {path_text}")];
    messages.extend(switch_off_everywhere(context, id));
    if let Some(other) = FoundMods::discover(context).get(id) {
        messages.push(format!(
            "Another copy of {id} {} is in {}",
            other.manifest.version,
            location_text(other)
        ));
    }
    Ok(Ok(messages))
}

/// The installed mod, or why it cannot be removed.
fn find_removable_mod(context: &CommandContext, id: &str) -> Result<ExistingMod, CommandFailure> {
    let found = FoundMods::discover(context);
    let Some(existing) = existing_mod(context, id)? else {
        let other = found.find_or_fail(id)?;
        let problem = Problem::error(
            Code::NotInstalledHere,
            format!("{id} is not installed there: it is in {}", location_text(other)),
        );
        let problem =
            problem.expected(format!("a mod in {}", player_mods_folder(context)?.display()));
        return Err(usage_error(
            problem.hint("nothing was changed: `mods remove` removes only mods of that folder; delete others by hand"),
        ));
    };
    let profiles = context.data_dir.list_profiles().unwrap_or_default();
    let on: Vec<String> = profiles
        .iter()
        .filter_map(|line| line.profile.as_ref().ok())
        .flat_map(|profile| profile.games.values().flat_map(|kept| kept.enabled_mods.clone()))
        .collect();
    let needs = |one: &&mods::ModSource| {
        one.id() != id
            && one.manifest.needed_mods.contains_key(id)
            && (one.manifest.is_game || on.iter().any(|on| on == one.id()))
    };
    let needing: Vec<_> = found.mods.iter().filter(needs).collect();
    if let [first, ..] = needing.as_slice() {
        let who = needing.iter().map(|one| one.id()).collect::<Vec<_>>().join(" and ");
        let verb = if needing.len() == 1 { "needs" } else { "need" };
        let problem =
            Problem::error(Code::NeededMod, format!("{who} {verb} {id}; nothing was changed"));
        let problem = problem.at(first.manifest_location("needs", id));
        return Err(command_failure(problem.hint(format!("turn {who} off first, or remove it"))));
    }
    Ok(existing)
}

/// Turns the mod off for all players, so that no start reports it as missing.
fn switch_off_everywhere(context: &CommandContext, id: &str) -> Vec<String> {
    let mut messages = Vec::new();
    for line in context.data_dir.list_profiles().unwrap_or_default() {
        let Ok(profile) = line.profile else { continue };
        let on = profile.games.values().any(|kept| kept.enabled_mods.iter().any(|on| on == id));
        if !on {
            continue;
        }
        let done = context.data_dir.lock_profile(&profile.name).and_then(|(mut held, _)| {
            held.update_profile(|profile| {
                for game in profile.games.keys().cloned().collect::<Vec<_>>() {
                    profile.game_profile_mut(&game).enabled_mods.retain(|on| on != id);
                }
            })
        });
        messages.push(match done {
            Ok(()) => format!("it is off for {}", profile.name),
            Err(problem) => format!("it is still on for {}: {}", profile.name, problem.message),
        });
    }
    messages
}
