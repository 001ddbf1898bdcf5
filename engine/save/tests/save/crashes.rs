//! A whole run with a crash at every call of the disk, in every way a disk can lose data.

use base::{Problem, Value};
use save::{Disk, JournalEntry, ReadExtent, StartRunOutcome, open_run_for_writing};

use super::{
    GAME_ID, data_dir_on, ended_entry, intent_entry, new_run, result_entry, world_snapshot,
};
use crate::support::disk::{CrashEffect, FaultyDisk};

/// What a player saw, across crashes.
#[derive(Default)]
struct ObservedRun {
    run_seeds: Vec<u64>,
    displayed_steps: Vec<u64>,
    /// Steps that were begun: their results were computed, and must not be asked for again.
    begun_steps: Vec<u64>,
    draw_count: u64,
}

const LAST_STEP: u64 = 4;

/// Plays one run to its end from its current position.
fn play_to_end(disk: &FaultyDisk, observed_run: &mut ObservedRun) -> Result<(), Problem> {
    let data_dir = data_dir_on(disk);
    let (mut locked_profile, _) = data_dir.lock_profile("Anna")?;
    if !locked_profile.profile().game_profile(GAME_ID).finished_runs.is_empty() {
        return Ok(());
    }
    let draw_count = &mut observed_run.draw_count;
    let mut draw_seed = || {
        *draw_count += 1;
        1000 + *draw_count
    };
    let mut writer = match locked_profile.start_new_run(new_run(), &mut draw_seed)? {
        StartRunOutcome::Started(writer) => *writer,
        StartRunOutcome::BlockedByUnfinishedRun(id) => {
            let writable_run = open_run_for_writing(&data_dir, &id, ReadExtent::AfterCheckpoint)?;
            assert_eq!(writable_run.loaded_journal.damage, None, "a crash leaves no damage");
            writable_run.writer.unwrap()
        }
    };
    observed_run.run_seeds.push(writer.header().seed);
    loop {
        let step = writer.run_state().next_step;
        if step > LAST_STEP {
            writer.append(&ended_entry(), true)?;
            break;
        }
        match &writer.run_state().pending_step {
            None => {
                writer.append(&intent_entry(step), true)?;
                observed_run.begun_steps.push(step);
            }
            Some(pending) if pending.retry_count < 1 && pending.step > 0 => {
                writer.append(&JournalEntry::Retry { step }, true)?;
            }
            Some(_) => {}
        }
        // Half of the results are synced only with the next intent, because a result can be
        // recomputed from its own intent.
        writer.append(&result_entry(step), step % 2 == 0)?;
        if step % 2 == 0 {
            observed_run.displayed_steps.push(step);
            // A failed checkpoint stops no run.
            let _ = writer.replace_checkpoint(world_snapshot(step), base::Digest::default());
        }
    }
    locked_profile.pay_run(&mut writer).map(|_| ())
}

fn check_after_recovery(disk: &FaultyDisk, observed_run: &ObservedRun, context: &str) {
    assert!(
        observed_run.run_seeds.windows(2).all(|pair| pair[0] == pair[1]),
        "{context}: another draw"
    );
    let data_dir = data_dir_on(disk);
    let (locked_profile, _) = data_dir.lock_profile("Anna").unwrap();
    let game = locked_profile.profile().game_profile(GAME_ID);
    assert_eq!(game.award_data.get("experience"), Some(&Value::Int(40)), "{context}: paid once");
    assert_eq!(game.award_data.get("found").and_then(Value::as_list).map(<[_]>::len), Some(1));
    assert_eq!(
        (game.runs_started, game.finished_runs.len(), game.paid_runs.len()),
        (1, 1, 1),
        "{context}"
    );
    assert_ne!(
        game.next_seed,
        Some(observed_run.run_seeds[0]),
        "{context}: a used seed lies there again"
    );
    let opened_run = data_dir.open_run("anna-0001", ReadExtent::All).unwrap();
    assert_eq!(opened_run.damage, None, "{context}");
    // Only the entry that the profile was paid may be torn: no later code reads it.
    assert!(
        opened_run.torn_line_note.is_none() || opened_run.run_state.run_ending.is_some(),
        "{context}"
    );
    for step in &observed_run.displayed_steps {
        let is_in_journal = opened_run.entries().any(|(_, entry)| entry == result_entry(*step));
        assert!(is_in_journal, "{context}: step {step} was shown and is gone");
    }
}

/// An intent from before a crash is on disk after it, as an intent or as its result.
fn check_begun_step_is_on_disk(disk: &FaultyDisk, observed_run: &ObservedRun, context: &str) {
    let Some(last_step) = observed_run.begun_steps.last() else { return };
    let opened_run = data_dir_on(disk).open_run("anna-0001", ReadExtent::All).unwrap();
    let is_stored = opened_run.entries().any(|(_, entry)| entry == intent_entry(*last_step));
    assert!(is_stored, "{context}: the answer of step {last_step} was taken and is gone");
}

fn disk_calls_of_a_whole_run() -> u64 {
    let disk = FaultyDisk::new();
    let mut observed_run = ObservedRun::default();
    play_to_end(&disk, &mut observed_run).unwrap();
    let call_count = disk.call_count();
    check_after_recovery(&disk, &observed_run, "no crash at all");
    call_count
}

#[test]
fn a_run_survives_a_crash_at_every_call() {
    let call_count = disk_calls_of_a_whole_run();
    assert!(call_count > 60, "{call_count} calls are too few to mean anything");
    let crash_kinds = [
        CrashEffect::EverythingStored,
        CrashEffect::UnsyncedLost,
        CrashEffect::UnsyncedTorn(100),
        CrashEffect::UnsyncedTorn(255),
        CrashEffect::UnsyncedZeroed,
    ];
    for crash in crash_kinds {
        for first_call in 0..call_count {
            // A second crash during recovery, early or late.
            for second_call in [None, Some(first_call % 17), Some(first_call % 29 + 5)] {
                let disk = FaultyDisk::new();
                let mut observed_run = ObservedRun::default();
                for call in [Some(first_call), second_call].into_iter().flatten() {
                    disk.fail_calls(call, u64::MAX);
                    let _ = play_to_end(&disk, &mut observed_run);
                    disk.crash_and_restart(crash);
                    check_begun_step_is_on_disk(
                        &disk,
                        &observed_run,
                        &format!("{crash:?} at {call}, begun with {first_call}"),
                    );
                }
                let context = format!("{crash:?} at {first_call}, then {second_call:?}");
                play_to_end(&disk, &mut observed_run)
                    .unwrap_or_else(|problem| panic!("{context}: {problem}"));
                check_after_recovery(&disk, &observed_run, &context);
            }
        }
    }
}

#[test]
fn a_run_survives_any_one_failed_call() {
    for call in 0..disk_calls_of_a_whole_run() {
        let disk = FaultyDisk::new();
        let mut observed_run = ObservedRun::default();
        disk.fail_calls(call, 1);
        let _ = play_to_end(&disk, &mut observed_run);
        disk.clear_failure();
        play_to_end(&disk, &mut observed_run).unwrap();
        check_after_recovery(&disk, &observed_run, &format!("call {call} failed"));
    }
}

#[test]
fn a_full_disk_is_reported_and_the_same_call_succeeds_later() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = super::begin_run(&mut locked_profile, 7);
    writer.append(&result_entry(0), true).unwrap();
    writer.append(&intent_entry(1), false).unwrap();
    for free_bytes in 0..200 {
        disk.set_capacity(Some(disk.used_bytes() + free_bytes));
        match writer.append(&result_entry(1), true) {
            Err(problem) => assert_eq!(problem.code, "disk-full"),
            Ok(()) => break,
        }
        let opened_run = data_dir_on(&disk).open_run("anna-0001", ReadExtent::All).unwrap();
        assert!(opened_run.torn_line_note.is_none(), "nothing half written is left to be found");
        assert_eq!(writer.run_state().pending_step.as_ref().unwrap().step, 1);
    }
    disk.set_capacity(None);
    if writer.run_state().pending_step.is_some() {
        writer.append(&result_entry(1), true).unwrap();
    }
    let opened_run = data_dir_on(&disk).open_run("anna-0001", ReadExtent::All).unwrap();
    assert_eq!((opened_run.damage, opened_run.torn_line_note), (None, None));
    assert_eq!(opened_run.run_state.last_completed_step(), Some(1));
    // A profile that cannot be written stays unchanged, in memory and on disk.
    disk.set_capacity(Some(disk.used_bytes() + 10));
    let profile_before = locked_profile.profile().clone();
    let problem = locked_profile
        .update_profile(|profile| profile.name = "Anna the Elder".to_owned())
        .unwrap_err();
    assert_eq!(problem.code, "disk-full");
    assert_eq!(*locked_profile.profile(), profile_before);
    assert_eq!(data_dir_on(&disk).read_profile("anna").unwrap(), profile_before);
}

#[test]
fn a_failed_sync_is_repaired_by_writing_again() {
    let disk = FaultyDisk::new();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile("Anna").unwrap();
    let mut writer = super::begin_run(&mut locked_profile, 7);
    writer.append(&result_entry(0), false).unwrap();
    // The append succeeds, and its sync and the cut that should undo it fail.
    disk.fail_calls(1, 2);
    assert!(writer.append(&intent_entry(1), true).is_err());
    assert!(disk.exists(writer.path()).unwrap());
    writer.append(&intent_entry(1), true).unwrap();
    disk.crash_and_restart(CrashEffect::UnsyncedLost);
    let opened_run = data_dir_on(&disk).open_run("anna-0001", ReadExtent::All).unwrap();
    assert!(opened_run.entries().eq([(2, result_entry(0)), (3, intent_entry(1))]));
}
