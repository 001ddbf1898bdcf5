//! Suggestions for nil errors: undeclared field names on the line that resemble a declared one.

use std::collections::BTreeSet;

use mlua::Value;

use super::from_lua::resolve_require_path;
use super::host::Host;
use crate::base::SourceLocation;
use crate::base::meter;
use crate::base::problem::nearest_name;
use crate::base::text::is_luau_name_character;
use crate::content::{Field, FieldType};

/// A suggestion for the field names on a line. The name that was read from nil is not at fault: what
/// comes before it is.
pub(super) fn suggest_field(host: &Host, place: &SourceLocation, message: &str) -> Option<String> {
    let read_from_nil = message
        .strip_prefix("attempt to index nil with '")
        .and_then(|name| name.strip_suffix('\''))
        .unwrap_or_default();
    let line = place.excerpt.as_deref()?;
    let code = line.split("--").next().unwrap_or_default();
    let known = declared_fields(host);
    meter::charge_units(known.len());
    accessed_fields(code).find_map(|name| {
        if known.contains(name) || name == read_from_nil {
            return None;
        }
        let near = nearest_name(name, known.iter().map(String::as_str))?;
        // Fields of a script's own tables need no declaration.
        let mut texts = host.sources.0.iter().map(|(_, _, lines)| &**lines.text());
        if texts.any(|text| is_assigned(text, name)) {
            return None;
        }
        Some(format!("no field `{name}` is declared: did you mean `{near}`?"))
    })
}

/// A suggestion for a call of a name that a required file does not have.
pub(super) fn suggest_member(host: &Host, place: &SourceLocation) -> Option<String> {
    let code = place.excerpt.as_deref()?.split("--").next()?;
    let text = host.sources.text(&place.owner, &place.file)?;
    code.match_indices('.').find_map(|(at, _)| {
        let local = code[..at]
            .rsplit(|c| !is_luau_name_character(c))
            .next()
            .filter(|name| !name.is_empty())?;
        let name = code[at + 1..].split(|c| !is_luau_name_character(c)).next()?;
        let opens = format!("local {local} = require");
        let path = text.lines().find_map(|line| line.strip_prefix(&opens))?;
        let path = path.trim_matches(|c: char| " ()\"'".contains(c));
        let is_there = |owner: &str, file: &str| host.sources.text(owner, file).is_some();
        let (owner, file) = resolve_require_path(&place.owner, path, is_there)?;
        let required = host.load_state.required_values.borrow();
        let Some(Some(Value::Table(table))) = required.get(&format!("{owner}/{file}")) else {
            return None;
        };
        let names = table.pairs::<String, Value>().map(|pair| pair.map(|(name, _)| name));
        let names: BTreeSet<String> = names.collect::<Result<_, _>>().ok()?;
        if names.contains(name) {
            return None;
        }
        let near = nearest_name(name, names.iter().map(String::as_str))?;
        Some(format!("`require \"{path}\"` has no `{name}`: did you mean `{local}.{near}`?"))
    })
}

/// The names after a dot that are not called.
fn accessed_fields(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices('.').filter_map(|(at, _)| {
        let rest = &code[at + 1..];
        let end = rest.find(|c| !is_luau_name_character(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (begins && !after.starts_with(['(', '{', '"'])).then_some(name)
    })
}

/// Whether a file assigns something to that name: then it is its own.
fn is_assigned(text: &str, name: &str) -> bool {
    meter::charge_bytes(2 * text.len());
    text.match_indices(name).any(|(at, _)| {
        let rest = text[at + name.len()..].trim_start();
        let assigned = rest.starts_with('=') && !rest.starts_with("==");
        assigned && !text[..at].ends_with(is_luau_name_character)
    })
}

/// All declared field names: of the state, of events, of definitions.
fn declared_fields(host: &Host) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    host.load_state
        .all_declarations
        .borrow()
        .schemas
        .fields()
        .iter()
        .for_each(|one| add_field(one, &mut names));
    let moments = host.load_state.events.borrow();
    let kinds = host.registry.get().into_iter().flat_map(|registry| registry.kinds());
    moments
        .iter()
        .chain(kinds)
        .flat_map(|one| &one.fields)
        .for_each(|one| add_field(one, &mut names));
    names
}

fn add_field(field: &Field, names: &mut BTreeSet<String>) {
    names.insert(field.name.to_string());
    add_nested_fields(&field.ty, names);
}

fn add_nested_fields(ty: &FieldType, names: &mut BTreeSet<String>) {
    match ty {
        FieldType::Record(fields) => fields.iter().for_each(|one| add_field(one, names)),
        FieldType::List(one) | FieldType::Map(one) => add_nested_fields(one, names),
        FieldType::Either(types) => types.iter().for_each(|one| add_nested_fields(one, names)),
        _ => {}
    }
}
