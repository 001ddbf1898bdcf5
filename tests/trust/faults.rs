//! Shows that the tests of each promise can fail. Each promise of `tests/README.md` has a fault, a
//! patch in `tests/faults/`, and the page names the tests that fail with it. `.ci/faults` plants
//! the faults. This module compares the page with the patches and checks that every patch still
//! applies.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::promises::{Promise, has_test, read_promises, tests_page};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A fault, as a row of the page.
#[derive(Clone)]
struct FaultRow {
    name: String,
    tests: Vec<String>,
    /// Whether the engine tolerates the fault: its tests pass, and the patch may add them.
    is_tolerated: bool,
}

fn code_spans(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn read_faults() -> Vec<FaultRow> {
    let page = tests_page();
    let (_, fault_section) =
        page.split_once("## Fault injection").expect("the page tells of its faults");
    let (faults, tolerated_faults) =
        fault_section.split_once("### Tolerated faults").expect("and of tolerated ones");
    let rows_of = |text: &str, is_tolerated: bool| -> Vec<FaultRow> {
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        rows.map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            let [name, _, tests] = cells[..] else { panic!("a row has another shape: {line}") };
            FaultRow { name: code_spans(name)[0].clone(), tests: code_spans(tests), is_tolerated }
        })
        .collect()
    };
    [rows_of(faults, false), rows_of(tolerated_faults, true)].concat()
}

fn read_patch(fault_name: &str) -> String {
    let path = Path::new(ROOT).join("tests/faults").join(format!("{fault_name}.patch"));
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{fault_name}.patch: {error}"))
}

#[test]
fn every_promise_has_a_fault_and_every_fault_a_patch() {
    let faults = read_faults();
    let failing_tests: BTreeSet<&String> =
        faults.iter().filter(|fault| !fault.is_tolerated).flat_map(|fault| &fault.tests).collect();
    let all_promises: Vec<Promise> = read_promises();
    let promises_without_fault: Vec<&str> = all_promises
        .iter()
        .filter(|promise| !promise.tests.iter().any(|test| failing_tests.contains(test)))
        .map(|promise| &*promise.statement)
        .collect();
    assert!(
        promises_without_fault.is_empty(),
        "no fault makes these fail: {promises_without_fault:#?}"
    );
    for fault in &faults {
        assert!(!fault.tests.is_empty(), "{} has no test", fault.name);
        for test in &fault.tests {
            let function = format!("+fn {}(", test.rsplit("::").next().unwrap());
            let is_added = fault.is_tolerated && read_patch(&fault.name).contains(&function);
            assert!(is_added || has_test(test), "{}: there is no test {test}", fault.name);
        }
    }
    let named_faults: Vec<String> = faults.into_iter().map(|fault| fault.name).collect();
    let mut patches: Vec<String> = fs::read_dir(Path::new(ROOT).join("tests/faults"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".patch").expect("a patch").to_owned())
        .collect();
    patches.sort();
    let mut sorted_faults = named_faults;
    sorted_faults.sort();
    assert_eq!(sorted_faults, patches, "each row has a patch, and each patch one row");
}

/// Why a patch does not apply. Stricter than `git apply`: the lines of a hunk must occur exactly
/// once in the file.
fn find_misfit(patch: &str, read_source: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut hunk_count = 0;
    for file_patch in patch.split("--- a/").skip(1) {
        let path = file_patch.lines().next().unwrap_or_default();
        let Some(source) = read_source(path) else { return Some(format!("{path} is missing")) };
        let source = format!("\n{source}");
        for hunk in file_patch.split("\n@@ ").skip(1) {
            hunk_count += 1;
            let lines = hunk.lines().skip(1).filter(|line| !line.starts_with('+'));
            let expected_lines: String =
                lines.map(|line| format!("\n{}", line.get(1..).unwrap_or_default())).collect();
            let expected_lines = format!("{expected_lines}\n");
            let line_starts = source.match_indices('\n').map(|(at, _)| at);
            match line_starts.filter(|at| source[*at..].starts_with(&expected_lines)).count() {
                1 => {}
                count => {
                    return Some(format!("{path} has these lines {count} times:{expected_lines}"));
                }
            }
        }
    }
    (hunk_count == 0).then(|| "it changes nothing".to_owned())
}

#[test]
fn every_patch_fits_the_sources() {
    let read_source = |path: &str| fs::read_to_string(Path::new(ROOT).join(path)).ok();
    let misfits: Vec<String> = read_faults()
        .iter()
        .filter_map(|fault| {
            let misfit = find_misfit(&read_patch(&fault.name), read_source)?;
            Some(format!("tests/faults/{}.patch: {misfit}", fault.name))
        })
        .collect();
    assert!(misfits.is_empty(), "{}", misfits.join("\n"));
}

#[test]
fn a_patch_that_does_not_fit_is_found() {
    let patch = "--- a/one.rs\n+++ b/one.rs\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let misfit_with = |text: &str| find_misfit(patch, |_| Some(text.to_owned()));
    assert_eq!(misfit_with("zero\none\ntwo\nthree\n"), None);
    assert!(misfit_with("one\n2\nthree\n").unwrap().contains("0 times"));
    assert!(misfit_with("one\ntwo\nthree\none\ntwo\nthree\n").unwrap().contains("2 times"));
    assert!(find_misfit(patch, |_| None).unwrap().contains("is missing"));
    assert!(find_misfit("", |_| None).unwrap().contains("nothing"));
}
