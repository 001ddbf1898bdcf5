//! Where a step that is walked again comes to something else: the path in the state, the roll, and
//! the lines of the mods that made them.

use super::content_diff::limit_names;
use super::step::{Session, StepTask};
use crate::base::fault::planted;
use crate::base::{Problem, SourceLocation};
use crate::content::Datum;
use crate::protocol::story_event::RollEvent;
use crate::protocol::world::WrittenPathFingerprints;
use crate::protocol::{Input, StoryEvent};

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
    written: &WrittenPathFingerprints,
    by: Option<SourceLocation>,
) -> Problem {
    if planted("difference_not_named") {
        return problem;
    }
    // A journal of before paths were noted has none.
    let paths = match &session.last_digest {
        Some((_, Some(wrote))) if !written.is_empty() => differing(written, wrote),
        _ => Vec::new(),
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

/// The paths that were written then or now and do not hold the same.
fn differing(then: &WrittenPathFingerprints, now: &WrittenPathFingerprints) -> Vec<String> {
    let gone = then.iter().filter(|(path, digits)| now.get(*path) != Some(digits));
    let new = now.iter().filter(|(path, _)| !then.contains_key(*path));
    gone.chain(new).map(|(path, _)| path.clone()).collect()
}
