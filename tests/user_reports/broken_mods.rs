//! A broken mod never prevents play: whatever is wrong with it, the start offers to play without
//! it.

use std::fs;
use std::io::Write;

use super::harness::{Workspace, lab_mod_manifest};

const CORRECT_SCRIPT: &str = "thing \"jar\" { name = \"a jar\" }\n";

/// Checks that the start of a game with broken mods makes these offers, and that the first one
/// leads to the title.
fn assert_start_offers(workspace: &Workspace, enabled_ids: &[&str], names: &[&str]) -> String {
    for id in enabled_ids {
        workspace.command_output(&["mods", "on", id, "--game", "lab"], "");
    }
    let arguments: Vec<&str> = enabled_ids.iter().flat_map(|id| ["--with", id]).collect();
    let answers = format!("off:{}\nquit\n", names[0]);
    let (status, output) = workspace.play_in_plain_text(&arguments, &answers);
    assert_eq!(status, 0, "{output}");
    for name in names {
        assert!(
            output.contains(&format!("Play without {name}")),
            "no way without {name}: {output}"
        );
    }
    assert!(output.contains("New game"), "{output}");
    output
}

fn add_broken_mod(workspace: &Workspace, id: &str, script: &str) {
    workspace.add_mod(id, script);
    assert_start_offers(workspace, &[id], &[id]);
}

#[test]
fn a_mod_with_a_broken_script_can_be_disabled() {
    let workspace = Workspace::new();
    add_broken_mod(&workspace, "syn", "thing \"a\" {\n");
    add_broken_mod(&workspace, "run", "local x = nil\nx.y = 1\n");
    add_broken_mod(
        &workspace,
        "twice",
        "thing \"a\" { name = \"a\" }\nthing \"a\" { name = \"b\" }\n",
    );
    add_broken_mod(&workspace, "kinds", "kind \"thing\" { name = field.text }\n");
    add_broken_mod(&workspace, "odd", "thing \"a\" { nmae = \"a\" }\n");
    add_broken_mod(&workspace, "endless", "while true do end\n");
}

#[test]
fn a_mod_with_a_broken_manifest_or_file_can_be_disabled() {
    let workspace = Workspace::new();
    workspace.add_mod("odd", CORRECT_SCRIPT);
    for invalid_line in ["odd = 1\n", "engine\n", "[needs\n", "clashes = 3\n"] {
        workspace.write("mods/odd/mod.toml", &(lab_mod_manifest("odd") + invalid_line));
        let (status, output) = workspace.play_in_plain_text(&["--with", "odd"], "off:odd\nquit\n");
        assert_eq!(status, 0, "{invalid_line}: {output}");
        assert!(output.contains("Play without odd") && output.contains("New game"), "{output}");
        assert!(
            !output.contains("there is no mod"),
            "existing files are not reported as missing: {output}"
        );
    }
    workspace.write("mods/odd/mod.toml", &lab_mod_manifest("odd"));
    fs::write(workspace.path_of("mods/odd/more.luau"), b"\xff\xfe").unwrap();
    assert_start_offers(&workspace, &["odd"], &["odd"]);
}

#[test]
fn mods_with_unmet_needs_or_cycles_can_be_disabled() {
    let workspace = Workspace::new();
    workspace.add_mod("old", CORRECT_SCRIPT);
    workspace
        .write("mods/old/mod.toml", &lab_mod_manifest("old").replace("lab = \"*\"", "lab = \"9\""));
    assert_start_offers(&workspace, &["old"], &["old"]);
    workspace.write(
        "mods/old/mod.toml",
        &lab_mod_manifest("old").replace("engine = \"*\"", "engine = \"9\""),
    );
    assert_start_offers(&workspace, &["old"], &["old"]);
    workspace.write(
        "mods/old/mod.toml",
        &lab_mod_manifest("old").replace("lab = \"*\"", "lab = \"*\", gone = \"*\""),
    );
    assert_start_offers(&workspace, &["old"], &["old"]);
    let add_mod_in_cycle = |id: &str, other_id: &str| {
        workspace.add_mod(id, "-- nothing\n");
        workspace.write(
            &format!("mods/{id}/mod.toml"),
            &(lab_mod_manifest(id) + &format!("after = [\"{other_id}\"]\n")),
        );
    };
    add_mod_in_cycle("m1", "m2");
    add_mod_in_cycle("m2", "m1");
    assert_start_offers(&workspace, &["m1", "m2"], &["m1", "m2"]);
    // A broken library is disabled with its dependents.
    workspace.add_mod("lib", "thing \"a\" {\n");
    workspace.add_mod("user", CORRECT_SCRIPT);
    workspace.write(
        "mods/user/mod.toml",
        &lab_mod_manifest("user").replace("lab = \"*\"", "lab = \"*\", lib = \"*\""),
    );
    let output = assert_start_offers(&workspace, &["user"], &["lib"]);
    assert!(output.contains("also switches off what needs it: user"), "{output}");
}

#[test]
fn a_mod_with_a_failing_profile_migration_can_be_disabled() {
    let workspace = Workspace::new();
    workspace.add_mod("mig", CORRECT_SCRIPT);
    workspace.command_output(&["mods", "on", "mig", "--game", "lab"], "");
    assert_eq!(workspace.play_in_plain_text(&[], "quit\n").0, 0);
    workspace.write("mods/mig/mod.toml", &lab_mod_manifest("mig").replace("0.1.0", "0.2.0"));
    workspace
        .write("mods/mig/main.luau", "migrate_profile(\"0.2.0\", function(p) error \"no\" end)\n");
    assert_start_offers(&workspace, &[], &["mig"]);
}

#[test]
fn two_copies_of_one_mod_give_one_message() {
    let workspace = Workspace::new();
    workspace.add_mod("lev", CORRECT_SCRIPT);
    workspace.command_output(&["mods", "on", "lev", "--game", "lab"], "");
    workspace.write("mods/lev_2/mod.toml", &lab_mod_manifest("lev"));
    workspace.write("mods/lev_2/main.luau", CORRECT_SCRIPT);
    let (status, output) = workspace.play_in_plain_text(&[], "off:lev\nquit\n");
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("two mods have the id \"lev\", and neither is loaded"), "{output}");
    assert!(!output.contains("is missing") && !output.contains("no mod \"lev\""), "{output}");
    assert!(output.contains("Play without lev") && output.contains("New game"), "{output}");
    let (_, output) = workspace.play_in_plain_text(&["--with", "lev"], "off:lev\nquit\n");
    assert!(!output.contains("no mod \"lev\"") && output.contains("New game"), "{output}");
}

#[test]
fn an_archive_beside_its_folder_gives_one_message() {
    let workspace = Workspace::new();
    workspace.add_mod("lev", CORRECT_SCRIPT);
    workspace.command_output(&["mods", "on", "lev", "--game", "lab"], "");
    let archive = workspace.path_of("mods/lev.zip");
    let mut writer = zip::ZipWriter::new(fs::File::create(&archive).unwrap());
    for (path, text) in [("mod.toml", &*lab_mod_manifest("lev")), ("main.luau", CORRECT_SCRIPT)] {
        writer.start_file(path, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    for extra_arguments in [&[][..], &["--with", "lev"]] {
        let (status, output) = workspace.play_in_plain_text(extra_arguments, "off:lev\nquit\n");
        assert_eq!(status, 0, "{output}");
        let message = "two mods have the id \"lev\", and neither is loaded";
        let first_prompt = output.split("> off:lev").next().unwrap();
        assert_eq!(first_prompt.matches(message).count(), 1, "{output}");
        assert!(output.contains("LAB/mods/lev.zip") && output.contains("LAB/mods/lev"), "{output}");
        assert!(!output.contains("is missing") && !output.contains("no mod \"lev\""), "{output}");
        assert!(output.contains("Play without lev"), "{output}");
        assert!(output.contains("New game"), "{output}");
        // The mod is on again for the next start.
        workspace.command_output(&["mods", "on", "lev", "--game", "lab"], "");
    }
    // Without the archive, the folder is loaded again.
    fs::remove_file(&archive).unwrap();
    let (status, output) = workspace.play_in_plain_text(&["--with", "lev"], "quit\n");
    assert_eq!(status, 0, "{output}");
    assert!(output.contains("New game"), "{output}");
    assert!(!output.contains("neither is loaded") && !output.contains("Play without"), "{output}");
}

#[test]
fn an_invalid_stored_setting_is_reported_and_kept() {
    let workspace = Workspace::new();
    let write_version = |version: &str, setting: &str| {
        workspace.add_mod("set", "say_pace = nil\n");
        workspace.write("mods/set/main.luau", CORRECT_SCRIPT);
        let manifest = lab_mod_manifest("set").replace("0.1.0", version);
        workspace.write("mods/set/mod.toml", &(manifest + setting));
    };
    let pace_setting = |max: u32| {
        format!("[settings.pace]\ntype = \"integer\"\ndefault = 1\nmin = 0\nmax = {max}\n")
    };
    write_version("0.1.0", &pace_setting(9));
    workspace.command_output(&["mods", "on", "set", "--game", "lab"], "");
    let (status, output) =
        workspace.command_output(&["mods", "set", "set", "pace", "7", "--game", "lab"], "");
    assert_eq!(status, 0, "{output}");
    let start_output = || workspace.play_in_plain_text(&[], "quit\n").1;
    assert!(!start_output().contains("unfit-setting"));
    write_version("0.2.0", &pace_setting(3));
    let output = start_output();
    assert!(
        output.contains("your setting pace of set is 7, which set 0.2.0 no longer accepts"),
        "{output}"
    );
    assert!(output.contains("the default 1 is used"), "{output}");
    write_version("0.2.1", "[settings.pace]\ntype = \"boolean\"\ndefault = true\n");
    assert!(start_output().contains("true or false"), "{}", start_output());
    write_version("0.3.0", "");
    assert!(start_output().contains("has no such setting"), "{}", start_output());
    // An update that accepts the value again gets it, and a withdrawn value is forgotten.
    write_version("0.4.0", &pace_setting(8));
    let output = start_output();
    assert!(!output.contains("unfit-setting"), "{output}");
    write_version("0.5.0", "");
    let (status, output) =
        workspace.command_output(&["mods", "unset", "set", "pace", "--game", "lab"], "");
    assert_eq!(status, 0, "{output}");
    assert!(!start_output().contains("unfit-setting"));
}
