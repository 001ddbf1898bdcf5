//! `simulate`, run as a person runs it: many runs of a tiny game, and their report.

use std::path::Path;
use std::process::{Command, Output};

use crate::{bundled, runs};

const DUEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/duel");

fn simulate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["simulate", "--mods", DUEL, "--game", "duel"]).args(arguments);
    command.current_dir(std::env::temp_dir()).env("XDG_DATA_HOME", "/no/such/folder");
    command.output().unwrap()
}

fn simulate_output(arguments: &[&str]) -> String {
    let output = simulate(arguments);
    let wrong = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{wrong}{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(wrong, "", "progress is for a terminal only");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_report_says_what_runs_come_to_and_how_sure_that_is() {
    let report = simulate_output(&["--runs", "40", "--set", "rival=*", "--set", "stones=5,7..8"]);
    insta::assert_snapshot!(report);
    let csv = simulate_output(&["--runs", "10", "--set", "rival=*", "--csv"]);
    assert_eq!(csv.lines().count(), 21);
    insta::assert_snapshot!("simulate_csv", csv.lines().take(4).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_report_is_the_same_whatever_the_number_of_threads() {
    let by = |threads| {
        simulate_output(&["--runs", "30", "--json", "--set", "rival=*", "--threads", threads])
    };
    let one = by("1");
    assert_eq!(one, by("3"));
    let read: serde_json::Value = serde_json::from_str(&one).unwrap();
    let won = &read["groups"][0]["outcomes"]["won"];
    let count = won["count"].as_f64().unwrap();
    assert_eq!(won["share"].as_f64().unwrap(), count / 30.0);
    let within = |at: usize| won["interval"][at].as_f64().unwrap();
    assert!(within(0) < count / 30.0 && count / 30.0 < within(1));
}

#[test]
fn a_run_that_was_recorded_can_be_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().to_string_lossy().into_owned();
    simulate_output(&["--runs", "20", "--record", &into, "--outcome", "lost", "--set", "stones=9"]);
    let found: Vec<_> = folder.path().read_dir().unwrap().map(|one| one.unwrap().path()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    let case = runs::read(&found[0]);
    let content = bundled::content("duel", &[]);
    let played = runs::play("recorded", &case, &content, None);
    assert_eq!(played.outcome(), Some("lost"));
    assert!(played.mismatches(&case).is_empty());
}

#[test]
fn what_cannot_be_simulated_is_said() {
    let mut all = String::new();
    for arguments in [
        &["--bot", "stedy"][..],
        &["--set", "stones=9..5"],
        &["--set", "stones=3"],
        &["--set", "rivl=miller"],
    ] {
        let output = simulate(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        all.push_str(&format!("== {}\n{said}\n", arguments.join(" ")));
    }
    insta::assert_snapshot!(all);
    assert!(!Path::new("/no/such/folder").exists());
}

#[test]
fn parts_played_apart_come_to_the_same_as_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for part in ["2/3", "3/3", "1/3"] {
        let path = folder.path().join(format!("part{}.jsonl", &part[..1]));
        let threads = &part[..1];
        let told = simulate_output(&[
            "--runs",
            "50",
            "--set",
            "rival=*",
            "--shard",
            part,
            "--threads",
            threads,
        ]);
        std::fs::write(&path, told).unwrap();
        files.push(path.to_string_lossy().into_owned());
    }
    let merge = |with: &[&str]| {
        let all: Vec<&str> =
            ["--merge"].into_iter().chain(files.iter().map(String::as_str)).collect();
        simulate_output(&[with, &all].concat())
    };
    assert_eq!(
        merge(&["--json"]),
        simulate_output(&["--runs", "50", "--set", "rival=*", "--json"])
    );
    assert_eq!(merge(&["--csv"]), simulate_output(&["--runs", "50", "--set", "rival=*", "--csv"]));
    let fewer = simulate_output(&["--merge", &files[0], &files[2]]);
    assert!(fewer.contains("stopped; "), "{fewer}");
}

#[test]
fn parts_that_do_not_belong_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let one = write("one.jsonl", simulate_output(&["--runs", "10", "--shard", "1/2"]));
    let other = write("other.jsonl", simulate_output(&["--runs", "20", "--shard", "2/2"]));
    let cut = write("cut.jsonl", "{\"format\":1".to_owned());
    let mut all = String::new();
    for files in [&[&one, &other][..], &[&one, &one], &[&cut]] {
        let files: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
        let output = simulate(&[&["--merge"][..], &files].concat());
        assert_eq!(output.status.code(), Some(2));
        all.push_str(&String::from_utf8(output.stderr).unwrap());
    }
    let shown = all.replace(&*folder.path().to_string_lossy(), "FOLDER");
    insta::assert_snapshot!(shown);
    let output = simulate(&["--shard", "4/3"]);
    assert_eq!(output.status.code(), Some(2), "there is no fourth part of three");
}

#[test]
fn two_sets_of_mods_are_told_apart_from_noise() {
    let folder = tempfile::tempdir().unwrap();
    let changed = |name: &str, from: &str, to: &str| {
        let into = folder.path().join(name);
        std::fs::create_dir(&into).unwrap();
        for file in ["mod.toml", "game.luau"] {
            let text = std::fs::read_to_string(Path::new(DUEL).join(file)).unwrap();
            std::fs::write(into.join(file), text.replace(from, to)).unwrap();
        }
        into.to_string_lossy().into_owned()
    };
    let sharper = changed("sharper", "nerve = 3", "nerve = 10");
    let other_words = changed("other_words", "The miller turns", "The miller tips");
    let compared = |mods: &str| -> serde_json::Value {
        let told = simulate_output(&["--runs", "300", "--vs-mods", mods, "--json"]);
        serde_json::from_str(&told).unwrap()
    };
    let lines = |page: &serde_json::Value| page["groups"][0]["lines"].as_array().unwrap().clone();
    let page = compared(&sharper);
    let won = lines(&page).into_iter().find(|line| line["name"] == "won").unwrap();
    assert_eq!(won["verdict"], "differs", "{won}");
    assert!(won["difference"].as_f64().unwrap() < 0.0, "{won}");
    assert_ne!(
        page["one"], page["other"],
        "mods of one version are distinguished by their content"
    );
    let page = compared(&other_words);
    assert!(lines(&page).iter().all(|line| line["verdict"] == "noise"), "{page}");
    let table = simulate_output(&["--runs", "300", "--vs-mods", &sharper]);
    let shown: Vec<&str> = table.lines().filter(|line| !line.contains("duel 0.1.0")).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn the_reach_of_chance_is_that_of_the_normal_distribution() {
    let known = [(1, 1.960), (5, 2.576), (50, 3.291)];
    for (lines, right) in known {
        assert!(
            (engine::author::critical_value(lines) - right).abs() < 0.002,
            "{lines}: {}",
            engine::author::critical_value(lines)
        );
    }
}

/// Simulates the base game with a broken view; returns the output and whether it succeeded.
fn simulate_broken_view(plant: &str, more: &[&str]) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let manifest = crate::support::manifest_needing("planted", &["sub_rosa"]);
    std::fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    std::fs::write(folder.path().join("plant.luau"), plant).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["simulate", "--game", "sub_rosa", "--with", "planted", "--bot", "curious"]);
    command.args(more).args(["--set", "dungeon=ice_house", "--mods"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/base_game"));
    command.arg("--mods").arg(folder.path()).current_dir(std::env::temp_dir());
    let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    (String::from_utf8([output.stdout, output.stderr].concat()).unwrap(), output.status.success())
}

/// The bots of the base game read no view. A broken view is found all the same.
#[test]
fn views_that_break_at_rare_prompts_are_found() {
    // A scene that few runs reach, for one step: the first of each is checked.
    for (scene, runs) in [("level", "4"), ("boss", "8"), ("gear", "12"), ("walk", "4")] {
        let plant = format!(
            "patch.scene \"sub_rosa:{scene}\" {{ view = \"planted:broken\" }}\n\
             view \"broken\" (function() error \"planted\" end)\n"
        );
        let (told, sound) = simulate_broken_view(&plant, &["--runs", runs]);
        assert!(!sound && told.contains("planted/plant.luau:2"), "{scene}:\n{told}");
        assert_eq!(
            simulate_broken_view(&plant, &["--runs", runs, "--threads", "1"]).0,
            told,
            "{scene}"
        );
    }
    // A state that lasts some steps: a sample of the steps is checked.
    let plant = "patch.view \"sub_rosa:descent\" { widgets = add { function()
      if state.hero.gained == 3 then error \"planted\" end
    end } }";
    let (told, sound) = simulate_broken_view(plant, &["--runs", "10"]);
    assert!(!sound && told.contains("planted/plant.luau:2"), "{told}");
    let (told, sound) = simulate_broken_view("-- nothing", &["--runs", "2"]);
    assert!(sound, "{told}");
}

/// Simulates the base game in its folder, with a mod named by its folder.
fn simulate_base_game(command: &str, more: &[&str]) -> (Option<i32>, String) {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    program.args([command, "--game", "sub_rosa", "--runs", "1", "--mods"]).args(more);
    program.arg(format!("{root}/base_game")).arg("--mods").arg(format!("{root}/mods/ember_words"));
    program.current_dir(std::env::temp_dir()).env("XDG_DATA_HOME", "/no/such/folder");
    let output = program.output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn a_text_that_the_game_refuses_is_refused_with_what_there_is() {
    let mut all = String::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let base = format!("{root}/base_game");
    for value in
        ["build=nonsense", "build=9/9/9/9", "build=blade,*", "build=blad", "dungeon=nowhere"]
    {
        let (status, told) = simulate_base_game("simulate", &[&base, "--set", value, "--mods"]);
        assert_eq!(status, Some(2), "{value}: {told}");
        all += &format!("== {value}\n{told}\n");
        let (status, other) = simulate_base_game("explore", &[&base, "--set", value, "--mods"]);
        assert_eq!(status, Some(2), "{value}: {other}");
    }
    insta::assert_snapshot!("simulate_refused_texts", all);
    let (status, told) =
        simulate_base_game("simulate", &[&base, "--set", "build=*", "--json", "--mods"]);
    assert_eq!(status, Some(0), "{told}");
    let read: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(read["groups"].as_array().unwrap().len(), 5);
    let output = simulate(&["--set", "stones=*", "--runs", "1"]);
    assert_eq!(output.status.code(), Some(0), "a range that has ends has values");
}

#[test]
fn what_is_recorded_names_mods_by_their_ids() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().to_string_lossy().into_owned();
    let base = format!("{}/base_game", env!("CARGO_MANIFEST_DIR"));
    let (_, told) = simulate_base_game(
        "simulate",
        &[&base, "--with", "ember_words", "--record", &into, "--mods"],
    );
    assert!(told.contains("1 runs"), "{told}");
    let path = folder.path().read_dir().unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"ember_words\","), "{text}");
    assert!(!text.contains(env!("CARGO_MANIFEST_DIR")), "{text}");
}

#[test]
fn who_explores_a_mod_hears_of_that_first() {
    let base = format!("{}/base_game", env!("CARGO_MANIFEST_DIR"));
    let (_, told) = simulate_base_game("explore", &[&base, "ember_words", "--mods"]);
    let list = told.split("definitions never read: ").nth(1).unwrap();
    let list = list.split("\n\n").next().unwrap();
    assert!(list.lines().next().unwrap().ends_with("of ember_words"), "{told}");
    let entries: Vec<&str> =
        list.lines().skip(1).filter(|line| !line.starts_with("  and ")).collect();
    assert!(
        !entries.is_empty() && entries.iter().all(|line| line.contains("ember_words:")),
        "{told}"
    );
    let (_, json) = simulate_base_game("explore", &[&base, "ember_words", "--json", "--mods"]);
    let read: serde_json::Value = serde_json::from_str(&json).unwrap();
    let first = read["never"]["definitions"][0].as_str().unwrap();
    assert!(first.contains("ember_words:"), "{first}");
}

#[test]
fn what_is_sought_is_found_the_same_every_time() {
    let seek = |more: &[&str]| {
        simulate_output(
            &[
                &[
                    "--optimize",
                    "won",
                    "--runs",
                    "60",
                    "--set",
                    "stones=5..9",
                    "--set",
                    "rival=*",
                    "--json",
                ],
                more,
            ]
            .concat(),
        )
    };
    let one = seek(&["--threads", "1"]);
    assert_eq!(one, seek(&["--threads", "3"]));
    let read: serde_json::Value = serde_json::from_str(&one).unwrap();
    let best = read["best"].as_array().unwrap();
    let share = |came: &serde_json::Value| came["outcome"]["share"].as_f64().unwrap();
    assert!(best.windows(2).all(|pair| share(&pair[0]) >= share(&pair[1])), "{one}");
    assert!(read["candidates"].as_u64().unwrap() > 4, "{one}");
    assert!(
        best.iter().all(|came| came["runs"] == 60),
        "each on seeds that were not used for the choice: {one}"
    );
    assert!(read["above_middle"].as_f64().unwrap() > 0.0, "{one}");
    let output = simulate(&["--optimize", "won", "--bot", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Beside the duel, a bot with as many variants as its parameters have values.
const TAKER: &str = r#"
bot "taker" {
  parameters = { calls = { "heads", "tails" }, takes = { 1, 2, 3 } },
  observes = {},
  choose = function(seen)
    local told = seen.parameters
    return if seen.prompt.ask == "one" then told.calls else math.min(told.takes, seen.prompt.ask.number.max)
  end,
}
"#;

#[test]
fn a_bot_is_told_how_to_play_and_its_ways_are_sought_over() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = crate::support::manifest_needing("taker", &["duel"]);
    std::fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    std::fs::write(folder.path().join("taker.luau"), TAKER).unwrap();
    let place = folder.path().to_string_lossy().into_owned();
    let with = |more: &[&str]| simulate(&[&["--mods", &place, "--with", "taker"], more].concat());
    let text = |of: Vec<u8>| String::from_utf8(of).unwrap();
    let best = |bot: &str| -> serde_json::Value {
        let asked =
            ["--optimize", "won", "--runs", "5", "--set", "stones=15", "--set", "rival=miller"];
        let output = with(&[&asked[..], &["--bot", bot, "--json"]].concat());
        assert!(output.status.success(), "{}", text(output.stderr) + &text(output.stdout));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let all = best("taker");
    assert_eq!(all["candidates"], 6, "each value of one with each of the other: {all}");
    let some = best("taker/takes=3");
    assert_eq!(some["candidates"], 2, "given parameters are not searched: {some}");
    let named = some["best"][0]["bot"].as_str().unwrap();
    assert!(named.starts_with("taker:taker/takes=3"), "{named}");
    assert_eq!(best("t*")["candidates"], 6, "all that begin so");
    let taken = |bot: &str| text(with(&["--runs", "20", "--csv", "--bot", bot]).stdout);
    assert_eq!(
        taken("taker"),
        taken("taker/takes=1/calls=heads"),
        "the first, where nothing is said"
    );
    assert_ne!(taken("taker"), taken("taker/takes=3"));
    let wrong = ["taker/takes=4", "taker/wants=1", "random/takes=1"].map(|bot| {
        let output = with(&["--bot", bot]);
        assert_eq!(output.status.code(), Some(2));
        text(output.stdout) + &text(output.stderr)
    });
    insta::assert_snapshot!(wrong.join("\n"));
}
