//! A mod disabled for a run no longer acts: no definitions, patches, text overrides or hooks. The
//! host does not offer to disable a mod that the run needs.

use base::Value;
use mods::ModSource;
use save::DataDir;
use session::{ActiveRun, DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, Session};

use super::harness::*;

/// A game that uses every declaration that may contain a function.
fn hall_with_functions() -> String {
    let fields = "bonus = field.int { default = 0 }, use = field.fn { optional = true }";
    let hall = HALL_GAME.replace("bonus = field.int { default = 0 }", fields);
    let strike_handler =
        "strike = function()\n      for _, one in all(word) do if one.use then one.use() end end\n";
    hall.replace("strike = function()\n", strike_handler)
}

const FAILING_LUA: &str = "local x = nil\n    x.y = 1\n";

fn start_run_with_mods(data_dir: &DataDir, mods: Vec<ModSource>) -> ActiveRun {
    begin_run(&mut lock_profile_of_ada(data_dir), hall_content(&hall_with_functions(), mods))
}

fn choice_ids(session: &Session) -> Vec<String> {
    session.prompt().choices.iter().map(|choice| choice.id.clone()).collect()
}

/// Resuming and replaying give the recorded result.
fn assert_resume_and_replay_agree(
    data_dir: &DataDir,
    active_run: ActiveRun,
    mods: Vec<ModSource>,
    steps: u64,
) -> ActiveRun {
    let digest = active_run.session.digest();
    let run_id = close_run(data_dir, active_run);
    assert_eq!(session::replay_and_verify(data_dir, &run_id, &mut |_, _| {}).unwrap(), steps);
    let current_content = hall_content(&hall_with_functions(), mods);
    assert_eq!(
        session::verify_run_with_content(data_dir, &run_id, &current_content).unwrap(),
        steps
    );
    let mut resumed_run = session::resume_run(data_dir, &run_id, Some(&current_content)).unwrap();
    assert_eq!(resumed_run.session.digest(), digest);
    resumed_run.session.offer_disabling();
    resumed_run
}

/// The offer is taken, and the failed choice works from then on.
fn assert_run_continues_without_mod(files: &str) {
    let data_dir = memory_data_dir();
    let mods = || vec![mod_source("bob", "0.1.0", &[("bob.luau", files)])];
    let mut active_run = start_run_with_mods(&data_dir, mods());
    let problem = choose(&mut active_run.session, "strike").refusal.unwrap();
    assert!(
        choice_ids(&active_run.session).contains(&DISABLE_MOD_CHOICE_ID.to_owned()),
        "{problem}"
    );
    let step_outcome = choose(&mut active_run.session, DISABLE_MOD_CHOICE_ID);
    assert!(step_outcome.refusal.is_none(), "{:?}", step_outcome.refusal);
    for _ in 0..3 {
        let step_outcome = choose(&mut active_run.session, "strike");
        assert!(step_outcome.refusal.is_none(), "{:?}", step_outcome.refusal);
    }
    let mut resumed_run = assert_resume_and_replay_agree(&data_dir, active_run, mods(), 4);
    assert!(choose(&mut resumed_run.session, "strike").refusal.is_none());
}

#[test]
fn functions_of_a_disabled_mods_definitions_are_not_called() {
    assert_run_continues_without_mod(&format!(
        "word \"bad\" {{ name = \"bad\", use = function()\n    {FAILING_LUA}  end }}\n"
    ));
}

#[test]
fn a_field_patched_by_a_disabled_mod_is_restored() {
    assert_run_continues_without_mod(&format!(
        "patch.word \"game:ash\" {{ use = function()\n    {FAILING_LUA}  end }}\n"
    ));
}

#[test]
fn a_scene_patched_by_a_disabled_mod_is_restored() {
    let strike = format!("strike = function()\n    {FAILING_LUA}  end");
    assert_run_continues_without_mod(&format!(
        "patch.scene \"game:hall\" {{ on = {{ {strike} }} }}\n"
    ));
}

#[test]
fn a_widget_of_a_disabled_mod_is_not_computed() {
    let hall = HALL_GAME.replace("scene \"hall\" {", "scene \"hall\" { view = \"wall\",")
        + "view \"wall\"(function() return { title = \"Wall\", widgets = {\n\
           { widget = \"stat\", label = \"Blows\", value = state.blows } } } end)\n";
    let widgets = [
        "local x = nil\n    x.y = 1",
        "return { widget = \"stat\", label = \"Bad\" }",
        "while true do end",
        "return { widget = \"stat\", label = \"Bad\", value = blows_of_bob() }",
    ];
    for widget in widgets {
        let script = format!(
            "export(\"blows_of_bob\", function() return state.blows.x end)\n\
             patch.view \"game:wall\" {{ widgets = add {{ function()\n\
             if state.blows == 0 then return {{ widget = \"stat\", label = \"Calm\", value = 0 }} end\n\
             {widget}\nend }} }}\n"
        );
        let mods = || vec![mod_source("bob", "0.1.0", &[("bob.luau", &script)])];
        let data_dir = memory_data_dir();
        let mut active_run =
            begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(&hall, mods()));
        let session = &mut active_run.session;
        assert_eq!(session.view().widgets.len(), 2, "{widget}");
        let problem = choose(session, "strike").refusal.unwrap();
        assert_eq!(problem.place.as_ref().unwrap().owner, "bob", "{problem}");
        choose(session, DISABLE_MOD_CHOICE_ID);
        assert_eq!(session.view().widgets.len(), 1, "{widget}");
        assert!(choose(session, "strike").refusal.is_none(), "{widget}");
        assert_eq!(session.view().widgets.len(), 1, "{widget}");
        let (digest, view) = (session.digest(), session.view().clone());
        let run_id = close_run(&data_dir, active_run);
        session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
        let content = hall_content(&hall, mods());
        let resumed_run = session::resume_run(&data_dir, &run_id, Some(&content)).unwrap();
        assert_eq!(resumed_run.session.digest(), digest, "{widget}");
        assert_eq!(*resumed_run.session.view(), view, "{widget}");
    }
}

#[test]
fn a_text_override_of_a_disabled_mod_is_dropped() {
    assert_run_continues_without_mod("override_text(\"{n} in all.\", \"{nn} insgesamt.\")\n");
}

#[test]
fn the_failing_mod_and_the_mod_that_called_it_are_offered() {
    let word_definition = "word \"bad\" { name = \"bad\", use = nil }\n";
    let exporting_script =
        format!("{word_definition}export(\"bob_does\", function()\n    {FAILING_LUA}end)\n");
    let calling_script = "after(\"blow\", function() bob_does() end)\n";
    let mods = || {
        let calling_mod = crate::support::mod_from_text(
            &crate::support::manifest_needing("ann", &["game", "bob"]),
            &[("ann.luau", calling_script)],
        );
        vec![mod_source("bob", "0.1.0", &[("bob.luau", &exporting_script)]), calling_mod]
    };
    let data_dir = memory_data_dir();
    let mut active_run = start_run_with_mods(&data_dir, mods());
    choose(&mut active_run.session, "strike");
    let prompt = active_run.session.prompt().clone();
    assert_eq!(
        choice_ids(&active_run.session),
        ["again", DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, "set_aside_2", "leave"],
        "{prompt:?}"
    );
    let label_of = |id: &str| prompt.choice(id).unwrap().label.clone();
    assert!(
        label_of(DISABLE_MOD_CHOICE_ID).contains("mod bob "),
        "{}",
        label_of(DISABLE_MOD_CHOICE_ID)
    );
    assert!(label_of("set_aside_2").contains("mod ann "), "{}", label_of("set_aside_2"));
    // Without bob, ann is disabled too, because she needs him.
    choose(&mut active_run.session, DISABLE_MOD_CHOICE_ID);
    assert!(choose(&mut active_run.session, "strike").refusal.is_none());
    assert!(active_run.session.vm().registry().get("word", "bob:bad").is_none());
    let resumed_run = assert_resume_and_replay_agree(&data_dir, active_run, mods(), 2);
    assert_eq!(resumed_run.session.vm().registered_hooks().len(), 0);
}

#[test]
fn a_mod_with_undeclared_dependents_is_not_offered() {
    // Nothing declares that he needs bob, and he does not load without him.
    let failing_script =
        format!("word \"bad\" {{ name = \"bad\", use = function()\n    {FAILING_LUA}  end }}\n");
    let dependent_script = "patch.word \"bob:bad\" { bonus = 3 }\n";
    let manifest = crate::support::manifest_needing("cat", &["game"]) + "after = [\"bob\"]\n";
    let dependent_mod = crate::support::mod_from_text(&manifest, &[("cat.luau", dependent_script)]);
    let data_dir = memory_data_dir();
    let mods = vec![mod_source("bob", "0.1.0", &[("bob.luau", &failing_script)]), dependent_mod];
    let mut active_run = start_run_with_mods(&data_dir, mods);
    choose(&mut active_run.session, "strike");
    let prompt = active_run.session.prompt().clone();
    assert!(
        !choice_ids(&active_run.session).contains(&DISABLE_MOD_CHOICE_ID.to_owned()),
        "{prompt:?}"
    );
    assert!(prompt.text.contains("sub-rosa mods off bob"), "{prompt:?}");
}

#[test]
fn a_mod_that_owns_the_only_open_scene_is_not_offered() {
    let text = format!(
        "scene \"cave\" {{ prompt = function() return {{ text = \"?\", choices = {{ {{ id = \"dig\", label = \
         \"Dig\" }} }} }} end, on = {{ dig = function()\n    {FAILING_LUA}  end }} }}\n\
         after(\"blow\", function() go \"cave\" end)\n"
    );
    let data_dir = memory_data_dir();
    let mut active_run =
        start_run_with_mods(&data_dir, vec![mod_source("bob", "0.1.0", &[("bob.luau", &text)])]);
    choose(&mut active_run.session, "strike");
    assert_eq!(active_run.session.prompt().scene, "bob:cave");
    choose(&mut active_run.session, "dig");
    let prompt = active_run.session.prompt().clone();
    assert!(
        !choice_ids(&active_run.session).contains(&DISABLE_MOD_CHOICE_ID.to_owned()),
        "{prompt:?}"
    );
    assert!(prompt.text.contains("sub-rosa mods off bob"), "{prompt:?}");

    // With the game's scene below it, the run returns there.
    let text = text.replace("go \"cave\"", "push \"cave\"");
    let data_dir = self::memory_data_dir();
    let mods = || vec![mod_source("bob", "0.1.0", &[("bob.luau", &text)])];
    let mut active_run = start_run_with_mods(&data_dir, mods());
    choose(&mut active_run.session, "strike");
    choose(&mut active_run.session, "dig");
    choose(&mut active_run.session, DISABLE_MOD_CHOICE_ID);
    assert_eq!(active_run.session.prompt().scene, "game:hall");
    assert_resume_and_replay_agree(&data_dir, active_run, mods(), 2);
}

#[test]
fn two_failing_mods_are_disabled_and_a_repaired_one_returns() {
    let failing_word = |name: &str| {
        format!(
            "word \"{name}\" {{ name = \"{name}\", use = function()\n    {FAILING_LUA}  end }}\n"
        )
    };
    let text = failing_word("a");
    let mods = |bob: &str| {
        vec![
            mod_source("bob", "0.1.0", &[("bob.luau", bob)]),
            mod_source("cat", "0.1.0", &[("cat.luau", &failing_word("b"))]),
        ]
    };
    let data_dir = memory_data_dir();
    let mut active_run = start_run_with_mods(&data_dir, mods(&text));
    for _ in 0..2 {
        assert!(choose(&mut active_run.session, "strike").refusal.is_some());
        choose(&mut active_run.session, DISABLE_MOD_CHOICE_ID);
    }
    assert!(choose(&mut active_run.session, "strike").refusal.is_none());
    let mut resumed_run = assert_resume_and_replay_agree(&data_dir, active_run, mods(&text), 3);
    let repaired_script = "word \"a\" { name = \"a\" }\n";
    let repaired_content = hall_content(&hall_with_functions(), mods(repaired_script));
    session::reload_if_content_differs(&data_dir, &mut resumed_run.session, repaired_content)
        .unwrap()
        .unwrap();
    let registry = resumed_run.session.vm().shared_registry();
    assert!(registry.get("word", "bob:a").is_some(), "what changed takes part again");
    assert!(registry.get("word", "cat:b").is_none(), "what did not change does not");
    assert!(choose(&mut resumed_run.session, "strike").refusal.is_none());
    let run_id = close_run(&data_dir, resumed_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 4);
}

#[test]
fn a_failing_start_continues_without_the_mod() {
    let failing_script = format!("patch.rule \"game:weight\"(function()\n    {FAILING_LUA}end)\n");
    let game_script =
        hall_with_functions().replace("state.blows = 0\n", "state.blows = 0\n  rules.weight(1)\n");
    let data_dir = memory_data_dir();
    let mods = vec![mod_source("bob", "0.1.0", &[("bob.luau", &failing_script)])];
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(&game_script, mods));
    assert_eq!(active_run.session.prompt().scene, "host:stuck");
    choose(&mut active_run.session, DISABLE_MOD_CHOICE_ID);
    assert_eq!(active_run.session.prompt().scene, "game:hall");
    assert!(choose(&mut active_run.session, "strike").refusal.is_none());
    let digest = active_run.session.digest();
    let run_id = close_run(&data_dir, active_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 1);
    let resumed_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    assert_eq!(resumed_run.session.digest(), digest);
}

#[test]
fn content_of_a_disabled_mod_is_remembered_by_name() {
    let text = format!(
        "word \"oak\" {{ name = \"oaken word\", bonus = 4 }}\nafter(\"blow\", function()\n  \
         if state.known[2] then\n    {FAILING_LUA}  end\n  state.known[2] = word.oak.id\nend)\n"
    );
    let data_dir = memory_data_dir();
    let mods = || vec![mod_source("oak", "0.1.0", &[("oak.luau", &text)])];
    let mut active_run = start_run_with_mods(&data_dir, mods());
    choose(&mut active_run.session, "strike");
    choose(&mut active_run.session, "strike");
    let story_texts =
        say_and_note_texts(&choose(&mut active_run.session, DISABLE_MOD_CHOICE_ID).events);
    assert!(
        story_texts.contains(&"Removed, but remembered by name: oaken word.".to_owned()),
        "{story_texts:?}"
    );
    assert!(choose(&mut active_run.session, "strike").refusal.is_none());
    let known_words = Value::List(vec![Value::text("game:ash"), Value::text("oak:oak")]);
    assert_eq!(state_value(&active_run.session, "known"), Some(known_words));
    let resumed_run = assert_resume_and_replay_agree(&data_dir, active_run, mods(), 3);
    let earlier_events =
        crate::support::memory_runs::events_without_answers(&resumed_run.earlier_story);
    assert!(
        say_and_note_texts(&earlier_events)
            .contains(&"Removed, but remembered by name: oaken word.".to_owned()),
        "{earlier_events:?}"
    );
}
