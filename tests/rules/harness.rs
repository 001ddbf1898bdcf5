//! Test harness: the base game and the test dungeon in a VM, and a world to play in.

use std::path::Path;

use base::{Problem, Value};
use content::{Datum, Definition, Registry};
use mods::read_folder;
use protocol::{Input, Prompt, StoryEvent, View, WorldState};
use script::Vm;
use state::{Key, StoredValue};

use crate::support::take_story_events;

/// A VM with the base game and the test dungeon.
pub fn load_test_vm() -> Vm {
    load_vm(&["base_game", "tests/games/medium"])
}

/// A VM with these folders of the project.
pub fn load_vm(folders: &[&str]) -> Vm {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read_mod = |folder: &&str| {
        read_folder(&root.join(folder)).map_err(|problems| problems_text(&problems)).unwrap()
    };
    let sources = folders.iter().map(read_mod).collect();
    let mods = crate::support::load_order_with_library(sources)
        .map_err(|problems| problems_text(&problems))
        .unwrap();
    Vm::load(&mods, &Value::map()).map_err(|problems| problems_text(&problems)).unwrap()
}

/// The truths that a run of a dungeon may draw: the one it names, or all of its own (SR-8.8).
pub fn truths_of<'a>(registry: &'a Registry, dungeon: &str) -> Vec<&'a Definition> {
    let text_field =
        |definition: &'a Definition, field| definition.get(field).and_then(Datum::as_text);
    let declared_truth =
        text_field(registry.get("dungeon", dungeon).expect("it is there"), "truth");
    let is_possible_truth = |definition: &&'a Definition| match declared_truth {
        Some(declared_truth) => definition.id.to_string() == declared_truth,
        None => text_field(definition, "dungeon") == Some(dungeon),
    };
    registry.active_definitions("truth").filter(is_possible_truth).collect()
}

/// Problems as a person reads them.
pub fn problems_text(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

/// A run in play.
pub struct GameSession<'a> {
    pub vm: &'a Vm,
    pub world: WorldState,
    pub profile: Value,
    pub events: Vec<StoryEvent>,
}

impl<'a> GameSession<'a> {
    /// Begins a run in the test dungeon, or in another, with the build option's text.
    pub fn begin(vm: &'a Vm, seed: u64, options: Value, profile: Value) -> Self {
        let mut world = WorldState::new(seed);
        vm.start_run(&mut world, &profile, &options).unwrap_or_else(|problem| panic!("{problem}"));
        let events = take_story_events(&mut world, vm);
        Self { vm, world, profile, events }
    }

    /// The current prompt.
    pub fn prompt(&mut self) -> Prompt {
        self.vm
            .compute_prompt(&mut self.world, &self.profile)
            .unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// The current view.
    pub fn view(&mut self) -> View {
        self.vm
            .compute_view(&mut self.world, &self.profile)
            .unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// Answers the current prompt and returns the output.
    pub fn answer(&mut self, input: &Input) -> Vec<StoryEvent> {
        let prompt = self.prompt();
        self.answer_prompt(&prompt, input)
    }

    /// Answers a given prompt and returns the output.
    pub fn answer_prompt(&mut self, prompt: &Prompt, input: &Input) -> Vec<StoryEvent> {
        let input = prompt.accept(input.clone());
        let input = input.unwrap_or_else(|reason| panic!("{}: {reason}", prompt.text));
        self.vm
            .handle_answer(&mut self.world, &self.profile, prompt, &input)
            .unwrap_or_else(|problem| panic!("{problem}"));
        let events = take_story_events(&mut self.world, self.vm);
        self.events.extend(events.iter().cloned());
        events
    }

    /// Takes a choice by its id.
    pub fn choose(&mut self, id: &str) -> Vec<StoryEvent> {
        self.answer(&Input::Choice(id.to_owned()))
    }

    /// SR-2.13: replaces the foe's intent with the plain attack.
    pub fn clear_intent(&mut self) {
        self.set("fight.intent", Value::text("press"));
    }

    /// The run's state as plain data.
    pub fn state(&self) -> Value {
        self.world.state.table_to_value(self.world.game_table()).unwrap()
    }

    /// A value of the state by its path, such as `hero.vigour`.
    pub fn state_value(&self, path: &str) -> Value {
        let mut slot = StoredValue::Table(self.world.game_table());
        for step in parse_path(path) {
            let StoredValue::Table(node) = slot else { panic!("no {path} in the state") };
            slot = self.world.state.get(node, &step).unwrap();
        }
        match slot {
            StoredValue::Table(node) => self.world.state.table_to_value(node).unwrap(),
            StoredValue::Bool(value) => Value::Bool(value),
            StoredValue::Int(int) => Value::Int(int),
            StoredValue::Num(num) => Value::Num(num),
            StoredValue::Text(text_field) => Value::Text(text_field),
            StoredValue::Nil => panic!("no {path} in the state"),
        }
    }

    /// Writes into the state by a path, which no player can do.
    pub fn set(&mut self, path: &str, value: Value) {
        let path_keys = parse_path(path);
        let (last_key, parent_keys) = path_keys.split_last().unwrap();
        let mut parent = self.world.game_table();
        for step in parent_keys {
            parent = match self.world.state.get(parent, step).unwrap() {
                StoredValue::Table(node) => node,
                other_slot => panic!("{path}: {other_slot:?} stands in the way"),
            };
        }
        self.world.state.set(parent, last_key.clone(), Some(value)).unwrap();
    }

    /// Adds a door from the entrance to a room, and takes it.
    pub fn enter_room(&mut self, room: &str) -> Vec<StoryEvent> {
        self.set("run.rooms.entrance.doors", Value::List(vec![Value::text(room)]));
        self.choose(&format!("door:{room}"))
    }

    /// A number of the state by its path.
    pub fn int(&self, path: &str) -> i64 {
        self.state_value(path).as_int().unwrap_or_else(|| panic!("{path} is no number"))
    }
}

/// All options with their values, as the host passes them.
pub fn run_options(dungeon: &str, build: &str, ironman: bool) -> Value {
    Value::map_of([
        ("dungeon", Value::text(dungeon)),
        ("build", Value::text(build)),
        ("ironman", Value::Bool(ironman)),
        ("difficulty", Value::text("true")),
    ])
}

/// A run at its first door: the build option's text, this much experience, no relics.
pub fn begin_at_first_door<'a>(
    vm: &'a Vm,
    seed: u64,
    dungeon: &str,
    build: &str,
    experience: i64,
) -> GameSession<'a> {
    let profile = Value::map_of([("experience", Value::Int(experience))]);
    GameSession::begin(vm, seed, run_options(dungeon, build, false), profile)
}

fn parse_path(path: &str) -> Vec<Key> {
    let key = |step: &str| match step.parse::<u32>() {
        Ok(index) => Key::Index(index),
        Err(_) => Key::Text(step.into()),
    };
    path.split('.').map(key).collect()
}
