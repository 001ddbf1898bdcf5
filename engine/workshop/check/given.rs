//! Checks what handlers, `start` and bots read of their argument: whether such a field exists.

use std::sync::Arc;

use super::parts::name_of;
use crate::content::{Datum, Way};
use crate::kit::Problem;
use crate::kit::problem::{nearest, one_of};
use crate::script::Vm;
use crate::workshop::lua::{Facts, PartUse, Said, Sort, Whole};

/// The fields of a handler's input; which ones are set depends on the prompt.
const INPUT: [&str; 6] = ["id", "with", "ids", "number", "text", "asked"];

/// The fields of a bot's argument.
const SEEN: [&str; 5] = ["prompt", "view", "events", "facts", "parameters"];

/// Checks what is read of inputs, of options and of the argument of bots.
pub(super) fn look(vm: &Vm, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let options: Vec<&str> = vm.registry().every("option").map(|one| one.id.name()).collect();
    let each = facts.iter().flat_map(|facts| facts.uses.parts.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let (what, names) = match one.part.of {
            Whole::Input(_) => ("input", &INPUT[..]),
            Whole::Options => ("options", &options[..]),
            Whole::Seen(_) => ("seen", &SEEN[..]),
            Whole::State if one.of_bot => return Some(of_bot(facts, one)),
            _ => return None,
        };
        let Way::Name(name) = one.part.path.first()? else { return None };
        if names.contains(&name.as_str()) {
            return handed_on(facts, one).or_else(|| told_to(vm, facts, one));
        }
        let found = match what {
            "input" => format!("an input has no field `{name}`"),
            "seen" => format!("the argument of a bot has no field `{name}`"),
            _ => format!("there is no option `{name}`"),
        };
        let problem = Problem::error("unknown-name", found).at(facts.place(one.line));
        let problem = match names {
            [] => problem.expected(format!("an option that the game declares: `option {name:?}`")),
            names => problem.expected(one_of(name, names.iter().copied())),
        };
        let near = nearest(name, names.iter().copied());
        let near = near.map(|near| format!("did you mean `{what}.{near}`?"));
        Some(problem.maybe_hint(near))
    });
    problems.collect()
}

/// A field of `input.with` that a handler reads and that none of its choices passes, if all are
/// written out.
fn handed_on(facts: &Facts, one: &PartUse) -> Option<Problem> {
    let Whole::Input(Some((scene, handler))) = &one.part.of else { return None };
    let [Way::Name(with), Way::Name(name), ..] = &*one.part.path else { return None };
    let of_scene = || facts.uses.shown.iter().filter(|one| one.scene.as_ref() == Some(scene));
    let mut names = Vec::new();
    let mut count = 0;
    for shown in of_scene().filter(|_| with == "with") {
        let choices = match (&shown.sort, &shown.said) {
            (Sort::Choice, choice) => vec![choice],
            (Sort::Prompt, Said::Table(prompt)) => match prompt.said("choices") {
                Some(Said::Table(choices)) if !choices.open && !prompt.open => {
                    choices.items.iter().map(|(_, choice)| choice).collect()
                }
                _ => return None,
            },
            _ => return None,
        };
        for choice in choices {
            let Said::Table(choice) = choice else { return None };
            let Said::Text(Some(on)) = choice.said("on").or_else(|| choice.said("id"))? else {
                return None;
            };
            if on != handler {
                continue;
            }
            match choice.said("with") {
                Some(Said::Table(with)) if !with.open && !choice.open => {
                    names.extend(with.named.iter().map(|(name, ..)| name.as_str()));
                }
                _ => return None,
            }
            count += 1;
        }
    }
    if count == 0 || names.contains(&name.as_str()) {
        return None;
    }
    let found = format!("no choice with the handler `{handler}` passes `with.{name}`");
    let problem = Problem::error("unknown-name", found).at(facts.place(one.line));
    let problem = problem.expected(one_of(name, names.iter().copied()));
    let near = nearest(name, names.iter().copied());
    let near = near.map(|near| format!("did you mean `input.with.{near}`?"));
    Some(problem.maybe_hint(near))
}

/// A fact that a bot reads but does not request.
fn told_to(vm: &Vm, facts: &Facts, one: &PartUse) -> Option<Problem> {
    let Whole::Seen(Some(bot)) = &one.part.of else { return None };
    let [Way::Name(front), Way::Name(name), ..] = &*one.part.path else { return None };
    let bot = vm.registry().get("bot", &format!("{}:{bot}", facts.owner))?;
    let told: Vec<&str> = match bot.get("facts") {
        Some(Datum::List(ids)) => {
            let ids = ids.iter().filter_map(Datum::as_text);
            ids.map(|id| id.split_once(':').map_or(id, |(_, name)| name)).collect()
        }
        _ => Vec::new(),
    };
    if front != "facts" || told.contains(&name.as_str()) {
        return None;
    }
    let found = format!("the bot {} reads the fact `{name}` but does not request it", bot.id);
    let problem = Problem::error("unknown-name", found).at(facts.place(one.line));
    let declared = vm.registry().every("fact").map(|fact| fact.id.name());
    let problem = match told.is_empty() {
        true => problem.expected("a fact listed in its `facts`"),
        false => problem.expected(one_of(name, told.iter().copied())),
    };
    let hint = match nearest(name, told.iter().copied()) {
        Some(near) => Some(format!("did you mean `seen.facts.{near}`?")),
        None => nearest(name, declared).map(|near| match near == name {
            true => format!("add it: `facts = {{ \"{name}\" }}`"),
            false => format!("did you mean `{near}`? Add it: `facts = {{ \"{near}\" }}`"),
        }),
    };
    Some(problem.maybe_hint(hint))
}

/// The Problem of a bot that reads the run directly.
fn of_bot(facts: &Facts, one: &PartUse) -> Problem {
    let name = name_of(&one.part.path);
    let found = format!("a bot reads `{name}`, but a bot has no access to the run");
    let problem = Problem::error("unknown-name", found)
        .at(facts.place(one.line))
        .expected("`seen.prompt`, `seen.view`, `seen.events`, `seen.facts`, or its memory")
        .hint(format!(
            "declare `fact \"…\" {{ tell = function() return {name} end }}`, add it to the bot's `facts` and read `seen.facts.…`"
        ));
    problem
}
