//! Function signatures, parsed from the source text where a function begins; there is no other
//! declaration of them. No code is run.

use std::fmt;

use super::luau_type_parser::{self, ParsedType, TypeLookup, TypeParser};
use super::schema::FieldType;
use base::text::is_luau_name_character;

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type annotation; empty if there is none.
    pub annotation: String,
    /// Its type.
    pub ty: FieldType,
    /// Whether nil is allowed.
    pub is_optional: bool,
}

/// The parameters and the result of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// Whether it accepts further arguments: `...`.
    pub is_variadic: bool,
    /// Its result annotation, `number?`; empty if there is none, `()` if it returns nothing.
    pub result_annotation: String,
    /// Its result type; `None` unless exactly one value is declared.
    pub result: Option<(FieldType, bool)>,
}

impl Signature {
    /// Parses the signature of the function that begins on the first line of a text. `None` if two
    /// begin there, because the function meant is unknown.
    pub fn parse_function(text: &str, names: TypeLookup<'_>) -> Option<Self> {
        let line = text.lines().next()?;
        let line = line.split("--").next().unwrap_or_default();
        let has_word_boundaries = |(at, name): &(usize, &str)| {
            !line[..*at].ends_with(is_luau_name_character)
                && !line[at + name.len()..].starts_with(is_luau_name_character)
        };
        let mut found = line.match_indices("function").filter(has_word_boundaries);
        let (at, name) = found.next()?;
        if found.next().is_some() {
            return None;
        }
        let mut reader = TypeParser::new(&text[at + name.len()..], names);
        // A function name and generic parameters.
        while reader.take_name().is_some() && (reader.take_token(".") || reader.take_token(":")) {}
        if reader.take_token("<") {
            reader.remaining_text = reader.remaining_text.split_once('>')?.1;
        }
        reader.take_token("(").then_some(())?;
        let mut signature = Self::default();
        while !reader.take_token(")") {
            if reader.take_token("...") {
                signature.is_variadic = true;
                if reader.take_token(":") {
                    reader.parse_type(luau_type_parser::MAX_PARSED_TYPE_DEPTH)?;
                }
            } else {
                let name = reader.take_name()?.to_owned();
                signature.parameters.push(parse_parameter(name, &mut reader)?);
            }
            if !reader.take_token(",") && !reader.remaining_text.trim_start().starts_with(')') {
                return None;
            }
        }
        if reader.take_token(":") {
            let (written, one) = parse_type_with_annotation(&mut reader)?;
            signature.result = one
                .filter(|_| written != "()")
                .map(|ParsedType { ty, is_optional: optional }| (ty, optional));
            signature.result_annotation = written;
        }
        Some(signature)
    }

    /// Creates a signature from names with their type annotations.
    pub fn from_annotations(
        parameters: &[(&str, &str)],
        result_annotation: &str,
        names: TypeLookup<'_>,
    ) -> Self {
        let is_variadic_entry = |name: &str, ty: &str| name == "..." || ty.starts_with("...");
        let named_parameters = parameters.iter().filter(|(name, ty)| !is_variadic_entry(name, ty));
        let named_parameters = named_parameters.map(|(name, ty)| {
            let parsed =
                TypeParser::new(ty, names).parse_type(luau_type_parser::MAX_PARSED_TYPE_DEPTH);
            let ParsedType { ty: parsed, is_optional: optional } =
                parsed.unwrap_or(ParsedType { ty: FieldType::Any, is_optional: true });
            let (name, written) = ((*name).to_owned(), (*ty).to_owned());
            Parameter { name, annotation: written, ty: parsed, is_optional: optional }
        });
        let is_variadic = parameters.iter().any(|(name, ty)| is_variadic_entry(name, ty));
        Self {
            parameters: named_parameters.collect(),
            is_variadic,
            result_annotation: result_annotation.to_owned(),
            result: None,
        }
    }

    /// The types of all its results, as far as they are declared.
    pub fn return_types(&self, names: TypeLookup<'_>) -> Vec<(FieldType, bool)> {
        let written = luau_type_parser::parse_return_types(&self.result_annotation, names);
        written.into_iter().map(|ParsedType { ty, is_optional: optional }| (ty, optional)).collect()
    }

    /// The number of required arguments.
    pub fn required_arguments(&self) -> usize {
        self.parameters.iter().rposition(|one| !one.is_optional).map_or(0, |last| last + 1)
    }

    /// Whether all parameter and result types are declared.
    pub fn is_complete(&self) -> bool {
        !self.result_annotation.is_empty()
            && self.parameters.iter().all(|one| !one.annotation.is_empty())
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format_parameter = |one: &Parameter| match one.annotation.is_empty() {
            true => one.name.clone(),
            false => format!("{}: {}", one.name, one.annotation),
        };
        let mut parameters: Vec<String> = self.parameters.iter().map(format_parameter).collect();
        parameters.extend(self.is_variadic.then(|| "...".to_owned()));
        let separator = if self.result_annotation.is_empty() { "" } else { ": " };
        write!(f, "({}){separator}{}", parameters.join(", "), self.result_annotation)
    }
}

fn parse_parameter(name: String, text: &mut TypeParser<'_>) -> Option<Parameter> {
    if !text.take_token(":") {
        return Some(Parameter {
            name,
            annotation: String::new(),
            ty: FieldType::Any,
            is_optional: true,
        });
    }
    let (written, one) = parse_type_with_annotation(text)?;
    let ParsedType { ty, is_optional: optional } = one?;
    Some(Parameter { name, annotation: written, ty, is_optional: optional })
}

/// Parses a type, and returns its annotation on one line.
fn parse_type_with_annotation(text: &mut TypeParser<'_>) -> Option<(String, Option<ParsedType>)> {
    text.skip_spaces_and_comments();
    let before = text.remaining_text;
    let one = text.parse_type(luau_type_parser::MAX_PARSED_TYPE_DEPTH);
    let written = &before[..before.len() - text.remaining_text.len()];
    Some((written.split_whitespace().collect::<Vec<_>>().join(" "), one))
}
