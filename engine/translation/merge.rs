//! Merges the source texts of a mod into a PO file, as `msgmerge` does: what is translated stays,
//! what has changed becomes fuzzy, what is gone becomes obsolete.

use std::collections::{BTreeMap, BTreeSet};

use super::po_file::{FUZZY_FLAG, PoEntry, PoFile};
use base::text::{is_luau_name, placeholders};

/// The flag by which translators' tools compare the marks of both texts.
const MARKS_FLAG: &str = "perl-brace-format";
/// How similar two texts are, in percent, so that one is taken for a change of the other.
const MIN_SIMILARITY_PERCENT: usize = 60;
/// The number of obsolete texts that a new text is compared with.
const MAX_COMPARED_TEXTS: usize = 2_000;

/// A text that a game can show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    /// The text, with its marks.
    pub id: String,
    /// Its plural, if it is a counted word.
    pub plural_id: Option<String>,
    /// Where it is written: `file:line`.
    pub references: Vec<String>,
}

/// What a merge has done, in texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeSummary {
    /// Translated and up to date.
    pub translated_count: usize,
    /// Translated for an earlier source text.
    pub fuzzy_count: usize,
    /// Not translated.
    pub untranslated_count: usize,
    /// No longer in the sources.
    pub obsolete_count: usize,
}

/// Merges the source texts into a file. `form_count` is the number of plural forms.
pub fn merge_source_texts(
    file: &mut PoFile,
    texts: &[SourceText],
    form_count: usize,
) -> MergeSummary {
    let ids: BTreeSet<&str> = texts.iter().map(|text| text.id.as_str()).collect();
    let mut known: BTreeMap<String, PoEntry> = BTreeMap::new();
    let mut gone = Vec::new();
    for entry in std::mem::take(&mut file.entries) {
        match ids.contains(entry.id.as_str()) && !known.contains_key(&entry.id) {
            true => drop(known.insert(entry.id.clone(), entry)),
            false => gone.push(entry),
        }
    }
    gone.retain(PoEntry::is_translated);
    for text in texts {
        let entry = known.remove(&text.id).unwrap_or_else(|| match take_similar(&mut gone, text) {
            Some(old) => PoEntry {
                previous_id: Some(old.id),
                flags: vec![FUZZY_FLAG.to_owned()],
                comments: old.comments,
                texts: old.texts,
                ..PoEntry::default()
            },
            None => PoEntry::default(),
        });
        file.entries.push(update_entry(entry, text, form_count));
    }
    let count =
        |matches: fn(&PoEntry) -> bool| file.entries.iter().filter(|one| matches(one)).count();
    let summary = MergeSummary {
        translated_count: count(PoEntry::is_active),
        fuzzy_count: count(|entry| entry.is_translated() && entry.is_fuzzy()),
        untranslated_count: count(|entry| !entry.is_translated()),
        obsolete_count: gone.len(),
    };
    file.entries.extend(gone.into_iter().map(|entry| PoEntry { is_obsolete: true, ..entry }));
    summary
}

fn update_entry(mut entry: PoEntry, text: &SourceText, form_count: usize) -> PoEntry {
    let had_plural = entry.plural_id.is_some();
    let needed_count = if text.plural_id.is_some() { form_count } else { 1 };
    if entry.is_translated() && had_plural != text.plural_id.is_some() && !entry.is_fuzzy() {
        entry.flags.push(FUZZY_FLAG.to_owned());
    }
    entry.texts.resize(needed_count, String::new());
    entry.flags.retain(|flag| {
        flag != MARKS_FLAG
            && (flag != FUZZY_FLAG || entry.texts.iter().any(|text| !text.is_empty()))
    });
    let is_plain_mark = |mark: &str| is_luau_name(mark);
    if placeholders(&text.id).any(is_plain_mark) {
        entry.flags.push(MARKS_FLAG.to_owned());
    }
    if !entry.is_fuzzy() {
        entry.previous_id = None;
    }
    PoEntry {
        id: text.id.clone(),
        plural_id: text.plural_id.clone(),
        references: text.references.clone(),
        extracted_comments: Vec::new(),
        context: None,
        is_obsolete: false,
        ..entry
    }
}

/// Takes the translated text that a new text was made from, if one is similar enough.
fn take_similar(gone: &mut Vec<PoEntry>, text: &SourceText) -> Option<PoEntry> {
    let length = text.id.chars().count();
    let compared = gone.iter().enumerate().take(MAX_COMPARED_TEXTS);
    let similarities = compared.filter_map(|(index, old)| {
        let longest = length.max(old.id.chars().count());
        let shortest = length.min(old.id.chars().count());
        if old.plural_id.is_some() != text.plural_id.is_some()
            || shortest * 100 < longest * MIN_SIMILARITY_PERCENT
        {
            return None;
        }
        let distance = strsim::osa_distance(&old.id, &text.id);
        let percent = (longest.saturating_sub(distance)) * 100 / longest.max(1);
        (percent >= MIN_SIMILARITY_PERCENT).then_some((percent, std::cmp::Reverse(index)))
    });
    let (_, std::cmp::Reverse(index)) = similarities.max()?;
    Some(gone.remove(index))
}
