//! `docs/PROMISES.md` is held to what it says: each promise names a test that is there, and a
//! figure from a full run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A row of the page.
pub struct Promise {
    /// What is promised.
    pub words: String,
    /// The tests that hold it.
    pub tests: Vec<String>,
    figure: String,
}

/// The page.
pub fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("docs/PROMISES.md")).unwrap()
}

/// All that is promised.
pub fn promises() -> Vec<Promise> {
    let page = page();
    let (promised, _) = page.split_once("## Shown to fail").unwrap_or((&page, ""));
    let rows = promised.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [words, tests, figure] = cells[..] else { panic!("a row has another shape: {line}") };
        let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Promise { words: words.to_owned(), tests, figure: figure.to_owned() }
    })
    .collect()
}

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
    let rows = promises();
    assert!(rows.len() >= 20, "{} promises are too few", rows.len());
    let mut promised = BTreeSet::new();
    for Promise { words, tests, figure } in &rows {
        assert!(promised.insert(words), "promised twice: {words}");
        assert!(figure.chars().any(|c| c.is_ascii_digit()), "{words}: no figure");
        assert!(!tests.is_empty(), "{words}: no test");
        for test in tests {
            assert!(is_there(test), "{words}: there is no test {test}");
        }
    }
    assert!(!is_there("trust::promises::no_such_test"), "and a test that is not there is noticed");
}
