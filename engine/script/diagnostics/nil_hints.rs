//! Hints for errors about nil: a misspelt field or member on the line, or a text that another mod
//! added to an open list and that the line uses as a key.

use std::collections::BTreeSet;

use mlua::Value;

use crate::host::Host;
use crate::host::script_sources::resolve_require_path;
use base::problem::nearest_name;
use base::text::is_luau_name_character;
use base::{Problem, SourceLocation};
use content::{Field, FieldType, collect_text_lists};

/// Adds what may explain a nil on a line.
pub(crate) fn explain_nil(host: &Host, place: &SourceLocation, mut problem: Problem) -> Problem {
    let is_call = problem.message.contains("attempt to call");
    let member_hint = is_call.then(|| suggest_required_member(host, place)).flatten();
    problem.hint =
        member_hint.or_else(|| suggest_field(host, place, &problem.message)).or(problem.hint);
    add_open_list_hint(host, place, problem)
}

/// A suggestion for the field names on a line. The name that was read from nil is not at fault:
/// what comes before it is.
fn suggest_field(host: &Host, place: &SourceLocation, message: &str) -> Option<String> {
    let nil_field = message
        .strip_prefix("attempt to index nil with '")
        .and_then(|name| name.strip_suffix('\''))
        .unwrap_or_default();
    let line = place.excerpt.as_deref()?;
    let code = line.split("--").next().unwrap_or_default();
    let known_fields = declared_fields(host);
    accessed_fields(code).find_map(|name| {
        if known_fields.contains(name) || name == nil_field {
            return None;
        }
        let suggestion = nearest_name(name, known_fields.iter().map(String::as_str))?;
        // Fields of a script's own tables need no declaration.
        let mut texts = host.sources.0.iter().map(|(_, _, lines)| &**lines.text());
        if texts.any(|text| is_name_assigned(text, name)) {
            return None;
        }
        Some(format!("no field `{name}` is declared: did you mean `{suggestion}`?"))
    })
}

/// A suggestion for a call of a name that a required file does not have.
fn suggest_required_member(host: &Host, place: &SourceLocation) -> Option<String> {
    let code = place.excerpt.as_deref()?.split("--").next()?;
    let text = host.sources.file_text(&place.owner, &place.file)?;
    code.match_indices('.').find_map(|(index, _)| {
        let local_name = code[..index]
            .rsplit(|c| !is_luau_name_character(c))
            .next()
            .filter(|name| !name.is_empty())?;
        let name = code[index + 1..].split(|c| !is_luau_name_character(c)).next()?;
        let require_prefix = format!("local {local_name} = require");
        let path = text.lines().find_map(|line| line.strip_prefix(&require_prefix))?;
        let path = path.trim_matches(|c: char| " ()\"'".contains(c));
        let file_exists = |owner: &str, file: &str| host.sources.file_text(owner, file).is_some();
        let (owner, file) = resolve_require_path(&place.owner, path, file_exists)?;
        let required_values = host.load_state.required_values.borrow();
        let Some(Some(Value::Table(table))) = required_values.get(&format!("{owner}/{file}"))
        else {
            return None;
        };
        let names = table.pairs::<String, Value>().map(|pair| pair.map(|(name, _)| name));
        let names: BTreeSet<String> = names.collect::<Result<_, _>>().ok()?;
        if names.contains(name) {
            return None;
        }
        let suggestion = nearest_name(name, names.iter().map(String::as_str))?;
        Some(format!(
            "`require \"{path}\"` has no `{name}`: did you mean `{local_name}.{suggestion}`?"
        ))
    })
}

/// The names after a dot that are not called.
fn accessed_fields(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices('.').filter_map(|(index, _)| {
        let rest = &code[index + 1..];
        let end = rest.find(|c| !is_luau_name_character(c)).unwrap_or(rest.len());
        let (name, following_text) = rest.split_at(end);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (is_name && !following_text.starts_with(['(', '{', '"'])).then_some(name)
    })
}

/// Whether a file assigns something to that name: then it is its own.
fn is_name_assigned(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(index, _)| {
        let rest = text[index + name.len()..].trim_start();
        let is_assignment = rest.starts_with('=') && !rest.starts_with("==");
        is_assignment && !text[..index].ends_with(is_luau_name_character)
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
        .for_each(|field| add_field_names(field, &mut names));
    let events = host.load_state.declared_events.borrow();
    let kinds = host.registry.get().into_iter().flat_map(|registry| registry.kinds());
    events
        .iter()
        .chain(kinds)
        .flat_map(|kind| kind.fields.iter())
        .for_each(|field| add_field_names(field, &mut names));
    names
}

fn add_field_names(field: &Field, names: &mut BTreeSet<String>) {
    names.insert(field.name.to_string());
    add_nested_fields(&field.ty, names);
}

fn add_nested_fields(ty: &FieldType, names: &mut BTreeSet<String>) {
    match ty {
        FieldType::Record(fields) => fields.iter().for_each(|field| add_field_names(field, names)),
        FieldType::List(inner_type) | FieldType::Map(inner_type) => {
            add_nested_fields(inner_type, names)
        }
        FieldType::Either(types) => {
            types.iter().for_each(|inner_type| add_nested_fields(inner_type, names))
        }
        _ => {}
    }
}

/// Adds a hint and the location of the added text to a Problem, if its line uses the list as a key.
fn add_open_list_hint(host: &Host, place: &SourceLocation, mut problem: Problem) -> Problem {
    let Some(line) = place.excerpt.as_deref() else { return problem };
    let code = line.split("--").next().unwrap_or_default();
    let declared_events = host.load_state.declared_events.borrow();
    let declarations = host.load_state.all_declarations.borrow();
    let kinds = host.registry.get().into_iter().flat_map(|registry| registry.kinds());
    let named_fields = kinds.chain(&*declared_events).map(|kind| (&kind.fields[..], &*kind.name));
    let named_fields = named_fields.chain([(&declarations.schemas.fields()[..], "state")]);
    for (path, texts) in named_fields.flat_map(|(fields, name)| collect_text_lists(fields, name)) {
        let name = path.rsplit('.').next().unwrap_or_default();
        let added_texts = texts.iter().skip(texts.len() - texts.addition_locations.len());
        for (text, added_at) in added_texts.zip(&texts.addition_locations) {
            let owner = &added_at.owner;
            if *owner == place.owner
                || !indexes_by_name(code, name)
                || problem.related_locations.contains(added_at)
            {
                continue;
            }
            let hint = format!(
                "this line uses `{path}` as a key, and `{owner}` adds {text:?} to its texts: is there an entry for it?"
            );
            problem = problem.hint(hint).add_related_location(added_at.clone());
        }
    }
    problem
}

/// Whether a line uses a field with this name as a key: `weights[one.rarity]`.
fn indexes_by_name(code: &str, name: &str) -> bool {
    let keys = code.split('[').skip(1).filter_map(|rest| rest.split(']').next());
    keys.filter_map(|key| key.trim().rsplit(|c| !is_luau_name_character(c)).next())
        .any(|last| last == name)
}
