//! A run's payment is complete in the profile, wherever the program is killed.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use base::Value;
use mods::SearchPaths;
use save::{DataDir, Disk, Profile, ReadExtent};
use ui::menu::{DEFAULT_PLAYER_NAME, MenuSetup, run_menu};
use ui::plain_text::{LineReader, PlainText};

use super::data_dir_on;
use crate::cli;
use crate::support::disk::{CrashEffect, FaultyDisk};
use crate::support::{RandomSource, count_from_env};
use crate::ui::screens::ferry_setup;

const GAME_ID: &str = "wages";
const DAILY_DATE: &str = "2026-11-21";

/// A game that pays, with achievements that read all their arguments.
const GAME_SCRIPT: &str = r#"
start(function() go "inn" end)
scene "inn" {
  prompt = function() return { text = "Q", choices = { { id = "work", label = "Work" }, { id = "stop", label = "Stop" } } } end,
  on = {
    work = function() state.worked = (state.worked or 0) + 1 end,
    stop = function() award { wins = 1, found = { "coin" } } finish { outcome = "paid", worked = state.worked } end,
  },
}
achievement "done" { name = "Done", text = "t", when = function() return true end }
achievement "paid" { name = "Paid", text = "t", when = function(run) return run.profile.wins == 1 and run.awarded.wins == 1 end }
achievement "worked" { name = "Worked", text = "t", when = function(run) return run.outcome.worked == 1 end }
achievement "never" { name = "Never", text = "t", when = function(run) return run.profile.wins == 2 end }
"#;

fn write_wages_game() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        "id = \"wages\"\nname = \"Wages\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
    fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    fs::write(folder.path().join("main.luau"), GAME_SCRIPT).unwrap();
    folder
}

/// Starts the program with these lines and returns its output.
fn run_program(disk: &FaultyDisk, folder: &Path, input_lines: &str) -> String {
    let setup = MenuSetup {
        search_paths: SearchPaths {
            named_folders: vec![folder.to_owned()],
            ..crate::support::embedded_search_paths()
        },
        game: Some(GAME_ID.to_owned()),
        data_dir: data_dir_on(disk),
        seed: None,
        daily_date: Some(DAILY_DATE.to_owned()),
        ..ferry_setup()
    };
    let line_reader = LineReader::from_terminal(Cursor::new(input_lines.to_owned().into_bytes()));
    let mut frontend = PlainText::new(line_reader, Vec::new(), 80);
    // A failing disk ends it in one of several ways.
    let _ = run_menu(setup, &mut frontend, &mut || 7);
    String::from_utf8(frontend.into_output()).unwrap()
}

/// The lines to type from the current position to the end of the run.
fn remaining_input_lines(disk: &FaultyDisk) -> &'static str {
    let data_dir = data_dir_on(disk);
    let Ok(opened_run) = data_dir.open_run("player-0001", ReadExtent::All) else {
        return "daily\nbegin\nwork\nstop\ntitle\nquit\n";
    };
    let has_worked = opened_run.run_state.next_step > 1
        || opened_run.run_state.pending_step.is_some_and(|pending| pending.step > 0);
    match (opened_run.run_state.run_ending, has_worked) {
        (Some(_), _) => "quit\n",
        (None, true) => "resume\nstop\ntitle\nquit\n",
        (None, false) => "resume\nwork\nstop\ntitle\nquit\n",
    }
}

/// The whole profile. The date of the run's end is fixed.
fn read_profile_without_end_date(disk: &FaultyDisk, context: &str) -> Profile {
    let mut profile = data_dir_on(disk)
        .read_profile("player")
        .unwrap_or_else(|reason| panic!("{context}: {reason}"));
    for past_run in &mut profile.game_profile_mut(GAME_ID).finished_runs {
        assert_eq!(
            past_run.end_date.len(),
            DAILY_DATE.len(),
            "{context}: the day on which it ended is lost"
        );
        past_run.end_date.clear();
    }
    profile
}

#[test]
fn a_crash_at_any_disk_call_leaves_the_same_profile() {
    let folder = write_wages_game();
    let disk = FaultyDisk::new();
    let output = run_program(&disk, folder.path(), "daily\nbegin\nwork\nstop\ntitle\nquit\n");
    assert!(
        output.contains("Achieved: Paid: t") && output.contains("Achieved: Worked: t"),
        "{output}"
    );
    let expected_profile = read_profile_without_end_date(&disk, "nobody was killed");
    let game = expected_profile.game_profile(GAME_ID);
    assert_eq!(game.achievement_ids, ["wages:done", "wages:paid", "wages:worked"]);
    assert_eq!(
        (game.daily_seed_dates, game.paid_runs, game.runs_started),
        (vec![DAILY_DATE.to_owned()], vec!["player-0001".to_owned()], 1)
    );
    assert_eq!(
        game.award_data,
        Value::map_of([("found", vec![Value::from("coin")].into()), ("wins", Value::Int(1))])
    );
    let call_count = disk.call_count();
    assert!(call_count > 60, "{call_count}");
    // `save::crashes` tests every crash before the last answer.
    let disk_before_last_answer = FaultyDisk::new();
    run_program(&disk_before_last_answer, folder.path(), "daily\nbegin\nwork\nquit\n");
    let last_answer_call = disk_before_last_answer.call_count() - 15;
    for crash in [
        CrashEffect::EverythingStored,
        CrashEffect::UnsyncedLost,
        CrashEffect::UnsyncedTorn(100),
        CrashEffect::UnsyncedZeroed,
    ] {
        let first_call = if crash == CrashEffect::EverythingStored { 0 } else { last_answer_call };
        for call in first_call..call_count {
            let context = format!("{crash:?} at call {call}");
            let disk = FaultyDisk::new();
            disk.fail_calls(call, u64::MAX);
            run_program(&disk, folder.path(), "daily\nbegin\nwork\nstop\ntitle\nquit\n");
            disk.crash_and_restart(crash);
            // A run killed before its end is continued.
            let output = run_program(&disk, folder.path(), remaining_input_lines(&disk));
            assert_eq!(
                read_profile_without_end_date(&disk, &context),
                expected_profile,
                "{context}\n{output}"
            );
        }
    }
}

/// Keys are set, and then a run is paid. A crash in between loses neither.
#[test]
fn a_crash_at_any_disk_call_loses_no_keys() {
    let folder = write_wages_game();
    let set_keys = "settings\nkeys\nkey:undo\nz\nback\nback\n";
    let input_lines = format!("{set_keys}daily\nbegin\nwork\nstop\ntitle\nquit\n");
    let disk_with_profile = || {
        let disk = FaultyDisk::new();
        run_program(&disk, folder.path(), "quit\n");
        disk
    };
    let count_calls = |input_lines: &str| {
        let disk = disk_with_profile();
        let first_call = disk.call_count();
        let output = run_program(&disk, folder.path(), input_lines);
        (disk.call_count() - first_call, disk, output)
    };
    let (key_call_count, ..) = count_calls(&format!("{set_keys}quit\n"));
    let (call_count, disk, output) = count_calls(&input_lines);
    let expected_profile = read_profile_without_end_date(&disk, "no crash");
    let keys = |profile: &Profile| profile.preferences.get("keys").cloned();
    let expected_keys = Value::map_of([("undo", vec![Value::from("z")].into())]);
    assert_eq!(keys(&expected_profile), Some(expected_keys), "{output}");
    // The list of keys, once they are stored.
    let confirmation = output.lines().find(|line| line.contains("(changed)")).unwrap_or("changed");
    assert!(output.contains(confirmation), "{output}");
    for crash in [CrashEffect::EverythingStored, CrashEffect::UnsyncedLost] {
        let (mut without_keys_count, mut with_keys_count) = (0, 0);
        // The other test crashes at every call of a run.
        for call in (0..key_call_count).chain((key_call_count..call_count).step_by(5)) {
            let context = format!("{crash:?} at call {call}");
            let disk = disk_with_profile();
            disk.fail_calls(call, u64::MAX);
            let output = run_program(&disk, folder.path(), &input_lines);
            disk.crash_and_restart(crash);
            let profile = read_profile_without_end_date(&disk, &context);
            let has_keys = profile.preferences == expected_profile.preferences;
            // Everything that was reported as stored is stored. Otherwise nothing has changed.
            assert!(has_keys || keys(&profile).is_none(), "{context}");
            assert!(has_keys || !output.contains(confirmation), "{context}\n{output}");
            run_program(&disk, folder.path(), remaining_input_lines(&disk));
            let paid_profile = read_profile_without_end_date(&disk, &context);
            assert_eq!(paid_profile.preferences, profile.preferences, "{context}");
            assert_eq!(
                paid_profile.game_profile(GAME_ID),
                expected_profile.game_profile(GAME_ID),
                "{context}"
            );
            *(if has_keys { &mut with_keys_count } else { &mut without_keys_count }) += 1;
        }
        let counts = (without_keys_count, with_keys_count);
        assert!(counts.0 > 5 && counts.1 > 5, "{crash:?}: {counts:?}");
    }
}

#[test]
fn a_daily_counts_as_played_from_the_first_write_of_its_run() {
    let folder = write_wages_game();
    let disk = FaultyDisk::new();
    run_program(&disk, folder.path(), "daily\nbegin\nquit\n");
    // The profile is as before the run: only the journal knows of the run.
    let path = data_dir_on(&disk).profile_path("player").unwrap();
    let (mut locked_profile, _) = data_dir_on(&disk).lock_profile(DEFAULT_PLAYER_NAME).unwrap();
    locked_profile
        .update_profile(|profile| profile.game_profile_mut(GAME_ID).daily_seed_dates.clear())
        .unwrap();
    drop(locked_profile);
    assert!(disk.exists(&path).unwrap());
    run_program(&disk, folder.path(), "quit\n");
    assert_eq!(
        read_profile_without_end_date(&disk, "").game_profile(GAME_ID).daily_seed_dates,
        [DAILY_DATE]
    );
}

#[test]
fn an_unplayable_set_of_mods_is_never_saved() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("wages");
    fs::create_dir(&game).unwrap();
    let wages_folder = write_wages_game();
    crate::support::copy_folder(wages_folder.path(), &game);
    let broken_mod = folder.path().join("broken");
    fs::create_dir(&broken_mod).unwrap();
    fs::write(broken_mod.join("mod.toml"), crate::support::manifest_needing("broken", &["wages"]))
        .unwrap();
    fs::write(broken_mod.join("main.luau"), "error 'no'").unwrap();
    let disk = FaultyDisk::new();
    run_program(&disk, folder.path(), "quit\n");
    let profile_before = read_profile_without_end_date(&disk, "before");
    let output =
        run_program(&disk, folder.path(), "settings\nmods\nmod:broken\nback\nback\nback\nquit\n");
    assert!(output.contains("mods-unchanged"), "{output}");
    assert_eq!(read_profile_without_end_date(&disk, "after"), profile_before);
    let previous_profile =
        disk.read_file(Path::new("data/profiles/player.toml.previous"), u64::MAX);
    let was_written =
        previous_profile.is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("broken"));
    assert!(!was_written, "it was written and taken back");
}

/// Reads the output of a program until it has prompted this many times.
fn read_until_prompts(output_reader: &mut impl Read, prompt_count: usize) {
    let (mut output, mut byte) = (Vec::new(), [0]);
    while output.windows(3).filter(|window| *window == b"\n> ").count() < prompt_count {
        assert_eq!(
            output_reader.read(&mut byte).unwrap(),
            1,
            "{}",
            String::from_utf8_lossy(&output)
        );
        output.push(byte[0]);
    }
}

/// The real program, killed after the last answer of a run; most kills fall between two of its
/// writes.
#[test]
#[allow(clippy::disallowed_methods)] // moments are random on purpose
fn killed_at_random_after_the_last_answer_profile_is_the_same() {
    let kills = count_from_env("SUB_ROSA_KILLS_AT_AN_END", 8);
    let folder = write_wages_game();
    let mods = folder.path().to_string_lossy().into_owned();
    let mut random = RandomSource::from_seed(count_from_env("SUB_ROSA_KILLS_SEED", 1));
    let mut expected_profile = None;
    for kill in 0..=kills {
        let data_folder = tempfile::tempdir().unwrap();
        let data = data_folder.path().to_string_lossy().into_owned();
        let flags = ["--mods", &mods, "--game", GAME_ID, "--data", &data, "--daily", DAILY_DATE];
        let data_dir = DataDir::new(data_folder.path());
        let mut child = cli::program_command(&flags);
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        let (mut player_input, mut program_output) =
            (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        player_input.write_all(b"daily\nbegin\nwork\n").unwrap();
        read_until_prompts(&mut program_output, 4);
        player_input.write_all(b"stop\n").unwrap();
        if expected_profile.is_none() {
            player_input.write_all(b"title\nquit\n").unwrap();
            std::io::copy(&mut program_output, &mut std::io::sink()).unwrap();
        } else {
            std::thread::sleep(Duration::from_micros(random.next_below(20_000)));
            child.kill().unwrap();
        }
        child.wait().unwrap();
        let opened_run = data_dir.open_run("player-0001", ReadExtent::All).unwrap();
        let input_lines = match opened_run.run_state.run_ending {
            Some(_) => "quit\n",
            None => "resume\nstop\ntitle\nquit\n",
        };
        cli::run_with_input(cli::program_command(&flags), input_lines);
        let mut profile = data_dir.read_profile("player").unwrap();
        for past_run in &mut profile.game_profile_mut(GAME_ID).finished_runs {
            assert_eq!(past_run.end_date.len(), DAILY_DATE.len(), "kill {kill}");
            past_run.end_date.clear();
        }
        // Seeds are random.
        profile.game_profile_mut(GAME_ID).next_seed = None;
        assert_eq!(
            profile,
            *expected_profile.get_or_insert_with(|| profile.clone()),
            "kill {kill}"
        );
        assert_eq!(profile.game_profile(GAME_ID).achievement_ids.len(), 3, "kill {kill}");
    }
    crate::trust::record_figure("kills_at_an_end", &format!("{kills} kills, 0 payments lost"));
}
