//! The menu, through the real program: practice, replays, pages of runs, history, days, players and
//! settings.

use std::fs;
use std::path::Path;

use crate::cli::{ferry_command, program_command, run_with_input, utf8_text};

fn path_text(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

/// Plays with answers from a pipe and returns the output.
fn play_ferry(data: &str, flags: &[&str], input: &str) -> String {
    let output = run_with_input(ferry_command(&[&["--data", data], flags].concat()), input);
    assert!(output.status.success(), "{}{}", utf8_text(&output.stdout), utf8_text(&output.stderr));
    utf8_text(&output.stdout)
}

const ANSWERS_TO_THE_END: &str = "new\nskiff\n1, letters\nAnn\nrow\nswim\n";

/// The text between a mark and the next empty line.
fn text_after<'a>(output: &'a str, marker: &str) -> &'a str {
    let rest =
        output.split_once(marker).unwrap_or_else(|| unreachable!("no {marker:?} in\n{output}")).1;
    rest.split("\n\n").next().unwrap()
}

#[test]
fn a_finished_run_has_a_page_and_a_history_entry() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let output = play_ferry(&data, &["--seed", "7"], &format!("{ANSWERS_TO_THE_END}page\nquit\n"));
    let run_folder = folder.path().join("runs/player-0001");
    let page = fs::read_to_string(run_folder.join("page.md")).unwrap();
    insta::assert_snapshot!("page_of_a_run", page);
    let page_text = fs::read_to_string(run_folder.join("page.txt")).unwrap();
    for line in page_text.lines().filter(|line| !line.trim().is_empty() && line.len() < 70) {
        assert!(output.contains(line.trim()), "{line} was stored and not shown:\n{output}");
    }
    let answers = "history\nrecords\nplayer-0001\npage\nback\nback\nquit\n";
    let output = play_ferry(&data, &[], answers);
    assert!(output.contains("outcome: drowned; runs: 1"), "{output}");
    assert!(output.contains("seed (7)"), "{output}");
}

#[test]
fn a_run_page_contains_a_command_that_repeats_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    play_ferry(&data, &["--seed", "7"], &format!("{ANSWERS_TO_THE_END}quit\n"));
    let page = fs::read_to_string(folder.path().join("runs/player-0001/page.txt")).unwrap();
    let command = page.lines().find_map(|line| line.trim().strip_prefix("command (")).unwrap();
    let words: Vec<&str> = command.trim_end_matches(')').split(' ').skip(1).collect();
    let words: Vec<&str> = words.into_iter().map(|word| word.trim_matches('\'')).collect();
    // The boat was given as an option, so there is no prompt for it.
    let other_data = tempfile::tempdir().unwrap().path().to_string_lossy().into_owned();
    let mut command = ferry_command(&["--data", &other_data]);
    let flags: Vec<&str> =
        words.chunks(2).filter(|pair| pair[0] != "--game").flatten().copied().collect();
    command.args(flags);
    let stdout =
        utf8_text(&run_with_input(command, "new\n1, letters\nAnn\nrow\nswim\nquit\n").stdout);
    let roll_lines = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| line.starts_with("* "))
            .map(|line| line.trim().to_owned())
            .collect()
    };
    assert!(!roll_lines(&stdout).is_empty(), "{stdout}");
    for roll_line in roll_lines(&stdout) {
        assert!(page.contains(roll_line.trim_start_matches("* ")), "{roll_line}\n{page}");
    }
}

#[test]
fn practice_can_be_undone_and_earns_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let input = "new\nskiff\n1\nAnn\nrow\nundo\nlog\nrow\nundo\nundo\n:leave\nhistory\npractice\nback\nback\nquit\n";
    let output = play_ferry(&data, &["--seed", "7", "--practice"], input);
    assert!(output.contains("(Practice, earns nothing.)"), "{output}");
    let roll_lines: Vec<&str> = output.lines().filter(|line| line.starts_with("* row")).collect();
    assert_eq!(roll_lines.len(), 2, "taken back, it is not in the log: {output}");
    assert_eq!(roll_lines[0], roll_lines[1], "the dice are what they were");
    assert!(output.contains("unfinished\n   player-0001, 1 answers, practice"), "{output}");
    // It stays at the step that undo returned to, also after a restart, and can be ended.
    let id = "player-0001";
    let output = play_ferry(
        &data,
        &[],
        &format!("history\npractice\n{id}\ncontinue\nAnn\nswim\ntitle\nprofile\nquit\n"),
    );
    assert!(output.contains("The run is over"), "{output}");
    let page = fs::read_to_string(folder.path().join("runs/player-0001/page.md")).unwrap();
    assert!(page.contains("it earned nothing"), "{page}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(profile.contains("earned = false"), "{profile}");
}

#[test]
fn undo_is_refused_outside_practice() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        play_ferry(&path_text(folder.path()), &["--seed", "7"], "new\nskiff\n1\nAnn\nrow\nundo\n");
    assert!(output.contains("Only answers of a practice run can be undone."), "{output}");
}

#[test]
fn a_run_can_be_replayed_and_continued_from_a_step() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let first_output = play_ferry(&data, &["--seed", "7"], &format!("{ANSWERS_TO_THE_END}quit\n"));
    let roll_line = first_output.lines().find(|line| line.starts_with("* row")).unwrap();
    let run_replay = |run: &str, input: &str| {
        let mut command = crate::cli::program_command(&["replay", run, "--data", &data]);
        command.args(["--mods", crate::cli::FERRY_FOLDER, "--game", "ferry"]);
        utf8_text(&crate::cli::run_with_input(command, input).stdout)
    };
    let output = run_replay("player-0001", "next\nnext\nnext\nlast\nbefore\njump\n2\nback\n");
    assert!(output.contains("Step 0 of 4."), "{output}");
    assert!(output.matches(roll_line).count() >= 1, "{output}");
    assert!(output.contains("Step 2 of 4."), "{output}");
    // From a step before the roll, played on: the run has ended, so the dice are the same.
    let file = folder.path().join("runs/player-0001/journal.jsonl").to_string_lossy().into_owned();
    let output = run_replay(&file, "next\nnext\nplay\nrow\nswim\npage\nquit\n");
    assert!(output.contains(roll_line), "{output}");
    assert!(output.contains("(Practice, earns nothing.)"), "{output}");
    assert!(output.contains("continued from (player-0001, after its step 2)"), "{output}");
}

#[test]
fn a_journal_elsewhere_is_replayed_and_missing_mods_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let first_output = play_ferry(
        &path_text(folder.path()),
        &["--seed", "7"],
        &format!("{ANSWERS_TO_THE_END}quit\n"),
    );
    let roll_line = first_output.lines().find(|line| line.starts_with("* row")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let journal_copy = elsewhere.path().join("a friend's run.jsonl");
    fs::copy(folder.path().join("runs/player-0001/journal.jsonl"), &journal_copy).unwrap();
    let mine = path_text(&elsewhere.path().join("mine"));
    let run_replay = |flags: &[&str], input: &str| {
        let mut command = crate::cli::program_command(&["replay", &journal_copy.to_string_lossy()]);
        command.args(["--data", &mine]).args(flags);
        crate::cli::run_with_input(command, input)
    };
    // Its mods are neither stored here nor found: it is watched without prompts and views.
    let replay_output = run_replay(&[], "next\nlast\nback\n");
    let output_text = utf8_text(&replay_output.stdout) + &utf8_text(&replay_output.stderr);
    assert!(output_text.contains(roll_line), "{output_text}");
    assert_eq!(output_text.matches("it is not here at all").count(), 1, "{output_text}");
    for words in ["the run was played with ferry", "it is not here at all", ".json", "copy it"] {
        assert!(output_text.contains(words), "{words}:\n{output_text}");
    }
    // With them it is watched and played on; its content is stored from then on.
    let mod_arguments = ["--mods", crate::cli::FERRY_FOLDER, "--game", "ferry"];
    let output = utf8_text(
        &run_replay(&mod_arguments, "next\nnext\nnext\nfirst\nplay\n1\nBea\n:leave\nback\n").stdout,
    );
    assert!(output.contains(roll_line), "{output}");
    assert!(output.contains("(Practice, earns nothing.)"), "{output}");
    let stdout = utf8_text(&run_replay(&[], "next\nlast\nback\n").stdout);
    assert!(stdout.contains("Step 4 of 4."), "{stdout}");
}

#[test]
fn a_fork_of_an_unfinished_run_has_other_dice() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    play_ferry(&data, &["--seed", "7", "--set", "oil=9"], "new\nbarge\nnone\n\n");
    let mut all_roll_lines = std::collections::BTreeSet::new();
    for _ in 0..6 {
        let mut command = crate::cli::program_command(&["replay", "player-0001", "--data", &data]);
        command.args(["--mods", crate::cli::FERRY_FOLDER, "--game", "ferry"]);
        let stdout = utf8_text(&run_with_input(command, "last\nplay\nrow\nquit\n").stdout);
        let roll_lines: Vec<&str> =
            stdout.lines().filter(|line| line.starts_with("* row")).collect();
        all_roll_lines.insert(roll_lines.join("\n"));
    }
    assert!(all_roll_lines.len() > 1, "six forks threw the same: {all_roll_lines:?}");
    // Each of them resumes at its last step.
    let output = play_ferry(&data, &[], "history\npractice\nplayer-0002\ncontinue\nlog\nquit\n");
    assert!(output.contains("* row"), "{output}");
}

/// Answers from the title through the run of a day.
const DAILY_ANSWERS: &str = "daily\nbegin\n1, letters\nAnn\nrow\nswim\n";

#[test]
fn a_daily_run_has_one_seed_and_counts_once() {
    let (first_data, second_data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let play_day = |data: &Path, day: &str, input: &str| {
        play_ferry(&path_text(data), &["--daily", day], &format!("{DAILY_ANSWERS}{input}quit\n"))
    };
    let first_output = play_day(first_data.path(), "2026-11-21", "");
    assert_eq!(first_output, play_day(second_data.path(), "2026-11-21", ""));
    assert!(first_output.contains("The run of 2026-11-21."), "{first_output}");
    let second_output = play_day(first_data.path(), "2026-11-21", "");
    assert!(second_output.contains("played before, so this is practice"), "{second_output}");
    let next_day_output = play_day(first_data.path(), "2026-11-22", "title\n");
    assert_ne!(
        text_after(&first_output, "Its seed was "),
        text_after(&next_day_output, "Its seed was ")
    );
    let output = run_with_input(ferry_command(&["--daily", "soon"]), "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_daily_run_is_told_and_the_same_whatever_the_player_has_and_chooses() {
    let header_of = |profile: &str, flags: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("profiles")).unwrap();
        fs::write(folder.path().join("profiles/player.toml"), profile).unwrap();
        let data = path_text(folder.path());
        let daily_flags = ["--plain", "--data", &data, "--daily", "2026-11-21"];
        let command = program_command(&[&daily_flags[..], flags].concat());
        let stdout = utf8_text(&run_with_input(command, "daily\nbegin\n").stdout);
        let journal = fs::read_to_string(folder.path().join("runs/player-0001/journal.jsonl"));
        let header: serde_json::Value =
            serde_json::from_str(journal.unwrap().lines().next().unwrap()).unwrap();
        (stdout, header["entry"].clone())
    };
    let new_profile = "format = 1\nname = \"player\"\n";
    let rich_profile =
        format!("{new_profile}\n[games.sub_rosa.data]\nexperience = 5000\ndescents = 30\n");
    let (output, first_header) = header_of(new_profile, &[]);
    let (_, second_header) = header_of(&rich_profile, &[]);
    for field in ["seed", "options", "profile", "practice", "day"] {
        let find = |header: &serde_json::Value| header.pointer(&format!("/run/{field}")).cloned();
        assert_eq!(find(&first_header), find(&second_header), "{field}: {first_header}");
    }
    assert!(output.contains("Place: The ") && output.contains("Difficulty: "), "{output}");
    // Labels, and not the words of options.
    let line_of = |label: &str| output.lines().find(|line| line.contains(label)).unwrap();
    assert!(line_of("Build: ").contains('/') && line_of("Difficulty: ").contains(", "), "{output}");
    // With an option of one's own it is another run, so this is practice.
    let (output, header) = header_of(new_profile, &["--set", "dungeon=library"]);
    assert!(output.contains("with options of your own, so this is practice"), "{output}");
    assert!(header.to_string().contains("\"practice\":true"), "{header}");
}

#[test]
fn a_run_in_which_only_its_form_was_filled_in_is_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let play = |input: &str| {
        let command = program_command(&["--plain", "--data", &data, "--game", "sub_rosa"]);
        utf8_text(&run_with_input(command, input).stdout)
    };
    let journal = folder.path().join("runs/player-0001/journal.jsonl");
    // Back at the place, and from there at the title: nothing is left to give up.
    let output = play("new\n1\nblade\nleave\nback\nquit\n");
    assert_eq!(output.matches("9. Back to the title").count(), 2, "{output}");
    assert!(!journal.exists() && !output.contains("Give up"), "{output}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    let seed = text_after(&profile, "next_seed = ").lines().next().unwrap().trim_matches('"');
    play("new\n1\nblade\nStep in\nquit\n");
    let header = fs::read_to_string(&journal).unwrap().lines().next().unwrap().to_owned();
    assert!(header.contains(&format!("\"seed\":{seed}")), "{seed}: {header}");
    // Once it has begun it stays.
    let output = play("resume\n1\nleave\nquit\n");
    assert!(journal.exists() && output.contains("Give up"), "{output}");
}

#[test]
fn an_option_that_is_not_asked_is_left_to_the_dice() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let flags = ["--plain", "--data", &data, "--game", "leeward"];
    let output = run_with_input(program_command(&flags), "new\n1\n3\nquit\n");
    let journal = fs::read_to_string(folder.path().join("runs/player-0001/journal.jsonl"));
    let header = journal.unwrap().lines().next().unwrap().to_owned();
    let stdout = utf8_text(&output.stdout);
    assert!(header.contains("\"size\"") && !header.contains("\"errand\""), "{header}\n{stdout}");
}

#[test]
fn a_run_can_be_played_again_with_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let input = format!("{ANSWERS_TO_THE_END}again\n1, letters\nAnn\nrow\nswim\nagain\nquit\n");
    let output = play_ferry(&data, &["--seed", "7", "--set", "oil=9"], &input);
    assert!(output.contains("Play again, with the same options"), "{output}");
    let header = |number: u32| {
        let path = folder.path().join(format!("runs/player-000{number}/journal.jsonl"));
        fs::read_to_string(path).unwrap().lines().next().unwrap().to_owned()
    };
    for number in 1..=3 {
        let header = header(number);
        assert!(header.contains("\"boat\":\"ferry:skiff\",\"oil\":9"), "{header}");
        assert_eq!(header.contains("\"seed\":7,"), number == 1, "{header}");
    }
    // Practice stays practice.
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let input = format!("{ANSWERS_TO_THE_END}again\nquit\n");
    let output = play_ferry(&data, &["--practice"], &input);
    assert!(output.contains("Play again as practice"), "{output}");
    assert_eq!(output.matches("(Practice, earns nothing.)").count(), 2, "{output}");
}

#[test]
fn practice_runs_have_their_own_list_and_count_apart() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let input = format!("{ANSWERS_TO_THE_END}title\nnew\nbarge\n1\nAnn\n:leave\nquit\n");
    play_ferry(&data, &["--practice"], &input);
    play_ferry(&data, &[], &format!("{ANSWERS_TO_THE_END}title\nquit\n"));
    let output = play_ferry(
        &data,
        &[],
        "history\nrecords\npractice\nplayer-0002\npage\ncontinue\n:leave\nback\nback\nquit\n",
    );
    for text in [
        "Runs started: 1",
        "Runs finished: 1",
        "Practice runs finished: 1",
        "outcome: drowned; runs: 1",
    ] {
        assert!(output.contains(text), "{text}:\n{output}");
    }
    let list = output.split("Practice runs, the newest first.").nth(1).unwrap();
    assert!(list.contains("unfinished\n"), "{output}");
}

#[test]
fn terms_of_every_game_are_explained_in_plain_text() {
    let terms = [
        ("sub_rosa", "fragment", "fragment: a part of the truth"),
        ("leeward", "watch", "watch: "),
        ("hollow_way", "deprived", "deprived: "),
        ("fivey", "inspiration", "inspiration: "),
        ("sovereign", "turn", "turn: "),
    ];
    for (game, term, explanation) in terms {
        let folder = tempfile::tempdir().unwrap();
        let flags = ["--plain", "--data", &path_text(folder.path()), "--game", game, "--daily"];
        let input = format!("daily\nbegin\nwhat is {term}\n? {term}\n? zyzzyx\nquit\n");
        let stdout = utf8_text(&run_with_input(program_command(&flags), &input).stdout);
        assert!(stdout.matches(explanation).count() >= 2, "{game}: {stdout}");
        assert_eq!(stdout.matches("is explained.").count(), 1, "{game}: {stdout}");
        // What is not explained is answered with the terms that there are.
        let answer = stdout.split("is explained.").nth(1).unwrap_or_default();
        assert!(answer.contains("There are: ") && answer.contains(term), "{game}: {stdout}");
    }
}

#[test]
fn the_mod_list_shows_description_and_game_of_each_mod() {
    let folder = tempfile::tempdir().unwrap();
    let mods = concat!(env!("CARGO_MANIFEST_DIR"), "/mods");
    let flags = ["--mods", mods, "--with", "low_light", "--data", &path_text(folder.path())];
    let output = run_with_input(program_command(&flags), "settings\nmods\nback\nback\nquit\n");
    let stdout = utf8_text(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", utf8_text(&output.stderr));
    let text_after_name = |name: &str| stdout.split_once(name).map_or("", |(_, rest)| rest);
    assert!(
        text_after_name("Low Light: on for this start").starts_with("\n   The candle burns down"),
        "{stdout}"
    );
    assert!(text_after_name("Ember Words: off").starts_with("\n   Three words more"), "{stdout}");
    assert!(
        text_after_name("The Sexton's Spade: off").contains("made for the game sovereign"),
        "{stdout}"
    );
}

#[test]
fn settings_and_players_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let input = "settings\npalette\nlight\nascii\nplayer\nnew\nMaren\nback\nquit\n";
    let output = play_ferry(&data, &[], input);
    assert!(
        output.contains("Colours: light") && output.contains("Characters: ASCII only"),
        "{output}"
    );
    assert!(output.contains("Player: Maren"), "{output}");
    let profile_text = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(
        profile_text.contains("palette = \"light\"") && profile_text.contains("ascii = true"),
        "{profile_text}"
    );
    assert!(folder.path().join("profiles/maren.toml").is_file());
    let output = play_ferry(&data, &[], "settings\nplayer\nmaren\nback\nquit\n");
    assert!(
        output.contains("Colours: chosen by the terminal"),
        "another player, other colours: {output}"
    );
}

#[test]
fn finished_runs_have_dates_pages_and_pictures() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let output_text =
        play_ferry(&data, &["--seed", "7"], &format!("{ANSWERS_TO_THE_END}copy\npicture\nquit\n"));
    let run_folder = folder.path().join("runs/player-0001");
    assert!(output_text.contains("page.txt") && output_text.contains("page.svg"), "{output_text}");
    let picture = fs::read_to_string(run_folder.join("page.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.contains("player-0001"), "{picture}");
    let output_text = play_ferry(&data, &[], "history\nrecords\nback\nquit\n");
    let today = ui::daily_seed::parse_date("today").unwrap();
    // A test that runs past midnight may see either date.
    let has_date =
        |output_text: &str| output_text.contains(&today[..7]) || output_text.contains("-01, ");
    assert!(has_date(&output_text), "{output_text}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(profile.contains("day = \""), "{profile}");
    // The same from the command line.
    let picture_path = folder.path().join("drawn.svg");
    let picture_path = picture_path.to_string_lossy();
    let flags = ["replay", "player-0001", "--data", &data, "--picture", &picture_path];
    let mut command = program_command(&flags);
    command.args(["--mods", crate::cli::FERRY_FOLDER, "--game", "ferry"]);
    let output = run_with_input(command, "");
    assert!(output.status.success(), "{}", utf8_text(&output.stderr));
    assert!(fs::read_to_string(&*picture_path).unwrap().contains("</svg>"));
}

#[test]
fn a_daily_start_with_an_active_run_says_when_it_applies() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    play_ferry(&data, &["--seed", "7"], "new\nskiff\n1\nAnn\n:leave\nquit\n");
    let output = play_ferry(&data, &["--daily", "2026-11-21"], "quit\n");
    assert!(output.contains("The next run can be that of 2026-11-21"), "{output}");
}

#[test]
fn keys_can_be_rebound_and_conflicts_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let data = path_text(folder.path());
    let input = "settings\nkeys\nkey:map\ng F5\nkey:log\ng\nkey:log\n5\nback\nback\nquit\n";
    let output = play_ferry(&data, &[], input);
    assert!(output.contains("map: g, F5"), "{output}");
    assert!(
        output.contains("g is bound to two actions") && output.contains("digits take choices"),
        "{output}"
    );
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(profile.contains("map = ["), "{profile}");
    assert!(!profile.contains("log = ["), "a conflicting key is not stored: {profile}");
    // A key with another binding is taken only after a confirmation.
    let output = play_ferry(&data, &[], "settings\nkeys\nkey:log\nt k\nback\nback\nback\nquit\n");
    assert!(output.contains("k is used for \"up\", which keeps Up. Reassign it?"), "{output}");
    let read_profile = || fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(!read_profile().contains("log = ["), "{}", read_profile());
    play_ferry(&data, &[], "settings\nkeys\nkey:log\nt k\ntake\nback\nback\nquit\n");
    assert!(read_profile().contains("log = ["), "{}", read_profile());
    // An unchanged binding is not written.
    play_ferry(&data, &[], "settings\nkeys\nkey:sheet\nc\nback\nback\nquit\n");
    assert!(!read_profile().contains("sheet = ["), "{}", read_profile());
    let output = play_ferry(&data, &[], "settings\nkeys\nusual\nback\nback\nquit\n");
    assert!(output.contains("changed"), "{output}");
    let profile = fs::read_to_string(folder.path().join("profiles/player.toml")).unwrap();
    assert!(!profile.contains("map = ["), "{profile}");
}
