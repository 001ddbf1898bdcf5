//! Test harness for Sovereign: its rules by name with JSON arguments, and a company in play.

use base::Value;
use protocol::{Input, StoryEvent, story_event::RollEvent};
use script::Vm;
use state::Key;

pub use crate::rules::harness::GameSession;
use crate::rules::harness::load_vm;
use crate::support::take_story_events;

/// A VM with Sovereign alone.
pub fn sovereign_vm() -> Vm {
    load_vm(&["mods/sovereign"])
}

/// The ready-made company, at home or in the named situation.
pub fn company_session<'a>(vm: &'a Vm, seed: u64, opening: &str) -> GameSession<'a> {
    let options = Value::map_of([
        ("company", Value::text("quick")),
        ("opening", Value::text(format!("sovereign:{opening}"))),
    ]);
    GameSession::begin(vm, seed, options, Value::map())
}

/// An encounter with this number of a creature, in an empty chamber.
pub fn begin_encounter<'a>(vm: &'a Vm, seed: u64, creature: &str, number: i64) -> GameSession<'a> {
    let mut session = company_session(vm, seed, "in_the_cupboard");
    let meeting = Value::map_of([
        ("creature", Value::text(format!("sovereign:{creature}"))),
        ("number", Value::Int(number)),
        ("at_home", Value::Bool(false)),
        ("hostile", Value::Bool(false)),
        ("surprised", Value::text("none")),
        ("feet", Value::Int(40)),
        ("running", Value::Bool(false)),
    ]);
    session.set("meeting", meeting);
    session.world.replace_top_scene("sovereign:meeting").unwrap();
    session
}

/// The ids of the enabled choices.
pub fn enabled_choice_ids(session: &mut GameSession<'_>) -> Vec<String> {
    let prompt = session.prompt();
    let enabled_choices = prompt.choices.iter().filter(|choice| choice.disabled_because.is_none());
    enabled_choices.map(|choice| choice.id.clone()).collect()
}

/// Why a choice is disabled.
pub fn disabled_reason(session: &mut GameSession<'_>, id: &str) -> String {
    let prompt = session.prompt();
    let choice =
        prompt.choice(id).unwrap_or_else(|| panic!("no {id}: {:?}", enabled_choice_ids(session)));
    choice.disabled_because.clone().unwrap_or_else(|| panic!("{id} is open"))
}

/// The cases of each outcome in the shown odds, and their total.
pub fn choice_odds(session: &mut GameSession<'_>, id: &str) -> (Vec<(String, u64)>, u64) {
    let prompt = session.prompt();
    let odds = prompt.choice(id).unwrap().odds.clone().unwrap_or_else(|| panic!("{id} has none"));
    (
        odds.bands.iter().map(|band| (band.label.clone(), band.case_count)).collect(),
        odds.total_cases,
    )
}

/// The scene of the prompt, without the mod.
pub fn scene_name(session: &mut GameSession<'_>) -> String {
    session.prompt().scene.trim_start_matches("sovereign:").to_owned()
}

/// All output as one text.
pub fn events_json(events: &[StoryEvent]) -> String {
    serde_json::to_string(events).unwrap()
}

/// The rolls in the output.
pub fn roll_events(events: &[StoryEvent]) -> Vec<RollEvent> {
    let roll = |event: &StoryEvent| match event {
        StoryEvent::Roll(roll) => Some((**roll).clone()),
        _ => None,
    };
    events.iter().filter_map(roll).collect()
}

/// Runs a line of Lua, as a file of the game would, and returns the output.
pub fn run_lua(session: &mut GameSession<'_>, line: &str) -> Vec<StoryEvent> {
    let profile = session.profile.clone();
    session
        .vm
        .run_console_line(&mut session.world, &profile, "sovereign", line)
        .unwrap_or_else(|problem| panic!("{problem}"));
    take_story_events(&mut session.world, session.vm)
}

/// Stays in a chamber with that choice.
pub fn stay_in_chamber(session: &mut GameSession<'_>, id: &str) -> Vec<StoryEvent> {
    session.choose("stay");
    session.choose(id)
}

/// Answers with a number.
pub fn answer_number(session: &mut GameSession<'_>, number: i64) -> Vec<StoryEvent> {
    session.answer(&Input::Number(number))
}

/// Sets an integer of the state.
pub fn set_number(session: &mut GameSession<'_>, path: &str, number: i64) {
    session.set(path, Value::Int(number));
}

/// Sets a flag.
pub fn set_flag(session: &mut GameSession<'_>, flag: &str) {
    session.set(&format!("flags.{flag}"), Value::Bool(true));
}

/// Removes a value from the state.
pub fn clear_value(session: &mut GameSession<'_>, name: &str) {
    let game = session.world.game_table();
    session.world.state.set(game, Key::Text(name.into()), None).unwrap();
}
