//! A failure at a line of the game that another mod caused: the line that wrote a wrong value, or
//! gave it to a function, is named, and its mod is offered to be disabled.

use session::{ActiveRun, DISABLE_MOD_CHOICE_ID, Session};

use protocol::Input;

use super::four_mods::{base_game_with_mods, start_run_in_dungeon};
use super::harness::*;
use crate::support::{manifest_needing, mod_from_text};

fn choice_ids(session: &Session) -> Vec<String> {
    session.prompt().choices.iter().map(|choice| choice.id.clone()).collect()
}

/// A hall whose hero has declared fields, which its handler reads after the blow.
fn hall_with_hero() -> String {
    let hall = HALL_GAME
        .replace("state.blows = 0\n", "state.blows = 0\n  state.hero = { vigour = 9, luck = 1 }\n")
        .replace(
            "say(\"{n} in all",
            "if state.hero.vigour > 0 then note \"Up.\" end\n      say(\"{n} in all",
        );
    format!("{hall}schema \"hero\" {{ vigour = field.int, luck = field.int }}\n")
}

fn strike_with_script(script: &str) -> (ActiveRun, Option<base::Problem>) {
    let mods = vec![mod_source("bob", "0.1.0", &[("bob.luau", script)])];
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(&hall_with_hero(), mods));
    let refusal = choose(&mut active_run.session, "strike").refusal;
    (active_run, refusal)
}

#[test]
fn a_wrong_write_is_reported_at_its_line_and_its_mod_is_offered() {
    let scripts = [
        "after(\"blow\", function()\n  state.hero.vigour = nil\nend)\n",
        "after(\"blow\", function()\n  state.hero.vigour = \"three\"\nend)\n",
        "after(\"blow\", function()\n  state.hero = { vigour = nil, luck = 1 } state.hero.vigour = nil\nend)\n",
        "patch.scene \"game:hall\" { on = { strike = wrap(function(original)\n  \
         state.hero.vigour = nil\n  return original()\nend) } }\n",
    ];
    for script in scripts {
        let (mut active_run, refusal) = strike_with_script(script);
        let problem = refusal.unwrap_or_else(|| panic!("no refusal: {script}"));
        let place = problem.place.clone().unwrap();
        assert_eq!((&*place.owner, &*place.file, place.line), ("bob", "bob.luau", 2), "{problem}");
        assert!(problem.message.contains("this line sets state.hero.vigour"), "{problem}");
        assert!(problem.message.contains("attempt to compare"), "{problem}");
        let first_note = &problem.related_locations[0];
        assert_eq!((&*first_note.owner, &*first_note.file), ("game", "hall.luau"), "{problem}");
        let session = &mut active_run.session;
        assert!(choice_ids(session).contains(&DISABLE_MOD_CHOICE_ID.to_owned()), "{problem}");
        choose(session, DISABLE_MOD_CHOICE_ID);
        assert!(choose(session, "strike").refusal.is_none(), "{script}");
    }
}

#[test]
fn a_wrong_write_that_did_not_cause_the_failure_is_not_its_place() {
    let fail = "local x = nil\n  x.y = 1";
    // Written again before it was read; and nothing wrong at all.
    for statement in ["state.hero.vigour = nil\n  state.hero.vigour = 4", "state.hero.luck = 3"] {
        let script = format!("after(\"blow\", function()\n  {statement}\n  {fail}\nend)\n");
        let (_, refusal) = strike_with_script(&script);
        let problem = refusal.unwrap();
        assert!(problem.message.contains("attempt to index nil"), "{problem}");
        assert!(!problem.message.contains("this line sets"), "{problem}");
        let places = problem.place.iter().chain(&problem.related_locations);
        assert!(
            places.into_iter().all(|place| place.line != 2 || place.owner != "bob"),
            "{problem}"
        );
    }
    // A wrong write of a field that the failing line does not name is a note.
    let script = format!("after(\"blow\", function()\n  state.hero.luck = nil\n  {fail}\nend)\n");
    let problem = strike_with_script(&script).1.unwrap();
    assert!(problem.message.contains("attempt to index nil"), "{problem}");
    let note = problem.related_locations.last().unwrap();
    assert_eq!((&*note.owner, note.line), ("bob", 2), "{problem}");
    // A step that succeeds with a wrong value is accepted, as before.
    let script = "after(\"blow\", function() state.hero.luck = nil end)\n";
    assert_eq!(strike_with_script(script).1, None);
}

#[test]
fn a_failure_in_an_export_names_what_another_mod_gave_to_it() {
    let game = hall_with_hero()
        + "local function step_into(id)\n  local room = state.rooms[id]\n  return room.name\nend\n\
           export(\"doors.enter\", function(id, quietly)\n  return step_into(id)\nend)\n\
           export(\"doors.knock\", function(id)\n  return rules.knocks(id)\nend)\n\
           rule \"knocks\"(function(id) return odds(id, function() return \"all\" end) end)\n";
    let game = game.replace("state.blows = 0\n", "state.blows = 0\n  state.rooms = {}\n");
    let refusal_of = |hook: &str| {
        let script = format!("after(\"blow\", function(event)\n  {hook}\nend)\n");
        let mods = vec![mod_source("bob", "0.1.0", &[("bob.luau", &script)])];
        let data_dir = memory_data_dir();
        let mut active_run =
            begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(&game, mods));
        let problem = choose(&mut active_run.session, "strike").refusal.unwrap();
        let choice_ids = choice_ids(&active_run.session);
        assert!(choice_ids.contains(&DISABLE_MOD_CHOICE_ID.to_owned()), "{problem}");
        problem
    };
    for (hook, called) in [
        ("doors.enter \"nowhere\"", "`doors.enter(\"nowhere\")` called by bob"),
        (
            "local to = \"no\" .. \"where\" doors.enter(to, true)",
            "`doors.enter(\"nowhere\", true)`",
        ),
        ("pcall(doors.enter, \"other\") doors.enter(7)", "`doors.enter(7)` called by bob"),
        ("doors.knock \"2x\"", "`doors.knock(\"2x\")` called by bob"),
    ] {
        let problem = refusal_of(hook);
        assert!(problem.message.contains(called), "{hook}: {problem}");
        let places = problem.place.iter().chain(&problem.related_locations).take(2);
        let is_own_line = |place: &base::SourceLocation| place.owner == "bob" && place.line == 2;
        assert!(places.into_iter().any(is_own_line), "{hook}: {problem}");
    }
}

/// The same in the bundled game, where its own lines fail.
#[test]
fn a_failure_of_the_bundled_game_names_the_mod_that_caused_it() {
    let failure_of = |line: &str| {
        let script = format!("after(\"room_entered\", function()\n  {line}\nend)\n");
        let bob = mod_from_text(&manifest_needing("bob", &["sub_rosa"]), &[("bob.luau", &script)]);
        let data_dir = memory_data_dir();
        let content = base_game_with_mods(vec![bob]);
        let mut active_run = start_run_in_dungeon(&data_dir, content, "sub_rosa:ice_house");
        let session = &mut active_run.session;
        session.offer_disabling();
        let door = session.prompt().choices.iter().find(|choice| choice.id.starts_with("door:"));
        let door = Input::Choice(door.unwrap().id.clone());
        let problem = session.answer_prompt(&door).unwrap().refusal.unwrap();
        let choice = session.prompt().choice(DISABLE_MOD_CHOICE_ID);
        assert!(choice.is_some_and(|choice| choice.label.contains("mod bob ")), "{problem}");
        problem
    };
    let is_line_of_bob = |place: &base::SourceLocation| place.file == "bob.luau" && place.line == 2;
    let problem = failure_of("state.hero.vigour = nil");
    assert!(problem.message.contains("sets state.hero.vigour to nil"), "{problem}");
    assert!(is_line_of_bob(problem.place.as_ref().unwrap()), "{problem}");
    let problem = failure_of("doors.enter \"nowhere\"");
    assert!(problem.message.contains("`doors.enter(\"nowhere\")` called by bob"), "{problem}");
    assert!(is_line_of_bob(&problem.related_locations[0]), "{problem}");
}
