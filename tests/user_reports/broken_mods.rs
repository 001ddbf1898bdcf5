//! A broken mod never prevents play: whatever is wrong with it, the start offers to play without
//! it.

use std::fs;

use super::harness::{Workspace, manifest};

const FINE: &str = "thing \"jar\" { name = \"a jar\" }\n";

/// Checks that the start of a game with broken mods makes these offers, and that the first one
/// leads to the title.
fn assert_start_offers(lab: &Workspace, on: &[&str], names: &[&str]) -> String {
    for id in on {
        lab.command_output(&["mods", "on", id, "--game", "lab"], "");
    }
    let with: Vec<&str> = on.iter().flat_map(|id| ["--with", id]).collect();
    let off = format!("off:{}\nquit\n", names[0]);
    let (status, told) = lab.play(&with, &off);
    assert_eq!(status, 0, "{told}");
    for name in names {
        assert!(told.contains(&format!("Play without {name}")), "no way without {name}: {told}");
    }
    assert!(told.contains("Start a new run"), "{told}");
    told
}

fn add_broken_mod(lab: &Workspace, id: &str, script: &str) {
    lab.add_mod(id, script);
    assert_start_offers(lab, &[id], &[id]);
}

#[test]
fn a_mistake_in_its_text() {
    let lab = Workspace::new();
    add_broken_mod(&lab, "syn", "thing \"a\" {\n");
    add_broken_mod(&lab, "run", "local x = nil\nx.y = 1\n");
    add_broken_mod(&lab, "twice", "thing \"a\" { name = \"a\" }\nthing \"a\" { name = \"b\" }\n");
    add_broken_mod(&lab, "kinds", "kind \"thing\" { name = field.text }\n");
    add_broken_mod(&lab, "odd", "thing \"a\" { nmae = \"a\" }\n");
    add_broken_mod(&lab, "endless", "while true do end\n");
}

#[test]
fn a_mistake_in_its_manifest_and_one_that_cannot_be_read() {
    let lab = Workspace::new();
    lab.add_mod("odd", FINE);
    for wrong in ["odd = 1\n", "engine\n", "[needs\n", "clashes = 3\n"] {
        lab.write("mods/odd/mod.toml", &(manifest("odd") + wrong));
        let (status, told) = lab.play(&["--with", "odd"], "off:odd\nquit\n");
        assert_eq!(status, 0, "{wrong}: {told}");
        assert!(told.contains("Play without odd") && told.contains("Start a new run"), "{told}");
        assert!(
            !told.contains("there is no mod"),
            "existing files are not reported as missing: {told}"
        );
    }
    lab.write("mods/odd/mod.toml", &manifest("odd"));
    fs::write(lab.at("mods/odd/more.luau"), b"\xff\xfe").unwrap();
    assert_start_offers(&lab, &["odd"], &["odd"]);
}

#[test]
fn versions_needs_and_circles() {
    let lab = Workspace::new();
    lab.add_mod("old", FINE);
    lab.write("mods/old/mod.toml", &manifest("old").replace("lab = \"*\"", "lab = \"9\""));
    assert_start_offers(&lab, &["old"], &["old"]);
    lab.write("mods/old/mod.toml", &manifest("old").replace("engine = \"*\"", "engine = \"9\""));
    assert_start_offers(&lab, &["old"], &["old"]);
    lab.write(
        "mods/old/mod.toml",
        &manifest("old").replace("lab = \"*\"", "lab = \"*\", gone = \"*\""),
    );
    assert_start_offers(&lab, &["old"], &["old"]);
    let ring = |id: &str, other: &str| {
        lab.add_mod(id, "-- nothing\n");
        lab.write(
            &format!("mods/{id}/mod.toml"),
            &(manifest(id) + &format!("after = [\"{other}\"]\n")),
        );
    };
    ring("m1", "m2");
    ring("m2", "m1");
    assert_start_offers(&lab, &["m1", "m2"], &["m1", "m2"]);
    // A broken library is disabled with its dependents.
    lab.add_mod("lib", "thing \"a\" {\n");
    lab.add_mod("user", FINE);
    lab.write(
        "mods/user/mod.toml",
        &manifest("user").replace("lab = \"*\"", "lab = \"*\", lib = \"*\""),
    );
    let told = assert_start_offers(&lab, &["user"], &["lib"]);
    assert!(told.contains("also switches off what needs it: user"), "{told}");
}

#[test]
fn a_migration_of_the_profile_that_fails() {
    let lab = Workspace::new();
    lab.add_mod("mig", FINE);
    lab.command_output(&["mods", "on", "mig", "--game", "lab"], "");
    assert_eq!(lab.play(&[], "quit\n").0, 0);
    lab.write("mods/mig/mod.toml", &manifest("mig").replace("0.1.0", "0.2.0"));
    lab.write("mods/mig/main.luau", "migrate_profile(\"0.2.0\", function(p) error \"no\" end)\n");
    assert_start_offers(&lab, &[], &["mig"]);
}

#[test]
fn two_copies_of_one_mod_give_one_message() {
    let lab = Workspace::new();
    lab.add_mod("lev", FINE);
    lab.command_output(&["mods", "on", "lev", "--game", "lab"], "");
    lab.write("mods/lev_2/mod.toml", &manifest("lev"));
    lab.write("mods/lev_2/main.luau", FINE);
    let (status, told) = lab.play(&[], "off:lev\nquit\n");
    assert_eq!(status, 0, "{told}");
    assert!(told.contains("two mods have the id \"lev\", and neither is loaded"), "{told}");
    assert!(!told.contains("is missing") && !told.contains("no mod \"lev\""), "{told}");
    assert!(told.contains("Play without lev") && told.contains("Start a new run"), "{told}");
    let (_, told) = lab.play(&["--with", "lev"], "off:lev\nquit\n");
    assert!(!told.contains("no mod \"lev\"") && told.contains("Start a new run"), "{told}");
}

#[test]
fn a_setting_that_no_longer_fits_is_told_and_kept() {
    let lab = Workspace::new();
    let with = |version: &str, setting: &str| {
        lab.add_mod("set", "say_pace = nil\n");
        lab.write("mods/set/main.luau", FINE);
        let manifest = manifest("set").replace("0.1.0", version);
        lab.write("mods/set/mod.toml", &(manifest + setting));
    };
    let pace = |max: u32| {
        format!("[settings.pace]\ntype = \"integer\"\ndefault = 1\nmin = 0\nmax = {max}\n")
    };
    with("0.1.0", &pace(9));
    lab.command_output(&["mods", "on", "set", "--game", "lab"], "");
    let (status, told) =
        lab.command_output(&["mods", "set", "set", "pace", "7", "--game", "lab"], "");
    assert_eq!(status, 0, "{told}");
    let started = || lab.play(&[], "quit\n").1;
    assert!(!started().contains("unfit-setting"));
    with("0.2.0", &pace(3));
    let told = started();
    assert!(
        told.contains("your setting pace of set is 7, which set 0.2.0 no longer accepts"),
        "{told}"
    );
    assert!(told.contains("the default 1 is used"), "{told}");
    with("0.2.1", "[settings.pace]\ntype = \"boolean\"\ndefault = true\n");
    assert!(started().contains("true or false"), "{}", started());
    with("0.3.0", "");
    assert!(started().contains("has no such setting"), "{}", started());
    // An update that accepts the value again gets it, and a withdrawn value is forgotten.
    with("0.4.0", &pace(8));
    let told = started();
    assert!(!told.contains("unfit-setting"), "{told}");
    with("0.5.0", "");
    let (status, told) = lab.command_output(&["mods", "unset", "set", "pace", "--game", "lab"], "");
    assert_eq!(status, 0, "{told}");
    assert!(!started().contains("unfit-setting"));
}
