//! Checks literals against declared types. A value that is known only at run time is not reported.

use crate::content::{Field, FieldType, Registry};
use crate::kit::problem::{nearest, one_of};
use crate::workshop::lua::{Said, Table};

/// A mismatch of a literal and a type.
pub(super) struct Wrong {
    /// Where it is written.
    pub(super) line: u32,
    /// The path to it: `.modifiers[2].value`.
    pub(super) way: String,
    /// What is there; none for a field that is not declared.
    pub(super) found: Option<String>,
    pub(super) expected: String,
    pub(super) hint: Option<String>,
    /// Whether a required value is missing.
    pub(super) missing: bool,
}

/// The check of one literal.
pub(super) struct Suits<'t> {
    pub(super) registry: &'t Registry,
    /// Whether missing required fields are reported.
    pub(super) whole: bool,
}

impl Suits<'_> {
    /// The mismatches of a literal and a type.
    pub(super) fn look(&self, ty: &FieldType, said: &Said, line: u32) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        self.one(ty, said, line, String::new(), &mut wrong);
        wrong
    }

    fn one(&self, ty: &FieldType, said: &Said, line: u32, way: String, all: &mut Vec<Wrong>) {
        // `false` may stand for a missing value, so the rest of the type counts.
        let is_more = match said {
            Said::Truth(truth) => self.whole && *truth == Some(true),
            _ => true,
        };
        if let (FieldType::Either(types), true) = (ty, is_more)
            && let [FieldType::Bool, meant] = types.as_slice()
        {
            return self.one(meant, said, line, way, all);
        }
        let told = match (ty, said) {
            (FieldType::Any, _) | (_, Said::Untold | Said::Nil) => return,
            (FieldType::Map(inner), Said::Table(_)) if **inner == FieldType::Any => return,
            (FieldType::Record(fields), Said::Table(table)) => {
                return self.record(fields, table, line, &way, all);
            }
            (FieldType::List(inner), Said::Table(table)) if table.named.is_empty() => {
                for (at, (line, item)) in table.items.iter().enumerate() {
                    self.one(inner, item, *line, format!("{way}[{}]", at + 1), all);
                }
                return;
            }
            (FieldType::Map(inner), Said::Table(table)) if table.items.is_empty() => {
                for (name, line, item) in &table.named {
                    self.one(inner, item, *line, format!("{way}.{name}"), all);
                }
                return;
            }
            (FieldType::Either(types), said) => {
                if let Some(meant) = meant_by_word(types, said) {
                    return self.one(meant, said, line, way, all);
                }
                if let Some((name, words)) = told_apart(types).filter(|_| is_whole(said)) {
                    let apart = [Field::new(name, FieldType::OneOf(words.into()))];
                    let (Said::Table(table), first) = (said, all.len()) else { return };
                    self.record(&apart, table, line, &way, all);
                    // The possible fields are not known.
                    let own = format!("{way}.{name}");
                    let mut at = 0;
                    return all.retain(|wrong| {
                        at += 1;
                        at <= first || wrong.way == own
                    });
                }
                let mut least: Option<Vec<Wrong>> = None;
                for ty in types {
                    let mut here = Vec::new();
                    self.one(ty, said, line, way.clone(), &mut here);
                    if here.is_empty() {
                        return;
                    }
                    // Mismatches further inside are reported for the table that was meant.
                    let deep = here.iter().all(|wrong| wrong.way.len() > way.len());
                    if deep {
                        least.get_or_insert(here);
                    }
                }
                if let Some(least) = least {
                    return all.extend(least);
                }
                (ty.to_string(), None)
            }
            (ty, said) => match self.leaf(ty, said) {
                Some(told) => told,
                None => return,
            },
        };
        let (found, (expected, hint)) = (Some(found(said)), told);
        all.push(Wrong { line, way, found, expected, hint, missing: false });
    }

    /// What is expected in place of a literal without inner values, and a hint.
    fn leaf(&self, ty: &FieldType, said: &Said) -> Option<(String, Option<String>)> {
        let expected = || Some((ty.to_string(), None));
        match (ty, said) {
            (FieldType::Text | FieldType::Line(_), Said::Text(_))
            | (FieldType::OneOf(_) | FieldType::Ref(_), Said::Text(None))
            | (FieldType::Int { .. }, Said::Number(None))
            | (FieldType::Number, Said::Number(_))
            | (FieldType::Bool, Said::Truth(_))
            | (FieldType::Fn, Said::Function) => None,
            (FieldType::Int { min, max }, Said::Number(Some(number))) => {
                let low = min.is_some_and(|min| *number < min as f64);
                let high = max.is_some_and(|max| *number > max as f64);
                if number.fract() != 0.0 || low || high { expected() } else { None }
            }
            (FieldType::OneOf(words), Said::Text(Some(word))) => {
                let near = nearest(word, words.iter().map(String::as_str));
                if words.contains(word) { None } else { Some((ty.to_string(), meant(near))) }
            }
            (FieldType::Ref(kind), Said::Text(Some(id))) => {
                let registry = self.registry;
                if registry.kind(kind).is_none() || registry.get(kind, id).is_some() {
                    return None;
                }
                let ids = || registry.every(kind).map(|definition| definition.id.as_str());
                let same = |known: &&str| known.split_once(':').is_some_and(|(_, name)| name == id);
                let near = ids().find(same).or_else(|| nearest(id, ids()));
                Some((ty.to_string(), meant(near)))
            }
            _ => expected(),
        }
    }

    fn record(&self, fields: &[Field], table: &Table, line: u32, way: &str, all: &mut Vec<Wrong>) {
        if !table.items.is_empty() && !table.open {
            let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            let expected = format!("a table with {}", names.join(", "));
            let found = Some("a list".to_owned());
            all.push(Wrong {
                line,
                way: way.to_owned(),
                found,
                expected,
                hint: None,
                missing: false,
            });
            return;
        }
        let lacks = |field: &&Field| !table.named.iter().any(|(name, ..)| **name == *field.name);
        let may_be_false = |field: &Field| matches!(&field.ty, FieldType::Either(types) if types.first() == Some(&FieldType::Bool));
        let must = |field: &&Field| !field.optional && !may_be_false(field);
        let missing = fields.iter().filter(|_| self.whole && !table.open).filter(must);
        if let Some(field) = { missing }.find(lacks) {
            let (way, expected) = (format!("{way}.{}", field.name), field.ty.to_string());
            all.push(Wrong { line, way, found: None, expected, hint: None, missing: true });
        }
        for (name, line, said) in &table.named {
            let way = format!("{way}.{name}");
            match fields.iter().find(|field| *field.name == **name) {
                Some(field) => self.one(&field.ty, said, *line, way, all),
                None => {
                    let names = || fields.iter().map(|field| &*field.name);
                    let expected = one_of(name, names());
                    let hint = nearest(name, names()).map(|near| format!("did you mean `{near}`?"));
                    all.push(Wrong {
                        line: *line,
                        way,
                        found: None,
                        expected,
                        hint,
                        missing: false,
                    });
                }
            }
        }
    }
}

/// The field and the word that identify a table in a union: `widget: "text"`.
fn word(ty: &FieldType) -> Option<(&str, &str)> {
    let FieldType::Record(fields) = ty else { return None };
    fields.iter().find_map(|field| match &field.ty {
        FieldType::OneOf(words) if words.len() == 1 => Some((&*field.name, &*words[0])),
        _ => None,
    })
}

/// The tag field that all tables of a union have, and its words.
fn told_apart(types: &[FieldType]) -> Option<(&str, Vec<String>)> {
    let (name, _) = word(types.first()?)?;
    let words = types.iter().map(|ty| word(ty).filter(|(own, _)| *own == name));
    let words: Option<Vec<String>> = words.map(|one| Some(one?.1.to_owned())).collect();
    Some((name, words?))
}

/// Whether it is a complete table literal.
fn is_whole(said: &Said) -> bool {
    matches!(said, Said::Table(table) if !table.open)
}

/// In a union of tagged tables, `{ widget: "text", … } | { widget: "list", … }`, the one that the
/// literal's tag selects.
fn meant_by_word<'t>(types: &'t [FieldType], said: &Said) -> Option<&'t FieldType> {
    let Said::Table(table) = said else { return None };
    let says = |ty: &&'t FieldType| {
        let said = word(ty).and_then(|(name, word)| Some((table.said(name)?, word)));
        said.is_some_and(|(said, word)| *said == Said::Text(Some(word.to_owned())))
    };
    types.iter().find(says)
}

fn meant(near: Option<&str>) -> Option<String> {
    near.map(|near| format!("did you mean \"{near}\"?"))
}

/// Describes a literal in words.
pub(super) fn found(said: &Said) -> String {
    match said {
        Said::Text(Some(text)) if text.chars().count() <= 40 => format!("the text {text:?}"),
        Said::Text(_) => "a text".to_owned(),
        Said::Number(Some(number)) => format!("the number {number}"),
        Said::Number(None) => "a number".to_owned(),
        Said::Truth(Some(truth)) => format!("{truth}"),
        Said::Truth(None) => "true or false".to_owned(),
        Said::Nil => "nothing".to_owned(),
        Said::Function => "a function".to_owned(),
        Said::Table(table) if table.named.is_empty() && !table.items.is_empty() => {
            "a list".to_owned()
        }
        Said::Table(_) => "a table".to_owned(),
        Said::Untold => "something".to_owned(),
    }
}
