//! `mutate`: the mutants of a mod's rules, which of them the mod's cases kill, and the report on
//! the others. The mod is that of `docs/modding/rules.md`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const RULES_PAGE: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/modding/rules.md"));
const COMPLETE_CASES: &str = "\ncase \"T-1.1 four pay three, and five four\"(function()\n  equals(rules.fare(3), 2)\n  \
                     equals(rules.fare(4), 3)\n  equals(rules.fare(5), 4)\nend)\n";

const INEFFECTIVE_CASE: &str = "\ncase \"T-1.1 a constant is itself\"(function()\n  equals(2, 2)\n  holds(rules.fare ~= nil)\nend)\n";

/// The block of the page with the text of a file.
fn page_block(file: &str) -> String {
    let (_, rest) = RULES_PAGE.split_once(&format!("<!-- file: {file} -->\n```")).unwrap();
    let (_, text) = rest.split_once('\n').unwrap();
    text.split_once("```").unwrap().0.to_owned()
}

fn write_text(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The game of the page, with further cases.
fn write_game(folder: &Path, extra: &str) {
    for file in ["mod.toml", "play/gate.luau", "rules/fare.luau"] {
        write_text(folder, file, &page_block(file));
    }
    write_text(folder, "tests/rules/fare.luau", &(page_block("tests/rules/fare.luau") + extra));
}

fn run_program(folder: &Path, command: &str, extra: &[&str]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    program.args([command, "./"]).args(extra);
    program.current_dir(folder).env("XDG_DATA_HOME", "/no/such/folder");
    let Output { status, stdout, stderr } = program.output().unwrap();
    (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn the_page_shows_survivors_and_one_more_case_catches_them() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let (status, output) = run_program(folder.path(), "mutate", &["--file", "rules/"]);
    let (_, expected_output) = RULES_PAGE.split_once("```text\nSURVIVED").unwrap();
    let expected_output = format!("SURVIVED{}", expected_output.split_once("```").unwrap().0);
    assert_eq!(status, Some(1), "{output}");
    assert!(output.contains(&expected_output), "{output}\n--- does not say\n{expected_output}");
    assert!(RULES_PAGE.contains("prints three survivors"));
    assert_eq!(output.matches("SURVIVED: ").count(), 3, "{output}");
    write_game(folder.path(), COMPLETE_CASES);
    let (status, output) = run_program(folder.path(), "mutate", &["--file", "rules/"]);
    assert_eq!(status, Some(0), "{output}");
    assert!(output.contains(": score 100%"), "{output}");
}

#[test]
fn a_case_that_detects_no_mutant_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), &format!("{COMPLETE_CASES}{INEFFECTIVE_CASE}"));
    let (status, output) = run_program(folder.path(), "mutate", &["--file", "rules/"]);
    assert_eq!(status, Some(1), "{output}");
    assert!(
        output.contains("ineffective case, catches no mutant of its rows: T-1.1 a constant"),
        "{output}"
    );
}

/// Rules without a toll: one keeps its figure in a local, one calls the other.
const RULES_WITHOUT_TOLL: &str = r#"-- T-1.2: three go free.
local free = 3
rule "free"(function()
  return free
end)
-- T-1.3: and so many of each company, at most.
rule "most"(function()
  return { heads = 6, free = rules.free() }
end)
-- T-1.3
rule "fare"(function(heads)
  return 2 + math.max(0, math.min(heads, rules.most().heads) - rules.free())
end)
"#;

#[test]
fn a_case_that_only_reads_a_constant_catches_no_mutant() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    write_text(folder.path(), "rules/fare.luau", RULES_WITHOUT_TOLL);
    let mutate_with_cases = |cases: &str| {
        write_text(folder.path(), "tests/rules/fare.luau", cases);
        let (status, _) = run_program(folder.path(), "test", &[]);
        assert_eq!(status, Some(0), "the cases hold: {cases}");
        run_program(folder.path(), "mutate", &["--file", "rules/"])
    };
    let reading_cases = r#"
case "T-1.2 three go free"(function() equals(rules.free(), 3) end)
local function most() return rules.most() end
case "T-1.3 six at most"(function() equals(most(), { heads = 6, free = 3 }) end)
case "T-1.3 six at most, at the gate" {
  answers = { function() holds(select(2, pcall(rules.most)).heads == 6) end },
}
"#;
    let (status, output) = mutate_with_cases(reading_cases);
    assert_eq!(status, Some(1), "{output}");
    for expected_line in [
        // Another constant depends on it, and a case reads that.
        "another row: rules/fare.luau:2: 3 -> 4 [T-1.2]; 2 cases ran; 1 case only reads the constant",
        "SURVIVED: rules/fare.luau:8: 6 -> 7 [T-1.3]; 2 cases ran; 2 cases only read the constant",
    ] {
        assert!(output.contains(expected_line), "{output}\n--- does not say\n{expected_line}");
    }
    assert!(
        output.contains("ineffective case, catches no mutant of its rows: T-1.2 three go"),
        "{output}"
    );
    // Its effect elsewhere counts: the case reads the old figure, the rule the new one.
    let using_cases = r#"
case "T-1.2, T-1.3 who goes free pays nothing more, and nobody beyond the most"(function()
  equals(rules.fare(rules.free()), 2)
  equals(rules.fare(rules.free() + 1), 3)
  equals(rules.fare(rules.most().heads), 5)
  equals(rules.fare(rules.most().heads + 1), 5)
  equals(rules.fare(1), 2)
end)
"#;
    let (_, output) = mutate_with_cases(using_cases);
    for line in ["2: 3 -> 4", "2: 3 -> 2", "8: 6 -> 7", "8: 6 -> 5"] {
        assert!(!output.contains(&format!("SURVIVED: rules/fare.luau:{line}")), "{line}: {output}");
    }
    assert!(!output.contains("only read") && !output.contains("ineffective case"), "{output}");
}

#[test]
fn true_marks_are_trusted_and_false_marks_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let mutate_with_mark = |comment: &str| {
        let text =
            page_block("rules/fare.luau").replace("  return", &format!("  -- {comment}\n  return"));
        write_text(folder.path(), "rules/fare.luau", &text);
        run_program(folder.path(), "mutate", &["--file", "rules/"]).1
    };
    let output = mutate_with_mark("same(3 -> 4): nobody is four");
    assert!(output.contains("marked as no difference: rules/fare.luau:4: 3 -> 4"), "{output}");
    assert!(output.contains("reason: nobody is four"), "{output}");
    let output = mutate_with_mark("same(2 -> 3): it is three");
    assert!(output.contains("unused mark: rules/fare.luau:4: same(2 -> 3) is wrong"), "{output}");
    let output = mutate_with_mark("same(7 -> 8): there is none");
    assert!(output.contains("same(7 -> 8) matches no mutant"), "{output}");
    let output = mutate_with_mark("tuned: by many runs");
    assert!(!output.contains("SURVIVED: rules/fare.luau:4: 3 -> 4"), "{output}");
}

#[test]
fn a_ledger_assigns_mutants_to_rows_and_reports_missing_rows() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), COMPLETE_CASES);
    let table_head = "| id | done by | shown by |\n|---|---|---|\n";
    let ledger_row =
        |id: &str, file: &str| format!("| {id} | `rules/fare.luau` fare | `{file}` |\n");
    let test_with_ledger = |ledger: &str| {
        write_text(folder.path(), "ledger.md", ledger);
        run_program(folder.path(), "test", &["--ledger", "ledger.md"])
    };
    let complete_ledger = format!("{table_head}{}", ledger_row("T-1.1", "rules/fare.luau"));
    let (status, output) = test_with_ledger(&complete_ledger);
    assert!(status == Some(0) && output.contains("1 ledger rows, 1 with cases"), "{output}");
    let (status, output) =
        test_with_ledger(&format!("{complete_ledger}{}", ledger_row("T-1.2", "rules/fare.luau")));
    assert!(status == Some(1) && output.contains("error[row-without-cases]: T-1.2"), "{output}");
    let (status, output) =
        test_with_ledger(&format!("{table_head}{}", ledger_row("T-1.1", "rules/toll.luau")));
    assert!(status == Some(1) && output.contains("error[wrong-case-files]"), "{output}");
    let (status, output) =
        test_with_ledger(&format!("{table_head}{}", ledger_row("T-2.1", "rules/fare.luau")));
    assert!(status == Some(1) && output.contains("error[no-row]"), "{output}");
    let renamed =
        complete_ledger.replace("`rules/fare.luau` fare", "`rules/fare.luau` fare_of, two words");
    let (status, output) = test_with_ledger(&renamed);
    assert!(status == Some(1) && output.contains("error[unknown-function]: T-1.1 names fare_of,"));
    assert_eq!(output.matches("error[").count(), 1, "{output}");
    // A case of another row does not kill this mutant.
    write_text(folder.path(), "ledger.md", &complete_ledger);
    let case = fs::read_to_string(folder.path().join("tests/rules/fare.luau")).unwrap();
    write_text(folder.path(), "tests/rules/fare.luau", &case.replace("T-1.1", "T-9.9"));
    let (status, output) =
        run_program(folder.path(), "mutate", &["--ledger", "ledger.md", "--rule", "T-1.1"]);
    assert!(
        status == Some(1) && output.contains("caught only by a case of another row"),
        "{output}"
    );
}

#[test]
fn rows_of_the_same_file_share_its_unassigned_mutants() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), COMPLETE_CASES);
    let rules_without_row = page_block("rules/fare.luau").replace("-- T-1.1: ", "-- ");
    write_text(folder.path(), "rules/fare.luau", &rules_without_row);
    let ledger_row = |id: &str| format!("| {id} | `rules/fare.luau` | `tests/rules/fare.luau` |\n");
    // The cases belong to the second row.
    let ledger_text = format!(
        "| id | done by | shown by |\n|---|---|---|\n{}{}",
        ledger_row("T-0.9"),
        ledger_row("T-1.1")
    );
    write_text(folder.path(), "ledger.md", &ledger_text);
    let (status, output) =
        run_program(folder.path(), "mutate", &["--file", "rules/", "--ledger", "ledger.md"]);
    assert_eq!(status, Some(0), "{output}");
}

#[test]
fn results_are_repeatable_and_cached() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let full_result = run_program(folder.path(), "mutate", &["--json", "--threads", "1"]);
    assert_eq!(full_result, run_program(folder.path(), "mutate", &["--json", "--threads", "3"]));
    let cache_path = folder.path().join("found.jsonl");
    let cache_arguments = ["--json", "--cache", cache_path.to_str().unwrap()];
    assert_eq!(full_result, run_program(folder.path(), "mutate", &cache_arguments));
    let cache_text = fs::read_to_string(&cache_path).unwrap();
    let half_cache: String = cache_text.lines().take(4).map(|line| format!("{line}\n")).collect();
    fs::write(&cache_path, half_cache).unwrap();
    assert_eq!(
        full_result,
        run_program(folder.path(), "mutate", &cache_arguments),
        "it continues at the same place"
    );
    assert_eq!(
        fs::read_to_string(&cache_path).unwrap().lines().count(),
        cache_text.lines().count()
    );
}

#[test]
fn cached_results_are_not_used_for_other_cases_or_rows() {
    let folder = tempfile::tempdir().unwrap();
    let write_game_with_case = |case: &str| {
        write_game(folder.path(), "");
        write_text(folder.path(), "tests/pay.toml", case);
    };
    let playing_case =
        "about = \"T-1.1 who pays goes in\"\nseed = 1\nanswers = [\"pay\"]\noutcome = \"over\"\n";
    let ineffective_case = "about = \"T-1.1 who pays goes in\"\nseed = 1\nanswers = []\n";
    let cache_path = folder.path().join("found.jsonl");
    let cache_arguments = ["--json", "--cache", cache_path.to_str().unwrap()];
    write_game_with_case(playing_case);
    let first_result = run_program(folder.path(), "mutate", &cache_arguments);
    assert_eq!(first_result, run_program(folder.path(), "mutate", &["--json"]));
    write_game_with_case(ineffective_case);
    let new_result = run_program(folder.path(), "mutate", &["--json"]);
    assert_ne!(first_result, new_result, "the case holds less than it did");
    assert_eq!(new_result, run_program(folder.path(), "mutate", &cache_arguments));
    // With another ledger the mutant belongs to another row, and so does its case.
    let text = page_block("rules/fare.luau").replace("-- T-1.1: ", "-- ");
    write_text(folder.path(), "rules/fare.luau", &text);
    run_program(folder.path(), "mutate", &cache_arguments);
    let ledger = "| id | done by | shown by |\n|---|---|---|\n| T-2.1 | `rules/fare.luau` fare | `rules/fare.luau` |\n";
    write_text(folder.path(), "ledger.md", ledger);
    let mutate_with_ledger = |extra: &[&str]| {
        run_program(
            folder.path(),
            "mutate",
            &[&["--json", "--ledger", "ledger.md"], extra].concat(),
        )
    };
    assert_eq!(
        mutate_with_ledger(&[]),
        mutate_with_ledger(&["--cache", cache_path.to_str().unwrap()])
    );
}

#[test]
fn counts_are_written_only_to_a_ledger_with_a_place_for_them() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let ledger_table = "| id | done by | shown by |\n|---|---|---|\n| T-1.1 | `rules/fare.luau` fare | `rules/fare.luau` |\n";
    let mutate_and_write = |ledger_text: &str| {
        write_text(folder.path(), "ledger.md", ledger_text);
        let arguments = ["--file", "rules/", "--ledger", "ledger.md", "--write"];
        let (status, output) = run_program(folder.path(), "mutate", &arguments);
        (status, output, fs::read_to_string(folder.path().join("ledger.md")).unwrap())
    };
    let (status, output, ledger_text) = mutate_and_write(ledger_table);
    assert!(status == Some(2) && output.contains("has no place for the results"), "{output}");
    assert_eq!(ledger_text, ledger_table);
    let text = page_block("rules/fare.luau")
        .replace("  return", "  -- same(3 -> 4): nobody is four\n  return");
    write_text(folder.path(), "rules/fare.luau", &text);
    let (_, output, ledger_text) = mutate_and_write(&format!(
        "{ledger_table}\n<!-- mutate -->\nold\n<!-- /mutate -->\nmore\n"
    ));
    assert!(
        ledger_text.starts_with(ledger_table) && ledger_text.ends_with("<!-- /mutate -->\nmore\n"),
        "{ledger_text}"
    );
    assert!(
        !ledger_text.contains("old") && ledger_text.contains("T-1.1 11 (1 marked, 2 open)."),
        "{output}\n{ledger_text}"
    );
    assert!(
        ledger_text.contains("- `rules/fare.luau` fare, 3 -> 4: nobody is four"),
        "{ledger_text}"
    );
    let (_, _, second_page) = mutate_and_write(&ledger_text);
    assert_eq!(ledger_text, second_page);
}

#[test]
fn outdated_ledger_counts_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), COMPLETE_CASES);
    let ledger_text = "| id | done by | shown by |\n|---|---|---|\n| T-1.1 | `rules/fare.luau` fare | `rules/fare.luau` |\n\n\
                <!-- mutate -->\n<!-- /mutate -->\n";
    write_text(folder.path(), "ledger.md", ledger_text);
    let run_test = || run_program(folder.path(), "test", &["--ledger", "ledger.md"]);
    assert!(!run_test().1.contains("outdated-ledger-counts"), "nothing was counted yet");
    let arguments = ["--file", "rules/", "--ledger", "ledger.md", "--write"];
    assert_eq!(run_program(folder.path(), "mutate", &arguments).0, Some(0));
    let (status, output) = run_test();
    assert!(status == Some(0) && !output.contains("outdated-ledger-counts"), "{output}");
    // Play code is not counted, and cases are not either.
    write_text(folder.path(), "play/gate.luau", &(page_block("play/gate.luau") + "-- a word\n"));
    write_text(
        folder.path(),
        "tests/rules/fare.luau",
        &(COMPLETE_CASES.to_owned() + "-- a word\n"),
    );
    assert!(!run_test().1.contains("outdated-ledger-counts"));
    write_text(
        folder.path(),
        "rules/fare.luau",
        &page_block("rules/fare.luau").replace("3)", "3.0)"),
    );
    let (status, output) = run_test();
    assert!(status == Some(0), "it is reported, and refuses nothing: {output}");
    assert!(output.contains("warning[outdated-ledger-counts]: rules/ changed after"), "{output}");
    assert!(output.contains("mutate toll --file rules/ --ledger ledger.md --write"), "{output}");
}

#[test]
fn only_changes_since_a_revision_are_mutated() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), COMPLETE_CASES);
    let run_git = |arguments: &[&str]| {
        let user_arguments = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let mut git = Command::new("git");
        assert!(
            git.arg("-C")
                .arg(folder.path())
                .args(user_arguments)
                .args(arguments)
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    run_git(&["init", "-q"]);
    run_git(&["add", "."]);
    run_git(&["commit", "-q", "-m", "all"]);
    let (status, output) = run_program(folder.path(), "mutate", &["--since", "HEAD"]);
    assert!(status == Some(0) && output.contains("toll: 0 mutants"), "{output}");
    // A new case is checked even where no rule changed.
    let reaching_case =
        INEFFECTIVE_CASE.replace("holds(rules.fare ~= nil)", "equals(2, 2, rules.fare(1))");
    for case in [INEFFECTIVE_CASE, &reaching_case] {
        write_text(folder.path(), "tests/rules/more.luau", case);
        let (status, output) = run_program(folder.path(), "mutate", &["--since", "HEAD"]);
        assert!(status == Some(1) && output.contains("ineffective case"), "{output}");
    }
    write_text(
        folder.path(),
        "tests/rules/more.luau",
        &COMPLETE_CASES.replace("four pay", "so four pay"),
    );
    let (status, output) = run_program(folder.path(), "mutate", &["--since", "HEAD"]);
    assert!(status == Some(0), "{output}");
    fs::remove_file(folder.path().join("tests/rules/more.luau")).unwrap();
    let text = page_block("rules/fare.luau") + "rule \"free\"(function() return 7 end)\n";
    write_text(folder.path(), "rules/fare.luau", &text);
    let (status, output) = run_program(folder.path(), "mutate", &["--since", "HEAD", "--json"]);
    let output_json: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(status, Some(1), "{output}");
    assert_eq!(output_json["all"]["survived"], output_json["all"]["changes"], "{output}");
    assert!(
        output_json["survived"].as_array().unwrap().iter().all(|mutant| mutant["line"] == 5),
        "{output}"
    );
}

#[test]
fn every_kind_of_mutant_is_created() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let text = r#"-- T-1.2
schema "way"(field.one_of { "north", "south", "up" })
rule "kinds"(function(heads, free)
  local fares = { { many = { 6, 4 }, few = 2 } }
  if heads > 3 and not free then
    return fares[1].many[1] + heads
  end
  state.paid = true
  local dice, door, none, way = "2d6+1", "door", 0, "north"
  return fares[1].few, dice, door, none, way
end)
-- T-1.3
local weights = { 8, 9 }
rule "weight"(function(at) return weights[at] end)
"#;
    write_text(folder.path(), "rules/kinds.luau", text);
    write_text(
        folder.path(),
        "ledger.md",
        "| id | done by | shown by |\n|---|---|---|\n| T-1.3 | `rules/kinds.luau` weight, tuned: weights | `rules/x.luau` |\n",
    );
    let arguments = ["--file", "rules/kinds.luau", "--json", "--ledger", "ledger.md"];
    let (_, output) = run_program(folder.path(), "mutate", &arguments);
    let output_json: serde_json::Value = serde_json::from_str(&output).unwrap();
    let expected_line = output_json["survived"].as_array().unwrap();
    let changes: Vec<&str> =
        expected_line.iter().map(|mutant| mutant["change"].as_str().unwrap()).collect();
    for change in [
        "6 -> 7",
        "6 -> 5",
        "6 -> 3",
        "> -> >=",
        "and -> or",
        "condition -> true",
        "condition -> false",
        "without not",
        "return left out",
        "left out",
        "swapped with the next",
        "without few",
        "true -> false",
        "+ -> -",
        "0 -> 1",
        "0 -> -1",
        "\"2d6+1\" -> \"3d6+1\"",
        "\"2d6+1\" -> \"2d7+1\"",
        "\"2d6+1\" -> \"2d6+2\"",
        "\"north\" -> \"south\"",
    ] {
        assert!(changes.contains(&change), "{change} is not among {changes:?}");
    }
    assert!(
        !changes.iter().any(|change| change.contains("door")),
        "a text is no number: {changes:?}"
    );
    // Rows that the ledger marks as tuned are separate and count for nothing.
    let tuned_mutants = output_json["tuned"].as_array().unwrap();
    assert!(
        tuned_mutants.len() == 1
            && tuned_mutants[0]["line"] == 13
            && tuned_mutants[0]["noticed"] == 0,
        "{output}"
    );
    assert!(!changes.contains(&"8 -> 9"), "{output}");
    // The list itself is not changed.
    assert!(!changes.iter().any(|change| change.starts_with("\"up\"")), "{changes:?}");
}

#[test]
fn a_sample_is_drawn_by_its_seed() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let sample = |count: &str, seed: &str| -> serde_json::Value {
        let arguments = ["--file", "rules/", "--sample", count, "--seed", seed, "--json"];
        let (_, output) = run_program(folder.path(), "mutate", &arguments);
        serde_json::from_str(&output).unwrap()
    };
    let (_, output) = run_program(folder.path(), "mutate", &["--file", "rules/", "--json"]);
    let whole: serde_json::Value = serde_json::from_str(&output).unwrap();
    let all = whole["all"]["changes"].as_u64().unwrap() + whole["all"]["refused"].as_u64().unwrap();
    let few = sample("5", "1");
    assert_eq!(few["sample"]["of"], all);
    assert_eq!(
        few["all"]["changes"].as_u64().unwrap() + few["all"]["refused"].as_u64().unwrap(),
        5
    );
    assert_eq!(few, sample("5", "1"));
    let survivors =
        |report: &serde_json::Value| report["files"].to_string() + &report["survived"].to_string();
    let others: Vec<String> =
        (1..6).map(|seed| survivors(&sample("5", &seed.to_string()))).collect();
    assert!(others.iter().any(|other| *other != others[0]), "the seed chooses");
    let [low, high] = [0, 1].map(|end| few["sample"]["interval"][end].as_f64().unwrap());
    let score = few["percent"].as_f64().unwrap();
    assert!(low <= score && score <= high && low < high, "{few}");
    // A larger sample than there are mutants is all of them.
    assert_eq!(sample("100000", "1")["all"], whole["all"]);
    let (status, output) =
        run_program(folder.path(), "mutate", &["--sample", "5", "--ledger", "x.md", "--write"]);
    assert_eq!(status, Some(2), "{output}");
}
