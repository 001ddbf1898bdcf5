//! Small descents of the bundled game, recorded once with its bot. Benchmarks then time the engine
//! on these answers and not the bot's decisions.

use std::collections::BTreeMap;
use std::path::Path;

use base::Value;
use mods::{read_folder, sort_into_load_order};
use protocol::Input;
use script::Vm;
use session::{
    Bot, RunContent, RunParameters, Session, StepRecorder, complete_options, option_specs,
};

use crate::support::{embedded_base_game, load_order_with_library};

/// The bundled game as the program carries it.
pub fn bundled_content() -> RunContent {
    RunContent {
        mods: load_order_with_library(vec![embedded_base_game()]).unwrap(),
        settings: Value::map(),
    }
}

/// A game in the folder of the benchmarks.
pub fn load_bench_game(name: &str) -> RunContent {
    let game_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bench").join(name);
    let source = read_folder(&game_folder).unwrap();
    RunContent { mods: sort_into_load_order(vec![source]).unwrap(), settings: Value::map() }
}

/// The terms of a descent; the bot places the build, as a person would.
pub fn run_parameters(vm: &Vm, seed: u64) -> RunParameters {
    let options = complete_options(&option_specs(vm.registry()), &BTreeMap::new()).unwrap();
    RunParameters { seed, options, profile: Value::map() }
}

/// A run without storage, at its first prompt.
pub fn begin_session(content: &RunContent, vm: Vm, seed: u64) -> Session {
    let parameters = run_parameters(&vm, seed);
    Session::start(content.clone(), vm, &parameters, StepRecorder::without_journal()).unwrap().0
}

/// The answers of a whole descent.
pub fn record_answers(content: &RunContent, seed: u64) -> Vec<Input> {
    let mut session = begin_session(content, content.load_vm().unwrap(), seed);
    let mut bot = Bot::new("sub_rosa:steady", seed);
    let (mut events, mut recorded_answers) = (Vec::new(), Vec::new());
    while session.run_outcome().is_none() {
        let input = bot.choose_input(&mut session, &events).unwrap();
        events = session.answer_prompt(&input).unwrap().events;
        recorded_answers.push(input.into_input());
    }
    recorded_answers
}
