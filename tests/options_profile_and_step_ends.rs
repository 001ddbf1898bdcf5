//! A mod's own places: its options, its table in the profile, and the event that a step has ended.

use base::{Code, Value};
use mods::sort_into_load_order;
use save::DataDir;
use session::{RunContent, RunRequest, Session};

use crate::support::memory_runs::{choose, lock_profile_of_ada, memory_data_dir};
use crate::support::{GAME_MANIFEST, TestRun, manifest_needing, mod_from_text};

const GAME_SCRIPT: &str = r#"
schema "steps" { doc = "what was told of the steps", told = field.list { field.text, doc = "t" } }
option "depth" { type = "int", min = 1, max = 9, default = 4, label = "Depth", ask = true }
start(function()
  state.steps = { told = {} }
  go "hall"
end)
scene "hall" {
  prompt = function()
    return { text = "Well?", choices = {
      { id = "wait", label = "Wait" }, { id = "fall", label = "Fall" }, { id = "end", label = "End" },
    } }
  end,
  on = {
    wait = function() note("depth {n}", { n = options.depth }) end,
    fall = function() local t = nil; t.x = 1 end,
    ["end"] = function()
      award { best = 1, places = { hall = 1 } }
      finish { outcome = "over" }
    end,
  },
}
"#;

fn content_with(mods: &[(&str, &str)]) -> RunContent {
    let mut sources = vec![mod_from_text(GAME_MANIFEST, &[("main.luau", GAME_SCRIPT)])];
    sources.extend(mods.iter().map(|(id, script)| {
        mod_from_text(&manifest_needing(id, &["game"]), &[("main.luau", script)])
    }));
    RunContent { mods: sort_into_load_order(sources).unwrap(), settings: Value::map() }
}

fn start_run(data_dir: &DataDir, content: RunContent, options: Value) -> session::ActiveRun {
    let run_request = RunRequest { content, options, seed: Some(1), is_practice: false };
    session::start_run(&mut lock_profile_of_ada(data_dir), run_request, &mut || 1).unwrap()
}

fn state_json(session: &Session, name: &str) -> String {
    let world = session.world();
    let state = world.state.table_to_value(world.game_table()).unwrap();
    state.get(name).map(Value::to_json).unwrap_or_default()
}

fn note_texts(outcome: &session::StepOutcome) -> Vec<String> {
    assert!(outcome.refusal.is_none(), "{:?}", outcome.refusal);
    crate::support::memory_runs::say_and_note_texts(&outcome.events)
}

const WEATHER_OPTION: &str = r#"
option "sky" { type = "one_of", values = { "clear", "rain" }, default = "clear", label = "Sky", ask = true }
patch.scene "game:hall" { choices = add { { id = "look", label = "Look", on = function()
  note("sky {sky}, depth {n}", { sky = options.sky, n = options.depth })
end } } }
"#;

#[test]
fn a_mod_reads_the_options_of_a_run_whenever_it_runs() {
    let (_, data_dir) = memory_data_dir();
    let content = content_with(&[("weather", WEATHER_OPTION)]);
    let options = Value::map_of([("sky", Value::from("rain")), ("depth", Value::Int(7))]);
    let mut active_run = start_run(&data_dir, content.clone(), options);
    assert_eq!(note_texts(&choose(&mut active_run.session, "look")), ["sky rain, depth 7"]);
    let run_id = active_run.session.run_id().unwrap();
    drop(active_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 1);
    let mut resumed_run = session::resume_run(&data_dir, &run_id, Some(&content)).unwrap();
    assert_eq!(note_texts(&choose(&mut resumed_run.session, "look")), ["sky rain, depth 7"]);
    assert_eq!(note_texts(&choose(&mut resumed_run.session, "wait")), ["depth 7"]);
}

#[test]
fn an_option_without_a_choice_has_its_default() {
    let mut run = TestRun::start(&content_with(&[("weather", WEATHER_OPTION)]).mods, 1).unwrap();
    run.choose("look").unwrap();
    let events = run.take_events();
    assert_eq!(crate::support::memory_runs::say_and_note_texts(&events), ["sky clear, depth 4"]);
}

#[test]
fn an_unknown_option_is_named_with_the_one_that_was_meant() {
    for (line, code, text) in [
        ("note(options.skyy)", Code::UnknownOption, "options.sky"),
        ("options.sky = 'rain'", Code::ReadOnly, "state"),
    ] {
        let script = format!("{WEATHER_OPTION}\nafter('step_ended', function()\n{line}\nend)");
        let problem = TestRun::start(&content_with(&[("weather", &script)]).mods, 1);
        let problem = problem.err().unwrap();
        assert_eq!(problem.code, code, "{problem}");
        assert!(problem.hint.as_deref().unwrap_or_default().contains(text), "{problem}");
        assert_eq!(problem.place.as_ref().map(|place| &*place.owner), Some("weather"));
    }
}

#[test]
fn two_options_of_one_name_are_refused() {
    let content = content_with(&[
        ("fog", "option 'sky' { type = 'bool', default = true }"),
        ("weather", WEATHER_OPTION),
    ]);
    let problems = content.load_vm().map(drop).unwrap_err();
    let problem = problems.iter().find(|problem| problem.code == Code::Duplicate).unwrap();
    assert_eq!(problem.place.as_ref().map(|place| &*place.owner), Some("weather"));
    assert_eq!(problem.related_locations[0].owner, "fog");
}

/// A mod that pays in all three ways and tells what it reads.
const PAYING_MOD: &str = r#"
patch.scene "game:hall" { choices = add { { id = "pay_ID", label = "Pay", on = function()
  award { best = 2 }
  award({ worst = 5, by = { rain = 3 } }, "max")
  award({ worst = 4, by = { rain = 1, sleet = 2 } }, "max")
  award({ last = "hall", kept = { "a" } }, "set")
end }, { id = "read_ID", label = "Read", on = function()
  note("{best} {worst} {last} {games}", { best = profile.best or 0, worst = profile.worst or 0, last = profile.last or "-", games = game_profile.best or 0 })
end } } }
achievement "ID_a" { name = "A", text = "t", when = function(run)
  return run.awarded.best == 2 and run.awarded.worst == 5 and run.profile.best >= 2
end }
"#;

#[test]
fn each_mod_has_its_own_table_in_the_profile() {
    let (_, data_dir) = memory_data_dir();
    let script_of = |id: &str| PAYING_MOD.replace("ID", id);
    let (fog, rain) = (script_of("fog"), script_of("rain"));
    let content = content_with(&[("fog", &fog), ("rain", &rain)]);
    let play_and_pay = |choices: &[&str]| {
        let mut locked_profile = lock_profile_of_ada(&data_dir);
        let run_request = RunRequest {
            content: content.clone(),
            options: Value::map(),
            seed: Some(1),
            is_practice: false,
        };
        let mut active_run =
            session::start_run(&mut locked_profile, run_request, &mut || 1).unwrap();
        let told: Vec<String> = choices
            .iter()
            .flat_map(|id| note_texts(&choose(&mut active_run.session, id)))
            .collect();
        session::pay_run(&mut active_run.session, &mut locked_profile).unwrap();
        let game = locked_profile.profile().game_profile("game");
        (told, game.award_data.to_json(), game.achievement_ids)
    };
    let (told, data, achieved) = play_and_pay(&["pay_fog", "read_fog", "end"]);
    assert_eq!(told, ["0 0 - 0"], "the profile is as it was when the run began");
    assert_eq!(
        data,
        r#"{"@fog":{"best":2,"by":{"rain":3,"sleet":2},"kept":["a"],"last":"hall","worst":5},"best":1,"places":{"hall":1}}"#
    );
    assert_eq!(achieved, ["fog:fog_a"]);
    let (told, data, _) = play_and_pay(&["read_fog", "read_rain", "pay_fog", "pay_rain", "end"]);
    assert_eq!(told, ["2 5 hall 1", "0 0 - 1"], "no mod sees the table of another");
    assert_eq!(
        data,
        r#"{"@fog":{"best":4,"by":{"rain":3,"sleet":2},"kept":["a"],"last":"hall","worst":5},"@rain":{"best":2,"by":{"rain":3,"sleet":2},"kept":["a"],"last":"hall","worst":5},"best":2,"places":{"hall":2}}"#
    );
}

#[test]
fn a_wrong_award_is_refused_at_its_line() {
    for (lines, message) in [
        ("award({ a = 1 }, 'maximum')", "award got the text \"maximum\""),
        ("award({ a = 'x' }, 'max')", "award.a has type text"),
        ("award { a = 1 } award({ a = 2 }, 'max')", "award.a was paid with \"add\" earlier"),
        ("award({ a = 1 }, 'set') award({ a = 'x' }, 'set')", "award.a has type"),
        ("award { ['@fog'] = { a = 1 } }", "reserved name"),
        ("award { ['=max'] = { a = 1 } }", "reserved name"),
    ] {
        let script = format!(
            "patch.scene 'game:hall' {{ choices = add {{ {{ id = 'pay', label = 'P', on = function()\n{lines}\nend }} }} }}"
        );
        let mut run = TestRun::start(&content_with(&[("fog", &script)]).mods, 1).unwrap();
        let problem = run.choose("pay").unwrap_err();
        assert!(problem.message.contains(message), "{lines}: {problem}");
        let place = problem.place.as_ref().unwrap();
        assert_eq!((&*place.owner, place.line), ("fog", 2), "{problem}");
    }
}

#[test]
fn a_mod_migrates_its_own_table_of_the_profile() {
    let content = content_with(&[(
        "fog",
        "migrate_profile('0.1.0', function(profile) profile.best = (profile.best or 0) + 10 end)",
    )]);
    let vm = content.load_vm().unwrap();
    let bump = |mod_id: &str| script::VersionBump {
        mod_id: mod_id.to_owned(),
        from: "0.0.1".parse().unwrap(),
        to: "0.1.0".parse().unwrap(),
    };
    let data = Value::map_of([
        ("@fog", Value::map_of([("best", Value::Int(2))])),
        ("best", Value::Int(1)),
    ]);
    let migrated = vm.migrate_profile(&data, &[bump("game"), bump("fog")]).unwrap();
    assert_eq!(migrated.to_json(), r#"{"@fog":{"best":12},"best":1}"#);
}

/// A mod that records each step, and asks a question after the first wait.
const STEP_RECORDER: &str = r#"
before("step_ended", function(event)
  event.scene = if event.scene == "" then "over" else event.scene
end)
after("step_ended", function(event)
  table.insert(state.steps.told, event.answered .. ">" .. event.scene)
  if #state.steps.told == 2 then
    queue_stage "later"
    ask "really"
  end
end)
stage "later"(function()
  table.insert(state.steps.told, "later")
end)
scene "really" {
  prompt = function() return { text = "Really?", choices = { { id = "yes", label = "Yes" } } } end,
  on = { yes = function() end },
}
"#;

#[test]
fn each_step_ends_with_an_event_of_the_host() {
    let (_, data_dir) = memory_data_dir();
    let mut active_run =
        start_run(&data_dir, content_with(&[("steps", STEP_RECORDER)]), Value::map());
    let session = &mut active_run.session;
    assert_eq!(state_json(session, "steps"), r#"{"told":[">game:hall"]}"#);
    note_texts(&choose(session, "wait"));
    let after_wait = r#"{"told":[">game:hall","game:hall>game:hall","later"]}"#;
    assert_eq!(state_json(session, "steps"), after_wait, "no event follows what the hooks do");
    assert_eq!(session.prompt().scene, "steps:really");
    note_texts(&choose(session, "yes"));
    assert!(choose(session, "fall").refusal.is_some());
    let after_answer = after_wait.replace("]", ",\"steps:really>game:hall\"]");
    assert_eq!(state_json(session, "steps"), after_answer, "a refused step has no event");
    note_texts(&choose(session, "end"));
    let at_end = after_answer.replace("]", ",\"game:hall>over\"]");
    assert_eq!(state_json(session, "steps"), at_end);
    let run_id = active_run.session.run_id().unwrap();
    drop(active_run);
    session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_failing_hook_on_the_end_of_a_step_is_named_and_may_be_disabled() {
    let script =
        "after('step_ended', function(event)\nif event.answered ~= '' then error 'no' end\nend)";
    let (_, data_dir) = memory_data_dir();
    let mut active_run = start_run(&data_dir, content_with(&[("steps", script)]), Value::map());
    active_run.session.offer_disabling();
    let problem = choose(&mut active_run.session, "wait").refusal.unwrap();
    assert_eq!(problem.place.as_ref().map(|place| (&*place.owner, place.line)), Some(("steps", 2)));
    choose(&mut active_run.session, session::DISABLE_HOOK_CHOICE_ID);
    assert_eq!(note_texts(&choose(&mut active_run.session, "wait")), ["depth 4"]);
}

#[test]
fn a_mod_may_hook_the_events_of_the_host_without_needing_anything() {
    let run = TestRun::start(&content_with(&[("steps", STEP_RECORDER)]).mods, 1).unwrap();
    let event = run.vm.declared_events().into_iter().find(|event| &*event.name == "step_ended");
    assert_eq!(event.unwrap().owner, content::HOST_MOD_ID);
    assert!(run.vm.can_see("steps", content::HOST_MOD_ID));
}

/// A mod for Sub Rosa that takes all vigour once a step has ended, and its test.
const THORNS: [(&str, &str); 3] = [
    (
        "mod.toml",
        "id = \"thorns\"\nname = \"Thorns\"\nversion = \"0.1.0\"\nengine = \"*\"\n[needs]\nsub_rosa = \"*\"\n",
    ),
    (
        "thorns.luau",
        r#"
schema "thorns" (field.int { doc = "steps below" })
after("step_ended", function(event)
  if event.answered == "sub_rosa:room" then
    state.thorns = (state.thorns or 0) + 1
    if state.thorns == 1 then
      vitals.wound(state.hero.vigour, "thorns")
    end
  end
end)
"#,
    ),
    (
        "tests/thorns.luau",
        r#"
case "a hero falls in the step in which the last vigour went" {
  options = { build = "even", dungeon = "ice_house" },
  answers = { "1" },
  expect = { "0 left." },
  outcome = "failure",
}
"#,
    ),
];

#[test]
fn a_game_settles_what_a_hook_did_at_the_end_of_a_step() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tests")).unwrap();
    for (file, text) in THORNS {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    let (status, output) = crate::support::test_command_output("thorns", folder.path(), &[]);
    assert_eq!(status, Some(0), "{output}");
}

#[test]
fn the_question_for_an_option_shows_what_its_author_says_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let weather = "option 'sky' { type = 'bool', label = 'Rain', doc = 'whether the yard is wet', default = false, ask = true }\n\
        option 'wind' { type = 'bool', label = 'Wind', default = false, ask = true }\n";
    for (id, manifest, script) in [
        ("game", GAME_MANIFEST.to_owned(), GAME_SCRIPT),
        ("weather", manifest_needing("weather", &["game"]), weather),
    ] {
        let mod_folder = folder.path().join("mods").join(id);
        std::fs::create_dir_all(&mod_folder).unwrap();
        std::fs::write(mod_folder.join("mod.toml"), manifest).unwrap();
        std::fs::write(mod_folder.join("main.luau"), script).unwrap();
    }
    let [mods, data] =
        ["mods", "data"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
    let arguments =
        ["--plain", "--game", "game", "--with", "weather", "--mods", &mods, "--data", &data];
    let input = "new\n4\nfalse\nfalse\nquit\n";
    let output = crate::cli::run_with_input(crate::cli::program_command(&arguments), input);
    let text = crate::cli::utf8_text(&output.stdout);
    assert!(text.contains("\nRain (whether the yard is wet)\n"), "{text}");
    assert!(text.contains("\nWind\n"), "{text}");
}
