//! The same game on the engine and on the bare host: a duel step by step, and whole small descents.
//! Both take answers that a bot recorded, and must reach the same end.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use base::Value;
use mlua::{Function, Table as LuaTable, Value as LuaValue};
use protocol::Input;
use script::Vm;
use session::{Bot, RunContent, complete_options, option_specs};

use super::bare_host::BareHost;
use super::descent::{begin_session, bundled_content, load_bench_game, record_answers};
use super::native_fights::{self, FightRound};
use super::report::{
    BenchReport, BestTimes, measure_thread_time, median_time, min_time, time_work,
};

/// Steps of a duel per measurement.
const STEPS_PER_MEASUREMENT: usize = 40;
/// How often a descent is repeated, so that each step is measured once without disturbance.
const REPETITIONS: usize = 4;

/// Pairs of a choice and the loop that reads and writes plain tables, with and without the bare
/// host.
const TABLE_LOOP_SCRIPT: &str = r#"
return function(state)
  local hero = state.hero
  for count = 1, 1000 do
    hero.vigour = hero.vigour + count
  end
end
"#;

/// The rows of duels and descents.
pub fn add_rows(report: &mut BenchReport, rounds: usize) {
    compare_tables(report, rounds);
    compare_duels(report, rounds);
    compare_descents(report, rounds);
    compare_threads(report, rounds);
}

/// The cost of the bare host's tables beside tables of bare mlua.
fn compare_tables(report: &mut BenchReport, rounds: usize) {
    let content = load_bench_game("duel");
    let bare_host = BareHost::load(&content, content.load_vm().unwrap().registry());
    let lua = mlua::Lua::new();
    let loop_cases = [(&lua, None), (&bare_host.lua, Some(&bare_host))].map(|(lua, host)| {
        let function: Function =
            lua.load(TABLE_LOOP_SCRIPT).set_compiler(super::bare_host::compiler()).eval().unwrap();
        let state = host.map_or_else(|| lua.create_table().unwrap(), BareHost::state);
        let hero = lua.create_table().unwrap();
        hero.set("vigour", 1).unwrap();
        state.set("hero", hero).unwrap();
        (function, state)
    });
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds * 4 {
        for (index, (function, state)) in loop_cases.iter().enumerate() {
            times[index].push(time_work(|| function.call::<()>(state).unwrap()).0);
        }
    }
    let [mlua_time, bare_time] = times.map(|times| min_time(&times) / 1_000);
    report.add_row_with_limit(
        "the bare host: a read and a write",
        bare_time,
        "tables of bare mlua",
        mlua_time,
        2.0,
    );
}

fn compare_duels(report: &mut BenchReport, rounds: usize) {
    let content = load_bench_game("duel");
    let mut session = begin_session(&content, content.load_vm().unwrap(), 1);
    let bare_host = BareHost::load(&content, session.vm().registry());
    bare_host.begin_run(1, &Value::map(), true);
    let inputs = ["strike", "guard"].map(|id| Input::Choice(id.to_owned()));
    let (mut engine_times, mut times_with_view, mut times_without_view) =
        (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds * 30 {
        let step_inputs = || (0..STEPS_PER_MEASUREMENT).map(|index| &inputs[index % 2]);
        engine_times.push(
            time_work(|| {
                step_inputs().for_each(|input| drop(session.answer_prompt(input).unwrap()))
            })
            .0,
        );
        times_with_view.push(
            time_work(|| {
                step_inputs().for_each(|input| drop(bare_host.submit_answer(input, true)))
            })
            .0,
        );
        times_without_view.push(
            time_work(|| {
                step_inputs().for_each(|input| drop(bare_host.submit_answer(input, false)))
            })
            .0,
        );
    }
    let [engine_time, time_with_view, time_without_view] =
        [engine_times, times_with_view, times_without_view]
            .map(|times| min_time(&times) / STEPS_PER_MEASUREMENT as u32);
    report.add_row_with_limit(
        "(c) a step of a duel, no disk",
        engine_time,
        "bare host, with its view",
        time_with_view,
        4.0,
    );
    report.add_row("    the same", engine_time, "bare host that never looks", time_without_view);
    report.add_note(&format!(
        "(c) {:.0} duel steps a second on one core; aim 150,000",
        per_second(engine_time)
    ));
}

fn compare_descents(report: &mut BenchReport, rounds: usize) {
    let content = bundled_content();
    let mut vm = content.load_vm().unwrap();
    let bare_host = BareHost::load(&content, vm.registry());
    let options = complete_options(&option_specs(vm.registry()), &BTreeMap::new()).unwrap();
    let [mut engine_time, mut time_with_view, mut time_without_view] = [Duration::ZERO; 3];
    let (mut time_with_bot, mut native_times) = (Duration::ZERO, Vec::new());
    let (mut step_count, mut fight_round_count) = (0, 0);
    let rounds = rounds.div_ceil(3);
    for seed in 0..rounds as u64 {
        let recorded_answers = record_answers(&content, seed);
        step_count += recorded_answers.len();
        let mut engine_outcome = Value::map();
        let mut best_times = BestTimes::default();
        for _ in 0..REPETITIONS {
            let mut session = begin_session(&content, vm, seed);
            let time_step = |input| time_work(|| drop(session.answer_prompt(input).unwrap())).0;
            best_times.add_round(recorded_answers.iter().map(time_step).collect());
            engine_outcome = session.run_outcome().unwrap();
            vm = session.into_vm();
        }
        engine_time += best_times.sum();
        for (total, shows_view) in [(&mut time_with_view, true), (&mut time_without_view, false)] {
            let mut best_times = BestTimes::default();
            for _ in 0..REPETITIONS {
                bare_host.begin_run(seed, &options, shows_view);
                let mut bare_outcome = None;
                let time_step = |input| {
                    let (time, outcome) = time_work(|| bare_host.submit_answer(input, shows_view));
                    bare_outcome = outcome;
                    time
                };
                best_times.add_round(recorded_answers.iter().map(time_step).collect());
                assert_same_outcome(
                    &engine_outcome,
                    &bare_outcome.expect("the bare host comes to an end too"),
                );
            }
            *total += best_times.sum();
        }
        let fight_rounds;
        (fight_rounds, vm) = fight_rounds_of(&content, vm, seed, &recorded_answers);
        fight_round_count += fight_rounds.len();
        native_times.push(
            time_work(|| std::hint::black_box(native_fights::play_rounds(&fight_rounds, seed))).0,
        );
        let mut best_times = BestTimes::default();
        for _ in 0..REPETITIONS {
            let mut session = begin_session(&content, vm, seed);
            let (mut bot, mut events, mut times) =
                (Bot::new("sub_rosa:steady", seed), Vec::new(), Vec::new());
            while session.run_outcome().is_none() {
                let play_step = || {
                    let input = bot.choose_input(&mut session, &events).unwrap();
                    events = session.answer_prompt(&input).unwrap().events;
                };
                times.push(time_work(play_step).0);
            }
            best_times.add_round(times);
            vm = session.into_vm();
        }
        time_with_bot += best_times.sum();
    }
    let per_descent = |sum: Duration| sum / rounds as u32;
    let (engine_time, time_with_view) = (per_descent(engine_time), per_descent(time_with_view));
    report.add_row_with_limit(
        "(d) a small descent, no disk",
        engine_time,
        "bare host, with its views",
        time_with_view,
        4.0,
    );
    report.add_row(
        "    the same",
        engine_time,
        "bare host that never looks",
        per_descent(time_without_view),
    );
    report.add_row(
        "    the same of today's game",
        descent_of_current_game(rounds),
        "the descent above",
        engine_time,
    );
    let time_with_bot = per_descent(time_with_bot);
    report.add_row(
        "    with the bot's own thinking",
        time_with_bot,
        "the same answers, given",
        engine_time,
    );
    report.add_row(
        "    its rounds of fights, in pure Rust",
        median_time(&mut native_times),
        "the whole descent",
        engine_time,
    );
    report
        .add_note(&format!("(d) {} rounds of fights a descent", fight_round_count / rounds.max(1)));
    report.add_note(&format!(
        "(d) {} steps a descent; {:.1} descents a second on one core, {:.1} with the bot; aim 1,000",
        step_count / rounds.max(1),
        per_second(engine_time),
        per_second(time_with_bot),
    ));
}

/// A small descent of the current game.
fn descent_of_current_game(rounds: usize) -> Duration {
    let content = bundled_content();
    let mut vm = content.load_vm().unwrap();
    let mut sum = Duration::ZERO;
    for seed in 0..rounds as u64 {
        let answers = record_answers(&content, seed);
        let mut best_times = BestTimes::default();
        for _ in 0..REPETITIONS {
            let mut session = begin_session(&content, vm, seed);
            let time_step = |input| time_work(|| drop(session.answer_prompt(input).unwrap())).0;
            best_times.add_round(answers.iter().map(time_step).collect());
            vm = session.into_vm();
        }
        sum += best_times.sum();
    }
    sum / rounds as u32
}

/// The fight rounds of a descent.
fn fight_rounds_of(
    content: &RunContent,
    vm: Vm,
    seed: u64,
    answers: &[Input],
) -> (Vec<FightRound>, Vm) {
    let mut session = begin_session(content, vm, seed);
    let mut rounds = Vec::new();
    for input in answers {
        rounds.extend(native_fights::fight_round_of(&session, input));
        session.answer_prompt(input).unwrap();
    }
    (rounds, session.into_vm())
}

/// The speedup of two threads over one, each with its own VM: by the clock, and by thread time,
/// which other processes do not change.
fn compare_threads(report: &mut BenchReport, rounds: usize) {
    let content = bundled_content();
    let answers = record_answers(&content, 3);
    let time_descents = |content: &RunContent| {
        let mut vm = content.load_vm().unwrap();
        let play_descents = move || {
            for _ in 0..rounds {
                let mut session = begin_session(content, vm, 3);
                answers.iter().for_each(|input| drop(session.answer_prompt(input).unwrap()));
                vm = session.into_vm();
            }
        };
        let (clock_time, (thread_time, ())) = time_work(|| measure_thread_time(play_descents));
        (clock_time, thread_time)
    };
    let one_thread_times = time_descents.clone()(&content);
    let two_thread_times: Vec<(Duration, Duration)> = thread::scope(|scope| {
        let thread_handles: Vec<_> =
            (0..2).map(|_| scope.spawn(|| time_descents.clone()(&content))).collect();
        thread_handles.into_iter().map(|thread_handle| thread_handle.join().unwrap()).collect()
    });
    let longest_of = |time: &dyn Fn(&(Duration, Duration)) -> Duration| {
        two_thread_times.iter().map(time).max().expect("two threads were at work")
    };
    let (clock_time, thread_time) = (longest_of(&|times| times.0), longest_of(&|times| times.1));
    let seconds = |time: Duration| time.as_secs_f64();
    let speedup =
        |one_thread, two_threads| 2.0 * seconds(one_thread) / seconds(two_threads).max(1e-12);
    report.add_note(&format!(
        "(d) two threads do {:.2} times what one does by the clock, {:.2} times by the time at work; at least 1.8 on two cores",
        speedup(one_thread_times.0, clock_time),
        speedup(one_thread_times.1, thread_time),
    ));
    report.add_note(&format!(
        "(d) {rounds} descents on one thread: {:.2} s by the clock, {:.2} s at work; {} on two: {:.2} s by the clock, {:.2} s at work in all",
        seconds(one_thread_times.0),
        seconds(one_thread_times.1),
        2 * rounds,
        seconds(clock_time),
        seconds(two_thread_times.iter().map(|(_, thread_time)| *thread_time).sum()),
    ));
}

fn per_second(time: Duration) -> f64 {
    1.0 / time.as_secs_f64().max(1e-12)
}

/// The run ended the same on both hosts: compares every integer, text and boolean of the outcome.
fn assert_same_outcome(engine: &Value, bare_outcome: &LuaTable) {
    for (name, value) in engine.as_map().unwrap() {
        let bare_value: LuaValue = bare_outcome.get(&**name).unwrap();
        let is_equal = match value {
            Value::Int(number) => {
                bare_value.as_f64() == Some(*number as f64) || bare_value.as_i64() == Some(*number)
            }
            Value::Text(text) => {
                bare_value.as_string().is_some_and(|bare_value| bare_value == &**text)
            }
            Value::Bool(truth) => bare_value.as_boolean() == Some(*truth),
            _ => true,
        };
        assert!(is_equal, "{name} is {value:?} on the engine and {bare_value:?} on the bare host");
    }
}
