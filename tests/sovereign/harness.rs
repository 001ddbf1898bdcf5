//! Test harness for Sovereign: its rules by name with JSON arguments, and a company in play.

use engine::base::Value;
use engine::protocol::{Input, StoryEvent, story_event::RollEvent};
use engine::script::Vm;
use engine::state::Key;

pub use crate::rules::harness::GameSession;
use crate::rules::harness::load_vm;

/// A VM with Sovereign alone.
pub fn vm() -> Vm {
    load_vm(&["mods/sovereign"])
}

/// The ready-made company, at home or in the named situation.
pub fn company<'a>(vm: &'a Vm, seed: u64, opening: &str) -> GameSession<'a> {
    let options = Value::map_of([
        ("company", Value::text("quick")),
        ("opening", Value::text(format!("sovereign:{opening}"))),
    ]);
    GameSession::begin(vm, seed, options, Value::map())
}

/// An encounter with this number of a creature, in an empty chamber.
pub fn begin_encounter<'a>(vm: &'a Vm, seed: u64, creature: &str, number: i64) -> GameSession<'a> {
    let mut table = company(vm, seed, "in_the_cupboard");
    let met = Value::map_of([
        ("creature", Value::text(format!("sovereign:{creature}"))),
        ("number", Value::Int(number)),
        ("at_home", Value::Bool(false)),
        ("hostile", Value::Bool(false)),
        ("surprised", Value::text("none")),
        ("feet", Value::Int(40)),
        ("running", Value::Bool(false)),
    ]);
    table.set("meeting", met);
    table.world.replace_top_scene("sovereign:meeting").unwrap();
    table
}

/// The ids of the enabled choices.
pub fn open(table: &mut GameSession<'_>) -> Vec<String> {
    let prompt = table.prompt();
    let open = prompt.choices.iter().filter(|choice| choice.disabled_because.is_none());
    open.map(|choice| choice.id.clone()).collect()
}

/// Why a choice is disabled.
pub fn closed(table: &mut GameSession<'_>, id: &str) -> String {
    let prompt = table.prompt();
    let choice = prompt.choice(id).unwrap_or_else(|| panic!("no {id}: {:?}", open(table)));
    choice.disabled_because.clone().unwrap_or_else(|| panic!("{id} is open"))
}

/// The cases of each outcome in the shown odds, and their total.
pub fn odds(table: &mut GameSession<'_>, id: &str) -> (Vec<(String, u64)>, u64) {
    let prompt = table.prompt();
    let odds = prompt.choice(id).unwrap().odds.clone().unwrap_or_else(|| panic!("{id} has none"));
    (odds.bands.iter().map(|band| (band.label.clone(), band.cases)).collect(), odds.total_cases)
}

/// The scene of the prompt, without the mod.
pub fn scene(table: &mut GameSession<'_>) -> String {
    table.prompt().scene.trim_start_matches("sovereign:").to_owned()
}

/// All output as one text.
pub fn said(told: &[StoryEvent]) -> String {
    serde_json::to_string(told).unwrap()
}

/// The rolls in the output.
pub fn rolls(told: &[StoryEvent]) -> Vec<RollEvent> {
    let roll = |event: &StoryEvent| match event {
        StoryEvent::Roll(roll) => Some((**roll).clone()),
        _ => None,
    };
    told.iter().filter_map(roll).collect()
}

/// Runs a line of Lua, as a file of the game would, and returns the output.
pub fn lua(table: &mut GameSession<'_>, line: &str) -> Vec<StoryEvent> {
    let profile = table.profile.clone();
    table
        .vm
        .run_console_line(&mut table.world, &profile, "sovereign", line)
        .unwrap_or_else(|problem| panic!("{problem}"));
    table.world.take_events()
}

/// Stays in a chamber with that choice.
pub fn stay_in_chamber(table: &mut GameSession<'_>, id: &str) -> Vec<StoryEvent> {
    table.choose("stay");
    table.choose(id)
}

/// Answers with a number.
pub fn number(table: &mut GameSession<'_>, number: i64) -> Vec<StoryEvent> {
    table.answer(&Input::Number(number))
}

/// Sets an integer of the state.
pub fn set_number(table: &mut GameSession<'_>, path: &str, number: i64) {
    table.set(path, Value::Int(number));
}

/// Sets a flag.
pub fn set_flag(table: &mut GameSession<'_>, flag: &str) {
    table.set(&format!("flags.{flag}"), Value::Bool(true));
}

/// Removes a value from the state.
pub fn clear_value(table: &mut GameSession<'_>, name: &str) {
    let game = table.world.game_table();
    table.world.state.set(game, Key::Text(name.into()), None).unwrap();
}
