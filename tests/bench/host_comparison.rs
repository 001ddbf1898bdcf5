//! The same game on the engine and on the bare host: a duel step by step, and whole small descents.
//! Both take answers that a bot recorded, and must reach the same end.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use engine::base::Value;
use engine::protocol::Input;
use engine::script::Vm;
use engine::session::{Bot, Content, complete_options, option_specs};
use mlua::{Function, Table as LuaTable, Value as LuaValue};

use super::bare_host::BareHost;
use super::descent::{answers, begin, content, folder};
use super::native_fights::{self, Round};
use super::report::{BenchReport, BestTimes, least, measure_thread_time, median, timed};

/// Steps of a duel per measurement.
const STEPS: usize = 40;
/// How often a descent is repeated, so that each step is measured once without disturbance.
const AGAIN: usize = 4;

/// Pairs of a choice and the loop that reads and writes plain tables, with and without the bare
/// host.
const TABLES: &str = r#"
return function(state)
  local hero = state.hero
  for count = 1, 1000 do
    hero.vigour = hero.vigour + count
  end
end
"#;

/// The rows of duels and descents.
pub fn rows(table: &mut BenchReport, rounds: usize) {
    compare_tables(table, rounds);
    duels(table, rounds);
    descents(table, rounds);
    threads(table, rounds);
}

/// The cost of the bare host's tables beside tables of bare mlua.
fn compare_tables(table: &mut BenchReport, rounds: usize) {
    let content = folder("duel");
    let bare = BareHost::load(&content, content.load().unwrap().registry());
    let lua = mlua::Lua::new();
    let loops = [(&lua, None), (&bare.lua, Some(&bare))].map(|(lua, bare)| {
        let work: Function =
            lua.load(TABLES).set_compiler(super::bare_host::compiler()).eval().unwrap();
        let state = bare.map_or_else(|| lua.create_table().unwrap(), BareHost::state);
        let hero = lua.create_table().unwrap();
        hero.set("vigour", 1).unwrap();
        state.set("hero", hero).unwrap();
        (work, state)
    });
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds * 4 {
        for (at, (work, state)) in loops.iter().enumerate() {
            times[at].push(timed(|| work.call::<()>(state).unwrap()).0);
        }
    }
    let [mlua, bare] = times.map(|times| least(&times) / 1_000);
    table.aim("the bare host: a read and a write", bare, "tables of bare mlua", mlua, 2.0);
}

fn duels(table: &mut BenchReport, rounds: usize) {
    let content = folder("duel");
    let mut session = begin(&content, content.load().unwrap(), 1);
    let bare = BareHost::load(&content, session.vm().registry());
    bare.begin(1, &Value::map(), true);
    let inputs = ["strike", "guard"].map(|id| Input::Choice(id.to_owned()));
    let (mut engine, mut with_view, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds * 30 {
        let steps = || (0..STEPS).map(|at| &inputs[at % 2]);
        engine.push(timed(|| steps().for_each(|input| drop(session.answer(input).unwrap()))).0);
        with_view.push(timed(|| steps().for_each(|input| drop(bare.submit(input, true)))).0);
        without.push(timed(|| steps().for_each(|input| drop(bare.submit(input, false)))).0);
    }
    let [engine, with_view, without] =
        [engine, with_view, without].map(|times| least(&times) / STEPS as u32);
    table.aim("(c) a step of a duel, no disk", engine, "bare host, with its view", with_view, 4.0);
    table.row("    the same", engine, "bare host that never looks", without);
    table.note(&format!(
        "(c) {:.0} duel steps a second on one core; aim 150,000",
        per_second(engine)
    ));
}

fn descents(table: &mut BenchReport, rounds: usize) {
    let content = content();
    let mut vm = content.load().unwrap();
    let bare = BareHost::load(&content, vm.registry());
    let options = complete_options(&option_specs(vm.registry()), &BTreeMap::new()).unwrap();
    let [mut engine, mut with_view, mut without] = [Duration::ZERO; 3];
    let (mut with_bot, mut in_rust) = (Duration::ZERO, Vec::new());
    let (mut steps, mut rounds_fought) = (0, 0);
    let rounds = rounds.div_ceil(3);
    for seed in 0..rounds as u64 {
        let answers = answers(&content, seed);
        steps += answers.len();
        let mut ended = Value::map();
        let mut best = BestTimes::default();
        for _ in 0..AGAIN {
            let mut session = begin(&content, vm, seed);
            let step = |input| timed(|| drop(session.answer(input).unwrap())).0;
            best.add_round(answers.iter().map(step).collect());
            ended = session.run_outcome().unwrap();
            vm = session.into_vm();
        }
        engine += best.sum();
        for (sum, looking) in [(&mut with_view, true), (&mut without, false)] {
            let mut best = BestTimes::default();
            for _ in 0..AGAIN {
                bare.begin(seed, &options, looking);
                let mut end = None;
                let step = |input| {
                    let (time, came) = timed(|| bare.submit(input, looking));
                    end = came;
                    time
                };
                best.add_round(answers.iter().map(step).collect());
                same_end(&ended, &end.expect("the bare host comes to an end too"));
            }
            *sum += best.sum();
        }
        let fought;
        (fought, vm) = rounds_of(&content, vm, seed, &answers);
        rounds_fought += fought.len();
        in_rust.push(timed(|| std::hint::black_box(native_fights::play(&fought, seed))).0);
        let mut best = BestTimes::default();
        for _ in 0..AGAIN {
            let mut session = begin(&content, vm, seed);
            let (mut bot, mut told, mut times) =
                (Bot::new("sub_rosa:steady", seed), Vec::new(), Vec::new());
            while session.run_outcome().is_none() {
                let step = || {
                    let input = bot.choose(&mut session, &told).unwrap();
                    told = session.answer(&input).unwrap().events;
                };
                times.push(timed(step).0);
            }
            best.add_round(times);
            vm = session.into_vm();
        }
        with_bot += best.sum();
    }
    let each = |sum: Duration| sum / rounds as u32;
    let (engine, with_view) = (each(engine), each(with_view));
    table.aim("(d) a small descent, no disk", engine, "bare host, with its views", with_view, 4.0);
    table.row("    the same", engine, "bare host that never looks", each(without));
    table.row(
        "    the same of today's game",
        descent_of_current_game(rounds),
        "the descent above",
        engine,
    );
    let with_bot = each(with_bot);
    table.row("    with the bot's own thinking", with_bot, "the same answers, given", engine);
    table.row(
        "    its rounds of fights, in pure Rust",
        median(&mut in_rust),
        "the whole descent",
        engine,
    );
    table.note(&format!("(d) {} rounds of fights a descent", rounds_fought / rounds.max(1)));
    table.note(&format!(
        "(d) {} steps a descent; {:.1} descents a second on one core, {:.1} with the bot; aim 1,000",
        steps / rounds.max(1),
        per_second(engine),
        per_second(with_bot),
    ));
}

/// A small descent of the current game.
fn descent_of_current_game(rounds: usize) -> Duration {
    let content = content();
    let mut vm = content.load().unwrap();
    let mut sum = Duration::ZERO;
    for seed in 0..rounds as u64 {
        let answers = answers(&content, seed);
        let mut best = BestTimes::default();
        for _ in 0..AGAIN {
            let mut session = begin(&content, vm, seed);
            let step = |input| timed(|| drop(session.answer(input).unwrap())).0;
            best.add_round(answers.iter().map(step).collect());
            vm = session.into_vm();
        }
        sum += best.sum();
    }
    sum / rounds as u32
}

/// The fight rounds of a descent.
fn rounds_of(content: &Content, vm: Vm, seed: u64, answers: &[Input]) -> (Vec<Round>, Vm) {
    let mut session = begin(content, vm, seed);
    let mut rounds = Vec::new();
    for input in answers {
        rounds.extend(native_fights::round_of(&session, input));
        session.answer(input).unwrap();
    }
    (rounds, session.into_vm())
}

/// The speedup of two threads over one, each with its own VM: by the clock, and by thread time,
/// which other processes do not change.
fn threads(table: &mut BenchReport, rounds: usize) {
    let content = content();
    let answers = answers(&content, 3);
    let work = |content: &Content| {
        let mut vm = content.load().unwrap();
        let play = move || {
            for _ in 0..rounds {
                let mut session = begin(content, vm, 3);
                answers.iter().for_each(|input| drop(session.answer(input).unwrap()));
                vm = session.into_vm();
            }
        };
        let (clock, (worked, ())) = timed(|| measure_thread_time(play));
        (clock, worked)
    };
    let alone = work.clone()(&content);
    let both: Vec<(Duration, Duration)> = thread::scope(|scope| {
        let hands: Vec<_> = (0..2).map(|_| scope.spawn(|| work.clone()(&content))).collect();
        hands.into_iter().map(|hand| hand.join().unwrap()).collect()
    });
    let longest = |time: &dyn Fn(&(Duration, Duration)) -> Duration| {
        both.iter().map(time).max().expect("two threads were at work")
    };
    let (clock, worked) = (longest(&|both| both.0), longest(&|both| both.1));
    let seconds = |time: Duration| time.as_secs_f64();
    let scaling = |alone, both| 2.0 * seconds(alone) / seconds(both).max(1e-12);
    table.note(&format!(
        "(d) two threads do {:.2} times what one does by the clock, {:.2} times by the time at work; at least 1.8 on two cores",
        scaling(alone.0, clock),
        scaling(alone.1, worked),
    ));
    table.note(&format!(
        "(d) {rounds} descents on one thread: {:.2} s by the clock, {:.2} s at work; {} on two: {:.2} s by the clock, {:.2} s at work in all",
        seconds(alone.0),
        seconds(alone.1),
        2 * rounds,
        seconds(clock),
        seconds(both.iter().map(|(_, worked)| *worked).sum()),
    ));
}

fn per_second(time: Duration) -> f64 {
    1.0 / time.as_secs_f64().max(1e-12)
}

/// The run ended the same on both hosts: compares every integer, text and boolean of the outcome.
fn same_end(engine: &Value, bare: &LuaTable) {
    for (name, value) in engine.as_map().unwrap() {
        let other: LuaValue = bare.get(&**name).unwrap();
        let same = match value {
            Value::Int(number) => {
                other.as_f64() == Some(*number as f64) || other.as_i64() == Some(*number)
            }
            Value::Text(text) => other.as_string().is_some_and(|other| other == &**text),
            Value::Bool(truth) => other.as_boolean() == Some(*truth),
            _ => true,
        };
        assert!(same, "{name} is {value:?} on the engine and {other:?} on the bare host");
    }
}
