//! Words that a mod added to an open list of another's, where a line of that other met nothing and speaks of the
//! list: it may be one that the line does not know.

use super::host::Host;
use crate::content::{Field, FieldType, Words};
use crate::kit::{Place, Problem};

/// The Problem with who added words to what its line speaks of, if somebody did.
pub(super) fn unknown_here(host: &Host, place: &Place, mut problem: Problem) -> Problem {
    let Some(line) = place.excerpt.as_deref() else { return problem };
    let code = line.split("--").next().unwrap_or_default();
    let mut added = Vec::new();
    for kind in host.registry.get().into_iter().flat_map(|registry| registry.kinds()) {
        within(&kind.fields, &kind.name, &mut added);
    }
    host.heard.moments.borrow().iter().for_each(|one| within(&one.fields, &one.name, &mut added));
    within(host.heard.declared.borrow().shapes.fields(), "state", &mut added);
    for (whole, name, word, by) in added {
        if by.owner == place.owner || !speaks_of(code, &name) || problem.trail.contains(&by) {
            continue;
        }
        let hint = format!("`{}` adds {word:?} to `{whole}`: this line may not know it", by.owner);
        problem = Problem { hint: Some(hint), ..problem }.by_way_of(by);
    }
    problem
}

fn speaks_of(code: &str, name: &str) -> bool {
    let mut words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.any(|word| word == name)
}

/// The list as it is written, its field's name, a word, and where it was added.
type Added = (String, String, String, Place);

fn within(fields: &[Field], before: &str, all: &mut Vec<Added>) {
    for field in fields {
        let whole = format!("{before}.{}", field.name);
        inside(&field.ty, &whole, &field.name, all);
    }
}

fn inside(ty: &FieldType, whole: &str, name: &str, all: &mut Vec<Added>) {
    match ty {
        FieldType::OneOf(Words { list, added, .. }) => {
            let words = list.iter().skip(list.len() - added.len()).zip(added);
            let each = words
                .map(|(word, by)| (whole.to_owned(), name.to_owned(), word.clone(), by.clone()));
            all.extend(each);
        }
        FieldType::Record(fields) => within(fields, whole, all),
        FieldType::List(one) | FieldType::Map(one) => inside(one, whole, name, all),
        FieldType::Either(types) => types.iter().for_each(|one| inside(one, whole, name, all)),
        _ => {}
    }
}
