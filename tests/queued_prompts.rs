//! Two mods queue a prompt at the same event of the bundled game. One of them changes what follows:
//! the foe's answer.

use engine::base::Value;
use engine::protocol::StoryEvent;
use engine::session::{self, Content, RunRequest, Session};

use crate::bundled;
use crate::support::memory_runs::{choose, data_dir, lock_ada, texts};

const BOTH: [&str; 2] = ["tests/queued_prompts/press_on", "tests/queued_prompts/sidestep"];

fn content(mods: &[&str]) -> Content {
    let mods: Vec<String> = mods.iter().map(|one| (*one).to_owned()).collect();
    bundled::content("sub_rosa", &mods)
}

/// Puts a run in front of a foe, with a strike available.
const FIGHT: &str = "rooms.here().foe = { id = 'sub_rosa:packer_rats', vigour = 40, max = 40, met = true, \
                     beaten = false } encounters.start_fight() flow.next()";

fn before_a_foe(mods: &[&str]) -> Session {
    let (mut session, _) =
        bundled::begin(&content(mods), 3, &[("build", Value::text("blade"))], Value::map());
    let told = session.run_unrecorded_line("sub_rosa", FIGHT).unwrap();
    assert!(told.refused.is_none(), "{}", told.refused.unwrap());
    assert_eq!(session.prompt().scene, "sub_rosa:round");
    session
}

fn vigour(session: &Session) -> i64 {
    let state = session.world().state.value(session.world().game_table()).unwrap();
    state.get("hero").unwrap().get("vigour").unwrap().as_int().unwrap()
}

/// Answers, and returns the scenes that ask in turn with all output.
fn play(session: &mut Session, answers: &[&str]) -> (Vec<String>, Vec<StoryEvent>) {
    let (mut scenes, mut told) = (Vec::new(), Vec::new());
    for answer in answers {
        let step = choose(session, answer);
        assert!(step.refused.is_none(), "{answer}: {}", step.refused.unwrap());
        told.extend(step.events);
        scenes.push(session.prompt().scene.clone());
    }
    (scenes, told)
}

fn answered(told: &[StoryEvent]) -> bool {
    told.iter()
        .any(|event| matches!(event, StoryEvent::Roll(roll) if roll.label.ends_with("answers")))
}

#[test]
fn both_stages_run_before_the_foe_answers_and_one_prevents_its_answer() {
    let mut session = before_a_foe(&BOTH);
    let whole = vigour(&session);
    let (scenes, told) = play(&mut session, &["strike"]);
    assert_eq!(scenes, ["press_on:press"]);
    assert!(!answered(&told), "it waits until both are answered");
    let (scenes, told) = play(&mut session, &["hold", "step"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    assert!(!answered(&told), "it was made to wait");
    assert!(texts(&told).iter().any(|line| line.contains("looks for you")), "{told:?}");
    assert_eq!(vigour(&session), whole);

    let mut session = before_a_foe(&BOTH);
    let (scenes, told) = play(&mut session, &["strike", "hold", "stand"]);
    assert_eq!(scenes.last().unwrap(), "sub_rosa:round");
    assert!(answered(&told), "a standing foe is answered");
    // A blow from an answer emits the event too, but is no strike: it queues no further prompt.
    let (scenes, _) = play(&mut session, &["strike", "press"]);
    assert_eq!(scenes, ["press_on:press", "sidestep:aside"]);
}

/// Without prompts the round runs as it does without stages.
#[test]
fn without_questions_a_round_is_one_step() {
    let mut session = before_a_foe(&[]);
    let (scenes, told) = play(&mut session, &["strike"]);
    assert_eq!(scenes, ["sub_rosa:round"]);
    assert!(answered(&told));
}

#[test]
fn a_refused_answer_is_undone_and_the_question_stands() {
    let mut session = before_a_foe(&BOTH);
    play(&mut session, &["strike"]);
    let (whole, digest) = (vigour(&session), session.digest());
    assert!(choose(&mut session, "spoil").refused.is_some());
    assert_eq!((vigour(&session), session.digest()), (whole, digest));
    assert_eq!(session.prompt().scene, "press_on:press");
    let (scenes, told) = play(&mut session, &["hold", "stand"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    assert!(answered(&told));
}

/// Closes a run and returns its id.
fn left(mut in_hand: session::ActiveRun) -> String {
    in_hand.session.run_id().expect("it lies on a disk")
}

/// A run on disk that stands at the first of the two prompts.
fn asked_on_disk() -> (engine::save::DataDir, session::ActiveRun) {
    let (_, data_dir) = data_dir();
    let content = content(&BOTH);
    let given = [("build".to_owned(), Value::text("blade"))].into();
    let specs = session::option_specs(bundled::load(&content).registry());
    let options = session::complete_options(&specs, &given).unwrap();
    let wish = RunRequest { content, options, seed: Some(3), practice: true };
    let mut in_hand = session::start_run(&mut lock_ada(&data_dir), wish, &mut || 3).unwrap();
    let order = engine::save::ConsoleCommand::Lua(FIGHT.to_owned());
    assert!(in_hand.session.run_console(order).unwrap().refused.is_none());
    play(&mut in_hand.session, &["strike"]);
    assert_eq!(in_hand.session.prompt().scene, "press_on:press");
    (data_dir, in_hand)
}

#[test]
fn a_run_is_left_opened_and_replayed_in_the_middle_of_the_questions() {
    let (data_dir, mut in_hand) = asked_on_disk();
    play(&mut in_hand.session, &["hold"]);
    let digest = in_hand.session.digest();
    let run_id = left(in_hand);
    let mut again = session::resume(&data_dir, &run_id, Some(&content(&BOTH))).unwrap();
    assert_eq!(again.session.digest(), digest);
    assert_eq!(again.session.prompt().scene, "sidestep:aside");
    let (scenes, told) = play(&mut again.session, &["step"]);
    assert_eq!(scenes, ["sub_rosa:round"]);
    assert!(!answered(&told));
    let run_id = left(again);
    session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_mod_that_is_switched_off_while_its_question_stands_is_skipped() {
    let (data_dir, in_hand) = asked_on_disk();
    let run_id = left(in_hand);
    let mut again = session::resume(&data_dir, &run_id, Some(&content(&BOTH[1..]))).unwrap();
    assert_eq!(again.session.prompt().scene, "host:gone");
    let (scenes, told) = play(&mut again.session, &["go_on", "stand"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    assert!(answered(&told), "what waited behind it is done");
    let run_id = left(again);
    session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}

#[test]
fn a_mod_that_is_disabled_while_its_question_stands_is_skipped() {
    let (data_dir, mut in_hand) = asked_on_disk();
    let session = &mut in_hand.session;
    session.offer_disabling();
    assert!(choose(session, "spoil").refused.is_some());
    assert_eq!(session.prompt().scene, "host:refused");
    choose(session, session::DISABLE_MOD_CHOICE_ID);
    assert_eq!(session.prompt().scene, "host:gone");
    let (scenes, _) = play(session, &["go_on", "step"]);
    assert_eq!(scenes, ["sidestep:aside", "sub_rosa:round"]);
    let (scenes, _) = play(session, &["strike"]);
    assert_eq!(scenes, ["sidestep:aside"], "it asks no more");
    let run_id = left(in_hand);
    session::replay(&data_dir, &run_id, &mut |_, _| {}).unwrap();
}
