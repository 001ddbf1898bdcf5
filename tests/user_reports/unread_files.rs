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
        ("more.luau (1)", "rename it to more.luau;"),
        ("more.luau - Copy (2)", "rename it to more.luau;"),
        ("more.luau.", "rename it to more.luau;"),
        ("more.luau.1", "rename it to more.luau;"),
        ("more.luau2", "rename it to more.luau;"),
        ("more.luau~1", "rename it to more.luau;"),
        ("more.luau.old", "rename it to more.luau;"),
        ("more.luau.bak2", "rename it to more.luau;"),
        ("more.LUAU.part", "rename it to more.luau;"),
        ("more.luau.old.txt", "rename it to more.luau;"),
        // A backup of a file that is not there.
        ("more.luau.tmp", "rename it to more.luau;"),
        ("words/more.luau.bak", "rename it to more.luau;"),
        ("words/#more.luau#", "rename it to more.luau;"),
        ("more.luau~", "rename it to more.luau;"),
        ("main.luau.1", "remove it, or move its content to main.luau"),
        ("tests/case.TOML", "rename it to case.toml;"),
        ("tests/case.toml.txt", "rename it to case.toml;"),
        ("tests/deep/case.toml (1)", "rename it to case.toml;"),
        ("tests/case.tml", "rename it to case.toml;"),
        ("tests/case.toml.bak", "rename it to case.toml;"),
        ("mod.toml (1)", "move its content to mod.toml"),
        ("mod (1).toml", "move its content to mod.toml"),
        ("mod.toml~1", "move its content to mod.toml"),
    ] {
        let output = check_with_file(file_name);
        assert!(
            output.contains("[unread-file]") && output.contains(expected),
            "{file_name}: {output}"
        );
    }
    assert!(check_with_file("test/a.luau").contains("the folder test is not the folder tests"));
    for folder in ["Kinds", "LIB", "Tests"] {
        let output = check_with_file(&format!("{folder}/a.luau"));
        assert!(output.contains(&format!("the folder {folder} is not the folder")), "{output}");
    }
    for allowed_name in [
        "README.md",
        "notes.txt",
        "notes (1).txt",
        "notes.orig",
        "2026-01-02",
        "main.luau~",
        "main.luau.bak",
        "#main.luau#",
        "mod.toml.bak",
        "picture.png",
        "a.lua",
        "tests/case.toml",
        "tests/table.html",
        "data.tml",
        "templates/well/main.luau.in",
    ] {
        let output = check_with_file(allowed_name);
        assert!(!output.contains("unread-file"), "{allowed_name}: {output}");
    }
}

/// A transcript lies beside the case that it is of.
#[test]
fn an_accepted_transcript_whose_name_is_nearly_right_is_told() {
    let lab = Workspace::new();
    lab.add_mod("uni", "thing \"a\" { name = \"a\" }\n");
    lab.write("mods/uni/tests/over.toml", "seed = 1\nanswers = [\"out\"]\n");
    for (name, is_told) in
        [("over.TXT", true), ("over.txt.txt", true), ("over.txt", false), ("notes.TXT", false)]
    {
        lab.write(&format!("mods/uni/tests/{name}"), "");
        let output = lab.command_output(&["check", "uni", "--game", "lab"], "").1;
        assert_eq!(output.contains("help: rename it to over.txt"), is_told, "{name}: {output}");
        fs::remove_file(lab.path_of(&format!("mods/uni/tests/{name}"))).unwrap();
    }
}

/// A run of tests that reads no case says so, and fails if a mistake is the cause.
#[test]
fn tests_that_are_not_run_do_not_pass() {
    let case = "case \"one\"(function() equals(1, 1) end)\n";
    let run = |script: &str, path: &str, more: &[&str]| {
        let lab = Workspace::new();
        lab.add_mod("uni", script);
        lab.write(&format!("mods/uni/{path}"), case);
        lab.command_output(&[&["test", "uni", "--game", "lab"], more].concat(), "")
    };
    let fine = "thing \"a\" { name = \"a\" }\n";
    for path in ["tests/one.luau.txt", "tests/one.TOML", "tests/one.luau (1)", "test/one.luau"] {
        let (status, output) = run(fine, path, &[]);
        assert_eq!(status, 1, "{path}: {output}");
        assert!(
            output.contains("[unread-file]") && output.contains("no tests in uni\n"),
            "{output}"
        );
        assert!(output.contains("0 passed, 1 "), "{path}: {output}");
    }
    for (script, code) in [
        ("local = 3\n", "[syntax]"),
        ("thing \"a\" { name = \"a\", nmae = \"a\" }\n", "[unknown-field]"),
        ("-- nothing\n", "[declares-nothing]"),
    ] {
        let (status, output) = run(script, "notes.md", &[]);
        assert_eq!(status, 1, "{output}");
        assert!(output.contains(code) && output.contains("no tests in uni\n"), "{output}");
        let (status, page) = run(script, "notes.md", &["--json"]);
        let page: serde_json::Value = serde_json::from_str(&page).unwrap();
        assert_eq!(status, 1);
        assert_eq!(page["problems"][0]["code"], code.trim_matches(['[', ']']));
        assert_eq!(page["mods_without_cases"][0], "uni");
    }
    let (status, output) = run(fine, "notes.md", &[]);
    assert_eq!(status, 0, "{output}");
    let wanted = "no tests in uni: write `case \"name\"(function() … end)` in a file such as \
                  tests/first.luau\n0 passed\n";
    assert_eq!(output, wanted);
    let (status, output) = run(fine, "tests/one.luau", &[]);
    assert_eq!((status, &*output), (0, "ok     uni one\n1 passed\n"));
    let (status, output) = run(fine, "tests/one.luau", &["--case", "two"]);
    assert_eq!((status, &*output), (0, "no case has that name\n"));
}

/// Whoever keeps such a file gives the reason in `mod.toml`, for `test` as for `check`.
#[test]
fn an_unread_file_may_be_kept_with_a_reason() {
    let lab = Workspace::new();
    lab.add_mod("uni", "after(\"poked\", function() end)\n");
    lab.write("mods/uni/tests/one.luau.old", "");
    for (command, passed) in [("check", "no problems"), ("test", "0 passed\n")] {
        let words = [command, "uni", "--game", "lab"];
        lab.write("mods/uni/mod.toml", &lab_mod_manifest("uni"));
        assert_eq!(lab.command_output(&words, "").0, 1, "{command}");
        let reason = "[allow.\"tests/one.luau.old\"]\nunread-file = \"for comparison\"\n";
        lab.write("mods/uni/mod.toml", &format!("{}{reason}", lab_mod_manifest("uni")));
        let (status, output) = lab.command_output(&words, "");
        assert!(status == 0 && output.contains(passed), "{command}: {output}");
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
    for file_name in [
        "mod.toml.txt",
        "Mod.toml",
        "MOD.TOML",
        "mods.toml",
        "mod.tml",
        "mod.toml (1)",
        "mod - Copy.toml",
        "mod.toml~1",
        "mod.toml.old",
        "mod.toml.bak",
    ] {
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
    use std::os::unix::process::CommandExt;

    use crate::cli::{program_command, run_with_input, utf8_text};

    const NOBODY: u32 = 65_534;
    let workspace = Workspace::new();
    workspace.add_mod("shut", "thing \"a\" { name = \"a\" }\n");
    let folder = workspace.path_of("mods/shut");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything: then another user looks, who may look into the folder of mods.
    let is_root = fs::read_dir(&folder).is_ok();
    let mods = workspace.path_of("mods");
    fs::set_permissions(mods.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    let [mods, data] =
        [mods, workspace.path_of("data")].map(|path| path.to_string_lossy().into_owned());
    let mut command = program_command(&["mods", "--mods", &mods, "--data", &data]);
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = run_with_input(command, "");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let output = utf8_text(&output.stdout) + &utf8_text(&output.stderr);
    assert!(output.contains("the folder shut cannot be read: permission is denied"), "{output}");
}
