//! Scripts read the same values through mirrors (`script::values::table_mirrors`) as the state tree has.
//! The test compares them in random programs: after every write, after accepted and refused steps,
//! in a new VM, and after another tree was lent. The scripts compare by themselves: reads of a
//! proxy with the results of `plain`, `#` and an iteration.

use base::Value;
use protocol::Input;
use session::{Bot, RunContent, RunParameters, Session, StepRecorder};

use crate::bundled;
use crate::support::{RandomSource, count_from_env, game_from_files};

/// A game of many small programs over one state. Each compares its reads before, during and after
/// it.
const MIRROR_TEST_GAME: &str = r#"
local NAMES = { "a", "b", "c", "old coat", "x1" }
local BY_NAME = {
  a = function(t) return t.a end,
  b = function(t) return t.b end,
  c = function(t) return t.c end,
  x1 = function(t) return t.x1 end,
}
local AT_ROOT = {
  a = function() return state.a end,
  b = function() return state.b end,
  c = function() return state.c end,
  x1 = function() return state.x1 end,
}
local TEXTS = { "", "candle", ("a text that is too long to be kept twice "):rep(3), "7" }

local function agree(read, value, where)
  if type(value) == "table" then
    assert(type(read) == "userdata", `{where} is a table of the state`)
  else
    assert(read == value, `{where} reads {tostring(read)} and is {tostring(value)}`)
  end
end

-- What a part of the state reads as is what lies there, whichever way it is read.
local function same(part, copy, where)
  local count = 0
  for key, value in pairs(copy) do
    agree(part[key], value, `{where}.{key}`)
    if type(value) == "table" then
      same(part[key], value, `{where}.{key}`)
    end
    count += 1
  end
  for key, value in part do
    assert(rawequal(part[key], value), `{where}.{key} is walked as something else`)
    count -= 1
  end
  assert(count == 0 and #part == #copy, `{where} has other entries`)
  for _, name in NAMES do
    agree(part[name], copy[name], `{where}.{name}`)
    local by_name = BY_NAME[name]
    if by_name then
      agree(by_name(part), copy[name], `{where}.{name}, by its name`)
    end
  end
  for at = 0, #copy + 1 do
    agree(part[at], copy[at], `{where}[{at}]`)
  end
  assert(part[1.5] == nil and part[true] == nil and part[-1] == nil)
end

local function check()
  local copy = copy(state)
  same(state, copy, "state")
  for name, read in pairs(AT_ROOT) do
    agree(read(), copy[name], `state.{name}, at once`)
  end
end

local function tables(part, found)
  found[#found + 1] = part
  for _, value in part do
    if type(value) == "userdata" then
      tables(value, found)
    end
  end
  return found
end

local function leaf(r)
  local sort = r(4)
  return if sort == 1 then r(9) elseif sort == 2 then r(9) + 0.25 elseif sort == 3 then r(2) == 1 else TEXTS[r(#TEXTS)]
end

local WRITES = {
  function(t, r) t[NAMES[r(5)]] = leaf(r) end,
  function(t, r) t.a = leaf(r) end,
  function(t, r) t[NAMES[r(5)]] = nil end,
  function(t, r) t[NAMES[r(5)]] = { a = leaf(r), b = { leaf(r), { c = 1 } } } end,
  function(t, r) t[NAMES[r(5)]] = { leaf(r), leaf(r), { a = leaf(r) }, {} } end,
  function(t, r) t[#t + 1] = leaf(r) end,
  function(t, r) t[#t + 1] = { a = {} } end,
  function(t, r) t[r(3)] = leaf(r) end,
  function(t) t[#t] = nil end,
  function(t, r) table.insert(t, leaf(r)) end,
  function(t, r) table.insert(t, 1, leaf(r)) end,
  function(t) table.remove(t) end,
  function(t) table.remove(t, 1) end,
  function(t) table.sort(t, function(one, other) return tostring(one) < tostring(other) end) end,
  function(t) if t ~= state then table.clear(t) end end,
  function(t, r) t[NAMES[r(5)]] = state[NAMES[r(5)]] end,
  function(t, r) t.a = 1 t.a += 1 t.b = t.a error "caught" end,
}

local function program(number)
  check()
  local x = number * 7919 + 1
  local function r(most)
    x = x * 16807 % 2147483647
    return x % most + 1
  end
  for _ = 1, 5 do
    local all = tables(state, {})
    if #all > 24 then
      state[NAMES[r(5)]] = nil
    end
    local t = all[r(#all)]
    pcall(WRITES[r(#WRITES)], t, r)
    -- A table that was taken out is refused by whatever reads it.
    for _, one in all do
      local is_there = pcall(function() return #one end)
      assert(pcall(function() return one[1] end) == is_there, "a place of a table that is gone")
      assert(pcall(BY_NAME.a, one) == is_there, "a name of a table that is gone")
    end
    check()
  end
  if r(4) == 1 then
    error "refused"
  end
end

local on, choices = {}, {}
for number = 1, 120 do
  on["p" .. number] = function() program(number) end
  choices[number] = { id = "p" .. number, label = "a program" }
end
scene "tree" { prompt = function() check() return { text = "", choices = choices } end, on = on }
start(function() state.a = { b = { 1, 2 } } check() go "tree" end)
view "leaves" (function() check() return { title = "", widgets = {} } end)
fact "leaves" { tell = function() check() return 1 end }
bot "gardener" { facts = { "leaves" }, choose = function(seen)
  check()
  program(seen.prompt.choices[1].id == "p1" and (state.n or 0) % 3 * 4 + 3 or 1)
  state.n = (state.n or 0) + 1
  check()
  return "p1"
end }
"#;

fn start_session() -> Session {
    let content = RunContent {
        mods: game_from_files(&[("main.luau", MIRROR_TEST_GAME)]),
        settings: Value::map(),
    };
    let vm = bundled::load_vm(&content);
    let run_parameters = RunParameters { seed: 1, options: Value::map(), profile: Value::map() };
    let (session, step_outcome) =
        Session::start(content, vm, &run_parameters, StepRecorder::without_journal()).unwrap();
    assert!(step_outcome.refusal.is_none(), "{}", step_outcome.refusal.unwrap());
    session
}

#[test]
fn scripts_read_the_same_values_as_the_state_tree() {
    let (mut reused, mut rebuilt, mut random) =
        (start_session(), start_session(), RandomSource::from_seed(22));
    let mut bot = Bot::new("game:gardener", 1);
    let (mut refused_count, mut accepted_count) = (0, 0);
    for step in 1..=count_from_env("SUB_ROSA_MIRRORS", 60) {
        let program_number = random.next_below(120) + 1;
        let input = Input::Choice(format!("p{program_number}"));
        // A bot's call lends another tree in between; its answer does not matter.
        if random.next_below(4) == 0 {
            let bot_result = bot.choose_input(&mut reused, &[]);
            let problem = bot_result.err().map(|problem| problem.to_string()).unwrap_or_default();
            assert!(problem.is_empty() || problem.contains("refused"), "{step}: {problem}");
        }
        if random.next_below(8) == 0 {
            reused.rebuild_vm().unwrap();
        }
        rebuilt.rebuild_vm().unwrap();
        let reused_problem =
            reused.answer_prompt(&input).unwrap().refusal.map(|problem| problem.message);
        let rebuilt_problem =
            rebuilt.answer_prompt(&input).unwrap().refusal.map(|problem| problem.message);
        assert_eq!(reused_problem, rebuilt_problem, "{step}: p{program_number}");
        assert_eq!(reused.digest(), rebuilt.digest(), "{step}: p{program_number}");
        match reused_problem {
            Some(problem) if problem != "refused" => panic!("{step}: p{program_number}: {problem}"),
            Some(_) => refused_count += 1,
            None => accepted_count += 1,
        }
    }
    assert!(
        refused_count > 3 && accepted_count > 20,
        "{refused_count} refused, {accepted_count} taken"
    );
}
