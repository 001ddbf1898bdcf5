//! `mods set` and `mods unset`: settings of a mod, stored in the profile for its game. A value is
//! accepted only if it fits the mod's manifest.

use std::sync::Arc;

use super::listing::setting_line;
use super::mods::{Found, Refused, profile};
use super::{Bench, Done, Outcome, told};
use crate::kit::problem::nearest;
use crate::kit::value::Map;
use crate::kit::{Problem, Value};
use crate::mods::{ModSource, Setting, SettingType};
use crate::save::{GameProfile, Profile};
use crate::workshop::Out;

/// The arguments of `mods set` and `mods unset`; without a value the setting is shown.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// The id of the mod.
    pub id: String,
    /// The setting; without it, all are shown.
    pub name: Option<String>,
    /// The new value, as typed.
    pub value: Option<String>,
    /// Whether to reset the setting to its default.
    pub back: bool,
    /// Whether to print JSON.
    pub json: bool,
}

/// Shows or changes the settings of a mod.
pub fn set(bench: &Bench, asked: &Set, out: &mut dyn Out) -> Done {
    match change(bench, asked) {
        Ok(lines) if asked.json => {
            told::json(out, &serde_json::json!({ "said": lines }))?;
            Ok(Outcome::Ok)
        }
        Ok(lines) => {
            lines.iter().try_for_each(|line| told::line(out, line))?;
            Ok(Outcome::Ok)
        }
        Err((outcome, problems)) => told::refuse(out, asked.json, outcome, &problems),
    }
}

fn change(bench: &Bench, asked: &Set) -> Result<Vec<String>, Refused> {
    let found = Found::look(bench);
    let source = found.want(&asked.id)?;
    let settings = &source.manifest.settings;
    let Some(name) = &asked.name else {
        let profile = profile(bench)?;
        if settings.is_empty() {
            return Ok(vec![format!("{} has no settings", asked.id)]);
        }
        let line =
            |(name, setting): (&String, &Setting)| setting_line(&profile, source, name, setting);
        return Ok(settings.iter().map(line).collect());
    };
    let kept = || profile(bench).is_ok_and(|profile| is_kept(&profile, &asked.id, name));
    let setting = match settings.get(name) {
        Some(setting) => setting,
        // A stored value of a setting that the mod no longer has can be removed.
        None if asked.back && kept() => return take_back(bench, &found, &asked.id, name),
        None => return Err(unknown(source, name)),
    };
    let value = match (&asked.value, asked.back) {
        (Some(typed), false) => Some(read(source, name, setting, typed)?),
        (_, true) => None,
        (None, false) => {
            return Ok(vec![setting_line(&profile(bench)?, source, name, setting)]);
        }
    };
    keep(bench, &found, &asked.id, name, value.as_ref())?;
    let (value, whose) = match &value {
        Some(value) => (value, ""),
        None => (&setting.default, " (the default)"),
    };
    let said = format!("{} {name} = {}{whose}, from the next run on", asked.id, value.to_json());
    Ok(vec![said])
}

/// Removes the stored value of a setting that the mod no longer has.
fn take_back(bench: &Bench, found: &Found, id: &str, name: &str) -> Result<Vec<String>, Refused> {
    keep(bench, found, id, name, None)?;
    Ok(vec![format!("{id} {name} is no longer set")])
}

fn is_kept(profile: &Profile, id: &str, name: &str) -> bool {
    let of = |kept: &GameProfile| kept.settings.get(id).is_some_and(|own| own.get(name).is_some());
    profile.games.values().any(of)
}

fn keep(
    bench: &Bench,
    found: &Found,
    id: &str,
    name: &str,
    value: Option<&Value>,
) -> Result<(), Refused> {
    let game = found.game_for(bench, id)?;
    let held = bench.data_dir.lock_profile(&bench.profile);
    let done = held.and_then(|(mut held, _)| {
        held.change(|profile| put(&mut profile.game_mut(&game).settings, id, name, value))
    });
    done.map_err(|problem| (Outcome::Problems, vec![problem]))
}

fn unknown(source: &ModSource, name: &str) -> Refused {
    let names = || source.manifest.settings.keys().map(String::as_str);
    let message = format!("{} has no setting \"{name}\"", source.id());
    let problem = Problem::error("unknown-setting", message);
    let problem = match names().count() {
        0 => problem.expected("nothing: the mod has no settings"),
        _ => problem.expected(format!("one of {}", names().collect::<Vec<_>>().join(", "))),
    };
    let problem = problem.did_you_mean(nearest(name, names()));
    (Outcome::Usage, vec![problem])
}

/// Parses a value as the type of the setting.
fn read(source: &ModSource, name: &str, setting: &Setting, typed: &str) -> Result<Value, Refused> {
    let value = match &setting.ty {
        SettingType::Boolean => typed.parse().ok().map(Value::Bool),
        SettingType::Integer { .. } => typed.parse().ok().map(Value::Int),
        SettingType::Text | SettingType::OneOf(_) => Some(Value::text(typed)),
    };
    let value = value.filter(|value| setting.accepts(value).is_ok());
    value.ok_or_else(|| {
        let message = format!("{} {name} cannot be {typed:?}", source.id());
        let problem = Problem::error("bad-setting", message)
            .at(source.manifest_place(&format!("settings.{name}"), name))
            .expected(setting.ty.wanted());
        (Outcome::Usage, vec![problem])
    })
}

/// Sets or removes a value in the settings of a mod.
fn put(kept: &mut Value, id: &str, name: &str, value: Option<&Value>) {
    let mut all = kept.as_map().cloned().unwrap_or_default();
    let own = all.get(id).and_then(Value::as_map).cloned();
    let mut own: Map = own.unwrap_or_default();
    match value {
        Some(value) => drop(own.insert(Arc::from(name), value.clone())),
        None => drop(own.remove(name)),
    }
    match own.is_empty() {
        true => drop(all.remove(id)),
        false => drop(all.insert(Arc::from(id), Value::Map(own))),
    }
    *kept = Value::Map(all);
}
