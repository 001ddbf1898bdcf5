//! Archives from common tools, and names that some systems cannot create.

use std::fs;
use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::harness::{Workspace, manifest};

/// An archive with entries of these names; `|` stands for a backslash.
fn archive(lab: &Workspace, name: &str, paths: &[&str]) -> String {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for path in paths {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        let text = match path.ends_with("mod.toml") {
            true => manifest("zed"),
            false => format!("thing \"t{}\" {{ name = \"t\" }}\n", path.len()),
        };
        writer.write_all(text.as_bytes()).unwrap();
    }
    let mut bytes = writer.finish().unwrap().into_inner();
    // The library would write a slash.
    for path in paths.iter().filter(|path| path.contains('|')) {
        let meant = path.replace('|', "\\");
        while let Some(at) = bytes.windows(path.len()).position(|part| part == path.as_bytes()) {
            bytes[at..at + path.len()].copy_from_slice(meant.as_bytes());
        }
    }
    let path = lab.at(name);
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

fn installed(paths: &[&str]) -> (Workspace, i32, String) {
    let lab = Workspace::new();
    let file = archive(&lab, "zed.zip", paths);
    let (status, told) = lab.command_output(&["mods", "install", &file], "");
    (lab, status, told)
}

#[test]
fn backslashes_dots_and_folders_in_another_case_are_taken_as_they_are_meant() {
    for paths in [
        &["zed|mod.toml", "zed|words|a.luau"][..],
        &["./zed/mod.toml", "./zed/words/a.luau"],
        &["./mod.toml", "./words/a.luau"],
        &[".|zed|mod.toml", ".|zed|words|a.luau"],
        &["zed/./mod.toml", "zed//words/a.luau"],
        &["zed/mod.toml", "Zed/words/a.luau"],
        &["zed/", "zed/mod.toml", "zed|words|", "zed|words|a.luau"],
    ] {
        let (lab, status, told) = installed(paths);
        assert_eq!(status, 0, "{paths:?}: {told}");
        assert!(lab.at("data/mods/zed/words/a.luau").is_file(), "{paths:?}: {told}");
    }
}

#[test]
fn what_leads_out_is_refused_as_before() {
    for path in [
        "..|evil.luau",
        "zed|..|..|evil.luau",
        "|evil.luau",
        "c:|evil.luau",
        "/evil.luau",
        "zed/../../e.luau",
    ] {
        let (lab, status, told) = installed(&["zed/mod.toml", path]);
        assert_ne!(status, 0, "{path}: {told}");
        assert!(told.contains("points outside the folder"), "{path}: {told}");
        assert!(!lab.at("data/mods/zed").exists(), "{path}");
    }
    let (_, status, told) = installed(&["zed/mod.toml", "zed/a.luau", "zed|a.luau"]);
    assert_ne!(status, 0, "two names of one file: {told}");
}

#[test]
fn what_is_left_behind_and_what_will_not_be_read_is_told() {
    let (_, status, told) =
        installed(&["zed/mod.toml", "zed/main.luau", "other/a.luau", "readme.txt"]);
    assert_eq!(status, 0, "{told}");
    assert!(told.contains("other/a.luau") && told.contains("readme.txt"), "{told}");
    let (_, status, told) = installed(&["zed/mod.toml", "zed/main.LUAU"]);
    assert_eq!(status, 0, "{told}");
    assert!(told.contains("main.LUAU is not read"), "{told}");
    let (_, _, told) = installed(&["zed/mod.toml.txt", "zed/main.luau"]);
    assert!(told.contains("rename zed/mod.toml.txt in it to mod.toml"), "{told}");
}

#[test]
fn a_mod_is_not_called_after_a_device() {
    let lab = Workspace::new();
    for id in ["con", "aux", "nul", "prn", "lpt1", "com9"] {
        lab.write("mods/dev/mod.toml", &manifest(id));
        lab.write("mods/dev/main.luau", "thing \"a\" { name = \"a\" }\n");
        let folder = lab.at("mods/dev").display().to_string();
        let out = lab.at("dev.zip").display().to_string();
        for words in [
            &["check", &folder][..],
            &["mods", "pack", &folder, "--out", &out],
            &["mods", "install", &folder],
        ] {
            let (status, told) = lab.command_output(words, "");
            assert!(status != 0 && told.contains("[bad-id]"), "{words:?}: {told}");
        }
        let (status, told) =
            lab.command_output(&["new", id, "--template", "game", "--game", "lab"], "");
        assert!(status != 0 && told.contains("[bad-id]"), "{told}");
        lab.write(
            "mods/dev/mod.toml",
            &manifest("dev").replace("lab = ", &format!("{id} = \"*\", lab = ")),
        );
        assert!(lab.command_output(&["check", &folder], "").1.contains("[bad-id]"), "as a need");
    }
    lab.write("mods/dev/mod.toml", &manifest("console"));
    let folder = lab.at("mods/dev").display().to_string();
    assert!(!lab.command_output(&["check", &folder, "--game", "lab"], "").1.contains("bad-id"));
}
