//! A run's payment is complete in the profile, wherever the program is killed.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use engine::base::Value;
use engine::mods::SearchPaths;
use engine::save::{DataDir, Disk, Profile, ReadExtent};
use engine::ui::full::Keymap;
use engine::ui::menu::{DEFAULT_PLAYER, Setup, run_menu};
use engine::ui::plain::{LineReader, PlainText};
use engine::ui::preferences::Preferences;

use crate::cli;
use crate::support::disk::{Crash, FaultyDisk};
use crate::support::{RandomSource, count_from_env};

const GAME: &str = "wages";
const DAILY_DATE: &str = "2026-11-21";

/// A game that pays, with achievements that read all their arguments.
const MAIN: &str = r#"
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

fn wages_game() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        "id = \"wages\"\nname = \"Wages\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";
    fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    fs::write(folder.path().join("main.luau"), MAIN).unwrap();
    folder
}

fn on(disk: &FaultyDisk) -> DataDir {
    DataDir::on_disk(Arc::new(disk.clone()), "data")
}

/// Starts the program with these lines and returns its output.
fn start(disk: &FaultyDisk, folder: &Path, lines: &str) -> String {
    let setup = Setup {
        search_paths: SearchPaths {
            named_folders: vec![folder.to_owned()],
            ..crate::support::embedded_search_paths()
        },
        game: Some(GAME.to_owned()),
        enabled_mods: Vec::new(),
        data_dir: on(disk),
        is_persistent: true,
        player_name: DEFAULT_PLAYER.to_owned(),
        seed: None,
        daily_date: Some(DAILY_DATE.to_owned()),
        is_practice: false,
        watched_run: None,
        keymap: Keymap::default(),
        option_values: Vec::new(),
        dev_mode: false,
        default_ascii: false,
        on_reload: |_, _| Ok(()),
        preferences: Preferences::default(),
        problems: Vec::new(),
        start_command: "sub-rosa".to_owned(),
    };
    let typed = LineReader::from_terminal(Cursor::new(lines.to_owned().into_bytes()));
    let mut front = PlainText::new(typed, Vec::new(), 80);
    // A failing disk ends it in one of several ways.
    let _ = run_menu(setup, &mut front, &mut || 7);
    String::from_utf8(front.into_output()).unwrap()
}

/// The lines to type from the current position to the end of the run.
fn lines(disk: &FaultyDisk) -> &'static str {
    let data_dir = on(disk);
    let Ok(opened) = data_dir.open("player-0001", ReadExtent::All) else {
        return "new\nwork\nstop\ntitle\nquit\n";
    };
    let worked = opened.run_state.next_step > 1
        || opened.run_state.pending.is_some_and(|pending| pending.step > 0);
    match (opened.run_state.ended, worked) {
        (Some(_), _) => "quit\n",
        (None, true) => "resume\nstop\ntitle\nquit\n",
        (None, false) => "resume\nwork\nstop\ntitle\nquit\n",
    }
}

/// The whole profile. The date of the run's end is fixed.
fn profile(disk: &FaultyDisk, what: &str) -> Profile {
    let mut profile = on(disk).read_profile("player").unwrap_or_else(|why| panic!("{what}: {why}"));
    for past in &mut profile.game_mut(GAME).history {
        assert_eq!(past.day.len(), DAILY_DATE.len(), "{what}: the day on which it ended is lost");
        past.day.clear();
    }
    profile
}

#[test]
fn killed_at_each_call_of_the_disk_the_whole_profile_is_the_same() {
    let folder = wages_game();
    let disk = FaultyDisk::new();
    let said = start(&disk, folder.path(), "new\nwork\nstop\ntitle\nquit\n");
    assert!(said.contains("Achieved: Paid: t") && said.contains("Achieved: Worked: t"), "{said}");
    let undisturbed = profile(&disk, "nobody was killed");
    let game = undisturbed.game(GAME);
    assert_eq!(game.achieved, ["wages:done", "wages:paid", "wages:worked"]);
    assert_eq!(
        (game.days, game.settled, game.runs_started),
        (vec![DAILY_DATE.to_owned()], vec!["player-0001".to_owned()], 1)
    );
    assert_eq!(
        game.data,
        Value::map_of([("found", vec![Value::from("coin")].into()), ("wins", Value::Int(1))])
    );
    let calls = disk.calls();
    assert!(calls > 60, "{calls}");
    // `save::crashes` tests every crash before the last answer.
    let begun = FaultyDisk::new();
    start(&begun, folder.path(), "new\nwork\nquit\n");
    let last_answer = begun.calls() - 15;
    for how in [Crash::Killed, Crash::Lost, Crash::Torn(100), Crash::Zeros] {
        let first = if how == Crash::Killed { 0 } else { last_answer };
        for at in first..calls {
            let what = format!("{how:?} at call {at}");
            let disk = FaultyDisk::new();
            disk.fail(at, u64::MAX);
            start(&disk, folder.path(), "new\nwork\nstop\ntitle\nquit\n");
            disk.crash(how);
            // A run killed before its end is continued.
            let said = start(&disk, folder.path(), lines(&disk));
            assert_eq!(profile(&disk, &what), undisturbed, "{what}\n{said}");
        }
    }
}

#[test]
fn a_day_counts_as_played_from_the_first_write_of_its_run() {
    let folder = wages_game();
    let disk = FaultyDisk::new();
    start(&disk, folder.path(), "new\nquit\n");
    // The profile is as before the run: only the journal knows of the run.
    let path = on(&disk).profile_path("player").unwrap();
    let (mut held, _) = on(&disk).lock_profile(DEFAULT_PLAYER).unwrap();
    held.update_profile(|profile| profile.game_mut(GAME).days.clear()).unwrap();
    drop(held);
    assert!(disk.exists(&path).unwrap());
    start(&disk, folder.path(), "quit\n");
    assert_eq!(profile(&disk, "").game(GAME).days, [DAILY_DATE]);
}

#[test]
fn a_set_of_mods_that_cannot_be_played_is_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let game = folder.path().join("wages");
    fs::create_dir(&game).unwrap();
    let own = wages_game();
    crate::support::copy(own.path(), &game);
    let broken = folder.path().join("broken");
    fs::create_dir(&broken).unwrap();
    fs::write(broken.join("mod.toml"), crate::support::manifest_needing("broken", &["wages"]))
        .unwrap();
    fs::write(broken.join("main.luau"), "error 'no'").unwrap();
    let disk = FaultyDisk::new();
    start(&disk, folder.path(), "quit\n");
    let before = profile(&disk, "before");
    let said = start(&disk, folder.path(), "settings\nmods\nmod:broken\nback\nback\nback\nquit\n");
    assert!(said.contains("mods-unchanged"), "{said}");
    assert_eq!(profile(&disk, "after"), before);
    let previous = disk.read(Path::new("data/profiles/player.toml.previous"), u64::MAX);
    let wrote = previous.is_ok_and(|old| String::from_utf8_lossy(&old).contains("broken"));
    assert!(!wrote, "it was written and taken back");
}

/// Reads the output of a program until it has prompted this many times.
fn read_until_prompts(out: &mut impl Read, times: usize) {
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while seen.windows(3).filter(|some| *some == b"\n> ").count() < times {
        assert_eq!(out.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&seen));
        seen.push(byte[0]);
    }
}

/// The real program, killed after the last answer of a run; most kills fall between two of its
/// writes.
#[test]
#[allow(clippy::disallowed_methods)] // moments are random on purpose
fn killed_at_random_moments_behind_the_last_answer_the_profile_is_the_same() {
    let kills = count_from_env("SUB_ROSA_KILLS_AT_AN_END", 8);
    let folder = wages_game();
    let mods = folder.path().to_string_lossy().into_owned();
    let mut chance = RandomSource::of(count_from_env("SUB_ROSA_KILLS_SEED", 1));
    let mut undisturbed = None;
    for kill in 0..=kills {
        let kept = tempfile::tempdir().unwrap();
        let data = kept.path().to_string_lossy().into_owned();
        let flags = ["--mods", &mods, "--game", GAME, "--data", &data, "--daily", DAILY_DATE];
        let data_dir = DataDir::new(kept.path());
        let mut child = cli::program(&flags);
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        let (mut keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        keys.write_all(b"new\nwork\n").unwrap();
        read_until_prompts(&mut out, 3);
        keys.write_all(b"stop\n").unwrap();
        if undisturbed.is_none() {
            keys.write_all(b"title\nquit\n").unwrap();
            std::io::copy(&mut out, &mut std::io::sink()).unwrap();
        } else {
            std::thread::sleep(Duration::from_micros(chance.below(20_000)));
            child.kill().unwrap();
        }
        child.wait().unwrap();
        let opened = data_dir.open("player-0001", ReadExtent::All).unwrap();
        let lines = match opened.run_state.ended {
            Some(_) => "quit\n",
            None => "resume\nstop\ntitle\nquit\n",
        };
        cli::run(cli::program(&flags), lines);
        let mut profile = data_dir.read_profile("player").unwrap();
        for past in &mut profile.game_mut(GAME).history {
            assert_eq!(past.day.len(), DAILY_DATE.len(), "kill {kill}");
            past.day.clear();
        }
        // Seeds are random.
        profile.game_mut(GAME).next_seed = None;
        assert_eq!(profile, *undisturbed.get_or_insert_with(|| profile.clone()), "kill {kill}");
        assert_eq!(profile.game(GAME).achieved.len(), 3, "kill {kill}");
    }
    crate::trust::figure("kills_at_an_end", &format!("{kills} kills, 0 payments lost"));
}
