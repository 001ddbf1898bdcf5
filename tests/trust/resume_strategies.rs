//! Whatever fails while a run is resumed, the next older way is tried: without the checkpoint, from
//! the start, or up to the last step that matches. The player is informed, and the file is complete
//! each time.

use std::sync::Arc;

use engine::base::fault::plant;
use engine::base::{Digest, Problem, Value};
use engine::mods::load_order;
use engine::protocol::{Input, StoryEvent, World};
use engine::save::{
    DataDir, Disk, JournalEntry, JournalWriter, MemoryDisk, ModVersion, ReadExtent,
    open_run_for_writing,
};
use engine::session::{self, ActiveRun, Content, RunRequest};

use crate::support::disk::FaultyDisk;
use crate::support::memory_runs::{self, choose, lock_ada, without_answers};
use crate::support::{GAME, mod_from_text};

const RUN: &str = "ada-0001";

const MINE: &str = r#"
start(function()
  state.depth = 0
  say "The lamp is lit."
  go "shaft"
end)
scene "shaft" {
  prompt = function()
    return { text = "Dig?", choices = { { id = "dig", label = "Dig" }, { id = "stop", label = "Stop" } } }
  end,
  on = {
    dig = function()
      for _ = 1, 4000 do end -- long enough for a look at the clock
      state.depth += roll("1d100", "mine")
      say("You are {n} deep.", { n = state.depth })
    end,
    stop = function() finish { outcome = "out" } end,
  },
}
"#;

fn content() -> Content {
    let mods = load_order(vec![mod_from_text(GAME, &[("mine.luau", MINE)])]).unwrap();
    Content { mods, settings: Value::map() }
}

/// A run of this many steps, and the digest after each.
fn run_of_steps(steps: usize) -> (FaultyDisk, DataDir, Vec<Digest>) {
    let (disk, data_dir) = memory_runs::data_dir();
    let mut session = memory_runs::begin(&mut lock_ada(&data_dir), content(), 3).session;
    let mut digests = vec![session.digest()];
    for _ in 0..steps {
        choose(&mut session, "dig");
        digests.push(session.digest());
    }
    (disk, data_dir, digests)
}

fn writer(data_dir: &DataDir) -> JournalWriter {
    open_run_for_writing(data_dir, RUN, ReadExtent::AfterCheckpoint).unwrap().writer.unwrap()
}

fn intent(step: u64) -> JournalEntry {
    JournalEntry::Intent { step, input: Input::Choice("dig".to_owned()), said: String::new() }
}

fn result(step: u64, digest: Digest, text: &str) -> JournalEntry {
    let events = vec![StoryEvent::Say { text: text.to_owned() }];
    JournalEntry::Result { step, digest, events, changes: Default::default() }
}

fn codes(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.code.as_str()).collect()
}

/// Resumes the run; the file is complete before and after, and the run is played on and resumed
/// again.
fn assert_run_continues(data_dir: &DataDir, stands_at: (u64, Digest), told: &[&str]) -> ActiveRun {
    let before = data_dir.disk().read(&data_dir.journal_path(RUN).unwrap(), u64::MAX).unwrap();
    let mut hand = session::resume(data_dir, RUN, Some(&content())).unwrap();
    assert_eq!(codes(&hand.notes), told, "{:?}", hand.notes);
    assert_eq!((hand.session.step_number(), hand.session.digest()), stands_at);
    let after = data_dir.disk().read(&data_dir.journal_path(RUN).unwrap(), u64::MAX).unwrap();
    assert!(after.starts_with(&before), "nothing that was written is gone");
    assert!(hand.session.prompt().scene == "game:shaft", "there is a question to answer");
    hand.session.answer(&Input::Choice("dig".to_owned())).unwrap();
    let digest = hand.session.digest();
    let hand_back = hand;
    let opened = data_dir.open(RUN, ReadExtent::All).unwrap();
    assert!(opened.damage.is_none() && opened.torn_line_note.is_none());
    drop(hand_back);
    let mut again = session::resume(data_dir, RUN, Some(&content())).unwrap();
    assert_eq!(codes(&again.notes), [""; 0], "a skipped entry does not come back");
    assert_eq!(again.session.digest(), digest);
    again
}

#[test]
fn a_run_whose_checkpoint_leads_elsewhere_is_played_from_its_start() {
    let (_, data_dir, digests) = run_of_steps(20);
    let (_, twin, _) = run_of_steps(21);
    // A checkpoint of another world, and a step after it that only the true one reproduces.
    let mut writer = writer(&data_dir);
    let mut other = World::new(99);
    let digest = other.digest();
    writer.replace_checkpoint(other.snapshot(), digest).unwrap();
    let last = twin.open(RUN, ReadExtent::All).unwrap().entries;
    let last: Vec<JournalEntry> = last.into_iter().rev().take(2).map(|(_, entry)| entry).collect();
    writer.append_all(&[last[1].clone(), last[0].clone()], true).unwrap();
    drop(writer);
    let (.., all) = run_of_steps(21);
    assert_eq!(digests[..], all[..21]);
    assert_run_continues(&data_dir, (21, all[21]), &["checkpoint-passed-over"]);
}

#[test]
fn a_run_that_comes_to_something_else_goes_on_from_its_last_good_step() {
    let digest = Digest::of(b"another");
    let cases: [(&str, Vec<JournalEntry>); 5] = [
        ("another digest", vec![intent(21), result(21, digest, "You are 7 deep.")]),
        (
            "told more",
            vec![
                intent(21),
                JournalEntry::Result {
                    step: 21,
                    digest,
                    events: Vec::new(),
                    changes: Default::default(),
                },
            ],
        ),
        (
            "an answer that was never asked for",
            vec![
                JournalEntry::Intent {
                    step: 21,
                    input: Input::Choice("fly".to_owned()),
                    said: String::new(),
                },
                result(21, digest, "You fly."),
            ],
        ),
        (
            "further steps behind it, and one that is pending",
            vec![
                intent(21),
                result(21, digest, "You are 7 deep."),
                intent(22),
                result(22, digest, "You are 9 deep."),
                intent(23),
            ],
        ),
        (
            "an answer of another kind",
            vec![
                JournalEntry::Intent { step: 21, input: Input::Number(7), said: String::new() },
                result(21, digest, "Seven."),
            ],
        ),
    ];
    for (what, entries) in cases {
        for with_checkpoint in [true, false] {
            let (disk, data_dir, digests) = run_of_steps(20);
            let mut writer = writer(&data_dir);
            writer.append_all(&entries, true).unwrap();
            let checkpoint = writer.path().with_file_name("checkpoint.json");
            drop(writer);
            let mut told = vec!["checkpoint-passed-over", "steps-taken-back"];
            if !with_checkpoint {
                disk.rename(&checkpoint, &checkpoint.with_extension("away")).unwrap();
                told.remove(0);
            }
            let again = assert_run_continues(&data_dir, (20, digests[20]), &told);
            let said = without_answers(&again.earlier_story)
                .into_iter()
                .filter(|event| matches!(event, StoryEvent::Say { .. }));
            assert_eq!(said.count(), 22, "{what}: the story is that of the steps that count");
        }
    }
}

#[test]
fn a_run_that_diverges_early_goes_on_from_the_later_of_its_good_steps() {
    // From the start it fails at step 3; from the checkpoint at 20 everything works.
    let (_, data_dir, _) = run_of_steps(2);
    let mut writer = writer(&data_dir);
    writer.append_all(&[intent(3), result(3, Digest::of(b"odd"), "A hollow.")], true).unwrap();
    let mut world = World::new(3);
    let (_, twin, digests) = run_of_steps(17);
    let opened = twin.open(RUN, ReadExtent::AfterCheckpoint).unwrap();
    world = World::restore(opened.checkpoint.unwrap().snapshot).unwrap_or(world);
    writer.replace_checkpoint(world.snapshot(), digests[16]).unwrap();
    drop(writer);
    let hand = session::resume(&data_dir, RUN, Some(&content())).unwrap();
    assert_eq!((codes(&hand.notes), hand.session.step_number()), (vec![], 3));
    drop(hand);
    // If the steps after it cannot be used either, the run stands at the checkpoint.
    let mut writer = self::writer(&data_dir);
    writer.append_all(&[intent(4), result(4, Digest::of(b"odd"), "A hollow.")], true).unwrap();
    drop(writer);
    assert_run_continues(
        &data_dir,
        (3, digests[16]),
        &["checkpoint-passed-over", "steps-taken-back"],
    );
}

#[test]
fn a_panic_of_ours_while_a_run_is_read_is_one_more_thing_that_is_passed_over() {
    let (_, data_dir, digests) = run_of_steps(20);
    {
        let _planted = plant("panic_at_the_checkpoint");
        let mut hand = session::resume(&data_dir, RUN, Some(&content())).unwrap();
        assert_eq!(codes(&hand.notes), ["checkpoint-passed-over"]);
        assert!(hand.notes[0].message.contains("the program panicked"), "{}", hand.notes[0]);
        assert_eq!((hand.session.step_number(), hand.session.digest()), (20, digests[20]));
    }
    let before = data_dir.disk().read(&data_dir.journal_path(RUN).unwrap(), u64::MAX).unwrap();
    {
        let _planted = plant("panic_playing_again");
        let problem =
            session::resume(&data_dir, RUN, Some(&content())).err().expect("no way is left");
        assert_eq!(problem.code, "engine-bug");
    }
    let after = data_dir.disk().read(&data_dir.journal_path(RUN).unwrap(), u64::MAX).unwrap();
    assert_eq!(before, after, "a run that cannot be resumed is unchanged");
    assert_run_continues(&data_dir, (20, digests[20]), &[]);
}

/// One run that cannot even be read: the start, the list and all other runs work.
#[test]
fn a_panic_of_ours_over_one_run_is_told_of_it_and_of_no_other() {
    let (_, data_dir, _) = run_of_steps(3);
    {
        let (mut held, _) = data_dir.lock_profile("Bela").unwrap();
        let wish = RunRequest {
            content: content(),
            options: Value::map(),
            seed: Some(4),
            practice: false,
        };
        session::start_run(&mut held, wish, &mut || 4).unwrap();
    }
    let _planted = plant("panic_while_reading_ada");
    let (held, told) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(codes(&told), ["engine-bug"]);
    assert!(told[0].place.as_ref().unwrap().file.contains(RUN), "{}", told[0]);
    assert_eq!(held.newest_counted_unfinished_run("game").unwrap(), None, "it holds up no other");
    let lines = data_dir.list_runs().unwrap();
    assert!(matches!(lines[0].status, engine::save::RunStatus::Damaged(_)));
    assert!(matches!(lines[1].status, engine::save::RunStatus::Unfinished { .. }));
    assert!(session::resume(&data_dir, "bela-0001", None).is_ok());
}

#[test]
fn content_that_is_gone_is_taken_from_wherever_it_is_at_hand() {
    type Harm = fn(&FaultyDisk, &std::path::Path);
    let harms: [(&str, Harm); 6] = [
        ("one byte is another", |disk, path| {
            let mut bytes = disk.read(path, u64::MAX).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            disk.write(path, &bytes).unwrap();
        }),
        ("it is gone", |disk, path| disk.rename(path, &path.with_extension("gone")).unwrap()),
        ("it is empty", |disk, path| disk.write(path, b"").unwrap()),
        ("it is cut", |disk, path| disk.truncate_file(path, 40).unwrap()),
        ("it is another mod", |disk, path| {
            let other = mod_from_text(&GAME.replace("game\"", "other\""), &[("a.luau", "")]);
            disk.write(path, other.serialize_for_store().as_bytes()).unwrap();
        }),
        ("it is no text", |disk, path| disk.write(path, &[0xff; 300]).unwrap()),
    ];
    for (what, harm) in harms {
        let (disk, data_dir, digests) = run_of_steps(20);
        let digest = content().mods.mods[0].digest;
        let path = data_dir.root().join("content").join(format!("{digest}.json"));
        let whole = disk.read(&path, u64::MAX).unwrap();
        harm(&disk, &path);
        let harmed = disk.read(&path, u64::MAX).ok();
        // Without the mods no strategy works; nothing is changed.
        let problem = session::resume(&data_dir, RUN, None).err().expect("it is nowhere");
        assert!(problem.code.as_str().starts_with("content-"), "{what}: {problem}");
        assert_run_continues(&data_dir, (20, digests[20]), &["content-found"]);
        assert_eq!(disk.read(&path, u64::MAX).unwrap(), whole, "{what}: stored again");
        let aside = path.with_file_name(format!("{digest}.damaged-1.json"));
        assert_eq!(disk.read(&aside, u64::MAX).ok(), harmed, "{what}: the damaged one is stored");
        // A replay, which needs no content of the caller, finds it too.
        assert_eq!(session::replay(&data_dir, RUN, &mut |_, _| {}).unwrap(), 21);
    }
}

/// The embedded game is available for every run.
#[test]
fn content_of_the_program_itself_is_at_hand_without_being_asked_for() {
    let disk = MemoryDisk::new();
    let data_dir = DataDir::on_disk(Arc::new(disk.clone()), "data");
    let source = crate::support::embedded_base_game();
    data_dir.store_content(&source).unwrap();
    let path = data_dir.root().join("content").join(format!("{}.json", source.digest));
    let whole = disk.read(&path, u64::MAX).unwrap();
    for at in [0, 40, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        disk.write(&path, &bytes).unwrap();
        assert_eq!(data_dir.load_content(source.digest).unwrap().digest, source.digest);
        assert_eq!(codes(&data_dir.take_fallback_notes()), ["content-found"]);
        assert_eq!(disk.read(&path, u64::MAX).unwrap(), whole, "byte {at}");
    }
    // Content with another digest is not used for it.
    assert_eq!(data_dir.load_content(Digest::default()).unwrap_err().code, "content-missing");
}

#[test]
fn a_reload_to_content_that_is_nowhere_is_passed_over() {
    let (_, data_dir, digests) = run_of_steps(5);
    let gone = ModVersion {
        id: "game".to_owned(),
        version: "0.2.0".to_owned(),
        digest: Digest::of(b"nowhere"),
    };
    let mut writer = writer(&data_dir);
    let reload = JournalEntry::Reload {
        mods: vec![gone],
        digest: digests[5],
        events: Vec::new(),
        changes: Default::default(),
    };
    writer.append_all(&[reload, intent(6), result(6, digests[5], "A lode.")], true).unwrap();
    drop(writer);
    let told = ["checkpoint-passed-over", "steps-taken-back"];
    assert_run_continues(&data_dir, (5, digests[5]), &told);
}

/// A mod that is not known to be the cause is not named.
#[test]
fn a_hint_blames_another_version_only_where_there_is_one() {
    let (_, data_dir, _) = run_of_steps(2);
    let mut writer = writer(&data_dir);
    writer.append_all(&[intent(3), result(3, Digest::default(), "Gold!")], true).unwrap();
    drop(writer);
    let problem = session::replay(&data_dir, RUN, &mut |_, _| {}).unwrap_err();
    let hint = problem.hint.unwrap();
    assert!(hint.contains("the same program") && !hint.contains("version"), "{hint}");
}

/// A run that cannot be resumed can be given up, and another begun.
#[test]
fn a_run_that_cannot_be_played_in_any_way_can_be_given_up() {
    let (_, data_dir, _) = run_of_steps(4);
    let _planted = plant("panic_playing_again");
    assert!(session::resume(&data_dir, RUN, None).is_err());
    let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
    assert_eq!(held.newest_counted_unfinished_run("game").unwrap().as_deref(), Some(RUN));
    session::abandon_unreadable(&mut held, RUN).unwrap();
    assert_eq!(held.newest_counted_unfinished_run("game").unwrap(), None);
    assert_eq!(held.profile().game("game").history.len(), 1);
    assert!(data_dir.open(RUN, ReadExtent::All).unwrap().run_state.is_paid);
}

/// A slow step is re-executed to its end, without a deadline.
#[test]
fn a_step_is_run_again_without_a_clock() {
    let (_, data_dir, digests) = run_of_steps(20);
    let _planted = plant("the_clock_runs_fast");
    let mut hand = session::resume(&data_dir, RUN, None).unwrap();
    assert_eq!(codes(&hand.notes), [""; 0]);
    assert_eq!(hand.session.digest(), digests[20]);
    assert_eq!(session::replay(&data_dir, RUN, &mut |_, _| {}).unwrap(), 20);
    session::undo_to(&data_dir, &mut hand.session, 7).unwrap();
    assert_eq!(hand.session.digest(), digests[7]);
    assert_eq!(session::RunSummary::from_run(&data_dir, RUN).unwrap().answer_count, 7);
}

/// A choice whose roll is reported in a later step, after something was spent on it, counts on the
/// run's page as one roll with its final result.
#[test]
fn an_open_roll_counts_once_it_is_told() {
    const DIE: &str = r#"
local function judge(total) return if total > 1 then "held" else "slipped" end
start(function() state.open = 0 go "edge" end)
scene "edge" {
  prompt = function()
    local climb = { id = "climb", label = "Climb", odds = odds("1d6", judge) }
    local hold = { id = "hold", label = "Hold on" }
    return { text = "?", choices = { if state.open == 0 then climb else hold } }
  end,
  on = {
    climb = function()
      local _, parts = roll("1d6", "edge", { label = "climb", outcome = judge, open = true })
      state.open = parts.open
    end,
    hold = function()
      amend_roll(state.open, 6)
      tell_roll(state.open, { outcome = judge })
      state.open = 0
    end,
  },
}
"#;
    let mods = load_order(vec![mod_from_text(GAME, &[("edge.luau", DIE)])]).unwrap();
    let (_, data_dir) = memory_runs::data_dir();
    let content = Content { mods, settings: Value::map() };
    let mut session = memory_runs::begin(&mut lock_ada(&data_dir), content, 3).session;
    choose(&mut session, "climb");
    let before = session::RunSummary::from_run(&data_dir, RUN).unwrap();
    assert_eq!((before.rolls.len(), before.rolls_with_odds), (1, 0));
    choose(&mut session, "hold");
    let after = session::RunSummary::from_run(&data_dir, RUN).unwrap();
    assert_eq!((after.rolls.len(), after.rolls_with_odds), (1, 1));
    assert!(!after.rolls[0].1.open && after.rolls[0].1.total > 6, "{:?}", after.rolls);
    let held = after.bands.iter().find(|band| band.label == "held").unwrap();
    assert_eq!(held.actual_count, 1);
}
