//! Function signatures, parsed from the source text where a function begins; there is no other
//! declaration of them. No code is run.

use std::fmt;

use super::luau_type::{self, Names, Text, Written};
use super::schema::FieldType;
use crate::kit::text::in_name;

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
    pub fn read(text: &str, names: Names<'_>) -> Option<Self> {
        let line = text.lines().next()?;
        let line = line.split("--").next().unwrap_or_default();
        let begins = |(at, name): &(usize, &str)| {
            !line[..*at].ends_with(in_name) && !line[at + name.len()..].starts_with(in_name)
        };
        let mut found = line.match_indices("function").filter(begins);
        let (at, name) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let mut text = Text::new(&text[at + name.len()..], names);
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
            let (written, one) = spoken(&mut text)?;
            signature.gives =
                one.filter(|_| written != "()").map(|Written { ty, optional }| (ty, optional));
            signature.written = written;
        }
        Some(signature)
    }

    /// Creates a signature from names with their type annotations.
    pub fn of(takes: &[(&str, &str)], written: &str, names: Names<'_>) -> Self {
        let more = |name: &str, ty: &str| name == "..." || ty.starts_with("...");
        let plain = takes.iter().filter(|(name, ty)| !more(name, ty));
        let plain = plain.map(|(name, ty)| {
            let held = Text::new(ty, names).ty(luau_type::DEPTH);
            let Written { ty: held, optional } =
                held.unwrap_or(Written { ty: FieldType::Any, optional: true });
            let (name, written) = ((*name).to_owned(), (*ty).to_owned());
            Argument { name, written, ty: held, optional }
        });
        let more = takes.iter().any(|(name, ty)| more(name, ty));
        Self { takes: plain.collect(), more, written: written.to_owned(), gives: None }
    }

    /// The types of all its results, as far as they are declared.
    pub fn gives_in_turn(&self, names: Names<'_>) -> Vec<(FieldType, bool)> {
        let written = luau_type::in_turn(&self.written, names);
        written.into_iter().map(|Written { ty, optional }| (ty, optional)).collect()
    }

    /// The number of required arguments.
    pub fn least(&self) -> usize {
        self.takes.iter().rposition(|one| !one.optional).map_or(0, |last| last + 1)
    }

    /// Whether all parameter and result types are declared.
    pub fn is_whole(&self) -> bool {
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

fn argument(name: String, text: &mut Text<'_>) -> Option<Argument> {
    if !text.take(":") {
        return Some(Argument { name, written: String::new(), ty: FieldType::Any, optional: true });
    }
    let (written, one) = spoken(text)?;
    let Written { ty, optional } = one?;
    Some(Argument { name, written, ty, optional })
}

/// Parses a type, and returns its annotation on one line.
fn spoken(text: &mut Text<'_>) -> Option<(String, Option<Written>)> {
    text.pass_over();
    let before = text.rest;
    let one = text.ty(luau_type::DEPTH);
    let written = &before[..before.len() - text.rest.len()];
    Some((written.split_whitespace().collect::<Vec<_>>().join(" "), one))
}
