//! Files with nearly correct names that the program ignores are reported, and so are files that
//! only look correct.

use std::fs;

use super::harness::{Workspace, manifest};

#[test]
fn a_script_whose_name_is_nearly_right_is_told() {
    let lab = Workspace::new();
    let name = |name: &str| {
        lab.add_mod("uni", "thing \"a\" { name = \"a\" }\n");
        lab.write(&format!("mods/uni/{name}"), "thing \"b\" { name = \"b\" }\n");
        let told = lab.command_output(&["check", "uni", "--game", "lab"], "").1;
        fs::remove_dir_all(lab.at("mods/uni")).unwrap();
        told
    };
    for (odd, meant) in [
        ("words.LUAU", "words.luau"),
        ("more.luau.txt", "more.luau"),
        ("more.Lua", "more.lua"),
        ("words/more.luaa", "words/more.luaa is not read"),
        ("more.luua", "more.luau"),
        ("tests/case.luau.txt", "tests/case.luau.txt is not read"),
    ] {
        let told = name(odd);
        assert!(told.contains("[unread-file]") && told.contains(meant), "{odd}: {told}");
    }
    for folder in ["Kinds", "LIB", "Tests"] {
        let told = name(&format!("{folder}/a.luau"));
        assert!(told.contains(&format!("the folder {folder} is not the folder")), "{told}");
    }
    for fine in ["README.md", "notes.txt", "main.luau~", "main.luau.bak", "picture.png", "a.lua"] {
        assert!(!name(fine).contains("unread-file"), "{fine}: {}", name(fine));
    }
}

#[test]
fn a_mod_that_declares_nothing_is_told() {
    let lab = Workspace::new();
    lab.write("mods/uni/mod.toml", &manifest("uni"));
    lab.write("mods/uni/words.LUAU", "thing \"b\" { name = \"b\" }\n");
    let told = lab.command_output(&["check", "uni", "--game", "lab"], "").1;
    assert!(told.contains("[declares-nothing]") && told.contains("[unread-file]"), "{told}");
    lab.write("mods/uni/main.luau", "-- nothing yet\n");
    let told = lab.command_output(&["check", "uni", "--game", "lab"], "").1;
    assert!(told.contains("[declares-nothing]"), "{told}");
}

#[test]
fn a_manifest_whose_name_is_nearly_right_is_told() {
    for odd in ["mod.toml.txt", "Mod.toml", "MOD.TOML", "mods.toml", "mod.tml"] {
        let lab = Workspace::new();
        lab.write(&format!("mods/no/{odd}"), &manifest("no"));
        let wanted = format!("rename {odd}, which is there, to mod.toml");
        let folder = lab.at("mods/no").display().to_string();
        for words in
            [&["check", &folder][..], &["mods", "pack", &folder], &["mods", "install", &folder]]
        {
            let told = lab.command_output(words, "").1;
            assert!(told.contains(&wanted), "{odd}, {words:?}: {told}");
        }
        let told = lab.command_output(&["check", "no"], "").1;
        assert!(told.contains(&wanted), "by its name alone, {odd}: {told}");
    }
}

#[test]
fn backups_are_left_out_of_an_archive_and_told() {
    let lab = Workspace::new();
    lab.add_mod("bak", "thing \"a\" { name = \"a\" }\n");
    for name in ["main.luau~", "words/x.luau.bak", "#main.luau#", "notes.orig", "Thumbs.db"] {
        lab.write(&format!("mods/bak/{name}"), "old");
    }
    let out = lab.at("bak.zip").display().to_string();
    let (status, told) = lab.command_output(&["mods", "pack", "bak", "--out", &out], "");
    assert_eq!(status, 0, "{told}");
    assert!(told.contains("2 files") && told.contains("main.luau~"), "{told}");
    let bytes = fs::read(lab.at("bak.zip")).unwrap();
    assert!(!bytes.windows(10).any(|part| part == b"main.luau~"));
}

#[test]
fn letters_that_look_like_others_are_named_where_they_stand() {
    let lab = Workspace::new();
    for (line, wanted) in [
        ("thing\u{a0}\"b\" { name = \"b\" }", "U+00A0"),
        ("thing \u{201c}b\u{201d} { name = \"b\" }", "U+201C"),
        ("local a = 3 \u{2013} 1", "U+2013"),
        ("say(\u{2018}a\u{2019})", "U+2018"),
        ("local r\u{e9} = 1", "U+00E9"),
    ] {
        lab.add_mod(
            "odd",
            &format!("-- “fine” here\nlocal s = \"“fine”\"\nlocal t = [[\n—\n]]\n{line}\n"),
        );
        let told = lab.command_output(&["check", "odd", "--game", "lab"], "").1;
        assert!(told.contains("[syntax]") && told.contains(wanted), "{line}: {told}");
        assert!(told.contains("odd/main.luau:6"), "{line}: {told}");
    }
    // Other mistakes are not attributed to quotes in texts.
    lab.add_mod("odd", "local s = \"“fine”\"\nlocal = 3\n");
    let told = lab.command_output(&["check", "odd", "--game", "lab"], "").1;
    assert!(told.contains("[syntax]") && !told.contains("U+"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read_is_not_said_to_hold_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let lab = Workspace::new();
    lab.add_mod("shut", "thing \"a\" { name = \"a\" }\n");
    let folder = lab.at("mods/shut");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    // As root everything is readable, so nothing differs.
    let may = fs::read_dir(&folder).is_ok();
    let told = lab.command_output(&["mods"], "").1;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(may || told.contains("the folder shut cannot be read: permission is denied"), "{told}");
}
