//! Hints built from an error's text, a line of a script or the known names. Each hint states a
//! fact, so each has a case where it is true and one where it would be false.
//!
//! | hint | it is given where |
//! |---|---|
//! | `x` is nil here (a text, a table …), of an operator | the line has one operator of that sign, and Luau names the types |
//! | the same, of what is indexed, called, counted by `#` or walked by a loop | the line has one such expression, and a name that is called is none of the host or of an export |
//! | `x` has no function `y` | Luau says that the method is missing, and the line names it once |
//! | the same, of an argument of the library | Luau says that it is missing or of which type it is, and the line calls that function once |
//! | the same, of an argument of the host | it is nil, and the line calls that function once |
//! | the same, of what fills a mark | the line calls that function once and gives that name once |
//! | no field `x` is declared: did you mean | something is nil, nothing declares the field, and no script gives it |
//! | the same, where nil was indexed | it is not the name that was read from nil |
//! | `require` has no `x`: did you mean | the table that was required is there and has no such name |
//! | this line uses `list` as a key | it does, and a mod added a word to that list |
//! | the `if` of line n has no `end` | with an `end` there the compiler comes further |
//! | line n has one `end` too many | without that `end`, and no other, the file compiles |
//! | write `\"` for a quote inside a text | with those quotes escaped the compiler gets past the line |
//! | the text ends before `x` | the name stands only directly between two quotes of the line |
//! | a name is followed directly by its braces | a text and `=` stand behind what is no keyword |
//! | a call with more than one argument needs parentheses | a text and a comma stand behind what is no keyword |
//! | write texts between "quotes" | TOML says that a text must be quoted |
//! | write `m = …` under `[needs]` | `m` has the name, and does not need the mod that asks |
//!
//! A text that a script raises itself, with `error` or `assert`, gets none of the hints on Luau's messages.
//!
//! All other hints are suggestions (`did you mean`, from the known names), or belong to their code.

mod runtime_cases;

use base::{Problem, Value};
use mods::sort_into_load_order;
use script::Vm;

use runtime_cases::RUNTIME_HINT_CASES;

use crate::support::{GAME_MANIFEST, TestRun, game_from_files, manifest_needing, mod_from_text};

/// The Problem of a handler; `extra_script` stands beside the scene. The handler is one line.
fn handler_problem(extra_script: &str, handler: &str) -> Problem {
    let main = format!(
        "{extra_script}\nscene 'only' {{ prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
on = {{ go = function()\n{handler}\nend }} }}\nstart(function() go 'only' end)"
    );
    let lib = "return { vigr = { n = 1 }, fits = function() return 1 end }";
    let mods = game_from_files(&[("main.luau", &main), ("lib/box.luau", lib)]);
    let mut run = TestRun::start(&mods, 1).unwrap_or_else(|problem| panic!("{handler}: {problem}"));
    run.choose("go").expect_err(handler)
}

/// Filling stops at the limit, so the whole length is not known.
#[test]
fn the_message_of_a_text_that_is_too_long_names_the_limit() {
    let problem = handler_problem("", "say(('{a}'):rep(21000), { a = ('x'):rep(65000) })");
    assert_eq!(
        (problem.code.as_str(), &*problem.message),
        ("bad-text", "the text of say is longer than 65536 bytes"),
        "{problem}"
    );
}

#[test]
fn an_error_text_raised_by_a_script_is_shown_unchanged() {
    let error_text = "the readonly table of fate: stack overflow";
    for statement in [format!("error('{error_text}')"), format!("assert(nil, '{error_text}')")] {
        let problem = handler_problem("", &statement);
        assert_eq!(
            (&*problem.message, problem.code.as_str()),
            (error_text, "script-error"),
            "{problem}"
        );
        assert_eq!(problem.hint, None, "{problem}");
    }
}

/// A text that a script raised in an earlier step changes no hint, because a new VM does not know
/// it.
#[test]
fn an_error_raised_in_an_earlier_step_changes_no_hint() {
    let main = "scene 'only' { prompt = function() return { text = '?', choices = {
  { id = 'raise', label = 'Raise' }, { id = 'fail', label = 'Fail' } } } end,
on = { raise = function() pcall(error, \"attempt to index nil with 'at'\") end,
  fail = function() local box state.n = box.at end } }
start(function() go 'only' end)";
    let mut run = TestRun::start(&game_from_files(&[("main.luau", main)]), 1).unwrap();
    let first_problem = run.choose("fail").unwrap_err();
    assert!(first_problem.hint.is_some(), "{first_problem}");
    run.choose("raise").unwrap();
    assert_eq!(run.choose("fail").unwrap_err(), first_problem);
}

#[test]
fn runtime_hints_are_given_only_where_true() {
    for ((extra_script, handler, expected), (other_extra_script, other_handler, forbidden)) in
        RUNTIME_HINT_CASES
    {
        let problem = handler_problem(extra_script, handler);
        let hint = problem.hint.clone().unwrap_or_default();
        assert!(hint.contains(expected), "{handler}: not {expected:?} in\n{problem}");
        let problem = handler_problem(other_extra_script, other_handler);
        let hint = problem.hint.clone().unwrap_or_default();
        assert!(!hint.contains(forbidden), "{other_handler}: {forbidden:?} in\n{problem}");
    }
}

/// The Problem of a file that does not compile.
fn syntax_problem(file: &str) -> Problem {
    let load_result = Vm::load(&game_from_files(&[("main.luau", file)]), &Value::map());
    let problems = load_result.map(drop).expect_err(file);
    assert_eq!(problems[0].code, "syntax", "{}", problems[0]);
    problems[0].clone()
}

#[test]
fn syntax_hints_are_given_only_where_true() {
    let pairs = [
        (
            "local function a()\n  if true then\n    return 1\nend\nlocal b = 1\n",
            "the `if` of line 2 has no `end`",
            "local function a()\n  if true then\nreturn 1\n  end\nend\nend\n",
            "has no `end`",
        ),
        (
            "page \"x\" = { title = \"X\" }\n",
            "a name is followed directly by its braces",
            "local \"x\" = { 1 }\n",
            "is followed directly",
        ),
        (
            "start(function()\n  note \"a\", { n = 1 }\nend)\n",
            "a call with more than one argument needs parentheses",
            "local function a()\n  return \"a\", \"b\" \"c\" d\nend\n",
            "needs parentheses",
        ),
        (
            "start(function()\n  note 'the hero's lamp'\nend)\n",
            "write `\\'` for a quote inside a text",
            "start(function()\n  note 'lamp' 'b' = 'c'\nend)\n",
            "inside a text",
        ),
        (
            "start(function()\n  note \"She said \"hello there\" to me\"\nend)\n",
            "write `\\\"` for a quote inside a text",
            "start(function()\n  note \"She said\nend)\n",
            "inside a text",
        ),
        (
            "local t = {\n  go = function()\n    note \"a\" end\n  end,\n}\n",
            "line 3 has one `end` too many",
            "start(function()\n  note \"a\" end\n  note \"b\" end\nend)\n",
            "too many",
        ),
    ];
    for (file, expected, other_file, forbidden) in pairs {
        let problem = syntax_problem(file);
        assert!(problem.hint.clone().unwrap_or_default().contains(expected), "{file}\n{problem}");
        let problem = syntax_problem(other_file);
        assert!(
            !problem.hint.clone().unwrap_or_default().contains(forbidden),
            "{other_file}\n{problem}"
        );
    }
}

#[test]
fn manifest_hints_follow_the_toml_error() {
    let folder = tempfile::tempdir().unwrap();
    let manifest_problem = |text: &str| {
        std::fs::write(folder.path().join("mod.toml"), text).unwrap();
        let problems = mods::read_folder(folder.path()).map(drop).expect_err(text);
        assert_eq!(problems[0].code, "bad-toml", "{}", problems[0]);
        problems[0].clone()
    };
    let unquoted_problem = manifest_problem("id = \"a\"\nname = Salt House\n");
    assert!(
        unquoted_problem.hint.clone().unwrap_or_default().contains("quotes"),
        "{unquoted_problem}"
    );
    for manifest in ["id = \"a\"\nid = \"b\"\n", "id = \"a\"\n}\n", "id = \"a\n", "id \"a\"\n"] {
        let problem = manifest_problem(manifest);
        let hint = problem.hint.clone().unwrap_or_default();
        assert!(!hint.contains("quotes"), "{manifest}\n{problem}");
    }
    for (manifest, expected) in [
        ("id = \"a\"\n}\n", "remove this `}`"),
        ("needs = { a = \"*\" }}\n", "remove this `}`"),
        ("id = \"a\"]\n", "remove this `]`"),
        ("[needs}\n", "with `]`"),
    ] {
        let problem = manifest_problem(manifest);
        assert!(problem.hint.clone().unwrap_or_default().contains(expected), "{problem}");
    }
    let duplicate_problem = manifest_problem("id = \"a\"\nid = \"b\"\n");
    assert!(
        duplicate_problem.hint.clone().unwrap_or_default().contains("one of the two"),
        "{duplicate_problem}"
    );
}

#[test]
fn a_needs_hint_is_given_only_where_it_makes_no_cycle() {
    let game_script = "scene 'only' { prompt = function() return { text = '?', choices = { { id = 'go', label = 'Go' } } } end, on = { go = function()\n HERE end } }\nstart(function() go 'only' end)";
    let rain_script = "export('sky.turn', function() return 1 end)";
    let play_with_mods = |handler: &str, other: Option<&str>| {
        let game =
            mod_from_text(GAME_MANIFEST, &[("main.luau", &game_script.replace("HERE", handler))]);
        let rain =
            mod_from_text(&manifest_needing("rain", &["game"]), &[("sky.luau", rain_script)]);
        let other = other
            .map(|text| mod_from_text(&manifest_needing("wind", &["game"]), &[("a.luau", text)]));
        let mods = sort_into_load_order([game, rain].into_iter().chain(other).collect()).unwrap();
        let mut run = TestRun::start(&mods, 1)?;
        run.choose("go")?;
        Ok(run)
    };
    let hint_and_message =
        |problem: Problem| (problem.hint.clone().unwrap_or_default(), problem.to_string());
    // The wind may need the rain; the game may not, because the rain needs the game.
    let (hint, message) =
        hint_and_message(play_with_mods("", Some("local a = sky.turn()")).map(drop).unwrap_err());
    assert!(hint.contains("under `[needs]`"), "{message}");
    let (hint, message) =
        hint_and_message(play_with_mods("state.n = sky.turn()", None).map(drop).unwrap_err());
    assert!(!hint.contains("[needs]") && hint.contains("needs `game`"), "{message}");
    // A console line has no manifest either.
    let mut run: TestRun = play_with_mods("", None).unwrap();
    let problem_found =
        run.vm.run_console_line(&mut run.world, &Value::map(), "game", "sky.turn()").unwrap_err();
    let (hint, message) = hint_and_message(problem_found);
    assert!(!hint.contains("[needs]") && hint.contains("the console sees"), "{message}");
    let problem_found = run
        .vm
        .run_console_line(&mut run.world, &Value::map(), "game", "nobody_has_it()")
        .unwrap_err();
    let (hint, message) = hint_and_message(problem_found);
    assert!(!hint.contains("in this file"), "{message}");
}

#[test]
fn an_unknown_kind_is_reported_with_a_suggestion() {
    let problem = handler_problem(
        "kind 'spell' { n = field.int { default = 1 } }",
        "note('{n}', { n = #all('spel') })",
    );
    assert_eq!(problem.hint.as_deref(), Some("did you mean \"spell\"?"), "{problem}");
    let problem = handler_problem("", "note('{n}', { n = #all(nil) })");
    assert_eq!(problem.hint, None, "{problem}");
}

#[test]
fn a_text_outside_a_list_is_told_with_the_line_that_adds_it() {
    let kinds = "kind 'cup' { size = field.one_of { 'small', 'large', open = OPEN } }
event 'drunk' { doc = 'd', cup = field.one_of { 'small', 'large', open = OPEN } }
schema 'bar' { doc = 'b', cups = field.map { field.one_of { 'small', 'large', open = OPEN } } }";
    for (is_open, declaration, handler, path) in [
        (true, "cup 'a' { size = 'huge' }", "", "cup.size"),
        (true, "", "emit('drunk', { cup = 'huge' })", "drunk.cup"),
        (true, "", "state.bar = { cups = { a = 'huge' } }", "state.bar.cups"),
        (false, "", "emit('drunk', { cup = 'huge' })", "drunk.cup"),
    ] {
        let kinds = kinds.replace("OPEN", &is_open.to_string());
        let main = format!(
            "{declaration}\nscene 'only' {{ prompt = function() return {{ text = '?' }} end }}\n\
             start(function() go 'only' {handler} end)"
        );
        let mods = game_from_files(&[("kinds/k.luau", &kinds), ("main.luau", &main)]);
        let problem = match Vm::load_strict(&mods, &Value::map()) {
            Err(problems) => problems[0].clone(),
            Ok(vm) => {
                let mut world = protocol::WorldState::new(1);
                vm.start_run(&mut world, &Value::map(), &Value::map()).unwrap_err()
            }
        };
        let hint = problem.hint.clone().unwrap_or_default();
        assert!(hint.contains(&format!("`extend \"{path}\" {{ \"huge\" }}`")), "{problem}");
        assert_eq!(hint.contains("closed"), !is_open, "{problem}");
    }
}
