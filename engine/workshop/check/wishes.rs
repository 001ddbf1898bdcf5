//! Wishes for keys, and the groups that choices name: whether a group is there, and whether two wish for
//! one key, or for one that the front ends keep for themselves. Whoever wishes first has it, in load
//! order; the other gets the next free one, and is told here.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::content::{Datum, Registry};
use crate::kit::problem::{nearest, one_of};
use crate::kit::{Place, Problem};
use crate::play::group::wished_key;
use crate::ui::full::Keymap;
use crate::workshop::lua::Facts;

/// Wishes so far: what a key is wished for by, by where they meet and the key.
#[derive(Default)]
struct Wishes {
    kept: BTreeMap<(String, char), (String, Place)>,
    problems: Vec<Problem>,
}

/// Looks at the groups, at choices that were added to scenes, and at those that scripts write out.
pub(super) fn look(registry: &Registry, facts: &[Rc<Facts>]) -> Vec<Problem> {
    let mut wishes = Wishes::default();
    for group in registry.all("group") {
        if let Some(key) = group.get("key").and_then(Datum::as_text) {
            let what = format!("the page of {}", group.id);
            wishes.hear("pages".to_owned(), &what, key, group.place.clone());
        }
    }
    for facts in facts {
        for one in &facts.offered {
            let Some((id, _)) = &one.id else { continue };
            let mut owner = String::new();
            if let Some((group, line)) = &one.group {
                match found(registry, group, &facts.owner) {
                    Some(whole) => owner = whole,
                    None => wishes.problems.push(no_group(registry, group, facts.place(*line))),
                }
            }
            if let Some((key, line)) = &one.key {
                let what = format!("the choice {id}");
                wishes.hear(owner, &what, key, facts.place(*line));
            }
        }
    }
    wishes.problems
}

/// The whole id of a group that is named, as prompts find it.
fn found(registry: &Registry, name: &str, owner: &str) -> Option<String> {
    let ids = || registry.every("group").map(|group| group.id.as_str());
    let own = format!("{owner}:{name}");
    let named = |id: &&str| id.split_once(':').is_some_and(|(_, short)| short == name);
    let found = ids().find(|id| *id == name || *id == own).or_else(|| ids().find(named));
    found.map(str::to_owned)
}

fn no_group(registry: &Registry, name: &str, place: Place) -> Problem {
    let ids = || registry.all("group").map(|group| group.id.as_str());
    let names = || registry.all("group").map(|group| group.id.name());
    let expected = match ids().next() {
        Some(_) => one_of(name, ids()),
        None => "a group that is declared: group \"…\" { name = … }".to_owned(),
    };
    Problem::error("missing-reference", format!("there is no group {name:?}"))
        .at(place)
        .expected(expected)
        .did_you_mean(nearest(name, names()))
}

impl Wishes {
    fn hear(&mut self, meets: String, what: &str, wish: &str, place: Place) {
        let Some(key) = wished_key(wish) else {
            let problem =
                Problem::error("wrong-type", format!("{what} wishes for the key {wish:?}"));
            return self.problems.push(problem.at(place).expected("one letter or digit"));
        };
        if let Some(action) = Keymap::default().taken_by(key) {
            let does = Keymap::does(action);
            let problem = Problem::warning(
                "key-clash",
                format!("{what} wishes for {key}, which is kept for: {does}"),
            );
            let problem = problem.hint("it gets the next free one; wish for another");
            return self.problems.push(problem.at(place));
        }
        match self.kept.get(&(meets.clone(), key)) {
            Some((other, there)) if other != what => {
                let message = format!("{what} wishes for {key}, which {other} has ({there})");
                let problem = Problem::warning("key-clash", message);
                let hint = "it gets the next free one wherever both stand; wish for another";
                self.problems.push(problem.at(place).hint(hint));
            }
            Some(_) => {}
            None => drop(self.kept.insert((meets, key), (what.to_owned(), place))),
        }
    }
}
