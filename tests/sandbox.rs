//! The sandbox: what scripts can see, what they cannot do, and the messages for authors.

use std::path::{Path, PathBuf};

use engine::author::{CheckRequest, CommandContext, CommandOutcome, check};
use engine::base::{Problem, Value};
use engine::mods::{ModSet, SearchPaths, load_order, read_folder};
use engine::save::DataDir;
use engine::script::Vm;

use crate::support::{
    GAME, MINIMAL_GAME, TestRun, embedded_base_game, embedded_search_paths, game, load,
    manifest_needing, mod_from_text, ordered, problems_text,
};
use crate::trust::memory_growth::{MAX_LEFT_KIB, MemoryGrowth, run_in_own_process};

/// A hostile program: its name, the expected Problem, and its text.
struct HostileProgram {
    name: String,
    code: String,
    /// The line that the Problem must name, if only one is possible.
    line: Option<u32>,
    text: String,
}

/// The maximum thread time of a hostile program in a step or while loading, in ms.
pub const MOST_MS: u64 = 300;

/// The maximum memory left after long programs are compiled, in KiB: their texts and results.
const COMPILED: u64 = 24 * 1024;

fn hostile() -> Vec<HostileProgram> {
    let folder = Path::new("tests/hostile");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.iter().map(|path| HostileProgram::read(path)).collect()
}

impl HostileProgram {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let expect = text.lines().next().unwrap().strip_prefix("-- expect: ").unwrap().to_owned();
        let (code, line) = expect.split_once(' ').unwrap_or((&expect, "*"));
        let text = crate::support::expand_text(&text);
        Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            code: code.to_owned(),
            line: line.parse().ok(),
            text,
        }
    }

    /// Checks the outcome and returns what is wrong.
    fn judge(&self, outcome: Result<(), Problem>) -> Result<(), String> {
        let name = &self.name;
        let wrong = |why: &str| Err(format!("{name}: {why}"));
        let problem = match outcome {
            Ok(()) if self.code == "fine" => return Ok(()),
            Ok(()) => return wrong("nothing came of it"),
            Err(problem) => problem,
        };
        let place = problem.place.clone().unwrap_or_default();
        let shown = problem.to_string();
        // Which limit comes first may be all the same, if it is a count: the clock depends on who else uses the machine.
        let is_a_count = !["script-error", "too-slow"].contains(&problem.code.as_str());
        if problem.code != *self.code && (self.code != "*" || !is_a_count) {
            wrong(&format!("not {}: {shown}", self.code))
        } else if (&*place.owner, &*place.file) != ("game", "main.luau") || place.excerpt.is_none()
        {
            wrong(&format!("it names no place: {shown}"))
        } else if self.line.is_some_and(|line| place.line != line) {
            wrong(&format!("it names another line: {shown}"))
        } else if shown.contains("0x") {
            wrong(&format!("it shows an address: {shown}"))
        } else {
            Ok(())
        }
    }
}

/// All outcomes: the mistakes, and the thread time of each.
#[derive(Default)]
struct Verdicts {
    wrong: Vec<String>,
    took: Vec<(u64, String)>,
}

impl Verdicts {
    /// Runs one and records its time.
    fn of<R>(&mut self, name: &str, work: impl FnOnce() -> R) -> R {
        let before = crate::support::thread_ms();
        let result = work();
        self.took.push((crate::support::thread_ms().saturating_sub(before), name.to_owned()));
        result
    }

    fn check(mut self, what: &str) {
        self.took.sort();
        let slowest: Vec<_> = self.took.iter().rev().take(14).collect();
        crate::trust::record_figure(what, &format!("slowest, in ms of its thread: {slowest:?}"));
        assert!(self.wrong.is_empty(), "{}\n{slowest:?}", self.wrong.join("\n"));
        // The time is checked only where little else runs.
        let full = crate::support::count_from_env("SUB_ROSA_FULL", 0) > 0;
        let most = self.took.last().map_or(0, |(ms, _)| *ms);
        assert!(!full || most <= MOST_MS, "{slowest:?}");
    }
}

#[test]
fn hostile_programs_are_stopped_while_loading() {
    run_in_own_process("sandbox::hostile_programs_are_stopped_while_loading", || {
        load(&[("frame.luau", MINIMAL_GAME)]).unwrap();
        let (mut growth, mut verdicts) = (MemoryGrowth::start(), Verdicts::default());
        let full = crate::support::count_from_env("SUB_ROSA_FULL", 0) > 0;
        for (at, case) in hostile().into_iter().enumerate() {
            // Loading has five times the fuel of a step: all programs that spend it need a full
            // run.
            if case.code == "out-of-fuel" && at % 6 != 0 && !full {
                continue;
            }
            growth.measure(&case.name, || {
                let vm = verdicts.of(&case.name, || {
                    load(&[("frame.luau", MINIMAL_GAME), ("main.luau", &case.text)]).map(drop)
                });
                verdicts.wrong.extend(case.judge(vm.map_err(|problems| problems[0].clone())).err());
            });
        }
        verdicts.check("slowest_loading");
        load(&[("frame.luau", MINIMAL_GAME)]).unwrap();
        growth.assert_within_limits("growth_loading", COMPILED + MAX_LEFT_KIB);
    });
}

/// The same programs inside the handler of a choice: the step is refused, and the next one, in the
/// same VM or a new one, is accepted.
#[test]
fn hostile_programs_are_stopped_while_playing() {
    run_in_own_process("sandbox::hostile_programs_are_stopped_while_playing", || {
        load(&[("frame.luau", MINIMAL_GAME)]).unwrap();
        let (mut growth, mut verdicts) = (MemoryGrowth::start(), Verdicts::default());
        for case in hostile() {
            growth.measure(&case.name, || play_hostile_choice(&case, &mut verdicts));
        }
        verdicts.check("slowest_playing");
        growth.assert_within_limits("growth_playing", COMPILED + MAX_LEFT_KIB);
    });
}

/// One of them: refused, and the next step is accepted.
fn play_hostile_choice(case: &HostileProgram, verdicts: &mut Verdicts) {
    let first = case.text.lines().next().unwrap();
    let head = "start(function() go 'only' end) scene 'only' { prompt = function() return \
        { text = '?', choices = { { id = 'bad', label = 'Bad' }, { id = 'good', label = 'Good' } } } \
        end, on = { good = function() state.good = (state.good or 0) + 1 end, bad = function()";
    let program = format!("{}\nend }} }}", case.text.replacen(first, head, 1));
    let mods = game(&[("main.luau", &program)]);
    let mut run = match TestRun::of(&mods, 1) {
        Ok(run) => run,
        // What the compiler detects is refused before the game starts.
        Err(problem) => {
            verdicts.wrong.extend(case.judge(Err(problem)).err());
            return;
        }
    };
    run.choose("good").unwrap();
    let outcome = verdicts.of(&case.name, || run.choose("bad"));
    if case.code == "bad-require" {
        assert_eq!(outcome.unwrap_err().code, "not-loading", "{}", case.name);
    } else {
        verdicts.wrong.extend(case.judge(outcome).err());
    }
    if !run.vm.is_usable() {
        run.vm = Vm::load(&mods, &Value::map()).unwrap();
    }
    run.choose("good").unwrap();
    let state = run.world.snapshot().state;
    assert_eq!(state.get("game").and_then(|game| game.get("good")), Some(&Value::Int(2)));
}

/// In play as in `check`: a name that a required file does not export.
#[test]
fn a_call_of_what_a_file_does_not_give_is_told_with_what_was_meant() {
    let words = "return { twice = function(n) return n * 2 end, thrice = 3 }";
    let main = "
local w = require 'lib/words'
scene 'only' {
  prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end,
  on = { go = function() state.it = w.twise(2) end },
}
start(function() go 'only' end)";
    let told =
        state_after_handler(&game(&[("lib/words.luau", words), ("main.luau", main)])).unwrap_err();
    let hint = told.hint.clone().unwrap_or_default();
    assert!(hint.ends_with("has no `twise`: did you mean `w.twice`?"), "{told}");
}

#[test]
fn broken_mods_are_explained() {
    let mut cases: Vec<_> =
        Path::new("tests/broken_mods").read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let loaded = mods_with_base_game(&case).and_then(|mods| Vm::load(&mods, &Value::map()));
        let told = match loaded {
            Ok(_) => check_problem(&case).unwrap_or_else(|| play_problem(&case)),
            Err(problems) => problems_text(&problems),
        };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots/broken_mods");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, told));
    }
}

/// The folders of the mods of a case.
fn folders_of(case: &Path) -> Vec<PathBuf> {
    if case.join("mod.toml").exists() {
        return vec![case.to_owned()];
    }
    let mut inner: Vec<_> = case.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    inner.sort();
    inner
}

/// The mods of a case, with the base game if they need it.
fn mods_with_base_game(case: &Path) -> Result<ModSet, Vec<Problem>> {
    let read = folders_of(case).into_iter().map(|folder| read_folder(&folder));
    let mut mods = read.collect::<Result<Vec<_>, _>>()?;
    if mods.iter().any(|source| source.manifest.needs.contains_key("sub_rosa")) {
        mods.push(embedded_base_game());
    }
    ordered(mods)
}

/// The Problem that a player meets in mods that pass `check`.
fn play_problem(case: &Path) -> String {
    let mut run = TestRun::of(&mods_with_base_game(case).unwrap(), 1).unwrap();
    let met = run.prompt().map(|_| ()).and_then(|()| run.choose("go"));
    match met {
        Ok(()) => panic!("{} is played", case.display()),
        Err(problem) => format!("in play: {problem}\n"),
    }
}

/// The output of `check` for mods that load; nothing if it finds nothing.
fn check_problem(case: &Path) -> Option<String> {
    let folders = folders_of(case);
    let bench = CommandContext {
        search_paths: SearchPaths { named_folders: folders.clone(), ..embedded_search_paths() },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::new("target/no_such_data"),
        profile_name: "Player".to_owned(),
    };
    let mods = folders.iter().map(|folder| format!("{}/", folder.display())).collect();
    let mut out = Vec::new();
    let outcome = check(&bench, &CheckRequest { mods, json: false }, &mut out).unwrap();
    (outcome != CommandOutcome::Ok).then(|| String::from_utf8(out).unwrap())
}

/// A game whose only handler runs these lines.
fn playing(declared: &str, handler: &str) -> ModSet {
    let text = format!(
        "{declared}
scene 'only' {{
  prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
  on = {{ go = function()
{handler}
  end }},
}}
start(function() go 'only' end)"
    );
    game(&[("main.luau", &text)])
}

/// The value that a handler stores in `state.it`, or the Problem that refuses it.
fn state_after_handler(mods: &ModSet) -> Result<Option<Value>, Problem> {
    let mut run = TestRun::of(mods, 1)?;
    run.choose("go")?;
    Ok(run.world.snapshot().state.get("game").and_then(|game| game.get("it")).cloned())
}

fn code(mods: &ModSet) -> String {
    state_after_handler(mods)
        .map(|_| "fine".to_owned())
        .unwrap_or_else(|problem| problem.code.to_string())
}

const TOOLS: (&str, &str) = (
    "kinds/tool.luau",
    "kind 'tool' { name = field.text, weight = field.int { default = 1 },
       tags = field.list { field.text, default = {} }, on_use = field.fn { optional = true } }
     export('twice', function(n) return 2 * n end)
     export_builder('named', function(name) return { name = name } end)",
);

#[test]
fn tables_made_while_loading_are_constant_even_if_only_a_local_holds_them() {
    let counts = "local counts = { n = 0, deep = { {} } }";
    assert_eq!(code(&playing(counts, "counts.n += 1")), "frozen-table");
    assert_eq!(code(&playing(counts, "counts.deep[1].x = 1")), "frozen-table");
    assert_eq!(code(&playing(counts, "local mine = table.clone(counts) mine.n += 1")), "fine");
    let behind = "local box = {} local function put(x) box[#box + 1] = x end";
    assert_eq!(code(&playing(behind, "put(1)")), "frozen-table");
    let meta = "local meta = {} local thing = setmetatable({}, meta)";
    assert_eq!(code(&playing(meta, "getmetatable(thing).x = 1")), "frozen-table");
}

#[test]
fn what_a_module_would_keep_in_a_local_is_refused_where_it_is_assigned() {
    let refused = |declared: &str, handler: &str, line: u32| {
        let problem = state_after_handler(&playing(declared, handler)).unwrap_err();
        assert_eq!(problem.code, "kept-in-a-local", "{declared}: {problem}");
        assert_eq!(problem.place.as_ref().map(|place| place.line), Some(line), "{problem}");
    };
    refused("local count = 0", "count += 1 state.it = count", 5);
    refused("local seen", "seen = {}", 5);
    refused("local seen = {}", "seen = { 1 }", 5);
    refused("local count = 0 local function add() count += 1 end", "add()", 1);
    refused("local count = 0", "local add = function() count += 1 end add()", 5);
    // Locals of a function that was created while loading are constant too.
    let counter = "local function counter() local n = 0 return function() n += 1 return n end end
local next_one = counter()";
    refused(counter, "state.it = next_one()", 1);
    let within = "local function counter() local n = 0 return function()
local add = function() n += 1 end add() return n end end local next_one = counter()";
    refused(within, "state.it = next_one()", 2);
    let loops = "local all = {} for index = 1, 3 do local n = 0
all[index] = function() n += 1 return n end end";
    refused(loops, "all[2]()", 2);
}

#[test]
fn what_a_function_keeps_for_itself_in_play_is_its_own() {
    let fine = |declared: &str, handler: &str| {
        assert_eq!(code(&playing(declared, handler)), "fine", "{declared} {handler}");
    };
    fine("", "local n = 0 local add = function() n += 1 end add() add() state.it = n");
    let counter = "local function counter() local n = 0 return function() n += 1 return n end end";
    fine(counter, "local one = counter() one() state.it = one()");
    fine("local n = 0 local function add() n += 1 end add() add()", "state.it = n");
    let deep = "local function twice(work) work() work() end";
    fine(deep, "local n = 0 twice(function() twice(function() n += 1 end) end) state.it = n");
    let rec = "local function make() local f f = function(n) return if n > 0 then f(n - 1) else 0 end return f end";
    fine(rec, "state.it = make()(3)");
}

#[test]
fn definitions_are_read_in_order_and_are_constant() {
    let declared = format!(
        "{}\ntool 'rope' {{ name = 'Rope', tags = {{ 'long' }} }} tool 'lamp' {{ name = 'Lamp', weight = 3,
          on_use = function() return 'light' end }} tool 'old' {{ name = 'Old' }} retire.tool 'old'",
        TOOLS.1
    );
    let read = |lines: &str| state_after_handler(&playing(&declared, lines));
    let names = "state.it = '' for _, one in all(tool) do state.it ..= one.id .. one.weight end";
    assert_eq!(read(names).unwrap(), Some(Value::text("game:rope1game:lamp3")));
    assert_eq!(read("state.it = tool.lamp.on_use()").unwrap(), Some(Value::text("light")));
    assert_eq!(read("state.it = tool['game:rope'].tags[1]").unwrap(), Some(Value::text("long")));
    assert_eq!(read("state.it = tool.old.name").unwrap(), Some(Value::text("Old")));
    assert_eq!(read("tool.lamp.weight = 4").unwrap_err().code, "frozen-table");
    assert_eq!(read("tool.rope.tags[2] = 'x'").unwrap_err().code, "frozen-table");
    let missing = read("local x = tool.lmap").unwrap_err();
    assert_eq!(missing.hint.as_deref(), Some("did you mean \"game:lamp\"?"), "{missing}");
    assert_eq!(read("tool 'new' { name = 'New' }").unwrap_err().code, "not-loading");
}

#[test]
fn mods_see_the_names_of_those_they_need_and_of_no_others() {
    let base = mod_from_text(GAME, &[TOOLS, ("frame.luau", MINIMAL_GAME)]);
    let load = |mods: Vec<_>| {
        Vm::load(&load_order(mods).unwrap(), &Value::map())
            .map_err(|problems| problems_text(&problems))
    };
    let near = mod_from_text(
        &manifest_needing("near", &["game"]),
        &[("a.luau", "tool 'axe' (named 'Axe') export('thrice', function(n) return n * 3 end)")],
    );
    let vm = load(vec![base.clone(), near.clone()]).unwrap();
    assert!(vm.registry().get("tool", "near:axe").is_some());
    // Dependencies of a dependency are visible too.
    let behind = mod_from_text(
        &manifest_needing("over", &["near"]),
        &[("a.luau", "assert(thrice(twice(1)) == 6)")],
    );
    load(vec![base.clone(), near.clone(), behind]).unwrap();
    let aside =
        mod_from_text(&manifest_needing("zside", &["game"]), &[("a.luau", "local x = thrice(1)")]);
    let problem = load(vec![base.clone(), near, aside]).map(drop).unwrap_err();
    assert!(problem.contains("`near` has one"), "{problem}");
    // Two independent mods may use one name; a third that sees both may not.
    let other = |id: &str| {
        mod_from_text(
            &manifest_needing(id, &["game"]),
            &[("a.luau", "export('aid', function() end)")],
        )
    };
    load(vec![base.clone(), other("one"), other("two")]).unwrap();
    let both = mod_from_text(&manifest_needing("xboth", &["one", "two"]), &[]);
    let problem = load(vec![base, other("one"), other("two"), both]).map(drop).unwrap_err();
    assert!(problem.contains("name-taken"), "{problem}");
}

#[test]
fn lib_files_are_shared_and_constant() {
    let mods = |main: &str| {
        game(&[
            ("lib/odds.luau", "return { six = 6, of = { 1, 2 } }"),
            ("frame.luau", MINIMAL_GAME),
            ("main.luau", main),
        ])
    };
    let load = |main: &str| {
        Vm::load(&mods(main), &Value::map()).map_err(|p| p[0].code.to_string()).map(drop)
    };
    assert_eq!(load("assert(require('lib/odds').six == 6)"), Ok(()));
    assert_eq!(load("assert(require('lib/odds') == require('lib/odds.luau'))"), Ok(()));
    assert_eq!(load("require('lib/odds').of[3] = 3"), Err("frozen-table".to_owned()));
    assert_eq!(load("require('main')"), Err("bad-require".to_owned()));
}

#[test]
fn wrapped_functions_are_called_outermost_first() {
    let base = mod_from_text(
        GAME,
        &[
            TOOLS,
            (
                "main.luau",
                "tool 'lamp' { name = 'Lamp', on_use = function(x) return x .. '1' end }
                 rule 'price' (function(n) return n end)
                 scene 'only' { prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end,
                   on = { go = function() state.it = tool.lamp.on_use('x') .. rules.price(1) .. tool.lamp.name end } }
                 start(function() go 'only' end)",
            ),
        ],
    );
    let wrapping = |id: &str| {
        let text = format!(
            "patch.tool 'game:lamp' {{ on_use = wrap(function(original, x) return original(x) .. '{id}' end) }}
             patch.rule 'game:price' (wrap(function(original, n) return original(n) * 2 end))"
        );
        mod_from_text(&manifest_needing(id, &["game"]), &[("a.luau", &text)])
    };
    let mods = load_order(vec![base, wrapping("a"), wrapping("b")]).unwrap();
    assert_eq!(state_after_handler(&mods).unwrap(), Some(Value::text("x1ab4Lamp")));
}

#[test]
fn fuel_is_counted_the_same_every_time_and_charged_to_the_one_who_spends_it() {
    let text = "start(function() emit('dawn', {}) go 'only' end)
      scene 'only' { prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end,
        on = { go = function() local t = {} for i = 1, 300 do t[i] = tostring(i):rep(3) end
          for k, v in pairs(t) do t[k] = v .. 'x' end emit('dawn', {}) end } }";
    let hook = "after('dawn', function() for i = 1, 8000 do end end)";
    let mods = load_order(vec![
        mod_from_text(GAME, &[("main.luau", text)]),
        mod_from_text(&manifest_needing("slow", &["game"]), &[("a.luau", hook)]),
    ])
    .unwrap();
    let spent = || {
        let mut run = TestRun::of(&mods, 1).unwrap();
        run.choose("go").unwrap();
        run.vm.fuel_by_mod()
    };
    let first = spent();
    assert_eq!(first[0].0, "slow");
    assert!(first[0].1 >= 8000 && first.iter().any(|(who, units)| who == "game" && *units > 900));
    assert!((0..5).all(|_| spent() == first));
}

#[test]
fn settings_are_read_with_their_defaults() {
    let manifest =
        format!("{GAME}[settings.heat]\ntype = \"integer\"\ndefault = 2\nmin = 0\nmax = 3\n");
    let mods = load_order(vec![mod_from_text(
        &manifest,
        &[
            ("frame.luau", MINIMAL_GAME),
            ("main.luau", "assert(settings.heat == 1, tostring(settings.heat))"),
        ],
    )])
    .unwrap();
    let set = Value::map_of([("game", Value::map_of([("heat", Value::Int(1))]))]);
    Vm::load(&mods, &set).unwrap();
    assert!(Vm::load(&mods, &Value::map()).is_err());
}

#[test]
fn a_source_nested_beyond_reason_is_a_problem() {
    let deep = format!("local x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(load(&[("main.luau", &deep)]).map(drop).unwrap_err()[0].code, "syntax");
    let bytes = "\u{1b}LuaR\u{0}\u{1}";
    assert_eq!(load(&[("main.luau", bytes)]).map(drop).unwrap_err()[0].code, "syntax");
}
