//! Checks values of events and of the state against their declared types in play. It knows only
//! declarations and plain data; its callers attribute the Problems.

use super::describe_value::field_suffix;
use super::host::Host;
use super::plain_data::BorrowingVisitor;
use super::value_ref::{NamedValue, ValueRef, find_value_by_name};
use base::{
    Code, Id, Problem,
    problem::{describe_alternatives, nearest_name},
    quote, text,
};
use content::{Field, FieldType, Registry};
use luau::{LuaType, Stack, StackIndex, TableReader};
use protocol::WorldState;

/// A value that does not match its declared type.
#[derive(Debug)]
pub(crate) struct FieldMismatch {
    /// The path to the value from the checked root, as a script writes it: `.modifiers[2].value`.
    pub(crate) path: String,
    /// A description of the value; `None` if a required value is missing.
    pub(crate) found: Option<String>,
    pub(crate) expected: String,
    pub(crate) hint: Option<String>,
    /// Whether the field is undeclared.
    pub(crate) is_undeclared: bool,
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
                (!known).then(|| FieldMismatch {
                    hint: did_you_mean_hint(nearest_name(word, words.iter().map(String::as_str))),
                    ..wrong_type_mismatch(ty, value)
                })
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
        let ids = || self.registry.all_definitions(kind).map(|definition| definition.id.as_str());
        let same = |known: &&str| known.split_once(':').is_some_and(|(_, name)| name == id);
        let near = ids().find(same).or_else(|| nearest_name(id, ids()));
        let found = match Id::parse(id, "") {
            Ok(_) => Some(format!("{}, and there is no such {kind}", quote(id))),
            Err(_) => Some(describe_found(value)),
        };
        Some(FieldMismatch {
            found,
            hint: did_you_mean_hint(near),
            ..wrong_type_mismatch(ty, value)
        })
    }

    fn check_record(&self, fields: &[Field], map: &[NamedValue<'_>]) -> Option<FieldMismatch> {
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
        let (way, expected) = (field_suffix(&missing.name), missing.ty.to_string());
        let hint = (!missing.doc.is_empty()).then(|| text::strip_rule_ids(&missing.doc).to_owned());
        Some(FieldMismatch { path: way, found: None, expected, hint, is_undeclared: false })
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
            _ if self.is_undeclared => {
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
        Problem::error(code, found).expected(self.expected).with_optional_hint(self.hint)
    }
}

/// The mismatch of an undeclared field.
pub(crate) fn undeclared_field_mismatch(fields: &[Field], name: &str) -> FieldMismatch {
    let names = || fields.iter().map(|field| &*field.name);
    let expected = match fields.is_empty() {
        true => "a table without fields".to_owned(),
        false => describe_alternatives(name, names()),
    };
    let hint = nearest_name(name, names()).map(|near| format!("did you mean `{near}`?"));
    FieldMismatch { path: field_suffix(name), found: None, expected, hint, is_undeclared: true }
}

fn wrong_type_mismatch(ty: &FieldType, value: &ValueRef<'_>) -> FieldMismatch {
    let (way, found) = (String::new(), Some(describe_found(value)));
    FieldMismatch { path: way, found, expected: ty.to_string(), hint: None, is_undeclared: false }
}

fn did_you_mean_hint(near: Option<&str>) -> Option<String> {
    near.map(|near| format!("did you mean \"{near}\"?"))
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
