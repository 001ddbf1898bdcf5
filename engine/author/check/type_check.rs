//! Checks literals against declared types. A value that is known only at run time is not reported.

use crate::analysis::{Literal, TableLiteral};
use content::{
    BasicValue, ErrorPathStep, FieldType, Mismatch, MismatchReason, Registry, TypeChecker,
    TypedValue,
};

/// A mismatch of a literal and a type.
pub(super) struct TypeMismatch {
    /// Where it is written.
    pub(super) line: u32,
    /// The path to it: `.modifiers[2].value`.
    pub(super) path: String,
    /// What is there; none for a field that is not declared.
    pub(super) found: Option<String>,
    pub(super) expected: String,
    pub(super) hint: Option<String>,
    /// Whether a required value is missing.
    pub(super) is_missing: bool,
}

impl TypeMismatch {
    /// What is there, for messages.
    pub(super) fn found_text(&self) -> &str {
        self.found.as_deref().unwrap_or("an undeclared field")
    }
}

/// The check of one literal.
pub(super) struct LiteralTypeChecker<'t> {
    pub(super) registry: &'t Registry,
    /// Whether missing required fields are reported.
    pub(super) reports_missing_fields: bool,
}

/// A literal of a script.
#[derive(Clone, Copy)]
struct PlacedLiteral<'l> {
    literal: &'l Literal,
    line: u32,
    /// Whether it is an item of a list before another one, where nil ends the list.
    is_before_item: bool,
}

impl TypedValue for PlacedLiteral<'_> {
    const IS_EXPRESSION: bool = true;

    fn basic_value(&self) -> BasicValue<'_> {
        match self.literal {
            Literal::Nil if self.is_before_item => BasicValue::Gap,
            Literal::Unknown | Literal::Nil => BasicValue::Unknown,
            Literal::Bool(truth) => BasicValue::Bool(*truth),
            Literal::Number(Some(number)) if number.fract() == 0.0 => {
                BasicValue::Int(*number as i64)
            }
            Literal::Number(number) => BasicValue::Number(*number),
            Literal::Fraction => BasicValue::Fraction,
            Literal::Text(text) => BasicValue::Text(text.as_deref()),
            Literal::Function => BasicValue::Function,
            Literal::Table(table) => BasicValue::Table {
                has_items: !table.items.is_empty(),
                has_names: !table.named_fields.is_empty(),
            },
        }
    }

    fn items(&self) -> impl Iterator<Item = Self> {
        let table = self.table();
        let items: &[(u32, Literal)] = table.map_or(&[], |table| &table.items);
        let last = items.iter().rposition(|(_, item)| *item != Literal::Nil).unwrap_or(0);
        let numbered = items.iter().enumerate();
        numbered.map(move |(index, (line, item))| Self {
            literal: item,
            line: *line,
            is_before_item: index < last,
        })
    }

    fn entries(&self) -> impl Iterator<Item = (&str, Self)> {
        let entries = self.table().into_iter().flat_map(|table| &table.named_fields);
        entries.map(|(name, line, item)| {
            (&**name, Self { literal: item, line: *line, is_before_item: false })
        })
    }

    fn may_have_more_entries(&self) -> bool {
        self.table().is_some_and(|table| table.may_have_more_fields)
    }
}

impl<'l> PlacedLiteral<'l> {
    fn table(self) -> Option<&'l TableLiteral> {
        match self.literal {
            Literal::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl LiteralTypeChecker<'_> {
    /// The mismatches of a literal and a type.
    pub(super) fn mismatches(
        &self,
        ty: &FieldType,
        literal: &Literal,
        line: u32,
    ) -> Vec<TypeMismatch> {
        let registry = self.registry;
        let checker = TypeChecker {
            has_definition: &|kind, id| {
                registry.kind(kind).is_none() || registry.get(kind, id).is_some()
            },
            requires_all_fields: self.reports_missing_fields,
            max_mismatches: usize::MAX,
        };
        let placed = PlacedLiteral { literal, line, is_before_item: false };
        let mismatches = checker.mismatches(ty, placed).into_iter();
        mismatches.map(|mismatch| self.describe_mismatch(&mismatch)).collect()
    }

    fn describe_mismatch(&self, mismatch: &Mismatch<PlacedLiteral<'_>>) -> TypeMismatch {
        let PlacedLiteral { literal, line, .. } = mismatch.value;
        let steps = mismatch.reversed_path.iter().rev().map(|step| match step {
            ErrorPathStep::Field(name) => format!(".{name}"),
            ErrorPathStep::Item(number) => format!("[{number}]"),
        });
        let (word, found) = match (&mismatch.reason, literal) {
            (MismatchReason::WrongValue(_), Literal::Text(Some(text))) => {
                (&**text, Some(describe_literal(literal)))
            }
            (MismatchReason::WrongValue(_), _) => ("", Some(describe_literal(literal))),
            _ => (mismatch.last_name(), None),
        };
        let (expected, hint) = mismatch.reason.explain(word, self.registry);
        let hint = match literal {
            Literal::Nil => Some("a list ends at its first nil: remove it".to_owned()),
            Literal::Fraction if is_whole_number_expected(&mismatch.reason) => {
                Some("`//` and `math.floor` give a whole number".to_owned())
            }
            _ => hint,
        };
        let is_missing = matches!(mismatch.reason, MismatchReason::MissingField(..));
        TypeMismatch { line, path: steps.collect(), found, expected, hint, is_missing }
    }
}

fn is_whole_number_expected(reason: &MismatchReason) -> bool {
    let is_whole = |ty: &FieldType| matches!(ty, FieldType::Int { .. });
    match reason {
        MismatchReason::WrongValue(FieldType::Either(types)) => types.iter().any(is_whole),
        MismatchReason::WrongValue(ty) => is_whole(ty),
        _ => false,
    }
}

/// Describes a literal in words.
pub(super) fn describe_literal(literal: &Literal) -> String {
    match literal {
        Literal::Text(Some(text)) if text.chars().count() <= 40 => format!("the text {text:?}"),
        Literal::Text(_) => "a text".to_owned(),
        Literal::Number(Some(number)) => format!("the number {number}"),
        Literal::Number(None) => "a number".to_owned(),
        Literal::Fraction => "a number that may have a fraction".to_owned(),
        Literal::Bool(Some(truth)) => format!("{truth}"),
        Literal::Bool(None) => "true or false".to_owned(),
        Literal::Nil => "nothing".to_owned(),
        Literal::Function => "a function".to_owned(),
        Literal::Table(table) if table.named_fields.is_empty() && !table.items.is_empty() => {
            "a list".to_owned()
        }
        Literal::Table(_) => "a table".to_owned(),
        Literal::Unknown => "something".to_owned(),
    }
}
