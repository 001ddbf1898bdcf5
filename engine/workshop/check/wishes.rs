//! Checks requested keys and named groups: whether a group exists, and whether two choices request
//! the same key, or one that the front ends use. The first in load order gets the key; the other
//! gets the next free one and is reported here.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::content::{Datum, Registry};
use crate::kit::{Place, Problem};
use crate::play::group::{self, wished_key};
use crate::ui::full::Keymap;
use crate::workshop::lua::Facts;

/// The requested keys so far, by menu and key: who requested it, and where.
#[derive(Default)]
struct Wishes {
    kept: BTreeMap<(String, char), (String, Place)>,
    problems: Vec<Problem>,
}

/// Checks the groups, the choices added to scenes, and the choices in scripts.
pub(super) fn look(registry: &Registry, facts: &[Arc<Facts>]) -> Vec<Problem> {
    let mut wishes = Wishes::default();
    for group in registry.all("group") {
        if let Some(key) = group.get("key").and_then(Datum::as_text) {
            let what = format!("the submenu of {}", group.id);
            wishes.hear("pages".to_owned(), &what, key, group.place.clone());
        }
    }
    // In the order that prompts find them.
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
            let problem = Problem::error("wrong-type", format!("{what} requests the key {wish:?}"));
            return self.problems.push(problem.at(place).expected("one letter or digit"));
        };
        if let Some(action) = Keymap::default().taken_by(key) {
            let does = Keymap::does(action);
            let problem = Problem::warning(
                "key-clash",
                format!("{what} requests the key {key}, which is reserved for: {does}"),
            );
            let problem = problem.hint("it gets the next free key; request another");
            return self.problems.push(problem.at(place));
        }
        match self.kept.get(&(meets.clone(), key)) {
            Some((other, there)) if other != what => {
                let message = format!("{what} requests the key {key}, which {other} has ({there})");
                let problem = Problem::warning("key-clash", message);
                let hint = "where both are shown it gets the next free key; request another";
                self.problems.push(problem.at(place).hint(hint));
            }
            Some(_) => {}
            None => drop(self.kept.insert((meets, key), (what.to_owned(), place))),
        }
    }
}
