//! A whole run with a crash at every call of the disk, in every way a disk can lose data.

use engine::base::{Problem, Value};
use engine::save::{Disk, JournalEntry, ReadExtent, StartRunOutcome, open_run_for_writing};

use super::{GAME, ended, intent, new_run, open_data, result, snapshot};
use crate::support::disk::{Crash, FaultyDisk};

/// What a player saw, across crashes.
#[derive(Default)]
struct ObservedRun {
    seeds: Vec<u64>,
    steps: Vec<u64>,
    /// Steps that were begun: their results were computed, and must not be asked for again.
    begun: Vec<u64>,
    draws: u64,
}

const STEPS: u64 = 4;

/// Plays one run to its end from its current position.
fn play(disk: &FaultyDisk, seen: &mut ObservedRun) -> Result<(), Problem> {
    let data_dir = open_data(disk);
    let (mut held, _) = data_dir.lock_profile("Anna")?;
    if !held.profile().game(GAME).history.is_empty() {
        return Ok(());
    }
    let draws = &mut seen.draws;
    let mut draw = || {
        *draws += 1;
        1000 + *draws
    };
    let mut writer = match held.start_new_run(new_run(), &mut draw)? {
        StartRunOutcome::Started(writer) => *writer,
        StartRunOutcome::BlockedByUnfinishedRun(id) => {
            let resumed = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint)?;
            assert_eq!(resumed.opened.damage, None, "a crash leaves no damage");
            resumed.writer.unwrap()
        }
    };
    seen.seeds.push(writer.header().seed);
    loop {
        let step = writer.run_state().next_step;
        if step > STEPS {
            writer.append(&ended(), true)?;
            break;
        }
        match &writer.run_state().pending {
            None => {
                writer.append(&intent(step), true)?;
                seen.begun.push(step);
            }
            Some(pending) if pending.retries < 1 && pending.step > 0 => {
                writer.append(&JournalEntry::Retry { step }, true)?;
            }
            Some(_) => {}
        }
        // Half of the results are synced only with the next intent. That is allowed: they can be
        // recomputed from their own.
        writer.append(&result(step), step % 2 == 0)?;
        if step % 2 == 0 {
            seen.steps.push(step);
            // A failed checkpoint stops no run.
            let _ = writer.replace_checkpoint(snapshot(step), engine::base::Digest::default());
        }
    }
    held.pay_run(&mut writer).map(|_| ())
}

fn check_after_crash(disk: &FaultyDisk, seen: &ObservedRun, what: &str) {
    assert!(seen.seeds.windows(2).all(|pair| pair[0] == pair[1]), "{what}: another draw");
    let data_dir = open_data(disk);
    let (held, _) = data_dir.lock_profile("Anna").unwrap();
    let game = held.profile().game(GAME);
    assert_eq!(game.data.get("experience"), Some(&Value::Int(40)), "{what}: paid once");
    assert_eq!(game.data.get("found").and_then(Value::as_list).map(<[_]>::len), Some(1));
    assert_eq!((game.runs_started, game.history.len(), game.settled.len()), (1, 1, 1), "{what}");
    assert_ne!(game.next_seed, Some(seen.seeds[0]), "{what}: a used seed lies there again");
    let opened = data_dir.open("anna-0001", ReadExtent::All).unwrap();
    assert_eq!(opened.damage, None, "{what}");
    // Only the note that the profile was paid may be torn: nobody reads it any more.
    assert!(opened.torn_line_note.is_none() || opened.run_state.ended.is_some(), "{what}");
    for step in &seen.steps {
        let told = opened.entries.iter().any(|(_, entry)| *entry == result(*step));
        assert!(told, "{what}: step {step} was shown and is gone");
    }
}

/// An intent from before a crash is on disk after it, as an intent or as its result.
fn check_begun(disk: &FaultyDisk, seen: &ObservedRun, what: &str) {
    let Some(last) = seen.begun.last() else { return };
    let opened = open_data(disk).open("anna-0001", ReadExtent::All).unwrap();
    let kept = opened.entries.iter().any(|(_, entry)| *entry == intent(*last));
    assert!(kept, "{what}: the answer of step {last} was taken and is gone");
}

fn calls_of_a_whole_run() -> u64 {
    let disk = FaultyDisk::new();
    let mut seen = ObservedRun::default();
    play(&disk, &mut seen).unwrap();
    let calls = disk.calls();
    check_after_crash(&disk, &seen, "no crash at all");
    calls
}

#[test]
fn a_run_survives_a_crash_at_every_call() {
    let calls = calls_of_a_whole_run();
    assert!(calls > 60, "{calls} calls are too few to mean anything");
    let ways = [Crash::Killed, Crash::Lost, Crash::Torn(100), Crash::Torn(255), Crash::Zeros];
    for how in ways {
        for first in 0..calls {
            // A second crash during recovery, early or late.
            for second in [None, Some(first % 17), Some(first % 29 + 5)] {
                let disk = FaultyDisk::new();
                let mut seen = ObservedRun::default();
                for at in [Some(first), second].into_iter().flatten() {
                    disk.fail(at, u64::MAX);
                    let _ = play(&disk, &mut seen);
                    disk.crash(how);
                    check_begun(&disk, &seen, &format!("{how:?} at {at}, begun with {first}"));
                }
                let what = format!("{how:?} at {first}, then {second:?}");
                play(&disk, &mut seen).unwrap_or_else(|problem| panic!("{what}: {problem}"));
                check_after_crash(&disk, &seen, &what);
            }
        }
    }
}

#[test]
fn a_run_survives_any_one_call_that_fails() {
    for at in 0..calls_of_a_whole_run() {
        let disk = FaultyDisk::new();
        let mut seen = ObservedRun::default();
        disk.fail(at, 1);
        let _ = play(&disk, &mut seen);
        disk.clear_failure();
        play(&disk, &mut seen).unwrap();
        check_after_crash(&disk, &seen, &format!("call {at} failed"));
    }
}

#[test]
fn a_full_disk_refuses_and_the_same_call_goes_on_when_there_is_room() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = super::begin(&mut held, 7);
    writer.append(&result(0), true).unwrap();
    writer.append(&intent(1), false).unwrap();
    for room in 0..200 {
        disk.set_room(Some(disk.used() + room));
        match writer.append(&result(1), true) {
            Err(problem) => assert_eq!(problem.code, "disk-full"),
            Ok(()) => break,
        }
        let opened = open_data(&disk).open("anna-0001", ReadExtent::All).unwrap();
        assert!(opened.torn_line_note.is_none(), "nothing half written is left to be found");
        assert_eq!(writer.run_state().pending.as_ref().unwrap().step, 1);
    }
    disk.set_room(None);
    if writer.run_state().pending.is_some() {
        writer.append(&result(1), true).unwrap();
    }
    let opened = open_data(&disk).open("anna-0001", ReadExtent::All).unwrap();
    assert_eq!((opened.damage, opened.torn_line_note), (None, None));
    assert_eq!(opened.run_state.last_step(), Some(1));
    // A profile that cannot be written stays unchanged, in memory and on disk.
    disk.set_room(Some(disk.used() + 10));
    let before = held.profile().clone();
    let problem =
        held.update_profile(|profile| profile.name = "Anna the Elder".to_owned()).unwrap_err();
    assert_eq!(problem.code, "disk-full");
    assert_eq!(*held.profile(), before);
    assert_eq!(open_data(&disk).read_profile("anna").unwrap(), before);
}

#[test]
fn a_failed_sync_is_made_good_by_writing_again() {
    let disk = FaultyDisk::new();
    let (mut held, _) = open_data(&disk).lock_profile("Anna").unwrap();
    let mut writer = super::begin(&mut held, 7);
    writer.append(&result(0), false).unwrap();
    // The append succeeds, and its sync and the cut that should undo it fail.
    disk.fail(1, 2);
    assert!(writer.append(&intent(1), true).is_err());
    assert!(disk.exists(writer.path()).unwrap());
    writer.append(&intent(1), true).unwrap();
    disk.crash(Crash::Lost);
    let opened = open_data(&disk).open("anna-0001", ReadExtent::All).unwrap();
    assert_eq!(opened.entries, [(2, result(0)), (3, intent(1))]);
}
