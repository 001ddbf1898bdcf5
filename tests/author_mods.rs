//! `mods`: which mods exist, which are enabled for whom, and their settings; a start then uses
//! them.

use std::collections::BTreeMap;

use author::{
    CommandContext, CommandOutcome, SetRequest, change_setting, list_mods, switch_mods_off,
    switch_mods_on,
};
use base::{Problem, Value};
use protocol::view::Widget;
use session::{
    RunContent, RunRequest, Session, StartError, StartRequest, complete_options, option_specs,
    prepare_start, resume_run, start_run,
};

use crate::author_check::AuthorWorkspace;
use crate::support::{manifest_needing, problem_texts};

const SETTINGS_MANIFEST: &str = r#"
description = "Words that burn."
[settings.heat]
type = "integer"
default = 1
min = 0
max = 3
doc = "how warm"
[settings.motto]
type = "text"
default = "onward"
[settings.loud]
type = "boolean"
default = false
[settings.tone]
type = "one_of"
values = ["dry", "wry"]
default = "wry"
"#;

fn settings_workspace() -> AuthorWorkspace {
    let workspace = AuthorWorkspace::new();
    let other_game =
        "id = \"pond\"\nname = \"The Pond\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
    workspace.write_mod("pond", other_game, &[]);
    workspace.write_mod(
        "ebb",
        &format!("{}{SETTINGS_MANIFEST}", manifest_needing("ebb", &["harbour"])),
        &[(
            "set.luau",
            "before(\"leave\", function(leave)\n  leave.fare += settings.heat * 100\nend)\n",
        )],
    );
    workspace.write_mod("flood", &manifest_needing("flood", &["ebb"]), &[]);
    workspace.write_mod(
        "slack",
        &format!("{}clashes = [\"ebb\"]\n", manifest_needing("slack", &["harbour"])),
        &[],
    );
    workspace.write_mod("carp", &manifest_needing("carp", &["pond"]), &[]);
    workspace.write_mod("anywhere", &manifest_needing("anywhere", &[]), &[]);
    workspace.write_mod("lost", &manifest_needing("lost", &["harbour", "elsewhere"]), &[]);
    workspace
}

fn owned_strings(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// The output of a command line.
fn command_output(workspace: &AuthorWorkspace, context: &CommandContext, line: &str) -> String {
    let parts: Vec<&str> = line.split(' ').collect();
    let mut output_bytes = Vec::new();
    let word_at = |index: usize| parts.get(index).map(|word| (*word).to_owned());
    let settings = |resets_to_default| {
        let id = word_at(1).unwrap_or_default();
        SetRequest { id, name: word_at(2), value: word_at(3), resets_to_default, json: false }
    };
    let outcome = match parts[0] {
        "on" => switch_mods_on(context, &owned_strings(&parts[1..]), false, &mut output_bytes),
        "off" => switch_mods_off(context, &owned_strings(&parts[1..]), false, &mut output_bytes),
        "set" => change_setting(context, &settings(false), &mut output_bytes),
        "unset" => change_setting(context, &settings(true), &mut output_bytes),
        _ => list_mods(context, false, &mut output_bytes),
    };
    let output = String::from_utf8(output_bytes).unwrap();
    format!("mods {line}\n{}({:?})\n\n", mask_folders(workspace, &output), outcome.unwrap())
}

/// The output with the folders of the test masked.
fn mask_folders(workspace: &AuthorWorkspace, output: &str) -> String {
    let output = output.replace(&workspace.folder.path().display().to_string(), "DIR");
    output.replace(env!("CARGO_MANIFEST_DIR"), "ROOT")
}

#[test]
fn mods_are_enabled_with_dependencies_and_disabled_if_unneeded() {
    let workspace = settings_workspace();
    let context = CommandContext { game: None, ..workspace.command_context() };
    let lines = [
        "list",
        "on flood",
        "on flood",
        "list",
        "on slack",
        "off ebb",
        "off ebb flood",
        "off ebb",
        "on carp",
        "on lost",
        "on harbour",
        "on flod",
        "off flod",
    ];
    let all_output: String =
        lines.iter().map(|line| command_output(&workspace, &context, line)).collect();
    insta::assert_snapshot!("mods_switching", all_output);
}

#[test]
fn a_mod_for_any_game_is_enabled_for_the_requested_game() {
    let workspace = settings_workspace();
    let mut context = workspace.command_context();
    context.game = Some("harbour".to_owned());
    let mut all_output = command_output(&workspace, &context, "on anywhere");
    all_output += &command_output(&workspace, &context, "on carp");
    context.game = Some("pond".to_owned());
    all_output += &command_output(&workspace, &context, "on anywhere");
    all_output += &command_output(&workspace, &context, "list");
    context.game = None;
    all_output += &command_output(&workspace, &context, "off anywhere");
    insta::assert_snapshot!("mods_of_games", all_output);
}

#[test]
fn only_valid_settings_are_accepted() {
    let workspace = settings_workspace();
    let context = workspace.command_context();
    let lines = [
        "set ebb",
        "set ebb heat 3",
        "set ebb heat",
        "set ebb heat 4",
        "set ebb heat warm",
        "set ebb loud yes",
        "set ebb loud true",
        "set ebb tone arch",
        "set ebb motto \u{1b}[2J",
        "set ebb motto -1",
        "set ebb heet 1",
        "set flood heat 1",
        "set flood",
        "set harbour fog 2",
        "list",
        "unset ebb heat",
        "unset ebb heat",
        "set ebb",
    ];
    let all_output: String =
        lines.iter().map(|line| command_output(&workspace, &context, line)).collect();
    insta::assert_snapshot!("mods_settings", all_output);
}

#[test]
fn libraries_of_a_game_are_listed_and_loaded_with_it() {
    let workspace = AuthorWorkspace::new();
    let game =
        "id = \"pond\"\nname = \"The Pond\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
    let start = "scene \"bank\" { prompt = function() return { text = tostring(depth()), choices = \
                 { { id = \"go\", label = \"Go\" } } } end, on = { go = function() finish { outcome = \"gone\" } end } }\n\
                 start(function() go \"bank\" end)\n";
    workspace.write_mod(
        "pond",
        &format!("{game}needs = {{ water = \"0.1\" }}\n"),
        &[("play.luau", start)],
    );
    let water = manifest_needing("water", &[]);
    workspace.write_mod(
        "water",
        &water,
        &[("w.luau", "export(\"depth\", function() return 3 end)\n")],
    );
    workspace.write_mod("carp", &manifest_needing("carp", &["pond", "water"]), &[]);
    let context = CommandContext { game: Some("pond".to_owned()), ..workspace.command_context() };
    let (content, warnings) = prepare_startup(&context).unwrap();
    assert_eq!(
        (content.mods.ids(), problem_texts(&warnings)),
        (owned_strings(&["water", "pond"]), String::new())
    );
    assert!(content.load_vm().is_ok());
    let lines = ["list", "on water", "off water", "on carp", "list", "off carp"];
    let mut all_output: String =
        lines.iter().map(|line| command_output(&workspace, &context, line)).collect();
    std::fs::remove_dir_all(workspace.folder.path().join("water")).unwrap();
    all_output += &match prepare_startup(&context) {
        Err(StartError::ModProblems(problems)) => problem_texts(&problems),
        _ => panic!("without its library no game is played"),
    };
    insta::assert_snapshot!("mods_libraries_listed", mask_folders(&workspace, &all_output));
}

fn prepare_startup(context: &CommandContext) -> Result<(RunContent, Vec<Problem>), StartError> {
    let profile = context.data_dir.read_profile_by_name(&context.profile_name).unwrap();
    let request = StartRequest {
        search_paths: &context.search_paths,
        game: context.game.as_deref(),
        extra_mods: &context.extra_mods,
        language: None,
        command_flags: "",
    };
    prepare_start(request, &profile).map(|startup| (startup.content, startup.warnings))
}

#[test]
fn settings_are_read_by_scripts_and_fixed_for_the_run() {
    let workspace = settings_workspace();
    let mut context = workspace.command_context();
    context.game = Some("harbour".to_owned());
    for line in ["on ebb", "set ebb heat 2", "set harbour fog 3"] {
        command_output(&workspace, &context, line);
    }
    let (content, _) = prepare_startup(&context).unwrap();
    assert_eq!(content.mods.ids(), ["harbour", "ebb"]);
    let (mut locked_profile, _) = context.data_dir.lock_profile("Player").unwrap();
    let specs = option_specs(content.load_vm().unwrap().registry());
    let options = complete_options(&specs, &BTreeMap::new()).unwrap();
    let run_request = RunRequest { content, options, seed: Some(1), is_practice: false };
    let mut run = start_run(&mut locked_profile, run_request, &mut || 7).unwrap();
    let stat_value = |session: &Session| match &session.view().widgets[0].widget {
        Widget::Stat { value, .. } => *value,
        other => panic!("{other:?}"),
    };
    // The Gull is 8 paces: 16 for her, 3 for the fog, and 200 for the heat.
    let input = protocol::Input::Choice("harbour:gull".to_owned());
    run.session.answer_prompt(&input).unwrap();
    let run_id = context.data_dir.list_runs().unwrap().remove(0).run_id;
    let header = context.data_dir.open_run(&run_id, save::ReadExtent::All).unwrap().header;
    assert_eq!(header.settings.get("ebb").and_then(|ebb| ebb.get("heat")), Some(&Value::Int(2)));
    assert_eq!(stat_value(&run.session), 219);
    drop((run, locked_profile));

    // A new value is for the next run, even if the mod changes during this one.
    command_output(&workspace, &context, "set ebb heat 3");
    let script = "before(\"leave\", function(leave)\n  leave.fare += settings.heat * 1000\nend)\n";
    std::fs::write(workspace.folder.path().join("ebb/set.luau"), script).unwrap();
    let (current_content, _) = prepare_startup(&context).unwrap();
    assert_eq!(
        current_content.settings.get("ebb").and_then(|ebb| ebb.get("heat")),
        Some(&Value::Int(3))
    );
    let mut resumed = resume_run(&context.data_dir, &run_id, Some(&current_content)).unwrap();
    resumed.session.answer_prompt(&input).unwrap();
    assert_eq!(stat_value(&resumed.session), 219 + 2019);
}

#[test]
fn an_invalid_stored_setting_falls_back_to_the_default() {
    let workspace = settings_workspace();
    let mut context = workspace.command_context();
    context.game = Some("harbour".to_owned());
    command_output(&workspace, &context, "on ebb");
    command_output(&workspace, &context, "set ebb heat 3");
    let manifest = format!("{}{SETTINGS_MANIFEST}", manifest_needing("ebb", &["harbour"]));
    let narrower_manifest = manifest.replace("max = 3", "max = 2");
    workspace.write_mod("ebb", &narrower_manifest, &[("x.luau", "assert(settings.heat == 1)\n")]);
    let (_, warnings) = prepare_startup(&context).unwrap();
    let output = problem_texts(&warnings);
    assert!(output.contains("[unfit-setting]") && output.contains("heat of ebb is 3"), "{output}");
    assert!(command_output(&workspace, &context, "set ebb heat").contains("heat = 1"));
}

#[test]
fn an_enabled_mod_that_is_missing_is_reported() {
    let workspace = settings_workspace();
    let mut context = workspace.command_context();
    context.game = Some("harbour".to_owned());
    command_output(&workspace, &context, "on flood");
    command_output(&workspace, &context, "on anywhere");
    std::fs::remove_dir_all(workspace.folder.path().join("anywhere")).unwrap();
    let (content, warnings) = prepare_startup(&context).unwrap();
    assert_eq!(content.mods.ids(), ["harbour", "ebb", "flood"]);
    std::fs::remove_dir_all(workspace.folder.path().join("ebb")).unwrap();
    let load_problems = match prepare_startup(&context) {
        Err(StartError::ModProblems(problems)) => problems,
        _ => panic!("a mod that needs one that is gone cannot be played"),
    };
    let list_output = command_output(&workspace, &context, "list");
    let off_output = command_output(&workspace, &context, "off anywhere ebb flood");
    let all_output = format!(
        "{}\n---\n{}\n---\n{list_output}{off_output}",
        problem_texts(&warnings),
        problem_texts(&load_problems)
    );
    insta::assert_snapshot!("mods_gone", mask_folders(&workspace, &all_output));
}

#[test]
fn mods_made_for_an_older_engine_are_listed_as_such() {
    let workspace = AuthorWorkspace::new();
    let manifest = |id: &str, engine: &str| {
        format!("id = \"{id}\"\nname = \"Old\"\nversion = \"1.0.0\"\nengine = \"{engine}\"\n")
    };
    let this = mods::engine_version();
    for (id, engine) in [
        ("early", ">=0.0.5, <99".to_owned()),
        ("every", "*".to_owned()),
        ("bounded", "<99".to_owned()),
        ("recent", format!("{}.{}", this.major, this.minor)),
    ] {
        workspace.write_mod(id, &manifest(id, &engine), &[]);
    }
    let mut output = Vec::new();
    list_mods(&workspace.command_context(), false, &mut output).unwrap();
    let text = String::from_utf8(output).unwrap();
    let made_for: Vec<&str> =
        text.lines().filter(|line| line.contains("made for engine")).collect();
    assert_eq!(made_for, ["off  early 1.0.0  Old, for any game, made for engine 0.0"], "{text}");
}

#[test]
fn the_mod_list_is_available_as_json() {
    let workspace = settings_workspace();
    let context = workspace.command_context();
    command_output(&workspace, &context, "on ebb");
    command_output(&workspace, &context, "set ebb heat 3");
    let mut output_bytes = Vec::new();
    assert_eq!(list_mods(&context, true, &mut output_bytes).unwrap(), CommandOutcome::Ok);
    let output_json: serde_json::Value = serde_json::from_slice(&output_bytes).unwrap();
    let ebb =
        output_json["mods"].as_array().unwrap().iter().find(|entry| entry["id"] == "ebb").unwrap();
    assert_eq!(ebb["on"][0], "harbour");
    assert_eq!(ebb["for"][0], "harbour");
    assert_eq!(ebb["settings"]["heat"]["value"], 3);
    assert_eq!(ebb["settings"]["heat"]["default"], 1);
}
