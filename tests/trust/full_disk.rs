//! A full disk: the game reports it, loses nothing, and continues when there is space.

use std::sync::Arc;

use base::Value;
use protocol::Input;
use save::{DataDir, ReadExtent};
use session::{RETRY_CHOICE_ID, RunRequest};

use super::inn::inn_content;
use crate::support::disk::FaultyDisk;

/// At every step there is space for a number of bytes and no more; with space the step is repeated.
/// The run gives the expected result.
#[test]
fn a_full_disk_at_any_step_loses_nothing() {
    let play_24_steps = |is_disk_full: bool| {
        let disk = FaultyDisk::new();
        let data_dir = DataDir::with_disk(Arc::new(disk.clone()), "data");
        let (mut locked_profile, _) = data_dir.lock_profile("Ada").unwrap();
        let inn_mods = inn_content("0.1.0", "local nothing = 0\n");
        let request = RunRequest {
            content: inn_mods,
            options: Value::map(),
            seed: Some(7),
            is_practice: false,
        };
        let mut session =
            session::start_run(&mut locked_profile, request, &mut || 7).unwrap().session;
        let good_input = Input::Choice("good".to_owned());
        let (mut events, mut refusal_count) = (Vec::new(), 0);
        for step in 0..24 {
            disk.set_capacity(is_disk_full.then(|| disk.used_bytes() + step * 31 % 200));
            let step_outcome = match session.answer_prompt(&good_input) {
                Ok(step_outcome) => step_outcome,
                Err(problem) => {
                    assert_eq!(problem.code, "disk-full", "{problem}");
                    refusal_count += 1;
                    disk.set_capacity(None);
                    // With an intent and no result, the host prompts.
                    let input = if session.prompt().is_from_host() {
                        Input::Choice(RETRY_CHOICE_ID.to_owned())
                    } else {
                        good_input.clone()
                    };
                    session.answer_prompt(&input).unwrap()
                }
            };
            assert!(step_outcome.refusal.is_none());
            events.extend(step_outcome.events);
        }
        disk.set_capacity(None);
        let opened_run = data_dir.open_run("ada-0001", ReadExtent::All).unwrap();
        assert!(opened_run.damage.is_none());
        (events, refusal_count, session.digest())
    };
    let (undisturbed_events, undisturbed_refusals, digest) = play_24_steps(false);
    let (events, refusal_count, disturbed_digest) = play_24_steps(true);
    assert_eq!(
        (undisturbed_refusals, events, disturbed_digest),
        (0, undisturbed_events, digest),
        "the same story, the same dice"
    );
    assert!(refusal_count > 5, "{refusal_count} full disks are too few to mean anything");
}

/// The real program on a small disk, where the system permits it.
#[cfg(target_os = "linux")]
#[test]
fn the_program_reports_a_full_disk_and_continues_with_space() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(folder.path())
        .output();
    let is_mounted = mount.is_ok_and(|output| output.status.success());
    let data = folder.path().join("data");
    let data_path = data.to_string_lossy().into_owned();
    let flags = ["--data", &data_path, "--profile", "Ada", "--seed", "5", "--set", "boat=barge"];
    let input_lines = "new\n1\nAnn\nwait\n";
    let first_output = crate::cli::run_with_input(crate::cli::ferry_command(&flags), input_lines);
    assert!(first_output.status.success(), "{}", crate::cli::utf8_text(&first_output.stderr));
    if is_mounted {
        let filler_path = folder.path().join("filler");
        let mut filler_bytes = Vec::new();
        while std::fs::write(&filler_path, &filler_bytes).is_ok() && filler_bytes.len() < 200_000 {
            filler_bytes.resize(filler_bytes.len() + 1024, 7);
        }
        // The last page of the journal may have space for some steps.
        let input_lines = format!("resume\n{}quit\n", "wait\n".repeat(60));
        let output = crate::cli::run_with_input(crate::cli::ferry_command(&flags), &input_lines);
        let output = crate::cli::utf8_text(&output.stdout) + &crate::cli::utf8_text(&output.stderr);
        std::fs::remove_file(&filler_path).unwrap();
        assert!(output.contains("no room left on the disk"), "{output}");
    }
    let last_output = crate::cli::run_with_input(
        crate::cli::ferry_command(&flags),
        "resume\nswim\ntitle\nquit\n",
    );
    let output = crate::cli::utf8_text(&last_output.stdout);
    let history = DataDir::new(&data)
        .lock_profile("Ada")
        .map(|(locked_profile, _)| locked_profile.profile().clone());
    if is_mounted {
        assert!(Command::new("umount").arg(folder.path()).status().unwrap().success());
    }
    assert!(output.contains("The run is over"), "{output}");
    assert_eq!(history.unwrap().game_profile("ferry").finished_runs.len(), 1);
}
