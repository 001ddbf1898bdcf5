//! Words that a mod added to an open list of another's, where a line of that other met nothing and speaks of the
//! list: it may be one that the line does not know.

use super::host::Host;
use crate::content::lists_in;
use crate::kit::text::in_name;
use crate::kit::{Place, Problem};

/// The Problem with who added words to what its line speaks of, if somebody did.
pub(super) fn unknown_here(host: &Host, place: &Place, mut problem: Problem) -> Problem {
    let Some(line) = place.excerpt.as_deref() else { return problem };
    let code = line.split("--").next().unwrap_or_default();
    let (moments, declared) = (host.heard.moments.borrow(), host.heard.declared.borrow());
    let kinds = host.registry.get().into_iter().flat_map(|registry| registry.kinds());
    let named = kinds.chain(&*moments).map(|one| (&one.fields[..], &*one.name));
    let all = named.chain([(declared.shapes.fields(), "state")]);
    for (whole, words) in all.flat_map(|(fields, of)| lists_in(fields, of)) {
        let name = whole.rsplit('.').next().unwrap_or_default();
        for (word, by) in words.iter().skip(words.len() - words.added.len()).zip(&words.added) {
            if by.owner == place.owner || !speaks_of(code, name) || problem.trail.contains(by) {
                continue;
            }
            let owner = &by.owner;
            let hint = format!("`{owner}` adds {word:?} to `{whole}`: this line may not know it");
            problem = Problem { hint: Some(hint), ..problem }.by_way_of(by.clone());
        }
    }
    problem
}

fn speaks_of(code: &str, name: &str) -> bool {
    code.split(|c| !in_name(c)).any(|word| word == name)
}
