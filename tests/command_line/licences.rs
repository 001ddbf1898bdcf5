//! `licences`: the texts, and a notice for each package that is linked in.

use std::fs;
use std::path::Path;

use crate::cli::{program_command, run_with_input, utf8_text};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

#[test]
fn licences_name_our_own_luau_s_and_those_of_packages() {
    let output = run_with_input(program_command(&["licences"]), "");
    assert!(output.status.success());
    let text = utf8_text(&output.stdout);
    for wanted in [
        "MIT license or the Apache License 2.0",
        "Leeward: CC-BY-SA-4.0",
        "the Sub Rosa contributors",
        "Roblox Corporation",
        "Lua.org, PUC-Rio",
        "Mozilla Public License 2.0",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
    let unprintable = text.lines().find(|line| base::text::first_unprintable(line).is_some());
    assert_eq!(unprintable, None);
}

/// `cargo-about` writes the notices; this notices at once when they are out of date. `.ci/full`
/// compares every package.
#[test]
fn each_dependency_has_a_notice_of_its_version() {
    let notices = read("docs/licences/third_party.txt");
    let manifest = read("Cargo.toml");
    let lock = read("Cargo.lock");
    let tests_only = ["insta", "tempfile"];
    let sections = ["[workspace.dependencies]", "[dependencies]"];
    let mut missing = Vec::new();
    let mut count = 0;
    for section in sections {
        let lines = manifest.lines().skip_while(|line| *line != section).skip(1);
        for line in lines.take_while(|line| !line.starts_with('[')) {
            let Some((name, _)) = line.split_once(" = ") else { continue };
            if line.starts_with('#') || line.contains("path = ") || tests_only.contains(&name) {
                continue;
            }
            let versions = lock.split("[[package]]").filter_map(|package| {
                let rest = package.trim_start().strip_prefix(&format!("name = \"{name}\"\n"))?;
                rest.strip_prefix("version = \"")?.split('"').next()
            });
            count += 1;
            let has_notice = |version| notices.contains(&format!("     {name} {version}\n"));
            if !versions.into_iter().any(has_notice) {
                missing.push(name);
            }
        }
    }
    assert!(count > 25, "{count}");
    assert!(missing.is_empty(), "run .ci/notices: {missing:?}");
}
