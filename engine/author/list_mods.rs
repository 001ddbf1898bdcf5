//! `mods` without a subcommand: lists the mods, their games, which are on, and their settings.

use serde_json::json;

use super::switch_mods::{FoundMods, read_profile};
use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::CommandOutput;
use base::{Problem, Value};
use mods::{ModOrigin, ModSource, Setting};
use save::Profile;

/// Lists the mods that are found.
pub fn list_mods(
    context: &CommandContext,
    as_json: bool,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    let found = FoundMods::discover(context);
    if let Err((outcome, problems)) = found.check_named_game(context) {
        return output::report_failure(out, as_json, outcome, &problems);
    }
    let profile = match read_profile(context) {
        Ok(profile) => profile,
        Err((outcome, problems)) => {
            return output::report_failure(out, as_json, outcome, &problems);
        }
    };
    let mut problems = found.problems.clone();
    problems.extend(missing_mod_problems(&found, &profile, &context.mods_command_flags()));
    let mut reported = Vec::new();
    problems.retain(|problem| {
        let new = !reported.contains(problem);
        reported.push(problem.clone());
        new
    });
    let outcome = if problems.is_empty() { CommandOutcome::Ok } else { CommandOutcome::Problems };
    if as_json {
        let mods: Vec<_> = found.mods.iter().map(|one| mod_json(&found, &profile, one)).collect();
        output::write_json(out, &json!({ "mods": mods, "problems": problems }))?;
        return Ok(outcome);
    }
    for source in &found.mods {
        let (id, manifest) = (source.id(), &source.manifest);
        let on = games_with_mod_on(&profile, id);
        let comes_with = found.games_including(id);
        let mark = match (manifest.is_game, on.is_empty() && comes_with.is_empty()) {
            (true, _) => "game",
            (false, false) => "on",
            (false, true) if manifest.is_translation() => "lang",
            (false, true) => "off",
        };
        let made_for = found.games_made_for(id);
        let gone = found.missing_dependencies(id);
        let made_for = match (manifest.is_game, gone.as_slice(), made_for.as_slice()) {
            (_, [_, ..], _) => format!(", needs {}, which is missing", gone.join(" and ")),
            (true, ..) => String::new(),
            _ if !comes_with.is_empty() => format!(", part of {}", comes_with.join(" and ")),
            (false, _, []) => ", for any game".to_owned(),
            (false, _, games) => format!(", for {}", games.join(" and ")),
        };
        let language = manifest.language.as_ref();
        let language = language.map_or(String::new(), |code| format!(", translates into {code}"));
        let older = manifest.older_engine().map(|engine| format!(", made for engine {engine}"));
        let older = older.unwrap_or_default();
        let version = &manifest.version;
        let line = format!("{mark:<5}{id} {version}  {}{made_for}{language}{older}", manifest.name);
        output::write_line(out, &line)?;
        if let Some(description) = &manifest.description {
            output::write_line(out, &format!("       {description}"))?;
        }
        for (name, setting) in &manifest.settings {
            output::write_line(
                out,
                &format!("       {}", setting_line(&profile, source, name, setting)),
            )?;
        }
    }
    if !problems.is_empty() {
        output::write_problems(out.error_output(), &problems)?;
    }
    Ok(outcome)
}

/// Mods that are on but missing.
fn missing_mod_problems(found: &FoundMods, profile: &Profile, command_flags: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (game, kept) in &profile.games {
        for id in kept.enabled_mods.iter().filter(|id| found.get(id.as_str()).is_none()) {
            problems.push(session::missing_mod_problem(id, game, command_flags));
        }
    }
    problems
}

/// The games that a mod is on for.
fn games_with_mod_on(profile: &Profile, id: &str) -> Vec<String> {
    let on = profile.games.iter().filter(|(_, kept)| kept.enabled_mods.iter().any(|on| on == id));
    on.map(|(game, _)| game.clone()).collect()
}

/// The value of a setting and whether the player set it. A stored value that no longer fits is
/// ignored.
pub(super) fn current_value<'v>(
    profile: &'v Profile,
    id: &str,
    name: &str,
    setting: &'v Setting,
) -> (&'v Value, bool) {
    let stored_value =
        profile.games.values().filter_map(|kept| kept.settings.get(id)?.get(name)).next();
    match stored_value.filter(|value| setting.check_value(value).is_ok()) {
        Some(value) => (value, true),
        None => (&setting.default, false),
    }
}

/// Formats a setting on one line.
pub(super) fn setting_line(
    profile: &Profile,
    source: &ModSource,
    name: &str,
    setting: &Setting,
) -> String {
    let (value, set) = current_value(profile, source.id(), name, setting);
    let wanted = setting.ty.describe_expected();
    let default = match set {
        true => format!("{wanted}; default {}", setting.default.to_json()),
        false => wanted,
    };
    let doc = if setting.doc.is_empty() { String::new() } else { format!("  {}", setting.doc) };
    format!("{name} = {}  ({default}){doc}", value.to_json())
}

fn mod_json(found: &FoundMods, profile: &Profile, source: &ModSource) -> serde_json::Value {
    let manifest = &source.manifest;
    let settings: serde_json::Map<String, serde_json::Value> = manifest
        .settings
        .iter()
        .map(|(name, setting)| {
            let (value, _) = current_value(profile, source.id(), name, setting);
            let page = json!({
                "value": value, "default": setting.default, "wanted": setting.ty.describe_expected(),
                "label": setting.label, "doc": setting.doc,
            });
            (name.clone(), page)
        })
        .collect();
    let origin = match &source.origin {
        ModOrigin::Folder(path) | ModOrigin::Archive(path) => path.display().to_string(),
        ModOrigin::Embedded => "the program".to_owned(),
        ModOrigin::ContentStore => "the store".to_owned(),
    };
    json!({
        "id": manifest.id, "name": manifest.name, "version": manifest.version.to_string(),
        "game": manifest.is_game, "language": manifest.language,
        "older_engine": manifest.older_engine(), "for": found.games_made_for(source.id()),
        "comes_with": found.games_including(source.id()),
        "on": games_with_mod_on(profile, source.id()), "origin": origin, "digest": source.digest.to_string(),
        "settings": settings,
    })
}
