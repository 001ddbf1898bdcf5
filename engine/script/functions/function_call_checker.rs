//! Checks calls of functions against their signatures.

use std::cell::OnceCell;

use super::runtime_type_checker::describe_found;
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::host::Host;
use base::{Code, Problem, SourceLocation};
use content::{FieldType, Parameter, Signature};
use luau::{CallError, LuaType, Stack, StackIndex};

/// Checks the arguments and the result of a function against its signature.
pub(crate) struct FunctionCallChecker {
    /// Its name for messages: `fight.harm`, `rules.damage`.
    name: String,
    place: SourceLocation,
    /// The place of the code that gives the result.
    result_place: SourceLocation,
    /// Whether it is checked outside strict mode too.
    is_always_checked: bool,
    signature: OnceCell<Option<Signature>>,
}

impl FunctionCallChecker {
    /// For a function with this id at this place.
    pub(crate) fn new(id: &str, place: SourceLocation) -> Self {
        let name = id.split_once(':').map_or(id, |(_, name)| name).to_owned();
        Self {
            name,
            result_place: place.clone(),
            place,
            is_always_checked: false,
            signature: OnceCell::new(),
        }
    }

    /// For one layer of a wrapped function; `code_place` is the place of its code. Always checked.
    pub(crate) fn for_wrapper(id: &str, place: SourceLocation, code_place: SourceLocation) -> Self {
        Self { result_place: code_place, is_always_checked: true, ..Self::new(id, place) }
    }

    /// Its name for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self, host: &Host) -> Option<&Signature> {
        // Builders are called before there is a registry to check against.
        if !(self.is_always_checked || host.is_strict.get()) || host.registry.get().is_none() {
            return None;
        }
        self.signature.get_or_init(|| host.signature_at(&self.place)).as_ref()
    }

    /// The first argument that does not match its type.
    fn find_mismatch<'s>(
        host: &Host,
        stack: Stack<'_>,
        signature: &'s Signature,
    ) -> Option<(StackIndex, &'s Parameter)> {
        let mut numbered_parameters = (1..).zip(&signature.parameters);
        numbered_parameters.find(|(index, parameter)| {
            !host.value_matches_type(stack, *index, &parameter.ty, parameter.is_optional)
        })
    }

    /// Whether all arguments match.
    pub(crate) fn arguments_match(&self, host: &Host, stack: Stack<'_>) -> bool {
        let signature = self.signature(host);
        signature.is_none_or(|signature| Self::find_mismatch(host, stack, signature).is_none())
    }

    /// Whether the result matches.
    pub(crate) fn result_matches(&self, host: &Host, stack: Stack<'_>) -> bool {
        let result = self.signature(host).and_then(|signature| signature.result.as_ref());
        result.is_none_or(|(ty, optional)| host.value_matches_type(stack, 1, ty, *optional))
    }

    /// Checks the arguments. A mismatch is attributed to the caller.
    pub(crate) fn check_arguments(&self, host: &Host, stack: Stack<'_>) -> Result<(), CallError> {
        let Some(signature) = self.signature(host) else { return Ok(()) };
        let mismatch = Self::find_mismatch(host, stack, signature);
        let Some((index, parameter)) = mismatch else { return Ok(()) };
        let caller = host.place_of_caller(&host.lua());
        if caller.owner.is_empty() {
            return Ok(());
        }
        let value_text = host.describe_stack_value(stack, index);
        let unknown_id = referenced_kind(&parameter.ty).zip(stack.text(index));
        let reason = unknown_id.map(|(kind, _)| format!(", and there is no such {kind}"));
        let message = format!(
            "`{}` got {value_text} as `{}`{}",
            self.name,
            parameter.name,
            reason.unwrap_or_default()
        );
        let problem = Problem::error(Code::WrongType, message);
        let problem = match unknown_id {
            Some((kind, id)) => problem.suggest_definition(kind, id),
            None => problem,
        };
        Err(problem
            .at(caller)
            .expected(format!(
                "`{}: {}`, as declared in {}{signature}",
                parameter.name, parameter.annotation, self.name
            ))
            .add_related_location(self.place.clone())
            .into())
    }

    /// Checks the result. A mismatch is attributed to the author of the function.
    pub(crate) fn check_result(&self, host: &Host, stack: Stack<'_>) -> Result<(), CallError> {
        let Some(signature) = self.signature(host) else { return Ok(()) };
        if self.result_matches(host, stack) {
            return Ok(());
        }
        let message = format!("`{}` returned {}", self.name, host.describe_stack_value(stack, 1));
        let problem =
            Problem::error(Code::WrongResult, message).at(self.result_place.clone()).expected(
                format!("`{}`, as declared: {}{signature}", signature.result_annotation, self.name),
            );
        Err(if self.result_place == self.place {
            problem
        } else {
            problem.add_related_location(self.place.clone())
        }
        .into())
    }
}

/// The kind whose ids a type takes, if it takes ids of one.
fn referenced_kind(ty: &FieldType) -> Option<&str> {
    match ty {
        FieldType::Ref(kind) => Some(kind),
        FieldType::Either(types) => types.iter().find_map(referenced_kind),
        _ => None,
    }
}

impl Host {
    /// Whether a value matches a type, without a look into tables: those are checked when they are
    /// written.
    fn value_matches_type(
        &self,
        stack: Stack<'_>,
        index: StackIndex,
        ty: &FieldType,
        optional: bool,
    ) -> bool {
        let kind = if index > stack.top() { LuaType::Nil } else { stack.lua_type(index) };
        match (ty, kind) {
            (_, LuaType::Nil) => optional,
            (FieldType::Any, _) | (FieldType::Fn, LuaType::Function) => true,
            (FieldType::List(_) | FieldType::Map(_) | FieldType::Record(_), kind) => {
                matches!(kind, LuaType::Table | LuaType::Userdata)
            }
            (FieldType::Either(types), _) => types
                .iter()
                .any(|alternative| self.value_matches_type(stack, index, alternative, false)),
            (_, LuaType::Bool | LuaType::Number | LuaType::Text) => {
                self.find_stack_value_mismatch(stack, index, ty, false).is_none()
            }
            _ => false,
        }
    }

    /// Describes a value for messages.
    fn describe_stack_value(&self, stack: Stack<'_>, index: StackIndex) -> String {
        let kind = if index > stack.top() { LuaType::Nil } else { stack.lua_type(index) };
        match kind {
            LuaType::Nil => "nothing".to_owned(),
            LuaType::Function => "a function".to_owned(),
            LuaType::Bool | LuaType::Number | LuaType::Text => self
                .read_stack_value(stack, index)
                .map_or_else(|| "that".to_owned(), |value| describe_found(&value)),
            _ => "a table".to_owned(),
        }
    }
}
