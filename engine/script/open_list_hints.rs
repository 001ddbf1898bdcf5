//! Explains a nil lookup with a text that another mod added to an open list: the failing line uses
//! that text as a key.

use super::host::Host;
use base::text::is_luau_name_character;
use base::{Problem, SourceLocation};
use content::collect_text_lists;

/// Adds a hint and the location of the added text to a Problem, if its line uses the list as a key.
pub(super) fn add_open_list_hint(
    host: &Host,
    place: &SourceLocation,
    mut problem: Problem,
) -> Problem {
    let Some(line) = place.excerpt.as_deref() else { return problem };
    let code = line.split("--").next().unwrap_or_default();
    let (moments, declared) =
        (host.load_state.declared_events.borrow(), host.load_state.all_declarations.borrow());
    let kinds = host.registry.get().into_iter().flat_map(|registry| registry.kinds());
    let named = kinds.chain(&*moments).map(|one| (&one.fields[..], &*one.name));
    let all = named.chain([(declared.schemas.fields(), "state")]);
    for (whole, words) in all.flat_map(|(fields, of)| collect_text_lists(fields, of)) {
        let name = whole.rsplit('.').next().unwrap_or_default();
        for (word, by) in words
            .iter()
            .skip(words.len() - words.addition_locations.len())
            .zip(&words.addition_locations)
        {
            if by.owner == place.owner
                || !indexes_by_name(code, name)
                || problem.related_locations.contains(by)
            {
                continue;
            }
            let owner = &by.owner;
            let hint = format!(
                "this line uses `{whole}` as a key, and `{owner}` adds {word:?} to its texts: is there an entry for it?"
            );
            problem = Problem { hint: Some(hint), ..problem }.add_related_location(by.clone());
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
