//! The sandbox: what scripts can see, what they cannot do, and the messages for authors.

use std::path::{Path, PathBuf};

use author::{CommandContext, CommandOutcome};
use base::{Problem, Value};
use mods::{ModSet, SearchPaths, read_folder, sort_into_load_order};
use save::DataDir;
use script::Vm;

use crate::author_check::run_check;
use crate::support::{
    GAME_MANIFEST, MINIMAL_GAME, TestRun, embedded_base_game, embedded_search_paths,
    game_from_files, load_game_from_files, load_order_with_library, manifest_needing,
    mod_from_text, problem_texts,
};
use crate::trust::memory_growth::{MAX_LEFT_KIB, MemoryGrowth, run_in_own_process};

/// A hostile program: its name, the expected Problem, and its text.
struct HostileProgram {
    name: String,
    expected_code: String,
    /// The line that the Problem must name, if only one is possible.
    expected_line: Option<u32>,
    /// Whether it calls functions that are refused with `not-playing` while files load.
    needs_play: bool,
    script: String,
}

/// The maximum thread time of a hostile program in a step or while loading, in ms.
pub const MAX_THREAD_MS: u64 = 300;

/// The maximum memory left after long programs are compiled, in KiB: their texts and results.
const MAX_COMPILED_KIB: u64 = 24 * 1024;

fn hostile_programs() -> Vec<HostileProgram> {
    let folder = Path::new("tests/hostile");
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.iter().map(|path| HostileProgram::from_file(path)).collect()
}

impl HostileProgram {
    fn from_file(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let first_line = text.lines().next().unwrap();
        let play_expectation = first_line.strip_prefix("-- expect in play: ");
        let expectation = play_expectation.or(first_line.strip_prefix("-- expect: ")).unwrap();
        let (code, line) = expectation.split_once(' ').unwrap_or((expectation, "*"));
        let script = crate::support::expand_text(&text);
        Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            expected_code: code.to_owned(),
            expected_line: line.parse().ok(),
            needs_play: play_expectation.is_some(),
            script,
        }
    }

    /// Checks the outcome and returns what is wrong.
    fn check_outcome(&self, outcome: Result<(), Problem>) -> Result<(), String> {
        let name = &self.name;
        let failure = |reason: &str| Err(format!("{name}: {reason}"));
        let problem = match outcome {
            Ok(()) if self.expected_code == "fine" => return Ok(()),
            Ok(()) => return failure("nothing came of it"),
            Err(problem) => problem,
        };
        let location = problem.place.clone().unwrap_or_default();
        let message = problem.to_string();
        // A case with `*` accepts any counted limit. The deadline is not counted: it depends on the
        // load of the machine.
        let is_counted_limit = !["script-error", "too-slow"].contains(&problem.code.as_str());
        if problem.code != *self.expected_code && (self.expected_code != "*" || !is_counted_limit) {
            failure(&format!("not {}: {message}", self.expected_code))
        } else if (&*location.owner, &*location.file) != ("game", "main.luau")
            || location.excerpt.is_none()
        {
            failure(&format!("it names no place: {message}"))
        } else if self.expected_line.is_some_and(|line| location.line != line) {
            failure(&format!("it names another line: {message}"))
        } else if message.contains("0x") {
            failure(&format!("it shows an address: {message}"))
        } else {
            Ok(())
        }
    }
}

/// All outcomes: the mistakes, and the thread time of each.
#[derive(Default)]
struct HostileResults {
    mistakes: Vec<String>,
    thread_times: Vec<(u64, String)>,
}

impl HostileResults {
    /// Runs one and records its time.
    fn measure_time<R>(&mut self, name: &str, action: impl FnOnce() -> R) -> R {
        let ms_before = crate::support::thread_time_ms();
        let result = action();
        self.thread_times
            .push((crate::support::thread_time_ms().saturating_sub(ms_before), name.to_owned()));
        result
    }

    fn assert_no_mistakes(mut self, figure_name: &str) {
        self.thread_times.sort();
        let slowest: Vec<_> = self.thread_times.iter().rev().take(14).collect();
        crate::trust::record_figure(
            figure_name,
            &format!("slowest, in ms of its thread: {slowest:?}"),
        );
        assert!(self.mistakes.is_empty(), "{}\n{slowest:?}", self.mistakes.join("\n"));
        let slowest_ms = self.thread_times.last().map_or(0, |(ms, _)| *ms);
        let is_checked = crate::support::is_thread_time_checked();
        assert!(!is_checked || slowest_ms <= MAX_THREAD_MS, "{slowest:?}");
    }
}

#[test]
fn hostile_programs_are_stopped_while_loading() {
    run_in_own_process("sandbox::hostile_programs_are_stopped_while_loading", || {
        load_game_from_files(&[("frame.luau", MINIMAL_GAME)]).unwrap();
        let (mut memory_growth, mut results) = (MemoryGrowth::start(), HostileResults::default());
        let is_full_run = crate::support::count_from_env("SUB_ROSA_FULL", 0) > 0;
        for (index, mut case) in hostile_programs().into_iter().enumerate() {
            if case.needs_play {
                case.expected_code = "not-playing".to_owned();
            }
            // Loading has five times the fuel of a step: all programs that spend it need a full
            // run.
            if case.expected_code == "out-of-fuel" && index % 6 != 0 && !is_full_run {
                continue;
            }
            memory_growth.measure(&case.name, || {
                let vm = results.measure_time(&case.name, || {
                    load_game_from_files(&[
                        ("frame.luau", MINIMAL_GAME),
                        ("main.luau", &case.script),
                    ])
                    .map(drop)
                });
                results
                    .mistakes
                    .extend(case.check_outcome(vm.map_err(|problems| problems[0].clone())).err());
            });
        }
        results.assert_no_mistakes("slowest_loading");
        load_game_from_files(&[("frame.luau", MINIMAL_GAME)]).unwrap();
        memory_growth.assert_within_limits("growth_loading", MAX_COMPILED_KIB + MAX_LEFT_KIB);
    });
}

/// The same programs inside the handler of a choice: the step is refused, and the next one, in the
/// same VM or a new one, is accepted.
#[test]
fn hostile_programs_are_stopped_while_playing() {
    run_in_own_process("sandbox::hostile_programs_are_stopped_while_playing", || {
        load_game_from_files(&[("frame.luau", MINIMAL_GAME)]).unwrap();
        let (mut memory_growth, mut results) = (MemoryGrowth::start(), HostileResults::default());
        for case in hostile_programs() {
            memory_growth.measure(&case.name, || play_hostile_choice(&case, &mut results));
        }
        results.assert_no_mistakes("slowest_playing");
        memory_growth.assert_within_limits("growth_playing", MAX_COMPILED_KIB + MAX_LEFT_KIB);
    });
}

/// One of them: refused, and the next step is accepted.
fn play_hostile_choice(case: &HostileProgram, results: &mut HostileResults) {
    let first_line = case.script.lines().next().unwrap();
    let game_start = "start(function() go 'only' end) scene 'only' { prompt = function() return \
        { text = '?', choices = { { id = 'bad', label = 'Bad' }, { id = 'good', label = 'Good' } } } \
        end, on = { good = function() state.good = (state.good or 0) + 1 end, bad = function()";
    let program = format!("{}\nend }} }}", case.script.replacen(first_line, game_start, 1));
    let mods = game_from_files(&[("main.luau", &program)]);
    let mut run = match TestRun::start(&mods, 1) {
        Ok(run) => run,
        // Programs that the compiler rejects are refused before the game starts.
        Err(problem) => {
            results.mistakes.extend(case.check_outcome(Err(problem)).err());
            return;
        }
    };
    run.choose("good").unwrap();
    let outcome = results.measure_time(&case.name, || run.choose("bad"));
    if case.expected_code == "bad-require" {
        assert_eq!(outcome.unwrap_err().code, "not-loading", "{}", case.name);
    } else {
        results.mistakes.extend(case.check_outcome(outcome).err());
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
fn a_call_of_an_unexported_name_is_reported_with_a_suggestion() {
    let lib_script = "return { twice = function(n) return n * 2 end, thrice = 3 }";
    let main_script = "
local w = require 'lib/words'
scene 'only' {
  prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end,
  on = { go = function() state.it = w.twise(2) end },
}
start(function() go 'only' end)";
    let problem = state_after_handler(&game_from_files(&[
        ("lib/words.luau", lib_script),
        ("main.luau", main_script),
    ]))
    .unwrap_err();
    let hint = problem.hint.clone().unwrap_or_default();
    assert!(hint.ends_with("has no `twise`: did you mean `w.twice`?"), "{problem}");
}

#[test]
fn broken_mods_are_explained() {
    let mut cases: Vec<_> = Path::new("tests/broken_mods")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let load_result =
            mods_with_base_game(&case).and_then(|mods| Vm::load(&mods, &Value::map()));
        let message = match load_result {
            Ok(_) => check_problem(&case).unwrap_or_else(|| play_problem(&case)),
            Err(problems) => problem_texts(&problems),
        };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots/broken_mods");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, message));
    }
}

/// The folders of the mods of a case.
fn mod_folders_of_case(case: &Path) -> Vec<PathBuf> {
    if case.join("mod.toml").exists() {
        return vec![case.to_owned()];
    }
    let mut folders: Vec<_> = case.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

/// The mods of a case, with the base game if they need it.
fn mods_with_base_game(case: &Path) -> Result<ModSet, Vec<Problem>> {
    let sources = mod_folders_of_case(case).into_iter().map(|folder| read_folder(&folder));
    let mut mods = sources.collect::<Result<Vec<_>, _>>()?;
    if mods.iter().any(|source| source.manifest.needed_mods.contains_key("sub_rosa")) {
        mods.push(embedded_base_game());
    }
    load_order_with_library(mods)
}

/// The Problem that a player meets in mods that pass `check`.
fn play_problem(case: &Path) -> String {
    let mut run = TestRun::start(&mods_with_base_game(case).unwrap(), 1).unwrap();
    let result = run.prompt().map(|_| ()).and_then(|()| run.choose("go"));
    match result {
        Ok(()) => panic!("{} is played", case.display()),
        Err(problem) => format!("in play: {problem}\n"),
    }
}

/// The output of `check` for mods that load; nothing if it finds nothing.
fn check_problem(case: &Path) -> Option<String> {
    let folders = mod_folders_of_case(case);
    let context = CommandContext {
        search_paths: SearchPaths { named_folders: folders.clone(), ..embedded_search_paths() },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::new("target/no_such_data"),
        profile_name: "Player".to_owned(),
        folder_flags: String::new(),
    };
    let mods: Vec<_> = folders.iter().map(|folder| format!("{}/", folder.display())).collect();
    let (outcome, output) = run_check(&context, &mods, false);
    (outcome != CommandOutcome::Ok).then_some(output)
}

/// A game whose only handler runs these lines.
fn game_with_handler(declarations: &str, handler: &str) -> ModSet {
    let text = format!(
        "{declarations}
scene 'only' {{
  prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
  on = {{ go = function()
{handler}
  end }},
}}
start(function() go 'only' end)"
    );
    game_from_files(&[("main.luau", &text)])
}

/// The value that a handler stores in `state.it`, or the Problem that refuses it.
fn state_after_handler(mods: &ModSet) -> Result<Option<Value>, Problem> {
    let mut run = TestRun::start(mods, 1)?;
    run.choose("go")?;
    Ok(run.world.snapshot().state.get("game").and_then(|game| game.get("it")).cloned())
}

fn handler_problem_code(mods: &ModSet) -> String {
    state_after_handler(mods)
        .map(|_| "fine".to_owned())
        .unwrap_or_else(|problem| problem.code.to_string())
}

const TOOL_KIND_FILE: (&str, &str) = (
    "kinds/tool.luau",
    "kind 'tool' { name = field.text, weight = field.int { default = 1 },
       tags = field.list { field.text, default = {} }, on_use = field.fn { optional = true } }
     export('twice', function(n) return 2 * n end)
     export_builder('named', function(name) return { name = name } end)",
);

#[test]
fn tables_created_while_loading_are_frozen_even_in_locals() {
    let counts_table = "local counts = { n = 0, deep = { {} } }";
    assert_eq!(
        handler_problem_code(&game_with_handler(counts_table, "counts.n += 1")),
        "frozen-table"
    );
    assert_eq!(
        handler_problem_code(&game_with_handler(counts_table, "counts.deep[1].x = 1")),
        "frozen-table"
    );
    assert_eq!(
        handler_problem_code(&game_with_handler(
            counts_table,
            "local mine = table.clone(counts) mine.n += 1"
        )),
        "fine"
    );
    let box_function = "local box = {} local function put(x) box[#box + 1] = x end";
    assert_eq!(handler_problem_code(&game_with_handler(box_function, "put(1)")), "frozen-table");
    let metatable_script = "local meta = {} local thing = setmetatable({}, meta)";
    assert_eq!(
        handler_problem_code(&game_with_handler(metatable_script, "getmetatable(thing).x = 1")),
        "frozen-table"
    );
}

#[test]
fn assigning_a_loaded_local_in_play_is_refused_at_the_line() {
    let assert_refused = |declarations: &str, handler: &str, line: u32| {
        let problem = state_after_handler(&game_with_handler(declarations, handler)).unwrap_err();
        assert_eq!(problem.code, "kept-in-a-local", "{declarations}: {problem}");
        assert_eq!(problem.place.as_ref().map(|location| location.line), Some(line), "{problem}");
    };
    assert_refused("local count = 0", "count += 1 state.it = count", 5);
    assert_refused("local seen", "seen = {}", 5);
    assert_refused("local seen = {}", "seen = { 1 }", 5);
    assert_refused("local count = 0 local function add() count += 1 end", "add()", 1);
    assert_refused("local count = 0", "local add = function() count += 1 end add()", 5);
    // Locals of a function that was created while loading are constant too.
    let counter = "local function counter() local n = 0 return function() n += 1 return n end end
local next_one = counter()";
    assert_refused(counter, "state.it = next_one()", 1);
    let nested_counter = "local function counter() local n = 0 return function()
local add = function() n += 1 end add() return n end end local next_one = counter()";
    assert_refused(nested_counter, "state.it = next_one()", 2);
    let loop_closures = "local all = {} for index = 1, 3 do local n = 0
all[index] = function() n += 1 return n end end";
    assert_refused(loop_closures, "all[2]()", 2);
}

#[test]
fn locals_created_in_play_may_be_assigned() {
    let assert_accepted = |declarations: &str, handler: &str| {
        assert_eq!(
            handler_problem_code(&game_with_handler(declarations, handler)),
            "fine",
            "{declarations} {handler}"
        );
    };
    assert_accepted("", "local n = 0 local add = function() n += 1 end add() add() state.it = n");
    let counter = "local function counter() local n = 0 return function() n += 1 return n end end";
    assert_accepted(counter, "local one = counter() one() state.it = one()");
    assert_accepted("local n = 0 local function add() n += 1 end add() add()", "state.it = n");
    let nested_calls = "local function twice(work) work() work() end";
    assert_accepted(
        nested_calls,
        "local n = 0 twice(function() twice(function() n += 1 end) end) state.it = n",
    );
    let recursive_function = "local function make() local f f = function(n) return if n > 0 then f(n - 1) else 0 end return f end";
    assert_accepted(recursive_function, "state.it = make()(3)");
}

#[test]
fn definitions_are_read_in_order_and_are_frozen() {
    let declarations = format!(
        "{}\ntool 'rope' {{ name = 'Rope', tags = {{ 'long' }} }} tool 'lamp' {{ name = 'Lamp', weight = 3,
          on_use = function() return 'light' end }} tool 'old' {{ name = 'Old' }} retire.tool 'old'",
        TOOL_KIND_FILE.1
    );
    let run_handler = |lines: &str| state_after_handler(&game_with_handler(&declarations, lines));
    let loop_script =
        "state.it = '' for _, one in all(tool) do state.it ..= one.id .. one.weight end";
    assert_eq!(run_handler(loop_script).unwrap(), Some(Value::text("game:rope1game:lamp3")));
    assert_eq!(run_handler("state.it = tool.lamp.on_use()").unwrap(), Some(Value::text("light")));
    assert_eq!(
        run_handler("state.it = tool['game:rope'].tags[1]").unwrap(),
        Some(Value::text("long"))
    );
    assert_eq!(run_handler("state.it = tool.old.name").unwrap(), Some(Value::text("Old")));
    assert_eq!(run_handler("tool.lamp.weight = 4").unwrap_err().code, "frozen-table");
    assert_eq!(run_handler("tool.rope.tags[2] = 'x'").unwrap_err().code, "frozen-table");
    let problem = run_handler("local x = tool.lmap").unwrap_err();
    assert_eq!(problem.hint.as_deref(), Some("did you mean \"game:lamp\"?"), "{problem}");
    assert_eq!(run_handler("tool 'new' { name = 'New' }").unwrap_err().code, "not-loading");
}

#[test]
fn mods_see_only_the_exports_of_their_dependencies() {
    let base_mod = mod_from_text(GAME_MANIFEST, &[TOOL_KIND_FILE, ("frame.luau", MINIMAL_GAME)]);
    let load = |mods: Vec<_>| {
        Vm::load(&sort_into_load_order(mods).unwrap(), &Value::map())
            .map_err(|problems| problem_texts(&problems))
    };
    let library_mod = mod_from_text(
        &manifest_needing("near", &["game"]),
        &[("a.luau", "tool 'axe' (named 'Axe') export('thrice', function(n) return n * 3 end)")],
    );
    let vm = load(vec![base_mod.clone(), library_mod.clone()]).unwrap();
    assert!(vm.registry().get("tool", "near:axe").is_some());
    // Dependencies of a dependency are visible too.
    let dependent_mod = mod_from_text(
        &manifest_needing("over", &["near"]),
        &[("a.luau", "assert(thrice(twice(1)) == 6)")],
    );
    load(vec![base_mod.clone(), library_mod.clone(), dependent_mod]).unwrap();
    let unrelated_mod =
        mod_from_text(&manifest_needing("zside", &["game"]), &[("a.luau", "local x = thrice(1)")]);
    let problem = load(vec![base_mod.clone(), library_mod, unrelated_mod]).map(drop).unwrap_err();
    assert!(problem.contains("`near` has one"), "{problem}");
    // Two independent mods may use one name; a third that sees both may not.
    let exporting_mod = |id: &str| {
        mod_from_text(
            &manifest_needing(id, &["game"]),
            &[("a.luau", "export('aid', function() end)")],
        )
    };
    load(vec![base_mod.clone(), exporting_mod("one"), exporting_mod("two")]).unwrap();
    let dependent_on_both = mod_from_text(&manifest_needing("xboth", &["one", "two"]), &[]);
    let problem =
        load(vec![base_mod, exporting_mod("one"), exporting_mod("two"), dependent_on_both])
            .map(drop)
            .unwrap_err();
    assert!(problem.contains("name-taken"), "{problem}");
}

#[test]
fn lib_files_are_shared_and_frozen() {
    let mods = |main_script: &str| {
        game_from_files(&[
            ("lib/odds.luau", "return { six = 6, of = { 1, 2 } }"),
            ("frame.luau", MINIMAL_GAME),
            ("main.luau", main_script),
        ])
    };
    let load = |main_script: &str| {
        Vm::load(&mods(main_script), &Value::map())
            .map_err(|problems| problems[0].code.to_string())
            .map(drop)
    };
    assert_eq!(load("assert(require('lib/odds').six == 6)"), Ok(()));
    assert_eq!(load("assert(require('lib/odds') == require('lib/odds.luau'))"), Ok(()));
    assert_eq!(load("require('lib/odds').of[3] = 3"), Err("frozen-table".to_owned()));
    assert_eq!(load("require('main')"), Err("bad-require".to_owned()));
}

#[test]
fn wrapped_functions_are_called_outermost_first() {
    let base_mod = mod_from_text(
        GAME_MANIFEST,
        &[
            TOOL_KIND_FILE,
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
    let wrapping_mod = |id: &str| {
        let text = format!(
            "patch.tool 'game:lamp' {{ on_use = wrap(function(original, x) return original(x) .. '{id}' end) }}
             patch.rule 'game:price' (wrap(function(original, n) return original(n) * 2 end))"
        );
        mod_from_text(&manifest_needing(id, &["game"]), &[("a.luau", &text)])
    };
    let mods = sort_into_load_order(vec![base_mod, wrapping_mod("a"), wrapping_mod("b")]).unwrap();
    assert_eq!(state_after_handler(&mods).unwrap(), Some(Value::text("x1ab4Lamp")));
}

#[test]
fn fuel_is_deterministic_and_charged_to_the_spending_mod() {
    let text = "start(function() emit('dawn', {}) go 'only' end)
      scene 'only' { prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end,
        on = { go = function() local t = {} for i = 1, 300 do t[i] = tostring(i):rep(3) end
          for k, v in pairs(t) do t[k] = v .. 'x' end emit('dawn', {}) end } }";
    let hook = "after('dawn', function() for i = 1, 8000 do end end)";
    let mods = sort_into_load_order(vec![
        mod_from_text(GAME_MANIFEST, &[("main.luau", text)]),
        mod_from_text(&manifest_needing("slow", &["game"]), &[("a.luau", hook)]),
    ])
    .unwrap();
    let fuel_of_run = || {
        let mut run = TestRun::start(&mods, 1).unwrap();
        run.choose("go").unwrap();
        run.vm.fuel_by_mod()
    };
    let first_fuel = fuel_of_run();
    assert_eq!(first_fuel[0].0, "slow");
    assert!(
        first_fuel[0].1 >= 8000
            && first_fuel.iter().any(|(mod_id, units)| mod_id == "game" && *units > 900)
    );
    assert!((0..5).all(|_| fuel_of_run() == first_fuel));
}

#[test]
fn settings_are_read_with_their_defaults() {
    let manifest = format!(
        "{GAME_MANIFEST}[settings.heat]\ntype = \"integer\"\ndefault = 2\nmin = 0\nmax = 3\n"
    );
    let mods = sort_into_load_order(vec![mod_from_text(
        &manifest,
        &[
            ("frame.luau", MINIMAL_GAME),
            ("main.luau", "assert(settings.heat == 1, tostring(settings.heat))"),
        ],
    )])
    .unwrap();
    let settings = Value::map_of([("game", Value::map_of([("heat", Value::Int(1))]))]);
    Vm::load(&mods, &settings).unwrap();
    assert!(Vm::load(&mods, &Value::map()).is_err());
}

#[test]
fn an_excessively_nested_script_is_a_syntax_error() {
    let nested_script = format!("local x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(
        load_game_from_files(&[("main.luau", &nested_script)]).map(drop).unwrap_err()[0].code,
        "syntax"
    );
    let bytes = "\u{1b}LuaR\u{0}\u{1}";
    assert_eq!(
        load_game_from_files(&[("main.luau", bytes)]).map(drop).unwrap_err()[0].code,
        "syntax"
    );
}
