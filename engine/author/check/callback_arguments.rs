//! Checks what handlers, `start` and bots read of their argument: whether such a field exists.

use std::sync::Arc;

use super::access_paths::state_path_text;
use crate::analysis::{FileSummary, Literal, PathAccess, PathRoot, UiTableKind};
use base::problem::{describe_alternatives, nearest_name};
use base::{Code, Problem};
use content::{Datum, StatePathStep};
use script::Vm;

/// The fields of a handler's input; which ones are set depends on the prompt.
const HANDLER_INPUT_FIELDS: [&str; 6] = ["id", "with", "ids", "number", "text", "asked"];

/// The fields of a bot's argument.
const BOT_ARGUMENT_FIELDS: [&str; 5] = ["prompt", "view", "events", "facts", "parameters"];

/// Checks what is read of inputs, of options and of the argument of bots.
pub(super) fn check_callback_arguments(vm: &Vm, summaries: &[Arc<FileSummary>]) -> Vec<Problem> {
    let options: Vec<&str> =
        vm.registry().all_definitions("option").map(|one| one.id.name()).collect();
    let each =
        summaries.iter().flat_map(|facts| facts.uses.accesses.iter().map(move |one| (facts, one)));
    let problems = each.filter_map(|(facts, one)| {
        let (what, names) = match one.path.root {
            PathRoot::HandlerInput(_) => ("input", &HANDLER_INPUT_FIELDS[..]),
            PathRoot::StartOptions => ("options", &options[..]),
            PathRoot::BotArgument(_) => ("seen", &BOT_ARGUMENT_FIELDS[..]),
            PathRoot::State if one.is_in_bot => {
                return Some(bot_state_access_problem(facts, one));
            }
            _ => return None,
        };
        let StatePathStep::Name(name) = one.path.path.first()? else { return None };
        if names.contains(&name.as_str()) {
            return unpassed_input_problem(facts, one)
                .or_else(|| unrequested_fact_problem(vm, facts, one));
        }
        let found = match what {
            "input" => format!("an input has no field `{name}`"),
            "seen" => format!("the argument of a bot has no field `{name}`"),
            _ => format!("there is no option `{name}`"),
        };
        let code = if what == "options" { Code::UnknownOption } else { Code::UnknownName };
        let problem = Problem::error(code, found).at(facts.place(one.line));
        let problem = match names {
            [] => problem.expected(format!("an option that the game declares: `option {name:?}`")),
            names => problem.expected(describe_alternatives(name, names.iter().copied())),
        };
        Some(problem.suggest_field(what, nearest_name(name, names.iter().copied())))
    });
    problems.collect()
}

/// A field of `input.with` that a handler reads and that none of its choices passes, if all are
/// written out.
fn unpassed_input_problem(summary: &FileSummary, access: &PathAccess) -> Option<Problem> {
    let PathRoot::HandlerInput(Some((scene, handler))) = &access.path.root else { return None };
    let [StatePathStep::Name(with), StatePathStep::Name(name), ..] = &*access.path.path else {
        return None;
    };
    let of_scene = || summary.uses.ui_tables.iter().filter(|one| one.scene.as_ref() == Some(scene));
    let mut names = Vec::new();
    let mut count = 0;
    for shown in of_scene().filter(|_| with == "with") {
        let choices = match (&shown.kind, &shown.literal) {
            (UiTableKind::Choice, choice) => vec![choice],
            (UiTableKind::Prompt, Literal::Table(prompt)) => match prompt.get("choices") {
                Some(Literal::Table(choices))
                    if !choices.may_have_more_fields && !prompt.may_have_more_fields =>
                {
                    choices.items.iter().map(|(_, choice)| choice).collect()
                }
                _ => return None,
            },
            _ => return None,
        };
        for choice in choices {
            let Literal::Table(choice) = choice else { return None };
            let Literal::Text(Some(on)) = choice.get("on").or_else(|| choice.get("id"))? else {
                return None;
            };
            if on != handler {
                continue;
            }
            match choice.get("with") {
                Some(Literal::Table(with))
                    if !with.may_have_more_fields && !choice.may_have_more_fields =>
                {
                    names.extend(with.named_fields.iter().map(|(name, ..)| name.as_str()));
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
    let problem = Problem::error(Code::UnknownName, found).at(summary.place(access.line));
    let problem = problem.expected(describe_alternatives(name, names.iter().copied()));
    Some(problem.suggest_field("input.with", nearest_name(name, names.iter().copied())))
}

/// A fact that a bot reads but does not request.
fn unrequested_fact_problem(
    vm: &Vm,
    summary: &FileSummary,
    access: &PathAccess,
) -> Option<Problem> {
    let PathRoot::BotArgument(Some(bot)) = &access.path.root else { return None };
    let [StatePathStep::Name(front), StatePathStep::Name(name), ..] = &*access.path.path else {
        return None;
    };
    let bot = vm.registry().get("bot", &format!("{}:{bot}", summary.owner))?;
    let requested_facts: Vec<&str> = match bot.get("facts") {
        Some(Datum::List(ids)) => {
            let ids = ids.iter().filter_map(Datum::as_text);
            ids.map(|id| id.split_once(':').map_or(id, |(_, name)| name)).collect()
        }
        _ => Vec::new(),
    };
    if front != "facts" || requested_facts.contains(&name.as_str()) {
        return None;
    }
    let found = format!("the bot {} reads the fact `{name}` but does not request it", bot.id);
    let problem = Problem::error(Code::UnknownName, found).at(summary.place(access.line));
    let declared = vm.registry().all_definitions("fact").map(|fact| fact.id.name());
    let problem = match requested_facts.is_empty() {
        true => problem.expected("a fact listed in its `facts`"),
        false => problem.expected(describe_alternatives(name, requested_facts.iter().copied())),
    };
    let hint = match nearest_name(name, requested_facts.iter().copied()) {
        Some(near) => Some(format!("did you mean `seen.facts.{near}`?")),
        None => nearest_name(name, declared).map(|near| match near == name {
            true => format!("add it: `facts = {{ \"{name}\" }}`"),
            false => format!("did you mean `{near}`? Add it: `facts = {{ \"{near}\" }}`"),
        }),
    };
    Some(problem.with_optional_hint(hint))
}

/// The Problem of a bot that reads the run directly.
fn bot_state_access_problem(summary: &FileSummary, access: &PathAccess) -> Problem {
    let name = state_path_text(&access.path.path);
    let found = format!("a bot reads `{name}`, but a bot has no access to the run");
    Problem::error(Code::UnknownName, found)
        .at(summary.place(access.line))
        .expected("what a bot is given: `seen.prompt`, `seen.view`, `seen.events`, `seen.facts`; or its own memory")
        .hint(format!(
            "declare `fact \"…\" {{ tell = function() return {name} end }}`, add it to the bot's `facts` and read `seen.facts.…`"
        ))
}
