//! `simulate`, run as a person runs it: many runs of a tiny game, and their report.

use std::path::Path;
use std::process::{Command, Output};

use crate::{bundled, runs};

const DUEL_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/duel");

fn run_simulate(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["simulate", "--mods", DUEL_FOLDER, "--game", "duel"]).args(arguments);
    command.current_dir(std::env::temp_dir()).env("XDG_DATA_HOME", "/no/such/folder");
    command.output().unwrap()
}

fn simulate_output(arguments: &[&str]) -> String {
    let output = run_simulate(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(stderr, "", "progress is for a terminal only");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_report_lists_outcomes_with_confidence_intervals() {
    let report = simulate_output(&["--runs", "40", "--set", "rival=*", "--set", "stones=5,7..8"]);
    insta::assert_snapshot!(report);
    let csv = simulate_output(&["--runs", "10", "--set", "rival=*", "--csv"]);
    assert_eq!(csv.lines().count(), 21);
    insta::assert_snapshot!("simulate_csv", csv.lines().take(4).collect::<Vec<_>>().join("\n"));
}

/// Every outcome, number and name is text, whatever it contains.
#[test]
fn an_html_report_has_pictures_and_no_markup_of_a_mod() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let path = file.to_str().unwrap();
    let table = simulate_output(&["--runs", "30", "--set", "rival=*", "--html", path]);
    assert!(table.contains("60 runs"), "{table}");
    let page = std::fs::read_to_string(&file).unwrap();
    // Shares, curves and one histogram at least, for each of two groups.
    assert!(page.matches("<svg").count() >= 6, "{page}");
    assert!(page.contains("fill-opacity") && page.contains("class=\"interval\""), "{page}");
    assert!(!page.contains("NaN") && !page.contains("http:"), "{page}");

    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/games/markup");
    let output = Command::new(env!("CARGO_BIN_EXE_sub-rosa"))
        .args(["simulate", "--mods", game, "--game", "markup", "--bot", "random", "--runs", "5"])
        .args(["--html", path])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");

    let nowhere = folder.path().join("no/report.html");
    let output = run_simulate(&["--runs", "2", "--html", nowhere.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"), "{output:?}");
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let report_with_threads = |threads| {
        simulate_output(&["--runs", "30", "--json", "--set", "rival=*", "--threads", threads])
    };
    let report = report_with_threads("1");
    assert_eq!(report, report_with_threads("3"));
    let report_json: serde_json::Value = serde_json::from_str(&report).unwrap();
    let won_group = &report_json["groups"][0]["outcomes"]["won"];
    let count = won_group["count"].as_f64().unwrap();
    assert_eq!(won_group["share"].as_f64().unwrap(), count / 30.0);
    let interval_bound = |index: usize| won_group["interval"][index].as_f64().unwrap();
    assert!(interval_bound(0) < count / 30.0 && count / 30.0 < interval_bound(1));
}

#[test]
fn a_recorded_run_can_be_replayed_as_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let record_folder = folder.path().to_string_lossy().into_owned();
    simulate_output(&[
        "--runs",
        "20",
        "--record",
        &record_folder,
        "--outcome",
        "lost",
        "--set",
        "stones=9",
    ]);
    let recorded_paths: Vec<_> =
        folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(recorded_paths.len(), 1, "{recorded_paths:?}");
    let case = runs::read_case(&recorded_paths[0]);
    let content = bundled::game_content("duel", &[]);
    let case_run = runs::play_case_with_rebuilds("recorded", &case, &content, None);
    assert_eq!(case_run.outcome(), Some("lost"));
    assert!(case_run.mismatches(&case).is_empty());
}

#[test]
fn invalid_simulate_arguments_are_reported() {
    let mut all_output = String::new();
    for arguments in [
        &["--bot", "stedy"][..],
        &["--set", "stones=9..5"],
        &["--set", "stones=3"],
        &["--set", "rivl=miller"],
    ] {
        let output = run_simulate(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        all_output.push_str(&format!("== {}\n{stderr}\n", arguments.join(" ")));
    }
    insta::assert_snapshot!(all_output);
    assert!(!Path::new("/no/such/folder").exists());
}

#[test]
fn merged_shards_equal_the_whole_simulation() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for shard in ["2/3", "3/3", "1/3"] {
        let path = folder.path().join(format!("part{}.jsonl", &shard[..1]));
        let threads = &shard[..1];
        let shard_output = simulate_output(&[
            "--runs",
            "50",
            "--set",
            "rival=*",
            "--shard",
            shard,
            "--threads",
            threads,
        ]);
        std::fs::write(&path, shard_output).unwrap();
        files.push(path.to_string_lossy().into_owned());
    }
    let merge_shards = |extra_arguments: &[&str]| {
        let arguments: Vec<&str> =
            ["--merge"].into_iter().chain(files.iter().map(String::as_str)).collect();
        simulate_output(&[extra_arguments, &arguments].concat())
    };
    assert_eq!(
        merge_shards(&["--json"]),
        simulate_output(&["--runs", "50", "--set", "rival=*", "--json"])
    );
    assert_eq!(
        merge_shards(&["--csv"]),
        simulate_output(&["--runs", "50", "--set", "rival=*", "--csv"])
    );
    let incomplete_output = simulate_output(&["--merge", &files[0], &files[2]]);
    assert!(incomplete_output.contains("stopped; "), "{incomplete_output}");
}

#[test]
fn shards_of_different_simulations_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write_shard = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let first_path = write_shard("one.jsonl", simulate_output(&["--runs", "10", "--shard", "1/2"]));
    let other_path =
        write_shard("other.jsonl", simulate_output(&["--runs", "20", "--shard", "2/2"]));
    let cut_path = write_shard("cut.jsonl", "{\"format\":1".to_owned());
    let mut all_output = String::new();
    for files in [&[&first_path, &other_path][..], &[&first_path, &first_path], &[&cut_path]] {
        let files: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
        let output = run_simulate(&[&["--merge"][..], &files].concat());
        assert_eq!(output.status.code(), Some(2));
        all_output.push_str(&String::from_utf8(output.stderr).unwrap());
    }
    let all_errors = all_output.replace(&*folder.path().to_string_lossy(), "FOLDER");
    insta::assert_snapshot!(all_errors);
    let output = run_simulate(&["--shard", "4/3"]);
    assert_eq!(output.status.code(), Some(2), "there is no fourth part of three");
}

#[test]
fn comparing_mod_sets_distinguishes_differences_from_noise() {
    let folder = tempfile::tempdir().unwrap();
    let write_changed_duel = |name: &str, original: &str, replacement: &str| {
        let record_folder = folder.path().join(name);
        std::fs::create_dir(&record_folder).unwrap();
        for file in ["mod.toml", "game.luau"] {
            let text = std::fs::read_to_string(Path::new(DUEL_FOLDER).join(file)).unwrap();
            std::fs::write(record_folder.join(file), text.replace(original, replacement)).unwrap();
        }
        record_folder.to_string_lossy().into_owned()
    };
    let sharper_folder = write_changed_duel("sharper", "nerve = 3", "nerve = 10");
    let reworded_folder = write_changed_duel("other_words", "The miller turns", "The miller tips");
    let compare_with = |mods: &str| -> serde_json::Value {
        let json_text = simulate_output(&["--runs", "300", "--vs-mods", mods, "--json"]);
        serde_json::from_str(&json_text).unwrap()
    };
    let compared_lines_of = |comparison: &serde_json::Value| {
        comparison["groups"][0]["lines"].as_array().unwrap().clone()
    };
    let comparison = compare_with(&sharper_folder);
    let won_group =
        compared_lines_of(&comparison).into_iter().find(|line| line["name"] == "won").unwrap();
    assert_eq!(won_group["verdict"], "differs", "{won_group}");
    assert!(won_group["difference"].as_f64().unwrap() < 0.0, "{won_group}");
    assert_ne!(
        comparison["one"], comparison["other"],
        "mods of one version are distinguished by their content"
    );
    let comparison = compare_with(&reworded_folder);
    assert!(
        compared_lines_of(&comparison).iter().all(|line| line["verdict"] == "noise"),
        "{comparison}"
    );
    let table_output = simulate_output(&["--runs", "300", "--vs-mods", &sharper_folder]);
    let compared_lines: Vec<&str> =
        table_output.lines().filter(|line| !line.contains("duel 0.1.0")).collect();
    insta::assert_snapshot!(compared_lines.join("\n"));
}

/// A folder with the mod `weather`, which has an option of its own.
fn weather_folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let manifest = crate::support::manifest_needing("weather", &["duel"]);
    std::fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    let script = "option \"weather\" { type = \"one_of\", values = { \"off\", \"wild\" }, default = \"off\" }\n\
         patch.rule \"duel:good_move\"(wrap(function(original, stones)\n\
         return if options.weather == \"wild\" then 0 else original(stones)\nend))\n\
         after(\"step_ended\", function()\n  if (game_profile.wins or 0) > 3 then\n    say \"Again.\"\n  end\nend)";
    std::fs::write(folder.path().join("weather.luau"), script).unwrap();
    let path = folder.path().to_string_lossy().into_owned();
    (folder, path)
}

#[test]
fn an_option_that_one_side_has_is_set_on_that_side() {
    let (_folder, weather) = weather_folder();
    let compare = |flags: &[&str]| {
        let arguments = ["--mods", &weather, "--vs", "weather", "--runs", "60"];
        simulate_output(&[&arguments[..], flags].concat())
    };
    let difference_count =
        |table: &str| table.lines().filter(|line| line.ends_with("differs")).count();
    assert_eq!(difference_count(&compare(&["--set", "rival=widow"])), 0, "it is off by default");
    let both = compare(&["--set", "rival=widow", "--set", "weather=*"]);
    let (off, wild) = both.split_once("weather=wild").unwrap();
    assert_eq!(difference_count(off), 0, "{both}");
    assert!(difference_count(wild) > 0, "{both}");
}

#[test]
fn an_option_with_other_values_on_one_side_is_named() {
    let (folder, weather) = weather_folder();
    let script = "rival \"cook\" { name = \"the cook\", greeting = \"The cook nods.\", nerve = 1 }";
    std::fs::write(folder.path().join("weather.luau"), script).unwrap();
    let arguments = ["--mods", &weather, "--vs", "weather", "--runs", "4", "--set"];
    let output = run_simulate(&[&arguments[..], &["rival=*"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("not-comparable") && message.contains("--set rival="), "{message}");
    assert!(run_simulate(&[&arguments[..], &["rival=widow"]].concat()).status.success());
}

#[test]
fn a_value_of_the_profile_that_no_script_knows_is_refused() {
    let (_folder, weather) = weather_folder();
    let simulate_with = |value: &str| {
        let arguments = ["--mods", &weather, "--with", "weather", "--runs", "2", "--profile-data"];
        let output = run_simulate(&[&arguments[..], &[value]].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(simulate_with("wins=4").0, Some(0));
    assert_eq!(simulate_with("@weather={}").0, Some(0));
    let (status, message) = simulate_with("wisn=4");
    assert_eq!(status, Some(2));
    assert!(
        message.contains("\"wisn\"") && message.contains("did you mean \"wins\"?"),
        "{message}"
    );
}

#[test]
fn critical_values_match_the_normal_distribution() {
    let expected_values = [(1, 1.960), (5, 2.576), (50, 3.291)];
    for (lines, expected) in expected_values {
        assert!(
            (lab::simulate::critical_value(lines) - expected).abs() < 0.002,
            "{lines}: {}",
            lab::simulate::critical_value(lines)
        );
    }
}

/// Simulates the base game with a broken view; returns the output and whether it succeeded.
fn simulate_broken_view(broken_script: &str, extra_arguments: &[&str]) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let manifest = crate::support::manifest_needing("planted", &["sub_rosa"]);
    std::fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    std::fs::write(folder.path().join("plant.luau"), broken_script).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["simulate", "--game", "sub_rosa", "--with", "planted", "--bot", "curious"]);
    command.args(extra_arguments).args(["--set", "dungeon=ice_house", "--mods"]);
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/base_game"));
    command.arg("--mods").arg(folder.path()).current_dir(std::env::temp_dir());
    let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    (String::from_utf8([output.stdout, output.stderr].concat()).unwrap(), output.status.success())
}

/// The bots of the base game read no view. A broken view is still found.
#[test]
fn views_that_fail_at_rare_prompts_are_reported() {
    // A scene that few runs reach, for one step: the first of each is checked.
    for (scene, runs) in [("level", "4"), ("boss", "8"), ("gear", "12"), ("walk", "4")] {
        let broken_script = format!(
            "patch.scene \"sub_rosa:{scene}\" {{ view = \"planted:broken\" }}\n\
             view \"broken\" (function() error \"planted\" end)\n"
        );
        let (output, is_success) = simulate_broken_view(&broken_script, &["--runs", runs]);
        assert!(!is_success && output.contains("planted/plant.luau:2"), "{scene}:\n{output}");
        assert_eq!(
            simulate_broken_view(&broken_script, &["--runs", runs, "--threads", "1"]).0,
            output,
            "{scene}"
        );
    }
    // A state that lasts some steps: a sample of the steps is checked.
    let broken_script = "patch.view \"sub_rosa:descent\" { widgets = add { function()
      if state.hero.gained == 3 then error \"planted\" end
    end } }";
    let (output, is_success) = simulate_broken_view(broken_script, &["--runs", "10"]);
    assert!(!is_success && output.contains("planted/plant.luau:2"), "{output}");
    let (output, is_success) = simulate_broken_view("-- nothing", &["--runs", "2"]);
    assert!(is_success, "{output}");
}

/// Simulates the base game in its folder, with a mod named by its folder.
fn run_on_base_game(command: &str, extra_arguments: &[&str]) -> (Option<i32>, String) {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    program.args([command, "--game", "sub_rosa", "--runs", "1", "--mods"]).args(extra_arguments);
    program.arg(format!("{root}/base_game")).arg("--mods").arg(format!("{root}/mods/ember_words"));
    program.current_dir(std::env::temp_dir()).env("XDG_DATA_HOME", "/no/such/folder");
    let output = program.output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn an_option_value_that_the_game_refuses_is_reported() {
    let mut all_output = String::new();
    let root = env!("CARGO_MANIFEST_DIR");
    let base = format!("{root}/base_game");
    for value in
        ["build=nonsense", "build=9/9/9/9", "build=blade,*", "build=blad", "dungeon=nowhere"]
    {
        let (status, output_text) =
            run_on_base_game("simulate", &[&base, "--set", value, "--mods"]);
        assert_eq!(status, Some(2), "{value}: {output_text}");
        all_output += &format!("== {value}\n{output_text}\n");
        let (status, explore_output) =
            run_on_base_game("explore", &[&base, "--set", value, "--mods"]);
        assert_eq!(status, Some(2), "{value}: {explore_output}");
    }
    insta::assert_snapshot!("simulate_refused_texts", all_output);
    let (status, output_text) =
        run_on_base_game("simulate", &[&base, "--set", "build=*", "--json", "--mods"]);
    assert_eq!(status, Some(0), "{output_text}");
    let report_json: serde_json::Value = serde_json::from_str(&output_text).unwrap();
    assert_eq!(report_json["groups"].as_array().unwrap().len(), 5);
    let output = run_simulate(&["--set", "stones=*", "--runs", "1"]);
    assert_eq!(output.status.code(), Some(0), "a range that has ends has values");
}

#[test]
fn a_recorded_case_names_mods_by_id() {
    let folder = tempfile::tempdir().unwrap();
    let record_folder = folder.path().to_string_lossy().into_owned();
    let base = format!("{}/base_game", env!("CARGO_MANIFEST_DIR"));
    let (_, output) = run_on_base_game(
        "simulate",
        &[&base, "--with", "ember_words", "--record", &record_folder, "--mods"],
    );
    assert!(output.contains("1 runs"), "{output}");
    let path = folder.path().read_dir().unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"ember_words\","), "{text}");
    assert!(!text.contains(env!("CARGO_MANIFEST_DIR")), "{text}");
}

#[test]
fn explore_lists_the_named_mods_unread_definitions_first() {
    let base = format!("{}/base_game", env!("CARGO_MANIFEST_DIR"));
    let (_, output) = run_on_base_game("explore", &[&base, "ember_words", "--mods"]);
    let definition_list = output.split("definitions never read: ").nth(1).unwrap();
    let definition_list = definition_list.split("\n\n").next().unwrap();
    assert!(definition_list.lines().next().unwrap().ends_with("of ember_words"), "{output}");
    let entries: Vec<&str> =
        definition_list.lines().skip(1).filter(|line| !line.starts_with("  and ")).collect();
    assert!(
        !entries.is_empty() && entries.iter().all(|line| line.contains("ember_words:")),
        "{output}"
    );
    let (_, json_output) = run_on_base_game("explore", &[&base, "ember_words", "--json", "--mods"]);
    let report_json: serde_json::Value = serde_json::from_str(&json_output).unwrap();
    let first_definition = report_json["never"]["definitions"][0].as_str().unwrap();
    assert!(first_definition.contains("ember_words:"), "{first_definition}");
}

#[test]
fn optimize_is_deterministic_and_ranks_by_outcome() {
    let optimize = |extra_arguments: &[&str]| {
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
                extra_arguments,
            ]
            .concat(),
        )
    };
    let result = optimize(&["--threads", "1"]);
    assert_eq!(result, optimize(&["--threads", "3"]));
    let report_json: serde_json::Value = serde_json::from_str(&result).unwrap();
    let best = report_json["best"].as_array().unwrap();
    let won_share = |candidate: &serde_json::Value| candidate["outcome"]["share"].as_f64().unwrap();
    assert!(best.windows(2).all(|pair| won_share(&pair[0]) >= won_share(&pair[1])), "{result}");
    assert!(report_json["candidates"].as_u64().unwrap() > 4, "{result}");
    assert!(
        best.iter().all(|candidate| candidate["runs"] == 60),
        "each on seeds that were not used for the choice: {result}"
    );
    assert!(report_json["above_middle"].as_f64().unwrap() > 0.0, "{result}");
    let output = simulate_output(&["--optimize", "won", "--runs", "9", "--set", "stones=5..9"]);
    let median = output.split("the median candidate: ").nth(1).unwrap();
    assert!(median.starts_with(|first: char| first.is_ascii_digit()), "{output}");
    let output = run_simulate(&["--optimize", "won", "--bot", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
}

/// Beside the duel, a bot with as many variants as its parameters have values.
const TAKER_BOT: &str = r#"
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
fn bot_parameters_can_be_set_and_are_searched_by_optimize() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = crate::support::manifest_needing("taker", &["duel"]);
    std::fs::write(folder.path().join("mod.toml"), manifest).unwrap();
    std::fs::write(folder.path().join("taker.luau"), TAKER_BOT).unwrap();
    let mods_folder = folder.path().to_string_lossy().into_owned();
    let simulate_taker = |extra_arguments: &[&str]| {
        run_simulate(&[&["--mods", &mods_folder, "--with", "taker"], extra_arguments].concat())
    };
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let best_of = |bot: &str| -> serde_json::Value {
        let arguments =
            ["--optimize", "won", "--runs", "5", "--set", "stones=15", "--set", "rival=miller"];
        let output = simulate_taker(&[&arguments[..], &["--bot", bot, "--json"]].concat());
        assert!(output.status.success(), "{}", text(output.stderr) + &text(output.stdout));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let all_variants = best_of("taker");
    assert_eq!(
        all_variants["candidates"], 6,
        "each value of one with each of the other: {all_variants}"
    );
    let some_variants = best_of("taker/takes=3");
    assert_eq!(
        some_variants["candidates"], 2,
        "given parameters are not searched: {some_variants}"
    );
    let best_bot = some_variants["best"][0]["bot"].as_str().unwrap();
    assert!(best_bot.starts_with("taker:taker/takes=3"), "{best_bot}");
    assert_eq!(best_of("t*")["candidates"], 6, "all that begin so");
    let csv_output =
        |bot: &str| text(simulate_taker(&["--runs", "20", "--csv", "--bot", bot]).stdout);
    assert_eq!(
        csv_output("taker"),
        csv_output("taker/takes=1/calls=heads"),
        "the first, where nothing is said"
    );
    assert_ne!(csv_output("taker"), csv_output("taker/takes=3"));
    // With a star, each value of a parameter is a group of runs on the same seeds.
    assert_eq!(best_of("taker/takes=*")["candidates"], 6, "as without it");
    let rows =
        |bot: &str| -> Vec<String> { csv_output(bot).lines().skip(1).map(str::to_owned).collect() };
    let of_each_value = rows("taker/takes=*");
    assert_eq!(of_each_value.len(), 60, "{of_each_value:#?}");
    let without_label = |value: &str| -> Vec<String> {
        let label = format!("{value},");
        of_each_value.iter().filter_map(|row| row.strip_prefix(&label)).map(str::to_owned).collect()
    };
    assert_eq!(without_label("3"), rows("taker/takes=3"));
    assert_eq!(rows("taker/takes=*/calls=*").len(), 120);
    let errors = ["taker/takes=4", "taker/wants=1", "random/takes=1", "taker/wants=*"].map(|bot| {
        let output = simulate_taker(&["--bot", bot]);
        assert_eq!(output.status.code(), Some(2));
        text(output.stdout) + &text(output.stderr)
    });
    insta::assert_snapshot!(errors.join("\n"));
}
