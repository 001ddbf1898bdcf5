//! Files with nearly correct names that the program ignores are reported, and so are files that
//! only look correct.

use std::fs;

use super::harness::{Workspace, lab_mod_manifest};

#[test]
fn a_misnamed_script_is_reported() {
    let workspace = Workspace::new();
    let check_with_file = |name: &str| {
        workspace.add_mod("uni", "thing \"a\" { name = \"a\" }\n");
        workspace.write(&format!("mods/uni/{name}"), "thing \"b\" { name = \"b\" }\n");
        let output = workspace.command_output(&["check", "uni", "--game", "lab"], "").1;
        fs::remove_dir_all(workspace.path_of("mods/uni")).unwrap();
        output
    };
    for (file_name, expected) in [
        ("words.LUAU", "words.luau"),
        ("more.luau.txt", "more.luau"),
        ("more.Lua", "more.lua"),
        ("words/more.luaa", "words/more.luaa is not read"),
        ("more.luua", "more.luau"),
        ("tests/case.luau.txt", "tests/case.luau.txt is not read"),
    ] {
        let output = check_with_file(file_name);
        assert!(
            output.contains("[unread-file]") && output.contains(expected),
            "{file_name}: {output}"
        );
    }
    for folder in ["Kinds", "LIB", "Tests"] {
        let output = check_with_file(&format!("{folder}/a.luau"));
        assert!(output.contains(&format!("the folder {folder} is not the folder")), "{output}");
    }
    for allowed_name in
        ["README.md", "notes.txt", "main.luau~", "main.luau.bak", "picture.png", "a.lua"]
    {
        assert!(
            !check_with_file(allowed_name).contains("unread-file"),
            "{allowed_name}: {}",
            check_with_file(allowed_name)
        );
    }
}

#[test]
fn a_mod_without_declarations_is_reported() {
    let workspace = Workspace::new();
    workspace.write("mods/uni/mod.toml", &lab_mod_manifest("uni"));
    workspace.write("mods/uni/words.LUAU", "thing \"b\" { name = \"b\" }\n");
    let output = workspace.command_output(&["check", "uni", "--game", "lab"], "").1;
    assert!(output.contains("[declares-nothing]") && output.contains("[unread-file]"), "{output}");
    workspace.write("mods/uni/main.luau", "-- nothing yet\n");
    let output = workspace.command_output(&["check", "uni", "--game", "lab"], "").1;
    assert!(output.contains("[declares-nothing]"), "{output}");
}

#[test]
fn a_misnamed_manifest_is_reported() {
    for file_name in ["mod.toml.txt", "Mod.toml", "MOD.TOML", "mods.toml", "mod.tml"] {
        let workspace = Workspace::new();
        workspace.write(&format!("mods/no/{file_name}"), &lab_mod_manifest("no"));
        let expected = format!("rename {file_name}, which is there, to mod.toml");
        let folder = workspace.path_of("mods/no").display().to_string();
        for words in
            [&["check", &folder][..], &["mods", "pack", &folder], &["mods", "install", &folder]]
        {
            let output = workspace.command_output(words, "").1;
            assert!(output.contains(&expected), "{file_name}, {words:?}: {output}");
        }
        let output = workspace.command_output(&["check", "no"], "").1;
        assert!(output.contains(&expected), "by its name alone, {file_name}: {output}");
    }
}

#[test]
fn backup_files_are_left_out_of_archives_and_reported() {
    let workspace = Workspace::new();
    workspace.add_mod("bak", "thing \"a\" { name = \"a\" }\n");
    for name in ["main.luau~", "words/x.luau.bak", "#main.luau#", "notes.orig", "Thumbs.db"] {
        workspace.write(&format!("mods/bak/{name}"), "old");
    }
    let archive_path = workspace.path_of("bak.zip").display().to_string();
    let (status, output) =
        workspace.command_output(&["mods", "pack", "bak", "--out", &archive_path], "");
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("2 files") && output.contains("main.luau~"), "{output}");
    let bytes = fs::read(workspace.path_of("bak.zip")).unwrap();
    assert!(!bytes.windows(10).any(|window| window == b"main.luau~"));
}

#[test]
fn look_alike_characters_are_reported_at_their_line() {
    let workspace = Workspace::new();
    for (line, expected) in [
        ("thing\u{a0}\"b\" { name = \"b\" }", "U+00A0"),
        ("thing \u{201c}b\u{201d} { name = \"b\" }", "U+201C"),
        ("local a = 3 \u{2013} 1", "U+2013"),
        ("say(\u{2018}a\u{2019})", "U+2018"),
        ("local r\u{e9} = 1", "U+00E9"),
    ] {
        workspace.add_mod(
            "odd",
            &format!("-- “fine” here\nlocal s = \"“fine”\"\nlocal t = [[\n—\n]]\n{line}\n"),
        );
        let output = workspace.command_output(&["check", "odd", "--game", "lab"], "").1;
        assert!(output.contains("[syntax]") && output.contains(expected), "{line}: {output}");
        assert!(output.contains("odd/main.luau:6"), "{line}: {output}");
    }
    // Other mistakes are not attributed to quotes in texts.
    workspace.add_mod("odd", "local s = \"“fine”\"\nlocal = 3\n");
    let output = workspace.command_output(&["check", "odd", "--game", "lab"], "").1;
    assert!(output.contains("[syntax]") && !output.contains("U+"), "{output}");
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_reported_as_unreadable() {
    use std::os::unix::fs::PermissionsExt;
    let workspace = Workspace::new();
    workspace.add_mod("shut", "thing \"a\" { name = \"a\" }\n");
    let folder = workspace.path_of("mods/shut");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    // As root everything is readable, so nothing differs.
    let is_readable = fs::read_dir(&folder).is_ok();
    let output = workspace.command_output(&["mods"], "").1;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(
        is_readable || output.contains("the folder shut cannot be read: permission is denied"),
        "{output}"
    );
}
