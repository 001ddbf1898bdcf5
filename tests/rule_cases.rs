//! Cases that call rules: what `test` reports for cases that pass, cases that fail, and cases that
//! ask nothing.

use std::fs;
use std::path::Path;

const MANIFEST: &str =
    "id = \"ferry\"\nname = \"Ferry\"\nversion = \"0.1.0\"\nengine = \"*\"\ngame = true\n";

const FERRY: &str = r#"-- A ferry and its fares.
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
    fs::write(folder.join("mod.toml"), MANIFEST).unwrap();
    fs::write(folder.join("ferry.luau"), FERRY).unwrap();
    fs::write(folder.join("tests/rules/fares.luau"), cases).unwrap();
}

fn test(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    crate::support::test_command_output("ferry", folder, more)
}

const SOUND: &str = r#"
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
fn cases_that_pass_are_ok_and_can_be_chosen_by_name() {
    let folder = tempfile::tempdir().unwrap();
    write_mod(folder.path(), SOUND);
    let (status, said) = test(folder.path(), &[]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("ok     ferry F-1.2 nobody") && said.contains("3 passed"), "{said}");
    let (_, said) = test(folder.path(), &["--case", "F-1.1"]);
    assert!(said.contains("1 passed") && !said.contains("F-1.2"), "{said}");
    let (_, said) = test(folder.path(), &["--json"]);
    let page: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(page["cases"][0]["about"], "F-1.1 two pay two, and a crowd by the head");
}

#[test]
fn a_row_is_chosen_by_its_whole_id() {
    let folder = tempfile::tempdir().unwrap();
    let case = |name: &str| format!("case \"{name}\"(function() holds(rules.fare(1)) end)\n");
    let names =
        ["F-2.1 one", "F-2.10 two", "F-2.9 to F-2.11 three", "F-2.3 to F-2.5 four", "F-21.1 five"];
    write_mod(folder.path(), &names.map(case).concat());
    let told = |words: &str| test(folder.path(), &["--case", words]).1;
    let chosen = |words: &str| {
        let said = told(words);
        names.into_iter().filter(|name| said.contains(name)).collect::<Vec<_>>()
    };
    assert_eq!(chosen("F-2.1"), ["F-2.1 one"]);
    assert_eq!(chosen("F-2.10"), ["F-2.10 two", "F-2.9 to F-2.11 three"]);
    assert_eq!(chosen("F-2.4"), ["F-2.3 to F-2.5 four"]);
    assert_eq!(chosen("F-2").len(), 4, "a section is what its rows begin with");
    assert_eq!(chosen("two"), ["F-2.10 two"]);
    assert!(chosen("tw").is_empty());
}

#[test]
fn a_run_that_is_over_before_its_answers_does_not_pass_over_them() {
    let folder = tempfile::tempdir().unwrap();
    let case = "case \"F-1.3 a\" { answers = { \"cross\", function() equals(1, 2) end }, outcome = \"over\" }";
    write_mod(folder.path(), case);
    let (status, said) = test(folder.path(), &[]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("error[answers-left]: F-1.3 a: 1 of the 2 answers"), "{said}");
}

#[test]
fn a_failed_case_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    for (case, told) in [
        (
            "case \"F-1.1 a\"(function() equals(rules.fare(3), { coin = 3 }, \"three\") end)",
            "error[case-check-failed]: F-1.1 a: found three: { coin = 3, note = \"a crowd\" }",
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
        let (status, said) = test(folder.path(), &[]);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains(told), "{said}");
        assert!(said.contains("ferry/tests/rules/fares.luau:1"), "{said}");
        assert!(!said.contains(".expect.luau"), "{said}");
    }
}
