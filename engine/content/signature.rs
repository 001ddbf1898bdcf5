//! Function signatures, parsed from the source text where a function begins; there is no other
//! declaration of them. No code is run.

use std::fmt;

use super::luau_type::{self, ParsedType, TypeLookup, TypeReader};
use super::schema::FieldType;
use crate::base::text::is_name_character;

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its type annotation; empty if there is none.
    pub written: String,
    /// Its type.
    pub ty: FieldType,
    /// Whether nil is allowed.
    pub optional: bool,
}

/// The parameters and the result of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    /// Its parameters, in order.
    pub takes: Vec<Argument>,
    /// Whether it accepts further arguments: `...`.
    pub more: bool,
    /// Its result annotation, `number?`; empty if there is none, `()` if it returns nothing.
    pub written: String,
    /// Its result type; `None` unless exactly one value is declared.
    pub gives: Option<(FieldType, bool)>,
}

impl Signature {
    /// Parses the signature of the function that begins on the first line of a text. `None` if two
    /// begin there, because the function meant is unknown.
    pub fn read(text: &str, names: TypeLookup<'_>) -> Option<Self> {
        let line = text.lines().next()?;
        let line = line.split("--").next().unwrap_or_default();
        let begins = |(at, name): &(usize, &str)| {
            !line[..*at].ends_with(is_name_character)
                && !line[at + name.len()..].starts_with(is_name_character)
        };
        let mut found = line.match_indices("function").filter(begins);
        let (at, name) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let mut text = TypeReader::new(&text[at + name.len()..], names);
        // A function name and generic parameters.
        while text.name().is_some() && (text.take(".") || text.take(":")) {}
        if text.take("<") {
            text.rest = text.rest.split_once('>')?.1;
        }
        text.take("(").then_some(())?;
        let mut signature = Self::default();
        while !text.take(")") {
            if text.take("...") {
                signature.more = true;
                if text.take(":") {
                    text.ty(luau_type::DEPTH)?;
                }
            } else {
                let name = text.name()?.to_owned();
                signature.takes.push(argument(name, &mut text)?);
            }
            if !text.take(",") && !text.rest.trim_start().starts_with(')') {
                return None;
            }
        }
        if text.take(":") {
            let (written, one) = read_type(&mut text)?;
            signature.gives =
                one.filter(|_| written != "()").map(|ParsedType { ty, optional }| (ty, optional));
            signature.written = written;
        }
        Some(signature)
    }

    /// Creates a signature from names with their type annotations.
    pub fn of(takes: &[(&str, &str)], written: &str, names: TypeLookup<'_>) -> Self {
        let more = |name: &str, ty: &str| name == "..." || ty.starts_with("...");
        let plain = takes.iter().filter(|(name, ty)| !more(name, ty));
        let plain = plain.map(|(name, ty)| {
            let held = TypeReader::new(ty, names).ty(luau_type::DEPTH);
            let ParsedType { ty: held, optional } =
                held.unwrap_or(ParsedType { ty: FieldType::Any, optional: true });
            let (name, written) = ((*name).to_owned(), (*ty).to_owned());
            Argument { name, written, ty: held, optional }
        });
        let more = takes.iter().any(|(name, ty)| more(name, ty));
        Self { takes: plain.collect(), more, written: written.to_owned(), gives: None }
    }

    /// The types of all its results, as far as they are declared.
    pub fn return_types(&self, names: TypeLookup<'_>) -> Vec<(FieldType, bool)> {
        let written = luau_type::in_turn(&self.written, names);
        written.into_iter().map(|ParsedType { ty, optional }| (ty, optional)).collect()
    }

    /// The number of required arguments.
    pub fn required_arguments(&self) -> usize {
        self.takes.iter().rposition(|one| !one.optional).map_or(0, |last| last + 1)
    }

    /// Whether all parameter and result types are declared.
    pub fn is_complete(&self) -> bool {
        !self.written.is_empty() && self.takes.iter().all(|one| !one.written.is_empty())
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let typed = |one: &Argument| match one.written.is_empty() {
            true => one.name.clone(),
            false => format!("{}: {}", one.name, one.written),
        };
        let mut takes: Vec<String> = self.takes.iter().map(typed).collect();
        takes.extend(self.more.then(|| "...".to_owned()));
        let gives = if self.written.is_empty() { "" } else { ": " };
        write!(f, "({}){gives}{}", takes.join(", "), self.written)
    }
}

fn argument(name: String, text: &mut TypeReader<'_>) -> Option<Argument> {
    if !text.take(":") {
        return Some(Argument { name, written: String::new(), ty: FieldType::Any, optional: true });
    }
    let (written, one) = read_type(text)?;
    let ParsedType { ty, optional } = one?;
    Some(Argument { name, written, ty, optional })
}

/// Parses a type, and returns its annotation on one line.
fn read_type(text: &mut TypeReader<'_>) -> Option<(String, Option<ParsedType>)> {
    text.pass_over();
    let before = text.rest;
    let one = text.ty(luau_type::DEPTH);
    let written = &before[..before.len() - text.rest.len()];
    Some((written.split_whitespace().collect::<Vec<_>>().join(" "), one))
}
