//! Values that a conversion would lose or distort, and versions that do not fit.

use engine::base::Value;
use engine::mods::load_order;
use engine::protocol::StoryEvent;
use engine::script::Vm;

use crate::support::{GAME, MINIMAL_GAME, TestRun, game, manifest_needing, mod_from_text};

/// Plays the one choice of a game of one scene.
fn play_handler(handler: &str) -> Result<Vec<StoryEvent>, engine::base::Problem> {
    let main = format!(
        "event 'poked' {{ lamp = field.any {{ doc = 'l', optional = true }} }}
scene 'only' {{ prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
on = {{ go = function()\n{handler}\nend }} }}\nstart(function() go 'only' end)"
    );
    let mut run = TestRun::of(&game(&[("main.luau", &main)]), 1)?;
    run.choose("go")?;
    Ok(run.world.take_events())
}

#[test]
fn a_table_with_a_metatable_is_refused_wherever_a_function_is() {
    const LAMP: &str = "local Lamp = { light = function() return 1 end } Lamp.__index = Lamp ";
    for kept in [
        "state.lamp = setmetatable({ oil = 3 }, Lamp)",
        "state.lamp = { deep = { setmetatable({ oil = 3 }, Lamp) } }",
        "state.list = {} table.insert(state.list, setmetatable({ oil = 3 }, Lamp))",
        "award { lamp = setmetatable({ oil = 3 }, Lamp) }",
        "finish { outcome = 'x', lamp = setmetatable({ oil = 3 }, Lamp) }",
        "ask('only', setmetatable({ oil = 3 }, Lamp))",
    ] {
        let problem = play_handler(&format!("{LAMP}{kept}")).map(drop).expect_err(kept);
        assert_eq!(problem.code, "not-plain", "{kept}: {problem}");
        assert!(problem.message.contains("metatable"), "{kept}: {problem}");
        assert_eq!(problem.place.as_ref().map(|place| place.line), Some(4), "{kept}: {problem}");
    }
    // A definition too: inherited values would be no fields of it.
    let file = "kind 'spell' { n = field.int { default = 1 } }\nspell 'a' (setmetatable({}, { __index = { n = 3 } }))\n";
    let problems =
        Vm::load(&game(&[("main.luau", &format!("{file}{MINIMAL_GAME}"))]), &Value::map());
    let problems = problems.map(drop).unwrap_err();
    assert_eq!(problems[0].code, "not-plain", "{problems:#?}");
    // Scripts can pass it to each other.
    let events = play_handler(&format!(
        "{LAMP} local lamp = setmetatable({{ oil = 3 }}, Lamp) note('{{n}}', {{ n = lamp.light() }})"
    ));
    assert_eq!(events.unwrap().len(), 1);
}

#[test]
fn a_list_under_a_mark_is_told_and_a_table_of_names_is_not() {
    let told = |values: &str| {
        let handler = format!("note('[{{x}}]', {{ x = {values} }})");
        play_handler(&handler).map(|events| match &events[0] {
            StoryEvent::Note { text } => text.clone(),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(told("{}").unwrap(), "[]");
    assert_eq!(told("{ 1, 'two', true }").unwrap(), "[1, two, yes]");
    for table in ["{ a = 1, b = 2 }", "{ { a = 1 } }"] {
        let problem = told(table).expect_err(table);
        assert_eq!(problem.code, "wrong-type", "{table}: {problem}");
    }
    assert!(told("{ a = 1 }").unwrap_err().hint.unwrap().contains("{x.a}"));
    // The same where a prompt is read.
    let prompt = |values: &str| {
        let main = format!(
            "scene 'only' {{ prompt = function() return {{ text = '[{{x}}]', values = {{ x = {values} }}, choices = {{ {{ id = 'go', label = 'Go' }} }} }} end, on = {{ go = function() end }} }}
start(function() go 'only' end)"
        );
        TestRun::of(&game(&[("main.luau", &main)]), 1)?.prompt()
    };
    assert_eq!(prompt("{}").unwrap().text, "[]");
    assert_eq!(prompt("{ 1, 2 }").unwrap().text, "[1, 2]");
    let problem = prompt("{ foe = { a = 1 } }").unwrap_err();
    assert_eq!(problem.code, "wrong-type", "{problem}");
}

#[test]
fn a_very_long_name_is_cut_in_a_problem() {
    for handler in [
        "state[('a'):rep(60000)] = function() end",
        "state.x = { [('ä'):rep(30000)] = function() end }",
        "note('{' .. ('b'):rep(60000) .. '}', { x = 1 })",
        "go(('c'):rep(60000))",
        "error(('d'):rep(60000))",
    ] {
        let problem = play_handler(handler).map(drop).expect_err(handler);
        let longest = problem.to_string().split_whitespace().map(str::len).max().unwrap();
        assert!(longest <= 300, "{handler}: {longest} bytes of one name\n{problem}");
    }
}

/// The result of loading two mods, of which one needs the other in a range.
fn versions(range: &str, version: &str) -> Result<(), engine::base::Problem> {
    let game = GAME.replace("0.1.0", version);
    let needing =
        manifest_needing("man", &["game"]).replace("game = \"*\"", &format!("game = \"{range}\""));
    let mods = load_order(vec![
        mod_from_text(&game, &[("main.luau", MINIMAL_GAME)]),
        mod_from_text(&needing, &[]),
    ]);
    mods.map(drop).map_err(|problems| problems[0].clone())
}

#[test]
fn a_range_that_does_not_hold_a_version_says_why() {
    for (range, version) in [
        ("*", "0.1.1-beta.2"),
        ("*", "1.0.0"),
        ("0.1.1-beta.2", "0.1.1-beta.2"),
        (">=0.1.0-alpha", "0.1.0-beta.1"),
        ("0.1", "0.1.9"),
    ] {
        versions(range, version).unwrap_or_else(|problem| panic!("{range} {version}: {problem}"));
    }
    for (range, version, why) in [
        (">=0", "0.1.1-beta.2", "pre-release version"),
        ("0.1", "0.1.1-beta.2", "pre-release version"),
        ("0.*", "0.1.1-rc.1", "pre-release version"),
        ("0.2", "0.1.9", "older"),
        (">0.1.9", "0.1.9", "older"),
        ("0.2", "0.3.0", "newer"),
        ("<0.2", "0.2.0", "newer"),
        ("=0.2.1", "0.2.0", "older"),
        (">=0.2, <0.4", "0.4.0", "newer"),
        // It would not match as a release version either.
        ("0.2", "0.1.1-beta.2", "older"),
    ] {
        let problem = versions(range, version).expect_err(range);
        assert_eq!(problem.code, "wrong-version", "{problem}");
        let expected = problem.expected.clone().unwrap_or_default();
        assert!(expected.contains(why), "{range} {version}: {problem}");
        // The suggested text works.
        let hint = problem.hint.clone().unwrap_or_default();
        let written = hint.split('"').nth(1).unwrap_or_else(|| panic!("{problem}"));
        versions(written, version).unwrap_or_else(|again| panic!("{range}: {hint}: {again}"));
    }
}
