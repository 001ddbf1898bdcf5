//! The purpose and arguments of functions that are written where they are passed: `start`, handlers
//! and prompts of scenes, views, rules.

use full_moon::ast::{
    Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, Suffix, TableConstructor,
};

use super::names::{name, table};
use super::said::Whole;
use crate::content::Way;

/// The purpose of a function.
#[derive(Default)]
pub(super) struct Role {
    /// The source of its first argument.
    pub(super) given: Option<Whole>,
    /// Its description in a Problem, if it may not change anything.
    pub(super) looks: Option<&'static str>,
    /// Whether it chooses for a bot, which does not see the run.
    pub(super) is_bot: bool,
    /// The scene that it belongs to.
    pub(super) scene: Option<String>,
    /// Whether its argument is an event that can no longer change.
    pub(super) is_final: bool,
    /// The number of parameters before that one, for a wrapped function.
    pub(super) skip: usize,
    /// The event that it is registered on.
    pub(super) hook: Option<String>,
}

/// The functions that a call passes, and their purposes.
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
                let given = Some(Whole::Seen(first(call)));
                let role = Role { given, is_bot: true, ..Role::default() };
                found.push((std::ptr::from_ref(function.body()), role));
            }
            ("view", "show", Expression::Function(function)) => {
                found.push((std::ptr::from_ref(function.body()), looking("a view")));
            }
            ("scene" | "patch.scene", "on", value) => {
                let scene = first(call);
                for (key, handler) in table(value).into_iter().flat_map(named) {
                    if let Expression::Function(function) = handler {
                        let which = scene.clone().map(|scene| (scene, key));
                        let role = Role { given: Some(Whole::Input(which)), ..Role::default() };
                        found.push((std::ptr::from_ref(function.body()), role));
                    }
                }
            }
            _ => {}
        }
    }
    // For `spell "hush" { on_cast = function(cast) … end }`, and a patch of it.
    let calls = call.suffixes().filter(|suffix| matches!(suffix, Suffix::Call(_))).count();
    let kind = ["patch.", "resolve.", "replace."].iter().find_map(|verb| called.strip_prefix(verb));
    if calls == 2 && found.is_empty() && first(call).is_some() {
        content(kind.unwrap_or(called), fields, &mut Vec::new(), &mut found);
    }
    found
}

/// The string that is the first argument of a call.
fn first(call: &FunctionCall) -> Option<String> {
    let (_, arguments) = super::names::callee(call)?;
    super::names::text(super::names::first_text(arguments?)?.token())
}

/// The functions in the body of a definition.
fn content(
    kind: &str,
    made: &TableConstructor,
    way: &mut Vec<Way>,
    found: &mut Vec<(*const FunctionBody, Role)>,
) {
    for field in made.fields() {
        let (step, value) = match field {
            Field::NameKey { key, value, .. } => (Way::Name(name(key)), &**value),
            Field::ExpressionKey { value, .. } => (Way::Each, &**value),
            Field::NoKey(value) => (Way::Each, value),
            _ => continue,
        };
        way.push(step);
        inside(kind, value, way, 0, found);
        way.pop();
    }
}

fn inside(
    kind: &str,
    value: &Expression,
    way: &mut Vec<Way>,
    skip: usize,
    found: &mut Vec<(*const FunctionBody, Role)>,
) {
    match value {
        Expression::Function(function) => {
            let given = Some(Whole::Content(kind.to_owned(), way.clone()));
            let role = Role { given, skip, ..Role::default() };
            found.push((std::ptr::from_ref(function.body()), role));
        }
        Expression::TableConstructor(made) => content(kind, made, way, found),
        // For `wrap(function(original, cast) … end)` and `add { … }`.
        Expression::FunctionCall(edit) => {
            let verb = super::names::callee(edit).map(|(verb, _)| verb).unwrap_or_default();
            match (verb.as_str(), body(edit), last(edit)) {
                ("wrap", _, Some(work)) => inside(kind, work, way, 1, found),
                ("add", Some(made), _) => content(kind, made, way, found),
                _ => {}
            }
        }
        _ => {}
    }
}

/// The named fields of a table.
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

/// The only argument of the last call.
fn last(call: &FunctionCall) -> Option<&Expression> {
    match arguments(call)? {
        FunctionArgs::Parentheses { arguments, .. } if arguments.len() == 1 => {
            arguments.iter().next()
        }
        _ => None,
    }
}

/// The table argument of a call.
pub(super) fn body(call: &FunctionCall) -> Option<&TableConstructor> {
    match arguments(call)? {
        FunctionArgs::TableConstructor(made) => Some(made),
        FunctionArgs::Parentheses { .. } => last(call).and_then(table),
        _ => None,
    }
}
