//! Two mods queue a prompt at the same event of the bundled game. One of them changes what follows:
//! the foe's answer.

use base::Value;
use protocol::StoryEvent;
use session::{RunContent, RunRequest, Session};

use crate::bundled;
use crate::support::memory_runs::{
    choose, lock_profile_of_ada, memory_data_dir, say_and_note_texts,
};

const BOTH_MODS: [&str; 2] = ["tests/queued_prompts/press_on", "tests/queued_prompts/sidestep"];

fn game_content(mods: &[&str]) -> RunContent {
    let mods: Vec<String> = mods.iter().map(|id| (*id).to_owned()).collect();
    bundled::game_content("sub_rosa", &mods)
}

/// Puts a run in front of a foe, with a strike available.
const START_FIGHT_LINE: &str = "rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = true, \
                     beaten = false } encounters.start_fight() flow.next()";

fn session_in_a_fight(mods: &[&str]) -> Session {
    let (mut session, _) = bundled::start_session(
        &game_content(mods),
        3,
        &[("build", Value::text("blade"))],
        Value::map(),
    );
    let step_outcome = session.run_unrecorded_luau("sub_rosa", START_FIGHT_LINE).unwrap();
    assert!(step_outcome.refusal.is_none(), "{}", step_outcome.refusal.unwrap());
    assert_eq!(session.prompt().scene, "sub_rosa:round");
    session
}

fn hero_vigour(session: &Session) -> i64 {
    let state = session.world().state.table_to_value(session.world().game_table()).unwrap();
    state.get("hero").unwrap().get("vigour").unwrap().as_int().unwrap()
}

/// Answers, and returns the scenes that ask in turn with all output.
fn play_answers(session: &mut Session, answers: &[&str]) -> (Vec<String>, Vec<StoryEvent>) {
    let (mut scenes, mut events) = (Vec::new(), Vec::new());
    for answer in answers {
        let step = choose(session, answer);
        assert!(step.refusal.is_none(), "{answer}: {}", step.refusal.unwrap());
        events.extend(step.events);
        scenes.push(session.prompt().scene.clone());
    }
    (scenes, events)
}

fn has_foe_answered(events: &[StoryEvent]) -> bool {
    events
        .iter()
        .any(|event| matches!(event, StoryEvent::Roll(roll) if roll.label.ends_with("answers")))
}

#[test]
fn queued_prompts_precede_the_foe_and_one_prevents_its_answer() {
    let mut session = session_in_a_fight(&BOTH_MODS);
    let full_vigour = hero_vigour(&session);
    let (scenes, events) = play_answers(&mut session, &["strike"]);
    assert_eq!(scenes, ["press_on:press"]);
    assert!(!has_foe_answered(&events), "it waits until both are answered");
    let (scenes, events) = play_answers(&mut session, &["hold", "step"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    assert!(!has_foe_answered(&events), "it was made to wait");
    assert!(
        say_and_note_texts(&events).iter().any(|line| line.contains("looks for you")),
        "{events:?}"
    );
    assert_eq!(hero_vigour(&session), full_vigour);

    let mut session = session_in_a_fight(&BOTH_MODS);
    let (scenes, events) = play_answers(&mut session, &["strike", "hold", "stand"]);
    assert_eq!(scenes.last().unwrap(), "sub_rosa:round");
    assert!(has_foe_answered(&events), "a standing foe is answered");
    // A blow from an answer emits the event too, but is no strike: it queues no further prompt.
    let (scenes, _) = play_answers(&mut session, &["strike", "press"]);
    assert_eq!(scenes, ["press_on:press", "sidestep:aside"]);
}

/// Without prompts the round runs as it does without stages.
#[test]
fn without_queued_prompts_a_round_is_one_step() {
    let mut session = session_in_a_fight(&[]);
    let (scenes, events) = play_answers(&mut session, &["strike"]);
    assert_eq!(scenes, ["sub_rosa:round"]);
    assert!(has_foe_answered(&events));
}

#[test]
fn a_refused_answer_is_undone_and_the_prompt_stays() {
    let mut session = session_in_a_fight(&BOTH_MODS);
    play_answers(&mut session, &["strike"]);
    let (full_vigour, digest) = (hero_vigour(&session), session.digest());
    assert!(choose(&mut session, "spoil").refusal.is_some());
    assert_eq!((hero_vigour(&session), session.digest()), (full_vigour, digest));
    assert_eq!(session.prompt().scene, "press_on:press");
    let (scenes, events) = play_answers(&mut session, &["hold", "stand"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    assert!(has_foe_answered(&events));
}

/// Closes a run and returns its id.
fn close_run(mut active_run: session::ActiveRun) -> String {
    active_run.session.run_id().expect("it lies on a disk")
}

/// A run on disk that stands at the first of the two prompts.
fn start_run_at_first_prompt() -> (save::DataDir, session::ActiveRun) {
    let (_, data_dir) = memory_data_dir();
    let content = game_content(&BOTH_MODS);
    let option_values = [("build".to_owned(), Value::text("blade"))].into();
    let specs = session::option_specs(bundled::load_vm(&content).registry());
    let options = session::complete_options(&specs, &option_values).unwrap();
    let run_request = RunRequest { content, options, seed: Some(3), is_practice: true };
    let mut active_run =
        session::start_run(&mut lock_profile_of_ada(&data_dir), run_request, &mut || 3).unwrap();
    let console_command = save::ConsoleCommand::Lua(START_FIGHT_LINE.to_owned());
    assert!(active_run.session.run_console_step(console_command).unwrap().refusal.is_none());
    play_answers(&mut active_run.session, &["strike"]);
    assert_eq!(active_run.session.prompt().scene, "press_on:press");
    (data_dir, active_run)
}

#[test]
fn a_run_resumes_and_replays_between_two_queued_prompts() {
    let (data_dir, mut active_run) = start_run_at_first_prompt();
    play_answers(&mut active_run.session, &["hold"]);
    let digest = active_run.session.digest();
    let run_id = close_run(active_run);
    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&game_content(&BOTH_MODS))).unwrap();
    assert_eq!(resumed_run.session.digest(), digest);
    assert_eq!(resumed_run.session.prompt().scene, "sidestep:aside");
    let (scenes, events) = play_answers(&mut resumed_run.session, &["step"]);
    assert_eq!(scenes, ["sub_rosa:round"]);
    assert!(!has_foe_answered(&events));
    let run_id = close_run(resumed_run);
    session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_mod_switched_off_while_its_prompt_is_open_is_skipped() {
    let (data_dir, active_run) = start_run_at_first_prompt();
    let run_id = close_run(active_run);
    let mut resumed_run =
        session::resume_run(&data_dir, &run_id, Some(&game_content(&BOTH_MODS[1..]))).unwrap();
    assert_eq!(resumed_run.session.prompt().scene, "host:gone");
    let (scenes, events) = play_answers(&mut resumed_run.session, &["go_on", "stand"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    assert!(has_foe_answered(&events), "what waited behind it is done");
    let run_id = close_run(resumed_run);
    session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_mod_disabled_while_its_prompt_is_open_is_skipped() {
    let (data_dir, mut active_run) = start_run_at_first_prompt();
    let session = &mut active_run.session;
    session.offer_disabling();
    assert!(choose(session, "spoil").refusal.is_some());
    assert_eq!(session.prompt().scene, "host:refused");
    choose(session, session::DISABLE_MOD_CHOICE_ID);
    assert_eq!(session.prompt().scene, "host:gone");
    let (scenes, _) = play_answers(session, &["go_on", "step"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    let (scenes, _) = play_answers(session, &["strike"]);
    assert_eq!(scenes, ["sidestep:aside"], "it asks no more");
    let run_id = close_run(active_run);
    session::replay_and_verify(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}
