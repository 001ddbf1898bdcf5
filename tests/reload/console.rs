//! The developer console: each command is a step, is recorded in the journal, and marks the run.

use base::Value;
use save::{ConsoleCommand, ReadExtent, RunStatus};

use super::harness::*;
use super::live_session::LiveSession;
use crate::support::memory_runs::events_without_answers;
use crate::support::{manifest_needing, mod_from_text};

fn lua_command(line: &str) -> ConsoleCommand {
    ConsoleCommand::Lua(line.to_owned())
}

#[test]
fn a_console_line_changes_state_and_is_replayed() {
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, Vec::new()));
    let session = &mut active_run.session;
    assert_eq!(
        say_and_note_texts(
            &session.run_console_step(lua_command("state.blows = 40")).unwrap().events
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        say_and_note_texts(
            &session.run_console_step(lua_command("state.blows + 2")).unwrap().events
        ),
        ["42"]
    );
    let step_outcome = session.run_console_step(lua_command("state.known")).unwrap();
    assert_eq!(say_and_note_texts(&step_outcome.events), ["[\"game:ash\"]"]);
    let digest_before = session.digest();
    let problem = session
        .run_console_step(lua_command("state.blows = nothing.there"))
        .unwrap()
        .refusal
        .unwrap();
    assert!(problem.message.contains("nothing"), "{problem}");
    assert!(
        session
            .run_console_step(lua_command("state.blows = 1 error \"no\""))
            .unwrap()
            .refusal
            .is_some()
    );
    assert!(session.run_console_step(lua_command("while true do end")).unwrap().refusal.is_some());
    assert!(session.run_console_step(lua_command("((")).unwrap().refusal.is_some());
    assert_eq!(session.digest(), digest_before, "a line that fails leaves no trace");
    choose(session, "strike");
    let digest = session.digest();
    let run_id = close_run(&data_dir, active_run);
    let resumed_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    let session = resumed_run.session;
    assert_eq!(session.digest(), digest);
    drop(session);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 8);
    assert!(
        data_dir
            .open_run(&run_id, ReadExtent::All)
            .unwrap()
            .run_state
            .no_award_reasons
            .contains("console")
    );
}

#[test]
fn a_console_line_runs_in_the_scope_of_a_mod() {
    let in_mod = |mod_id: &str, line: &str| ConsoleCommand::LuaInMod {
        mod_id: mod_id.to_owned(),
        line: line.to_owned(),
    };
    let weather_script = "export(\"turn_to\", function(sky: string): string\n\
                          state.sky = sky\n  return \"it turns to \" .. sky\nend)\n\
                          export(\"skies.count\", function() return roll(\"d1000\", \"skies\") end)\n\
                          export(\"skies.fall\", function() error \"they fall\" end)\n";
    let mods = || {
        let needing_mod = mod_from_text(
            &manifest_needing("almanac", &["game", "weather"]),
            &[("almanac.luau", "export(\"pages\", function() return 12 end)\n")],
        );
        vec![mod_source("weather", "0.1.0", &[("weather.luau", weather_script)]), needing_mod]
    };
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, mods()));
    let session = &mut active_run.session;
    session.offer_disabling();
    let mut run_command = |command: ConsoleCommand| {
        let outcome = session.run_console_step(command).unwrap();
        outcome.refusal.map_or(Ok(say_and_note_texts(&outcome.events)), Err)
    };
    let line = "turn_to \"rain\"";
    // The game does not see its mods; the message says how to reach them.
    let problem = run_command(lua_command(line)).unwrap_err();
    assert!(problem.hint.as_ref().unwrap().contains("`:@weather …`"), "{problem}");
    assert_eq!(run_command(in_mod("weather", line)).unwrap(), ["\"it turns to rain\""]);
    // A mod sees the mods that it needs, and no others.
    let problem = run_command(in_mod("weather", "pages()")).unwrap_err();
    assert!(problem.hint.as_ref().unwrap().contains("`:@almanac …`"), "{problem}");
    assert_eq!(run_command(in_mod("almanac", "pages() + #state.sky")).unwrap(), ["16"]);
    run_command(in_mod("almanac", "state.count = skies.count()")).unwrap();
    let problem = run_command(in_mod("wether", line)).unwrap_err();
    assert_eq!(problem.code, "no-such-mod", "{problem}");
    assert!(problem.hint.as_ref().unwrap().contains("weather"), "{problem}");
    let problem = run_command(in_mod("weather", "turn_to(nil .. 1)")).unwrap_err();
    assert!(problem.to_string().contains("weather/console:1"), "{problem}");
    // Nor does a failure inside the mod ask whether to disable it.
    let problem = run_command(in_mod("weather", "skies.fall()")).unwrap_err();
    assert!(problem.to_string().contains("weather/weather.luau"), "{problem}");
    assert_eq!(run_command(lua_command("state.sky")).unwrap(), ["\"rain\""]);
    let digest = session.digest();
    let run_id = close_run(&data_dir, active_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 9);
    let content = hall_content(HALL_GAME, mods());
    assert_eq!(session::verify_run_with_content(&data_dir, &run_id, &content).unwrap(), 9);
    let resumed_run = session::resume_run(&data_dir, &run_id, Some(&content)).unwrap();
    assert_eq!(resumed_run.session.digest(), digest);
    drop(resumed_run);
    assert!(
        data_dir
            .open_run(&run_id, ReadExtent::All)
            .unwrap()
            .run_state
            .no_award_reasons
            .contains("console")
    );
}

#[test]
fn a_disabled_mod_has_no_console_scope() {
    let failing_script = "after(\"blow\", function() error \"no\" end)\n";
    let mods = vec![mod_source("bob", "0.1.0", &[("bob.luau", failing_script)])];
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, mods));
    let session = &mut active_run.session;
    choose(session, "strike");
    choose(session, session::DISABLE_MOD_CHOICE_ID);
    let command = ConsoleCommand::LuaInMod { mod_id: "bob".to_owned(), line: "1".to_owned() };
    let problem = session.run_console_step(command).unwrap().refusal.unwrap();
    assert!(problem.message.contains("\"bob\" is disabled"), "{problem}");
    assert_eq!(problem.hint, None);
}

#[test]
fn a_run_with_console_use_earns_nothing_but_stays_active() {
    let data_dir = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let mut active_run = begin_run(&mut profile, hall_content(HALL_GAME, Vec::new()));
    active_run.session.run_console_step(lua_command("state.blows = 1000")).unwrap();
    assert!(
        profile.newest_unfinished_original_run("game").unwrap().is_some(),
        "no new dice by way of the console"
    );
    choose(&mut active_run.session, "end");
    session::pay_run(&mut active_run.session, &mut profile).unwrap();
    assert_eq!(profile.profile().game_profile("game").award_data, Value::map());
    assert!(!profile.profile().game_profile("game").finished_runs[0].was_paid);
}

#[test]
fn the_console_can_set_the_scene_and_the_seed() {
    let hall_with_loft = format!(
        "{HALL_GAME}\nscene \"loft\" {{ prompt = function() return {{ text = \"Up?\", choices = {{ {{ id = \
         \"down\", label = \"Down\" }} }} }} end, on = {{ down = function() go \"hall\" end }} }}\n"
    );
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(&hall_with_loft, Vec::new()));
    let session = &mut active_run.session;
    session.run_console_step(ConsoleCommand::Goto("loft".to_owned())).unwrap();
    assert_eq!(session.prompt().scene, "game:loft");
    let problem =
        session.run_console_step(ConsoleCommand::Goto("lofd".to_owned())).unwrap().refusal.unwrap();
    assert!(problem.hint.unwrap().contains("game:loft"));
    choose(session, "down");
    let mut rolls_with_seed = |seed: u64| {
        session.run_console_step(ConsoleCommand::Seed(seed)).unwrap();
        session.run_console_step(lua_command("state.blows = 0")).unwrap();
        (0..8).map(|_| say_and_note_texts(&choose(session, "strike").events)).collect::<Vec<_>>()
    };
    let (first, second, third) = (rolls_with_seed(1), rolls_with_seed(2), rolls_with_seed(1));
    assert_eq!(first, third);
    assert_ne!(first, second);
    let digest = session.digest();
    let run_id = close_run(&data_dir, active_run);
    assert_eq!(session::resume_run(&data_dir, &run_id, None).unwrap().session.digest(), digest);
}

#[test]
fn undo_keeps_the_journal_and_continues_with_the_same_dice() {
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, Vec::new()));
    let mut digests = vec![active_run.session.digest()];
    let mut story_texts = Vec::new();
    for _ in 0..40 {
        story_texts.extend(say_and_note_texts(&choose(&mut active_run.session, "strike").events));
        digests.push(active_run.session.digest());
    }
    let session = &mut active_run.session;
    assert_eq!(session::undo_to_step(&data_dir, session, 41).unwrap_err().code, "no-such-step");
    let story = session::undo_to_step(&data_dir, session, 10).unwrap();
    assert_eq!(say_and_note_texts(&events_without_answers(&story)), story_texts[..10]);
    assert_eq!((session.step_number(), session.digest()), (10, digests[10]));
    let texts_after_undo = say_and_note_texts(&choose(session, "strike").events);
    assert_eq!(texts_after_undo, story_texts[10..11], "the same dice");
    session::undo_to_step(&data_dir, session, 0).unwrap();
    assert_eq!(session.digest(), digests[0]);
    choose(session, "strike");
    assert_eq!(session.digest(), digests[1]);
    let run_id = close_run(&data_dir, active_run);
    let mut active_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    assert_eq!(active_run.session.digest(), digests[1]);
    assert_eq!(
        say_and_note_texts(&events_without_answers(&active_run.earlier_story)),
        story_texts[..1]
    );
    drop(active_run);
    let path = data_dir.root().join("runs").join(&run_id).join("checkpoint.json");
    data_dir.disk().rename(&path, &path.with_extension("aside")).unwrap();
    active_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    assert_eq!(active_run.session.digest(), digests[1], "with no checkpoint either");
    drop(active_run);
    assert_eq!(session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap(), 1);
    let journal = data_dir.root().join("runs").join(&run_id).join("journal.jsonl");
    let bytes = data_dir.disk().read_file(&journal, 1 << 24).unwrap();
    assert!(String::from_utf8(bytes).unwrap().contains("\"step\":40"), "nothing is lost");
}

#[test]
fn undo_across_a_reload_continues_with_current_content() {
    let data_dir = memory_data_dir();
    let mut active_run =
        begin_run(&mut lock_profile_of_ada(&data_dir), hall_content(HALL_GAME, Vec::new()));
    choose(&mut active_run.session, "strike");
    let changed_content = hall_content(&HALL_GAME.replace("Well?", "Well now?"), Vec::new());
    session::reload_if_content_differs(&data_dir, &mut active_run.session, changed_content)
        .unwrap()
        .unwrap();
    choose(&mut active_run.session, "strike");
    session::undo_to_step(&data_dir, &mut active_run.session, 0).unwrap();
    assert_eq!(active_run.session.prompt().text, "Well now?");
    choose(&mut active_run.session, "strike");
    let digest = active_run.session.digest();
    let run_id = close_run(&data_dir, active_run);
    let resumed_run = session::resume_run(&data_dir, &run_id, None).unwrap();
    assert_eq!(resumed_run.session.prompt().text, "Well now?");
    assert_eq!(resumed_run.session.digest(), digest);
    drop(resumed_run);
    session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_fork_has_its_own_journal_and_names_its_parent() {
    let data_dir = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let mut active_run = begin_run(&mut profile, hall_content(HALL_GAME, Vec::new()));
    for _ in 0..5 {
        choose(&mut active_run.session, "strike");
    }
    session::undo_to_step(&data_dir, &mut active_run.session, 3).unwrap();
    let parent_id = active_run.session.run_id().unwrap();
    let blows = state_value(&active_run.session, "blows");
    let mut fork_run =
        session::fork_run(&mut profile, &mut active_run.session, &mut || 99).unwrap();
    let fork_id = fork_run.session.run_id().unwrap();
    assert_ne!(fork_id, parent_id);
    assert_eq!(state_value(&fork_run.session, "blows"), blows);
    let header = data_dir.open_run(&fork_id, ReadExtent::All).unwrap().header;
    let parent_reference = header.forked_from.clone().unwrap();
    assert_eq!((parent_reference.run_id.as_str(), parent_reference.step), (parent_id.as_str(), 3));
    let next_rolls = |session: &mut session::Session| {
        (0..6).map(|_| say_and_note_texts(&choose(session, "strike").events)).collect::<Vec<_>>()
    };
    assert_ne!(
        next_rolls(&mut fork_run.session),
        next_rolls(&mut active_run.session),
        "it has dice of its own"
    );
    choose(&mut fork_run.session, "end");
    session::pay_run(&mut fork_run.session, &mut profile).unwrap();
    assert_eq!(profile.profile().game_profile("game").award_data, Value::map(), "it earns nothing");
    drop(fork_run);
    session::replay_and_verify(&data_dir, &fork_id, &mut |_, _| {}).unwrap();
    let run_list = data_dir.list_runs().unwrap();
    let ended_runs = run_list.iter().filter(|line| matches!(line.status, RunStatus::Ended(_)));
    assert_eq!(ended_runs.count(), 1, "the parent continues");
}

#[test]
fn lines_after_a_colon_run_in_the_console() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    live_session.type_line(":state.drawn = 40");
    live_session.wait_for("How far down?");
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 43.");
    live_session.type_line(":back");
    live_session.wait_for("Back at step 1.");
    live_session.type_line(":state.drawn");
    live_session.wait_for("(40)");
    live_session.type_line(":goto nowhere");
    live_session.wait_for("there is no scene \"well:nowhere\"");
    live_session.type_line(":@well state.drawn + rope.old.length");
    live_session.wait_for("(43)");
    live_session.type_line(":@wel state.drawn");
    live_session.wait_for("did you mean \"well\"?");
    live_session.type_line(":state.drwn.far = 1");
    live_session.wait_for("drwn");
    live_session.type_line(":@well");
    let output = live_session.wait_for("@MOD LINE");
    assert!(!output.contains("rolled back"), "a mistake in the console asks nothing: {output}");
    live_session.type_line(":seed 12");
    live_session.wait_for("How far down?");
    live_session.type_line(":fork");
    live_session.wait_for("This is now the run player-0002");
    live_session.type_line(":console");
    live_session.wait_for("goto SCENE");
    live_session.quit();
}

#[test]
fn a_fork_can_be_resumed_from_the_history() {
    let mut live_session = LiveSession::open_well_game(&["--dev"]);
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 3.");
    live_session.type_line(":fork");
    live_session.wait_for("This is now the run player-0002");
    live_session.type_line("draw");
    live_session.wait_for("You have drawn 6.");
    let base_folder = live_session.base_folder.clone();
    live_session.quit();
    let mut second_session = LiveSession::open(base_folder, &[]);
    second_session.wait_for("> ");
    second_session.type_line("history");
    second_session.wait_for("Practice runs");
    second_session.type_line("practice runs");
    second_session.wait_for("player-0002");
    second_session.type_line("player-0002");
    second_session.wait_for("Continue");
    second_session.type_line("continue");
    second_session.wait_for("How far down?");
    second_session.type_line("draw");
    second_session.wait_for("You have drawn 9.");
    second_session.quit();
}

#[test]
fn without_dev_there_is_no_console() {
    let mut live_session = LiveSession::open_well_game(&[]);
    live_session.type_line(":state.drawn = 40");
    live_session.wait_for("is not a command");
    live_session.quit();
}
