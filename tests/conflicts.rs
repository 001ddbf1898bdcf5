//! Two mods change the same thing. A third mod settles the conflict, or one of the two is disabled.

use std::fs;
use std::path::Path;

use base::{Problem, Value};
use mods::{ModSource, sort_into_load_order};
use script::Vm;

use crate::cli::{program_command, run_with_input, utf8_text};
use crate::support::{GAME_MANIFEST, MINIMAL_GAME, manifest_needing, mod_from_text, problem_texts};

const SPELL_KIND: &str = "kind \"spell\" { bonus = field.int, cost = field.int { default = 1 } }\n";

fn conflicting_mods() -> Vec<ModSource> {
    let cinder = format!("{MINIMAL_GAME}spell \"cinder\" {{ bonus = 1 }}\n");
    let patching_mod = |id: &str, bonus: u32| {
        let text = format!("patch.spell \"game:cinder\" {{ bonus = {bonus} }}\n");
        mod_from_text(&manifest_needing(id, &["game"]), &[("m.luau", &text)])
    };
    let game =
        mod_from_text(GAME_MANIFEST, &[("kinds/spell.luau", SPELL_KIND), ("main.luau", &cinder)]);
    vec![game, patching_mod("gulls", 3), patching_mod("tide", 5)]
}

fn load_with_extra_mods(extra_mods: &[(&str, &[&str], &str)]) -> Result<Vm, Vec<Problem>> {
    let mut sources = conflicting_mods();
    sources.extend(
        extra_mods.iter().map(|(id, needs, text)| {
            mod_from_text(&manifest_needing(id, needs), &[("m.luau", text)])
        }),
    );
    Vm::load(&sort_into_load_order(sources).unwrap(), &Value::map())
}

fn load_errors_or_warnings(load_result: Result<Vm, Vec<Problem>>) -> String {
    match load_result {
        Ok(vm) => problem_texts(vm.load_warnings()),
        Err(problems) => problem_texts(&problems),
    }
}

const CONFLICT_SETTLEMENT: &str = "settle_conflict.spell \"game:cinder\" { bonus = 4 }\n";

#[test]
fn a_mod_loaded_after_both_settles_a_conflict() {
    assert!(load_errors_or_warnings(load_with_extra_mods(&[])).contains("error[conflict]"));
    let both_mods: &[&str] = &["game", "gulls", "tide"];
    let vm = load_with_extra_mods(&[("whole", both_mods, CONFLICT_SETTLEMENT)])
        .unwrap_or_else(|problems| panic!("{}", problem_texts(&problems)));
    assert_eq!(problem_texts(vm.load_warnings()), "");
    let cinder = vm.registry().get("spell", "game:cinder").unwrap();
    assert_eq!(format!("{:?}", cinder.get("bonus").unwrap()), "Int(4)");
    let words = |origin: &content::ProvenanceRecord| {
        format!("{} by {}", origin.action.display_name(), origin.owner)
    };
    let origins = vm.registry().provenance("spell", "game:cinder", "bonus").unwrap();
    assert_eq!(
        origins.iter().map(words).collect::<Vec<_>>(),
        ["declared by game", "set by gulls", "set by tide", "settled by whole"]
    );
    // A replacement settles the conflict too; a patch does not.
    let replacement = "replace.spell \"game:cinder\" { bonus = 9 }\n";
    assert!(load_with_extra_mods(&[("whole", both_mods, replacement)]).is_ok());
    let patch_script = CONFLICT_SETTLEMENT.replace("settle_conflict", "patch");
    assert!(
        load_errors_or_warnings(load_with_extra_mods(&[("whole", both_mods, &patch_script)]))
            .contains("error[conflict]")
    );
}

#[test]
fn settling_a_foreign_or_missing_conflict_is_reported() {
    let one_mod_output = load_errors_or_warnings(load_with_extra_mods(&[(
        "whole",
        &["game", "gulls"],
        CONFLICT_SETTLEMENT,
    )]));
    let other_field = CONFLICT_SETTLEMENT.replace("bonus", "cost");
    let other_field_output = load_errors_or_warnings(load_with_extra_mods(&[(
        "whole",
        &["game", "gulls", "tide"],
        &other_field,
    )]));
    let mut sources = conflicting_mods();
    sources.pop();
    sources.push(mod_from_text(
        &manifest_needing("whole", &["game", "gulls"]),
        &[("m.luau", CONFLICT_SETTLEMENT)],
    ));
    let no_conflict_output =
        load_errors_or_warnings(Vm::load(&sort_into_load_order(sources).unwrap(), &Value::map()));
    let without_body_output = load_errors_or_warnings(load_with_extra_mods(&[(
        "whole",
        &["game", "gulls", "tide"],
        "settle_conflict.spell 'game:cinder'",
    )]));
    insta::assert_snapshot!(
        [one_mod_output, other_field_output, no_conflict_output, without_body_output]
            .join("\n---\n")
    );
}

/// Of three mods that change a field, two are settled: one message, with the one cure.
#[test]
fn a_mod_that_escapes_a_settlement_is_reported_once() {
    let set = "patch.spell \"game:cinder\" { bonus = 7 }\n";
    let output = load_errors_or_warnings(load_with_extra_mods(&[
        ("sea", &["game"], set),
        ("whole", &["game", "gulls", "tide"], CONFLICT_SETTLEMENT),
    ]));
    assert_eq!(output.matches("error[").count(), 1, "{output}");
    assert!(output.contains("list \"sea\" under `after` in the mod.toml of whole"), "{output}");
    let after_all: &[&str] = &["game", "gulls", "tide", "sea"];
    let settled =
        load_with_extra_mods(&[("sea", &["game"], set), ("whole", after_all, CONFLICT_SETTLEMENT)]);
    assert_eq!(load_errors_or_warnings(settled), "");
}

#[test]
fn a_settlement_that_overwrites_a_wrap_is_reported() {
    let kind = "kind \"spell\" { cast = field.fn { optional = true } }\n";
    let cinder = format!("{MINIMAL_GAME}spell \"cinder\" {{ cast = function() end }}\n");
    let set = "spell \"game:cinder\" { cast = function() end }\n";
    let wrap = "patch.spell \"game:cinder\" { cast = wrap(function(original) original() end) }\n";
    let needing_mod = |id: &str, needs: &[&str], text: &str| {
        mod_from_text(&manifest_needing(id, needs), &[("m.luau", text)])
    };
    let load_with_settling_mod = |needs: &[&str]| {
        let game =
            mod_from_text(GAME_MANIFEST, &[("kinds/spell.luau", kind), ("main.luau", &cinder)]);
        let settlement = format!("settle_conflict.{set}");
        let sources = vec![
            game,
            needing_mod("gulls", &["game"], &format!("patch.{set}")),
            needing_mod("ebb", &["game"], wrap),
            needing_mod("tide", &["game"], &format!("patch.{set}")),
            needing_mod("whole", needs, &settlement),
        ];
        load_errors_or_warnings(Vm::load(&sort_into_load_order(sources).unwrap(), &Value::map()))
    };
    let output = load_with_settling_mod(&["game", "gulls", "tide"]);
    assert!(
        output.contains("cast: whole sets it, which overwrites what ebb wrapped around it"),
        "{output}"
    );
    assert!(output.contains("after = [\"whole\"] in the mod.toml of ebb"), "{output}");
    // A mod that comes after the wrapping mod overwrites it knowingly.
    let output = load_with_settling_mod(&["game", "gulls", "tide", "ebb"]);
    assert!(!output.contains("by whole") && !output.contains("whole sets it"), "{output}");
}

pub fn write_conflicting_mods(folder: &Path, manifest_of_tide: &str) {
    let write_mod = |id: &str, files: &[(&str, &str)]| {
        for (path, text) in files {
            let path = folder.join(id).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    };
    let cinder = format!("{MINIMAL_GAME}spell \"cinder\" {{ bonus = 1 }}\n");
    write_mod(
        "game",
        &[("mod.toml", GAME_MANIFEST), ("kinds/spell.luau", SPELL_KIND), ("main.luau", &cinder)],
    );
    let gulls = manifest_needing("gulls", &["game"]);
    let gulls_script = "patch.spell \"game:cinder\" { bonus = 3 }\n";
    write_mod("gulls", &[("mod.toml", &gulls), ("m.luau", gulls_script)]);
    write_mod(
        "tide",
        &[
            ("mod.toml", manifest_of_tide),
            ("m.luau", "patch.spell \"game:cinder\" { bonus = 5 }\n"),
        ],
    );
    let moon = manifest_needing("moon", &["game", "tide"]);
    write_mod("moon", &[("mod.toml", &moon), ("m.luau", "")]);
}

fn start_program(folder: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let (mods, data) = (folder.join("mods"), folder.join("data"));
    let (mods, data) = (mods.to_string_lossy(), data.to_string_lossy());
    let fixed_arguments = ["--plain", "--mods", &mods, "--data", &data, "--game", "game"];
    let arguments: Vec<&str> =
        fixed_arguments.into_iter().chain(arguments.iter().copied()).collect();
    let output = run_with_input(program_command(&arguments), input);
    (output.status.code(), utf8_text(&output.stdout) + &utf8_text(&output.stderr))
}

fn enable_mods(folder: &Path, ids: [&str; 2]) {
    let (mods, data) = (folder.join("mods"), folder.join("data"));
    for id in ids {
        let (mods, data) = (mods.to_string_lossy(), data.to_string_lossy());
        let output = run_with_input(
            program_command(&["mods", "on", id, "--mods", &mods, "--data", &data]),
            "",
        );
        assert!(
            output.status.success(),
            "{}{}",
            utf8_text(&output.stdout),
            utf8_text(&output.stderr)
        );
    }
}

#[test]
fn a_start_offers_to_disable_one_of_two_conflicting_mods() {
    let folder = tempfile::tempdir().unwrap();
    write_conflicting_mods(&folder.path().join("mods"), &manifest_needing("tide", &["game"]));
    enable_mods(folder.path(), ["gulls", "moon"]);
    let (status, output) = start_program(folder.path(), &[], "off:tide\nquit\n");
    assert_eq!(status, Some(0), "{output}");
    for line in [
        "[conflict]",
        "Play without gulls",
        "Play without tide",
        "also switches off what needs it: moon",
    ] {
        assert!(output.contains(line), "no {line:?} in {output}");
    }
    assert!(output.contains("New game"), "{output}");
    // It stays disabled until it is enabled again.
    let (status, output) = start_program(folder.path(), &[], "quit\n");
    assert!(status == Some(0) && !output.contains("[conflict]"), "{output}");
    // Disabling a mod that was enabled for one start only does not change the profile.
    let (status, output) = start_program(folder.path(), &["--with", "tide"], "off:tide\nquit\n");
    assert!(status == Some(0) && output.contains("New game"), "{output}");
    let (status, _) = start_program(folder.path(), &["--with", "tide"], "quit\n");
    assert_eq!(status, Some(1), "a player who quits cannot play");
}

#[test]
fn a_start_offers_to_disable_one_of_two_declared_conflicts() {
    let folder = tempfile::tempdir().unwrap();
    write_conflicting_mods(&folder.path().join("mods"), &manifest_needing("tide", &["game"]));
    enable_mods(folder.path(), ["gulls", "tide"]);
    let tide = format!("{}clashes = [\"gulls\"]\n", manifest_needing("tide", &["game"]));
    fs::write(folder.path().join("mods/tide/mod.toml"), tide).unwrap();
    let (status, output) = start_program(folder.path(), &[], "off:gulls\nquit\n");
    assert_eq!(status, Some(0), "{output}");
    assert!(output.contains("[mods-conflict]") && output.contains("Play without tide"), "{output}");
    assert!(!output.contains("moon"), "a mod that is off has no part in it: {output}");
    assert!(output.contains("New game"), "{output}");
}
