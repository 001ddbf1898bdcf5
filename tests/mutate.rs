//! `mutate`: the mutants of a mod's rules, which of them the mod's cases kill, and the report on
//! the others. The mod is that of `docs/modding/rules.md`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/modding/rules.md"));
const WHOLE: &str = "\ncase \"T-1.1 four pay three, and five four\"(function()\n  equals(rules.fare(3), 2)\n  \
                     equals(rules.fare(4), 3)\n  equals(rules.fare(5), 4)\nend)\n";

const IDLE: &str = "\ncase \"T-1.1 a constant is itself\"(function()\n  equals(2, 2)\n  holds(rules.fare ~= nil)\nend)\n";

/// The block of the page with the text of a file.
fn block(file: &str) -> String {
    let (_, rest) = PAGE.split_once(&format!("<!-- file: {file} -->\n```")).unwrap();
    let (_, text) = rest.split_once('\n').unwrap();
    text.split_once("```").unwrap().0.to_owned()
}

fn write_text(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The game of the page, with further cases.
fn write_game(folder: &Path, more: &str) {
    for file in ["mod.toml", "play/gate.luau", "rules/fare.luau"] {
        write_text(folder, file, &block(file));
    }
    write_text(folder, "tests/rules/fare.luau", &(block("tests/rules/fare.luau") + more));
}

fn run(folder: &Path, command: &str, more: &[&str]) -> (Option<i32>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    program.args([command, "./"]).args(more);
    program.current_dir(folder).env("XDG_DATA_HOME", "/no/such/folder");
    let Output { status, stdout, stderr } = program.output().unwrap();
    (status.code(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn the_page_shows_what_survives_and_one_case_more_notices_it() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let (status, said) = run(folder.path(), "mutate", &["--file", "rules/"]);
    let (_, shown) = PAGE.split_once("```text\nSURVIVED").unwrap();
    let shown = format!("SURVIVED{}", shown.split_once("```").unwrap().0);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains(&shown), "{said}\n--- does not say\n{shown}");
    write_game(folder.path(), WHOLE);
    let (status, said) = run(folder.path(), "mutate", &["--file", "rules/"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains(": score 100%"), "{said}");
}

#[test]
fn a_case_that_detects_no_mutant_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), &format!("{WHOLE}{IDLE}"));
    let (status, said) = run(folder.path(), "mutate", &["--file", "rules/"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(
        said.contains("ineffective case, catches no mutant of its rows: T-1.1 a constant"),
        "{said}"
    );
}

/// Rules without a toll: one keeps its figure in a local, one calls the other.
const FREE: &str = r#"-- T-1.2: three go free.
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
fn a_case_that_only_reads_a_constant_is_no_proof_of_it() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    write_text(folder.path(), "rules/fare.luau", FREE);
    let told = |cases: &str| {
        write_text(folder.path(), "tests/rules/fare.luau", cases);
        let (status, _) = run(folder.path(), "test", &[]);
        assert_eq!(status, Some(0), "the cases hold: {cases}");
        run(folder.path(), "mutate", &["--file", "rules/"])
    };
    let reads = r#"
case "T-1.2 three go free"(function() equals(rules.free(), 3) end)
local function most() return rules.most() end
case "T-1.3 six at most"(function() equals(most(), { heads = 6, free = 3 }) end)
case "T-1.3 six at most, at the gate" {
  answers = { function() holds(select(2, pcall(rules.most)).heads == 6) end },
}
"#;
    let (status, said) = told(reads);
    assert_eq!(status, Some(1), "{said}");
    for survived in [
        // Another constant depends on it, and a case reads that.
        "another row: rules/fare.luau:2: 3 -> 4 [T-1.2]; 2 cases ran; 1 case only reads the constant",
        "SURVIVED: rules/fare.luau:8: 6 -> 7 [T-1.3]; 2 cases ran; 2 cases only read the constant",
    ] {
        assert!(said.contains(survived), "{said}\n--- does not say\n{survived}");
    }
    assert!(
        said.contains("ineffective case, catches no mutant of its rows: T-1.2 three go"),
        "{said}"
    );
    // Its effect elsewhere counts: the case reads the old figure, the rule the new one.
    let used = r#"
case "T-1.2, T-1.3 who goes free pays nothing more, and nobody beyond the most"(function()
  equals(rules.fare(rules.free()), 2)
  equals(rules.fare(rules.free() + 1), 3)
  equals(rules.fare(rules.most().heads), 5)
  equals(rules.fare(rules.most().heads + 1), 5)
  equals(rules.fare(1), 2)
end)
"#;
    let (_, said) = told(used);
    for line in ["2: 3 -> 4", "2: 3 -> 2", "8: 6 -> 7", "8: 6 -> 5"] {
        assert!(!said.contains(&format!("SURVIVED: rules/fare.luau:{line}")), "{line}: {said}");
    }
    assert!(!said.contains("only read") && !said.contains("ineffective case"), "{said}");
}

#[test]
fn marks_are_trusted_where_true_and_reported_where_false() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let marked = |mark: &str| {
        let text = block("rules/fare.luau").replace("  return", &format!("  -- {mark}\n  return"));
        write_text(folder.path(), "rules/fare.luau", &text);
        run(folder.path(), "mutate", &["--file", "rules/"]).1
    };
    let said = marked("same(3 -> 4): nobody is four");
    assert!(said.contains("marked as no difference: rules/fare.luau:4: 3 -> 4"), "{said}");
    assert!(said.contains("reason: nobody is four"), "{said}");
    let said = marked("same(2 -> 3): it is three");
    assert!(said.contains("unused mark: rules/fare.luau:4: same(2 -> 3) is wrong"), "{said}");
    let said = marked("same(7 -> 8): there is none");
    assert!(said.contains("same(7 -> 8) matches no mutant"), "{said}");
    let said = marked("tuned: by many runs");
    assert!(!said.contains("SURVIVED: rules/fare.luau:4: 3 -> 4"), "{said}");
}

#[test]
fn a_ledger_parts_what_is_caught_by_row_and_names_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), WHOLE);
    let head = "| id | done by | shown by |\n|---|---|---|\n";
    let row = |id: &str, file: &str| format!("| {id} | `rules/fare.luau` fare | `{file}` |\n");
    let test = |ledger: &str| {
        write_text(folder.path(), "ledger.md", ledger);
        run(folder.path(), "test", &["--ledger", "ledger.md"])
    };
    let sound = format!("{head}{}", row("T-1.1", "rules/fare.luau"));
    let (status, said) = test(&sound);
    assert!(status == Some(0) && said.contains("1 ledger rows, 1 with cases"), "{said}");
    let (status, said) = test(&format!("{sound}{}", row("T-1.2", "rules/fare.luau")));
    assert!(status == Some(1) && said.contains("error[row-without-cases]: T-1.2"), "{said}");
    let (status, said) = test(&format!("{head}{}", row("T-1.1", "rules/toll.luau")));
    assert!(status == Some(1) && said.contains("error[wrong-case-files]"), "{said}");
    let (status, said) = test(&format!("{head}{}", row("T-2.1", "rules/fare.luau")));
    assert!(status == Some(1) && said.contains("error[no-row]"), "{said}");
    let renamed = sound.replace("`rules/fare.luau` fare", "`rules/fare.luau` fare_of, two words");
    let (status, said) = test(&renamed);
    assert!(status == Some(1) && said.contains("error[unknown-function]: T-1.1 names fare_of,"));
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    // A case of another row does not kill this mutant.
    write_text(folder.path(), "ledger.md", &sound);
    let case = fs::read_to_string(folder.path().join("tests/rules/fare.luau")).unwrap();
    write_text(folder.path(), "tests/rules/fare.luau", &case.replace("T-1.1", "T-9.9"));
    let (status, said) =
        run(folder.path(), "mutate", &["--ledger", "ledger.md", "--rule", "T-1.1"]);
    assert!(status == Some(1) && said.contains("caught only by a case of another row"), "{said}");
}

#[test]
fn rows_that_name_the_same_file_share_what_no_row_is_named_for() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), WHOLE);
    let unnamed = block("rules/fare.luau").replace("-- T-1.1: ", "-- ");
    write_text(folder.path(), "rules/fare.luau", &unnamed);
    let row = |id: &str| format!("| {id} | `rules/fare.luau` | `tests/rules/fare.luau` |\n");
    // The cases belong to the second row.
    let page =
        format!("| id | done by | shown by |\n|---|---|---|\n{}{}", row("T-0.9"), row("T-1.1"));
    write_text(folder.path(), "ledger.md", &page);
    let (status, said) =
        run(folder.path(), "mutate", &["--file", "rules/", "--ledger", "ledger.md"]);
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn results_are_repeatable_and_cached() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let whole = run(folder.path(), "mutate", &["--json", "--threads", "1"]);
    assert_eq!(whole, run(folder.path(), "mutate", &["--json", "--threads", "3"]));
    let kept = folder.path().join("found.jsonl");
    let keep = ["--json", "--cache", kept.to_str().unwrap()];
    assert_eq!(whole, run(folder.path(), "mutate", &keep));
    let found = fs::read_to_string(&kept).unwrap();
    let half: String = found.lines().take(4).map(|line| format!("{line}\n")).collect();
    fs::write(&kept, half).unwrap();
    assert_eq!(whole, run(folder.path(), "mutate", &keep), "it continues at the same place");
    assert_eq!(fs::read_to_string(&kept).unwrap().lines().count(), found.lines().count());
}

#[test]
fn cached_results_are_not_used_for_other_cases_or_rows() {
    let folder = tempfile::tempdir().unwrap();
    let toll_with = |case: &str| {
        write_game(folder.path(), "");
        write_text(folder.path(), "tests/pay.toml", case);
    };
    let played =
        "about = \"T-1.1 who pays goes in\"\nseed = 1\nanswers = [\"pay\"]\noutcome = \"over\"\n";
    let idle = "about = \"T-1.1 who pays goes in\"\nseed = 1\nanswers = []\n";
    let keep = folder.path().join("found.jsonl");
    let kept = ["--json", "--cache", keep.to_str().unwrap()];
    toll_with(played);
    let before = run(folder.path(), "mutate", &kept);
    assert_eq!(before, run(folder.path(), "mutate", &["--json"]));
    toll_with(idle);
    let after = run(folder.path(), "mutate", &["--json"]);
    assert_ne!(before, after, "the case holds less than it did");
    assert_eq!(after, run(folder.path(), "mutate", &kept));
    // With another ledger the mutant belongs to another row, and so does its case.
    let text = block("rules/fare.luau").replace("-- T-1.1: ", "-- ");
    write_text(folder.path(), "rules/fare.luau", &text);
    run(folder.path(), "mutate", &kept);
    let row = "| id | done by | shown by |\n|---|---|---|\n| T-2.1 | `rules/fare.luau` fare | `rules/fare.luau` |\n";
    write_text(folder.path(), "ledger.md", row);
    let with = |more: &[&str]| {
        run(folder.path(), "mutate", &[&["--json", "--ledger", "ledger.md"], more].concat())
    };
    assert_eq!(with(&[]), with(&["--cache", keep.to_str().unwrap()]));
}

#[test]
fn counts_are_written_into_the_ledger_and_only_where_it_has_a_place_for_them() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let table = "| id | done by | shown by |\n|---|---|---|\n| T-1.1 | `rules/fare.luau` fare | `rules/fare.luau` |\n";
    let write = |page: &str| {
        write_text(folder.path(), "ledger.md", page);
        let asked = ["--file", "rules/", "--ledger", "ledger.md", "--write"];
        let (status, said) = run(folder.path(), "mutate", &asked);
        (status, said, fs::read_to_string(folder.path().join("ledger.md")).unwrap())
    };
    let (status, said, page) = write(table);
    assert!(status == Some(2) && said.contains("has no place for the results"), "{said}");
    assert_eq!(page, table);
    let text =
        block("rules/fare.luau").replace("  return", "  -- same(3 -> 4): nobody is four\n  return");
    write_text(folder.path(), "rules/fare.luau", &text);
    let (_, said, page) =
        write(&format!("{table}\n<!-- mutate -->\nold\n<!-- /mutate -->\nmore\n"));
    assert!(page.starts_with(table) && page.ends_with("<!-- /mutate -->\nmore\n"), "{page}");
    assert!(
        !page.contains("old") && page.contains("T-1.1 11 (1 marked, 2 open)."),
        "{said}\n{page}"
    );
    assert!(page.contains("- `rules/fare.luau` fare, 3 -> 4: nobody is four"), "{page}");
    let (_, _, again) = write(&page);
    assert_eq!(page, again);
}

#[test]
fn counts_of_rules_that_were_changed_since_are_told() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), WHOLE);
    let page = "| id | done by | shown by |\n|---|---|---|\n| T-1.1 | `rules/fare.luau` fare | `rules/fare.luau` |\n\n\
                <!-- mutate -->\n<!-- /mutate -->\n";
    write_text(folder.path(), "ledger.md", page);
    let told = || run(folder.path(), "test", &["--ledger", "ledger.md"]);
    assert!(!told().1.contains("outdated-ledger-counts"), "nothing was counted yet");
    let asked = ["--file", "rules/", "--ledger", "ledger.md", "--write"];
    assert_eq!(run(folder.path(), "mutate", &asked).0, Some(0));
    let (status, said) = told();
    assert!(status == Some(0) && !said.contains("outdated-ledger-counts"), "{said}");
    // Play code is not counted, and cases are not either.
    write_text(folder.path(), "play/gate.luau", &(block("play/gate.luau") + "-- a word\n"));
    write_text(folder.path(), "tests/rules/fare.luau", &(WHOLE.to_owned() + "-- a word\n"));
    assert!(!told().1.contains("outdated-ledger-counts"));
    write_text(folder.path(), "rules/fare.luau", &block("rules/fare.luau").replace("3)", "3.0)"));
    let (status, said) = told();
    assert!(status == Some(0), "it is reported, and refuses nothing: {said}");
    assert!(said.contains("warning[outdated-ledger-counts]: rules/ changed after"), "{said}");
    assert!(said.contains("mutate toll --file rules/ --ledger ledger.md --write"), "{said}");
}

#[test]
fn only_what_was_changed_since_a_revision_is_tried() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), WHOLE);
    let git = |words: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let mut git = Command::new("git");
        assert!(
            git.arg("-C")
                .arg(folder.path())
                .args(who)
                .args(words)
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "all"]);
    let (status, said) = run(folder.path(), "mutate", &["--since", "HEAD"]);
    assert!(status == Some(0) && said.contains("toll: 0 mutants"), "{said}");
    // A new case is checked even where no rule changed.
    let reaching = IDLE.replace("holds(rules.fare ~= nil)", "equals(2, 2, rules.fare(1))");
    for idle in [IDLE, &reaching] {
        write_text(folder.path(), "tests/rules/more.luau", idle);
        let (status, said) = run(folder.path(), "mutate", &["--since", "HEAD"]);
        assert!(status == Some(1) && said.contains("ineffective case"), "{said}");
    }
    write_text(folder.path(), "tests/rules/more.luau", &WHOLE.replace("four pay", "so four pay"));
    let (status, said) = run(folder.path(), "mutate", &["--since", "HEAD"]);
    assert!(status == Some(0), "{said}");
    fs::remove_file(folder.path().join("tests/rules/more.luau")).unwrap();
    let text = block("rules/fare.luau") + "rule \"free\"(function() return 7 end)\n";
    write_text(folder.path(), "rules/fare.luau", &text);
    let (status, said) = run(folder.path(), "mutate", &["--since", "HEAD", "--json"]);
    let page: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(page["all"]["survived"], page["all"]["changes"], "{said}");
    assert!(page["survived"].as_array().unwrap().iter().all(|one| one["line"] == 5), "{said}");
}

#[test]
fn every_kind_of_change_is_made() {
    let folder = tempfile::tempdir().unwrap();
    write_game(folder.path(), "");
    let text = r#"-- T-1.2
rule "kinds"(function(heads, free)
  local fares = { { many = { 6, 4 }, few = 2 } }
  if heads > 3 and not free then
    return fares[1].many[1] + heads
  end
  state.paid = true
  local dice, door, none = "2d6+1", "door", 0
  return fares[1].few, dice, door, none
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
    let asked = ["--file", "rules/kinds.luau", "--json", "--ledger", "ledger.md"];
    let (_, said) = run(folder.path(), "mutate", &asked);
    let page: serde_json::Value = serde_json::from_str(&said).unwrap();
    let survived = page["survived"].as_array().unwrap();
    let made: Vec<&str> = survived.iter().map(|one| one["change"].as_str().unwrap()).collect();
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
    ] {
        assert!(made.contains(&change), "{change} is not among {made:?}");
    }
    assert!(!made.iter().any(|change| change.contains("door")), "a text is no number: {made:?}");
    // Rows that the ledger marks as tuned are separate and count for nothing.
    let tuned = page["tuned"].as_array().unwrap();
    assert!(tuned.len() == 1 && tuned[0]["line"] == 12 && tuned[0]["noticed"] == 0, "{said}");
    assert!(!made.contains(&"8 -> 9"), "{said}");
}
