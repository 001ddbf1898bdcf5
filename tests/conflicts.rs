//! Two mods change the same thing. A third mod settles the conflict, or one of the two is disabled.

use std::fs;
use std::path::Path;

use engine::base::{Problem, Value};
use engine::mods::{ModSource, load_order};
use engine::script::Vm;

use crate::cli::{program, run, text};
use crate::support::{GAME, MINIMAL_GAME, manifest_needing, mod_from_text, problems_text};

const SPELL: &str = "kind \"spell\" { bonus = field.int, cost = field.int { default = 1 } }\n";

fn conflicting_mods() -> Vec<ModSource> {
    let cinder = format!("{MINIMAL_GAME}spell \"cinder\" {{ bonus = 1 }}\n");
    let sets = |id: &str, bonus: u32| {
        let text = format!("patch.spell \"game:cinder\" {{ bonus = {bonus} }}\n");
        mod_from_text(&manifest_needing(id, &["game"]), &[("m.luau", &text)])
    };
    let game = mod_from_text(GAME, &[("kinds/spell.luau", SPELL), ("main.luau", &cinder)]);
    vec![game, sets("gulls", 3), sets("tide", 5)]
}

fn loaded(third: &[(&str, &[&str], &str)]) -> Result<Vm, Vec<Problem>> {
    let mut all = conflicting_mods();
    all.extend(
        third.iter().map(|(id, needs, text)| {
            mod_from_text(&manifest_needing(id, needs), &[("m.luau", text)])
        }),
    );
    Vm::load(&load_order(all).unwrap(), &Value::map())
}

fn load_errors_or_warnings(loaded: Result<Vm, Vec<Problem>>) -> String {
    match loaded {
        Ok(vm) => problems_text(vm.warnings()),
        Err(problems) => problems_text(&problems),
    }
}

const SETTLE_CONFLICT: &str = "settle_conflict.spell \"game:cinder\" { bonus = 4 }\n";

#[test]
fn a_mod_loaded_after_both_settles_a_conflict() {
    assert!(load_errors_or_warnings(loaded(&[])).contains("error[conflict]"));
    let both: &[&str] = &["game", "gulls", "tide"];
    let vm = loaded(&[("whole", both, SETTLE_CONFLICT)])
        .unwrap_or_else(|all| panic!("{}", problems_text(&all)));
    assert_eq!(problems_text(vm.warnings()), "");
    let cinder = vm.registry().get("spell", "game:cinder").unwrap();
    assert_eq!(format!("{:?}", cinder.get("bonus").unwrap()), "Int(4)");
    let words = |one: &engine::content::ChangeOrigin| {
        format!("{} by {}", one.action.display_name(), one.owner)
    };
    let origins = vm.registry().provenance("spell", "game:cinder", "bonus").unwrap();
    assert_eq!(
        origins.iter().map(words).collect::<Vec<_>>(),
        ["declared by game", "set by gulls", "set by tide", "resolved by whole"]
    );
    // A replacement settles the conflict too; a patch does not.
    let anew = "replace.spell \"game:cinder\" { bonus = 9 }\n";
    assert!(loaded(&[("whole", both, anew)]).is_ok());
    let patched = SETTLE_CONFLICT.replace("settle_conflict", "patch");
    assert!(
        load_errors_or_warnings(loaded(&[("whole", both, &patched)])).contains("error[conflict]")
    );
}

#[test]
fn settling_a_foreign_or_missing_conflict_is_reported() {
    let gulls_only =
        load_errors_or_warnings(loaded(&[("whole", &["game", "gulls"], SETTLE_CONFLICT)]));
    let other_field = SETTLE_CONFLICT.replace("bonus", "cost");
    let other_field =
        load_errors_or_warnings(loaded(&[("whole", &["game", "gulls", "tide"], &other_field)]));
    let mut alone = conflicting_mods();
    alone.pop();
    alone.push(mod_from_text(
        &manifest_needing("whole", &["game", "gulls"]),
        &[("m.luau", SETTLE_CONFLICT)],
    ));
    let no_clash = load_errors_or_warnings(Vm::load(&load_order(alone).unwrap(), &Value::map()));
    let open = load_errors_or_warnings(loaded(&[(
        "whole",
        &["game", "gulls", "tide"],
        "settle_conflict.spell 'game:cinder'",
    )]));
    insta::assert_snapshot!([gulls_only, other_field, no_clash, open].join("\n---\n"));
}

pub fn folders(at: &Path, manifest_of_tide: &str) {
    let put = |id: &str, files: &[(&str, &str)]| {
        for (path, text) in files {
            let path = at.join(id).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    };
    let cinder = format!("{MINIMAL_GAME}spell \"cinder\" {{ bonus = 1 }}\n");
    put("game", &[("mod.toml", GAME), ("kinds/spell.luau", SPELL), ("main.luau", &cinder)]);
    let gulls = manifest_needing("gulls", &["game"]);
    let three = "patch.spell \"game:cinder\" { bonus = 3 }\n";
    put("gulls", &[("mod.toml", &gulls), ("m.luau", three)]);
    put(
        "tide",
        &[
            ("mod.toml", manifest_of_tide),
            ("m.luau", "patch.spell \"game:cinder\" { bonus = 5 }\n"),
        ],
    );
    let moon = manifest_needing("moon", &["game", "tide"]);
    put("moon", &[("mod.toml", &moon), ("m.luau", "")]);
}

fn started(folder: &Path, arguments: &[&str], typed: &str) -> (Option<i32>, String) {
    let (mods, data) = (folder.join("mods"), folder.join("data"));
    let (mods, data) = (mods.to_string_lossy(), data.to_string_lossy());
    let fixed = ["--plain", "--mods", &mods, "--data", &data, "--game", "game"];
    let arguments: Vec<&str> = fixed.into_iter().chain(arguments.iter().copied()).collect();
    let output = run(program(&arguments), typed);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

fn switched_on(folder: &Path) {
    let (mods, data) = (folder.join("mods"), folder.join("data"));
    for id in ["gulls", "moon"] {
        let (mods, data) = (mods.to_string_lossy(), data.to_string_lossy());
        let output = run(program(&["mods", "on", id, "--mods", &mods, "--data", &data]), "");
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    }
}

#[test]
fn a_start_offers_to_disable_one_of_two_conflicting_mods() {
    let folder = tempfile::tempdir().unwrap();
    folders(&folder.path().join("mods"), &manifest_needing("tide", &["game"]));
    switched_on(folder.path());
    let (status, told) = started(folder.path(), &[], "off:tide\nquit\n");
    assert_eq!(status, Some(0), "{told}");
    for line in [
        "[conflict]",
        "Play without gulls",
        "Play without tide",
        "also switches off what needs it: moon",
    ] {
        assert!(told.contains(line), "no {line:?} in {told}");
    }
    assert!(told.contains("Start a new run"), "{told}");
    // It stays disabled until it is enabled again.
    let (status, told) = started(folder.path(), &[], "quit\n");
    assert!(status == Some(0) && !told.contains("[conflict]"), "{told}");
    // Of mods that were named for one start only, the profile is left as it is.
    let (status, told) = started(folder.path(), &["--with", "tide"], "off:tide\nquit\n");
    assert!(status == Some(0) && told.contains("Start a new run"), "{told}");
    let (status, _) = started(folder.path(), &["--with", "tide"], "quit\n");
    assert_eq!(status, Some(1), "a player who quits cannot play");
}

#[test]
fn a_start_offers_the_same_for_declared_conflicts() {
    let folder = tempfile::tempdir().unwrap();
    folders(&folder.path().join("mods"), &manifest_needing("tide", &["game"]));
    switched_on(folder.path());
    let tide = format!("{}clashes = [\"gulls\"]\n", manifest_needing("tide", &["game"]));
    fs::write(folder.path().join("mods/tide/mod.toml"), tide).unwrap();
    let (status, told) = started(folder.path(), &[], "off:gulls\nquit\n");
    assert_eq!(status, Some(0), "{told}");
    assert!(told.contains("[mods-conflict]") && told.contains("Play without tide"), "{told}");
    assert!(told.contains("Start a new run"), "{told}");
}
