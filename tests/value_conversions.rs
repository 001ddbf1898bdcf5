//! Values that a conversion would lose or distort, and versions that do not fit.

use base::Value;
use mods::sort_into_load_order;
use protocol::StoryEvent;
use script::Vm;

use crate::support::{
    GAME_MANIFEST, MINIMAL_GAME, TestRun, game_from_files, manifest_needing, mod_from_text,
};

/// Plays the one choice of a game of one scene.
fn play_handler(handler: &str) -> Result<Vec<StoryEvent>, base::Problem> {
    let main = format!(
        "event 'poked' {{ lamp = field.any {{ doc = 'l', optional = true }} }}
scene 'only' {{ prompt = function() return {{ text = '?', choices = {{ {{ id = 'go', label = 'Go' }} }} }} end,
on = {{ go = function()\n{handler}\nend }} }}\nstart(function() go 'only' end)"
    );
    let mut run = TestRun::start(&game_from_files(&[("main.luau", &main)]), 1)?;
    run.choose("go")?;
    Ok(run.take_events())
}

#[test]
fn a_table_with_a_metatable_is_refused_as_plain_data() {
    const LAMP_CLASS: &str =
        "local Lamp = { light = function() return 1 end } Lamp.__index = Lamp ";
    for statement in [
        "state.lamp = setmetatable({ oil = 3 }, Lamp)",
        "state.lamp = { deep = { setmetatable({ oil = 3 }, Lamp) } }",
        "state.list = {} table.insert(state.list, setmetatable({ oil = 3 }, Lamp))",
        "award { lamp = setmetatable({ oil = 3 }, Lamp) }",
        "finish { outcome = 'x', lamp = setmetatable({ oil = 3 }, Lamp) }",
        "ask('only', setmetatable({ oil = 3 }, Lamp))",
    ] {
        let problem =
            play_handler(&format!("{LAMP_CLASS}{statement}")).map(drop).expect_err(statement);
        assert_eq!(problem.code, "not-plain", "{statement}: {problem}");
        assert!(problem.message.contains("metatable"), "{statement}: {problem}");
        assert_eq!(
            problem.place.as_ref().map(|location| location.line),
            Some(4),
            "{statement}: {problem}"
        );
    }
    // A definition too: inherited values would be no fields of it.
    let definition_script = "kind 'spell' { n = field.int { default = 1 } }\nspell 'a' (setmetatable({}, { __index = { n = 3 } }))\n";
    let problems = Vm::load(
        &game_from_files(&[("main.luau", &format!("{definition_script}{MINIMAL_GAME}"))]),
        &Value::map(),
    );
    let problems = problems.map(drop).unwrap_err();
    assert_eq!(problems[0].code, "not-plain", "{problems:#?}");
    // Scripts can pass it to each other.
    let events = play_handler(&format!(
        "{LAMP_CLASS} local lamp = setmetatable({{ oil = 3 }}, Lamp) note('{{n}}', {{ n = lamp.light() }})"
    ));
    assert_eq!(events.unwrap().len(), 1);
}

#[test]
fn a_mark_may_be_filled_by_a_list_but_not_by_a_map() {
    let fill_mark = |values: &str| {
        let handler = format!("note('[{{x}}]', {{ x = {values} }})");
        play_handler(&handler).map(|events| match &events[0] {
            StoryEvent::Note { text } => text.clone(),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(fill_mark("{}").unwrap(), "[]");
    assert_eq!(fill_mark("{ 1, 'two', true }").unwrap(), "[1, two, yes]");
    for table in ["{ a = 1, b = 2 }", "{ { a = 1 } }"] {
        let problem = fill_mark(table).expect_err(table);
        assert_eq!(problem.code, "wrong-type", "{table}: {problem}");
    }
    assert!(fill_mark("{ a = 1 }").unwrap_err().hint.unwrap().contains("{x.a}"));
    // The same where a prompt is read.
    let prompt_with_value = |values: &str| {
        let main = format!(
            "scene 'only' {{ prompt = function() return {{ text = '[{{x}}]', values = {{ x = {values} }}, choices = {{ {{ id = 'go', label = 'Go' }} }} }} end, on = {{ go = function() end }} }}
start(function() go 'only' end)"
        );
        TestRun::start(&game_from_files(&[("main.luau", &main)]), 1)?.prompt()
    };
    assert_eq!(prompt_with_value("{}").unwrap().text, "[]");
    assert_eq!(prompt_with_value("{ 1, 2 }").unwrap().text, "[1, 2]");
    let problem = prompt_with_value("{ foe = { a = 1 } }").unwrap_err();
    assert_eq!(problem.code, "wrong-type", "{problem}");
}

#[test]
fn very_long_names_are_shortened_in_problems() {
    for handler in [
        "state[('a'):rep(60000)] = function() end",
        "state.x = { [('ä'):rep(30000)] = function() end }",
        "note('{' .. ('b'):rep(60000) .. '}', { x = 1 })",
        "go(('c'):rep(60000))",
        "error(('d'):rep(60000))",
    ] {
        let problem = play_handler(handler).map(drop).expect_err(handler);
        let longest_word = problem.to_string().split_whitespace().map(str::len).max().unwrap();
        assert!(longest_word <= 300, "{handler}: {longest_word} bytes of one name\n{problem}");
    }
}

/// The result of loading two mods, of which one needs the other in a range.
fn load_with_version_range(range: &str, version: &str) -> Result<(), base::Problem> {
    let game = GAME_MANIFEST.replace("0.1.0", version);
    let dependent_manifest =
        manifest_needing("man", &["game"]).replace("game = \"*\"", &format!("game = \"{range}\""));
    let mods = sort_into_load_order(vec![
        mod_from_text(&game, &[("main.luau", MINIMAL_GAME)]),
        mod_from_text(&dependent_manifest, &[]),
    ]);
    mods.map(drop).map_err(|problems| problems[0].clone())
}

#[test]
fn a_version_outside_a_range_is_reported_with_the_reason() {
    for (range, version) in [
        ("*", "0.1.1-beta.2"),
        ("*", "1.0.0"),
        ("0.1.1-beta.2", "0.1.1-beta.2"),
        (">=0.1.0-alpha", "0.1.0-beta.1"),
        ("0.1", "0.1.9"),
    ] {
        load_with_version_range(range, version)
            .unwrap_or_else(|problem| panic!("{range} {version}: {problem}"));
    }
    for (range, version, expected_reason) in [
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
        let problem = load_with_version_range(range, version).expect_err(range);
        assert_eq!(problem.code, "wrong-version", "{problem}");
        let expected = problem.expected.clone().unwrap_or_default();
        assert!(expected.contains(expected_reason), "{range} {version}: {problem}");
        // The suggested text works.
        let hint = problem.hint.clone().unwrap_or_default();
        let suggested_range = hint.split('"').nth(1).unwrap_or_else(|| panic!("{problem}"));
        load_with_version_range(suggested_range, version)
            .unwrap_or_else(|problem_after_hint| panic!("{range}: {hint}: {problem_after_hint}"));
    }
}
