//! Sentences: a case is named by a sentence (`case "SR-3.5 a caster of INT 6 draws words"`), and
//! its id is derived from it. Definitions of other kinds are named by their id.

use super::datum::{Datum, FunctionRef};
use super::datum_map::DatumMap;
use super::definition_change::{ChangeKind, DefinitionChange};
use base::digest::Hasher;
use base::limits;

/// The kind whose definitions are named by sentences.
const CASE_KIND: &str = "case";
/// The field that holds the sentence.
const SENTENCE_FIELD: &str = "about";
/// The field that a function body fills.
pub(super) const BODY_FIELD: &str = "run";

/// Derives the id of a case from its sentence, and stores the sentence.
pub(super) fn assign_case_id(change: &mut DefinitionChange) {
    let DefinitionChange { kind, id, change_kind: ChangeKind::Declare(body), .. } = change else {
        return;
    };
    if kind != CASE_KIND {
        return;
    }
    match body {
        Some(Datum::Fn(function)) => *body = Some(Datum::Map(case_fields(function, id))),
        Some(Datum::Map(fields)) if !fields.contains_key(SENTENCE_FIELD) => {
            fields.insert(SENTENCE_FIELD.into(), Datum::text(&id));
        }
        _ => {}
    }
    if id.contains(|invalid_char: char| !matches!(invalid_char, 'a'..='z' | '0'..='9' | '_' | ':'))
    {
        *id = derive_case_name(id);
    }
}

fn case_fields(function: &FunctionRef, sentence: &str) -> DatumMap {
    let mut fields = DatumMap::new();
    fields.insert(BODY_FIELD.into(), Datum::Fn(Box::new(function.clone())));
    fields.insert(SENTENCE_FIELD.into(), Datum::text(sentence));
    fields
}

/// Converts a sentence to a name: its letters and digits, with one `_` for everything between. A
/// long sentence gives its first words and a short hash, to keep ids distinct.
fn derive_case_name(sentence: &str) -> String {
    let parts = sentence.split(|separator: char| !separator.is_ascii_alphanumeric());
    let parts: Vec<String> =
        parts.filter(|part| !part.is_empty()).map(str::to_ascii_lowercase).collect();
    let word = parts.join("_");
    if word.len() <= limits::MAX_ID_PART_BYTES {
        return word;
    }
    let digest = Hasher::new("sentence").feed_text(sentence).finish();
    let [first, second, ..] = digest.0;
    let hash_suffix = format!("_{first:02x}{second:02x}");
    let max_bytes = limits::MAX_ID_PART_BYTES - hash_suffix.len();
    // Cut after the last whole word; a single word may be longer than the limit.
    let at = word[..=max_bytes].rfind('_').unwrap_or(max_bytes);
    format!("{}{hash_suffix}", &word[..at])
}
