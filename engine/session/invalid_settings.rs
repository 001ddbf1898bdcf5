//! Reports settings of a player that the mod no longer accepts after an update. The value stays in
//! the profile and applies again if the mod accepts it again.

use base::text::display_value;
use base::{Code, Problem, Value};
use mods::ModSet;

/// One warning for each stored value that does not apply. The told commands end with the flags.
pub(super) fn invalid_setting_warnings(
    mods: &ModSet,
    stored_settings: &Value,
    command_flags: &str,
) -> Vec<Problem> {
    let mut warnings = Vec::new();
    for source in &mods.mods {
        let mod_settings = stored_settings.get(source.id()).and_then(Value::as_map);
        for (name, value) in mod_settings.into_iter().flatten() {
            let (id, stored_value) = (source.id(), display_value(value));
            let place = || source.manifest_location(&format!("settings.{name}"), name);
            let problem = |found: String, hint: String| {
                Problem::warning(Code::UnfitSetting, found).at(place()).hint(hint)
            };
            match source.manifest.settings.get(&**name) {
                Some(setting) if setting.check_value(value).is_ok() => {}
                Some(setting) => warnings.push(
                    problem(
                        format!(
                            "your setting {name} of {id} is {stored_value}, which {id} {} no longer accepts; \
                             the default {} is used",
                            source.manifest.version,
                            display_value(&setting.default)
                        ),
                        format!("set it again: `sub-rosa mods set {id} {name} VALUE{command_flags}`"),
                    )
                    .expected(setting.ty.describe_expected()),
                ),
                None => warnings.push(problem(
                    format!(
                        "you have set {name} of {id} to {stored_value}, and {id} {} has no such setting",
                        source.manifest.version
                    ),
                    format!("remove it: `sub-rosa mods unset {id} {name}{command_flags}`"),
                )),
            }
        }
    }
    warnings
}

/// The new warnings when the mods of a run change.
pub(super) fn newly_invalid_setting_warnings(
    before: &ModSet,
    now: &ModSet,
    stored_settings: &Value,
) -> Vec<Problem> {
    let known = invalid_setting_warnings(before, stored_settings, "");
    let is_new = |one: &Problem| known.iter().all(|known| known.message != one.message);
    invalid_setting_warnings(now, stored_settings, "").into_iter().filter(is_new).collect()
}
