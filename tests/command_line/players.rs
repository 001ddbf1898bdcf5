//! Days, names and past runs, as the command line accepts them and the plain front end prints them.

use std::fs;
use std::path::Path;

use engine::ui::daily_seed;

use crate::cli::{ferry, run, text};

fn play(data: &Path, flags: &[&str], typed: &str) -> (Option<i32>, String, String) {
    let data = data.to_string_lossy();
    let output = run(ferry(&[&["--plain", "--data", &data], flags].concat()), typed);
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_day_is_one_that_calendars_have() {
    for day in ["2026-02-28", "2024-02-29", "2000-02-29", "2026-12-31", "1969-12-31", "0001-01-01"]
    {
        assert_eq!(daily_seed::parse_date(day).as_deref(), Ok(day));
    }
    for day in [
        "2026-02-29",
        "2026-02-30",
        "2023-02-29",
        "1900-02-29",
        "2100-02-29",
        "2026-04-31",
        "2026-11-31",
        "2026-13-01",
        "2026-11-32",
        "2026-00-10",
        "2026-10-00",
        "0000-01-01",
        "26-1-1",
        "2026-1-1",
        "2026-+1-01",
        "2026-11-21 ",
        "",
        "tomorrow",
        "２０２６-11-21",
    ] {
        assert!(daily_seed::parse_date(day).is_err(), "{day:?}");
    }
    assert!(!daily_seed::is_future(&daily_seed::today()) && daily_seed::is_future("9999-12-31"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(play(folder.path(), &["--daily", "2026-02-30"], "quit\n").0, Some(2));
}

#[test]
fn a_day_that_has_not_begun_is_for_practice() {
    let folder = tempfile::tempdir().unwrap();
    let begin = "new\nskiff\n1\nAnn\n:leave\nquit\n";
    let (code, said, _) = play(folder.path(), &["--daily", "9999-12-31"], begin);
    assert_eq!(code, Some(0));
    assert!(said.contains("9999-12-31 has not begun"), "{said}");
    assert!(said.contains("practice, earns nothing"), "{said}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(!profile.contains("9999-12-31"), "{profile}");
}

#[test]
fn each_of_many_runs_says_which_it_is_and_how_many_more_there_are_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let one = "new\nskiff\n1\nAnn\n:leave\nabandon\nabandon\n";
    let typed = format!("{}history\nolder\nnewer\nback\nquit\n", one.repeat(23));
    let (_, said, wrong) = play(folder.path(), &[], &typed);
    let pages: Vec<&str> = said.split("the newest first.").collect();
    assert_eq!(pages.len(), 4, "{said}{wrong}");
    assert!(pages[0].ends_with("Runs 1 to 20 of 23, "), "{said}");
    let rows = |page: &str| {
        (1..=23).filter(|run| page.contains(&format!("player-{run:04}"))).collect::<Vec<_>>()
    };
    assert_eq!(rows(pages[1]), (4..=23).collect::<Vec<_>>(), "{}", pages[1]);
    assert_eq!(rows(pages[2]), [1, 2, 3], "{}", pages[2]);
    assert_eq!(rows(pages[3]).len(), 20);
}

#[test]
fn names_are_written_with_the_joiners_of_their_script() {
    let folder = tempfile::tempdir().unwrap();
    for (at, name) in [
        "می\u{200c}خواهم",
        "ශ්\u{200d}රී",
        "Ann \u{2764}\u{fe0f}",
        "\u{1f469}\u{200d}\u{2695}\u{fe0f}",
    ]
    .iter()
    .enumerate()
    {
        let data = folder.path().join(at.to_string());
        let (code, said, wrong) = play(&data, &["--profile", name], "settings\nback\nquit\n");
        assert_eq!(code, Some(0), "{name}: {wrong}");
        assert!(said.contains(&format!("Player: {name}")), "{name}: {said}");
    }
    // Between Latin letters they would be invisible, and others are not joiners.
    for name in [
        "J\u{200d}o",
        "J\u{200c}o",
        "Jo\u{fe0f}",
        "a\u{200b}b",
        "\u{200d}",
        "می\u{200c}",
        "a\u{202e}b",
        "",
    ] {
        let (code, _, wrong) = play(folder.path(), &["--profile", name], "quit\n");
        assert_eq!(code, Some(2), "{name:?}: {wrong}");
    }
}

/// Host prompts about a new run have the same way back, and each is numbered by itself.
#[test]
fn each_option_of_a_new_run_is_numbered_from_one() {
    let folder = tempfile::tempdir().unwrap();
    let sky = folder.path().join("mods/sky");
    fs::create_dir_all(&sky).unwrap();
    let manifest = "id = \"sky\"\nname = \"Sky\"\nversion = \"0.1.0\"\nengine = \"*\"\n";
    fs::write(sky.join("mod.toml"), format!("{manifest}[needs]\nferry = \"*\"\n")).unwrap();
    let declared =
        "option 'sky' { type = 'one_of', values = { 'clear', 'rain' }, default = 'clear',
      ask = true, label = 'Sky at the door' }";
    fs::write(sky.join("main.luau"), declared).unwrap();
    let mods = folder.path().join("mods").to_string_lossy().into_owned();
    let flags = ["--mods", &mods, "--with", "sky"];
    let (code, said, wrong) = play(&folder.path().join("data"), &flags, "new\n1\nquit\n");
    assert_eq!(code, Some(0), "{wrong}");
    let question = "Sky at the door\n1. clear\n2. rain\n3. Back to the title\n";
    assert!(said.contains(question), "{said}{wrong}");
}
