//! Mod folders: nothing outside them is read, and no name that a system would take for another
//! file.

use std::fs;
use std::path::Path;

use engine::mods::{discover, read_folder};

const MANIFEST: &str = "id = \"odd\"\nname = \"Odd\"\nversion = \"1.0.0\"\nengine = \"*\"\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mod.toml"), MANIFEST).unwrap();
    folder
}

fn write(folder: &Path, path: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "local x = 1\n").unwrap();
}

/// The codes of the Problems of a folder with these files.
fn codes(files: &[&str]) -> Vec<String> {
    let folder = folder();
    files.iter().for_each(|file| write(folder.path(), file));
    match read_folder(folder.path()) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            assert!(problems.iter().all(|problem| problem.expected.is_some()), "each says a cure");
            problems.into_iter().map(|problem| problem.code.to_string()).collect()
        }
    }
}

#[test]
fn names_that_some_system_takes_for_another_are_refused() {
    assert!(codes(&["main.luau", "lib/words.luau", "lib/more words.luau"]).is_empty());
    let long = format!("{}.luau", "x".repeat(200));
    let odd = [
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
        &long,
    ];
    for name in odd {
        assert_eq!(codes(&[name]), ["bad-name"], "{name:?}");
    }
    // Not on a system that folds case: there the second file is the first.
    let folder = folder();
    write(folder.path(), "lib/Words.luau");
    write(folder.path(), "lib/words.luau");
    if fs::read_dir(folder.path().join("lib")).unwrap().count() == 2 {
        assert_eq!(codes(&["lib/Words.luau", "lib/words.luau"]), ["bad-name"]);
    }
}

#[test]
fn sizes_and_counts_end_with_a_message() {
    let folder = folder();
    fs::write(folder.path().join("big.luau"), "-".repeat(1024 * 1024 + 1)).unwrap();
    let problem = &read_folder(folder.path()).unwrap_err()[0];
    assert!(problem.message.contains("larger than"), "{problem}");
    let deep = format!("{}deep.luau", "a/".repeat(12));
    assert_eq!(codes(&[&deep]), ["too-deep"]);
    let folder = self::folder();
    for number in 0..4_200 {
        fs::write(folder.path().join(format!("f{number}.luau")), "").unwrap();
    }
    assert_eq!(read_folder(folder.path()).unwrap_err()[0].code, "too-large");
}

#[cfg(unix)]
#[test]
fn links_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.luau"), "return 'secret'").unwrap();
    for (link, to) in [("lib", ""), ("a.luau", "secret.luau")] {
        let folder = folder();
        symlink(outside.path().join(to), folder.path().join(link)).unwrap();
        let problem = &read_folder(folder.path()).unwrap_err()[0];
        assert_eq!(problem.code, "link", "{problem}");
    }
    // A cycle of links ends too, and so does a folder of mods that links to itself.
    let around = tempfile::tempdir().unwrap();
    symlink(around.path(), around.path().join("again")).unwrap();
    let places = engine::mods::SearchPaths {
        named_folders: vec![around.path().to_owned()],
        ..crate::support::embedded_search_paths()
    };
    let _ = discover(&places);
    // The manifest itself must not be a link either.
    let folder = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("mod.toml"), MANIFEST).unwrap();
    symlink(outside.path().join("mod.toml"), folder.path().join("mod.toml")).unwrap();
    assert!(read_folder(folder.path()).is_err());
}
