//! Builds a scene by hand and reads the result.

use base::Value;
use protocol::{Choice, StoryEvent};
use script::Vm;

use super::harness::{GameSession, begin_at_first_door};

pub const DYE_WORKS: &str = "dye_works:dye_works";

/// Experience of the sixth standing: casts, and has a skill.
pub const SIXTH_STANDING_EXPERIENCE: i64 = 900;

pub fn find_choice(session: &mut GameSession<'_>, id: &str) -> Option<Choice> {
    session.prompt().choice(id).cloned()
}

/// Whether a choice exists and is enabled.
pub fn is_choice_enabled(session: &mut GameSession<'_>, id: &str) -> bool {
    find_choice(session, id).is_some_and(|choice| choice.disabled_because.is_none())
}

pub fn scene_name(session: &mut GameSession<'_>) -> String {
    session.prompt().scene.trim_start_matches("sub_rosa:").to_owned()
}

pub fn text_list(texts: &[&str]) -> Value {
    Value::List(texts.iter().map(Value::text).collect())
}

pub fn events_text(events: &[StoryEvent]) -> String {
    events.iter().map(|event| event.to_value().to_json()).collect()
}

/// The outcome of a roll, as shown.
pub fn roll_outcome(events: &[StoryEvent]) -> String {
    let outcome = events.iter().find_map(|event| match event {
        StoryEvent::Roll(roll) => roll.outcome.clone(),
        _ => None,
    });
    outcome.expect("something was thrown")
}

/// Rebuilds the scene with one seed after another until the roll has this outcome.
pub fn retry_until_outcome<'a>(
    expected_outcome: &str,
    build_session: impl Fn(u64) -> GameSession<'a>,
    id: &str,
) -> (GameSession<'a>, Vec<StoryEvent>) {
    for seed in 0..400 {
        let mut session = build_session(seed);
        let events = session.choose(id);
        if roll_outcome(&events) == expected_outcome {
            return (session, events);
        }
    }
    panic!("no seed of 400 gives {expected_outcome} for {id}");
}

/// Before the boss, with this number of known fragments.
pub fn session_before_boss(vm: &Vm, seed: u64, fragments: usize) -> GameSession<'_> {
    let mut session = begin_at_first_door(vm, seed, DYE_WORKS, "blade", 0);
    let fragment_ids: Vec<String> =
        (1..=fragments).map(|number| format!("dye_works:dye_works_{number}")).collect();
    let fragment_ids: Vec<&str> = fragment_ids.iter().map(String::as_str).collect();
    session.set("run.fragments", text_list(&fragment_ids));
    session.enter_room("first_vat");
    session
}

pub fn worn_stat_bonus(session: &GameSession<'_>, stat: &str) -> i64 {
    let slot_bonus =
        |slot: &str| session.state_value("hero.worn").get(slot)?.get("stats")?.get(stat)?.as_int();
    ["weapon", "armor", "accessory"].into_iter().filter_map(slot_bonus).sum()
}

pub fn relic_value(name: &str) -> Value {
    Value::map_of([("name", Value::text(name)), ("stats", Value::map_of([("ATK", Value::Int(2))]))])
}

/// Defeats the boss at one stroke.
pub fn defeat_boss(session: &mut GameSession<'_>) {
    session.choose("draw");
    for _ in 0..60 {
        session.set("hero.vigour", Value::Int(30));
        session.set("run.rooms.first_vat.foe.vigour", Value::Int(1));
        if scene_name_if_running(session).as_deref() != Some("round") {
            break;
        }
        session.choose("strike");
    }
    while scene_name_if_running(session) == Some("level".to_owned()) {
        session.choose("ATK");
    }
}

pub fn scene_name_if_running(session: &mut GameSession<'_>) -> Option<String> {
    if session.world.run_outcome().is_some() { None } else { Some(scene_name(session)) }
}

pub fn gear_piece(name: &str, rarity: &str, attack: i64) -> Value {
    Value::map_of([
        ("name", Value::text(name)),
        ("slot", Value::text("weapon")),
        ("rarity", Value::text(rarity)),
        ("stats", Value::map_of([("ATK", Value::Int(attack))])),
        ("power", Value::Int(1)),
        ("sockets", Value::Int(0)),
        ("set", Value::List(Vec::new())),
        ("found", Value::Bool(true)),
    ])
}
