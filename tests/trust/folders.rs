//! Mod folders: nothing outside them is read, and no name that a system would take for another
//! file.

use std::fs;
use std::path::Path;

use mods::{discover_mods, read_folder};

const MANIFEST_TOML: &str = "id = \"odd\"\nname = \"Odd\"\nversion = \"1.0.0\"\nengine = \"*\"\n";

fn mod_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mod.toml"), MANIFEST_TOML).unwrap();
    folder
}

fn write_script(folder: &Path, path: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "local x = 1\n").unwrap();
}

/// The codes of the Problems of a folder with these files.
fn problem_codes(files: &[&str]) -> Vec<String> {
    let folder = mod_folder();
    files.iter().for_each(|file| write_script(folder.path(), file));
    match read_folder(folder.path()) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            assert!(problems.iter().all(|problem| problem.expected.is_some()), "each says a cure");
            problems.into_iter().map(|problem| problem.code.to_string()).collect()
        }
    }
}

#[test]
fn ambiguous_file_names_are_refused() {
    assert!(problem_codes(&["main.luau", "lib/words.luau", "lib/more words.luau"]).is_empty());
    let long_name = format!("{}.luau", "x".repeat(200));
    let odd_names = [
        "con.luau",
        "lib/AUX.luau",
        "nul.lua",
        "com1.luau",
        "LPT9.x.luau",
        "prn /a.luau",
        "a./b.luau",
        "lib/ a.luau",
        "a\\b.luau",
        "a:b.luau",
        "a\u{202e}b.luau",
        "a\u{1b}b.luau",
        "*.luau",
        &long_name,
    ];
    for name in odd_names {
        assert_eq!(problem_codes(&[name]), ["bad-name"], "{name:?}");
    }
    // Not on a system that folds case: there the second file is the first.
    let folder = mod_folder();
    write_script(folder.path(), "lib/Words.luau");
    write_script(folder.path(), "lib/words.luau");
    if fs::read_dir(folder.path().join("lib")).unwrap().count() == 2 {
        assert_eq!(problem_codes(&["lib/Words.luau", "lib/words.luau"]), ["bad-name"]);
    }
}

#[test]
fn size_depth_and_count_limits_are_reported() {
    let folder = mod_folder();
    fs::write(folder.path().join("big.luau"), "-".repeat(1024 * 1024 + 1)).unwrap();
    let problem = &read_folder(folder.path()).unwrap_err()[0];
    assert!(problem.message.contains("larger than"), "{problem}");
    let deep_path = format!("{}deep.luau", "a/".repeat(12));
    assert_eq!(problem_codes(&[&deep_path]), ["too-deep"]);
    let folder = self::mod_folder();
    for number in 0..4_200 {
        fs::write(folder.path().join(format!("f{number}.luau")), "").unwrap();
    }
    assert_eq!(read_folder(folder.path()).unwrap_err()[0].code, "too-large");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outside_folder = tempfile::tempdir().unwrap();
    fs::write(outside_folder.path().join("secret.luau"), "return 'secret'").unwrap();
    for (link, link_target) in [("lib", ""), ("a.luau", "secret.luau")] {
        let folder = mod_folder();
        symlink(outside_folder.path().join(link_target), folder.path().join(link)).unwrap();
        let problem = &read_folder(folder.path()).unwrap_err()[0];
        assert_eq!(problem.code, "link", "{problem}");
    }
    // A cycle of links ends too, and so does a folder of mods that links to itself.
    let cyclic_folder = tempfile::tempdir().unwrap();
    symlink(cyclic_folder.path(), cyclic_folder.path().join("again")).unwrap();
    let search_paths = mods::SearchPaths {
        named_folders: vec![cyclic_folder.path().to_owned()],
        ..crate::support::embedded_search_paths()
    };
    let _ = discover_mods(&search_paths);
    // The manifest itself must not be a link either.
    let folder = tempfile::tempdir().unwrap();
    fs::write(outside_folder.path().join("mod.toml"), MANIFEST_TOML).unwrap();
    symlink(outside_folder.path().join("mod.toml"), folder.path().join("mod.toml")).unwrap();
    assert!(read_folder(folder.path()).is_err());
}
