//! `mods set` and `mods unset`: settings of a mod, stored in the profile for its game. A value is
//! accepted only if it fits the mod's manifest.

use std::sync::Arc;

use super::list_mods::setting_line;
use super::switch_mods::{CommandFailure, FoundMods, read_profile};
use super::{CommandContext, CommandOutcome, CommandResult, output};
use crate::CommandOutput;
use base::problem::nearest_name;
use base::value::ValueMap;
use base::{Code, Problem, Value};
use mods::{ModSource, Setting, SettingType};
use save::{GameProfile, Profile};

/// The arguments of `mods set` and `mods unset`; without a value the setting is shown.
#[derive(Clone, Debug, Default)]
pub struct SetRequest {
    /// The id of the mod.
    pub id: String,
    /// The setting; without it, all are shown.
    pub name: Option<String>,
    /// The new value, as typed.
    pub value: Option<String>,
    /// Whether to reset the setting to its default.
    pub resets_to_default: bool,
    /// Whether to print JSON.
    pub json: bool,
}

/// Shows or changes the settings of a mod.
pub fn change_setting(
    context: &CommandContext,
    request: &SetRequest,
    out: &mut dyn CommandOutput,
) -> CommandResult {
    match apply_change(context, request) {
        Ok(lines) if request.json => {
            output::write_json(out, &serde_json::json!({ "messages": lines }))?;
            Ok(CommandOutcome::Ok)
        }
        Ok(lines) => {
            lines.iter().try_for_each(|line| output::write_line(out, line))?;
            Ok(CommandOutcome::Ok)
        }
        Err((outcome, problems)) => output::report_failure(out, request.json, outcome, &problems),
    }
}

fn apply_change(
    context: &CommandContext,
    request: &SetRequest,
) -> Result<Vec<String>, CommandFailure> {
    let found = FoundMods::discover(context);
    let source = found.find_or_fail(&request.id)?;
    let settings = &source.manifest.settings;
    let Some(name) = &request.name else {
        let profile = read_profile(context)?;
        if settings.is_empty() {
            return Ok(vec![format!("{} has no settings", request.id)]);
        }
        let line =
            |(name, setting): (&String, &Setting)| setting_line(&profile, source, name, setting);
        return Ok(settings.iter().map(line).collect());
    };
    let is_value_stored =
        || read_profile(context).is_ok_and(|profile| is_stored(&profile, &request.id, name));
    let setting = match settings.get(name) {
        Some(setting) => setting,
        // A stored value of a setting that the mod no longer has can be removed.
        None if request.resets_to_default && is_value_stored() => {
            return unset_removed_setting(context, &found, &request.id, name);
        }
        None => return Err(unknown_setting_failure(source, name)),
    };
    let value = match (&request.value, request.resets_to_default) {
        (Some(typed), false) => Some(parse_value(source, name, setting, typed)?),
        (_, true) => None,
        (None, false) => {
            return Ok(vec![setting_line(&read_profile(context)?, source, name, setting)]);
        }
    };
    store_value(context, &found, &request.id, name, value.as_ref())?;
    let (value, whose) = match &value {
        Some(value) => (value, ""),
        None => (&setting.default, " (the default)"),
    };
    let message =
        format!("{} {name} = {}{whose}, from the next run on", request.id, value.to_json());
    Ok(vec![message])
}

/// Removes the stored value of a setting that the mod no longer has.
fn unset_removed_setting(
    context: &CommandContext,
    found: &FoundMods,
    id: &str,
    name: &str,
) -> Result<Vec<String>, CommandFailure> {
    store_value(context, found, id, name, None)?;
    Ok(vec![format!("{id} {name} is no longer set")])
}

fn is_stored(profile: &Profile, id: &str, name: &str) -> bool {
    let has_value =
        |kept: &GameProfile| kept.settings.get(id).is_some_and(|own| own.get(name).is_some());
    profile.games.values().any(has_value)
}

fn store_value(
    context: &CommandContext,
    found: &FoundMods,
    id: &str,
    name: &str,
    value: Option<&Value>,
) -> Result<(), CommandFailure> {
    let game = found.game_whose_profile_part_changes(context, id)?;
    let locked_profile = context.data_dir.lock_profile(&context.profile_name);
    let done = locked_profile.and_then(|(mut held, _)| {
        held.update_profile(|profile| {
            put_value(&mut profile.game_profile_mut(&game).settings, id, name, value)
        })
    });
    done.map_err(|problem| (CommandOutcome::Problems, vec![problem]))
}

fn unknown_setting_failure(source: &ModSource, name: &str) -> CommandFailure {
    let names = || source.manifest.settings.keys().map(String::as_str);
    let message = format!("{} has no setting \"{name}\"", source.id());
    let problem = Problem::error(Code::UnknownSetting, message);
    let problem = match names().count() {
        0 => problem.expected("nothing: the mod has no settings"),
        _ => problem.expected(format!("one of {}", names().collect::<Vec<_>>().join(", "))),
    };
    let problem = problem.suggest_name(nearest_name(name, names()));
    (CommandOutcome::UsageError, vec![problem])
}

/// Parses a value as the type of the setting.
fn parse_value(
    source: &ModSource,
    name: &str,
    setting: &Setting,
    typed: &str,
) -> Result<Value, CommandFailure> {
    let value = match &setting.ty {
        SettingType::Boolean => typed.parse().ok().map(Value::Bool),
        SettingType::Integer { .. } => typed.parse().ok().map(Value::Int),
        SettingType::Text | SettingType::OneOf(_) => Some(Value::text(typed)),
    };
    let value = value.filter(|value| setting.check_value(value).is_ok());
    value.ok_or_else(|| {
        let message = format!("{} {name} cannot be {typed:?}", source.id());
        let problem = Problem::error(Code::BadSetting, message)
            .at(source.manifest_location(&format!("settings.{name}"), name))
            .expected(setting.ty.describe_expected());
        (CommandOutcome::UsageError, vec![problem])
    })
}

/// Sets or removes a value in the settings of a mod.
fn put_value(settings: &mut Value, id: &str, name: &str, value: Option<&Value>) {
    let mut all = settings.as_map().cloned().unwrap_or_default();
    let own = all.get(id).and_then(Value::as_map).cloned();
    let mut own: ValueMap = own.unwrap_or_default();
    match value {
        Some(value) => drop(own.insert(Arc::from(name), value.clone())),
        None => drop(own.remove(name)),
    }
    match own.is_empty() {
        true => drop(all.remove(id)),
        false => drop(all.insert(Arc::from(id), Value::Map(own))),
    }
    *settings = Value::Map(all);
}
