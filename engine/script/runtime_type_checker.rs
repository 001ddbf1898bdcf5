//! Checks values of events and of the state against their declared types in play. It knows only
//! declarations and plain data; its callers attribute the Problems.

use super::describe_value::field_suffix;
use super::host::Host;
use super::host_explanation::{HostExplanation as _, nearest_id};
use super::plain_data::BorrowingVisitor;
use super::value_ref::{NamedValue, ValueRef, find_value_by_name};
use std::sync::Arc;

use base::problem::{nearest_name, searched_part};
use base::{Code, Id, Problem, quote, text};
use content::{Field, FieldList, FieldType, Registry};
use luau::{LuaType, Stack, StackIndex, TableReader};
use protocol::WorldState;

/// A value that does not match its declared type.
#[derive(Debug)]
pub(crate) struct FieldMismatch {
    /// The path to the value from the checked root, as a script writes it: `.modifiers[2].value`.
    pub(crate) path: String,
    /// A description of the value; `None` if a required value is missing.
    pub(crate) found: Option<String>,
    pub(crate) reason: MismatchReason,
}

/// Why a value does not match. It shares the schema, and searches nothing.
#[derive(Debug)]
pub(crate) enum MismatchReason {
    /// The value is not of this type. A text may be a misspelt one.
    WrongValue(FieldType, Option<String>),
    /// The field with this name is missing.
    MissingField(FieldList, Arc<str>),
    /// There is no field with this name.
    UndeclaredField(FieldList, String),
}

impl MismatchReason {
    pub(crate) fn is_undeclared(&self) -> bool {
        matches!(self, Self::UndeclaredField(..))
    }

    /// Adds what was expected, and what may have been meant.
    pub(crate) fn explain(&self, registry: &Registry, problem: Problem) -> Problem {
        let (ty, text) = match self {
            Self::WrongValue(ty, text) => (ty, text),
            Self::MissingField(fields, name) => {
                let Some(field) = fields.iter().find(|field| field.name == *name) else {
                    return problem;
                };
                let doc = text::strip_rule_ids(&field.doc);
                let problem = problem.expected(field.ty.to_string());
                return problem.with_optional_hint((!doc.is_empty()).then_some(doc));
            }
            Self::UndeclaredField(fields, _) if fields.is_empty() => {
                return problem.expected("a table without fields");
            }
            Self::UndeclaredField(fields, name) => {
                return problem.expect_one_of_names(name, fields.iter().map(|field| &*field.name));
            }
        };
        let problem = problem.expected(ty.to_string());
        match (ty, text) {
            (FieldType::OneOf(words), Some(word)) => {
                problem.suggest_name(nearest_name(word, words.iter().map(String::as_str)))
            }
            (FieldType::Ref(kind), Some(id)) => {
                problem.suggest_name(nearest_id(registry, kind, id))
            }
            _ => problem,
        }
    }
}

/// The code for a wrong value, and the code for an undeclared field.
pub(crate) type MismatchCodes = (Code, Code);
/// The codes for events.
pub(crate) const EVENT_MISMATCH_CODES: MismatchCodes =
    (Code::EventWrongValue, Code::UnknownEventField);
/// The codes for the state.
pub(crate) const STATE_MISMATCH_CODES: MismatchCodes =
    (Code::StateWrongValue, Code::UnknownStateField);

/// A type check of values.
pub(crate) struct RuntimeTypeChecker<'t> {
    registry: &'t Registry,
    /// Whether missing required fields are a mismatch.
    requires_all_fields: bool,
    /// The run that has the value. It lists removed definitions.
    world: Option<&'t WorldState>,
}

impl<'t> RuntimeTypeChecker<'t> {
    pub(crate) fn new(registry: &'t Registry, whole: bool) -> Self {
        Self { registry, requires_all_fields: whole, world: None }
    }

    /// Also accepts references to removed definitions of a run.
    pub(crate) fn with_world(self, run: &'t WorldState) -> Self {
        Self { world: Some(run), ..self }
    }

    /// The first mismatch in a value.
    pub(crate) fn find_mismatch(
        &self,
        ty: &FieldType,
        value: &ValueRef<'_>,
    ) -> Option<FieldMismatch> {
        match (ty, value) {
            (FieldType::Any, _)
            | (FieldType::Text | FieldType::SingleLineText(_), ValueRef::Text(_))
            | (FieldType::Number, ValueRef::Int(_) | ValueRef::Num(_))
            | (FieldType::Bool, ValueRef::Bool(_)) => None,
            (FieldType::Int { min, max }, ValueRef::Int(int)) => {
                let fits = min.is_none_or(|min| *int >= min) && max.is_none_or(|max| *int <= max);
                (!fits).then(|| wrong_type_mismatch(ty, value))
            }
            (FieldType::OneOf(words), ValueRef::Text(word)) => {
                let known = words.iter().any(|known| known == word);
                (!known).then(|| wrong_type_mismatch(ty, value))
            }
            (FieldType::Ref(kind), ValueRef::Text(id)) => self.check_reference(kind, id, ty, value),
            (FieldType::List(inner), ValueRef::List(list)) => {
                let mut items = list.iter().enumerate();
                items.find_map(|(at, item)| {
                    self.find_mismatch(inner, item)
                        .map(|misfit| misfit.prefix_path(&format!("[{}]", at + 1)))
                })
            }
            (FieldType::Map(inner), ValueRef::Map(map)) => map.iter().find_map(|(name, item)| {
                self.find_mismatch(inner, item)
                    .map(|misfit| misfit.prefix_path(&field_suffix(name)))
            }),
            (FieldType::Record(fields), ValueRef::Map(map)) => self.check_record(fields, map),
            // An empty table is both an empty list and an empty map.
            (FieldType::List(_), ValueRef::Map(map)) if map.is_empty() => None,
            (FieldType::Map(_), ValueRef::List(list)) if list.is_empty() => None,
            (FieldType::Record(fields), ValueRef::List(list)) if list.is_empty() => {
                self.check_record(fields, &[])
            }
            (FieldType::Either(types), value) => self.check_union(types, ty, value),
            _ => Some(wrong_type_mismatch(ty, value)),
        }
    }

    fn check_reference(
        &self,
        kind: &str,
        id: &str,
        ty: &FieldType,
        value: &ValueRef<'_>,
    ) -> Option<FieldMismatch> {
        if self.registry.kind(kind).is_none() || self.registry.get(kind, id).is_some() {
            return None;
        }
        if self.world.is_some_and(|run| run.removed_definition_name(kind, id).is_some()) {
            return None;
        }
        let found = match Id::parse(id, "") {
            Ok(_) => Some(format!("{}, and there is no such {kind}", quote(id))),
            Err(_) => Some(describe_found(value)),
        };
        Some(FieldMismatch { found, ..wrong_type_mismatch(ty, value) })
    }

    fn check_record(&self, fields: &FieldList, map: &[NamedValue<'_>]) -> Option<FieldMismatch> {
        for (name, item) in map {
            let Some(field) = fields.iter().find(|field| *field.name == **name) else {
                return Some(undeclared_field_mismatch(fields, name));
            };
            if let Some(misfit) = self.find_mismatch(&field.ty, item) {
                return Some(misfit.prefix_path(&field_suffix(name)));
            }
        }
        let lacks = |field: &&Field| {
            !field.is_optional
                && field.default.is_none()
                && find_value_by_name(map, &field.name).is_none()
        };
        let missing = fields.iter().filter(|_| self.requires_all_fields).find(lacks)?;
        let reason = MismatchReason::MissingField(fields.clone(), missing.name.clone());
        Some(FieldMismatch { path: field_suffix(&missing.name), found: None, reason })
    }

    /// Tries each type. If none matches, prefers the mismatch inside a value over the one of the
    /// value itself.
    fn check_union(
        &self,
        types: &[FieldType],
        ty: &FieldType,
        value: &ValueRef<'_>,
    ) -> Option<FieldMismatch> {
        let mut first = None;
        for one in types {
            let misfit = self.find_mismatch(one, value)?;
            if !misfit.path.is_empty() {
                first.get_or_insert(misfit);
            }
        }
        Some(first.unwrap_or_else(|| wrong_type_mismatch(ty, value)))
    }
}

impl FieldMismatch {
    pub(crate) fn prefix_path(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    /// Creates the Problem. `name` is the script's name for the value; `cause_text` names the code
    /// that sets it, as in `a before-hook sets event.x to 3`.
    pub(crate) fn into_problem(
        self,
        (wrong, unknown): MismatchCodes,
        cause_text: &str,
        name: &str,
    ) -> Problem {
        let whole = format!("{name}{}", self.path);
        let (code, found) = match &self.found {
            _ if self.reason.is_undeclared() => {
                (unknown, format!("{cause_text} sets {whole}, which no mod declares"))
            }
            Some(found) => (wrong, format!("{cause_text} sets {whole} to {found}")),
            None => (
                wrong,
                format!(
                    "{cause_text} leaves {name} without `{}`",
                    text::strip_unprintable(&self.path[1..])
                ),
            ),
        };
        let reason = self.reason;
        Problem::error(code, found)
            .explain_in_host(move |host, problem| reason.explain(host.registry(), problem))
    }
}

/// The mismatch of an undeclared field.
pub(crate) fn undeclared_field_mismatch(fields: &FieldList, name: &str) -> FieldMismatch {
    let reason = MismatchReason::UndeclaredField(fields.clone(), searched_part(name));
    FieldMismatch { path: field_suffix(name), found: None, reason }
}

fn wrong_type_mismatch(ty: &FieldType, value: &ValueRef<'_>) -> FieldMismatch {
    let text = value.as_text().map(searched_part);
    let reason = MismatchReason::WrongValue(ty.clone(), text);
    FieldMismatch { path: String::new(), found: Some(describe_found(value)), reason }
}

fn describe_found(value: &ValueRef<'_>) -> String {
    match value {
        ValueRef::Bool(truth) => truth.to_string(),
        ValueRef::Int(int) => int.to_string(),
        ValueRef::Num(number) => number.to_string(),
        ValueRef::Text(text) if text.chars().nth(40).is_some() => "a long text".to_owned(),
        ValueRef::Text(text) => format!("the text {text:?}"),
        ValueRef::List(_) => "a list".to_owned(),
        ValueRef::Map(_) => "a table of names".to_owned(),
    }
}

/// Whether a number matches a numeric type, without a full check.
fn number_matches_type(ty: &FieldType, number: f64) -> bool {
    const MAX_EXACT_INT: f64 = 9e15;
    let int = number as i64;
    match ty {
        FieldType::Number => true,
        FieldType::Int { min, max } if int as f64 == number && number.abs() < MAX_EXACT_INT => {
            min.is_none_or(|min| int >= min) && max.is_none_or(|max| int <= max)
        }
        _ => false,
    }
}

impl Host {
    /// The mismatch of the value at a stack index. A table that is not plain data matches, because
    /// it may hold functions.
    pub(crate) fn find_stack_value_mismatch(
        &self,
        stack: Stack<'_>,
        at: StackIndex,
        ty: &FieldType,
        whole: bool,
    ) -> Option<FieldMismatch> {
        let value = match stack.lua_type(at) {
            _ if matches!(ty, FieldType::Any) => return None,
            LuaType::Function if matches!(ty, FieldType::Fn) => return None,
            // Most values are simple and are checked without a copy.
            LuaType::Number if number_matches_type(ty, stack.number(at)) => return None,
            LuaType::Text if matches!(ty, FieldType::Text | FieldType::SingleLineText(_)) => {
                return None;
            }
            LuaType::Bool => ValueRef::Bool(stack.is_truthy(at)),
            _ => {
                let top = stack.top();
                let mut sink = BorrowingVisitor(self);
                let read = TableReader::new(&mut sink).read_value(stack, at);
                stack.set_top(top);
                read.ok()?
            }
        };
        RuntimeTypeChecker::new(self.registry(), whole).find_mismatch(ty, &value)
    }
}
