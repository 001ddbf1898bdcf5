//! Names the differences of a step that is executed again: the paths in the state, the roll, and
//! the lines of the mods that made them.

use std::collections::{BTreeMap, BTreeSet};

use super::content_diff::limit_names;
use super::step::{Session, StepTask};
use base::{Problem, SourceLocation};
use content::Datum;
use protocol::story_event::RollEvent;
use protocol::{Input, RecordedEvent, StoryEvent, WorldChanges};
use state::{Key, TableChange, display_state_path};

/// The maximum number of paths that are named.
const MAX_NAMED_PATHS: usize = 4;
/// The most keys in the paths of a step for which they are compared.
const MAX_PATH_KEYS: usize = 100_000;

/// The place of the function that handles a task: that of the choice, or the one for all other
/// answers.
pub(super) fn find_handler_location(session: &Session, task: &StepTask) -> Option<SourceLocation> {
    let StepTask::Answer(input) = task else { return None };
    let prompt = session.prompt();
    let handler = match &**input {
        Input::Choice(id) => {
            let choice = prompt.choices.iter().find(|choice| choice.id == *id)?;
            choice.handler_name.clone().unwrap_or_else(|| id.clone())
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

/// Adds the differences to the Problem of a step with another result.
pub(super) fn add_differences(
    mut problem: Problem,
    session: &Session,
    recorded_events: &[RecordedEvent],
    recorded_changes: &WorldChanges,
    handler: Option<SourceLocation>,
) -> Problem {
    let Some((events, changes)) = &session.last_result else { return problem };
    let paths = differing_paths(recorded_changes, changes);
    if !paths.is_empty() {
        problem
            .message
            .push_str(&format!("; what differs: {}", limit_names(&paths, MAX_NAMED_PATHS)));
    }
    let rolls_of = |events: &[RecordedEvent]| -> Vec<RollEvent> {
        let roll = |recorded: &RecordedEvent| match &recorded.event {
            StoryEvent::Roll(roll) => Some((**roll).clone()),
            _ => None,
        };
        events.iter().filter_map(roll).collect()
    };
    let (recorded_rolls, rolls) = (rolls_of(recorded_events), rolls_of(events));
    let first_difference = (0..recorded_rolls.len().max(rolls.len()))
        .find(|index| recorded_rolls.get(*index) != rolls.get(*index));
    if let Some(roll) =
        first_difference.and_then(|index| rolls.get(index).or_else(|| recorded_rolls.get(index)))
    {
        let text = format!(
            "; the roll {} from {} by {}",
            roll.notation, roll.stream, roll.source_position
        );
        problem.message.push_str(&base::text::strip_unprintable(&text));
    }
    problem.add_related_locations(handler)
}

/// The paths and streams whose values differ; none if a step changed too much to name it.
fn differing_paths(recorded: &WorldChanges, changes: &WorldChanges) -> Vec<String> {
    if [recorded, changes].into_iter().map(count_path_keys).any(|count| count > MAX_PATH_KEYS) {
        return Vec::new();
    }
    let (then, now) = (changed_values_by_path(recorded), changed_values_by_path(changes));
    let changed = then.iter().filter(|(path, value)| now.get(*path) != Some(value));
    let new = now.iter().filter(|(path, _)| !then.contains_key(*path));
    let paths: BTreeSet<String> = changed.chain(new).map(|(path, _)| path.clone()).collect();
    paths.into_iter().collect()
}

/// The number of keys in all paths of changes.
fn count_path_keys(changes: &WorldChanges) -> usize {
    let count = |table: &TableChange| {
        (table.path.len() + 1)
            * (table.removed_keys.len() + table.list_splices.len() + table.set_entries.len())
    };
    changes.table_changes.iter().map(count).sum()
}

/// The value of each changed path and stream after a step, as text; a removed path has none.
fn changed_values_by_path(changes: &WorldChanges) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for table in &changes.table_changes {
        let name_of = |key: Key| {
            let path: Vec<Key> = table.path.iter().cloned().chain([key]).collect();
            let name = display_state_path(&path);
            match name.strip_prefix("game") {
                Some(rest) => format!("state{rest}"),
                None => name,
            }
        };
        for key in &table.removed_keys {
            values.insert(name_of(Key::Text(key.clone())), String::new());
        }
        for splice in &table.list_splices {
            let text = format!("{splice:?}");
            values.insert(name_of(Key::Index(splice.first_index)), text);
        }
        for (key, value) in &table.set_entries {
            values.insert(name_of(Key::Text(key.clone())), value.digest().to_string());
        }
    }
    let dice = changes.stream_positions.iter();
    values.extend(dice.map(|(stream, at)| (format!("dice {stream}"), at.to_string())));
    values
}
