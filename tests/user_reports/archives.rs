//! Archives from common tools, and names that some systems cannot create.

use std::fs;
use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::harness::{Workspace, lab_mod_manifest};

/// An archive with entries of these names; `|` stands for a backslash.
fn write_archive(workspace: &Workspace, name: &str, paths: &[&str]) -> String {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for path in paths {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        let text = match path.ends_with("mod.toml") {
            true => lab_mod_manifest("zed"),
            false => format!("thing \"t{}\" {{ name = \"t\" }}\n", path.len()),
        };
        writer.write_all(text.as_bytes()).unwrap();
    }
    let mut bytes = writer.finish().unwrap().into_inner();
    // The library would write a slash.
    for path in paths.iter().filter(|path| path.contains('|')) {
        let backslash_path = path.replace('|', "\\");
        while let Some(position) =
            bytes.windows(path.len()).position(|window| window == path.as_bytes())
        {
            bytes[position..position + path.len()].copy_from_slice(backslash_path.as_bytes());
        }
    }
    let path = workspace.path_of(name);
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

fn install_archive(paths: &[&str]) -> (Workspace, i32, String) {
    let workspace = Workspace::new();
    let file = write_archive(&workspace, "zed.zip", paths);
    let (status, output) = workspace.command_output(&["mods", "install", &file], "");
    (workspace, status, output)
}

#[test]
fn backslashes_dots_and_letter_case_in_paths_are_normalized() {
    for paths in [
        &["zed|mod.toml", "zed|words|a.luau"][..],
        &["./zed/mod.toml", "./zed/words/a.luau"],
        &["./mod.toml", "./words/a.luau"],
        &[".|zed|mod.toml", ".|zed|words|a.luau"],
        &["zed/./mod.toml", "zed//words/a.luau"],
        &["zed/mod.toml", "Zed/words/a.luau"],
        &["zed/", "zed/mod.toml", "zed|words|", "zed|words|a.luau"],
    ] {
        let (workspace, status, output) = install_archive(paths);
        assert_eq!(status, 0, "{paths:?}: {output}");
        assert!(workspace.path_of("data/mods/zed/words/a.luau").is_file(), "{paths:?}: {output}");
    }
}

#[test]
fn paths_outside_the_mod_folder_are_refused() {
    for path in [
        "..|evil.luau",
        "zed|..|..|evil.luau",
        "|evil.luau",
        "c:|evil.luau",
        "/evil.luau",
        "zed/../../e.luau",
    ] {
        let (workspace, status, output) = install_archive(&["zed/mod.toml", path]);
        assert_ne!(status, 0, "{path}: {output}");
        assert!(output.contains("points outside the folder"), "{path}: {output}");
        assert!(!workspace.path_of("data/mods/zed").exists(), "{path}");
    }
    let (_, status, output) = install_archive(&["zed/mod.toml", "zed/a.luau", "zed|a.luau"]);
    assert_ne!(status, 0, "two names of one file: {output}");
}

#[test]
fn skipped_and_unread_files_of_an_archive_are_reported() {
    let (_, status, output) =
        install_archive(&["zed/mod.toml", "zed/main.luau", "other/a.luau", "readme.txt"]);
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("other/a.luau") && output.contains("readme.txt"), "{output}");
    let (_, status, output) = install_archive(&["zed/mod.toml", "zed/main.LUAU"]);
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("main.LUAU is not read"), "{output}");
    let (_, _, output) = install_archive(&["zed/mod.toml.txt", "zed/main.luau"]);
    assert!(output.contains("rename zed/mod.toml.txt in it to mod.toml"), "{output}");
}

#[test]
fn device_names_are_refused_as_mod_ids() {
    let workspace = Workspace::new();
    for id in ["con", "aux", "nul", "prn", "lpt1", "com9"] {
        workspace.write("mods/dev/mod.toml", &lab_mod_manifest(id));
        workspace.write("mods/dev/main.luau", "thing \"a\" { name = \"a\" }\n");
        let folder = workspace.path_of("mods/dev").display().to_string();
        let output_path = workspace.path_of("dev.zip").display().to_string();
        for words in [
            &["check", &folder][..],
            &["mods", "pack", &folder, "--out", &output_path],
            &["mods", "install", &folder],
        ] {
            let (status, output) = workspace.command_output(words, "");
            assert!(status != 0 && output.contains("[bad-id]"), "{words:?}: {output}");
        }
        let (status, output) =
            workspace.command_output(&["new", id, "--template", "game", "--game", "lab"], "");
        assert!(status != 0 && output.contains("[bad-id]"), "{output}");
        workspace.write(
            "mods/dev/mod.toml",
            &lab_mod_manifest("dev").replace("lab = ", &format!("{id} = \"*\", lab = ")),
        );
        assert!(
            workspace.command_output(&["check", &folder], "").1.contains("[bad-id]"),
            "as a need"
        );
    }
    workspace.write("mods/dev/mod.toml", &lab_mod_manifest("console"));
    let folder = workspace.path_of("mods/dev").display().to_string();
    assert!(
        !workspace.command_output(&["check", &folder, "--game", "lab"], "").1.contains("bad-id")
    );
}
