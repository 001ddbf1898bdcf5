//! Paths into the state and into events as a script writes them, for messages.

use super::definition_callbacks::DefinitionCallbacks;
use crate::analysis::{AccessPath, PathRoot};
use base::text::is_luau_name;
use content::StatePathStep;

/// A path into the state as a script writes it.
pub(super) fn state_path_text(path: &[StatePathStep]) -> String {
    global_path_text("state", path)
}

/// A path into a global value as a script writes it.
fn global_path_text(global: &str, path: &[StatePathStep]) -> String {
    let mut name = global.to_owned();
    for step in path {
        match step {
            StatePathStep::Name(step) if is_luau_name(step) => name.push_str(&format!(".{step}")),
            StatePathStep::Name(step) => name.push_str(&format!("[{step:?}]")),
            StatePathStep::AnyEntry => name.push_str("[…]"),
        }
    }
    name
}

/// A path into an event as a script writes it, without the event.
pub(super) fn event_path_text(path: &[StatePathStep]) -> String {
    let mut name = String::new();
    for step in path {
        match step {
            StatePathStep::Name(step) if name.is_empty() => name.push_str(step),
            StatePathStep::Name(step) => name.push_str(&format!(".{step}")),
            StatePathStep::AnyEntry => name.push_str("[…]"),
        }
    }
    name
}

/// An access path as a script writes it.
pub(super) fn format_access_path(callbacks: &DefinitionCallbacks<'_>, part: &AccessPath) -> String {
    match &part.root {
        PathRoot::State => format!("`{}`", state_path_text(&part.path)),
        PathRoot::Global(name) => format!("`{}`", global_path_text(name, &part.path)),
        PathRoot::StartOptions => format!("the option `{}`", event_path_text(&part.path)),
        PathRoot::HandlerInput(_) => format!("`{}` of an input", event_path_text(&part.path)),
        PathRoot::CallResult(_, (name, _), _) if part.path.is_empty() => {
            format!("the result of `{name}`")
        }
        PathRoot::CallResult(_, (name, _), _) => {
            format!("`{}` of the result of `{name}`", event_path_text(&part.path))
        }
        PathRoot::RollParts(_) if part.path.is_empty() => "the second result of `roll`".to_owned(),
        PathRoot::RollParts(_) => {
            format!("`{}` of the second result of `roll`", event_path_text(&part.path))
        }
        PathRoot::AnnotatedType(_, name) if part.path.is_empty() => format!("a `{name}`"),
        PathRoot::AnnotatedType(_, name) => {
            format!("`{}` of a `{name}`", event_path_text(&part.path))
        }
        root if let Some((kind, way, _)) = callbacks.declaring_field(root) => {
            let argument_text = match way.last() {
                Some(StatePathStep::Name(name)) => format!("the argument of `{name}` of a {kind}"),
                _ => format!("the argument of a function of a {kind}"),
            };
            match part.path.is_empty() {
                true => argument_text,
                false => format!("`{}` of {argument_text}", event_path_text(&part.path)),
            }
        }
        _ => format!("`{}` of the event", event_path_text(&part.path)),
    }
}

/// A call as it is written; a rule of another mod is called by its whole id.
pub(super) fn call_text(name: &str) -> String {
    match name.split_once('.') {
        Some((front, id)) if id.contains(':') => format!("{front}[{id:?}]"),
        _ => name.to_owned(),
    }
}
