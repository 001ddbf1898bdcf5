//! Each promise's test is shown to fail: for each promise of `tests/README.md` there is a fault that can be
//! planted in the engine, and the page names the tests that it turns red. They are compiled in together,
//! for tests alone, and chosen when a test is run; here the tests are run with them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::promises::{Promise, page, promises};
use crate::support::{count_from_env, sample};

/// A fault as the page tells of it.
struct Fault {
    name: String,
    tests: Vec<String>,
}

fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn faults() -> Vec<Fault> {
    let page = page();
    let (_, told) = page.split_once("## Fault injection").expect("the page tells of its faults");
    let rows = told.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        let [name, _, tests] = cells[..] else { panic!("a row has another shape: {line}") };
        Fault { name: quoted(name)[0].clone(), tests: quoted(tests) }
    })
    .collect()
}

/// The names of all faults in a folder of sources.
fn planted_in(folder: &str, found: &mut BTreeSet<String>) {
    fn walk(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let source = fs::read_to_string(&path).unwrap();
                for asks in ["planted(\"", "linger(\""] {
                    let names =
                        source.split(asks).skip(1).filter_map(|rest| rest.split('"').next());
                    found.extend(names.map(str::to_owned));
                }
            }
        }
    }
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), found);
}

#[test]
fn every_promise_names_a_fault_that_turns_it_red_and_every_fault_is_there() {
    let faults = faults();
    let fall: BTreeSet<&String> = faults.iter().flat_map(|fault| &fault.tests).collect();
    let whole: Vec<Promise> = promises();
    let lacking: Vec<&str> = whole
        .iter()
        .filter(|promise| !promise.tests.iter().any(|test| fall.contains(test)))
        .map(|promise| &*promise.words)
        .collect();
    assert!(lacking.is_empty(), "no fault turns these red: {lacking:#?}");
    let mut there = BTreeSet::new();
    planted_in("engine", &mut there);
    planted_in("tests", &mut there);
    for fault in &faults {
        assert!(there.contains(&fault.name), "there is no fault {}", fault.name);
        assert!(!fault.tests.is_empty(), "{} turns nothing red", fault.name);
    }
}

/// The program that people get has none of them: only this package's own tests ask for the feature.
#[test]
fn faults_are_for_tests_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (before, tests) = manifest.split_once("[dev-dependencies]").unwrap();
    assert!(tests.contains("features = [\"faults\"]"), "tests have them");
    let says = |line: &&str| line.contains("faults") && !line.starts_with('#');
    let asks = |text: &str| text.lines().filter(says).count();
    assert_eq!((asks(before), asks(tests)), (0, 1), "and nobody else");
    let library = fs::read_to_string(root.join("engine/Cargo.toml")).unwrap();
    assert_eq!(asks(&library), 1, "the library has them where it is asked to");
    assert!(library.contains("\nfaults = []\n") && !library.contains("\ndefault ="));
    let fault = include_str!("../../engine/base/fault.rs");
    assert!(fault.contains("#[cfg(not(feature = \"faults\"))]\n#[inline(always)]\npub const fn planted(_: &str) -> bool {\n    false"));
}

/// Whether a test falls where a fault is planted; what it said if it does not.
fn falls(fault: &str, test: &str) -> Result<(), String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--test-threads=1"]).env("SUB_ROSA_FAULT", fault);
    // Few cases: one is enough to fall by. Its figures are nobody's.
    for length in ["FULL", "CORPUS", "ANEW", "KILLS", "BITS", "VALUES", "FUZZ", "FIGURES"] {
        command.env_remove(format!("SUB_ROSA_{length}"));
    }
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    match !done.status.success() && said.contains("running 1 test") && !said.contains("1 passed") {
        true => Ok(()),
        false => Err(format!("{test} stays green with {fault}:\n{said}")),
    }
}

#[test]
fn planted_faults_turn_the_tests_of_promises_red() {
    let full = count_from_env("SUB_ROSA_FULL", 0) > 0;
    let (mut fell, mut green) = (0, Vec::new());
    let faults = faults();
    // One of those that cost little, which the sample picks; all of them in `.ci/full`.
    let cheap = 2 + usize::try_from(sample() % 8).unwrap();
    let chosen = if full { &faults[..] } else { &faults[cheap..=cheap] };
    for fault in chosen {
        for test in &fault.tests {
            match falls(&fault.name, test) {
                Ok(()) => fell += 1,
                Err(why) => green.push(why),
            }
        }
    }
    assert!(green.is_empty(), "{}", green.join("\n"));
    if full {
        super::figure("faults", &format!("{} planted faults, {fell} tests fell", faults.len()));
    }
    // Without a fault the first of them stands: it is the fault that it fell by.
    assert!(falls("", &chosen[0].tests[0]).is_err());
}
