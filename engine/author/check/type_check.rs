//! Checks literals against declared types. A value that is known only at run time is not reported.

use crate::analysis::{Literal, TableLiteral};
use base::problem::{describe_alternatives, nearest_name};
use content::{Field, FieldType, Registry};

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

/// The check of one literal.
pub(super) struct LiteralTypeChecker<'t> {
    pub(super) registry: &'t Registry,
    /// Whether missing required fields are reported.
    pub(super) reports_missing_fields: bool,
}

impl LiteralTypeChecker<'_> {
    /// The mismatches of a literal and a type.
    pub(super) fn mismatches(
        &self,
        ty: &FieldType,
        literal: &Literal,
        line: u32,
    ) -> Vec<TypeMismatch> {
        let mut wrong = Vec::new();
        self.check_value(ty, literal, line, String::new(), &mut wrong);
        wrong
    }

    fn check_value(
        &self,
        ty: &FieldType,
        literal: &Literal,
        line: u32,
        path: String,
        all: &mut Vec<TypeMismatch>,
    ) {
        // `false` may stand for a missing value, so the rest of the type counts.
        let is_more = match literal {
            Literal::Bool(truth) => self.reports_missing_fields && *truth == Some(true),
            _ => true,
        };
        if let (FieldType::Either(types), true) = (ty, is_more)
            && let [FieldType::Bool, meant] = types.as_slice()
        {
            return self.check_value(meant, literal, line, path, all);
        }
        let expectation = match (ty, literal) {
            (FieldType::Any, _) | (_, Literal::Unknown | Literal::Nil) => return,
            (FieldType::Map(inner), Literal::Table(_)) if **inner == FieldType::Any => return,
            (FieldType::Record(fields), Literal::Table(table)) => {
                return self.check_record(fields, table, line, &path, all);
            }
            (FieldType::List(inner), Literal::Table(table)) if table.named_fields.is_empty() => {
                for (at, (line, item)) in table.items.iter().enumerate() {
                    self.check_value(inner, item, *line, format!("{path}[{}]", at + 1), all);
                }
                return;
            }
            (FieldType::Map(inner), Literal::Table(table)) if table.items.is_empty() => {
                for (name, line, item) in &table.named_fields {
                    self.check_value(inner, item, *line, format!("{path}.{name}"), all);
                }
                return;
            }
            (FieldType::Either(types), said) => {
                if let Some(meant) = variant_by_tag(types, said) {
                    return self.check_value(meant, said, line, path, all);
                }
                if let Some((name, words)) = shared_tag(types).filter(|_| is_complete_table(said)) {
                    let tag_field = [Field::new(name, FieldType::OneOf(words.into()))];
                    let (Literal::Table(table), first) = (said, all.len()) else { return };
                    self.check_record(&tag_field, table, line, &path, all);
                    // The possible fields are not known.
                    let own = format!("{path}.{name}");
                    let mut at = 0;
                    return all.retain(|wrong| {
                        at += 1;
                        at <= first || wrong.path == own
                    });
                }
                let mut nested_mismatches: Option<Vec<TypeMismatch>> = None;
                for ty in types {
                    let mut here = Vec::new();
                    self.check_value(ty, said, line, path.clone(), &mut here);
                    if here.is_empty() {
                        return;
                    }
                    // Mismatches further inside are reported for the table that was meant.
                    let deep = here.iter().all(|wrong| wrong.path.len() > path.len());
                    if deep {
                        nested_mismatches.get_or_insert(here);
                    }
                }
                if let Some(least) = nested_mismatches {
                    return all.extend(least);
                }
                (ty.to_string(), None)
            }
            (ty, said) => match self.scalar_mismatch(ty, said) {
                Some(told) => told,
                None => return,
            },
        };
        let (found, (expected, hint)) = (Some(describe_literal(literal)), expectation);
        all.push(TypeMismatch { line, path, found, expected, hint, is_missing: false });
    }

    /// What is expected in place of a literal without inner values, and a hint.
    fn scalar_mismatch(
        &self,
        ty: &FieldType,
        literal: &Literal,
    ) -> Option<(String, Option<String>)> {
        let expected = || Some((ty.to_string(), None));
        match (ty, literal) {
            (FieldType::Text | FieldType::SingleLineText(_), Literal::Text(_))
            | (FieldType::OneOf(_) | FieldType::Ref(_), Literal::Text(None))
            | (FieldType::Int { .. }, Literal::Number(None))
            | (FieldType::Number, Literal::Number(_))
            | (FieldType::Bool, Literal::Bool(_))
            | (FieldType::Fn, Literal::Function) => None,
            (FieldType::Int { min, max }, Literal::Number(Some(number))) => {
                let low = min.is_some_and(|min| *number < min as f64);
                let high = max.is_some_and(|max| *number > max as f64);
                if number.fract() != 0.0 || low || high { expected() } else { None }
            }
            (FieldType::OneOf(words), Literal::Text(Some(word))) => {
                let near = nearest_name(word, words.iter().map(String::as_str));
                if words.contains(word) {
                    None
                } else {
                    Some((ty.to_string(), suggestion_hint(near)))
                }
            }
            (FieldType::Ref(kind), Literal::Text(Some(id))) => {
                let registry = self.registry;
                if registry.kind(kind).is_none() || registry.get(kind, id).is_some() {
                    return None;
                }
                let ids =
                    || registry.all_definitions(kind).map(|definition| definition.id.as_str());
                let same = |known: &&str| known.split_once(':').is_some_and(|(_, name)| name == id);
                let near = ids().find(same).or_else(|| nearest_name(id, ids()));
                Some((ty.to_string(), suggestion_hint(near)))
            }
            _ => expected(),
        }
    }

    fn check_record(
        &self,
        fields: &[Field],
        table: &TableLiteral,
        line: u32,
        path: &str,
        all: &mut Vec<TypeMismatch>,
    ) {
        if !table.items.is_empty() && !table.may_have_more_fields {
            let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            let expected = format!("a table with {}", names.join(", "));
            let found = Some("a list".to_owned());
            all.push(TypeMismatch {
                line,
                path: path.to_owned(),
                found,
                expected,
                hint: None,
                is_missing: false,
            });
            return;
        }
        let lacks =
            |field: &&Field| !table.named_fields.iter().any(|(name, ..)| **name == *field.name);
        let may_be_false = |field: &Field| matches!(&field.ty, FieldType::Either(types) if types.first() == Some(&FieldType::Bool));
        let must = |field: &&Field| !field.is_optional && !may_be_false(field);
        let missing = fields
            .iter()
            .filter(|_| self.reports_missing_fields && !table.may_have_more_fields)
            .filter(must);
        if let Some(field) = { missing }.find(lacks) {
            let (field_path, expected) = (format!("{path}.{}", field.name), field.ty.to_string());
            all.push(TypeMismatch {
                line,
                path: field_path,
                found: None,
                expected,
                hint: None,
                is_missing: true,
            });
        }
        for (name, line, said) in &table.named_fields {
            let field_path = format!("{path}.{name}");
            match fields.iter().find(|field| *field.name == **name) {
                Some(field) => self.check_value(&field.ty, said, *line, field_path, all),
                None => {
                    let names = || fields.iter().map(|field| &*field.name);
                    let expected = describe_alternatives(name, names());
                    let hint =
                        nearest_name(name, names()).map(|near| format!("did you mean `{near}`?"));
                    all.push(TypeMismatch {
                        line: *line,
                        path: field_path,
                        found: None,
                        expected,
                        hint,
                        is_missing: false,
                    });
                }
            }
        }
    }
}

/// The field and the word that identify a table in a union: `widget: "text"`.
fn union_tag(ty: &FieldType) -> Option<(&str, &str)> {
    let FieldType::Record(fields) = ty else { return None };
    fields.iter().find_map(|field| match &field.ty {
        FieldType::OneOf(words) if words.len() == 1 => Some((&*field.name, &*words[0])),
        _ => None,
    })
}

/// The tag field that all tables of a union have, and its words.
fn shared_tag(types: &[FieldType]) -> Option<(&str, Vec<String>)> {
    let (name, _) = union_tag(types.first()?)?;
    let words = types.iter().map(|ty| union_tag(ty).filter(|(own, _)| *own == name));
    let words: Option<Vec<String>> = words.map(|one| Some(one?.1.to_owned())).collect();
    Some((name, words?))
}

/// Whether it is a complete table literal.
fn is_complete_table(literal: &Literal) -> bool {
    matches!(literal, Literal::Table(table) if !table.may_have_more_fields)
}

/// In a union of tagged tables, `{ widget: "text", … } | { widget: "list", … }`, the one that the
/// literal's tag selects.
fn variant_by_tag<'t>(types: &'t [FieldType], literal: &Literal) -> Option<&'t FieldType> {
    let Literal::Table(table) = literal else { return None };
    let says = |ty: &&'t FieldType| {
        let tag = union_tag(ty).and_then(|(name, word)| Some((table.get(name)?, word)));
        tag.is_some_and(|(said, word)| *said == Literal::Text(Some(word.to_owned())))
    };
    types.iter().find(says)
}

fn suggestion_hint(near: Option<&str>) -> Option<String> {
    near.map(|near| format!("did you mean \"{near}\"?"))
}

/// Describes a literal in words.
pub(super) fn describe_literal(literal: &Literal) -> String {
    match literal {
        Literal::Text(Some(text)) if text.chars().count() <= 40 => format!("the text {text:?}"),
        Literal::Text(_) => "a text".to_owned(),
        Literal::Number(Some(number)) => format!("the number {number}"),
        Literal::Number(None) => "a number".to_owned(),
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
