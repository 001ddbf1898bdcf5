//! Checks prompts and views that are written out: whether their fields are ones that front ends
//! know. Reports what would fail at run time.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::suits::{Suits, Wrong};
use crate::content::Datum;
use crate::kit::Problem;
use crate::kit::problem::nearest;
use crate::kit::text;
use crate::script::Vm;
use crate::workshop::lua::{Facts, Said, Shown, Sort, Table};

/// Checks prompts and views.
pub(super) fn look(vm: &Vm, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let suits = Suits { registry: vm.registry(), whole: true };
    let types = ["Prompt", "View", "Choice", "Widget"].map(|name| vm.type_named("", "", name));
    let mut problems = Vec::new();
    for facts in facts {
        for one in &facts.uses.shown {
            let Some(ty) = &types[one.sort as usize] else { continue };
            for wrong in suits.look(ty, &one.said, one.line) {
                problems.push(problem(one.sort, &wrong).at(facts.place(wrong.line)));
            }
            problems.extend(handlers(vm, facts, one));
            problems.extend(ends(one).map(|problem| problem.at(facts.place(one.line))));
            problems.extend(twice(facts, one));
            problems.extend(unfilled(one).map(|problem| problem.at(facts.place(one.line))));
        }
    }
    problems
}

/// The Problem as the run would report it.
fn problem(sort: Sort, wrong: &Wrong) -> Problem {
    let root = match sort {
        Sort::Prompt => "prompt",
        Sort::View => "view",
        Sort::Choice => "the choice",
        Sort::Widget => "the widget",
    };
    let way = format!("{root}{}", wrong.way);
    let (of, name) = way.rsplit_once('.').unwrap_or((root, &way));
    let problem = match &wrong.found {
        Some(found) => Problem::error("wrong-type", format!("{way} is {found}")),
        None if wrong.missing => Problem::error("missing-field", format!("{of} has no {name}")),
        None => Problem::error("unknown-field", format!("{of} has a field {name:?}")),
    };
    let expected = match wrong.missing {
        true => format!("{name}: {}", wrong.expected),
        false => wrong.expected.clone(),
    };
    problem.expected(expected).maybe_hint(wrong.hint.clone())
}

/// Two choices with the same id that are both always present.
fn twice(facts: &Facts, one: &Shown) -> Vec<Problem> {
    let (Sort::Prompt, Said::Table(prompt)) = (one.sort, &one.said) else { return Vec::new() };
    let Some(Said::Table(choices)) = prompt.said("choices") else { return Vec::new() };
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut problems = Vec::new();
    for (line, choice) in &choices.items {
        let Said::Table(choice) = choice else { continue };
        let Some(Said::Text(Some(id))) = choice.said("id") else { continue };
        match seen.get(&**id) {
            Some(first) => {
                let found = format!("two choices of the prompt have the id {id:?}");
                let problem = Problem::error("duplicate-id", found).at(facts.place(*line));
                let problem = problem.expected("unique ids within the prompt");
                problems.push(problem.by_way_of(facts.place(*first)));
            }
            None => drop(seen.insert(id, *line)),
        }
    }
    problems
}

/// A mark of a question that nothing fills.
fn unfilled(one: &Shown) -> Option<Problem> {
    let (Sort::Prompt, Said::Table(prompt)) = (one.sort, &one.said) else { return None };
    let Some(Said::Text(Some(written))) = prompt.said("text") else { return None };
    let values = match prompt.said("values") {
        None if !prompt.open => Vec::new(),
        Some(Said::Table(values)) if !values.open => {
            values.named.iter().map(|(name, ..)| &**name).collect()
        }
        _ => return None,
    };
    let mark = text::unfilled(written, &values)?;
    let problem = Problem::error("unfilled-mark", format!("prompt.text has a mark {{{mark}}}"));
    let problem = problem.expected("values beside the text: `values = { … }`");
    Some(problem.did_you_mean(nearest(mark, values.iter().copied())))
}

/// A question for a number without a range.
fn ends(one: &Shown) -> Option<Problem> {
    let (Sort::Prompt, Said::Table(prompt)) = (one.sort, &one.said) else { return None };
    if let (Some(Said::Number(Some(min))), Some(Said::Number(Some(max)))) =
        (prompt.said("min"), prompt.said("max"))
        && min > max
    {
        let found = format!("prompt asks for at least {min} and at most {max}");
        return Some(Problem::error("dead-end", found).expected("min no larger than max"));
    }
    let number = Said::Text(Some("number".to_owned()));
    let asks = prompt.said("ask") == Some(&number) && !prompt.open;
    let missing = ["min", "max"].into_iter().find(|name| prompt.said(name).is_none());
    let missing = missing.filter(|_| asks)?;
    let found = format!("prompt has no {missing}");
    Some(Problem::error("missing-field", found).expected(format!("{missing}: a whole number")))
}

/// Choices without a handler, of a scene that is named beside them.
fn handlers(vm: &Vm, facts: &Facts, one: &Shown) -> Vec<Problem> {
    let found = |scene: &String| vm.registry().get("scene", &format!("{}:{scene}", facts.owner));
    let Some(scene) = one.scene.as_ref().and_then(found) else { return Vec::new() };
    let Some(Datum::Map(on)) = scene.get("on") else { return Vec::new() };
    let choices: Vec<(u32, &Table)> = match (&one.sort, &one.said) {
        (Sort::Choice, Said::Table(choice)) => vec![(one.line, choice)],
        (Sort::Prompt, Said::Table(prompt)) => match (prompt.said("ask"), prompt.said("choices")) {
            (None, Some(Said::Table(choices))) => {
                let items = choices.items.iter().filter_map(|(line, said)| match said {
                    Said::Table(choice) => Some((*line, choice)),
                    _ => None,
                });
                items.collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let problems = choices.into_iter().filter_map(|(line, choice)| {
        let said = choice.said("on").or_else(|| choice.said("id"))?;
        let Said::Text(Some(name)) = said else { return None };
        // A choice that is always disabled is never taken.
        let shut = matches!(choice.said("disabled_because"), Some(Said::Text(_)));
        if choice.open || shut || on.contains_key(name) {
            return None;
        }
        let found = format!("the scene {} has no handler {name:?}", scene.id);
        let problem = Problem::error("missing-handler", found).at(facts.place(line));
        let problem = problem.expected(format!("on = {{ {name} = function(input) … end }}"));
        Some(problem.did_you_mean(nearest(name, on.keys().map(|name| &**name))))
    });
    problems.collect()
}
