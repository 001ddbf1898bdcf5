//! The supply chain: everything in each `Cargo.lock` comes from one registry with its digest, and
//! `unsafe` stands in one folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn everything_that_is_built_from_has_a_digest_and_one_source() {
    let locks = ["Cargo.lock", "tests/editor/Cargo.lock", "tests/fuzz/Cargo.lock"];
    let lock: String =
        locks.iter().map(|lock| fs::read_to_string(Path::new(ROOT).join(lock)).unwrap()).collect();
    let lock = match engine::base::fault::planted("supply_is_altered") {
        true => lock.replacen("registry+https", "git+https", 1),
        false => lock,
    };
    let packages: BTreeSet<&str> = lock.split("[[package]]").skip(1).collect();
    let mut wrong = Vec::new();
    for package in &packages {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
            line.map(|value| value.trim_matches('"').to_owned())
        };
        let name = field("name").unwrap();
        if ["sub-rosa", "engine", "editor", "fuzz"].contains(&&*name) {
            continue;
        }
        let from = field("source").unwrap_or_default();
        let known = from == "registry+https://github.com/rust-lang/crates.io-index";
        if !known || field("checksum").is_none_or(|digest| digest.len() != 64) {
            wrong.push(format!("{name} from {from:?}"));
        }
    }
    assert!(packages.len() > 50 && wrong.is_empty(), "{wrong:?}");
    super::figure("packages", &format!("{} packages, one registry", packages.len() - 1));
}

#[test]
fn unsafe_stands_in_one_folder_and_each_use_says_why() {
    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    files(&Path::new(ROOT).join("engine"), &mut found);
    let mut uses = 0;
    for path in found {
        let mut source = fs::read_to_string(&path).unwrap();
        if engine::base::fault::planted("supply_is_altered") {
            source.push_str("unsafe { ours() }\n");
        }
        let inside = path.to_string_lossy().replace('\\', "/").contains("engine/luau");
        for (at, line) in source.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            let is_use =
                code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe");
            assert!(!is_use || inside, "{}:{} uses unsafe", path.display(), at + 1);
            uses += usize::from(is_use && code.contains("unsafe {"));
        }
    }
    super::figure("unsafe", &format!("{uses} blocks, one folder"));
}
