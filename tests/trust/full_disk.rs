//! A full disk: the game reports it, loses nothing, and continues when there is space.

use std::sync::Arc;

use engine::base::Value;
use engine::protocol::Input;
use engine::save::{DataDir, ReadExtent};
use engine::session::{self, RETRY_CHOICE_ID, RunRequest, StepError};

use super::inn::inn;
use crate::support::disk::FaultyDisk;

/// At every step there is space for a number of bytes and no more; with space the step is repeated.
/// The run gives the expected result.
#[test]
fn a_full_disk_at_any_step_loses_nothing() {
    let play = |full: bool| {
        let disk = FaultyDisk::new();
        let data_dir = DataDir::on_disk(Arc::new(disk.clone()), "data");
        let (mut held, _) = data_dir.lock_profile("Ada").unwrap();
        let content = inn("0.1.0", "local nothing = 0\n");
        let wish = RunRequest { content, options: Value::map(), seed: Some(7), practice: false };
        let mut session = session::start_run(&mut held, wish, &mut || 7).unwrap().session;
        let good = Input::Choice("good".to_owned());
        let (mut told, mut refused) = (Vec::new(), 0);
        for step in 0..24 {
            disk.set_room(full.then(|| disk.used() + step * 31 % 200));
            let done = match session.answer(&good) {
                Ok(done) => done,
                Err(StepError::NotWritten(problem)) => {
                    assert_eq!(problem.code, "disk-full", "{problem}");
                    refused += 1;
                    disk.set_room(None);
                    // With an intent and no result, the host prompts.
                    let again = session.prompt().scene.starts_with("host:");
                    let input = if again {
                        Input::Choice(RETRY_CHOICE_ID.to_owned())
                    } else {
                        good.clone()
                    };
                    session.answer(&input).unwrap()
                }
                Err(other) => panic!("{other:?}"),
            };
            assert!(done.refused.is_none());
            told.extend(done.events);
        }
        disk.set_room(None);
        let opened = data_dir.open("ada-0001", ReadExtent::All).unwrap();
        assert!(opened.damage.is_none());
        (told, refused, session.digest())
    };
    let (whole, none, digest) = play(false);
    let (told, refused, found) = play(true);
    assert_eq!((none, told, found), (0, whole, digest), "the same story, the same dice");
    assert!(refused > 5, "{refused} full disks are too few to mean anything");
}

/// The real program on a small disk, where the system permits it.
#[cfg(target_os = "linux")]
#[test]
fn the_real_program_says_that_the_disk_is_full_and_goes_on_when_there_is_room() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(folder.path())
        .output();
    let mounted = mount.is_ok_and(|done| done.status.success());
    let data = folder.path().join("data");
    let shown = data.to_string_lossy().into_owned();
    let flags = ["--data", &shown, "--profile", "Ada", "--seed", "5", "--set", "boat=barge"];
    let typed = "new\n1\nAnn\nwait\n";
    let first = crate::cli::run(crate::cli::ferry(&flags), typed);
    assert!(first.status.success(), "{}", crate::cli::text(&first.stderr));
    if mounted {
        let filler = folder.path().join("filler");
        let mut full = Vec::new();
        while std::fs::write(&filler, &full).is_ok() && full.len() < 200_000 {
            full.resize(full.len() + 1024, 7);
        }
        // The last page of the journal may have space for some steps.
        let typed = format!("resume\n{}quit\n", "wait\n".repeat(60));
        let said = crate::cli::run(crate::cli::ferry(&flags), &typed);
        let said = crate::cli::text(&said.stdout) + &crate::cli::text(&said.stderr);
        std::fs::remove_file(&filler).unwrap();
        assert!(said.contains("no room left on the disk"), "{said}");
    }
    let last = crate::cli::run(crate::cli::ferry(&flags), "resume\nswim\ntitle\nquit\n");
    let told = crate::cli::text(&last.stdout);
    let history = DataDir::new(&data).lock_profile("Ada").map(|(held, _)| held.profile().clone());
    if mounted {
        assert!(Command::new("umount").arg(folder.path()).status().unwrap().success());
    }
    assert!(told.contains("The run is over"), "{told}");
    assert_eq!(history.unwrap().game("ferry").history.len(), 1);
}
