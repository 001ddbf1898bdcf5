//! Sessions on an in-memory disk: a step is atomic, a kill does not redraw dice, a run is paid
//! once, and without a prompt the host supplies one.

use engine::base::Value;
use engine::mods::{ModSource, load_order};
use engine::protocol::Input;
use engine::save::{DataDir, LockedProfile, ReadExtent};
use engine::session::{self, ActiveRun, Content, RETRY_CHOICE_ID, RunRequest, StepError};

use crate::support::disk::Crash;
use crate::support::memory_runs::{
    self, choose, close_run, data_dir, lock_ada, texts, without_answers,
};

const MANIFEST: &str = r#"
id = "well"
name = "Well"
version = "0.1.0"
engine = "*"
game = true
"#;

/// A game of one bucket: draw until it is full, or fail a step on purpose.
const WELL: &str = r#"
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

fn source(well: &str) -> ModSource {
    let stored = serde_json::json!({ "manifest": MANIFEST, "files": { "well.luau": well } });
    ModSource::deserialize_from_store(&stored.to_string()).unwrap()
}

fn content(well: &str) -> Content {
    Content { mods: load_order(vec![source(well)]).unwrap(), settings: Value::map() }
}

fn begin(held: &mut LockedProfile) -> ActiveRun {
    memory_runs::begin(held, content(WELL), 7)
}

/// Closes the run and returns its id.
fn close_well_run(data_dir: &DataDir, in_hand: ActiveRun) -> String {
    close_run(data_dir, in_hand, "well")
}

#[test]
fn a_refused_step_leaves_no_trace() {
    let (_disk, data_dir) = data_dir();
    let mut session = begin(&mut lock_ada(&data_dir)).session;
    choose(&mut session, "draw");
    let before = session.digest();
    let told = choose(&mut session, "spoil");
    assert!(told.events.is_empty());
    let problem = told.refused.unwrap();
    assert!(problem.message.contains("the rope breaks"), "{problem}");
    assert_eq!(problem.place.as_ref().unwrap().file, "well.luau");
    assert_eq!(session.digest(), before, "state and dice are as before");

    let other = self::data_dir().1;
    let mut never_spoilt = begin(&mut lock_ada(&other)).session;
    choose(&mut never_spoilt, "draw");
    let (here, there) = (choose(&mut session, "draw"), choose(&mut never_spoilt, "draw"));
    assert_eq!(texts(&here.events), texts(&there.events), "a refused step draws nothing");
}

#[test]
fn a_step_whose_prompt_fails_is_refused_whole() {
    let (_disk, data_dir) = data_dir();
    let mut session = begin(&mut lock_ada(&data_dir)).session;
    let before = session.digest();
    let told = choose(&mut session, "curse");
    assert!(told.refused.unwrap().message.contains("the rim is cursed"));
    assert_eq!(session.digest(), before);
    assert_eq!(session.prompt().scene, "well:rim");
    assert!(choose(&mut session, "draw").refused.is_none(), "the run continues");
}

#[test]
fn an_input_that_answers_nothing_reaches_no_journal() {
    let (disk, data_dir) = data_dir();
    let mut session = begin(&mut lock_ada(&data_dir)).session;
    let calls = disk.calls();
    let found = session.answer(&Input::Choice("jump".to_owned()));
    assert!(matches!(found, Err(StepError::NotAccepted(why)) if why.contains("jump")));
    assert_eq!(disk.calls(), calls);
}

#[test]
fn killed_at_any_call_of_the_disk_it_resumes_with_the_same_dice() {
    let script = ["draw", "spoil", "draw", "draw", "curse", "draw"];
    let whole = {
        let (_disk, data_dir) = data_dir();
        let mut session = begin(&mut lock_ada(&data_dir)).session;
        script.iter().map(|id| texts(&choose(&mut session, id).events)).collect::<Vec<_>>()
    };
    for how in [Crash::Killed, Crash::Lost, Crash::Torn(1), Crash::Zeros] {
        for fatal in 1..40 {
            killed_once(&script, &whole, how, fatal);
        }
    }
}

/// Plays the script on a disk that fails every call from the `fatal`th on, crashes, and resumes.
fn killed_once(script: &[&str], whole: &[Vec<String>], how: Crash, fatal: u64) {
    let (disk, data_dir) = data_dir();
    let mut profile = lock_ada(&data_dir);
    let mut in_hand = begin(&mut profile);
    disk.fail(fatal, u64::MAX);
    let mut shown = 0;
    for (index, id) in script.iter().enumerate() {
        match in_hand.session.answer(&Input::Choice((*id).to_owned())) {
            Ok(told) => assert_eq!(texts(&told.events), whole[index], "{how:?} at {fatal}"),
            Err(_) => break,
        }
        shown += 1;
    }
    drop((in_hand, profile));
    disk.clear_failure();
    disk.crash(how);
    let run_id = lock_ada(&data_dir)
        .newest_counted_unfinished_run("well")
        .unwrap()
        .expect("the run is there");
    let mut again = session::resume(&data_dir, &run_id, Some(&content(WELL))).unwrap();
    let at = usize::try_from(again.session.step_number()).unwrap();
    let mut log = texts(&without_answers(&again.earlier_story));
    log.extend(texts(&again.output.events));
    let start = ["The rope is wet.".to_owned()];
    let expected: Vec<String> = start.into_iter().chain(whole[..at].concat()).collect();
    assert_eq!(log, expected, "{how:?} at {fatal}: no shown line is lost");
    assert!(at >= shown && at <= shown + 1, "{how:?} at {fatal}: shown {shown}, resumed at {at}");
    for (index, id) in script.iter().enumerate().skip(at) {
        let told = choose(&mut again.session, id);
        assert_eq!(texts(&told.events), whole[index], "{how:?} at {fatal}: the same dice");
    }
}

#[test]
fn a_finished_run_is_paid_for_once() {
    let (_disk, data_dir) = data_dir();
    let mut profile = lock_ada(&data_dir);
    let mut session = begin(&mut profile).session;
    choose(&mut session, "draw");
    choose(&mut session, "fill");
    let earned = session.award_so_far().get("water").and_then(Value::as_int).unwrap();
    for _ in 0..3 {
        session::pay_run(&mut session, &mut profile).unwrap();
    }
    let data = profile.profile().game("well").data;
    assert_eq!(data.get("water").and_then(Value::as_int), Some(earned));
    assert_eq!(profile.newest_counted_unfinished_run("well").unwrap(), None);
}

#[test]
fn a_run_given_up_keeps_what_it_earned_and_is_over() {
    let (_disk, data_dir) = data_dir();
    let mut profile = lock_ada(&data_dir);
    let mut session = begin(&mut profile).session;
    choose(&mut session, "draw");
    session::abandon(&mut session, &mut profile).unwrap();
    assert_eq!(profile.newest_counted_unfinished_run("well").unwrap(), None);
    assert!(profile.profile().game("well").history[0].abandoned);
}

#[test]
fn a_run_given_up_unplayed_is_paid_what_its_checkpoint_held() {
    let (_disk, data_dir) = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir));
    for _ in 0..40 {
        choose(&mut in_hand.session, "draw");
    }
    let run_id = close_well_run(&data_dir, in_hand);
    let step =
        data_dir.open(&run_id, ReadExtent::AfterCheckpoint).unwrap().checkpoint.unwrap().step;
    assert!((20..40).contains(&step), "{step}");
    let mut profile = lock_ada(&data_dir);
    session::abandon_unreadable(&mut profile, &run_id).unwrap();
    let data = profile.profile().game("well").data;
    assert_eq!(data.get("draws").and_then(Value::as_int), i64::try_from(step).ok());
}

#[test]
fn a_second_run_waits_for_the_first() {
    let (_disk, data_dir) = data_dir();
    let mut profile = lock_ada(&data_dir);
    drop(begin(&mut profile));
    let wish =
        RunRequest { content: content(WELL), options: Value::map(), seed: None, practice: false };
    let problem = session::start_run(&mut profile, wish, &mut || 8).err().unwrap();
    assert_eq!(problem.code, "unfinished-run");
}

#[test]
fn content_that_changed_is_taken_up_or_left_alone() {
    let (_disk, data_dir) = data_dir();
    let mut in_hand = begin(&mut lock_ada(&data_dir));
    choose(&mut in_hand.session, "draw");
    let run_id = close_well_run(&data_dir, in_hand);

    let bad = content(&WELL.replace("text = \"Draw?\"", "txt = \"Draw?\""));
    let mut kept = session::resume(&data_dir, &run_id, Some(&bad)).unwrap();
    assert!(kept.notes.iter().any(|note| note.code == "content-kept"), "{:?}", kept.notes);
    assert!(kept.session.prompt().text.contains("Draw?"));
    choose(&mut kept.session, "draw");
    let run_id = close_well_run(&data_dir, kept);

    let good = content(&WELL.replace("Draw?", "Draw again?"));
    let mut taken = session::resume(&data_dir, &run_id, Some(&good)).unwrap();
    assert!(taken.notes.iter().any(|note| note.code == "content-changed"));
    assert_eq!(taken.session.prompt().text, "Draw again?");
    choose(&mut taken.session, "draw");
    let run_id = close_well_run(&data_dir, taken);

    let mut steps = Vec::new();
    let last = session::replay(&data_dir, &run_id, &mut |step, _| steps.push(step)).unwrap();
    assert_eq!((last, steps), (3, vec![0, 1, 2, 3]), "each stretch on the content that made it");
}

#[test]
fn a_start_that_fails_is_asked_about_and_can_be_mended() {
    let (_disk, data_dir) = data_dir();
    let broken = WELL.replace("state.drawn = 0", "error \"no water\"");
    let wish = RunRequest {
        content: content(&broken),
        options: Value::map(),
        seed: None,
        practice: false,
    };
    let mut in_hand = session::start_run(&mut lock_ada(&data_dir), wish, &mut || 7).unwrap();
    assert!(in_hand.output.refused.unwrap().message.contains("no water"));
    assert_eq!(in_hand.session.prompt().scene, "host:stuck");
    assert!(choose(&mut in_hand.session, RETRY_CHOICE_ID).refused.is_some(), "still broken");
    data_dir.store_mods(&content(WELL).mods).unwrap();
    in_hand.session.reload(content(WELL)).unwrap();
    let told = choose(&mut in_hand.session, RETRY_CHOICE_ID);
    assert_eq!(texts(&told.events), ["The rope is wet."]);
    assert_eq!(in_hand.session.prompt().scene, "well:rim");
}

#[test]
fn a_result_that_cannot_be_written_is_not_shown_and_comes_again() {
    let (disk, data_dir) = data_dir();
    let mut session = begin(&mut lock_ada(&data_dir)).session;
    let calls_of_a_step = {
        let before = disk.calls();
        choose(&mut session, "draw");
        disk.calls() - before
    };
    disk.fail(calls_of_a_step - 1, 1);
    let found = session.answer(&Input::Choice("draw".to_owned()));
    assert!(matches!(found, Err(StepError::NotWritten(_))), "{found:?}");
    assert_eq!(session.prompt().scene, "host:unwritten");
    disk.clear_failure();
    let told = choose(&mut session, RETRY_CHOICE_ID);
    assert_eq!(texts(&told.events).len(), 1);
    assert_eq!(session.step_number(), 2);
}
