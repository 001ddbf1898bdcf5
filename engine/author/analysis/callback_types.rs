//! The purpose and arguments of functions that are written where they are passed: `start`, handlers
//! and prompts of scenes, views, rules.

use full_moon::ast::{
    Call, Expression, Field, FunctionArgs, FunctionBody, Suffix, TableConstructor,
};

use super::literal::TypeSource;
use super::syntax::{Chain, table_constructor, token_name};
use crate::content::PathStep;

/// The purpose of a function.
#[derive(Default)]
pub(super) struct CallbackType {
    /// The source of its first argument.
    pub(super) argument_source: Option<TypeSource>,
    /// Its description in a Problem, if it may not change anything.
    pub(super) read_only_label: Option<&'static str>,
    /// Whether it chooses for a bot, which does not see the run.
    pub(super) is_bot: bool,
    /// The scene that it belongs to.
    pub(super) scene: Option<String>,
    /// Whether its argument is an event that can no longer change.
    pub(super) is_event_final: bool,
    /// The number of parameters before that one, for a wrapped function.
    pub(super) skipped_params: usize,
    /// The event that it is registered on.
    pub(super) hook_event: Option<String>,
}

/// The functions that a call passes, and their purposes.
pub(super) fn callback_types(
    called: &str,
    call: &impl Chain,
) -> Vec<(*const FunctionBody, CallbackType)> {
    let read_only_callback =
        |looks| CallbackType { read_only_label: Some(looks), ..CallbackType::default() };
    let (mut found, last) = (Vec::new(), only_argument(call));
    match (called, last) {
        ("start", Some(Expression::Function(function))) => {
            let argument_source = Some(TypeSource::StartOptions);
            found.push((
                std::ptr::from_ref(function.body()),
                CallbackType { argument_source, ..CallbackType::default() },
            ));
        }
        ("rule", Some(Expression::Function(function))) => {
            found.push((std::ptr::from_ref(function.body()), read_only_callback("a rule")));
        }
        _ => {}
    }
    if let ("view", Some(Expression::Function(function))) = (called, last) {
        found.push((std::ptr::from_ref(function.body()), read_only_callback("a view")));
    }
    let Some(fields) = table_argument(call) else { return found };
    for (key, value) in named_fields(fields) {
        match (called, key.as_str(), value) {
            ("scene" | "patch.scene", "prompt", Expression::Function(function)) => {
                found.push((std::ptr::from_ref(function.body()), read_only_callback("a prompt")));
            }
            ("bot", "choose", Expression::Function(function)) => {
                let argument_source = Some(TypeSource::BotArgument(first_string_argument(call)));
                let role =
                    CallbackType { argument_source, is_bot: true, ..CallbackType::default() };
                found.push((std::ptr::from_ref(function.body()), role));
            }
            ("view", "show", Expression::Function(function)) => {
                found.push((std::ptr::from_ref(function.body()), read_only_callback("a view")));
            }
            ("scene" | "patch.scene", "on", value) => {
                let scene = first_string_argument(call);
                for (key, handler) in table_constructor(value).into_iter().flat_map(named_fields) {
                    if let Expression::Function(function) = handler {
                        let which = scene.clone().map(|scene| (scene, key));
                        let role = CallbackType {
                            argument_source: Some(TypeSource::HandlerInput(which)),
                            ..CallbackType::default()
                        };
                        found.push((std::ptr::from_ref(function.body()), role));
                    }
                }
            }
            _ => {}
        }
    }
    // For `spell "hush" { on_cast = function(cast) … end }`, and a patch of it.
    let kind = ["patch.", "settle_conflict.", "replace."]
        .iter()
        .find_map(|verb| called.strip_prefix(verb));
    if call.call_count() == 2 && found.is_empty() && first_string_argument(call).is_some() {
        collect_content_callbacks(kind.unwrap_or(called), fields, &mut Vec::new(), &mut found);
    }
    found
}

/// The string that is the first argument of a call.
fn first_string_argument(call: &impl Chain) -> Option<String> {
    let (_, arguments) = super::syntax::callee(call)?;
    super::syntax::string_value(super::syntax::first_string(arguments?)?.token())
}

/// The functions in the body of a definition.
fn collect_content_callbacks(
    kind: &str,
    table: &TableConstructor,
    path: &mut Vec<PathStep>,
    found: &mut Vec<(*const FunctionBody, CallbackType)>,
) {
    for field in table.fields() {
        let (step, value) = match field {
            Field::NameKey { key, value, .. } => (PathStep::Name(token_name(key)), &**value),
            Field::ExpressionKey { value, .. } => (PathStep::AnyEntry, &**value),
            Field::NoKey(value) => (PathStep::AnyEntry, value),
            _ => continue,
        };
        path.push(step);
        collect_value_callbacks(kind, value, path, 0, found);
        path.pop();
    }
}

fn collect_value_callbacks(
    kind: &str,
    value: &Expression,
    path: &mut Vec<PathStep>,
    skip: usize,
    found: &mut Vec<(*const FunctionBody, CallbackType)>,
) {
    match value {
        Expression::Function(function) => {
            let argument_source =
                Some(TypeSource::DefinitionCallback(kind.to_owned(), path.clone()));
            let role =
                CallbackType { argument_source, skipped_params: skip, ..CallbackType::default() };
            found.push((std::ptr::from_ref(function.body()), role));
        }
        Expression::TableConstructor(made) => collect_content_callbacks(kind, made, path, found),
        // For `wrap(function(original, cast) … end)` and `add { … }`.
        Expression::FunctionCall(edit) => {
            let verb = super::syntax::callee(edit).map(|(verb, _)| verb).unwrap_or_default();
            match (verb.as_str(), table_argument(edit), only_argument(edit)) {
                ("wrap", _, Some(work)) => collect_value_callbacks(kind, work, path, 1, found),
                ("add", Some(made), _) => collect_content_callbacks(kind, made, path, found),
                _ => {}
            }
        }
        _ => {}
    }
}

/// The named fields of a table.
pub(super) fn named_fields(
    table: &TableConstructor,
) -> impl Iterator<Item = (String, &Expression)> {
    table.fields().iter().filter_map(|field| match field {
        Field::NameKey { key, value, .. } => Some((token_name(key), &**value)),
        _ => None,
    })
}

/// The arguments of the last call of a chain.
fn last_call_arguments(call: &impl Chain) -> Option<&FunctionArgs> {
    match call.suffixes().last()? {
        Suffix::Call(Call::AnonymousCall(arguments)) => Some(arguments),
        _ => None,
    }
}

/// The only argument of the last call.
fn only_argument(call: &impl Chain) -> Option<&Expression> {
    match last_call_arguments(call)? {
        FunctionArgs::Parentheses { arguments, .. } if arguments.len() == 1 => {
            arguments.iter().next()
        }
        _ => None,
    }
}

/// The table argument of a call.
pub(super) fn table_argument(call: &impl Chain) -> Option<&TableConstructor> {
    match last_call_arguments(call)? {
        FunctionArgs::TableConstructor(made) => Some(made),
        FunctionArgs::Parentheses { .. } => only_argument(call).and_then(table_constructor),
        _ => None,
    }
}
