//! Days, names and past runs, as the command line accepts them and the plain front end prints them.

use std::fs;
use std::path::Path;

use ui::daily_seed;

use crate::cli::{ferry_command, run_with_input, utf8_text};

fn play_ferry(data: &Path, flags: &[&str], input: &str) -> (Option<i32>, String, String) {
    let data = data.to_string_lossy();
    let output =
        run_with_input(ferry_command(&[&["--plain", "--data", &data], flags].concat()), input);
    (output.status.code(), utf8_text(&output.stdout), utf8_text(&output.stderr))
}

#[test]
fn only_calendar_dates_are_accepted() {
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
    assert!(
        !daily_seed::is_future_day(&daily_seed::today()) && daily_seed::is_future_day("9999-12-31")
    );
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(play_ferry(folder.path(), &["--daily", "2026-02-30"], "quit\n").0, Some(2));
}

#[test]
fn a_daily_run_of_a_future_day_is_practice() {
    let folder = tempfile::tempdir().unwrap();
    let answers = "daily\nbegin\n1\nAnn\n:leave\nquit\n";
    let (status, stdout, _) = play_ferry(folder.path(), &["--daily", "9999-12-31"], answers);
    assert_eq!(status, Some(0));
    assert!(stdout.contains("9999-12-31; not begun yet, so this is practice"), "{stdout}");
    assert!(stdout.contains("Practice, earns nothing"), "{stdout}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(!profile.contains("9999-12-31"), "{profile}");
}

#[test]
fn the_history_lists_runs_in_numbered_pages() {
    let folder = tempfile::tempdir().unwrap();
    let answers_of_one_run = "new\nskiff\n1\nAnn\n:leave\nabandon\nabandon\n";
    let input = format!("{}history\nolder\nnewer\nback\nquit\n", answers_of_one_run.repeat(23));
    let (_, stdout, stderr) = play_ferry(folder.path(), &[], &input);
    let pages: Vec<&str> = stdout.split("the newest first.").collect();
    assert_eq!(pages.len(), 4, "{stdout}{stderr}");
    assert!(pages[0].ends_with("Runs 1 to 20 of 23, "), "{stdout}");
    let runs_on_page = |page: &str| {
        (1..=23)
            .filter(|run_number| page.contains(&format!("player-{run_number:04}")))
            .collect::<Vec<_>>()
    };
    assert_eq!(runs_on_page(pages[1]), (4..=23).collect::<Vec<_>>(), "{}", pages[1]);
    assert_eq!(runs_on_page(pages[2]), [1, 2, 3], "{}", pages[2]);
    assert_eq!(runs_on_page(pages[3]).len(), 20);
}

#[test]
fn player_names_may_contain_joiners_of_their_script() {
    let folder = tempfile::tempdir().unwrap();
    for (index, name) in [
        "می\u{200c}خواهم",
        "ශ්\u{200d}රී",
        "Ann \u{2764}\u{fe0f}",
        "\u{1f469}\u{200d}\u{2695}\u{fe0f}",
    ]
    .iter()
    .enumerate()
    {
        let data = folder.path().join(index.to_string());
        let (status, stdout, stderr) =
            play_ferry(&data, &["--profile", name], "settings\nback\nquit\n");
        assert_eq!(status, Some(0), "{name}: {stderr}");
        assert!(stdout.contains(&format!("Player: {name}")), "{name}: {stdout}");
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
        let (status, _, stderr) = play_ferry(folder.path(), &["--profile", name], "quit\n");
        assert_eq!(status, Some(2), "{name:?}: {stderr}");
    }
}

/// Host prompts about a new run have the same way back, and each is numbered by itself.
#[test]
fn each_option_of_a_new_run_is_numbered_from_one() {
    let folder = tempfile::tempdir().unwrap();
    let mod_folder = folder.path().join("mods/sky");
    fs::create_dir_all(&mod_folder).unwrap();
    let manifest = "id = \"sky\"\nname = \"Sky\"\nversion = \"0.1.0\"\nengine = \"*\"\n";
    fs::write(mod_folder.join("mod.toml"), format!("{manifest}[needs]\nferry = \"*\"\n")).unwrap();
    let option_script =
        "option 'sky' { type = 'one_of', values = { 'clear', 'rain' }, default = 'clear',
      ask = true, label = 'Sky at the door' }";
    fs::write(mod_folder.join("main.luau"), option_script).unwrap();
    let mods = folder.path().join("mods").to_string_lossy().into_owned();
    let flags = ["--mods", &mods, "--with", "sky"];
    let (status, stdout, stderr) =
        play_ferry(&folder.path().join("data"), &flags, "new\n1\nquit\n");
    assert_eq!(status, Some(0), "{stderr}");
    let question = "Sky at the door\n1. clear\n2. rain\n3. Back to the title\n";
    assert!(stdout.contains(question), "{stdout}{stderr}");
}
