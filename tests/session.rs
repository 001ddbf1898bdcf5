//! Sessions on an in-memory disk: a step is atomic, a kill does not redraw dice, a run is paid
//! once, and without a prompt the host supplies one.

use base::Value;
use mods::{ModSet, ModSource, sort_into_load_order};
use protocol::Input;
use save::{DataDir, LockedProfile};
use session::{ActiveRun, RETRY_CHOICE_ID, RunContent, RunRequest};

use crate::support::disk::CrashEffect;
use crate::support::memory_runs::{
    self, choose, close_run, events_without_answers, lock_profile_of_ada, memory_data_dir,
    say_and_note_texts,
};

const WELL_MANIFEST: &str = r#"
id = "well"
name = "Well"
version = "0.1.0"
engine = "*"
game = true
"#;

/// A game of one bucket: draw until it is full, or fail a step on purpose.
const WELL_GAME: &str = r#"
start(function()
  state.drawn = 0
  say "The rope is wet."
  go "rim"
end)

scene "rim" {
  prompt = function()
    if state.cursed then
      error "the rim is cursed"
    end
    return { text = "Draw?", choices = {
      { id = "draw", label = "Draw" },
      { id = "spoil", label = "Draw, then drop everything" },
      { id = "curse", label = "Curse the rim" },
      { id = "fill", label = "Fill the bucket" },
    } }
  end,
  on = {
    draw = function()
      local face = roll("d100", "well")
      state.drawn += face
      say("You draw {n}.", { n = face })
      award { draws = 1 }
    end,
    spoil = function()
      local face = roll("d100", "well")
      state.drawn += face
      say "It slips."
      error "the rope breaks"
    end,
    curse = function()
      state.cursed = true
    end,
    fill = function()
      award { water = state.drawn }
      finish { outcome = "full" }
    end,
  },
}
"#;

fn well_source(well: &str) -> ModSource {
    let stored_json =
        serde_json::json!({ "manifest": WELL_MANIFEST, "files": { "well.luau": well } });
    ModSource::deserialize_from_store(&stored_json.to_string()).unwrap()
}

fn well_content(well: &str) -> RunContent {
    RunContent {
        mods: sort_into_load_order(vec![well_source(well)]).unwrap(),
        settings: Value::map(),
    }
}

fn begin_well_run(locked_profile: &mut LockedProfile) -> ActiveRun {
    memory_runs::begin_run(locked_profile, well_content(WELL_GAME), 7)
}

/// Closes the run and returns its id.
fn close_well_run(data_dir: &DataDir, active_run: ActiveRun) -> String {
    close_run(data_dir, active_run, "well")
}

#[test]
fn a_refused_step_leaves_no_trace() {
    let (_disk, data_dir) = memory_data_dir();
    let mut session = begin_well_run(&mut lock_profile_of_ada(&data_dir)).session;
    choose(&mut session, "draw");
    let digest_before = session.digest();
    let step_outcome = choose(&mut session, "spoil");
    assert!(step_outcome.events.is_empty());
    let problem = step_outcome.refusal.unwrap();
    assert!(problem.message.contains("the rope breaks"), "{problem}");
    assert_eq!(problem.place.as_ref().unwrap().file, "well.luau");
    assert_eq!(session.digest(), digest_before, "state and dice are as before");

    let other_data_dir = self::memory_data_dir().1;
    let mut other_session = begin_well_run(&mut lock_profile_of_ada(&other_data_dir)).session;
    choose(&mut other_session, "draw");
    let (refused_then_drawn, drawn) =
        (choose(&mut session, "draw"), choose(&mut other_session, "draw"));
    assert_eq!(
        say_and_note_texts(&refused_then_drawn.events),
        say_and_note_texts(&drawn.events),
        "a refused step draws nothing"
    );
}

#[test]
fn a_step_whose_prompt_fails_is_refused_and_undone() {
    let (_disk, data_dir) = memory_data_dir();
    let mut session = begin_well_run(&mut lock_profile_of_ada(&data_dir)).session;
    let digest_before = session.digest();
    let step_outcome = choose(&mut session, "curse");
    assert!(step_outcome.refusal.unwrap().message.contains("the rim is cursed"));
    assert_eq!(session.digest(), digest_before);
    assert_eq!(session.prompt().scene, "well:rim");
    assert!(choose(&mut session, "draw").refusal.is_none(), "the run continues");
}

#[test]
fn an_invalid_input_is_not_written_to_the_journal() {
    let (disk, data_dir) = memory_data_dir();
    let mut session = begin_well_run(&mut lock_profile_of_ada(&data_dir)).session;
    let calls = disk.call_count();
    let answer_result = session.answer_prompt(&Input::Choice("jump".to_owned()));
    assert!(matches!(answer_result, Err(problem) if problem.message.contains("jump")));
    assert_eq!(disk.call_count(), calls);
}

#[test]
fn a_run_cut_off_at_any_disk_call_resumes_with_the_same_dice() {
    let script = ["draw", "spoil", "draw", "draw", "curse", "draw"];
    let expected_texts = {
        let (_disk, data_dir) = memory_data_dir();
        let mut session = begin_well_run(&mut lock_profile_of_ada(&data_dir)).session;
        script
            .iter()
            .map(|id| say_and_note_texts(&choose(&mut session, id).events))
            .collect::<Vec<_>>()
    };
    for effect in [
        CrashEffect::EverythingStored,
        CrashEffect::UnsyncedLost,
        CrashEffect::UnsyncedTorn(1),
        CrashEffect::UnsyncedZeroed,
    ] {
        for failing_call in 1..40 {
            assert_resumes_after_disk_failure(&script, &expected_texts, effect, failing_call);
        }
    }
}

/// Plays the script on a disk that fails every call from the `failing_call`th on, crashes, and
/// resumes.
fn assert_resumes_after_disk_failure(
    script: &[&str],
    expected_texts: &[Vec<String>],
    effect: CrashEffect,
    failing_call: u64,
) {
    let (disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let mut active_run = begin_well_run(&mut profile);
    disk.fail_calls(failing_call, u64::MAX);
    let mut shown_steps = 0;
    for (index, id) in script.iter().enumerate() {
        match active_run.session.answer_prompt(&Input::Choice((*id).to_owned())) {
            Ok(step_outcome) => assert_eq!(
                say_and_note_texts(&step_outcome.events),
                expected_texts[index],
                "{effect:?} at {failing_call}"
            ),
            Err(_) => break,
        }
        shown_steps += 1;
    }
    drop((active_run, profile));
    disk.clear_failure();
    disk.crash_and_restart(effect);
    let run_id = lock_profile_of_ada(&data_dir)
        .newest_unfinished_original_run("well")
        .unwrap()
        .expect("the run is there");
    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&well_content(WELL_GAME))).unwrap();
    let resumed_step = usize::try_from(resumed_run.session.step_number()).unwrap();
    let mut story_texts = say_and_note_texts(&events_without_answers(&resumed_run.earlier_story));
    story_texts.extend(say_and_note_texts(&resumed_run.step_outcome.events));
    let start_texts = ["The rope is wet.".to_owned()];
    let expected: Vec<String> =
        start_texts.into_iter().chain(expected_texts[..resumed_step].concat()).collect();
    assert_eq!(story_texts, expected, "{effect:?} at {failing_call}: no shown line is lost");
    assert!(
        resumed_step >= shown_steps && resumed_step <= shown_steps + 1,
        "{effect:?} at {failing_call}: shown {shown_steps}, resumed at {resumed_step}"
    );
    for (index, id) in script.iter().enumerate().skip(resumed_step) {
        let step_outcome = choose(&mut resumed_run.session, id);
        assert_eq!(
            say_and_note_texts(&step_outcome.events),
            expected_texts[index],
            "{effect:?} at {failing_call}: the same dice"
        );
    }
}

#[test]
fn a_finished_run_is_paid_for_once() {
    let (_disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let mut session = begin_well_run(&mut profile).session;
    choose(&mut session, "draw");
    choose(&mut session, "fill");
    let earned_water = session.award_so_far().get("water").and_then(Value::as_int).unwrap();
    for _ in 0..3 {
        session::pay_run(&mut session, &mut profile).unwrap();
    }
    let data = profile.profile().game_profile("well").award_data;
    assert_eq!(data.get("water").and_then(Value::as_int), Some(earned_water));
    assert_eq!(profile.newest_unfinished_original_run("well").unwrap(), None);
}

#[test]
fn an_abandoned_run_is_paid_and_over() {
    let (_disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let mut session = begin_well_run(&mut profile).session;
    choose(&mut session, "draw");
    session::abandon_run(&mut session, &mut profile).unwrap();
    assert_eq!(profile.newest_unfinished_original_run("well").unwrap(), None);
    assert!(profile.profile().game_profile("well").finished_runs[0].was_abandoned);
}

#[test]
fn a_run_goes_on_with_mods_that_were_made_for_another_engine() {
    let (_disk, data_dir) = memory_data_dir();
    let manifest = WELL_MANIFEST.replace("engine = \"*\"", "engine = \"0.0.1\"");
    let stored_json =
        serde_json::json!({ "manifest": manifest, "files": { "well.luau": WELL_GAME } });
    let source = ModSource::deserialize_from_store(&stored_json.to_string()).unwrap();
    let new = sort_into_load_order(vec![source.clone()]).unwrap_err();
    assert_eq!(new[0].code, "wrong-engine");
    // As the program of that engine began it.
    let mods = ModSet { mods: vec![source], translation: None };
    let content = RunContent { mods, settings: Value::map() };
    let active_run = memory_runs::begin_run(&mut lock_profile_of_ada(&data_dir), content, 7);
    let run_id = close_well_run(&data_dir, active_run);
    let mut resumed = session::resume_run(&data_dir, &run_id, None).unwrap();
    choose(&mut resumed.session, "draw");
}

#[test]
fn a_run_given_up_is_recorded_with_what_the_title_names() {
    let (_disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    let title = "title \"main\" { name = \"Well\", recorded_state = { drawn = \"drawn\", gone = \"a.b\" } }";
    let content = well_content(&format!("{WELL_GAME}\n{title}\n"));
    let mut session = memory_runs::begin_run(&mut profile, content, 7).session;
    choose(&mut session, "draw");
    session::abandon_run(&mut session, &mut profile).unwrap();
    let outcome = &profile.profile().game_profile("well").finished_runs[0].outcome;
    assert!(outcome.get("drawn").and_then(Value::as_int) > Some(0), "{outcome:?}");
    assert_eq!(outcome.get("gone"), None);
}

#[test]
fn a_run_abandoned_unread_is_paid_all_that_it_earned() {
    let (_disk, data_dir) = memory_data_dir();
    let mut active_run = begin_well_run(&mut lock_profile_of_ada(&data_dir));
    for _ in 0..40 {
        choose(&mut active_run.session, "draw");
    }
    let run_id = close_well_run(&data_dir, active_run);
    let mut profile = lock_profile_of_ada(&data_dir);
    session::abandon_unplayable_run(&mut profile, &run_id).unwrap();
    let data = profile.profile().game_profile("well").award_data;
    assert_eq!(data.get("draws").and_then(Value::as_int), Some(40));
}

#[test]
fn a_second_run_is_refused_while_one_is_unfinished() {
    let (_disk, data_dir) = memory_data_dir();
    let mut profile = lock_profile_of_ada(&data_dir);
    drop(begin_well_run(&mut profile));
    let run_request = RunRequest {
        content: well_content(WELL_GAME),
        options: Value::map(),
        seed: None,
        is_practice: false,
    };
    let problem = session::start_run(&mut profile, run_request, &mut || 8).err().unwrap();
    assert_eq!(problem.code, "unfinished-run");
}

#[test]
fn resume_uses_changed_content_only_if_it_loads() {
    let (_disk, data_dir) = memory_data_dir();
    let mut active_run = begin_well_run(&mut lock_profile_of_ada(&data_dir));
    choose(&mut active_run.session, "draw");
    let run_id = close_well_run(&data_dir, active_run);

    let broken_content = well_content(&WELL_GAME.replace("text = \"Draw?\"", "txt = \"Draw?\""));
    let mut run_with_old_content =
        session::resume_run(&data_dir, &run_id, Some(&broken_content)).unwrap();
    assert!(
        run_with_old_content.notes.iter().any(|note| note.code == "content-kept"),
        "{:?}",
        run_with_old_content.notes
    );
    assert!(run_with_old_content.session.prompt().text.contains("Draw?"));
    choose(&mut run_with_old_content.session, "draw");
    let run_id = close_well_run(&data_dir, run_with_old_content);

    let changed_content = well_content(&WELL_GAME.replace("Draw?", "Draw again?"));
    let mut run_with_new_content =
        session::resume_run(&data_dir, &run_id, Some(&changed_content)).unwrap();
    assert!(run_with_new_content.notes.iter().any(|note| note.code == "content-changed"));
    assert_eq!(run_with_new_content.session.prompt().text, "Draw again?");
    choose(&mut run_with_new_content.session, "draw");
    let run_id = close_well_run(&data_dir, run_with_new_content);

    let mut steps = Vec::new();
    let last_step =
        session::replay_and_verify(&data_dir, &run_id, &mut |step, _| steps.push(step)).unwrap();
    assert_eq!(
        (last_step, steps),
        (3, vec![0, 1, 2, 3]),
        "each stretch on the content that made it"
    );
}

#[test]
fn a_failed_start_asks_to_retry_and_continues_once_repaired() {
    let (_disk, data_dir) = memory_data_dir();
    let broken_game = WELL_GAME.replace("state.drawn = 0", "error \"no water\"");
    let run_request = RunRequest {
        content: well_content(&broken_game),
        options: Value::map(),
        seed: None,
        is_practice: false,
    };
    let mut active_run =
        session::start_run(&mut lock_profile_of_ada(&data_dir), run_request, &mut || 7).unwrap();
    assert!(active_run.step_outcome.refusal.unwrap().message.contains("no water"));
    assert_eq!(active_run.session.prompt().scene, "host:stuck");
    assert!(choose(&mut active_run.session, RETRY_CHOICE_ID).refusal.is_some(), "still broken");
    data_dir.store_mods(&well_content(WELL_GAME).mods).unwrap();
    active_run.session.reload(well_content(WELL_GAME)).unwrap();
    let step_outcome = choose(&mut active_run.session, RETRY_CHOICE_ID);
    assert_eq!(say_and_note_texts(&step_outcome.events), ["The rope is wet."]);
    assert_eq!(active_run.session.prompt().scene, "well:rim");
}

#[test]
fn an_unwritten_result_is_not_shown_and_is_repeated_on_retry() {
    let (disk, data_dir) = memory_data_dir();
    let mut session = begin_well_run(&mut lock_profile_of_ada(&data_dir)).session;
    let calls_per_step = {
        let calls_before = disk.call_count();
        choose(&mut session, "draw");
        disk.call_count() - calls_before
    };
    disk.fail_calls(calls_per_step - 1, 1);
    let answer_result = session.answer_prompt(&Input::Choice("draw".to_owned()));
    assert!(answer_result.is_err(), "{answer_result:?}");
    assert_eq!(session.prompt().scene, "host:unwritten");
    disk.clear_failure();
    let step_outcome = choose(&mut session, RETRY_CHOICE_ID);
    assert_eq!(say_and_note_texts(&step_outcome.events).len(), 1);
    assert_eq!(session.step_number(), 2);
}
