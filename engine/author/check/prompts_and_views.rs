//! Checks prompts and views that are written out: whether their fields are ones that front ends
//! know. Reports what would fail at run time.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::type_check::{LiteralTypeChecker, TypeMismatch};
use crate::analysis::{FileSummary, Literal, TableLiteral, UiTable, UiTableKind};
use base::problem::nearest_name;
use base::text;
use base::{Code, Problem};
use content::Datum;
use script::Vm;

/// Checks prompts and views.
pub(super) fn check_prompts_and_views(vm: &Vm, summaries: &[Arc<FileSummary>]) -> Vec<Problem> {
    let type_check = LiteralTypeChecker { registry: vm.registry(), reports_missing_fields: true };
    let types = ["Prompt", "View", "Choice", "Widget"].map(|name| vm.resolve_type("", "", name));
    let mut problems = Vec::new();
    for summary in summaries {
        for one in &summary.uses.ui_tables {
            let Some(ty) = &types[one.kind as usize] else { continue };
            for wrong in type_check.mismatches(ty, &one.literal, one.line) {
                problems.push(
                    ui_table_mismatch_problem(one.kind, &wrong).at(summary.place(wrong.line)),
                );
            }
            problems.extend(missing_handler_problems(vm, summary, one));
            problems.extend(
                number_range_problem(one).map(|problem| problem.at(summary.place(one.line))),
            );
            problems.extend(duplicate_choice_problems(summary, one));
            problems.extend(no_choices_problem(vm, summary, one));
            problems.extend(
                unfilled_placeholder_problem(one)
                    .map(|problem| problem.at(summary.place(one.line))),
            );
        }
    }
    problems
}

/// The Problem as the run would report it.
pub(super) fn ui_table_mismatch_problem(kind: UiTableKind, wrong: &TypeMismatch) -> Problem {
    let root = match kind {
        UiTableKind::Prompt => "prompt",
        UiTableKind::View => "view",
        UiTableKind::Choice => "the choice",
        UiTableKind::Widget => "the widget",
    };
    let path = format!("{root}{}", wrong.path);
    let (parent, name) = path.rsplit_once('.').unwrap_or((root, &path));
    let problem = match &wrong.found {
        Some(found) => Problem::error(Code::WrongType, format!("{path} is {found}")),
        None if wrong.is_missing => {
            Problem::error(Code::MissingField, format!("{parent} has no {name}"))
        }
        None => Problem::error(Code::UnknownField, format!("{parent} has a field {name:?}")),
    };
    let expected = match wrong.is_missing {
        true => format!("{name}: {}", wrong.expected),
        false => wrong.expected.clone(),
    };
    problem.expected(expected).with_optional_hint(wrong.hint.clone())
}

/// A prompt without a choice, in a scene to which no mod adds one.
fn no_choices_problem(vm: &Vm, summary: &FileSummary, display: &UiTable) -> Option<Problem> {
    let (UiTableKind::Prompt, Literal::Table(prompt)) = (display.kind, &display.literal) else {
        return None;
    };
    let Some(Literal::Table(choices)) = prompt.get("choices") else { return None };
    let is_empty = choices.items.is_empty()
        && choices.named_fields.is_empty()
        && !choices.may_have_more_fields;
    let asks_one = prompt.get("ask").is_none() && !prompt.may_have_more_fields;
    let id = format!("{}:{}", summary.owner, display.scene.as_ref()?);
    let added = vm.registry().get("scene", &id)?.get("choices").and_then(Datum::as_list);
    if !is_empty || !asks_one || added.is_some_and(|added| !added.is_empty()) {
        return None;
    }
    let problem = Problem::error(Code::DeadEnd, format!("the prompt of {id} has no choices"))
        .at(summary.place(display.line))
        .expected("at least one choice that is open")
        .hint("a scene without a question should go to another scene or finish the run");
    Some(problem)
}

/// Two choices with the same id that are both always present.
fn duplicate_choice_problems(summary: &FileSummary, display: &UiTable) -> Vec<Problem> {
    let (UiTableKind::Prompt, Literal::Table(prompt)) = (display.kind, &display.literal) else {
        return Vec::new();
    };
    let Some(Literal::Table(choices)) = prompt.get("choices") else { return Vec::new() };
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut problems = Vec::new();
    for (line, choice) in &choices.items {
        let Literal::Table(choice) = choice else { continue };
        let Some(Literal::Text(Some(id))) = choice.get("id") else { continue };
        match seen.get(&**id) {
            Some(first) => {
                let found = format!("two choices of the prompt have the id {id:?}");
                let problem = Problem::error(Code::DuplicateId, found).at(summary.place(*line));
                let problem = problem.expected("unique ids within the prompt");
                problems.push(problem.add_related_location(summary.place(*first)));
            }
            None => drop(seen.insert(id, *line)),
        }
    }
    problems
}

/// A mark of a question that nothing fills.
fn unfilled_placeholder_problem(display: &UiTable) -> Option<Problem> {
    let (UiTableKind::Prompt, Literal::Table(prompt)) = (display.kind, &display.literal) else {
        return None;
    };
    let Some(Literal::Text(Some(written))) = prompt.get("text") else { return None };
    let values: Vec<&str> = match prompt.get("values") {
        None if !prompt.may_have_more_fields => Vec::new(),
        Some(Literal::Table(values)) if !values.may_have_more_fields => {
            values.named_fields.iter().map(|(name, ..)| &**name).collect()
        }
        _ => return None,
    };
    let mark = text::first_unfilled_placeholder(written, &values)?;
    let problem = Problem::error(Code::UnfilledMark, format!("prompt.text has a mark {{{mark}}}"));
    let problem = problem.expected("values beside the text: `values = { … }`");
    Some(problem.suggest_name(nearest_name(mark, values.iter().copied())))
}

/// A question for a number without a range.
fn number_range_problem(display: &UiTable) -> Option<Problem> {
    let (UiTableKind::Prompt, Literal::Table(prompt)) = (display.kind, &display.literal) else {
        return None;
    };
    if let (Some(Literal::Number(Some(min))), Some(Literal::Number(Some(max)))) =
        (prompt.get("min"), prompt.get("max"))
        && min > max
    {
        let found = format!("prompt asks for at least {min} and at most {max}");
        return Some(Problem::error(Code::DeadEnd, found).expected("min no larger than max"));
    }
    let number = Literal::Text(Some("number".to_owned()));
    let asks = prompt.get("ask") == Some(&number) && !prompt.may_have_more_fields;
    let missing = ["min", "max"].into_iter().find(|name| prompt.get(name).is_none());
    let missing = missing.filter(|_| asks)?;
    let found = format!("prompt has no {missing}");
    Some(Problem::error(Code::MissingField, found).expected(format!("{missing}: a whole number")))
}

/// Choices without a handler, of a scene that is named beside them.
fn missing_handler_problems(vm: &Vm, summary: &FileSummary, display: &UiTable) -> Vec<Problem> {
    let found = |scene: &String| vm.registry().get("scene", &format!("{}:{scene}", summary.owner));
    let Some(scene) = display.scene.as_ref().and_then(found) else { return Vec::new() };
    let Some(Datum::Map(on)) = scene.get("on") else { return Vec::new() };
    let choices: Vec<(u32, &TableLiteral)> = match (&display.kind, &display.literal) {
        (UiTableKind::Choice, Literal::Table(choice)) => vec![(display.line, choice)],
        (UiTableKind::Prompt, Literal::Table(prompt)) => {
            match (prompt.get("ask"), prompt.get("choices")) {
                (None, Some(Literal::Table(choices))) => {
                    let items = choices.items.iter().filter_map(|(line, said)| match said {
                        Literal::Table(choice) => Some((*line, choice)),
                        _ => None,
                    });
                    items.collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    let problems = choices.into_iter().filter_map(|(line, choice)| {
        let handler = choice.get("on").or_else(|| choice.get("id"))?;
        let Literal::Text(Some(name)) = handler else { return None };
        // A choice that is always disabled is never taken.
        let is_always_disabled = matches!(choice.get("disabled_because"), Some(Literal::Text(_)));
        if choice.may_have_more_fields || is_always_disabled || on.contains_key(name) {
            return None;
        }
        let found = format!("the scene {} has no handler {name:?}", scene.id);
        let problem = Problem::error(Code::MissingHandler, found).at(summary.place(line));
        let problem = problem.expected(format!("on = {{ {name} = function(input) … end }}"));
        Some(problem.suggest_name(nearest_name(name, on.keys().map(|name| &**name))))
    });
    problems.collect()
}
