//! Each promise's test is shown to fail: for each promise of `tests/README.md` there is a fault that can be
//! planted in the engine, and the page names the tests that it turns red. They are compiled in together,
//! for tests alone, and chosen when a test is run; here the tests are run with them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::promises::{Promise, read_promises, tests_page};
use crate::support::{count_from_env, sample_number};

/// A fault as the page tells of it.
struct FaultRow {
    name: String,
    tests: Vec<String>,
}

fn code_spans(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn read_faults() -> Vec<FaultRow> {
    let page = tests_page();
    let (_, fault_section) =
        page.split_once("## Fault injection").expect("the page tells of its faults");
    let rows = fault_section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [name, _, tests] = cells[..] else { panic!("a row has another shape: {line}") };
        FaultRow { name: code_spans(name)[0].clone(), tests: code_spans(tests) }
    })
    .collect()
}

/// The names of all faults in a folder of sources.
fn collect_fault_names(folder: &str, fault_names: &mut BTreeSet<String>) {
    fn collect_from_folder(folder: &Path, fault_names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect_from_folder(&path, fault_names);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = fs::read_to_string(&path).unwrap();
                for call_prefix in ["planted(\"", "linger(\""] {
                    let names =
                        source.split(call_prefix).skip(1).filter_map(|rest| rest.split('"').next());
                    fault_names.extend(names.map(str::to_owned));
                }
            }
        }
    }
    collect_from_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), fault_names);
}

#[test]
fn every_promise_has_a_fault_and_every_fault_exists() {
    let faults = read_faults();
    let failing_tests: BTreeSet<&String> = faults.iter().flat_map(|fault| &fault.tests).collect();
    let all_promises: Vec<Promise> = read_promises();
    let promises_without_fault: Vec<&str> = all_promises
        .iter()
        .filter(|promise| !promise.tests.iter().any(|test| failing_tests.contains(test)))
        .map(|promise| &*promise.statement)
        .collect();
    assert!(
        promises_without_fault.is_empty(),
        "no fault turns these red: {promises_without_fault:#?}"
    );
    let mut fault_names = BTreeSet::new();
    collect_fault_names("engine", &mut fault_names);
    collect_fault_names("tests", &mut fault_names);
    for fault in &faults {
        assert!(fault_names.contains(&fault.name), "there is no fault {}", fault.name);
        assert!(!fault.tests.is_empty(), "{} turns nothing red", fault.name);
    }
}

/// The program that people get has none of them: only this package's own tests ask for the feature.
#[test]
fn faults_are_compiled_for_tests_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (dependencies, dev_dependencies) = manifest.split_once("[dev-dependencies]").unwrap();
    assert!(dev_dependencies.contains("features = [\"faults\"]"), "tests have them");
    let names_faults = |line: &&str| line.contains("faults") && !line.starts_with('#');
    let count_feature_lines = |text: &str| text.lines().filter(names_faults).count();
    assert_eq!(
        (count_feature_lines(dependencies), count_feature_lines(dev_dependencies)),
        (0, 1),
        "and nobody else"
    );
    let engine_manifest = fs::read_to_string(root.join("engine/base/Cargo.toml")).unwrap();
    assert_eq!(
        count_feature_lines(&engine_manifest),
        1,
        "the library has them where it is asked to"
    );
    assert!(
        engine_manifest.contains("\nfaults = []\n") && !engine_manifest.contains("\ndefault =")
    );
    let fault_source = include_str!("../../engine/base/fault.rs");
    assert!(fault_source.contains("#[cfg(not(feature = \"faults\"))]\n#[inline(always)]\npub const fn planted(_: &str) -> bool {\n    false"));
}

/// Whether a test falls where a fault is planted; what it said if it does not.
fn assert_test_fails_with_fault(fault: &str, test: &str) -> Result<(), String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--test-threads=1"]).env("SUB_ROSA_FAULT", fault);
    // Few cases: one is enough to fall by. Its figures are nobody's.
    for variable in ["FULL", "CORPUS", "ANEW", "KILLS", "BITS", "VALUES", "FUZZ", "FIGURES"] {
        command.env_remove(format!("SUB_ROSA_{variable}"));
    }
    let output = command.output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    match !output.status.success()
        && stdout.contains("running 1 test")
        && !stdout.contains("1 passed")
    {
        true => Ok(()),
        false => Err(format!("{test} stays green with {fault}:\n{stdout}")),
    }
}

#[test]
fn planted_faults_make_their_tests_fail() {
    let is_full_run = count_from_env("SUB_ROSA_FULL", 0) > 0;
    let (mut failed_count, mut passed_tests) = (0, Vec::new());
    let faults = read_faults();
    // One of those that cost little, which the sample picks; all of them in `.ci/full`.
    let fault_index = 2 + usize::try_from(sample_number() % 8).unwrap();
    let chosen_faults = if is_full_run { &faults[..] } else { &faults[fault_index..=fault_index] };
    for fault in chosen_faults {
        for test in &fault.tests {
            match assert_test_fails_with_fault(&fault.name, test) {
                Ok(()) => failed_count += 1,
                Err(reason) => passed_tests.push(reason),
            }
        }
    }
    assert!(passed_tests.is_empty(), "{}", passed_tests.join("\n"));
    if is_full_run {
        super::record_figure(
            "faults",
            &format!("{} planted faults, {failed_count} tests fell", faults.len()),
        );
    }
    // Without a fault the first of them stands: it is the fault that it fell by.
    assert!(assert_test_fails_with_fault("", &chosen_faults[0].tests[0]).is_err());
}
