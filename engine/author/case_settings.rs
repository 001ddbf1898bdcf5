//! Checks the settings of a case: whether its mods have them, and accept the values.

use super::case::Case;
use super::case_places::case_field;
use base::problem::{describe_alternatives, nearest_name};
use base::{Code, Problem};
use mods::ModSet;

/// The Problems of the settings of a case, each at its field. A case with further mods may have
/// settings of mods that are not among `mods`; those are not reported unless `has_all_mods`.
pub(crate) fn case_setting_problems(
    mods: &ModSet,
    case: &Case,
    has_all_mods: bool,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (id, values) in case.settings.as_map().into_iter().flatten() {
        let field = format!("settings.{id}");
        let Some(source) = mods.get(id) else {
            if has_all_mods {
                let problem = missing_mod_problem(mods, id);
                problems.push(problem.at(case_field(&field, 0)));
            }
            continue;
        };
        let Some(values) = values.as_map() else {
            let found = format!("the settings of `{id}` are {}", values.to_json());
            let problem = Problem::error(Code::BadCase, found);
            let problem = problem.expected(format!("settings = {{ {id} = {{ name = value }} }}"));
            problems.push(problem.at(case_field(&field, 0)));
            continue;
        };
        for (name, value) in values {
            let problem = match source.manifest.settings.get(&**name) {
                Some(setting) if setting.check_value(value).is_ok() => continue,
                Some(setting) => {
                    let value = value.to_json();
                    let found = format!("the setting `{name}` of `{id}` cannot be {value}");
                    Problem::error(Code::BadSetting, found).expected(setting.ty.describe_expected())
                }
                None => {
                    let names = || source.manifest.settings.keys().map(String::as_str);
                    let problem = Problem::error(
                        Code::UnknownSetting,
                        format!("`{id}` has no setting `{name}`"),
                    );
                    match names().next() {
                        Some(_) => problem.expected(describe_alternatives(name, names())),
                        None => problem.expected("no setting: its mod.toml declares none"),
                    }
                    .suggest_name(nearest_name(name, names()))
                }
            };
            problems.push(problem.at(case_field(&format!("{field}.{name}"), 0)));
        }
    }
    problems
}

/// Settings of a mod that does not take part.
fn missing_mod_problem(mods: &ModSet, id: &str) -> Problem {
    let ids = mods.ids();
    let near = nearest_name(id, ids.iter().map(String::as_str));
    let problem = Problem::error(Code::BadCase, format!("the case has no mod `{id}`"));
    let problem = problem.expected("a mod that takes part in the case");
    match near {
        Some(_) => problem.suggest_name(near),
        None => problem.hint(format!("add it to the case: `mods = {{ \"{id}\" }}`")),
    }
}
