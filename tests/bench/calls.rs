//! The cost of one operation with and without the engine: a hook, a read and a write of the state.
//! Each runs a thousand times in a step. The cost of the empty loop is subtracted.

use std::time::Duration;

use mlua::{Function, Lua, Table as LuaTable};
use protocol::Input;
use session::Session;

use super::bare_host::compiler;
use super::descent::{begin_session, load_bench_game};
use super::report::{BenchReport, min_time, time_work};

/// How often a step repeats each operation.
const CALLS_PER_STEP: u32 = 1_000;

/// The same on plain tables: a script's work without an engine.
pub const PLAIN_SCRIPT: &str = r#"
local hero = { vigour = 12, name = "Ash" }
return {
  nothing = function()
    for _ = 1, 1000 do
    end
  end,
  read = function()
    for _ = 1, 1000 do
      local _ = hero.vigour
    end
  end,
  write = function()
    for count = 1, 1000 do
      hero.vigour = count
    end
  end,
  hook = function(event)
    local _ = event.damage + 1
  end,
  weigh = function(event)
    event.damage += 1
  end,
}
"#;

/// The rows of calls, reads and writes.
pub fn add_rows(report: &mut BenchReport, rounds: usize) {
    let content = load_bench_game("probe");
    let mut session = begin_session(&content, content.load_vm().unwrap(), 1);
    let lua = Lua::new();
    let functions: LuaTable = lua.load(PLAIN_SCRIPT).set_compiler(compiler()).eval().unwrap();
    let time_step = |session: &mut Session, id: &str| {
        let input = Input::Choice(id.to_owned());
        time_work(|| session.answer_prompt(&input).unwrap()).0
    };
    let time_function = |name: &str| {
        let function: Function = functions.get(name).unwrap();
        time_work(|| function.call::<()>(()).unwrap()).0
    };
    let event = lua.create_table().unwrap();
    event.set("damage", 4).unwrap();
    let time_hook_calls = |name: &str| {
        let hook: Function = functions.get(name).unwrap();
        time_work(|| (0..CALLS_PER_STEP).for_each(|_| hook.call::<()>(&event).unwrap())).0
    };
    let names = ["nothing", "read", "write", "bare", "hooked", "weighed"];
    let mut engine_times = vec![Vec::new(); names.len()];
    let mut baseline_times = vec![Vec::new(); 5];
    for _ in 0..rounds * 4 {
        for (index, name) in names.iter().enumerate() {
            engine_times[index].push(time_step(&mut session, name));
        }
        for (index, name) in ["nothing", "read", "write"].iter().enumerate() {
            baseline_times[index].push(time_function(name));
        }
        baseline_times[3].push(time_hook_calls("hook"));
        baseline_times[4].push(time_hook_calls("weigh"));
    }
    let engine_times: Vec<Duration> = engine_times.iter().map(|times| min_time(times)).collect();
    let baseline_times: Vec<Duration> =
        baseline_times.iter().map(|times| min_time(times)).collect();
    let time_per_call = |time_with: Duration, time_without: Duration| {
        time_with.saturating_sub(time_without) / CALLS_PER_STEP
    };
    let baseline_name = "bare mlua calls the same function";
    let after_hook_time = time_per_call(engine_times[4], engine_times[3]);
    report.add_row_with_limit(
        "(a) an after-hook called by the engine",
        after_hook_time,
        baseline_name,
        baseline_times[3] / CALLS_PER_STEP,
        2.0,
    );
    let before_hook_time = time_per_call(engine_times[5], engine_times[3]);
    report.add_row_with_limit(
        "(a) a before-hook called by the engine",
        before_hook_time,
        baseline_name,
        baseline_times[4] / CALLS_PER_STEP,
        2.0,
    );
    let (read_time, write_time) = (
        time_per_call(engine_times[1], engine_times[0]),
        time_per_call(engine_times[2], engine_times[0]),
    );
    let (plain_read, plain_write) = (
        time_per_call(baseline_times[1], baseline_times[0]),
        time_per_call(baseline_times[2], baseline_times[0]),
    );
    report.add_row_with_limit(
        "(b) a field of the state read",
        read_time,
        "a field of a plain table read",
        plain_read,
        25.0,
    );
    report.add_row_with_limit(
        "(b) a field of the state written",
        write_time,
        "the same, written",
        plain_write,
        30.0,
    );
}
