//! The bots that `--bot` names: one, or one for each value of a parameter (`steady/without=*`).

use std::sync::Arc;

use super::option_grid::{MAX_RUN_GROUPS, RunGroup, too_many_groups_problem};
use base::problem::nearest_name;
use base::{Code, Problem, Value};
use content::Registry;
use session::{RANDOM_BOT_ID, declared_bot_parameters, format_bot_parameter, split_bot_parameters};

/// The value of a parameter that stands for each of its values, as in `--set`.
const EACH_VALUE: &str = "*";

/// The bots that play.
pub(super) struct SelectedBots {
    /// As a report names them.
    pub(super) name: String,
    /// A bot for each combination of values, with these values; empty if there is one bot.
    variants: Vec<(String, Vec<(String, String)>)>,
}

impl SelectedBots {
    /// The groups of runs, each for each of the bots.
    pub(super) fn with_groups(self, groups: &[RunGroup]) -> Result<Vec<RunGroup>, Problem> {
        if self.variants.is_empty() {
            return Ok(groups.to_vec());
        }
        let count = self.variants.len() * groups.len();
        if count > MAX_RUN_GROUPS {
            return Err(too_many_groups_problem(count));
        }
        let of_variant = |(bot, values): (String, Vec<(String, String)>)| {
            let groups = groups.iter().map(move |group| RunGroup {
                label: values.iter().chain(&group.label).cloned().collect(),
                bot: Some(bot.clone()),
                ..group.clone()
            });
            groups.collect::<Vec<_>>()
        };
        Ok(self.variants.into_iter().flat_map(of_variant).collect())
    }
}

/// Finds the bots of a text such as `steady`, `steady/without=brace` or `steady/without=*`.
pub(super) fn find_bots(
    registry: &Registry,
    written: Option<&str>,
) -> Result<SelectedBots, Problem> {
    let one =
        |written| Ok(SelectedBots { name: find_bot(registry, written)?, variants: Vec::new() });
    let Some(text) = written else { return one(None) };
    let (name, parameters) = split_bot_parameters(text);
    if !parameters.iter().any(|(_, value)| *value == EACH_VALUE) {
        return one(Some(text));
    }
    let id = find_bot(registry, Some(name))?;
    let declared = declared_bot_parameters(registry, &id);
    let mut variants = vec![(name.to_owned(), Vec::new())];
    for (parameter, value) in parameters {
        let all = declared.iter().find(|(of, _)| **of == *parameter && value == EACH_VALUE);
        // An unknown parameter is refused below.
        let values: Vec<String> = match all {
            Some((_, values)) => values.iter().map(format_bot_parameter).collect(),
            None => vec![value.to_owned()],
        };
        let extend = |(bot, labels): (String, Vec<(String, String)>)| {
            let variant = |value: &String| {
                let mut labels = labels.clone();
                labels.extend(all.map(|_| (parameter.to_owned(), value.clone())));
                (format!("{bot}/{parameter}={value}"), labels)
            };
            values.iter().map(variant).collect::<Vec<_>>()
        };
        variants = variants.into_iter().flat_map(extend).collect();
        if variants.len() > MAX_RUN_GROUPS {
            return Err(too_many_groups_problem(variants.len()));
        }
    }
    let checked =
        variants.into_iter().map(|(bot, labels)| Ok((find_bot(registry, Some(&bot))?, labels)));
    let variants = checked.collect::<Result<_, Problem>>()?;
    Ok(SelectedBots { name: format!("{id}{}", &text[name.len()..]), variants })
}

/// A bot without its parameters that stand for each value, as `--optimize` tries all of them.
pub(super) fn drop_free_parameters(written: &str) -> String {
    let is_fixed = |part: &&str| part.split_once('=').is_none_or(|(_, value)| value != EACH_VALUE);
    written.split('/').filter(is_fixed).collect::<Vec<_>>().join("/")
}

/// Finds a bot by id or name, with its parameters; without a name, the first bot of the game.
pub(super) fn find_bot(registry: &Registry, name: Option<&str>) -> Result<String, Problem> {
    let mut bots = registry.active_definitions("bot").map(|bot| bot.id.to_string());
    let Some(written) = name else {
        return Ok(bots.next().unwrap_or_else(|| RANDOM_BOT_ID.to_owned()));
    };
    let (name, bot_parameters) = split_bot_parameters(written);
    if name == RANDOM_BOT_ID {
        let wrong = bot_parameters.iter().find_map(|one| bot_parameter_problem(name, &[], one));
        return wrong.map_or_else(|| Ok(RANDOM_BOT_ID.to_owned()), Err);
    }
    let short = |id: &String| id.split(':').next_back() == Some(name);
    if let Some(bot) = bots.find(|id| id == name || short(id)) {
        let declared = declared_bot_parameters(registry, &bot);
        return match bot_parameters
            .iter()
            .find_map(|one| bot_parameter_problem(name, &declared, one))
        {
            Some(problem) => Err(problem),
            None => Ok(format!("{bot}{}", &written[name.len()..])),
        };
    }
    let names: Vec<&str> = registry.active_definitions("bot").map(|bot| bot.id.name()).collect();
    let mut problem = Problem::error(Code::NoSuchBot, format!("there is no bot \"{name}\""));
    let others = names.iter().map(|name| format!(", {name}"));
    problem = problem.expected(format!("one of {RANDOM_BOT_ID}{}", others.collect::<String>()));
    Err(problem.suggest_name(nearest_name(name, names)))
}

/// The Problem of a wrong parameter of a bot.
fn bot_parameter_problem(
    bot: &str,
    declared: &[(Arc<str>, Vec<Value>)],
    (name, value): &(&str, &str),
) -> Option<Problem> {
    let found = declared.iter().find(|(of, _)| **of == **name);
    let values: Vec<String> =
        found.map_or(Vec::new(), |(_, values)| values.iter().map(format_bot_parameter).collect());
    if values.iter().any(|one| one == value) {
        return None;
    }
    let (found, expected) = match found {
        Some(_) => (
            format!("the bot \"{bot}\" cannot play with {name}={value}"),
            values.iter().map(|value| format!("{name}={value}")).collect::<Vec<_>>().join(", "),
        ),
        None => (
            format!("the bot \"{bot}\" has no parameter \"{name}\""),
            match declared.iter().map(|(name, _)| &**name).collect::<Vec<_>>()[..] {
                [] => "the name alone: it has no parameters".to_owned(),
                ref names => format!("one of {}", names.join(", ")),
            },
        ),
    };
    Some(Problem::error(Code::NoSuchBot, found).expected(expected))
}
