//! `new`: the output of each template loads, passes `check`, and overwrites nothing.

use std::fs;
use std::path::Path;

use engine::author::{
    CheckRequest, CommandContext, CommandOutcome, NewRequest, check, create_mod, refresh_types,
};
use engine::base::Value;
use engine::mods::{SearchPaths, read_folder, read_templates};
use engine::save::DataDir;
use engine::script::Vm;
use tempfile::TempDir;

use crate::support::{TestRun, embedded_base_game, embedded_search_paths, folder};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn bench(place: &Path, project: bool) -> CommandContext {
    let extra = match project {
        true => vec![Path::new(ROOT).join("base_game"), place.to_owned()],
        false => vec![place.to_owned()],
    };
    CommandContext {
        search_paths: SearchPaths { named_folders: extra, ..embedded_search_paths() },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::new(place.join(".data")),
        profile_name: "Player".to_owned(),
    }
}

fn make(
    bench: &CommandContext,
    place: &Path,
    name: &str,
    template: &str,
) -> (CommandOutcome, String) {
    let asked = NewRequest {
        name: name.to_owned(),
        template: template.to_owned(),
        parent_folder: Some(place.to_owned()),
        json: false,
    };
    let mut out = Vec::new();
    let outcome = create_mod(bench, &asked, &mut out).unwrap();
    let told = String::from_utf8(out).unwrap().replace(&place.display().to_string(), "DIR");
    (outcome, told)
}

fn checked(bench: &CommandContext, id: &str) -> String {
    let mut out = Vec::new();
    let asked = CheckRequest { mods: vec![id.to_owned()], json: false };
    check(bench, &asked, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_output_of_each_template_passes_check() {
    // The game in the project's folder, and the embedded one.
    for project in [true, false] {
        for template in ["spell", "dungeon", "rule_change", "game"] {
            let place = TempDir::new().unwrap();
            let bench = bench(place.path(), project);
            let (outcome, told) = make(&bench, place.path(), "salt_clerk", template);
            assert_eq!(outcome, CommandOutcome::Ok, "{told}");
            let game = if template == "game" { "salt_clerk" } else { "sub_rosa" };
            let types = format!(".editor/{game}.d.luau");
            let first =
                format!("created DIR/salt_clerk\n  {types}\n  .luaurc\n  .vscode/settings.json\n");
            assert!(told.starts_with(&first), "{told}");
            let made = place.path().join("salt_clerk");
            let source = read_folder(&made).unwrap();
            assert_eq!((source.id(), source.manifest.name.as_str()), ("salt_clerk", "Salt clerk"));
            assert!(fs::read_to_string(made.join(".luaurc")).unwrap().contains("strict"));
            let settings = fs::read_to_string(made.join(".vscode/settings.json")).unwrap();
            assert!(settings.contains(&types), "{settings}");
            let types = fs::read_to_string(made.join(types)).unwrap();
            let kind =
                if template == "game" { "declare coin: Kind<" } else { "declare spell: Kind<" };
            assert!(types.contains(kind) && types.contains("declare function say("), "{template}");
            assert_eq!(
                checked(&bench, "salt_clerk"),
                "checked salt_clerk 0.1.0: no problems\n",
                "{template}"
            );
        }
    }
}

/// Runs the cases of a mod as its author does, with the real program.
fn test_output(place: &Path, id: &str) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["test", id, "--mods"]).arg(place).current_dir(std::env::temp_dir());
    let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn what_each_template_makes_passes_its_own_tests() {
    for template in ["spell", "dungeon", "rule_change", "game"] {
        let place = TempDir::new().unwrap();
        let (outcome, told) =
            make(&bench(place.path(), false), place.path(), "first_try", template);
        assert_eq!(outcome, CommandOutcome::Ok, "{told}");
        let (status, told) = test_output(place.path(), "first_try");
        assert_eq!(status, Some(0), "{template}: {told}");
        assert!(told.contains(" passed") && told.contains("ok     first_try"), "{told}");
    }
}

#[test]
fn what_the_templates_of_the_other_game_make_is_sound_and_passes() {
    let game = Path::new(ROOT).join("mods/sovereign");
    let offered = read_templates(&read_folder(&game).unwrap()).unwrap();
    let names: Vec<&str> = offered.keys().map(String::as_str).collect();
    assert_eq!(names, ["door", "magic_item", "rule_change"]);
    for template in names {
        let place = TempDir::new().unwrap();
        let mut bench = bench(place.path(), false);
        bench.search_paths.named_folders.push(game.clone());
        bench.game = Some("sovereign".to_owned());
        let (outcome, told) = make(&bench, place.path(), "salt_clerk", template);
        assert_eq!(outcome, CommandOutcome::Ok, "{told}");
        assert!(told.ends_with("--game sovereign --with salt_clerk --dev\n"), "{told}");
        let sound = "checked salt_clerk 0.1.0: no problems\n";
        assert_eq!(checked(&bench, "salt_clerk"), sound, "{template}");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(["test", "salt_clerk", "--mods"]).arg(place.path()).arg("--mods").arg(&game);
        let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(told.contains("1 passed"), "{template}: {told}");
    }
}

#[test]
fn the_game_of_the_template_is_played_to_its_end() {
    let place = TempDir::new().unwrap();
    let (outcome, told) = make(&bench(place.path(), false), place.path(), "cups", "game");
    assert_eq!(outcome, CommandOutcome::Ok, "{told}");
    let mut run = TestRun::of(&folder(&place.path().join("cups")), 7).unwrap();
    for choice in ["left", "right", "left"] {
        run.choose(choice).unwrap();
    }
    assert!(run.world.run_outcome().is_some());
}

#[test]
fn a_folder_that_is_there_is_left_alone() {
    let place = TempDir::new().unwrap();
    fs::create_dir(place.path().join("mine")).unwrap();
    fs::write(place.path().join("mine/notes.txt"), "keep").unwrap();
    let (outcome, told) = make(&bench(place.path(), true), place.path(), "mine", "spell");
    assert_eq!(outcome, CommandOutcome::UsageError);
    assert!(told.contains("error[folder-exists]: DIR/mine already exists"), "{told}");
    assert_eq!(fs::read_dir(place.path().join("mine")).unwrap().count(), 1);
}

/// While a mod is written, the editor's types are updated where they existed, and nowhere else.
#[test]
fn the_types_are_written_anew() {
    let place = TempDir::new().unwrap();
    let bench = bench(place.path(), true);
    make(&bench, place.path(), "salt_clerk", "spell");
    let made = place.path().join("salt_clerk");
    let more =
        "-- Counts.\nexport(\"salt.count\", function(of: number): number\n  return of\nend)\n";
    fs::create_dir_all(made.join("play")).unwrap();
    fs::write(made.join("play/salt.luau"), more).unwrap();
    let game = Path::new(ROOT).join("base_game");
    let mods = [&game, &made].map(|folder| read_folder(folder).unwrap());
    let mods = crate::support::ordered(mods.to_vec()).unwrap();
    let vm = Vm::load(&mods, &Value::map()).unwrap_or_else(|problems| panic!("{}", problems[0]));
    refresh_types(&vm, &mods).unwrap();
    let types = fs::read_to_string(made.join(".editor/sub_rosa.d.luau")).unwrap();
    assert!(types.contains("count: (of: number) -> number"), "it gets the new export");
    assert!(!game.join(".editor").exists());
}

#[test]
fn names_and_templates_that_cannot_be_are_refused() {
    let place = TempDir::new().unwrap();
    let bench = bench(place.path(), true);
    for (name, template, code) in [
        ("Salt Clerk", "spell", "bad-id"),
        ("../salt", "spell", "bad-id"),
        ("host", "spell", "bad-id"),
        ("sub_rosa", "spell", "id-taken"),
        ("salt", "spells", "no-template"),
        ("salt", "../spell", "no-template"),
    ] {
        let (outcome, told) = make(&bench, place.path(), name, template);
        assert_eq!(outcome, CommandOutcome::UsageError, "{name}");
        assert!(told.contains(&format!("error[{code}]")), "{told}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0, "nothing was made");
    }
}

#[test]
fn templates_are_no_scripts_and_are_the_same_inside_the_program() {
    let disk = read_folder(&Path::new(ROOT).join("base_game")).unwrap();
    let inside = embedded_base_game();
    assert_eq!(disk.digest, inside.digest);
    assert!(!inside.files.keys().any(|path| path.contains("templates")));
    assert_eq!(read_templates(&disk).unwrap(), read_templates(&inside).unwrap());
    assert_eq!(read_templates(&disk).unwrap().len(), 3);
}
