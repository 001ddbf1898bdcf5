//! The cost of one operation with and without the engine: a hook, a read and a write of the state.
//! Each runs a thousand times in a step. The cost of the empty loop is subtracted.

use std::time::Duration;

use engine::protocol::Input;
use engine::session::Session;
use mlua::{Function, Lua, Table as LuaTable};

use super::bare_host::compiler;
use super::descent::{begin, folder};
use super::report::{BenchReport, least, timed};

/// How often a step repeats each operation.
const TIMES: u32 = 1_000;

/// The same on plain tables: a script's work without an engine.
pub const PLAIN: &str = r#"
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
pub fn rows(table: &mut BenchReport, rounds: usize) {
    let content = folder("probe");
    let mut session = begin(&content, content.load().unwrap(), 1);
    let lua = Lua::new();
    let plain: LuaTable = lua.load(PLAIN).set_compiler(compiler()).eval().unwrap();
    let step = |session: &mut Session, id: &str| {
        let input = Input::Choice(id.to_owned());
        timed(|| session.answer(&input).unwrap()).0
    };
    let work = |name: &str| {
        let work: Function = plain.get(name).unwrap();
        timed(|| work.call::<()>(()).unwrap()).0
    };
    let event = lua.create_table().unwrap();
    event.set("damage", 4).unwrap();
    let call = |name: &str| {
        let hook: Function = plain.get(name).unwrap();
        timed(|| (0..TIMES).for_each(|_| hook.call::<()>(&event).unwrap())).0
    };
    let names = ["nothing", "read", "write", "bare", "hooked", "weighed"];
    let mut engine = vec![Vec::new(); names.len()];
    let mut beside = vec![Vec::new(); 5];
    for _ in 0..rounds * 4 {
        for (at, name) in names.iter().enumerate() {
            engine[at].push(step(&mut session, name));
        }
        for (at, name) in ["nothing", "read", "write"].iter().enumerate() {
            beside[at].push(work(name));
        }
        beside[3].push(call("hook"));
        beside[4].push(call("weigh"));
    }
    let engine: Vec<Duration> = engine.iter().map(|times| least(times)).collect();
    let beside: Vec<Duration> = beside.iter().map(|times| least(times)).collect();
    let one = |with: Duration, without: Duration| with.saturating_sub(without) / TIMES;
    let mlua = "bare mlua calls the same function";
    let after = one(engine[4], engine[3]);
    table.aim("(a) an after-hook called by the engine", after, mlua, beside[3] / TIMES, 2.0);
    let before = one(engine[5], engine[3]);
    table.aim("(a) a before-hook called by the engine", before, mlua, beside[4] / TIMES, 2.0);
    let (read, write) = (one(engine[1], engine[0]), one(engine[2], engine[0]));
    let (plain_read, plain_write) = (one(beside[1], beside[0]), one(beside[2], beside[0]));
    table.aim(
        "(b) a field of the state read",
        read,
        "a field of a plain table read",
        plain_read,
        25.0,
    );
    table.aim("(b) a field of the state written", write, "the same, written", plain_write, 30.0);
}
