//! Searches names for the one that was meant.

use strsim::osa_distance;

use super::limits;

/// The part of a word that a search looks at: no name and no id is longer.
pub fn searched_part(word: &str) -> String {
    word.chars().take(2 * limits::MAX_ID_PART_BYTES + 2).collect()
}

/// The candidate that `word` was probably meant to be, if one is near enough. Swapping two
/// neighbours counts as one edit. A word longer than any name is not compared: the cost grows with
/// both lengths, and scripts control both.
pub fn nearest_name<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = word.chars().count();
    if length > limits::MAX_ID_PART_BYTES {
        return None;
    }
    let max_distance = (length / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.chars().count().abs_diff(length) <= max_distance)
        .map(|candidate| (osa_distance(word, candidate), candidate))
        // A candidate that shares no letter with the word is not suggested.
        .filter(|(distance, candidate)| {
            *distance <= max_distance && *distance < length.max(candidate.chars().count())
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Describes the expected names: all of them, or where they are many the nearest and the count of
/// the rest.
pub fn describe_alternatives<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    const LISTED_NAMES: usize = 6;
    let mut names: Vec<&str> = names.into_iter().collect();
    if names.len() <= 2 * LISTED_NAMES {
        return format!("one of {}", names.join(", "));
    }
    let near = |name: &str| match word.len().max(name.len()) <= limits::MAX_ID_PART_BYTES {
        true => osa_distance(word, name),
        false => usize::MAX,
    };
    names.sort_by_cached_key(|name| (near(name), *name));
    format!("one of {} and {} others", names[..LISTED_NAMES].join(", "), names.len() - LISTED_NAMES)
}
