//! The same duel on this engine, on the Rust runtime for ink and on inkjs, in one run. Each figure
//! is the minimum of several rounds. A step is an answer, its output, and the next prompt with its
//! choices.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bladeink::story::Story;
use bladeink_compiler::Compiler;
use engine::base::Value;
use engine::mods::{load_order, read_folder};
use engine::protocol::Input;
use engine::session::{Content, Recorder, RunParameters, Session, ViewPolicy};

/// The allocator of the program itself.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: u64 = 20;
/// Steps per round.
const STEPS: u64 = 2_000;
/// An answer has two strikes; each is answered, and one guards against one.
const BLOWS: i64 = (ROUNDS * STEPS * 3 / 2) as i64;

/// Nanoseconds per step.
fn least(mut step: impl FnMut(u64)) -> u64 {
    let round = |_| {
        let begun = Instant::now();
        (0..STEPS).for_each(&mut step);
        begun.elapsed().as_nanos() as u64 / STEPS
    };
    (0..ROUNDS).map(round).min().expect("there are rounds")
}

fn run_engine() -> u64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../duel");
    let source = read_folder(&folder).expect("the duel is read");
    let mods = load_order(vec![source]).expect("it needs nothing");
    let content = Content { mods, settings: Value::map() };
    let vm = content.load().expect("the duel loads");
    let terms = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let begun = Session::begin(content, vm, &terms, Recorder::null());
    let mut session = begun.expect("the duel begins").0;
    // An ink story has no screen beside it.
    session.make_views(ViewPolicy::OnRequest);
    let inputs = ["strike", "guard"].map(|id| Input::Choice(id.to_owned()));
    let took = least(|at| drop(session.answer(&inputs[at as usize % 2]).expect("it is taken")));
    let world = session.world();
    let state = world.state.value(world.game()).expect("it has a state");
    let blows = state.get("blows").and_then(Value::as_int);
    assert_eq!(blows, Some(BLOWS), "the duel of this engine");
    took
}

fn bladeink(compiled: &str) -> u64 {
    let mut story = Story::new_with_seed(compiled, 1).expect("the story is read");
    story.continue_maximally().expect("it begins");
    let took = least(|at| {
        story.choose_choice_index(at as usize % 2).expect("there is such a choice");
        story.continue_maximally().expect("it goes on");
        assert_eq!(story.get_current_choices().len(), 2);
    });
    let blows = story.get_variable("blows").and_then(|blows| blows.get::<i32>());
    assert_eq!(blows.map(i64::from), Some(BLOWS), "the duel in ink");
    took
}

fn inkjs(compiled: &str) -> Option<u64> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let installed = here.join("../../../target/ink");
    let file = installed.join("duel.json");
    std::fs::write(&file, compiled).ok()?;
    let mut node = Command::new("node");
    node.env("NODE_PATH", installed.join("node_modules")).arg(here.join("inkjs.cjs")).arg(&file);
    let ran = node.arg((ROUNDS * STEPS).to_string()).output();
    let told = ran.ok().filter(|ran| ran.status.success())?.stdout;
    let told = String::from_utf8(told).ok()?;
    let (took, blows) = told.trim().split_once(' ')?;
    assert_eq!(blows.parse(), Ok(BLOWS), "the duel of inkjs");
    took.parse().ok()
}

fn main() {
    let source = include_str!("duel.ink");
    let compiled = Compiler::new().compile(source).expect("the story compiles");
    let ours = run_engine();
    let told = |name: &str, took: u64| {
        let times = took as f64 / ours as f64;
        println!("{name:22} {:>9} steps a second   {times:.2} times", 1_000_000_000 / took);
    };
    told("this engine", ours);
    told("bladeink 2.1.0", bladeink(&compiled));
    match inkjs(&compiled) {
        Some(took) => told("inkjs 2.4.0", took),
        None => println!("inkjs: needs node, and `npm install --prefix target/ink inkjs@2.4.0`"),
    }
}
