//! A mod disabled for a run no longer acts: no definitions, patches, text overrides or hooks. The
//! host does not offer to disable a mod that the run needs.

use engine::base::Value;
use engine::mods::ModSource;
use engine::save::DataDir;
use engine::session::{self, ActiveRun, DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, Session};

use super::harness::*;

/// A game that uses every declaration that may contain a function.
fn hall() -> String {
    let field = "bonus = field.int { default = 0 }, use = field.fn { optional = true }";
    let hall = HALL.replace("bonus = field.int { default = 0 }", field);
    let uses =
        "strike = function()\n      for _, one in all(word) do if one.use then one.use() end end\n";
    hall.replace("strike = function()\n", uses)
}

const BAD: &str = "local x = nil\n    x.y = 1\n";

fn started(data_dir: &DataDir, mods: Vec<ModSource>) -> ActiveRun {
    begin(&mut lock_ada(data_dir), content(&hall(), mods))
}

fn ids(session: &Session) -> Vec<String> {
    session.prompt().choices.iter().map(|choice| choice.id.clone()).collect()
}

/// Resuming and replaying give the recorded result.
fn assert_resume_and_replay_agree(
    data_dir: &DataDir,
    mut in_hand: ActiveRun,
    mods: Vec<ModSource>,
    steps: u64,
) -> ActiveRun {
    let digest = in_hand.session.digest();
    let run_id = close_run(data_dir, in_hand);
    assert_eq!(session::replay(data_dir, &run_id, &mut |_, _| {}).unwrap(), steps);
    let now = content(&hall(), mods);
    assert_eq!(session::verify_run_with_content(data_dir, &run_id, &now).unwrap(), steps);
    let mut again = session::resume(data_dir, &run_id, Some(&now)).unwrap();
    assert_eq!(again.session.digest(), digest);
    again.session.offer_disabling();
    again
}

/// The offer is taken, and the failed choice works from then on.
fn assert_play_without_mod(files: &str) {
    let data_dir = data_dir();
    let mods = || vec![mod_source("bob", "0.1.0", &[("bob.luau", files)])];
    let mut in_hand = started(&data_dir, mods());
    let refused = choose(&mut in_hand.session, "strike").refused.unwrap();
    assert!(ids(&in_hand.session).contains(&DISABLE_MOD_CHOICE_ID.to_owned()), "{refused}");
    let told = choose(&mut in_hand.session, DISABLE_MOD_CHOICE_ID);
    assert!(told.refused.is_none(), "{:?}", told.refused);
    for _ in 0..3 {
        let told = choose(&mut in_hand.session, "strike");
        assert!(told.refused.is_none(), "{:?}", told.refused);
    }
    let mut again = assert_resume_and_replay_agree(&data_dir, in_hand, mods(), 4);
    assert!(choose(&mut again.session, "strike").refused.is_none());
}

#[test]
fn a_function_of_its_definition_is_not_called_any_more() {
    assert_play_without_mod(&format!(
        "word \"bad\" {{ name = \"bad\", use = function()\n    {BAD}  end }}\n"
    ));
}

#[test]
fn a_function_that_it_patched_is_as_it_was() {
    assert_play_without_mod(&format!(
        "patch.word \"game:ash\" {{ use = function()\n    {BAD}  end }}\n"
    ));
}

#[test]
fn a_scene_that_it_replaced_is_as_it_was() {
    let strike = format!("strike = function()\n    {BAD}  end");
    assert_play_without_mod(&format!("patch.scene \"game:hall\" {{ on = {{ {strike} }} }}\n"));
}

#[test]
fn a_text_override_with_an_unknown_mark_is_dropped() {
    assert_play_without_mod("override_text(\"{n} in all.\", \"{nn} insgesamt.\")\n");
}

#[test]
fn the_mod_whose_line_failed_is_offered_and_the_one_whose_hook_called_it() {
    let kind = "word \"bad\" { name = \"bad\", use = nil }\n";
    let exported = format!("{kind}export(\"bob_does\", function()\n    {BAD}end)\n");
    let caller = "after(\"blow\", function() bob_does() end)\n";
    let mods = || {
        let ann = crate::support::mod_from_text(
            &crate::support::manifest_needing("ann", &["game", "bob"]),
            &[("ann.luau", caller)],
        );
        vec![mod_source("bob", "0.1.0", &[("bob.luau", &exported)]), ann]
    };
    let data_dir = data_dir();
    let mut in_hand = started(&data_dir, mods());
    choose(&mut in_hand.session, "strike");
    let prompt = in_hand.session.prompt().clone();
    assert_eq!(
        ids(&in_hand.session),
        ["again", DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, "set_aside_2", "leave"],
        "{prompt:?}"
    );
    let label = |id: &str| prompt.choice(id).unwrap().label.clone();
    assert!(label(DISABLE_MOD_CHOICE_ID).contains("mod bob "), "{}", label(DISABLE_MOD_CHOICE_ID));
    assert!(label("set_aside_2").contains("mod ann "), "{}", label("set_aside_2"));
    // Without bob, ann is disabled too, because she needs him.
    choose(&mut in_hand.session, DISABLE_MOD_CHOICE_ID);
    assert!(choose(&mut in_hand.session, "strike").refused.is_none());
    assert!(in_hand.session.vm().registry().get("word", "bob:bad").is_none());
    let again = assert_resume_and_replay_agree(&data_dir, in_hand, mods(), 2);
    assert_eq!(again.session.vm().hooks().len(), 0);
}

#[test]
fn what_the_others_cannot_do_without_is_not_offered_and_the_way_out_is_told() {
    // Nothing declares that he needs bob, and he does not load without him.
    let bad = format!("word \"bad\" {{ name = \"bad\", use = function()\n    {BAD}  end }}\n");
    let leans = "patch.word \"bob:bad\" { bonus = 3 }\n";
    let manifest = crate::support::manifest_needing("cat", &["game"]) + "after = [\"bob\"]\n";
    let cat = crate::support::mod_from_text(&manifest, &[("cat.luau", leans)]);
    let data_dir = data_dir();
    let mods = vec![mod_source("bob", "0.1.0", &[("bob.luau", &bad)]), cat];
    let mut in_hand = started(&data_dir, mods);
    choose(&mut in_hand.session, "strike");
    let prompt = in_hand.session.prompt().clone();
    assert!(!ids(&in_hand.session).contains(&DISABLE_MOD_CHOICE_ID.to_owned()), "{prompt:?}");
    assert!(prompt.text.contains("sub-rosa mods off bob"), "{prompt:?}");
}

#[test]
fn a_run_that_stands_in_a_scene_of_the_mod_alone_is_not_offered_to_go_on_without() {
    let text = format!(
        "scene \"cave\" {{ prompt = function() return {{ text = \"?\", choices = {{ {{ id = \"dig\", label = \
         \"Dig\" }} }} }} end, on = {{ dig = function()\n    {BAD}  end }} }}\n\
         after(\"blow\", function() go \"cave\" end)\n"
    );
    let data_dir = data_dir();
    let mut in_hand = started(&data_dir, vec![mod_source("bob", "0.1.0", &[("bob.luau", &text)])]);
    choose(&mut in_hand.session, "strike");
    assert_eq!(in_hand.session.prompt().scene, "bob:cave");
    choose(&mut in_hand.session, "dig");
    let prompt = in_hand.session.prompt().clone();
    assert!(!ids(&in_hand.session).contains(&DISABLE_MOD_CHOICE_ID.to_owned()), "{prompt:?}");
    assert!(prompt.text.contains("sub-rosa mods off bob"), "{prompt:?}");

    // With the game's scene below it, the run returns there.
    let text = text.replace("go \"cave\"", "push \"cave\"");
    let data_dir = self::data_dir();
    let mods = || vec![mod_source("bob", "0.1.0", &[("bob.luau", &text)])];
    let mut in_hand = started(&data_dir, mods());
    choose(&mut in_hand.session, "strike");
    choose(&mut in_hand.session, "dig");
    choose(&mut in_hand.session, DISABLE_MOD_CHOICE_ID);
    assert_eq!(in_hand.session.prompt().scene, "game:hall");
    assert_resume_and_replay_agree(&data_dir, in_hand, mods(), 2);
}

#[test]
fn two_mods_that_fail_are_disabled_one_after_the_other_and_one_that_is_mended_is_back() {
    let bad = |name: &str| {
        format!("word \"{name}\" {{ name = \"{name}\", use = function()\n    {BAD}  end }}\n")
    };
    let text = bad("a");
    let mods = |bob: &str| {
        vec![
            mod_source("bob", "0.1.0", &[("bob.luau", bob)]),
            mod_source("cat", "0.1.0", &[("cat.luau", &bad("b"))]),
        ]
    };
    let data_dir = data_dir();
    let mut in_hand = started(&data_dir, mods(&text));
    for _ in 0..2 {
        assert!(choose(&mut in_hand.session, "strike").refused.is_some());
        choose(&mut in_hand.session, DISABLE_MOD_CHOICE_ID);
    }
    assert!(choose(&mut in_hand.session, "strike").refused.is_none());
    let mut again = assert_resume_and_replay_agree(&data_dir, in_hand, mods(&text), 3);
    let mended = "word \"a\" { name = \"a\" }\n";
    let mended = content(&hall(), mods(mended));
    session::reload_if_changed(&data_dir, &mut again.session, mended).unwrap().unwrap();
    let registry = again.session.vm().shared_registry();
    assert!(registry.get("word", "bob:a").is_some(), "what changed takes part again");
    assert!(registry.get("word", "cat:b").is_none(), "what did not change does not");
    assert!(choose(&mut again.session, "strike").refused.is_none());
    let run_id = close_run(&data_dir, again);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 4);
}

#[test]
fn a_start_that_fails_goes_on_without_the_mod() {
    let bad = format!("patch.rule \"game:weight\"(function()\n    {BAD}end)\n");
    let start = hall().replace("state.blows = 0\n", "state.blows = 0\n  rules.weight(1)\n");
    let data_dir = data_dir();
    let mods = vec![mod_source("bob", "0.1.0", &[("bob.luau", &bad)])];
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(&start, mods));
    assert_eq!(in_hand.session.prompt().scene, "host:stuck");
    choose(&mut in_hand.session, DISABLE_MOD_CHOICE_ID);
    assert_eq!(in_hand.session.prompt().scene, "game:hall");
    assert!(choose(&mut in_hand.session, "strike").refused.is_none());
    let digest = in_hand.session.digest();
    let run_id = close_run(&data_dir, in_hand);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 1);
    let mut again = session::resume(&data_dir, &run_id, None).unwrap();
    assert_eq!(again.session.digest(), digest);
}

#[test]
fn what_the_run_remembers_of_the_mod_is_kept_by_name() {
    let text = format!(
        "word \"oak\" {{ name = \"oaken word\", bonus = 4 }}\nafter(\"blow\", function()\n  \
         if state.known[2] then\n    {BAD}  end\n  state.known[2] = word.oak.id\nend)\n"
    );
    let data_dir = data_dir();
    let mods = || vec![mod_source("oak", "0.1.0", &[("oak.luau", &text)])];
    let mut in_hand = started(&data_dir, mods());
    choose(&mut in_hand.session, "strike");
    choose(&mut in_hand.session, "strike");
    let told = texts(&choose(&mut in_hand.session, DISABLE_MOD_CHOICE_ID).events);
    assert!(told.contains(&"Removed, but remembered by name: oaken word.".to_owned()), "{told:?}");
    assert!(choose(&mut in_hand.session, "strike").refused.is_none());
    let known = Value::List(vec![Value::text("game:ash"), Value::text("oak:oak")]);
    assert_eq!(state(&in_hand.session, "known"), Some(known));
    let again = assert_resume_and_replay_agree(&data_dir, in_hand, mods(), 3);
    let past = crate::support::memory_runs::without_answers(&again.earlier_story);
    assert!(
        texts(&past).contains(&"Removed, but remembered by name: oaken word.".to_owned()),
        "{past:?}"
    );
}
