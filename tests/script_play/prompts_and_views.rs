//! Prompts, views and pages that scripts build, and the answers that handlers receive.

use base::Value;
use protocol::{AnswerType, Input};

use super::{start_run, state_value};
use crate::support::{GAME_MANIFEST, TestRun, game_from_files, manifest_needing, mod_from_text};

/// A game whose one scene asks `prompt`, with `extra_fields` beside it.
fn game_with_prompt(prompt: &str, extra_fields: &str) -> String {
    format!(
        "scene \"only\" {{\n  prompt = function()\n    {prompt}\n  end,\n  {extra_fields}\n}}\n\
         start(function() state.n = 2 state.names = {{ \"Ada\" }} go \"only\" end)\n"
    )
}

fn prompt_of(prompt: &str) -> Result<protocol::Prompt, base::Problem> {
    start_run(&game_with_prompt(prompt, ""))?.prompt()
}

#[test]
fn a_prompt_may_have_all_fields() {
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
fn prompts_may_ask_for_many_a_number_or_text() {
    let many_prompt = prompt_of(
        r#"return { text = "Which?", ask = "many", min = 1, choices = { { id = "a", label = "A" }, { id = "b", label = "B" } } }"#,
    );
    assert_eq!(many_prompt.unwrap().answer_type, AnswerType::MultipleChoice { min: 1, max: 2 });
    let number_prompt =
        prompt_of(r#"return { text = "How many?", ask = "number", min = 1, max = 9 }"#);
    assert_eq!(
        number_prompt.unwrap().answer_type,
        AnswerType::Number { min: 1, max: 9, default: 1 }
    );
    let line_prompt = prompt_of(
        r#"return { text = "Your name?", ask = "text", max_length = 12, default = "Ada" }"#,
    );
    assert_eq!(
        line_prompt.unwrap().answer_type,
        AnswerType::Text { max_length: 12, default: "Ada".to_owned() }
    );
}

#[test]
fn invalid_prompts_are_refused() {
    let invalid_prompts = [
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
    let messages: Vec<String> = invalid_prompts
        .iter()
        .map(|prompt| match prompt_of(prompt) {
            Ok(_) => panic!("this was not refused: {prompt}"),
            Err(problem) => problem.to_string(),
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n\n"));
}

const ANSWER_HANDLERS: &str = r#"on = {
  blow = function(input) state.got = { id = input.id, with = input.with } end,
  answer = function(input) state.got = { ids = input.ids, number = input.number, text = input.text } end,
  touch = function(input) input.id = "other" end,
}"#;

fn answer_prompt(prompt: &str, input: Input) -> Result<String, base::Problem> {
    let mut run = start_run(&game_with_prompt(prompt, ANSWER_HANDLERS))?;
    let prompt_value = run.prompt()?;
    run.vm.handle_answer(
        &mut run.world,
        &Value::map(),
        &prompt_value,
        &prompt_value.accept(input).unwrap(),
    )?;
    Ok(state_value(&run).get("got").unwrap().to_json())
}

#[test]
fn handlers_receive_the_answer() {
    let choice_prompt =
        "return { choices = { { id = 'a', label = 'A', on = 'blow', with = { n = 3 } } } }";
    assert_eq!(
        answer_prompt(choice_prompt, Input::Choice("a".into())).unwrap(),
        r#"{"id":"a","with":{"n":3}}"#
    );
    let many_prompt = "return { ask = 'many', choices = { { id = 'a', label = 'A' }, { id = 'b', label = 'B' } } }";
    let both_ids = Input::Choices(vec!["a".into(), "b".into()]);
    assert_eq!(answer_prompt(many_prompt, both_ids).unwrap(), r#"{"ids":["a","b"]}"#);
    let number_prompt = "return { ask = 'number', min = 1, max = 9 }";
    assert_eq!(answer_prompt(number_prompt, Input::Number(4)).unwrap(), r#"{"number":4}"#);
    let text_prompt = "return { ask = 'text' }";
    assert_eq!(answer_prompt(text_prompt, Input::Text("Ada".into())).unwrap(), r#"{"text":"Ada"}"#);
}

#[test]
fn invalid_answers_are_refused() {
    let invalid_answers = [
        ("return { choices = { { id = 'blov', label = 'A' } } }", Input::Choice("blov".into())),
        ("return { choices = { { id = 'touch', label = 'A' } } }", Input::Choice("touch".into())),
    ];
    let messages: Vec<String> = invalid_answers
        .into_iter()
        .map(|(prompt, input)| answer_prompt(prompt, input).unwrap_err().to_string())
        .collect();
    insta::assert_snapshot!(messages.join("\n\n"));
    let prompt_source = "return { choices = { { id = 'blow', label = 'A' } } }";
    let prompt =
        start_run(&game_with_prompt(prompt_source, ANSWER_HANDLERS)).unwrap().prompt().unwrap();
    let refusal_of = |input: Input| prompt.accept(input).unwrap_err();
    assert_eq!(refusal_of(Input::Choice("x".into())), "\"x\" is not one of the choices: blow");
    assert_eq!(refusal_of(Input::Number(3)), "the question asks for one of the choices");
}

#[test]
fn another_mod_adds_a_choice_and_a_widget() {
    let main = game_with_prompt(
        "return { text = '?', choices = { { id = 'a', label = 'A' } } }",
        "view = \"sheet\", on = { a = function() end }",
    ) + "view \"sheet\" (function() return { title = \"Hall\", widgets = { { widget = \"stat\", label = \"n\", value = state.n } } } end)\n";
    let patch_script = r#"
patch.scene "game:only" {
  choices = add { {
    id = "sing", label = function() return "Sing " .. state.n end,
    when = function() return state.n == 2 end,
    on = function(input) state.n = 3 say("You {id}.", { id = input.id }) end,
  } },
}
patch.view "game:sheet" { widgets = add { function() return { widget = "text", text = "sung", tone = "quiet" } end } }
"#;
    let song_mod =
        mod_from_text(&manifest_needing("song", &["game"]), &[("more.luau", patch_script)]);
    let mods = mods::sort_into_load_order(vec![
        mod_from_text(GAME_MANIFEST, &[("main.luau", &main)]),
        song_mod,
    ])
    .unwrap();
    let mut run = TestRun::start(&mods, 1).unwrap();
    let choice_labels = |run: &mut TestRun| {
        let prompt = run.prompt().unwrap();
        prompt.choices.iter().map(|choice| choice.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(choice_labels(&mut run), ["A", "Sing 2"]);
    let view = run.vm.compute_view(&mut run.world, &Value::map()).unwrap();
    assert_eq!((view.title.as_str(), view.widgets.len()), ("Hall", 2));
    run.choose("sing").unwrap();
    assert_eq!(choice_labels(&mut run), ["A"]);
    assert_eq!(run.world.story_events.len(), 1);
}

fn view_of(view: &str) -> Result<protocol::View, base::Problem> {
    let main = game_with_prompt("return { choices = { { id = 'a', label = 'A' } } }", "")
        + &format!("view \"sheet\" (function()\n{view}\nend)\n");
    let mut run = TestRun::start(&game_from_files(&[("main.luau", &main)]), 1)?;
    run.vm.compute_view(&mut run.world, &Value::map())
}

#[test]
fn a_view_may_have_all_fields() {
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
    let mut run = start_run(main).unwrap();
    let mut titles = Vec::new();
    for _ in 0..3 {
        titles.push(run.vm.compute_view(&mut run.world, &Value::map()).unwrap().title);
        run.choose("down").unwrap();
    }
    assert_eq!(titles, ["First", "Second", "Second"]);
}

#[test]
fn invalid_views_are_refused() {
    let invalid_views = [
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
        invalid_views.iter().map(|view| view_of(view).unwrap_err().to_string()).collect();
    insta::assert_snapshot!(texts.join("\n\n"));
}

#[test]
fn pages_are_built_without_a_run() {
    let main = game_with_prompt("return { choices = { { id = 'a', label = 'A' } } }", "")
        + r#"
page "how" { title = "How it works", text = "Choose.", menu = 1 }
page "kept" { title = "Kept", show = function(profile) return { widgets = { { widget = "stat", label = "gold", value = profile.gold } } } end }
"#;
    let run = start_run(&main).unwrap();
    let how_page = run.vm.compute_page("game:how", &Value::map()).unwrap();
    assert_eq!((how_page.title.as_str(), how_page.widgets.len()), ("How it works", 1));
    let profile = Value::map_of([("gold", Value::Int(5))]);
    let stored_page = run.vm.compute_page("game:kept", &profile).unwrap();
    assert_eq!(stored_page.title, "Kept");
    assert!(format!("{:?}", stored_page.widgets[0]).contains("value: 5"));
    assert_eq!(run.vm.compute_page("game:none", &profile).unwrap_err().code, "unknown-page");
}

/// A game with three groups, whose one scene asks `choices`.
fn prompt_with_groups(choices: &str) -> Result<protocol::Prompt, base::Problem> {
    let groups = r#"
group "tides" { name = "With the tide", order = 10 }
group "ropes" { name = "Ropes and lines", order = 20, submenu = true, key = "r" }
group "oars"  { name = "Oars", submenu = true, key = "r" }
"#;
    let game_script =
        game_with_prompt(&format!("return {{ text = \"?\", choices = {{ {choices} }} }}"), "");
    start_run(&format!("{groups}{game_script}"))?.prompt()
}

#[test]
fn choices_belong_to_declared_groups() {
    let prompt = prompt_with_groups(
        r#"{ id = "ebb", label = "Go out", group = "tides", key = "e", gains = "a fish" },
           { id = "bend", label = "Bend a line", group = "game:ropes" },
           { id = "burn", label = "Burn the oars", group = "oars", confirm = "There are no others.", in_submenu = true }"#,
    )
    .unwrap();
    let groups: Vec<_> =
        prompt.choices.iter().map(|choice| choice.group.clone().unwrap()).collect();
    let group_fields: Vec<_> = groups
        .iter()
        .map(|group| (&*group.name, group.sort_order, group.is_submenu, group.preferred_key))
        .collect();
    assert_eq!(
        group_fields,
        [
            ("With the tide", 10, false, None),
            ("Ropes and lines", 20, true, Some('r')),
            // The first request gets the key.
            ("Oars", 50, true, None),
        ]
    );
    let [ebb_choice, _, burn_choice] = &prompt.choices[..] else { panic!("three choices") };
    assert_eq!(
        (ebb_choice.preferred_key, &*ebb_choice.gains, ebb_choice.is_in_submenu),
        (Some('e'), "a fish", false)
    );
    assert_eq!((&*burn_choice.confirm, burn_choice.is_in_submenu), ("There are no others.", true));
}

#[test]
fn an_undeclared_group_is_reported() {
    let problem =
        prompt_with_groups(r#"{ id = "ebb", label = "Go out", group = "tide" }"#).unwrap_err();
    insta::assert_snapshot!(problem.to_string());
    let problem =
        prompt_with_groups(r#"{ id = "ebb", label = "Go out", key = "eb" }"#).unwrap_err();
    assert!(problem.to_string().contains("one letter or digit"), "{problem}");
}
