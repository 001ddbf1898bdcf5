//! Checks values of events and of the state against their declared types in play. It knows only
//! declarations and plain data; its callers attribute the Problems.

use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::host::Host;
use crate::source_text::describe_value::field_suffix;
use crate::values::plain_data::BorrowingVisitor;
use crate::values::value_ref::ValueRef;
use base::problem::searched_part;
use base::{Code, Id, Problem, quote, text};
use content::{
    BasicValue, ErrorPathStep, FieldList, FieldType, MismatchReason, Registry, TypeChecker,
    TypedValue,
};
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
    /// The wrong text, or the name without a field.
    word: String,
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
    /// The run that has the value. Its references to removed definitions are valid.
    world: &'t WorldState,
}

impl<'t> RuntimeTypeChecker<'t> {
    pub(crate) fn new(registry: &'t Registry, world: &'t WorldState, whole: bool) -> Self {
        Self { registry, requires_all_fields: whole, world }
    }

    /// The first mismatch in a value.
    pub(crate) fn find_mismatch(
        &self,
        ty: &FieldType,
        value: &ValueRef<'_>,
    ) -> Option<FieldMismatch> {
        let checker = TypeChecker {
            has_definition: &|kind, id| {
                self.registry.kind(kind).is_none()
                    || self.registry.get(kind, id).is_some()
                    || self.world.removed_definition_name(kind, id).is_some()
            },
            requires_all_fields: self.requires_all_fields,
            max_mismatches: 1,
        };
        let mismatch = checker.mismatches(ty, value).into_iter().next()?;
        let path = mismatch.reversed_path.iter().rev().map(|step| match step {
            ErrorPathStep::Field(name) => field_suffix(name),
            ErrorPathStep::Item(number) => format!("[{number}]"),
        });
        let (word, found) = match (&mismatch.reason, mismatch.value) {
            (MismatchReason::WrongValue(FieldType::Ref(kind)), ValueRef::Text(id))
                if Id::parse(id, "").is_ok() =>
            {
                (&**id, Some(format!("{}, and there is no such {kind}", quote(id))))
            }
            (MismatchReason::WrongValue(_), value) => {
                (value.as_text().unwrap_or_default(), Some(describe_found(value)))
            }
            _ => (mismatch.last_name(), None),
        };
        let (path, word) = (path.collect(), searched_part(word));
        Some(FieldMismatch { path, found, reason: mismatch.reason, word })
    }
}

impl TypedValue for &ValueRef<'_> {
    fn basic_value(&self) -> BasicValue<'_> {
        match self {
            ValueRef::Bool(truth) => BasicValue::Bool(Some(*truth)),
            ValueRef::Int(int) => BasicValue::Int(*int),
            ValueRef::Num(number) => BasicValue::Number(Some(*number)),
            ValueRef::Text(text) => BasicValue::Text(Some(text)),
            ValueRef::List(list) => {
                BasicValue::Table { has_items: !list.is_empty(), has_names: false }
            }
            ValueRef::Map(map) => {
                BasicValue::Table { has_items: false, has_names: !map.is_empty() }
            }
        }
    }

    fn items(&self) -> impl Iterator<Item = Self> {
        self.as_list().into_iter().flatten()
    }

    fn entries(&self) -> impl Iterator<Item = (&str, Self)> {
        let entries = match self {
            ValueRef::Map(map) => &map[..],
            _ => &[],
        };
        entries.iter().map(|(name, item)| (&**name, item))
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
            _ if self.is_undeclared() => {
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
        self.explain_later(Problem::error(code, found))
    }

    /// Adds what was expected, once the Problem leaves the VM.
    pub(crate) fn explain_later(self, problem: Problem) -> Problem {
        let (reason, word) = (self.reason, self.word);
        problem.explain_in_host(move |host, problem| {
            let (expected, hint) = reason.explain(&word, host.registry());
            problem.expected(expected).with_optional_hint(hint)
        })
    }

    pub(crate) fn is_undeclared(&self) -> bool {
        matches!(self.reason, MismatchReason::UnknownField(_))
    }

    /// The mismatch of a required value that is set to nil.
    pub(crate) fn of_removed_value(ty: &FieldType) -> Self {
        let reason = MismatchReason::WrongValue(ty.clone());
        Self { path: String::new(), found: Some("nil".to_owned()), reason, word: String::new() }
    }

    /// The mismatch of an undeclared field.
    pub(crate) fn of_undeclared_field(fields: &FieldList, name: &str) -> Self {
        let reason = MismatchReason::UnknownField(fields.clone());
        Self { path: field_suffix(name), found: None, reason, word: searched_part(name) }
    }
}

/// Describes a wrong value.
pub(crate) fn describe_found(value: &ValueRef<'_>) -> String {
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
            _ => self.read_stack_value(stack, at)?,
        };
        let world = self.call_context.world.borrow();
        RuntimeTypeChecker::new(self.registry(), &world, whole).find_mismatch(ty, &value)
    }

    /// The value at a stack index, if it is plain data.
    pub(crate) fn read_stack_value<'c>(
        &self,
        stack: Stack<'c>,
        at: StackIndex,
    ) -> Option<ValueRef<'c>> {
        if stack.lua_type(at) == LuaType::Bool {
            return Some(ValueRef::Bool(stack.is_truthy(at)));
        }
        let top = stack.top();
        let mut visitor = BorrowingVisitor(self);
        let read = TableReader::new(&mut visitor).read_value(stack, at);
        stack.set_top(top);
        read.ok()
    }
}
