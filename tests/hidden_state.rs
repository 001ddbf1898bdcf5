//! Hidden state: no function of Luau's library or ours keeps a position or a cache from step to
//! step. A program that would is refused where it stores it; any other gives the same in a VM
//! rebuilt at any step.

use std::fs;
use std::path::Path;

use base::Value;
use mods::ModSet;
use script::Vm;

use crate::cli::{program_command, run_with_input, utf8_text};
use crate::support::{
    GAME_MANIFEST, MINIMAL_GAME, RandomSource, TestRun, game_from_files, manifest_needing,
    mod_from_text,
};

/// The declarations of a file, and its handler at each step. The arguments of `told` are compared.
const ACCEPTED_PROGRAMS: &[(&str, &str)] = &[
    // An iterator that is used up where it is created may be used by anybody.
    (
        "local words = {} for word in string.gmatch('a b c', '%a') do words[#words + 1] = word end",
        "told(words[1 + state.n % 3])",
    ),
    ("", "local deal = string.gmatch('a b c', '%a') told(deal(), deal())"),
    ("", "for key, value in pairs({ b = 1, a = 2, 7 }) do told(key, value) end"),
    // An iterator without a position may be stored.
    ("local step, list, from = ipairs({ 5, 6, 7 })", "told(step(list, from + state.n % 3))"),
    ("local step, word, from = utf8.codes('añb')", "told(step(word, from + state.n % 2))"),
    // The location of a file must not be visible: it may run again in the middle of a step.
    ("local where = debug.traceback('here')", "told(where)"),
    ("local where = (function() return debug.traceback() end)()", "told(where)"),
    ("local _, why = pcall(error, 'x', 3)", "told(why)"),
    ("local _, why = pcall(error, 'x', 4)", "told(why)"),
    ("local _, why = pcall(error, 'x', 5)", "told(why)"),
    ("local _, why = pcall(error, 'x', 9)", "told(why)"),
    ("local _, why = xpcall(error, function(why) return debug.traceback(why) end, 'x', 4)", "told(why)"),
    ("", "told(debug.traceback('deep'))"),
    ("", "told(select(2, pcall(error, 'x', 1 + state.n)))"),
    // A question about a table in one step leaves no trace in the next.
    (
        "local kept = {}",
        "told(select(2, pcall(setmetatable, kept, { __index = { a = 1 } })))
         told(select(2, pcall(setmetatable, {}, { __index = kept })) ~= nil)",
    ),
    (
        "local kept = {} local below = setmetatable({}, { __index = { b = 1 } })",
        "told(select(2, pcall(setmetatable, kept, { __index = below })))
         local deep = kept for _ = 1, 9 do
           local fine, made = pcall(setmetatable, {}, { __index = deep }) told(fine) if fine then deep = made end
         end",
    ),
    // Library functions may be stored by anybody.
    ("local rules, each = setmetatable, pairs", "told(rules({}, { __index = { a = state.n } }).a) for k in each({ x = 1 }) do told(k) end"),
    // Error texts name no line of the host's own Lua.
    ("", "told(select(2, pcall(string.rep))) told(select(2, pcall(table.sort, { 3, 'a' })))"),
    ("", "told(tostring({}), tostring(print_nothing), #state, tostring(state))"),
    ("local kept = { b = 1, a = 2 }", "for key in kept do told(key) end told(next(kept))"),
];

/// What loading refuses, with the line that it must name.
const REFUSED_PROGRAMS: &[(&str, &str, u32)] = &[
    ("local deal = string.gmatch('a b c', '%a')", "told(deal())", 1),
    ("local deal = ('a b c'):gmatch('%a')", "told(deal())", 1),
    ("local step = pairs({ 1, 2 })", "told(step())", 1),
    ("local kept = { deep = { pairs({ 1 }) } }", "told(kept.deep[1]())", 1),
    ("local step = ipairs(setmetatable({ 1, 2 }, { __index = {} }))", "told(step())", 1),
    (
        "local function made() local step = pairs({ 1 }) return function() return step() end end\nlocal next_one = made()",
        "told(next_one())",
        1,
    ),
    ("local rules = setmetatable({}, {\n__index = pairs({ 1 }) })", "told(rules.x)", 2),
    ("local _, step = pcall(pairs, { 1 })", "told(step())", 1),
    ("after('poked', string.gmatch('a', 'a'))", "", 1),
    ("lint(pairs({ 1 }))", "", 1),
    ("export('deal', string.gmatch('a b', '%a'))", "told(deal())", 1),
    ("kind 'thing' { on = field.fn { default = pairs({ 1 }) } }", "", 1),
    ("local kept = {} kept[pairs({ 1 })] = true", "told(next(kept))", 1),
    ("local lib = require 'lib/words'", "told(lib.deal())", 1),
];

const REPORT_FUNCTION: &str = "local function told(...) local all = { ... } for at = 1, select('#', ...) do \
                    note('{v}', { v = tostring(all[at]) }) end end ";

fn game_script(declarations: &str, handler: &str) -> String {
    let handler = handler.replace("tostring(print_nothing), ", "");
    format!(
        "{declarations}\nevent 'poked' {{ n = field.int {{ doc = 'n' }} }}\nschema 'n' (field.int {{ doc = 'n' }})\n{REPORT_FUNCTION}
scene 'only' {{ prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
on = {{ go = function()\n{handler}\nstate.n += 1 end }} }}
start(function() state.n = 0 go 'only' end)"
    )
}

fn game_mods(declarations: &str, handler: &str) -> ModSet {
    let lib =
        "local deal = string.gmatch('a b', '%a')\nreturn { deal = function() return deal() end }";
    game_from_files(&[("main.luau", &game_script(declarations, handler)), ("lib/words.luau", lib)])
}

/// Plays some steps and rebuilds the VM before each that `make_vm` selects. Returns the result of
/// each step.
fn play_steps(mods: &ModSet, mut make_vm: impl FnMut() -> Option<Vm>) -> Vec<String> {
    let mut run = TestRun::start(mods, 3).unwrap();
    let mut steps = Vec::new();
    for _ in 0..6 {
        if let Some(vm) = make_vm() {
            run.vm = vm;
        }
        let result = run.prompt().map(drop).and_then(|()| run.choose("go"));
        steps.push(format!("{result:?} {:?}", run.take_events()));
    }
    steps
}

#[test]
fn a_program_gives_the_same_in_a_vm_rebuilt_at_any_step() {
    let mut random = RandomSource::from_seed(39);
    for (declarations, handler) in ACCEPTED_PROGRAMS {
        let mods = game_mods(declarations, handler);
        let plain_steps = play_steps(&mods, || None);
        assert!(
            plain_steps.iter().all(|step| step.starts_with("Ok")),
            "{declarations}\n{handler}\n{plain_steps:#?}"
        );
        assert!(
            !plain_steps.concat().contains("[host]"),
            "{declarations}\n{handler}\n{plain_steps:#?}"
        );
        let load_with_cache = || Vm::load(&mods, &Value::map()).unwrap();
        let load_without_cache = || Vm::load_uncached(&mods, &Value::map()).unwrap();
        assert_eq!(
            plain_steps,
            play_steps(&mods, || Some(load_with_cache())),
            "known: {declarations}\n{handler}"
        );
        assert_eq!(
            plain_steps,
            play_steps(&mods, || Some(load_without_cache())),
            "in a new VM: {declarations}\n{handler}"
        );
        let mixed_steps = play_steps(&mods, || match random.next_below(3) {
            0 => Some(load_with_cache()),
            1 => Some(load_without_cache()),
            _ => None,
        });
        assert_eq!(plain_steps, mixed_steps, "now and then: {declarations}\n{handler}");
    }
}

#[test]
fn an_iterator_stored_while_loading_is_refused_at_its_line() {
    for (declarations, handler, line) in REFUSED_PROGRAMS {
        let mods = game_mods(declarations, handler);
        // A refusal leaves no trace for the second load.
        for load in [Vm::load, Vm::load, Vm::load_uncached] {
            let problems = load(&mods, &Value::map()).map(drop).unwrap_err();
            let problem = &problems[0];
            assert_eq!(problem.code, "kept-in-a-local", "{declarations}: {problem}");
            assert_eq!(
                problem.place.as_ref().map(|location| location.line),
                Some(*line),
                "{declarations}: {problem}"
            );
        }
    }
}

#[test]
fn an_iterator_stored_by_another_mod_is_refused_too() {
    let storing_script = "local kept\nexport('keep', function(step) kept = step end)\n\
                  export('go_on', function() return kept() end)\n";
    let giving_script = "keep(pairs({ 1, 2 }))\nstart(function() go_on() go 'only' end)\n";
    let frame_script = MINIMAL_GAME.replace("start(function() go \"only\" end)", "");
    let keeper = mod_from_text(&manifest_needing("keeper", &[]), &[("a.luau", storing_script)]);
    let game = mod_from_text(
        &GAME_MANIFEST.replace("game = true", "game = true\nneeds = { keeper = \"*\" }"),
        &[("main.luau", giving_script), ("frame.luau", &frame_script)],
    );
    let mods = mods::sort_into_load_order(vec![keeper, game]).unwrap();
    let problems = Vm::load(&mods, &Value::map()).map(drop).unwrap_err();
    assert_eq!(problems[0].code, "kept-in-a-local", "{problems:#?}");
    let location = problems[0].place.clone().unwrap();
    assert_eq!((&*location.owner, location.line), ("game", 1), "{problems:#?}");
}

fn write_mods_folder(programs: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write_file = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let game_folder = folder.path().join("mods/game");
    write_file(&game_folder.join("mod.toml"), GAME_MANIFEST);
    write_file(
        &game_folder.join("a_moment.luau"),
        "event 'poked' { n = field.int { doc = 'n' } }\n",
    );
    for (index, (declarations, handler)) in programs.iter().enumerate() {
        let handler = handler.replace("tostring(print_nothing), ", "");
        let script = format!(
            "{declarations}\n{REPORT_FUNCTION}\nafter('poked', function()\n{handler}\nend)\n"
        );
        write_file(&game_folder.join(format!("program_{index:02}.luau")), &script);
    }
    write_file(
        &game_folder.join("main.luau"),
        "schema 'n' (field.int { doc = 'n' })
scene 'only' { prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end,
on = { go = function() emit('poked', { n = state.n }) state.n += 1 if state.n == 6 then finish { outcome = 'over' } end end } }
start(function() state.n = 0 go 'only' end)
bot 'poker' { facts = {}, observes = {}, choose = function() return 'go' end }",
    );
    folder
}

#[test]
fn resume_replay_and_simulate_agree_for_all_programs() {
    let folder = write_mods_folder(ACCEPTED_PROGRAMS);
    let mods = folder.path().join("mods").to_string_lossy().into_owned();
    let data = folder.path().join("data").to_string_lossy().into_owned();
    let script = |name: &str, lines: &str| {
        let path = folder.path().join(name);
        fs::write(&path, lines).unwrap();
        path.to_string_lossy().into_owned()
    };
    let run_command = |arguments: &[&str]| {
        let folder_arguments = ["--mods", &*mods, "--game", "game", "--data", &*data];
        let output = run_with_input(program_command(&[arguments, &folder_arguments].concat()), "");
        let (stdout, stderr) = (utf8_text(&output.stdout), utf8_text(&output.stderr));
        assert!(output.status.success(), "{arguments:?}\n{stdout}\n{stderr}");
        stdout + &stderr
    };
    let (first_script, second_script) =
        (script("first", "1\n1\n1\nquit\n"), script("then", "1\n1\nquit\n"));
    run_command(&["play", "--plain", "--seed", "1", "--script", &first_script]);
    let resumed_output = run_command(&["play", "--plain", "--script", &second_script]);
    assert!(
        !resumed_output.contains("taken-back") && !resumed_output.contains("passed-over"),
        "{resumed_output}"
    );
    let verify_output = run_command(&["replay", "player-0001", "--verify"]);
    assert!(verify_output.contains("steps verified, no difference"), "{verify_output}");
    let simulate_output = |threads: &str| {
        let json_output = run_command(&[
            "simulate",
            "--runs",
            "40",
            "--bot",
            "poker",
            "--threads",
            threads,
            "--json",
        ]);
        let lines = json_output
            .lines()
            .filter(|line| !line.contains("seconds") && !line.contains("per_second"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(simulate_output("1"), simulate_output("4"));
}
