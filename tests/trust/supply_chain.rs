//! The supply chain: every package in each `Cargo.lock` comes from one registry with its digest,
//! and `unsafe` is used in one folder only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_package_has_a_digest_and_one_registry() {
    let locks = ["Cargo.lock", "tests/editor/Cargo.lock", "tests/fuzz/Cargo.lock"];
    let lock_text: String = locks
        .iter()
        .map(|lock_path| fs::read_to_string(Path::new(ROOT).join(lock_path)).unwrap())
        .collect();
    let packages: BTreeSet<&str> = lock_text.split("[[package]]").skip(1).collect();
    let mut violations = Vec::new();
    for package in &packages {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(&format!("{name} = ")));
            line.map(|value| value.trim_matches('"').to_owned())
        };
        let name = field("name").unwrap();
        let is_ours = ["sub-rosa", "editor", "fuzz"].contains(&&*name)
            || Path::new(ROOT).join("engine").join(&name).is_dir();
        if is_ours {
            continue;
        }
        let source_url = field("source").unwrap_or_default();
        let is_from_registry =
            source_url == "registry+https://github.com/rust-lang/crates.io-index";
        if !is_from_registry || field("checksum").is_none_or(|digest| digest.len() != 64) {
            violations.push(format!("{name} from {source_url:?}"));
        }
    }
    assert!(packages.len() > 50 && violations.is_empty(), "{violations:?}");
    super::record_figure("packages", &format!("{} packages, one registry", packages.len() - 1));
}

#[test]
fn unsafe_is_used_in_one_folder_only() {
    fn collect_files(folder: &Path, source_paths: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect_files(&path, source_paths);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                source_paths.push(path);
            }
        }
    }
    let mut source_paths = Vec::new();
    collect_files(&Path::new(ROOT).join("engine"), &mut source_paths);
    let mut unsafe_block_count = 0;
    for path in source_paths {
        let source = fs::read_to_string(&path).unwrap();
        let is_in_luau_folder = path.to_string_lossy().replace('\\', "/").contains("engine/luau");
        for (index, line) in source.lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            let uses_unsafe =
                code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
            assert!(
                !uses_unsafe || is_in_luau_folder,
                "{}:{} uses unsafe",
                path.display(),
                index + 1
            );
            unsafe_block_count += usize::from(uses_unsafe && code.contains("unsafe {"));
        }
    }
    super::record_figure("unsafe", &format!("{unsafe_block_count} blocks, one folder"));
}
