//! Wishes for keys, and the groups that choices name: whether a group is there, and whether two wish for
//! one key, or for one that the front ends keep for themselves. Whoever wishes first has it, in load
//! order; the other gets the next free one, and is told here.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::content::{Datum, Registry};
use crate::kit::{Place, Problem};
use crate::play::group::{self, wished_key};
use crate::ui::full::Keymap;
use crate::workshop::lua::Facts;

/// Wishes so far: what a key is wished for by, by where they meet and the key.
#[derive(Default)]
struct Wishes {
    kept: BTreeMap<(String, char), (String, Place)>,
    problems: Vec<Problem>,
}

/// Looks at the groups, at choices that were added to scenes, and at those that scripts write out.
pub(super) fn look(registry: &Registry, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let mut wishes = Wishes::default();
    for group in registry.all("group") {
        if let Some(key) = group.get("key").and_then(Datum::as_text) {
            let what = format!("the page of {}", group.id);
            wishes.hear("pages".to_owned(), &what, key, group.place.clone());
        }
    }
    // As prompts find them.
    let every: Vec<&str> = registry.every("group").map(|group| group.id.as_str()).collect();
    for facts in facts {
        for one in &facts.offered {
            let Some((id, _)) = &one.id else { continue };
            let mut owner = String::new();
            if let Some((name, line)) = &one.group {
                match group::find(every.iter().copied(), name, &facts.owner) {
                    Some(at) => owner = every[at].to_owned(),
                    None => {
                        let there = registry.all("group").map(|group| group.id.as_str());
                        let there: Vec<&str> = there.collect();
                        let found = format!("there is no group {name:?}");
                        let problem = group::missing(found, there.into_iter(), name);
                        wishes.problems.push(problem.at(facts.place(*line)));
                    }
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
