//! The same duel on this engine, on the Rust runtime for ink and on inkjs, in one run. Each figure
//! is the minimum of several rounds. A step is an answer, its output, and the next prompt with its
//! choices.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bladeink::story::Story;
use bladeink_compiler::Compiler;
use base::Value;
use mods::{load_order, read_folder};
use protocol::Input;
use session::{Content, Recorder, RunParameters, Session, ViewPolicy};

/// The allocator of the program itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: u64 = 20;
/// Steps per round.
const STEPS_PER_ROUND: u64 = 2_000;
/// An answer has two strikes; each is answered, and one guards against one.
const EXPECTED_BLOWS: i64 = (ROUNDS * STEPS_PER_ROUND * 3 / 2) as i64;

/// Nanoseconds per step.
fn min_ns_per_step(mut step: impl FnMut(u64)) -> u64 {
    let round = |_| {
        let start = Instant::now();
        (0..STEPS_PER_ROUND).for_each(&mut step);
        start.elapsed().as_nanos() as u64 / STEPS_PER_ROUND
    };
    (0..ROUNDS).map(round).min().expect("there are rounds")
}

fn run_engine() -> u64 {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../duel");
    let source = read_folder(&folder).expect("the duel is read");
    let mods = load_order(vec![source]).expect("it needs nothing");
    let content = Content { mods, settings: Value::map() };
    let vm = content.load().expect("the duel loads");
    let parameters = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let started_session = Session::start(content, vm, &parameters, Recorder::null());
    let mut session = started_session.expect("the duel begins").0;
    // An ink story has no screen beside it.
    session.make_views(ViewPolicy::OnRequest);
    let inputs = ["strike", "guard"].map(|id| Input::Choice(id.to_owned()));
    let ns_per_step = min_ns_per_step(|step| {
        drop(session.answer(&inputs[step as usize % 2]).expect("it is taken"))
    });
    let world = session.world();
    let state = world.state.value(world.game()).expect("it has a state");
    let blows = state.get("blows").and_then(Value::as_int);
    assert_eq!(blows, Some(EXPECTED_BLOWS), "the duel of this engine");
    ns_per_step
}

fn run_bladeink(compiled_story: &str) -> u64 {
    let mut story = Story::new_with_seed(compiled_story, 1).expect("the story is read");
    story.continue_maximally().expect("it begins");
    let ns_per_step = min_ns_per_step(|step| {
        story.choose_choice_index(step as usize % 2).expect("there is such a choice");
        story.continue_maximally().expect("it goes on");
        assert_eq!(story.get_current_choices().len(), 2);
    });
    let blows = story.get_variable("blows").and_then(|blows| blows.get::<i32>());
    assert_eq!(blows.map(i64::from), Some(EXPECTED_BLOWS), "the duel in ink");
    ns_per_step
}

fn run_inkjs(compiled_story: &str) -> Option<u64> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let install_folder = crate_folder.join("../../../target/ink");
    let file = install_folder.join("duel.json");
    std::fs::write(&file, compiled_story).ok()?;
    let mut node = Command::new("node");
    node.env("NODE_PATH", install_folder.join("node_modules"))
        .arg(crate_folder.join("inkjs.cjs"))
        .arg(&file);
    let result = node.arg((ROUNDS * STEPS_PER_ROUND).to_string()).output();
    let stdout = result.ok().filter(|result| result.status.success())?.stdout;
    let stdout = String::from_utf8(stdout).ok()?;
    let (ns_per_step, blows) = stdout.trim().split_once(' ')?;
    assert_eq!(blows.parse(), Ok(EXPECTED_BLOWS), "the duel of inkjs");
    ns_per_step.parse().ok()
}

fn main() {
    let source = include_str!("duel.ink");
    let compiled_story = Compiler::new().compile(source).expect("the story compiles");
    let engine_ns = run_engine();
    let print_rate = |name: &str, ns_per_step: u64| {
        let ratio = ns_per_step as f64 / engine_ns as f64;
        println!("{name:22} {:>9} steps a second   {ratio:.2} times", 1_000_000_000 / ns_per_step);
    };
    print_rate("this engine", engine_ns);
    print_rate("bladeink 2.1.0", run_bladeink(&compiled_story));
    match run_inkjs(&compiled_story) {
        Some(ns_per_step) => print_rate("inkjs 2.4.0", ns_per_step),
        None => println!("inkjs: needs node, and `npm install --prefix target/ink inkjs@2.4.0`"),
    }
}
