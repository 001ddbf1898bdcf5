//! A failure at a line of the game that another mod caused: the line that wrote a wrong value, or
//! gave it to a function, is named, and its mod is offered to be disabled.

use session::{DISABLE_MOD_CHOICE_ID, Session};

use super::harness::*;

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
        let places = problem.place.iter().chain(&problem.trail).take(2);
        let is_own_line = |place: &base::SourceLocation| place.owner == "bob" && place.line == 2;
        assert!(places.into_iter().any(is_own_line), "{hook}: {problem}");
    }
}
