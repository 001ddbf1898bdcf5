//! Each promise of `docs/PROMISES.md` has rows in `tests/README.md`, and each row names existing
//! tests and a figure from a full run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A row of `tests/README.md`.
pub struct Promise {
    /// The promise of `docs/PROMISES.md`.
    name: String,
    /// The statement of the row.
    pub statement: String,
    /// The tests of the row.
    pub tests: Vec<String>,
    figure: String,
}

/// The page that maps promises to tests.
pub fn tests_page() -> String {
    fs::read_to_string(Path::new(ROOT).join("tests/README.md")).unwrap()
}

/// The names of the promises of `docs/PROMISES.md`: `- **Crash.** …`.
fn promise_names() -> BTreeSet<String> {
    let promises_page = fs::read_to_string(Path::new(ROOT).join("docs/PROMISES.md")).unwrap();
    let names =
        promises_page.lines().filter_map(|line| line.strip_prefix("- **")?.split_once(".**"));
    names.map(|(name, _)| name.to_owned()).collect()
}

/// The rows of the page.
pub fn read_promises() -> Vec<Promise> {
    let page_text = tests_page();
    let (_, after_heading) =
        page_text.split_once("## Promises").expect("the page has a table of promises");
    let (promise_table, _) = after_heading.split_once("\n## ").unwrap_or((after_heading, ""));
    let rows = promise_table.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, statement, tests, figure] = cells[..] else { panic!("another shape: {line}") };
        let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let [name, statement, figure] = [name, statement, figure].map(str::to_owned);
        Promise { name, statement, tests, figure }
    })
    .collect()
}

/// Whether a test with that path (`trust::process_kill::killed_at…`) exists in the file of its
/// module.
pub fn has_test(test: &str) -> bool {
    let Some((module, name)) = test.rsplit_once("::") else { return false };
    let file = format!("{}.rs", module.replace("::", "/"));
    let crates = fs::read_dir(Path::new(ROOT).join("engine")).unwrap();
    let crate_tests = crates.map(|folder| folder.unwrap().path().join("tests"));
    crate_tests
        .chain([Path::new(ROOT).join("tests")])
        .filter_map(|folder| fs::read_to_string(folder.join(&file)).ok())
        .any(|source| defines_test(&source, name))
}

fn defines_test(source: &str, name: &str) -> bool {
    let Some(position) = source.find(&format!("fn {name}(")) else { return false };
    let text_before = source[..position].trim_end();
    text_before.ends_with("#[test]")
        || text_before.rsplit("\n\n").next().is_some_and(|block| block.contains("#[test]"))
}

#[test]
fn every_promise_names_existing_tests_and_a_figure() {
    let rows = read_promises();
    assert!(rows.len() >= 20, "{} rows are too few", rows.len());
    let promises_with_rows: BTreeSet<String> = rows.iter().map(|row| row.name.clone()).collect();
    assert_eq!(promise_names(), promises_with_rows, "the promises, and those with a row");
    let mut statements = BTreeSet::new();
    for Promise { statement, tests, figure, .. } in &rows {
        assert!(statements.insert(statement), "a row stands twice: {statement}");
        assert!(figure.chars().any(|c| c.is_ascii_digit()), "{statement}: no figure");
        assert!(!tests.is_empty(), "{statement}: no test");
        for test in tests {
            assert!(has_test(test), "{statement}: there is no test {test}");
        }
    }
    assert!(!has_test("trust::promises::no_such_test"), "and a test that is not there is noticed");
}
