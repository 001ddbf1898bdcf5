//! Cases that call rules: what `test` reports for cases that pass, cases that fail, and cases that
//! ask nothing.

use std::fs;
use std::path::Path;

const FERRY_MANIFEST: &str =
    "id = \"ferry\"\nname = \"Ferry\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

const FERRY_SCRIPT: &str = r#"-- A ferry and its fares.
start(function() go "bank" end)
scene "bank" {
  prompt = function() return { text = "The bank.", choices = { { id = "cross", label = "Cross" } } } end,
  on = { cross = function() finish { outcome = "over" } end },
}
rule "fare"(function(head) return if head > 2 then { coin = head, note = "a crowd" } else { coin = 2 } end)
rule "strict"(function(head) if head < 0 then error "nobody is less than nobody" end return head end)
"#;

fn write_mod(folder: &Path, cases: &str) {
    fs::create_dir_all(folder.join("tests/rules")).unwrap();
    fs::write(folder.join("mod.toml"), FERRY_MANIFEST).unwrap();
    fs::write(folder.join("ferry.luau"), FERRY_SCRIPT).unwrap();
    fs::write(folder.join("tests/rules/fares.luau"), cases).unwrap();
}

fn run_test_command(folder: &Path, extra_arguments: &[&str]) -> (Option<i32>, String) {
    crate::support::test_command_output("ferry", folder, extra_arguments)
}

const PASSING_CASES: &str = r#"
case "F-1.1 two pay two, and a crowd by the head"(function()
  equals(rules.fare(1), { coin = 2 })
  equals(rules.fare(3), { coin = 3, note = "a crowd" })
end)
case "F-1.2 nobody is less than nobody"(function()
  refuses(function() rules.strict(-1) end, "less than nobody")
  holds(rules.strict(0) == 0)
end)
case "F-1.3 and it is crossed" { answers = { function() equals(1, 1) end, "cross" }, outcome = "over" }
"#;

#[test]
fn passing_cases_are_listed_and_can_be_selected_by_name() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(folder.path(), PASSING_CASES);
    let (status, output) = run_test_command(folder.path(), &[]);
    assert_eq!(status, Some(0), "{output}");
    assert!(
        output.contains("ok     ferry F-1.2 nobody") && output.contains("3 passed"),
        "{output}"
    );
    let (_, output) = run_test_command(folder.path(), &["--case", "F-1.1"]);
    assert!(output.contains("1 passed") && !output.contains("F-1.2"), "{output}");
    let (_, output) = run_test_command(folder.path(), &["--json"]);
    let output_json: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(output_json["cases"][0]["about"], "F-1.1 two pay two, and a crowd by the head");
}

#[test]
fn cases_are_selected_by_complete_row_ids() {
    let folder = tempfile::tempdir().unwrap();
    let case_with_name =
        |name: &str| format!("case \"{name}\"(function() holds(rules.fare(1)) end)\n");
    let names =
        ["F-2.1 one", "F-2.10 two", "F-2.9 to F-2.11 three", "F-2.3 to F-2.5 four", "F-21.1 five"];
    write_mod(folder.path(), &names.map(case_with_name).concat());
    let run_case = |words: &str| run_test_command(folder.path(), &["--case", words]).1;
    let selected_names = |words: &str| {
        let output = run_case(words);
        names.into_iter().filter(|name| output.contains(name)).collect::<Vec<_>>()
    };
    assert_eq!(selected_names("F-2.1"), ["F-2.1 one"]);
    assert_eq!(selected_names("F-2.10"), ["F-2.10 two", "F-2.9 to F-2.11 three"]);
    assert_eq!(selected_names("F-2.4"), ["F-2.3 to F-2.5 four"]);
    assert_eq!(selected_names("F-2").len(), 4, "a section is what its rows begin with");
    assert_eq!(selected_names("two"), ["F-2.10 two"]);
    assert!(selected_names("tw").is_empty());
}

#[test]
fn a_case_with_answers_left_after_the_run_ended_fails() {
    let folder = tempfile::tempdir().unwrap();
    let case = "case \"F-1.3 a\" { answers = { \"cross\", function() equals(1, 2) end }, outcome = \"over\" }";
    write_mod(folder.path(), case);
    let (status, output) = run_test_command(folder.path(), &[]);
    assert_eq!(status, Some(1), "{output}");
    assert!(
        output.contains("error[answers-left]: F-1.3 a: answers that are not used: 1 of 2"),
        "{output}"
    );
}

#[test]
fn a_failed_case_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    for (case, expected_output) in [
        (
            "case \"F-1.1 a\"(function() equals(rules.fare(3), { coin = 3 }, \"three\") end)",
            "error[case-check-failed]: F-1.1 a: three: found { coin = 3, note = \"a crowd\" }",
        ),
        (
            "case \"F-1.1 a\"(function() holds(nil) end)",
            "error[case-check-failed]: F-1.1 a: found nil",
        ),
        (
            "case \"F-1.2 a\"(function() refuses(function() rules.strict(1) end) end)",
            "expected: an error",
        ),
        (
            "case \"F-1.2 a\"(function() refuses(function() rules.strict(-1) end, \"more\") end)",
            "expected: an error with the text \"more\"",
        ),
        ("case \"F-1.2 a\"(function() rules.strict(-1) end)", "nobody is less than nobody"),
        ("case \"F-1.2 a\"(function() rules.fare(1) end)", "error[asks-nothing]"),
        ("case \"F-1.3 a\" { run = function() end, outcome = \"over\" }", "error[bad-case]"),
        (
            "case \"F-1.3 a\" { answers = { function() equals(1, 2) end } }",
            "error[case-check-failed]",
        ),
        ("case \"F-1.3 a\" { answers = {} }", "error[asks-nothing]"),
    ] {
        write_mod(folder.path(), case);
        let (status, output) = run_test_command(folder.path(), &[]);
        assert_eq!(status, Some(1), "{output}");
        assert!(output.contains(expected_output), "{output}");
        assert!(output.contains("ferry/tests/rules/fares.luau:1"), "{output}");
        assert!(!output.contains(".expect.luau"), "{output}");
    }
}
