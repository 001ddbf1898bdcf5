//! Checks requested keys and named groups: whether a group exists, and whether two choices request
//! the same key, or one that the front ends use. The first in load order gets the key; the other
//! gets the next free one and is reported here.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::analysis::FileSummary;
use base::{Code, Problem, SourceLocation};
use content::{Datum, Registry};
use protocol::choice_group::{self, parse_preferred_key};
use ui::full_screen::Keymap;

/// The requested keys so far, by menu and key: who requested it, and where.
#[derive(Default)]
struct KeyRequests {
    requested_keys: BTreeMap<(String, char), (String, SourceLocation)>,
    problems: Vec<Problem>,
}

/// Checks the groups, the choices added to scenes, and the choices in scripts.
pub(super) fn check_choice_keys(
    registry: &Registry,
    summaries: &[Arc<FileSummary>],
) -> Vec<Problem> {
    let mut requests = KeyRequests::default();
    for group in registry.active_definitions("group") {
        if let Some(key) = group.get("key").and_then(Datum::as_text) {
            let what = format!("the submenu of {}", group.id);
            requests.add_request("pages".to_owned(), &what, key, group.place.clone());
        }
    }
    // In the order that prompts find them.
    let every: Vec<&str> =
        registry.all_definitions("group").map(|group| group.id.as_str()).collect();
    for summary in summaries {
        for one in &summary.choices {
            let Some((id, _)) = &one.id else { continue };
            let mut owner = String::new();
            if let Some((name, line)) = &one.group {
                match choice_group::find_group_index(every.iter().copied(), name, &summary.owner) {
                    Some(at) => owner = every[at].to_owned(),
                    None => {
                        let active_groups =
                            registry.active_definitions("group").map(|group| group.id.as_str());
                        let active_groups: Vec<&str> = active_groups.collect();
                        let found = format!("there is no group {name:?}");
                        let problem = choice_group::unknown_group_problem(
                            found,
                            active_groups.into_iter(),
                            name,
                        );
                        requests.problems.push(problem.at(summary.place(*line)));
                    }
                }
            }
            if let Some((key, line)) = &one.key {
                let what = format!("the choice {id}");
                requests.add_request(owner, &what, key, summary.place(*line));
            }
        }
    }
    requests.problems
}

impl KeyRequests {
    fn add_request(&mut self, menu: String, what: &str, request: &str, place: SourceLocation) {
        let Some(key) = parse_preferred_key(request) else {
            let problem =
                Problem::error(Code::WrongType, format!("{what} requests the key {request:?}"));
            return self.problems.push(problem.at(place).expected("one letter or digit"));
        };
        if let Some(action) = Keymap::default().reserved_action(key) {
            let does = Keymap::action_label(action);
            let problem = Problem::warning(
                Code::KeyConflict,
                format!("{what} requests the key {key}, which the program uses for: {does}"),
            );
            let problem = problem.hint("it gets the next free key; request another");
            return self.problems.push(problem.at(place));
        }
        match self.requested_keys.get(&(menu.clone(), key)) {
            Some((other, there)) if other != what => {
                let message = format!("{what} requests the key {key}, which {other} has ({there})");
                let problem = Problem::warning(Code::KeyConflict, message);
                let hint = "where both are shown it gets the next free key; request another";
                self.problems.push(problem.at(place).hint(hint));
            }
            Some(_) => {}
            None => drop(self.requested_keys.insert((menu, key), (what.to_owned(), place))),
        }
    }
}
