//! The purpose and arguments of functions that are written where they are passed: `start`, handlers
//! and prompts of scenes, views, rules.

use full_moon::ast::{
    Call, Expression, Field, FunctionArgs, FunctionBody, Suffix, TableConstructor,
};

use super::literal::PathRoot;
use super::syntax::{AccessChain, table_constructor, token_name};
use content::StatePathStep;

/// The host functions that change definitions, each indexed by a kind: `patch.spell`.
pub(crate) const CHANGE_FUNCTIONS: [&str; 4] = ["patch", "settle_conflict", "replace", "retire"];
/// The description of a function that judges a roll, in a Problem.
const JUDGE_DESCRIPTION: &str = "the judge of a roll";

/// The purpose of a function.
#[derive(Default)]
pub(super) struct CallbackPurpose {
    /// The source of its first argument.
    pub(super) argument_source: Option<PathRoot>,
    /// Its description in a Problem, if it may not change anything.
    pub(super) read_only_description: Option<&'static str>,
    /// Whether it chooses for a bot, which does not see the run.
    pub(super) is_bot: bool,
    /// The scene that it belongs to.
    pub(super) scene: Option<String>,
    /// Whether its argument is an event that can no longer change.
    pub(super) is_event_final: bool,
    /// The number of parameters before that one, for a wrapped function.
    pub(super) leading_param_count: usize,
    /// The event that it is registered on.
    pub(super) hook_event: Option<String>,
    /// Whether it runs in play only.
    pub(super) runs_in_play: bool,
}

/// The functions that a call passes, and their purposes. A call inside another call's arguments is
/// no definition: it may be a builder, and the registry knows where its functions go.
pub(super) fn find_callback_purposes(
    called: &str,
    call: &impl AccessChain,
    is_inside_call: bool,
) -> Vec<(*const FunctionBody, CallbackPurpose)> {
    let read_only_callback = |looks| CallbackPurpose {
        read_only_description: Some(looks),
        ..CallbackPurpose::default()
    };
    let (mut found, last) = (Vec::new(), only_argument(call));
    match (called, last) {
        ("start", Some(Expression::Function(function))) => {
            let argument_source = Some(PathRoot::StartOptions);
            found.push((
                std::ptr::from_ref(function.body()),
                CallbackPurpose {
                    argument_source,
                    runs_in_play: true,
                    ..CallbackPurpose::default()
                },
            ));
        }
        ("rule", Some(Expression::Function(function))) => {
            found.push((std::ptr::from_ref(function.body()), read_only_callback("a rule")));
        }
        _ => {}
    }
    if ["roll", "odds", "tell_roll"].contains(&called) {
        let judges = find_judges(call).map(|judge| (judge, read_only_callback(JUDGE_DESCRIPTION)));
        found.extend(judges);
        return found;
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
                let argument_source = Some(PathRoot::BotArgument(first_string_argument(call)));
                let role =
                    CallbackPurpose { argument_source, is_bot: true, ..CallbackPurpose::default() };
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
                        let role = CallbackPurpose {
                            argument_source: Some(PathRoot::HandlerInput(which)),
                            ..CallbackPurpose::default()
                        };
                        found.push((std::ptr::from_ref(function.body()), role));
                    }
                }
            }
            _ => {}
        }
    }
    // For `spell "hush" { on_cast = function(cast) … end }`, and a patch of it.
    let may_define = call.call_count() == 2 && found.is_empty() && !is_inside_call;
    if may_define && first_string_argument(call).is_some() {
        let kind = changed_kind(called).unwrap_or(called);
        collect_content_callbacks(kind, fields, &mut Vec::new(), &mut found);
    }
    found
}

/// The kind whose definition a function changes: `spell` of `patch.spell`.
pub(crate) fn changed_kind(called: &str) -> Option<&str> {
    let (verb, kind) = called.split_once('.')?;
    CHANGE_FUNCTIONS.contains(&verb).then_some(kind)
}

/// The functions that judge a roll: an argument, or the field `outcome` of one.
fn find_judges(call: &impl AccessChain) -> impl Iterator<Item = *const FunctionBody> {
    let arguments = match super::syntax::callee_and_arguments(call) {
        Some((_, Some(FunctionArgs::Parentheses { arguments, .. }))) => Some(arguments),
        _ => None,
    };
    let judge = |expression: &Expression| match expression {
        Expression::Function(function) => Some(std::ptr::from_ref(function.body())),
        _ => None,
    };
    arguments.into_iter().flatten().filter_map(move |argument| {
        let outcome = table_constructor(argument).into_iter().flat_map(named_fields);
        let mut outcome = outcome.filter(|(name, _)| name == "outcome").map(|(_, value)| value);
        judge(argument).or_else(|| judge(outcome.next()?))
    })
}

/// The string that is the first argument of a call.
fn first_string_argument(call: &impl AccessChain) -> Option<String> {
    let (_, arguments) = super::syntax::callee_and_arguments(call)?;
    super::syntax::string_value(super::syntax::first_string_token(arguments?)?.token())
}

/// The functions in the body of a definition.
fn collect_content_callbacks(
    kind: &str,
    table: &TableConstructor,
    path: &mut Vec<StatePathStep>,
    found: &mut Vec<(*const FunctionBody, CallbackPurpose)>,
) {
    for field in table.fields() {
        let (step, value) = match field {
            Field::NameKey { key, value, .. } => (StatePathStep::Name(token_name(key)), &**value),
            Field::ExpressionKey { value, .. } => (StatePathStep::AnyEntry, &**value),
            Field::NoKey(value) => (StatePathStep::AnyEntry, value),
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
    path: &mut Vec<StatePathStep>,
    skip: usize,
    found: &mut Vec<(*const FunctionBody, CallbackPurpose)>,
) {
    match value {
        Expression::Function(function) => {
            let argument_source = Some(PathRoot::DefinitionCallback(kind.to_owned(), path.clone()));
            let role = CallbackPurpose {
                argument_source,
                leading_param_count: skip,
                ..CallbackPurpose::default()
            };
            found.push((std::ptr::from_ref(function.body()), role));
        }
        Expression::TableConstructor(made) => collect_content_callbacks(kind, made, path, found),
        // For `wrap(function(original, cast) … end)` and `add { … }`.
        Expression::FunctionCall(edit) => {
            let verb =
                super::syntax::callee_and_arguments(edit).map(|(verb, _)| verb).unwrap_or_default();
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
fn last_call_arguments(call: &impl AccessChain) -> Option<&FunctionArgs> {
    match call.suffixes().last()? {
        Suffix::Call(Call::AnonymousCall(arguments)) => Some(arguments),
        _ => None,
    }
}

/// The only argument of the last call.
fn only_argument(call: &impl AccessChain) -> Option<&Expression> {
    match last_call_arguments(call)? {
        FunctionArgs::Parentheses { arguments, .. } if arguments.len() == 1 => {
            arguments.iter().next()
        }
        _ => None,
    }
}

/// The table argument of a call.
pub(super) fn table_argument(call: &impl AccessChain) -> Option<&TableConstructor> {
    match last_call_arguments(call)? {
        FunctionArgs::TableConstructor(made) => Some(made),
        FunctionArgs::Parentheses { .. } => only_argument(call).and_then(table_constructor),
        _ => None,
    }
}
