//! `new`: the output of each template loads, passes `check`, and overwrites nothing.

use std::fs;
use std::path::Path;

use author::{CommandContext, CommandOutcome, NewRequest, create_mod};
use mods::{SearchPaths, read_folder, read_templates};
use save::DataDir;
use tempfile::TempDir;

use crate::author_check::run_check;
use crate::support::{TestRun, embedded_base_game, embedded_search_paths, mods_in_folder};

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn command_context(folder: &Path, with_project: bool) -> CommandContext {
    let named_folders = match with_project {
        true => vec![Path::new(PROJECT_ROOT).join("base_game"), folder.to_owned()],
        false => vec![folder.to_owned()],
    };
    CommandContext {
        search_paths: SearchPaths { named_folders, ..embedded_search_paths() },
        game: None,
        extra_mods: Vec::new(),
        data_dir: DataDir::new(folder.join(".data")),
        profile_name: "Player".to_owned(),
        folder_flags: String::new(),
    }
}

fn create_from_template(
    context: &CommandContext,
    folder: &Path,
    name: &str,
    template: &str,
) -> (CommandOutcome, String) {
    let request = NewRequest {
        name: name.to_owned(),
        template: template.to_owned(),
        parent_folder: Some(folder.to_owned()),
        json: false,
    };
    let mut output_bytes = Vec::new();
    let outcome = create_mod(context, &request, &mut output_bytes).unwrap();
    let output =
        String::from_utf8(output_bytes).unwrap().replace(&folder.display().to_string(), "DIR");
    (outcome, output)
}

#[test]
fn the_output_of_each_template_passes_check() {
    // The game in the project's folder, and the embedded one.
    for with_project in [true, false] {
        for template in ["spell", "dungeon", "rule_change", "game"] {
            let folder = TempDir::new().unwrap();
            let context = command_context(folder.path(), with_project);
            let (outcome, output) =
                create_from_template(&context, folder.path(), "salt_clerk", template);
            assert_eq!(outcome, CommandOutcome::Ok, "{output}");
            let game = if template == "game" { "salt_clerk" } else { "sub_rosa" };
            let types = format!(".editor/{game}.d.luau");
            assert!(output.starts_with("created DIR/salt_clerk\n  .editor/"), "{output}");
            for file in [&*types, ".luaurc", ".vscode/settings.json"] {
                assert!(output.contains(&format!("\n  {file}\n")), "{file}: {output}");
            }
            let mod_folder = folder.path().join("salt_clerk");
            let source = read_folder(&mod_folder).unwrap();
            assert_eq!((source.id(), source.manifest.name.as_str()), ("salt_clerk", "Salt clerk"));
            assert!(fs::read_to_string(mod_folder.join(".luaurc")).unwrap().contains("strict"));
            let settings = fs::read_to_string(mod_folder.join(".vscode/settings.json")).unwrap();
            assert!(settings.contains(&types), "{settings}");
            let types = fs::read_to_string(mod_folder.join(types)).unwrap();
            let kind =
                if template == "game" { "declare coin: Kind<" } else { "declare spell: Kind<" };
            assert!(types.contains(kind) && types.contains("declare function say("), "{template}");
            assert_eq!(
                run_check(&context, &["salt_clerk"], false).1,
                "checked salt_clerk 0.1.0: no problems\n",
                "{template}"
            );
        }
    }
}

/// Runs the cases of a mod as its author does, with the real program.
fn test_output(folder: &Path, id: &str) -> (Option<i32>, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command.args(["test", id, "--mods"]).arg(folder).current_dir(std::env::temp_dir());
    let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_output_of_each_template_passes_its_own_tests() {
    for template in ["spell", "dungeon", "rule_change", "game"] {
        let folder = TempDir::new().unwrap();
        let (outcome, output) = create_from_template(
            &command_context(folder.path(), false),
            folder.path(),
            "first_try",
            template,
        );
        assert_eq!(outcome, CommandOutcome::Ok, "{output}");
        let (status, output) = test_output(folder.path(), "first_try");
        assert_eq!(status, Some(0), "{template}: {output}");
        assert!(output.contains(" passed") && output.contains("ok     first_try"), "{output}");
    }
}

#[test]
fn templates_of_sovereign_pass_check_and_tests() {
    let game = Path::new(PROJECT_ROOT).join("mods/sovereign");
    let templates = read_templates(&read_folder(&game).unwrap()).unwrap();
    let names: Vec<&str> = templates.keys().map(String::as_str).collect();
    assert_eq!(names, ["door", "magic_item", "rule_change"]);
    for template in names {
        let folder = TempDir::new().unwrap();
        let mut context = command_context(folder.path(), false);
        context.search_paths.named_folders.push(game.clone());
        context.game = Some("sovereign".to_owned());
        let (outcome, output_text) =
            create_from_template(&context, folder.path(), "salt_clerk", template);
        assert_eq!(outcome, CommandOutcome::Ok, "{output_text}");
        assert!(
            output_text.ends_with("--game sovereign --with salt_clerk --dev\n"),
            "{output_text}"
        );
        let expected_output = "checked salt_clerk 0.1.0: no problems\n";
        assert_eq!(run_check(&context, &["salt_clerk"], false).1, expected_output, "{template}");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
        command.args(["test", "salt_clerk", "--mods"]).arg(folder.path()).arg("--mods").arg(&game);
        let output = command.env("XDG_DATA_HOME", "/no/such/folder").output().unwrap();
        let output_text = String::from_utf8(output.stdout).unwrap();
        assert!(output_text.contains("1 passed"), "{template}: {output_text}");
    }
}

#[test]
fn the_game_template_can_be_played_to_its_end() {
    let temp_folder = TempDir::new().unwrap();
    let (outcome, output) = create_from_template(
        &command_context(temp_folder.path(), false),
        temp_folder.path(),
        "cups",
        "game",
    );
    assert_eq!(outcome, CommandOutcome::Ok, "{output}");
    let mut run = TestRun::start(&mods_in_folder(&temp_folder.path().join("cups")), 7).unwrap();
    for choice in ["left", "right", "left"] {
        run.choose(choice).unwrap();
    }
    assert!(run.world.run_outcome().is_some());
}

#[test]
fn an_existing_folder_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/notes.txt"), "keep").unwrap();
    let (outcome, output) =
        create_from_template(&command_context(folder.path(), true), folder.path(), "mine", "spell");
    assert_eq!(outcome, CommandOutcome::UsageError);
    assert!(output.contains("error[folder-exists]: DIR/mine already exists"), "{output}");
    assert_eq!(fs::read_dir(folder.path().join("mine")).unwrap().count(), 1);
}

#[test]
fn invalid_names_and_templates_are_refused() {
    let folder = TempDir::new().unwrap();
    let context = command_context(folder.path(), true);
    for (name, template, code) in [
        ("Salt Clerk", "spell", "bad-id"),
        ("../salt", "spell", "bad-id"),
        ("host", "spell", "bad-id"),
        ("sub_rosa", "spell", "id-taken"),
        ("salt", "spells", "no-template"),
        ("salt", "../spell", "no-template"),
    ] {
        let (outcome, output) = create_from_template(&context, folder.path(), name, template);
        assert_eq!(outcome, CommandOutcome::UsageError, "{name}");
        assert!(output.contains(&format!("error[{code}]")), "{output}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    }
}

#[test]
fn embedded_templates_equal_those_on_disk_and_are_no_scripts() {
    let on_disk = read_folder(&Path::new(PROJECT_ROOT).join("base_game")).unwrap();
    let embedded = embedded_base_game();
    assert_eq!(on_disk.digest, embedded.digest);
    assert!(!embedded.files.keys().any(|path| path.contains("templates")));
    assert_eq!(read_templates(&on_disk).unwrap(), read_templates(&embedded).unwrap());
    assert_eq!(read_templates(&on_disk).unwrap().len(), 3);
}
