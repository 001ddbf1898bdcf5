//! A hook or mod fails: the step is rolled back, the failed mod is named, and the player may
//! continue without it. The journal records the decision.

use base::Value;
use mods::sort_into_load_order;
use session::{DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, RETRY_CHOICE_ID, RunContent};

use super::harness::*;
use crate::support::{GAME_MANIFEST, manifest_needing, mod_from_text};

const FAILING_HOOK: &str =
    "-- ours\nbefore(\"blow\", function(event)\n  event.damage += nothing.at_all\nend)\n";
const ENDLESS_HOOK: &str = "after(\"blow\", function()\n  while true do end\nend)\n";

#[test]
fn a_failing_hook_is_named_and_can_be_disabled() {
    let data_dir = memory_data_dir();
    let mods = || vec![mod_source("ember", "0.1.0", &[("hooks.luau", FAILING_HOOK)])];
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, mods()));
    let session = &mut active_run.session;
    let digest_before = session.digest();
    let problem = choose(session, "strike").refusal.unwrap();
    let location = problem.place.as_ref().unwrap();
    assert_eq!(
        (location.owner.as_str(), location.file.as_str(), location.line),
        ("ember", "hooks.luau", 3)
    );
    assert_eq!(session.digest(), digest_before, "never a half-done step");
    assert_eq!(session.prompt().scene, "host:refused");
    let ids: Vec<&str> = session.prompt().choices.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(ids, [RETRY_CHOICE_ID, DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, "leave"]);
    assert!(session.prompt().choices[1].label.contains("hooks.luau:2"), "{:?}", session.prompt());

    choose(session, DISABLE_HOOK_CHOICE_ID);
    assert_eq!(session.prompt().scene, "game:hall");
    assert!(choose(session, "strike").refusal.is_none());
    let digest = session.digest();
    let run_id = close_run(&data_dir, active_run);
    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&hall_content(HALL_GAME, mods()))).unwrap();
    assert_eq!(resumed_run.session.digest(), digest, "resuming obeys it");
    assert!(
        choose(&mut resumed_run.session, "strike").refusal.is_none(),
        "the hook stays disabled"
    );
    let run_id = close_run(&data_dir, resumed_run);
    assert_eq!(
        session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(),
        3,
        "and so does a replay"
    );
}

#[test]
fn a_repaired_hook_runs_again() {
    let data_dir = memory_data_dir();
    let failing_mods = vec![mod_source("ember", "0.1.0", &[("hooks.luau", FAILING_HOOK)])];
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, failing_mods));
    choose(&mut active_run.session, "strike");
    choose(&mut active_run.session, DISABLE_HOOK_CHOICE_ID);
    let repaired_hook = "before(\"blow\", function(event)\n  event.damage = 100\nend)\n";
    let repaired_content = hall_content(
        HALL_GAME,
        vec![mod_source("ember", "0.1.0", &[("hooks.luau", repaired_hook)])],
    );
    session::reload_if_content_differs(&data_dir, &mut active_run.session, repaired_content)
        .unwrap()
        .unwrap();
    let step_outcome = choose(&mut active_run.session, "strike");
    assert_eq!(say_and_note_texts(&step_outcome.events), ["100 in all."]);
    let run_id = close_run(&data_dir, active_run);
    session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn an_endless_hook_exceeds_its_own_fuel_and_is_attributed() {
    let data_dir = memory_data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("hooks.luau", ENDLESS_HOOK)])];
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, mods));
    let problem = choose(&mut active_run.session, "strike").refusal.unwrap();
    assert_eq!(problem.code, "out-of-fuel");
    assert!(problem.message.contains("a hook was stopped"), "{problem}");
    assert!(problem.expected.as_ref().unwrap().contains("a quarter of the fuel"), "{problem}");
    assert_eq!(problem.place.as_ref().unwrap().owner, "ember");
    choose(&mut active_run.session, DISABLE_HOOK_CHOICE_ID);
    assert!(choose(&mut active_run.session, "strike").refusal.is_none());
}

#[test]
fn each_hook_has_its_own_fuel_and_pcall_hides_no_overrun() {
    // A long loop within the limit, four times: each hook has its own fuel budget.
    let long_hooks = "for i = 1, 3 do\n  after(\"blow\", function()\n    for j = 1, 200000 do end\n  end)\nend\n";
    let data_dir = memory_data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("hooks.luau", long_hooks)])];
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, mods));
    let step_outcome = choose(&mut active_run.session, "strike");
    assert!(step_outcome.refusal.is_none(), "{}", step_outcome.refusal.unwrap());

    let game_with_pcall = HALL_GAME.replace(
        "say(\"{n} in all.\"",
        "pcall(function() emit(\"late\", {}) end)\n      say(\"{n} in all.\"",
    );
    let endless_hook = ENDLESS_HOOK.replace("blow", "late");
    let data_dir = self::memory_data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("hooks.luau", &endless_hook)])];
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(&game_with_pcall, mods));
    let problem = choose(&mut active_run.session, "strike").refusal.unwrap();
    assert_eq!(problem.place.as_ref().unwrap().owner, "ember", "{problem}");
}

#[test]
fn a_disabled_mod_does_nothing_and_is_not_visible() {
    let mod_files = r#"
word "oak" { name = "oak", bonus = 4 }
patch.rule "game:weight"(wrap(function(original, n) return original(n) + 1000 end))
patch.scene "game:hall" { choices = add { { id = "sing", label = "Sing", on = function() error "no voice" end } } }
after("blow", function() state.heard = true end)
"#;
    let data_dir = memory_data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("all.luau", mod_files)])];
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, mods));
    let session = &mut active_run.session;
    assert!(session.prompt().choice("sing").is_some());
    assert!(choose(session, "sing").refusal.is_some());
    assert!(session.prompt().choice(DISABLE_HOOK_CHOICE_ID).is_none(), "it happened in no hook");
    choose(session, DISABLE_MOD_CHOICE_ID);
    assert!(session.prompt().choice("sing").is_none());
    let step_outcome = choose(session, "strike");
    assert!(
        step_outcome.refusal.is_none()
            && !say_and_note_texts(&step_outcome.events)[0].starts_with("100"),
        "{step_outcome:?}"
    );
    assert_eq!(state_value(session, "heard"), None);
    assert!(session.vm().registry().get("word", "ember:oak").is_none());
    let digest = session.digest();
    let run_id = close_run(&data_dir, active_run);
    let resumed_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    assert_eq!(resumed_run.session.digest(), digest);
    assert!(resumed_run.session.prompt().choice("sing").is_none());
}

#[test]
fn the_game_itself_cannot_be_disabled() {
    let broken_game =
        HALL_GAME.replace("say(\"{n} in all.\"", "error \"no\"\n      say(\"{n} in all.\"");
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(&broken_game, Vec::new()));
    assert!(choose(&mut active_run.session, "strike").refusal.is_some());
    assert_eq!(active_run.session.prompt().scene, "game:hall", "the game asks again");
}

#[test]
fn libraries_of_the_game_cannot_be_disabled() {
    let data_dir = memory_data_dir();
    let manifest = format!("{GAME_MANIFEST}needs = {{ low = \"*\" }}\n");
    let library = mod_from_text(&manifest_needing("low", &[]), &[("hooks.luau", FAILING_HOOK)]);
    let game = mod_from_text(&manifest, &[("hall.luau", HALL_GAME)]);
    let mods = sort_into_load_order(vec![game, library]).unwrap();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), RunContent { mods, settings: Value::map() });
    let problem = choose(&mut active_run.session, "strike").refusal.unwrap();
    assert_eq!(problem.place.unwrap().owner, "low");
    let ids: Vec<&str> =
        active_run.session.prompt().choices.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(ids, [RETRY_CHOICE_ID, DISABLE_HOOK_CHOICE_ID, "leave"], "only the hook");
}
