//! Answers whether a value fits a type: for content files, the state, events, calls and `check`.

use std::sync::Arc;

use super::error_path::ErrorPathStep;
use super::registry::Registry;
use super::schema::{Field, FieldList, FieldType};
use base::problem::{describe_alternatives, nearest_name};
use base::text;

/// A value as the checker sees it. Implemented by handles that are cheap to copy.
pub trait TypedValue: Copy {
    /// Whether it is an expression in a script. `false` may then stand for a missing value, so
    /// `boolean | T` means `T`; and a table of anything may have any keys.
    const IS_EXPRESSION: bool = false;

    /// Its basic type.
    fn basic_value(&self) -> BasicValue<'_>;
    /// The items of its list part.
    fn items(&self) -> impl Iterator<Item = Self>;
    /// Its named entries.
    fn entries(&self) -> impl Iterator<Item = (&str, Self)>;
    /// Whether it may have more entries than these.
    fn may_have_more_entries(&self) -> bool {
        false
    }
}

/// The basic type of a value, and the value if it is simple. `None`: only known at run time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BasicValue<'v> {
    /// Nothing is known about it.
    Unknown,
    /// True or false.
    Bool(Option<bool>),
    /// A whole number.
    Int(i64),
    /// A number that is not whole, or not known.
    Number(Option<f64>),
    /// A number in a script that may be no whole number, such as a quotient.
    Fraction,
    /// Nothing, in a list before a further item.
    Gap,
    /// A text.
    Text(Option<&'v str>),
    /// A table.
    Table {
        /// Whether it has list items.
        has_items: bool,
        /// Whether it has named entries.
        has_names: bool,
    },
    /// A function.
    Function,
}

/// A value that does not match its type.
#[derive(Debug)]
pub struct Mismatch<V> {
    /// The steps to the value, innermost first.
    pub reversed_path: Vec<ErrorPathStep>,
    /// The value; for a missing field the table that lacks it.
    pub value: V,
    /// Why it does not match.
    pub reason: MismatchReason,
}

impl<V> Mismatch<V> {
    /// The last name of its path.
    pub fn last_name(&self) -> &str {
        match self.reversed_path.first() {
            Some(ErrorPathStep::Field(name)) => name,
            _ => "",
        }
    }
}

/// Why a value does not match. It shares the schema.
#[derive(Clone, Debug)]
pub enum MismatchReason {
    /// The value is not of this type.
    WrongValue(FieldType),
    /// The field with this index is missing.
    MissingField(FieldList, usize),
    /// The table has no field with the name of the last step.
    UnknownField(FieldList),
}

impl MismatchReason {
    /// What was expected, and a hint. `word` is the wrong text, or the name without a field.
    pub fn explain(&self, word: &str, registry: &Registry) -> (String, Option<String>) {
        let quote_near = |near: &str| format!("did you mean \"{near}\"?");
        match self {
            Self::WrongValue(ty) => {
                let hint = match ty {
                    FieldType::OneOf(words) => words.explain_other_text(word),
                    FieldType::Ref(kind) => registry.suggest_id(kind, word).map(quote_near),
                    _ => None,
                };
                (ty.to_string(), hint)
            }
            Self::MissingField(fields, index) => {
                let field = &fields[*index];
                let doc = text::strip_rule_ids(&field.doc);
                (field.ty.to_string(), (!doc.is_empty()).then(|| doc.to_owned()))
            }
            Self::UnknownField(fields) if fields.is_empty() => {
                ("a table without fields".to_owned(), None)
            }
            Self::UnknownField(fields) => {
                let names = || fields.iter().map(|field| &*field.name);
                let hint =
                    nearest_name(word, names()).map(|near| format!("did you mean `{near}`?"));
                (describe_alternatives(word, names()), hint)
            }
        }
    }
}

/// The check of one value.
pub struct TypeChecker<'c> {
    /// Whether a definition of this kind (first) with this id exists.
    pub has_definition: &'c dyn Fn(&str, &str) -> bool,
    /// Whether missing required fields are a mismatch.
    pub requires_all_fields: bool,
    /// Maximum number of mismatches to find.
    pub max_mismatches: usize,
}

impl TypeChecker<'_> {
    /// All mismatches of a value.
    pub fn mismatches<V: TypedValue>(&self, ty: &FieldType, value: V) -> Vec<Mismatch<V>> {
        let mut found = Vec::new();
        self.check(ty, value, &mut found);
        found
    }

    /// Whether a value matches.
    pub fn fits<V: TypedValue>(&self, ty: &FieldType, value: V) -> bool {
        self.mismatches(ty, value).is_empty()
    }

    fn check<V: TypedValue>(&self, ty: &FieldType, value: V, found: &mut Vec<Mismatch<V>>) {
        let basic_value = value.basic_value();
        let fits = match (ty, basic_value) {
            (FieldType::Any, _)
            | (_, BasicValue::Unknown)
            | (FieldType::Text | FieldType::SingleLineText(_), BasicValue::Text(_))
            | (FieldType::OneOf(_) | FieldType::Ref(_), BasicValue::Text(None))
            | (FieldType::Int { .. }, BasicValue::Number(None))
            | (
                FieldType::Number,
                BasicValue::Int(_) | BasicValue::Number(_) | BasicValue::Fraction,
            )
            | (FieldType::Bool, BasicValue::Bool(_))
            | (FieldType::Fn, BasicValue::Function) => true,
            (FieldType::Int { min, max }, BasicValue::Int(int)) => {
                min.is_none_or(|min| int >= min) && max.is_none_or(|max| int <= max)
            }
            (FieldType::OneOf(words), BasicValue::Text(Some(word))) => {
                words.iter().any(|known| known == word)
            }
            (FieldType::Ref(kind), BasicValue::Text(Some(id))) => (self.has_definition)(kind, id),
            (FieldType::List(inner), BasicValue::Table { has_names: false, .. }) => {
                for (index, item) in value.items().enumerate() {
                    self.check_inner(inner, item, || ErrorPathStep::Item(index + 1), found);
                }
                return;
            }
            (FieldType::Map(inner), BasicValue::Table { .. })
                if V::IS_EXPRESSION && **inner == FieldType::Any =>
            {
                true
            }
            (FieldType::Map(inner), BasicValue::Table { has_items: false, .. }) => {
                for (name, item) in value.entries() {
                    self.check_inner(inner, item, || ErrorPathStep::Field(Arc::from(name)), found);
                }
                return;
            }
            (FieldType::Record(fields), BasicValue::Table { has_items, .. })
                if !has_items || value.may_have_more_entries() =>
            {
                return self.check_record(fields, value, found);
            }
            (FieldType::Either(types), _) => return self.check_union(ty, types, value, found),
            _ => false,
        };
        if !fits {
            let reason = MismatchReason::WrongValue(ty.clone());
            found.push(Mismatch { reversed_path: Vec::new(), value, reason });
        }
    }

    /// Checks a value inside another one.
    fn check_inner<V: TypedValue>(
        &self,
        ty: &FieldType,
        value: V,
        step: impl Fn() -> ErrorPathStep,
        found: &mut Vec<Mismatch<V>>,
    ) {
        let start = found.len();
        if start < self.max_mismatches {
            self.check(ty, value, found);
            found[start..].iter_mut().for_each(|mismatch| mismatch.reversed_path.push(step()));
        }
    }

    fn check_record<V: TypedValue>(
        &self,
        fields: &FieldList,
        value: V,
        found: &mut Vec<Mismatch<V>>,
    ) {
        for (name, item) in value.entries() {
            let step = || ErrorPathStep::Field(Arc::from(name));
            match fields.iter().find(|field| *field.name == *name) {
                Some(field) => self.check_inner(&field.ty, item, step, found),
                None => found.push(Mismatch {
                    reversed_path: vec![step()],
                    value: item,
                    reason: MismatchReason::UnknownField(fields.clone()),
                }),
            }
        }
        if !self.requires_all_fields || value.may_have_more_entries() {
            return;
        }
        for (index, field) in fields.iter().enumerate() {
            let is_required = !field.is_optional
                && field.default.is_none()
                && !(V::IS_EXPRESSION && may_be_false(&field.ty));
            if is_required && !value.entries().any(|(name, _)| *name == *field.name) {
                let reason = MismatchReason::MissingField(fields.clone(), index);
                let reversed_path = vec![ErrorPathStep::Field(field.name.clone())];
                found.push(Mismatch { reversed_path, value, reason });
            }
        }
    }

    /// Tries each type. If none matches, the mismatches inside the table that was meant are
    /// reported, or else the value itself.
    fn check_union<V: TypedValue>(
        &self,
        whole_type: &FieldType,
        types: &[FieldType],
        value: V,
        found: &mut Vec<Mismatch<V>>,
    ) {
        let basic_value = value.basic_value();
        // `false` may stand for a missing value, so the rest of the type counts.
        let is_false_allowed = match basic_value {
            BasicValue::Bool(truth) => !(self.requires_all_fields && truth == Some(true)),
            _ => false,
        };
        if V::IS_EXPRESSION
            && !is_false_allowed
            && let Some(meant) = type_without_false(whole_type)
        {
            return self.check(meant, value, found);
        }
        if let Some(meant) = variant_by_tag(types, value) {
            return self.check(meant, value, found);
        }
        let start = found.len();
        if let Some(tag_field) = shared_tag(types)
            && matches!(basic_value, BasicValue::Table { .. })
            && !value.may_have_more_entries()
        {
            // The other fields are not known.
            let tag_name = tag_field.name.clone();
            self.check_record(&vec![tag_field].into(), value, found);
            let mut index = 0;
            found.retain(|mismatch| {
                index += 1;
                let is_tag =
                    matches!(&*mismatch.reversed_path, [ErrorPathStep::Field(name)] if **name == *tag_name);
                index <= start || is_tag
            });
            return;
        }
        let mut nested_mismatches = None;
        for ty in types {
            let mut here = Vec::new();
            self.check(ty, value, &mut here);
            if here.is_empty() {
                return;
            }
            if here.iter().all(|mismatch| !mismatch.reversed_path.is_empty()) {
                nested_mismatches.get_or_insert(here);
            }
        }
        match nested_mismatches {
            Some(nested_mismatches) => found.extend(nested_mismatches),
            None => {
                let reason = MismatchReason::WrongValue(whole_type.clone());
                found.push(Mismatch { reversed_path: Vec::new(), value, reason });
            }
        }
    }
}

/// `T` of `boolean | T`.
fn type_without_false(ty: &FieldType) -> Option<&FieldType> {
    let FieldType::Either(types) = ty else { return None };
    match types.as_slice() {
        [FieldType::Bool, meant] => Some(meant),
        _ => None,
    }
}

/// Whether `false` is one of the values, which stands for a missing one.
fn may_be_false(ty: &FieldType) -> bool {
    matches!(ty, FieldType::Either(types) if types.first() == Some(&FieldType::Bool))
}

/// The field and the word that identify a table in a union: `widget: "text"`.
fn union_tag(ty: &FieldType) -> Option<(&Field, &str)> {
    let FieldType::Record(fields) = ty else { return None };
    fields.iter().find_map(|field| match &field.ty {
        FieldType::OneOf(words) if words.len() == 1 => Some((field, &*words[0])),
        _ => None,
    })
}

/// The tag field that all tables of a union have, with all its words.
fn shared_tag(types: &[FieldType]) -> Option<Field> {
    let (first, _) = union_tag(types.first()?)?;
    let words = types.iter().map(|ty| {
        union_tag(ty).filter(|(field, _)| field.name == first.name).map(|(_, word)| word.to_owned())
    });
    let words: Vec<String> = words.collect::<Option<_>>()?;
    Some(Field::new(&first.name, FieldType::one_of(words)))
}

/// In a union of tagged tables, `{ widget: "text", … } | { widget: "list", … }`, the one that the
/// value's tag selects.
fn variant_by_tag<V: TypedValue>(types: &[FieldType], value: V) -> Option<&FieldType> {
    types.iter().find(|ty| {
        union_tag(ty).is_some_and(|(field, word)| {
            value.entries().any(|(name, item)| {
                *name == *field.name && item.basic_value() == BasicValue::Text(Some(word))
            })
        })
    })
}
