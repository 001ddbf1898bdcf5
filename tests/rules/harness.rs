//! Test harness: the base game and the test dungeon in a VM, and a world to play in.

use std::path::Path;

use engine::base::{Problem, Value};
use engine::content::{Datum, Definition, Registry};
use engine::mods::read_folder;
use engine::protocol::{Input, Prompt, StoryEvent, View, World};
use engine::script::Vm;
use engine::state::{Key, Slot};

/// A VM with the base game and the test dungeon.
pub fn vm() -> Vm {
    vm_of(&["base_game", "tests/games/medium"])
}

/// A VM with these folders of the project.
pub fn vm_of(folders: &[&str]) -> Vm {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read =
        |folder: &&str| read_folder(&root.join(folder)).map_err(|all| problems_text(&all)).unwrap();
    let read = folders.iter().map(read).collect();
    let mods = crate::support::ordered(read).map_err(|all| problems_text(&all)).unwrap();
    Vm::load(&mods, &Value::map()).map_err(|all| problems_text(&all)).unwrap()
}

/// The truths that a run of a dungeon may draw: the one it names, or all of its own (SR-8.8).
pub fn truths_of<'a>(registry: &'a Registry, dungeon: &str) -> Vec<&'a Definition> {
    let text = |one: &'a Definition, field| one.get(field).and_then(Datum::as_text);
    let named = text(registry.get("dungeon", dungeon).expect("it is there"), "truth");
    let may = |one: &&'a Definition| match named {
        Some(named) => one.id.to_string() == named,
        None => text(one, "dungeon") == Some(dungeon),
    };
    registry.active_definitions("truth").filter(may).collect()
}

/// Problems as a person reads them.
pub fn problems_text(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

/// A run in play.
pub struct GameSession<'a> {
    pub vm: &'a Vm,
    pub world: World,
    pub profile: Value,
    pub told: Vec<StoryEvent>,
}

impl<'a> GameSession<'a> {
    /// Begins a run in the test dungeon, or in another, with the build option's text.
    pub fn begin(vm: &'a Vm, seed: u64, options: Value, profile: Value) -> Self {
        let mut world = World::new(seed);
        vm.start_run(&mut world, &profile, &options).unwrap_or_else(|problem| panic!("{problem}"));
        let told = world.take_events();
        Self { vm, world, profile, told }
    }

    /// The current prompt.
    pub fn prompt(&mut self) -> Prompt {
        self.vm.prompt(&mut self.world, &self.profile).unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// The current view.
    pub fn view(&mut self) -> View {
        self.vm.view(&mut self.world, &self.profile).unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// Answers the current prompt and returns the output.
    pub fn answer(&mut self, input: &Input) -> Vec<StoryEvent> {
        let prompt = self.prompt();
        self.answer_to(&prompt, input)
    }

    /// Answers a given prompt and returns the output.
    pub fn answer_to(&mut self, prompt: &Prompt, input: &Input) -> Vec<StoryEvent> {
        prompt.check_answer_input(input).unwrap_or_else(|why| panic!("{}: {why}", prompt.text));
        self.vm
            .handle_answer(&mut self.world, &self.profile, prompt, input)
            .unwrap_or_else(|problem| panic!("{problem}"));
        let told = self.world.take_events();
        self.told.extend(told.iter().cloned());
        told
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
        self.world.state.value(self.world.game_table()).unwrap()
    }

    /// A value of the state by its path, such as `hero.vigour`.
    pub fn state_value(&self, path: &str) -> Value {
        let mut here = Slot::Node(self.world.game_table());
        for step in keys(path) {
            let Slot::Node(node) = here else { panic!("no {path} in the state") };
            here = self.world.state.get(node, &step).unwrap();
        }
        match here {
            Slot::Node(node) => self.world.state.value(node).unwrap(),
            Slot::Bool(truth) => Value::Bool(truth),
            Slot::Int(int) => Value::Int(int),
            Slot::Num(num) => Value::Num(num),
            Slot::Text(text) => Value::Text(text),
            Slot::Nil => panic!("no {path} in the state"),
        }
    }

    /// Writes into the state by a path, which no player can do.
    pub fn set(&mut self, path: &str, value: Value) {
        let steps = keys(path);
        let (last, way) = steps.split_last().unwrap();
        let mut here = self.world.game_table();
        for step in way {
            here = match self.world.state.get(here, step).unwrap() {
                Slot::Node(node) => node,
                other => panic!("{path}: {other:?} stands in the way"),
            };
        }
        self.world.state.set(here, last.clone(), Some(value)).unwrap();
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
pub fn options(dungeon: &str, build: &str, ironman: bool) -> Value {
    Value::map_of([
        ("dungeon", Value::text(dungeon)),
        ("build", Value::text(build)),
        ("ironman", Value::Bool(ironman)),
        ("difficulty", Value::text("true")),
    ])
}

/// A run at its first door: the build option's text, this much experience, no relics.
pub fn first_door<'a>(
    vm: &'a Vm,
    seed: u64,
    dungeon: &str,
    build: &str,
    experience: i64,
) -> GameSession<'a> {
    let profile = Value::map_of([("experience", Value::Int(experience))]);
    GameSession::begin(vm, seed, options(dungeon, build, false), profile)
}

fn keys(path: &str) -> Vec<Key> {
    let key = |step: &str| match step.parse::<u32>() {
        Ok(index) => Key::Index(index),
        Err(_) => Key::Text(step.into()),
    };
    path.split('.').map(key).collect()
}
