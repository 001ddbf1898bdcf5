//! Builds a scene by hand and reads the result.

use engine::base::Value;
use engine::protocol::{Choice, StoryEvent};
use engine::script::Vm;

use super::harness::{GameSession, first_door};

pub const WORKS: &str = "dye_works:dye_works";

/// Experience of the sixth standing: casts, and has a skill.
pub const SIXTH: i64 = 900;

pub fn choice(table: &mut GameSession<'_>, id: &str) -> Option<Choice> {
    table.prompt().choice(id).cloned()
}

/// Whether a choice exists and is enabled.
pub fn open(table: &mut GameSession<'_>, id: &str) -> bool {
    choice(table, id).is_some_and(|choice| choice.disabled_because.is_none())
}

pub fn scene(table: &mut GameSession<'_>) -> String {
    table.prompt().scene.trim_start_matches("sub_rosa:").to_owned()
}

pub fn list(texts: &[&str]) -> Value {
    Value::List(texts.iter().map(Value::text).collect())
}

pub fn said(told: &[StoryEvent]) -> String {
    told.iter().map(|event| event.to_value().to_json()).collect()
}

/// The outcome of a roll, as shown.
pub fn outcome(told: &[StoryEvent]) -> String {
    let thrown = told.iter().find_map(|event| match event {
        StoryEvent::Roll(roll) => roll.outcome.clone(),
        _ => None,
    });
    thrown.expect("something was thrown")
}

/// Rebuilds the scene with one seed after another until the roll has this outcome.
pub fn until<'a>(
    wanted: &str,
    set: impl Fn(u64) -> GameSession<'a>,
    id: &str,
) -> (GameSession<'a>, Vec<StoryEvent>) {
    for seed in 0..400 {
        let mut table = set(seed);
        let told = table.choose(id);
        if outcome(&told) == wanted {
            return (table, told);
        }
    }
    panic!("no seed of 400 gives {wanted} for {id}");
}

/// Before the boss, with this number of known fragments.
pub fn before_the_boss(vm: &Vm, seed: u64, fragments: usize) -> GameSession<'_> {
    let mut table = first_door(vm, seed, WORKS, "blade", 0);
    let known: Vec<String> = (1..=fragments).map(|n| format!("dye_works:dye_works_{n}")).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    table.set("run.fragments", list(&known));
    table.enter_room("first_vat");
    table
}

pub fn worn(table: &GameSession<'_>, stat: &str) -> i64 {
    let grants =
        |slot: &str| table.state_value("hero.worn").get(slot)?.get("stats")?.get(stat)?.as_int();
    ["weapon", "armor", "accessory"].into_iter().filter_map(grants).sum()
}

pub fn relic(name: &str) -> Value {
    Value::map_of([("name", Value::text(name)), ("stats", Value::map_of([("ATK", Value::Int(2))]))])
}

/// Defeats the boss at one stroke.
pub fn beat_the_boss(table: &mut GameSession<'_>) {
    table.choose("draw");
    for _ in 0..60 {
        table.set("hero.vigour", Value::Int(30));
        table.set("run.rooms.first_vat.foe.vigour", Value::Int(1));
        if scene_or_end(table).as_deref() != Some("round") {
            break;
        }
        table.choose("strike");
    }
    while scene_or_end(table) == Some("level".to_owned()) {
        table.choose("ATK");
    }
}

pub fn scene_or_end(table: &mut GameSession<'_>) -> Option<String> {
    if table.world.run_outcome().is_some() { None } else { Some(scene(table)) }
}

pub fn piece(name: &str, rarity: &str, attack: i64) -> Value {
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
