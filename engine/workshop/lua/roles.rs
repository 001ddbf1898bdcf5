//! What functions are for that are written where they are handed over, and what they are given: the function
//! of `start`, a scene's handlers and its prompt, a view's, a rule's.

use full_moon::ast::{
    Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, Suffix, TableConstructor,
};

use super::names::{name, table};
use super::said::Whole;

/// What a function is for.
#[derive(Default)]
pub(super) struct Role {
    /// What it is given first.
    pub(super) given: Option<Whole>,
    /// What it is in the words of a Problem, if it looks and changes nothing.
    pub(super) looks: Option<&'static str>,
    /// Whether it answers for a bot, which has no run before it.
    pub(super) is_bot: bool,
    /// The scene that it is of.
    pub(super) scene: Option<String>,
    /// Whether what it is given is an event that nobody changes any more.
    pub(super) is_final: bool,
}

/// The functions that a call hands over, and what they are for.
pub(super) fn roles(called: &str, call: &FunctionCall) -> Vec<(*const FunctionBody, Role)> {
    let looking = |looks| Role { looks: Some(looks), ..Role::default() };
    let (mut found, last) = (Vec::new(), last(call));
    match (called, last) {
        ("start", Some(Expression::Function(function))) => {
            let given = Some(Whole::Options);
            found.push((std::ptr::from_ref(function.body()), Role { given, ..Role::default() }));
        }
        ("rule", Some(Expression::Function(function))) => {
            found.push((std::ptr::from_ref(function.body()), looking("a rule")));
        }
        _ => {}
    }
    if let ("view", Some(Expression::Function(function))) = (called, last) {
        found.push((std::ptr::from_ref(function.body()), looking("a view")));
    }
    let Some(fields) = body(call) else { return found };
    for (key, value) in named(fields) {
        match (called, key.as_str(), value) {
            ("scene" | "patch.scene", "prompt", Expression::Function(function)) => {
                found.push((std::ptr::from_ref(function.body()), looking("a prompt")));
            }
            ("bot", "choose", Expression::Function(function)) => {
                let role = Role { given: Some(Whole::Seen), is_bot: true, ..Role::default() };
                found.push((std::ptr::from_ref(function.body()), role));
            }
            ("view", "show", Expression::Function(function)) => {
                found.push((std::ptr::from_ref(function.body()), looking("a view")));
            }
            ("scene" | "patch.scene", "on", value) => {
                for (_, handler) in table(value).into_iter().flat_map(named) {
                    if let Expression::Function(function) = handler {
                        let role = Role { given: Some(Whole::Input), ..Role::default() };
                        found.push((std::ptr::from_ref(function.body()), role));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// What stands under names in a table.
pub(super) fn named(made: &TableConstructor) -> impl Iterator<Item = (String, &Expression)> {
    made.fields().iter().filter_map(|field| match field {
        Field::NameKey { key, value, .. } => Some((name(key), &**value)),
        _ => None,
    })
}

/// The arguments of the last call of a chain.
fn arguments(call: &FunctionCall) -> Option<&FunctionArgs> {
    match call.suffixes().last()? {
        Suffix::Call(Call::AnonymousCall(arguments)) => Some(arguments),
        _ => None,
    }
}

/// The one argument of it.
fn last(call: &FunctionCall) -> Option<&Expression> {
    match arguments(call)? {
        FunctionArgs::Parentheses { arguments, .. } if arguments.len() == 1 => {
            arguments.iter().next()
        }
        _ => None,
    }
}

/// The table that it is given.
pub(super) fn body(call: &FunctionCall) -> Option<&TableConstructor> {
    match arguments(call)? {
        FunctionArgs::TableConstructor(made) => Some(made),
        FunctionArgs::Parentheses { .. } => last(call).and_then(table),
        _ => None,
    }
}
