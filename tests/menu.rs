//! The menu, through the real program: practice, replays, pages of runs, history, days, players and
//! settings.

use std::fs;
use std::path::Path;

use crate::cli::{ferry, program, run, text};

fn data(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

/// Plays with answers from a pipe and returns the output.
fn play(data: &str, flags: &[&str], typed: &str) -> String {
    let output = run(ferry(&[&["--data", data], flags].concat()), typed);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

const TO_THE_END: &str = "new\nskiff\n1, letters\nAnn\nrow\nswim\n";

/// The text between a mark and the next empty line.
fn after<'a>(said: &'a str, mark: &str) -> &'a str {
    let rest = said.split_once(mark).unwrap_or_else(|| unreachable!("no {mark:?} in\n{said}")).1;
    rest.split("\n\n").next().unwrap()
}

#[test]
fn a_run_that_is_over_has_a_page_and_a_place_in_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let said = play(&data, &["--seed", "7"], &format!("{TO_THE_END}page\nquit\n"));
    let pages = folder.path().join("runs/player-0001");
    let page = fs::read_to_string(pages.join("page.md")).unwrap();
    insta::assert_snapshot!("page_of_a_run", page);
    let plain = fs::read_to_string(pages.join("page.txt")).unwrap();
    for line in plain.lines().filter(|line| !line.trim().is_empty() && line.len() < 70) {
        assert!(said.contains(line.trim()), "{line} was stored and not shown:\n{said}");
    }
    let again = "history\nrecords\nplayer-0001\npage\nback\nback\nquit\n";
    let said = play(&data, &[], again);
    assert!(said.contains("outcome: drowned; runs: 1"), "{said}");
    assert!(said.contains("seed (7)"), "{said}");
}

#[test]
fn a_page_says_how_the_run_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    play(&data, &["--seed", "7"], &format!("{TO_THE_END}quit\n"));
    let page = fs::read_to_string(folder.path().join("runs/player-0001/page.txt")).unwrap();
    let command = page.lines().find_map(|line| line.trim().strip_prefix("command (")).unwrap();
    let words: Vec<&str> = command.trim_end_matches(')').split(' ').skip(1).collect();
    let words: Vec<&str> = words.into_iter().map(|word| word.trim_matches('\'')).collect();
    // The boat was given as an option, so there is no prompt for it.
    let other = tempfile::tempdir().unwrap().path().to_string_lossy().into_owned();
    let mut command = ferry(&["--data", &other]);
    let flags: Vec<&str> =
        words.chunks(2).filter(|pair| pair[0] != "--game").flatten().copied().collect();
    command.args(flags);
    let said = text(&run(command, "new\n1, letters\nAnn\nrow\nswim\nquit\n").stdout);
    let throws = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("* "))
            .map(|line| line.trim().to_owned())
            .collect()
    };
    assert!(!throws(&said).is_empty(), "{said}");
    for throw in throws(&said) {
        assert!(page.contains(throw.trim_start_matches("* ")), "{throw}\n{page}");
    }
}

#[test]
fn practice_is_taken_back_and_earns_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let typed =
        "new\nskiff\n1\nAnn\nrow\nundo\nlog\nrow\nundo\nundo\n:leave\nhistory\nback\nquit\n";
    let said = play(&data, &["--seed", "7", "--practice"], typed);
    assert!(said.contains("(Practice, earns nothing.)"), "{said}");
    let throws: Vec<&str> = said.lines().filter(|line| line.starts_with("* row")).collect();
    assert_eq!(throws.len(), 2, "taken back, it is not in the log: {said}");
    assert_eq!(throws[0], throws[1], "the dice are what they were");
    assert!(said.contains("practice, unfinished"), "{said}");
    // It stays at the step that undo returned to, also after a restart, and can be ended.
    let id = "player-0001";
    let said = play(&data, &[], &format!("history\n{id}\nAnn\nswim\ntitle\nprofile\nquit\n"));
    assert!(said.contains("The run is over"), "{said}");
    let page = fs::read_to_string(folder.path().join("runs/player-0001/page.md")).unwrap();
    assert!(page.contains("it earned nothing"), "{page}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(profile.contains("earned = false"), "{profile}");
}

#[test]
fn a_run_that_counts_is_never_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let said = play(&data(folder.path()), &["--seed", "7"], "new\nskiff\n1\nAnn\nrow\nundo\n");
    assert!(said.contains("Only answers of a practice run can be undone."), "{said}");
}

#[test]
fn a_run_is_watched_again_and_played_on_from_a_step() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let first = play(&data, &["--seed", "7"], &format!("{TO_THE_END}quit\n"));
    let thrown = first.lines().find(|line| line.starts_with("* row")).unwrap();
    let replay = |run: &str, typed: &str| {
        let mut command = crate::cli::program(&["replay", run, "--data", &data]);
        command.args(["--mods", crate::cli::GAMES, "--game", "ferry"]);
        text(&crate::cli::run(command, typed).stdout)
    };
    let said = replay("player-0001", "next\nnext\nnext\nlast\nbefore\njump\n2\nback\n");
    assert!(said.contains("Step 0 of 4."), "{said}");
    assert!(said.matches(thrown).count() >= 1, "{said}");
    assert!(said.contains("Step 2 of 4."), "{said}");
    // From a step before the roll, played on: the run has ended, so the dice are the same.
    let file = folder.path().join("runs/player-0001/journal.jsonl").to_string_lossy().into_owned();
    let said = replay(&file, "next\nnext\nplay\nrow\nswim\npage\nquit\n");
    assert!(said.contains(thrown), "{said}");
    assert!(said.contains("(Practice, earns nothing.)"), "{said}");
    assert!(said.contains("continued from (player-0001, after its step 2)"), "{said}");
}

#[test]
fn a_journal_is_watched_wherever_it_lies_and_what_it_lacks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let first = play(&data(folder.path()), &["--seed", "7"], &format!("{TO_THE_END}quit\n"));
    let thrown = first.lines().find(|line| line.starts_with("* row")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let copied = elsewhere.path().join("a friend's run.jsonl");
    fs::copy(folder.path().join("runs/player-0001/journal.jsonl"), &copied).unwrap();
    let mine = data(&elsewhere.path().join("mine"));
    let watch = |flags: &[&str], typed: &str| {
        let mut command = crate::cli::program(&["replay", &copied.to_string_lossy()]);
        command.args(["--data", &mine]).args(flags);
        crate::cli::run(command, typed)
    };
    // Its mods are neither stored here nor found.
    let missing = watch(&[], "back\n");
    let told = text(&missing.stdout) + &text(&missing.stderr);
    assert_eq!(missing.status.code(), Some(1), "{told}");
    for words in ["the run was played with ferry", "it is not here at all", ".json", "copy it"] {
        assert!(told.contains(words), "{words}:\n{told}");
    }
    // With them it is watched and played on; its content is stored from then on.
    let there = ["--mods", crate::cli::GAMES, "--game", "ferry"];
    let said = text(&watch(&there, "next\nnext\nnext\nfirst\nplay\n1\nBea\n:leave\nback\n").stdout);
    assert!(said.contains(thrown), "{said}");
    assert!(said.contains("(Practice, earns nothing.)"), "{said}");
    let said = text(&watch(&[], "next\nlast\nback\n").stdout);
    assert!(said.contains("Step 4 of 4."), "{said}");
}

#[test]
fn a_fork_of_a_run_that_is_not_over_has_other_dice() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    play(&data, &["--seed", "7", "--set", "oil=9"], "new\nbarge\nnone\n\n");
    let mut throws = std::collections::BTreeSet::new();
    for _ in 0..6 {
        let mut command = crate::cli::program(&["replay", "player-0001", "--data", &data]);
        command.args(["--mods", crate::cli::GAMES, "--game", "ferry"]);
        let said = text(&run(command, "last\nplay\nrow\nquit\n").stdout);
        let thrown: Vec<&str> = said.lines().filter(|line| line.starts_with("* row")).collect();
        throws.insert(thrown.join("\n"));
    }
    assert!(throws.len() > 1, "six forks threw the same: {throws:?}");
    // Each of them resumes at its last step.
    let said = play(&data, &[], "history\nplayer-0002\nlog\nquit\n");
    assert!(said.contains("* row"), "{said}");
}

#[test]
fn a_day_has_one_seed_and_counts_once() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let day = ["--daily", "2026-11-21"];
    let first = play(&data(one.path()), &day, &format!("{TO_THE_END}quit\n"));
    assert_eq!(first, play(&data(other.path()), &day, &format!("{TO_THE_END}quit\n")));
    assert!(first.contains("The seed of 2026-11-21."), "{first}");
    let again = play(&data(one.path()), &day, &format!("{TO_THE_END}quit\n"));
    assert!(again.contains("played before, so this is practice"), "{again}");
    let next = play(&data(one.path()), &["--daily", "2026-11-22"], &format!("{TO_THE_END}quit\n"));
    assert_ne!(after(&first, "Its seed was "), after(&next, "Its seed was "));
    let wrong = run(ferry(&["--daily", "soon"]), "");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn the_list_of_mods_says_what_each_is_and_whom_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    let mods = concat!(env!("CARGO_MANIFEST_DIR"), "/mods");
    let flags = ["--mods", mods, "--with", "low_light", "--data", &data(folder.path())];
    let output = run(program(&flags), "settings\nmods\nback\nback\nquit\n");
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    let at = |name: &str| said.split_once(name).map_or("", |(_, rest)| rest);
    assert!(at("Low Light: on for this start").starts_with("\n   The candle burns down"), "{said}");
    assert!(at("Ember Words: off").starts_with("\n   Three words more"), "{said}");
    assert!(at("The Sexton's Spade: off").contains("made for the game sovereign"), "{said}");
}

#[test]
fn settings_are_kept_and_so_are_players() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let typed = "settings\npalette\nlight\nascii\nplayer\nnew\nMaren\nback\nquit\n";
    let said = play(&data, &[], typed);
    assert!(said.contains("Colours: light") && said.contains("Characters: ASCII only"), "{said}");
    assert!(said.contains("Player: Maren"), "{said}");
    let kept = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(kept.contains("palette = \"light\"") && kept.contains("ascii = true"), "{kept}");
    assert!(folder.path().join("profiles/maren.toml").is_file());
    let said = play(&data, &[], "settings\nplayer\nmaren\nback\nquit\n");
    assert!(
        said.contains("Colours: chosen by the terminal"),
        "another player, other colours: {said}"
    );
}

#[test]
fn what_was_played_is_told_apart_dated_and_handed_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let said = play(&data, &["--seed", "7"], &format!("{TO_THE_END}copy\npicture\nquit\n"));
    let lies = folder.path().join("runs/player-0001");
    assert!(said.contains("page.txt") && said.contains("page.svg"), "{said}");
    let picture = fs::read_to_string(lies.join("page.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.contains("player-0001"), "{picture}");
    let said = play(&data, &[], "history\nrecords\nback\nquit\n");
    let today = engine::ui::daily_seed::parse_date("today").unwrap();
    // A test that runs past midnight may see either date.
    let dated = |said: &str| said.contains(&today[..7]) || said.contains("-01, ");
    assert!(dated(&said), "{said}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(profile.contains("day = \""), "{profile}");
    // The same from the command line.
    let drawn = folder.path().join("drawn.svg");
    let drawn = drawn.to_string_lossy();
    let flags = ["replay", "player-0001", "--data", &data, "--picture", &drawn];
    let mut command = program(&flags);
    command.args(["--mods", crate::cli::GAMES, "--game", "ferry"]);
    let output = run(command, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(fs::read_to_string(&*drawn).unwrap().contains("</svg>"));
}

#[test]
fn a_day_says_what_becomes_of_it_while_a_run_waits() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    play(&data, &["--seed", "7"], "new\nskiff\n1\nAnn\n:leave\nquit\n");
    let said = play(&data, &["--daily", "2026-11-21"], "quit\n");
    assert!(said.contains("The next run has the seed of 2026-11-21"), "{said}");
}

#[test]
fn keys_are_changed_inside_the_program_and_conflicts_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = data(folder.path());
    let typed = "settings\nkeys\nkey:map\ng F5\nkey:log\ng\nkey:log\n5\nback\nback\nquit\n";
    let said = play(&data, &[], typed);
    assert!(said.contains("map: g, F5"), "{said}");
    assert!(
        said.contains("g is bound to two actions") && said.contains("digits take choices"),
        "{said}"
    );
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(profile.contains("map = ["), "{profile}");
    assert!(!profile.contains("log = ["), "a conflicting key is not stored: {profile}");
    // A key with another binding is taken only after a confirmation.
    let said = play(&data, &[], "settings\nkeys\nkey:log\nt k\nback\nback\nback\nquit\n");
    assert!(said.contains("k is used for \"up\", which keeps Up. Reassign it?"), "{said}");
    let kept = || fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(!kept().contains("log = ["), "{}", kept());
    play(&data, &[], "settings\nkeys\nkey:log\nt k\ntake\nback\nback\nquit\n");
    assert!(kept().contains("log = ["), "{}", kept());
    // An unchanged binding is not written.
    play(&data, &[], "settings\nkeys\nkey:sheet\nc\nback\nback\nquit\n");
    assert!(!kept().contains("sheet = ["), "{}", kept());
    let said = play(&data, &[], "settings\nkeys\nusual\nback\nback\nquit\n");
    assert!(said.contains("changed"), "{said}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(!profile.contains("map = ["), "{profile}");
}

/// A profile and a key file of programs before the form, the map and the dates.
#[test]
fn a_profile_and_keys_of_earlier_programs_open_whole() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/profile_2");
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("profiles")).unwrap();
    fs::copy(fixture.join("player.toml"), folder.path().join("profiles/player.toml")).unwrap();
    let data = data(folder.path());
    let said = play(&data, &[], "history\nrecords\nback\nsettings\nback\nquit\n");
    assert!(!said.contains("error") && !said.contains("warning"), "{said}");
    for words in ["drowned", "player-0002", "player-0001, seed 7", "Colours: light", "Mouse: off"] {
        assert!(said.contains(words), "{words}:\n{said}");
    }
    // A played day counts as played.
    let said = play(&data, &["--daily", "2026-11-21"], &format!("{TO_THE_END}quit\n"));
    assert!(said.contains("played before, so this is practice"), "{said}");
    let keys = fs::read_to_string(fixture.join("keys.toml")).unwrap();
    let (keymap, problems) = engine::ui::full::Keymap::parse(&keys, "keys.toml");
    // A key that has a default action since then stays the player's own; only that is reported.
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert!(told.len() == 1 && told[0].contains("o was the only key of explore"), "{told:?}");
    let does = |letter| keymap.action(crossterm::event::KeyCode::Char(letter));
    assert_eq!(does('o'), Some(engine::ui::full::Action::Map));
    assert_eq!(does('w'), Some(engine::ui::full::Action::Up));
}
