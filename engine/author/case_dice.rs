//! The dice that a case sets: the first draws of streams, in place of those of the seed.

use super::case::Case;
use super::case_places::case_field;
use base::{Code, Id, Problem, SourceLocation};
use protocol::WorldState;
use session::RunContent;

/// The world in which a case begins.
pub(super) fn create_case_world(case: &Case, content: &RunContent) -> Result<WorldState, Problem> {
    let mut world = WorldState::new(case.seed);
    for (name, numbers) in &case.dice {
        let scripted = stream_of_name(name, case, content)
            .and_then(|stream| world.dice.script_draws(stream.as_str(), numbers));
        scripted.map_err(|reason| {
            Problem::error(Code::BadStream, format!("the case has a wrong stream: {reason}"))
                .expected("a stream of this mod, such as `loot`, or of another, `mod:loot`")
                .at(dice_field(name))
        })?;
    }
    Ok(world)
}

/// What is wrong with the dice that a case sets, once it was played.
pub(super) fn dice_problems(
    case: &Case,
    content: &RunContent,
    world: &WorldState,
    is_stopped_early: bool,
) -> Vec<Problem> {
    let positions = world.dice.stream_positions();
    let streams = positions.keys().cloned().collect::<Vec<_>>().join(", ");
    let faults = world.dice.scripted_draw_faults(is_stopped_early).into_iter();
    let problems = faults.map(|(stream, fault)| {
        let is_stream = |name: &&String| {
            stream_of_name(name, case, content).is_ok_and(|id| id.as_str() == stream)
        };
        let name = case.dice.keys().find(is_stream).unwrap_or(&stream);
        Problem::error(Code::BadCase, format!("the dice of the stream {stream}: {fault}"))
            .expected(format!("draws of the run; it draws from {streams}"))
            .at(dice_field(name))
    });
    problems.collect()
}

fn dice_field(name: &str) -> SourceLocation {
    case_field(&format!("dice.{name}"), 0)
}

/// The full name of a stream; a name without a mod is one of the case's mod.
fn stream_of_name(name: &str, case: &Case, content: &RunContent) -> Result<Id, String> {
    let owner = if case.owner.is_empty() { content.mods.game().id() } else { &case.owner };
    Id::parse(name, owner)
}
