//! `docs/PROMISES.md` is held to what it says: each promise names a test that is there, and a
//! figure from a full run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Whether a test of that path (`trust::killed::killed_at…`) stands in the file of its module.
fn is_there(test: &str) -> bool {
    let Some((module, name)) = test.rsplit_once("::") else { return false };
    let file = Path::new(ROOT).join("tests").join(format!("{}.rs", module.replace("::", "/")));
    let Ok(source) = fs::read_to_string(file) else { return false };
    let Some(at) = source.find(&format!("fn {name}(")) else { return false };
    let before = source[..at].trim_end();
    before.ends_with("#[test]")
        || before.rsplit("\n\n").next().is_some_and(|b| b.contains("#[test]"))
}

#[test]
fn every_promise_names_a_test_that_is_there_and_a_figure() {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/PROMISES.md")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 20, "{} promises are too few", rows.len());
    let mut promised = BTreeSet::new();
    for row in &rows {
        let [promise, tests, figure] = row[..] else { panic!("a row has another shape: {row:?}") };
        assert!(promised.insert(promise), "promised twice: {promise}");
        assert!(figure.chars().any(|c| c.is_ascii_digit()), "{promise}: no figure");
        let mut named = tests.split('`').skip(1).step_by(2).peekable();
        assert!(named.peek().is_some(), "{promise}: no test");
        for test in named {
            assert!(is_there(test), "{promise}: there is no test {test}");
        }
    }
    assert!(!is_there("trust::promises::no_such_test"), "and a test that is not there is noticed");
}
