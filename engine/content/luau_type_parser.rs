//! Parses Luau type annotations into field types. A type without an equivalent becomes `Any`.

use super::schema::{Field, FieldType};
use super::state_schema::{PathLookupResult, StatePathStep, lookup_in_type};
use base::text::is_luau_name_character;

/// A parsed type annotation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ParsedType {
    /// The type of the value.
    pub ty: FieldType,
    /// Whether nil is allowed: `number?`.
    pub is_optional: bool,
}

impl ParsedType {
    fn required_type(ty: FieldType) -> Self {
        Self { ty, is_optional: false }
    }

    fn any() -> Self {
        Self { ty: FieldType::Any, is_optional: true }
    }
}

/// Looks up a named type; `None` if it is unknown.
pub(super) type TypeLookup<'n> = &'n dyn Fn(&str) -> Option<FieldType>;

/// The remaining text, read from the front.
pub(super) struct TypeParser<'t> {
    pub(super) remaining_text: &'t str,
    type_lookup: TypeLookup<'t>,
}

/// Deepest nesting that is parsed.
pub(super) const MAX_PARSED_TYPE_DEPTH: usize = 16;

impl<'t> TypeParser<'t> {
    pub(super) fn new(rest: &'t str, names: TypeLookup<'t>) -> Self {
        Self { remaining_text: rest, type_lookup: names }
    }

    /// Consumes this token, if it comes next.
    pub(super) fn take_token(&mut self, token: &str) -> bool {
        // Without a match nothing is consumed, not even the space before it.
        let mut ahead = Self { remaining_text: self.remaining_text, type_lookup: self.type_lookup };
        ahead.skip_spaces_and_comments();
        match ahead.remaining_text.strip_prefix(token) {
            Some(rest) => {
                self.remaining_text = rest;
                true
            }
            None => false,
        }
    }

    /// Consumes the next name.
    pub(super) fn take_name(&mut self) -> Option<&'t str> {
        self.skip_spaces_and_comments();
        let end = self
            .remaining_text
            .find(|c| !is_luau_name_character(c))
            .unwrap_or(self.remaining_text.len());
        let name = &self.remaining_text[..end];
        let is_name_start = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        self.remaining_text =
            if is_name_start { &self.remaining_text[end..] } else { self.remaining_text };
        is_name_start.then_some(name)
    }

    /// Skips spaces and comments.
    pub(super) fn skip_spaces_and_comments(&mut self) {
        loop {
            self.remaining_text = self.remaining_text.trim_start();
            let Some(comment) = self.remaining_text.strip_prefix("--") else { return };
            self.remaining_text = comment.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    /// Parses a type, if there is one here.
    pub(super) fn parse_type(&mut self, depth: usize) -> Option<ParsedType> {
        let depth = depth.checked_sub(1)?;
        self.take_token("|");
        let mut all = vec![self.parse_type_with_suffixes(depth)?];
        while self.take_token("|") {
            all.push(self.parse_type_with_suffixes(depth)?);
        }
        Some(merge_union_types(all))
    }

    fn parse_type_with_suffixes(&mut self, depth: usize) -> Option<ParsedType> {
        let mut parsed = self.parse_simple_type(depth)?;
        while self.take_token("?") {
            parsed.is_optional = true;
        }
        while self.take_token("&") {
            self.parse_simple_type(depth)?;
            parsed = ParsedType::any();
        }
        Some(parsed)
    }

    fn parse_simple_type(&mut self, depth: usize) -> Option<ParsedType> {
        self.skip_spaces_and_comments();
        let quote = self.remaining_text.chars().next().filter(|sign| ['"', '\''].contains(sign));
        if let Some(quote) = quote {
            let (word, rest) = self.remaining_text[1..].split_once(quote)?;
            self.remaining_text = rest;
            return Some(ParsedType::required_type(FieldType::one_of(vec![word.to_owned()])));
        }
        if self.take_token("...") {
            self.parse_type(depth);
            return Some(ParsedType::any());
        }
        if self.take_token("{") {
            return self.parse_table_type(depth);
        }
        if self.take_token("(") {
            return self.parse_parenthesized_type(depth);
        }
        let mut name = self.take_name()?;
        while self.remaining_text.starts_with('.') && !self.remaining_text.starts_with("..") {
            self.take_token(".");
            name = self.take_name()?;
        }
        // `Maybe<T>` in the host's own type definitions: a value that may be false instead of nil.
        if name == "Maybe" && self.take_token("<") {
            let meant = self.parse_type(depth)?.ty;
            self.take_token(">").then_some(())?;
            let ty = match meant {
                FieldType::Any => FieldType::Any,
                meant => FieldType::Either(vec![FieldType::Bool, meant].into()),
            };
            return Some(ParsedType { ty, is_optional: true });
        }
        if name == "index" && self.take_token("<") {
            return self.parse_indexed_type(depth);
        }
        if self.take_token("<") {
            while self.parse_type(depth).is_some() && self.take_token(",") {}
            self.take_token(">").then_some(())?;
        } else if name == "typeof" {
            let (expression, rest) = self.remaining_text.split_once(')')?;
            self.remaining_text = rest;
            let expression = expression.trim_start().strip_prefix('(')?.trim();
            let known =
                expression.starts_with("state.").then(|| (self.type_lookup)(expression)).flatten();
            return Some(known.map_or_else(ParsedType::any, ParsedType::required_type));
        }
        Some(match name {
            "number" => ParsedType::required_type(FieldType::Number),
            "string" => ParsedType::required_type(FieldType::Text),
            "boolean" | "true" | "false" => ParsedType::required_type(FieldType::Bool),
            "nil" => ParsedType { ty: FieldType::Either(Vec::new().into()), is_optional: true },
            other => {
                (self.type_lookup)(other).map_or_else(ParsedType::any, ParsedType::required_type)
            }
        })
    }

    fn parse_table_type(&mut self, depth: usize) -> Option<ParsedType> {
        let (mut fields, mut map, mut list) = (Vec::new(), None, None);
        while !self.take_token("}") {
            let before = self.remaining_text;
            if self.take_token("[") {
                let key = self.parse_type(depth)?;
                (self.take_token("]") && self.take_token(":")).then_some(())?;
                let inner = self.parse_type(depth)?.ty;
                map = Some(if key.ty == FieldType::Text {
                    FieldType::map(inner)
                } else {
                    FieldType::Any
                });
            } else {
                let mut name = self.take_name();
                while matches!(name, Some("read" | "write"))
                    && !self.remaining_text.trim_start().starts_with(':')
                {
                    name = self.take_name();
                }
                match name.filter(|_| self.take_token(":")) {
                    Some(name) => {
                        let parsed = self.parse_type(depth)?;
                        let field = Field::new(name, parsed.ty);
                        fields.push(if parsed.is_optional { field.into_optional() } else { field });
                    }
                    None => {
                        self.remaining_text = before;
                        list = Some(self.parse_type(depth)?.ty);
                    }
                }
            }
            if !self.take_token(",")
                && !self.take_token(";")
                && !self.remaining_text.trim_start().starts_with('}')
            {
                return None;
            }
        }
        Some(ParsedType::required_type(match (map, list) {
            (Some(_), _) if !fields.is_empty() => FieldType::map(FieldType::Any),
            (Some(map), _) => map,
            (None, Some(inner)) => FieldType::list(inner),
            (None, None) if fields.is_empty() => FieldType::Any,
            (None, None) => FieldType::Record(fields.into()),
        }))
    }

    /// Parses an indexed type: a field of a type by name, or of each item: `index<BlowEvent,
    /// "foe">`.
    fn parse_indexed_type(&mut self, depth: usize) -> Option<ParsedType> {
        let indexed_type = self.parse_type(depth)?.ty;
        self.take_token(",").then_some(())?;
        let key = self.parse_type(depth)?.ty;
        self.take_token(">").then_some(())?;
        let step = match key {
            FieldType::OneOf(words) => StatePathStep::Name(words.first()?.clone()),
            _ => StatePathStep::AnyEntry,
        };
        Some(match lookup_in_type(&indexed_type, &[step]) {
            PathLookupResult::Found(ty) => ParsedType::required_type(ty.clone()),
            _ => ParsedType::any(),
        })
    }

    /// Parses a type in parentheses, or the parameters of a function type.
    fn parse_parenthesized_type(&mut self, depth: usize) -> Option<ParsedType> {
        let mut parsed = Vec::new();
        while !self.take_token(")") {
            let before = self.remaining_text;
            if self.take_name().is_none() || !self.take_token(":") {
                self.remaining_text = before;
            }
            parsed.push(self.parse_type(depth)?);
            if !self.take_token(",") && !self.remaining_text.trim_start().starts_with(')') {
                return None;
            }
        }
        if self.take_token("->") {
            self.parse_type(depth)?;
            return Some(ParsedType::required_type(FieldType::Fn));
        }
        Some(if parsed.len() == 1 { parsed.swap_remove(0) } else { ParsedType::any() })
    }
}

/// Parses the types of a return list: `(number, string?)`.
pub(super) fn parse_return_types(written: &str, names: TypeLookup<'_>) -> Vec<ParsedType> {
    let mut text = TypeParser::new(written, names);
    let mut all = Vec::new();
    let is_parenthesized = text.take_token("(");
    while !(is_parenthesized && text.take_token(")")) {
        let Some(parsed) = text.parse_type(MAX_PARSED_TYPE_DEPTH) else { return Vec::new() };
        all.push(parsed);
        if !is_parenthesized {
            break;
        }
        if !text.take_token(",") && !text.remaining_text.trim_start().starts_with(')') {
            return Vec::new();
        }
    }
    // A longer annotation is one type: a function type, or an optional one.
    text.skip_spaces_and_comments();
    if text.remaining_text.is_empty() { all } else { Vec::new() }
}

/// Combines several types of a union into one.
fn merge_union_types(mut all: Vec<ParsedType>) -> ParsedType {
    if all.len() == 1 {
        return all.swap_remove(0);
    }
    let optional = all.iter().any(|one| one.is_optional);
    let (mut words, mut types) = (Vec::new(), Vec::new());
    for one in all {
        match one.ty {
            FieldType::OneOf(more) => words.extend(more.texts.iter().cloned()),
            FieldType::Either(more) => types.extend(more.iter().cloned()),
            FieldType::Any => return ParsedType { ty: FieldType::Any, is_optional: optional },
            ty if types.contains(&ty) => {}
            ty => types.push(ty),
        }
    }
    if !words.is_empty() && !types.contains(&FieldType::Text) {
        types.push(FieldType::one_of(words));
    }
    let ty = if types.len() == 1 { types.swap_remove(0) } else { FieldType::Either(types.into()) };
    ParsedType { ty, is_optional: optional }
}

/// The type that a text declares under a name, `type DungeonSize = "small" | "large"`, if there is
/// one.
pub fn parse_declared_type(text: &str, name: &str, names: TypeLookup<'_>) -> Option<FieldType> {
    let mut parser = TypeParser::new(find_declared_type(text, name)?, names);
    parser.parse_type(MAX_PARSED_TYPE_DEPTH).map(|written| written.ty)
}

/// The same type as it is written, with its comments.
pub fn declared_type_text<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let written = find_declared_type(text, name)?;
    let mut parser = TypeParser::new(written, &|_| None);
    parser.parse_type(MAX_PARSED_TYPE_DEPTH)?;
    Some(written[..written.len() - parser.remaining_text.len()].trim())
}

/// The text after the `=` of a type declaration.
fn find_declared_type<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let declaration_rest = |line: &'t str| {
        let line = line.strip_prefix("export ").unwrap_or(line);
        line.strip_prefix("type ")?.strip_prefix(name)?.trim_start().strip_prefix('=')
    };
    let mut end = 0;
    text.split_inclusive('\n').find_map(|line| {
        end += line.len();
        declaration_rest(line).map(|rest| &text[end - rest.len()..])
    })
}

/// A name in the spelling of a type: `two_words` becomes `TwoWords`.
pub fn pascal_case(name: &str) -> String {
    let capitalize = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_ascii_uppercase())
    };
    name.split('_').map(capitalize).collect()
}

/// Whether `title` is a name in that spelling. Nothing is allocated: it is asked for each kind.
pub fn is_pascal_case_of(title: &str, name: &str) -> bool {
    let mut begins_word = true;
    let spelt = name.bytes().filter_map(|byte| {
        let is_first = std::mem::replace(&mut begins_word, byte == b'_');
        (byte != b'_').then(|| if is_first { byte.to_ascii_uppercase() } else { byte })
    });
    spelt.eq(title.bytes())
}
