//! Mods change between sessions of a run: removed content is stored by name and restored, the state
//! is migrated to a newer version, and after a refusal the file is unchanged.

use engine::base::Value;
use engine::mods::{ModSource, load_order};
use engine::session::{self, Content, diff_since_run, migrate_profile};

use super::harness::*;
use crate::support::{GAME, mod_from_text};

const OAK: &str = "word \"oak\" { name = \"oaken word\", bonus = 4 }\nafter(\"blow\", function()\n  \
                   state.known[2] = word.oak.id\nend)\n";
/// Names every word that the run knows, from any mod.
const SINGER: &str = r#"
after("blow", function()
  local names, bonus = {}, 0
  for _, id in state.known do
    table.insert(names, word[id].name .. (word[id].gone and " (gone)" or ""))
    bonus += word[id].bonus
  end
  say("You know {names}: {bonus}.", { names = table.concat(names, ", "), bonus = bonus })
end)
"#;

fn oak_mod() -> ModSource {
    mod_source("oak", "0.1.0", &[("oak.luau", OAK)])
}

fn singer_mod() -> ModSource {
    mod_source("singer", "0.1.0", &[("sing.luau", SINGER)])
}

fn heavy(by: &str) -> ModSource {
    let wrap = format!(
        "patch.rule \"game:weight\"(wrap(function(original, n) return original(n) * {by} end))\n"
    );
    mod_source("heavy", "0.1.0", &[("heavy.luau", &wrap)])
}

fn loud() -> ModSource {
    mod_source("loud", "0.1.0", &[("loud.luau", "after(\"blow\", function() say \"BANG\" end)\n")])
}

#[test]
fn one_mod_goes_one_changes_one_comes_and_the_first_comes_back() {
    let data_dir = data_dir();
    let four = content(HALL, vec![oak_mod(), singer_mod(), heavy("10")]);
    let mut in_hand = begin(&mut lock_ada(&data_dir), four.clone());
    choose(&mut in_hand.session, "strike");
    let told = choose(&mut in_hand.session, "strike");
    assert_eq!(texts(&told.events)[0], "You know ash, oaken word: 5.");
    let run_id = close_run(&data_dir, in_hand);

    let other = content(HALL, vec![singer_mod(), heavy("100"), loud()]);
    assert_eq!(
        diff_since_run(&data_dir, &run_id, &other).unwrap(),
        ["changed: heavy 0.1.0", "added: loud 0.1.0", "missing: oak 0.1.0"]
    );
    let mut opened = session::resume(&data_dir, &run_id, Some(&other)).unwrap();
    let told = texts(&opened.output.events);
    assert!(told.contains(&"Removed, but remembered by name: oaken word.".to_owned()), "{told:?}");
    let told = texts(&choose(&mut opened.session, "strike").events);
    assert!(told.contains(&"You know ash, oaken word (gone): 1.".to_owned()), "{told:?}");
    assert!(told.contains(&"BANG".to_owned()), "{told:?}");
    assert!(state(&opened.session, "blows").and_then(|n| n.as_int()).unwrap() >= 100);
    let digest = opened.session.digest();
    let run_id = close_run(&data_dir, opened);
    let mut again = session::resume(&data_dir, &run_id, Some(&other)).unwrap();
    assert_eq!(again.session.digest(), digest);
    assert!(diff_since_run(&data_dir, &run_id, &other).unwrap().is_empty());
    choose(&mut again.session, "strike");
    let run_id = close_run(&data_dir, again);

    let mut back = session::resume(&data_dir, &run_id, Some(&four)).unwrap();
    assert!(texts(&back.output.events).contains(&"Restored: oaken word.".to_owned()));
    let told = texts(&choose(&mut back.session, "strike").events);
    assert!(told.contains(&"You know ash, oaken word: 5.".to_owned()), "{told:?}");
    let run_id = close_run(&data_dir, back);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 5);
}

#[test]
fn comparing_mods_leaves_the_journal_and_the_old_mods_resume() {
    let data_dir = data_dir();
    let old = content(HALL, vec![heavy("10")]);
    let mut in_hand = begin(&mut lock_ada(&data_dir), old.clone());
    choose(&mut in_hand.session, "strike");
    let digest = in_hand.session.digest();
    let run_id = close_run(&data_dir, in_hand);
    let path = data_dir.root().join("runs").join(&run_id).join("journal.jsonl");
    let read = || data_dir.disk().read(&path, 1 << 20).unwrap();
    let before = read();
    let now = content(HALL, Vec::new());
    assert_eq!(diff_since_run(&data_dir, &run_id, &now).unwrap(), ["missing: heavy 0.1.0"]);
    assert_eq!(read(), before, "asking changes nothing");
    let mut kept = session::resume(&data_dir, &run_id, None).unwrap();
    assert_eq!(kept.session.digest(), digest);
    assert!(kept.session.content().mods.get("heavy").is_some());
    assert_eq!(read(), before, "and neither does the set it was made on");
    choose(&mut kept.session, "strike");
}

/// A later version of the game, with its migrations.
fn later_version(version: &str, migrations: &str) -> session::Content {
    let manifest = crate::support::GAME.replace("0.1.0", version);
    let files = [("hall.luau", HALL), ("migrate.luau", migrations)];
    let game = crate::support::mod_from_text(&manifest, &files);
    session::Content { mods: engine::mods::load_order(vec![game]).unwrap(), settings: Value::map() }
}

#[test]
fn a_state_is_migrated_in_order_and_whole_or_not_at_all() {
    let data_dir = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir), content(HALL, Vec::new()));
    choose(&mut in_hand.session, "strike");
    let digest = in_hand.session.digest();
    let run_id = close_run(&data_dir, in_hand);

    let steps = "migrate(\"0.3.0\", function(state) state.log = state.log .. \"3\" end)\n\
                 migrate(\"0.2.0\", function(state) state.log = \"2\" end)\n\
                 migrate(\"0.1.0\", function(state) state.log = \"1\" end)\n\
                 migrate(\"0.4.0\", function(state) state.log = \"4\" end)\n";
    let bad = format!("{steps}migrate(\"0.2.5\", function(state) error \"no such thing\" end)\n");
    let kept = session::resume(&data_dir, &run_id, Some(&later_version("0.3.0", &bad))).unwrap();
    let wrong = kept.notes.iter().find(|note| note.message.contains("no such thing")).unwrap();
    assert_eq!(wrong.place.as_ref().unwrap().file, "migrate.luau");
    let mut session = kept.session;
    assert_eq!(session.digest(), digest, "nothing has changed");
    assert_eq!(state(&session, "log"), None);
    drop(session);

    let mut good =
        session::resume(&data_dir, &run_id, Some(&later_version("0.3.0", steps))).unwrap();
    assert_eq!(state(&good.session, "log"), Some(Value::text("23")));
    let digest = good.session.digest();
    choose(&mut good.session, "strike");
    let run_id = close_run(&data_dir, good);
    assert_eq!(session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 2);
    let again = session::resume(&data_dir, &run_id, Some(&later_version("0.3.0", steps))).unwrap();
    assert_eq!(state(&again.session, "log"), Some(Value::text("23")), "once and no more");
    assert_ne!(digest, engine::base::Digest::default());
}

#[test]
fn a_mod_that_was_away_is_migrated_from_the_version_it_left_with() {
    let migrating = |version: &str| {
        let text = "migrate(\"0.2.0\", function(state) state.seen = (state.seen or 0) + 1 end)\n";
        mod_source("far", version, &[("far.luau", text)])
    };
    let data_dir = data_dir();
    let in_hand = begin(&mut lock_ada(&data_dir), content(HALL, vec![migrating("0.1.0")]));
    let run_id = close_run(&data_dir, in_hand);
    let away = session::resume(&data_dir, &run_id, Some(&content(HALL, Vec::new()))).unwrap();
    let run_id = close_run(&data_dir, away);
    let back = content(HALL, vec![migrating("0.2.0")]);
    let back = session::resume(&data_dir, &run_id, Some(&back)).unwrap();
    assert_eq!(state(&back.session, "seen"), Some(Value::Int(1)));
}

#[test]
fn a_profile_is_migrated_once() {
    let data_dir = data_dir();
    let mut profile = lock_ada(&data_dir);
    let update = |profile: &mut engine::save::LockedProfile, content: &session::Content| {
        migrate_profile(profile, content, &content.load().unwrap())
    };
    update(&mut profile, &later_version("0.1.0", "-- none\n")).unwrap();
    let data = Value::map_of([("gold", Value::Int(3))]);
    profile.update_profile(|profile| profile.game_mut("game").data = data.clone()).unwrap();
    let bad = "migrate_profile(\"0.2.0\", function(profile) profile.gold = state.x end)\n";
    assert!(
        update(&mut profile, &later_version("0.2.0", &bad.replace("state.x", "nil + 1"))).is_err()
    );
    assert_eq!(profile.profile().game("game").data, data);
    let good = "migrate_profile(\"0.2.0\", function(profile) profile.gold *= 100 end)\n";
    for _ in 0..2 {
        update(&mut profile, &later_version("0.2.0", good)).unwrap();
        let gold = profile.profile().game("game").data.get("gold").and_then(Value::as_int);
        assert_eq!(gold, Some(300));
    }
}

#[test]
fn a_scene_that_is_gone_is_left_for_the_one_below() {
    let camp = "scene \"camp\" { prompt = function() return { text = \"Camp?\", choices = { { id = \
                \"rest\", label = \"Rest\" } } } end, on = { rest = function() pop() end } }\n\
                after(\"blow\", function() push \"camp\" end)\n";
    let data_dir = data_dir();
    let with = content(HALL, vec![mod_source("camp", "0.1.0", &[("camp.luau", camp)])]);
    let mut in_hand = begin(&mut lock_ada(&data_dir), with);
    choose(&mut in_hand.session, "strike");
    assert_eq!(in_hand.session.prompt().scene, "camp:camp");
    let run_id = close_run(&data_dir, in_hand);
    let opened = session::resume(&data_dir, &run_id, Some(&content(HALL, Vec::new()))).unwrap();
    assert_eq!(opened.session.prompt().scene, "game:hall");
}

/// A game with a state schema that writes back a whole list of references at each step. With
/// `stray`, one of them is undefined.
fn ward_content(stray: bool) -> Content {
    let shape =
        "schema \"known\"(field.list { field.ref { \"word\" } })\nschema \"blows\"(field.int {})\n";
    let also = if stray { "table.insert(known, \"oak:elm\")\n" } else { "" };
    let write = format!(
        "on = {{\nstrike = function()\nlocal known = copy(state.known)\n{also}state.known = known\n"
    );
    let hall = shape.to_owned() + &HALL.replacen("on = {\n    strike = function()\n", &write, 1);
    let game = mod_from_text(GAME, &[("hall.luau", &hall)]);
    Content { mods: load_order(vec![game]).unwrap(), settings: Value::map() }
}

#[test]
fn removed_content_may_be_written_back_in_strict_mode() {
    let data_dir = data_dir();
    let mods = ward_content(false).mods.mods.into_iter().chain([oak_mod()]).collect();
    let with_oak = Content { mods: load_order(mods).unwrap(), settings: Value::map() };
    let mut in_hand = begin(&mut lock_ada(&data_dir), with_oak);
    choose(&mut in_hand.session, "strike");
    let run_id = close_run(&data_dir, in_hand);

    let mut opened = session::resume(&data_dir, &run_id, Some(&ward_content(false))).unwrap();
    opened.session.enable_strict();
    let told = choose(&mut opened.session, "strike");
    assert!(told.refused.is_none(), "{:?}", told.refused);
    let run_id = close_run(&data_dir, opened);

    let mut stray = session::resume(&data_dir, &run_id, Some(&ward_content(true))).unwrap();
    stray.session.enable_strict();
    let refused = choose(&mut stray.session, "strike").refused.unwrap().to_string();
    assert!(refused.contains("\"oak:elm\", and there is no such word"), "{refused}");
}
