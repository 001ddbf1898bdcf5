//! Prompts, views and pages that scripts build, and the answers that handlers receive.

use engine::base::Value;
use engine::protocol::{AnswerType, Input};

use super::{begin, state};
use crate::support::{GAME, TestRun, game, manifest_needing, mod_from_text};

/// A game whose one scene asks `prompt`, with `more` beside it.
fn asking(prompt: &str, more: &str) -> String {
    format!(
        "scene \"only\" {{\n  prompt = function()\n    {prompt}\n  end,\n  {more}\n}}\n\
         start(function() state.n = 2 state.names = {{ \"Ada\" }} go \"only\" end)\n"
    )
}

fn prompt_of(prompt: &str) -> Result<engine::protocol::Prompt, engine::base::Problem> {
    begin(&asking(prompt, ""))?.prompt()
}

#[test]
fn a_prompt_with_everything() {
    let prompt = prompt_of(
        r#"return {
  text = "What now, {name}?",
  values = { name = state.names[1] },
  choices = {
    { id = "strike", label = "Strike {n} times", values = { n = state.n }, note = "a note", cost = "1 coin",
      odds = { of = 20, label = "d20", { label = "full", cases = 6, tone = "good" }, { label = "failure", cases = 14, tone = "bad" } },
      card = { title = "Blade", subtitle = "old", text = "It *cuts*.", lines = { "power 2" } },
      hint = { value = 3 }, with = { place = state.names }, on = "blow" },
    false,
    { id = "wait", label = "Wait", disabled_because = "there is no time", cost = state.n > 9 and "much" },
  },
}"#,
    )
    .unwrap();
    insta::assert_debug_snapshot!(prompt);
}

#[test]
fn the_other_questions() {
    let many = prompt_of(
        r#"return { text = "Which?", ask = "many", min = 1, choices = { { id = "a", label = "A" }, { id = "b", label = "B" } } }"#,
    );
    assert_eq!(many.unwrap().ask, AnswerType::Many { min: 1, max: 2 });
    let number = prompt_of(r#"return { text = "How many?", ask = "number", min = 1, max = 9 }"#);
    assert_eq!(number.unwrap().ask, AnswerType::Number { min: 1, max: 9, default: 1 });
    let line = prompt_of(
        r#"return { text = "Your name?", ask = "text", max_length = 12, default = "Ada" }"#,
    );
    assert_eq!(line.unwrap().ask, AnswerType::Text { max_length: 12, default: "Ada".to_owned() });
}

#[test]
fn prompts_that_are_wrong_are_told_at_the_prompt() {
    let wrong = [
        "return nil",
        "return 3",
        "return { text = '?', choices = {} }",
        "return { text = '?' }",
        "return { text = '?', choises = {} }",
        "return { text = '?', choices = { { id = 'a', label = 'A', disabled_because = 'no' } } }",
        "return { text = '?', choices = { { id = 'a', label = 'A' }, { id = 'a', label = 'B' } } }",
        "return { text = '?', choices = { { id = 'a', lable = 'A' } } }",
        "return { text = '?', choices = { { id = 'a' } } }",
        "return { text = '?', choices = { { label = 'A' } } }",
        "return { text = '?', choices = { { id = 'a b', label = 'A' } } }",
        "return { text = '?', choices = { { id = 'a', label = 5 } } }",
        "return { text = '?', choices = { { id = 'a', label = 'The {foe}' } } }",
        "return { text = '?', choices = { { id = 'a', label = 'A', odds = { of = 20, { label = 'full', cases = 6 } } } } }",
        "return { text = '?', choices = { { id = 'a', label = 'A', odds = { of = 20, full = 11 } } } }",
        "return { text = '?', choices = { { id = 'a', label = 'A', on = function() end } } }",
        "return { text = '?', choices = { { id = 'a', label = 'A' }, nil, { id = 'c', label = 'C' } } }",
        "return { text = '?', ask = 'nubmer', min = 1, max = 2 }",
        "return { text = '?', ask = 'number', min = 3, max = 2 }",
        "return { text = '?', ask = 'number', min = 1 }",
        "return { text = '?', ask = 'one', max_length = 2, choices = { { id = 'a', label = 'A' } } }",
        "return { text = '?', ask = 'many', min = 2, choices = { { id = 'a', label = 'A' } } }",
        "return { text = 'a' .. string.char(7), choices = { { id = 'a', label = 'A' } } }",
        "state.n = 3 return {}",
        "say 'x' return {}",
        "roll('d6', 'a') return {}",
        "table.insert(state.names, 'x') return {}",
        "go 'only' return {}",
        "emit('x', {}) return {}",
        "return { text = '?', choices = { { id = 'a', label = state.missing.name } } }",
    ];
    let shown: Vec<String> = wrong
        .iter()
        .map(|prompt| match prompt_of(prompt) {
            Ok(_) => panic!("this was not refused: {prompt}"),
            Err(problem) => problem.to_string(),
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n\n"));
}

const ANSWERS: &str = r#"on = {
  blow = function(input) state.got = { id = input.id, with = input.with } end,
  answer = function(input) state.got = { ids = input.ids, number = input.number, text = input.text } end,
  touch = function(input) input.id = "other" end,
}"#;

fn answer_prompt(prompt: &str, input: Input) -> Result<String, engine::base::Problem> {
    let mut run = begin(&asking(prompt, ANSWERS))?;
    let asked = run.prompt()?;
    run.vm.handle_answer(&mut run.world, &Value::map(), &asked, &input)?;
    Ok(state(&run).get("got").unwrap().to_json())
}

#[test]
fn handlers_get_what_was_answered() {
    let one = "return { choices = { { id = 'a', label = 'A', on = 'blow', with = { n = 3 } } } }";
    assert_eq!(
        answer_prompt(one, Input::Choice("a".into())).unwrap(),
        r#"{"id":"a","with":{"n":3}}"#
    );
    let many = "return { ask = 'many', choices = { { id = 'a', label = 'A' }, { id = 'b', label = 'B' } } }";
    let both = Input::Many(vec!["a".into(), "b".into()]);
    assert_eq!(answer_prompt(many, both).unwrap(), r#"{"ids":["a","b"]}"#);
    let number = "return { ask = 'number', min = 1, max = 9 }";
    assert_eq!(answer_prompt(number, Input::Number(4)).unwrap(), r#"{"number":4}"#);
    let text = "return { ask = 'text' }";
    assert_eq!(answer_prompt(text, Input::Text("Ada".into())).unwrap(), r#"{"text":"Ada"}"#);
}

#[test]
fn answers_that_go_wrong() {
    let wrong = [
        ("return { choices = { { id = 'blov', label = 'A' } } }", Input::Choice("blov".into())),
        ("return { choices = { { id = 'touch', label = 'A' } } }", Input::Choice("touch".into())),
        ("return { choices = { { id = 'blow', label = 'A' } } }", Input::Choice("x".into())),
        ("return { choices = { { id = 'blow', label = 'A' } } }", Input::Number(3)),
    ];
    let shown: Vec<String> = wrong
        .into_iter()
        .map(|(p, input)| answer_prompt(p, input).unwrap_err().to_string())
        .collect();
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn another_mod_adds_a_choice_and_a_widget() {
    let main = asking(
        "return { text = '?', choices = { { id = 'a', label = 'A' } } }",
        "view = \"sheet\", on = { a = function() end }",
    ) + "view \"sheet\" (function() return { title = \"Hall\", widgets = { { widget = \"stat\", label = \"n\", value = state.n } } } end)\n";
    let more = r#"
patch.scene "game:only" {
  choices = add { {
    id = "sing", label = function() return "Sing " .. state.n end,
    when = function() return state.n == 2 end,
    on = function(input) state.n = 3 say("You {id}.", { id = input.id }) end,
  } },
}
patch.view "game:sheet" { widgets = add { function() return { widget = "text", text = "sung", tone = "quiet" } end } }
"#;
    let extra = mod_from_text(&manifest_needing("song", &["game"]), &[("more.luau", more)]);
    let mods = engine::mods::load_order(vec![mod_from_text(GAME, &[("main.luau", &main)]), extra])
        .unwrap();
    let mut run = TestRun::of(&mods, 1).unwrap();
    let labels = |run: &mut TestRun| {
        let prompt = run.prompt().unwrap();
        prompt.choices.iter().map(|choice| choice.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(labels(&mut run), ["A", "Sing 2"]);
    let view = run.vm.view(&mut run.world, &Value::map()).unwrap();
    assert_eq!((view.title.as_str(), view.widgets.len()), ("Hall", 2));
    run.choose("sing").unwrap();
    assert_eq!(labels(&mut run), ["A"]);
    assert_eq!(run.world.events.len(), 1);
}

fn view_of(view: &str) -> Result<engine::protocol::View, engine::base::Problem> {
    let main = asking("return { choices = { { id = 'a', label = 'A' } } }", "")
        + &format!("view \"sheet\" (function()\n{view}\nend)\n");
    let mut run = TestRun::of(&game(&[("main.luau", &main)]), 1)?;
    run.vm.view(&mut run.world, &Value::map())
}

#[test]
fn a_view_with_everything() {
    let view = view_of(
        r#"return { title = "Hall of {who}", values = { who = state.names[1] }, widgets = {
  { widget = "text", text = "Dark.", tone = "quiet", slot = "more" },
  { widget = "gauge", label = "Light", value = 3, max = 9, before = 4, tone = "good" },
  { widget = "meter", label = "Coins", value = 1, max = 2, slot = "top" },
  { widget = "stat", label = "ATK", value = 7, note = "sharp" },
  { widget = "list", label = "Bag", items = { "rope", { label = "lamp", note = "lit", card = { title = "Lamp" } } }, empty = "nothing" },
  { widget = "table", label = "T", columns = { "a", "b" }, rows = { { "1", "2" } } },
  { widget = "map", label = "M", nodes = { { id = "x", label = "X", here = true, visited = true }, { id = "y", label = "Y" } }, edges = { { from = "x", to = "y" } } },
  { widget = "card", title = "C", lines = { "one" } },
} }"#,
    )
    .unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&view).unwrap());
}

#[test]
fn a_scene_without_a_view_shows_that_of_the_scene_below() {
    let main = r#"
view "first" (function() return { title = "First" } end)
view "second" (function() return { title = "Second" } end)
local function one() return { choices = { { id = "down", label = "Down" } } } end
scene "plain" { prompt = one, on = { down = function() go "named" end } }
scene "named" { prompt = one, view = "second", on = { down = function() push "plain" end } }
start(function() go "plain" end)
"#;
    let mut run = begin(main).unwrap();
    let mut titles = Vec::new();
    for _ in 0..3 {
        titles.push(run.vm.view(&mut run.world, &Value::map()).unwrap().title);
        run.choose("down").unwrap();
    }
    assert_eq!(titles, ["First", "Second", "Second"]);
}

#[test]
fn views_that_are_wrong() {
    let wrong = [
        "return nil",
        "return { titel = 'x' }",
        "return { widgets = { { label = 'x' } } }",
        "return { widgets = { { widget = 'gague' } } }",
        "return { widgets = { { widget = 'gauge', label = 'x', value = 1.5, max = 2 } } }",
        "return { widgets = { { widget = 'gauge', label = 'x', value = 1 } } }",
        "return { widgets = { { widget = 'text', text = 'x', tone = 'loud' } } }",
        "return { widgets = { { widget = 'table', label = 'x', columns = { 'a' }, rows = { { '1', '2' } } } } }",
        "return { widgets = { { widget = 'map', label = 'x', nodes = {}, edges = { { from = 'a', to = 'b' } } } } }",
        "return { widgets = { { widget = 'stat', label = 'x', value = 1, slot = 'left' } } }",
        "state.n = 1 return {}",
    ];
    let texts: Vec<String> =
        wrong.iter().map(|view| view_of(view).unwrap_err().to_string()).collect();
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn pages_are_shown_outside_a_run() {
    let main = asking("return { choices = { { id = 'a', label = 'A' } } }", "")
        + r#"
page "how" { title = "How it works", text = "Choose.", menu = 1 }
page "kept" { title = "Kept", show = function(profile) return { widgets = { { widget = "stat", label = "gold", value = profile.gold } } } end }
"#;
    let run = begin(&main).unwrap();
    let how = run.vm.page("game:how", &Value::map()).unwrap();
    assert_eq!((how.title.as_str(), how.widgets.len()), ("How it works", 1));
    let profile = Value::map_of([("gold", Value::Int(5))]);
    let kept = run.vm.page("game:kept", &profile).unwrap();
    assert_eq!(kept.title, "Kept");
    assert!(format!("{:?}", kept.widgets[0]).contains("value: 5"));
    assert_eq!(run.vm.page("game:none", &profile).unwrap_err().code, "unknown-page");
}

/// A game with three groups, whose one scene asks `choices`.
fn prompt_with_groups(choices: &str) -> Result<engine::protocol::Prompt, engine::base::Problem> {
    let groups = r#"
group "tides" { name = "With the tide", order = 10 }
group "ropes" { name = "Ropes and lines", order = 20, submenu = true, key = "r" }
group "oars"  { name = "Oars", submenu = true, key = "r" }
"#;
    let asking = asking(&format!("return {{ text = \"?\", choices = {{ {choices} }} }}"), "");
    begin(&format!("{groups}{asking}"))?.prompt()
}

#[test]
fn choices_belong_to_groups_that_are_declared() {
    let prompt = prompt_with_groups(
        r#"{ id = "ebb", label = "Go out", group = "tides", key = "e", gains = "a fish" },
           { id = "bend", label = "Bend a line", group = "game:ropes" },
           { id = "burn", label = "Burn the oars", group = "oars", confirm = "There are no others.", in_submenu = true }"#,
    )
    .unwrap();
    let groups: Vec<_> =
        prompt.choices.iter().map(|choice| choice.group.clone().unwrap()).collect();
    let told: Vec<_> =
        groups.iter().map(|one| (&*one.name, one.order, one.page, one.key)).collect();
    assert_eq!(
        told,
        [
            ("With the tide", 10, false, None),
            ("Ropes and lines", 20, true, Some('r')),
            // The first request gets the key.
            ("Oars", 50, true, None),
        ]
    );
    let [ebb, _, burn] = &prompt.choices[..] else { panic!("three choices") };
    assert_eq!((ebb.key, &*ebb.gains, ebb.page), (Some('e'), "a fish", false));
    assert_eq!((&*burn.confirm, burn.page), ("There are no others.", true));
}

#[test]
fn a_group_that_is_not_there_is_told() {
    let problem =
        prompt_with_groups(r#"{ id = "ebb", label = "Go out", group = "tide" }"#).unwrap_err();
    insta::assert_snapshot!(problem.to_string());
    let problem =
        prompt_with_groups(r#"{ id = "ebb", label = "Go out", key = "eb" }"#).unwrap_err();
    assert!(problem.to_string().contains("one letter or digit"), "{problem}");
}
