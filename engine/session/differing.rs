//! Where a step that is walked again comes to something else: the path in the state, the roll, and
//! the lines of the mods that made them.

use std::collections::BTreeMap;

use super::content_diff::limit_names;
use super::step::{Session, StepTask};
use crate::base::fault::planted;
use crate::base::{Problem, SourceLocation};
use crate::content::Datum;
use crate::protocol::story_event::RollEvent;
use crate::protocol::{Input, StoryEvent, WorldChanges};
use crate::state::{Key, display_state_path};

/// Most paths that are named.
const NAMED: usize = 4;

/// The function that answers a task where the session stands: that of the choice, or the one for
/// all other answers.
pub(super) fn answered_by(session: &Session, task: &StepTask) -> Option<SourceLocation> {
    let StepTask::Answer(input) = task else { return None };
    let prompt = session.prompt();
    let handler = match input {
        Input::Choice(id) => {
            let choice = prompt.choices.iter().find(|choice| choice.id == *id)?;
            choice.on.clone().unwrap_or_else(|| id.clone())
        }
        _ => "answer".to_owned(),
    };
    let scene = session.vm().registry().get("scene", &prompt.scene)?;
    match scene.get("on")? {
        Datum::Map(on) => match on.get(handler.as_str())? {
            Datum::Fn(function) => Some(function.place.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Adds to a Problem of a step that came to something else where it did.
pub(super) fn where_else(
    mut problem: Problem,
    session: &Session,
    then: &[StoryEvent],
    now: &[StoryEvent],
    changes: &WorldChanges,
    by: Option<SourceLocation>,
) -> Problem {
    if planted("difference_not_named") {
        return problem;
    }
    let paths = match &session.last_result {
        Some((_, changes_now)) => differing_paths(changes, changes_now),
        None => Vec::new(),
    };
    if !paths.is_empty() {
        problem.message.push_str(&format!("; what differs: {}", limit_names(&paths, NAMED)));
    }
    let rolls = |events: &[StoryEvent]| -> Vec<RollEvent> {
        let roll = |event: &StoryEvent| match event {
            StoryEvent::Roll(roll) => Some((**roll).clone()),
            _ => None,
        };
        events.iter().filter_map(roll).collect()
    };
    let (then, now) = (rolls(then), rolls(now));
    let first = (0..then.len().max(now.len())).find(|at| then.get(*at) != now.get(*at));
    if let Some(roll) = first.and_then(|at| now.get(at).or_else(|| then.get(at))) {
        let told = format!("; the roll {} from {} by {}", roll.notation, roll.stream, roll.by);
        problem.message.push_str(&crate::base::text::strip_unprintable(&told));
    }
    problem.add_related_locations(by)
}

/// The paths and streams whose values differ.
fn differing_paths(then: &WorldChanges, now: &WorldChanges) -> Vec<String> {
    let (then, now) = (values_by_path(then), values_by_path(now));
    let changed = then.iter().filter(|(path, value)| now.get(*path) != Some(value));
    let new = now.iter().filter(|(path, _)| !then.contains_key(*path));
    let paths: std::collections::BTreeSet<String> =
        changed.chain(new).map(|(path, _)| path.clone()).collect();
    paths.into_iter().collect()
}

/// What each path and each stream has after a step, as text; a removed path has none.
fn values_by_path(changes: &WorldChanges) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for table in &changes.state {
        let name_of = |key: Key| {
            let path: Vec<Key> = table.path.iter().cloned().chain([key]).collect();
            let name = display_state_path(&path);
            match name.strip_prefix("game") {
                Some(rest) => format!("state{rest}"),
                None => name,
            }
        };
        for key in &table.removed {
            values.insert(name_of(Key::Text(key.clone())), String::new());
        }
        for splice in &table.items {
            let text = format!("{splice:?}");
            values.insert(name_of(Key::Index(splice.at)), text);
        }
        for (key, value) in &table.set {
            values.insert(name_of(Key::Text(key.clone())), value.to_json());
        }
    }
    let dice = changes.dice.iter();
    values.extend(dice.map(|(stream, at)| (format!("dice {stream}"), at.to_string())));
    values
}
