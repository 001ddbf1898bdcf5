//! A hook or mod fails: the step is rolled back, the failed mod is named, and the player may
//! continue without it. The journal records the decision.

use engine::base::Value;
use engine::mods::load_order;
use engine::session::{
    self, Content, DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, RETRY_CHOICE_ID,
};

use super::harness::*;
use crate::support::{GAME, manifest_needing, mod_from_text};

const BAD_HOOK: &str =
    "-- ours\nbefore(\"blow\", function(event)\n  event.damage += nothing.at_all\nend)\n";
const ENDLESS: &str = "after(\"blow\", function()\n  while true do end\nend)\n";

#[test]
fn a_hook_that_fails_is_named_and_can_be_gone_on_without() {
    let data_dir = data_dir();
    let mods = || vec![mod_source("ember", "0.1.0", &[("hooks.luau", BAD_HOOK)])];
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, mods()));
    let session = &mut in_hand.session;
    let before = session.digest();
    let problem = choose(session, "strike").refused.unwrap();
    let place = problem.place.as_ref().unwrap();
    assert_eq!((place.owner.as_str(), place.file.as_str(), place.line), ("ember", "hooks.luau", 3));
    assert_eq!(session.digest(), before, "never a half-done step");
    assert_eq!(session.prompt().scene, "host:refused");
    let ids: Vec<&str> = session.prompt().choices.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, [RETRY_CHOICE_ID, DISABLE_HOOK_CHOICE_ID, DISABLE_MOD_CHOICE_ID, "leave"]);
    assert!(session.prompt().choices[1].label.contains("hooks.luau:2"), "{:?}", session.prompt());

    choose(session, DISABLE_HOOK_CHOICE_ID);
    assert_eq!(session.prompt().scene, "game:hall");
    assert!(choose(session, "strike").refused.is_none());
    let digest = session.digest();
    let run_id = close_run(&data_dir, in_hand);
    let mut again = session::resume(&data_dir, &run_id, Some(&content(HALL, mods()))).unwrap();
    assert_eq!(again.session.digest(), digest, "resuming obeys it");
    assert!(choose(&mut again.session, "strike").refused.is_none(), "the hook stays disabled");
    let run_id = close_run(&data_dir, again);
    assert_eq!(
        session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(),
        3,
        "and so does a replay"
    );
}

#[test]
fn a_repaired_hook_runs_again() {
    let data_dir = data_dir();
    let bad = vec![mod_source("ember", "0.1.0", &[("hooks.luau", BAD_HOOK)])];
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, bad));
    choose(&mut in_hand.session, "strike");
    choose(&mut in_hand.session, DISABLE_HOOK_CHOICE_ID);
    let good = "before(\"blow\", function(event)\n  event.damage = 100\nend)\n";
    let good = content(HALL, vec![mod_source("ember", "0.1.0", &[("hooks.luau", good)])]);
    session::reload_if_changed(&data_dir, &mut in_hand.session, good).unwrap().unwrap();
    let told = choose(&mut in_hand.session, "strike");
    assert_eq!(texts(&told.events), ["100 in all."]);
    let run_id = close_run(&data_dir, in_hand);
    session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn an_endless_hook_exceeds_its_own_fuel_and_is_attributed() {
    let data_dir = data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("hooks.luau", ENDLESS)])];
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, mods));
    let problem = choose(&mut in_hand.session, "strike").refused.unwrap();
    assert_eq!(problem.code, "out-of-fuel");
    assert!(problem.message.contains("a hook was stopped"), "{problem}");
    assert!(problem.expected.as_ref().unwrap().contains("a quarter of the fuel"), "{problem}");
    assert_eq!(problem.place.as_ref().unwrap().owner, "ember");
    choose(&mut in_hand.session, DISABLE_HOOK_CHOICE_ID);
    assert!(choose(&mut in_hand.session, "strike").refused.is_none());
}

#[test]
fn nobody_else_pays_for_a_hook_and_no_pcall_hides_it() {
    // A long loop within the limit, four times: each hook has its own fuel budget.
    let long = "for i = 1, 3 do\n  after(\"blow\", function()\n    for j = 1, 200000 do end\n  end)\nend\n";
    let data_dir = data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("hooks.luau", long)])];
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, mods));
    let told = choose(&mut in_hand.session, "strike");
    assert!(told.refused.is_none(), "{}", told.refused.unwrap());

    let hiding = HALL.replace(
        "say(\"{n} in all.\"",
        "pcall(function() emit(\"late\", {}) end)\n      say(\"{n} in all.\"",
    );
    let endless = ENDLESS.replace("blow", "late");
    let data_dir = self::data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("hooks.luau", &endless)])];
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(&hiding, mods));
    let problem = choose(&mut in_hand.session, "strike").refused.unwrap();
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
    let data_dir = data_dir();
    let mods = vec![mod_source("ember", "0.1.0", &[("all.luau", mod_files)])];
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, mods));
    let session = &mut in_hand.session;
    assert!(session.prompt().choice("sing").is_some());
    assert!(choose(session, "sing").refused.is_some());
    assert!(session.prompt().choice(DISABLE_HOOK_CHOICE_ID).is_none(), "it happened in no hook");
    choose(session, DISABLE_MOD_CHOICE_ID);
    assert!(session.prompt().choice("sing").is_none());
    let told = choose(session, "strike");
    assert!(told.refused.is_none() && !texts(&told.events)[0].starts_with("100"), "{told:?}");
    assert_eq!(state(session, "heard"), None);
    assert!(session.vm().registry().get("word", "ember:oak").is_none());
    let digest = session.digest();
    let run_id = close_run(&data_dir, in_hand);
    let mut again = session::resume(&data_dir, &run_id, None).unwrap();
    assert_eq!(again.session.digest(), digest);
    assert!(again.session.prompt().choice("sing").is_none());
}

#[test]
fn the_game_itself_cannot_be_disabled() {
    let broken = HALL.replace("say(\"{n} in all.\"", "error \"no\"\n      say(\"{n} in all.\"");
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(&broken, Vec::new()));
    assert!(choose(&mut in_hand.session, "strike").refused.is_some());
    assert_eq!(in_hand.session.prompt().scene, "game:hall", "the game asks again");
}

#[test]
fn libraries_of_the_game_cannot_be_disabled() {
    let data_dir = data_dir();
    let manifest = format!("{GAME}needs = {{ low = \"*\" }}\n");
    let low = mod_from_text(&manifest_needing("low", &[]), &[("hooks.luau", BAD_HOOK)]);
    let game = mod_from_text(&manifest, &[("hall.luau", HALL)]);
    let mods = load_order(vec![game, low]).unwrap();
    let mut in_hand = begin(&mut lock_ada(&data_dir), Content { mods, settings: Value::map() });
    let problem = choose(&mut in_hand.session, "strike").refused.unwrap();
    assert_eq!(problem.place.unwrap().owner, "low");
    let ids: Vec<&str> =
        in_hand.session.prompt().choices.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(ids, [RETRY_CHOICE_ID, DISABLE_HOOK_CHOICE_ID, "leave"], "only the hook");
}
