//! `mods`: which mods exist, which are enabled for whom, and their settings; a start then uses
//! them.

use std::collections::BTreeMap;

use engine::author::{
    CommandContext, CommandOutcome, SetRequest, change_setting, list_mods, switch_mods_off,
    switch_mods_on,
};
use engine::base::{Problem, Value};
use engine::protocol::view::Widget;
use engine::session::{
    Content, RunRequest, Session, StartError, StartRequest, complete_options, option_specs,
    prepare_start, resume, start_run,
};

use crate::author_check::AuthorWorkspace;
use crate::support::{manifest_needing, problems_text};

const SETTINGS: &str = r#"
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
    let desk = AuthorWorkspace::new();
    let other_game =
        "id = \"pond\"\nname = \"The Pond\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
    desk.write("pond", other_game, &[]);
    desk.write(
        "ebb",
        &format!("{}{SETTINGS}", manifest_needing("ebb", &["harbour"])),
        &[(
            "set.luau",
            "before(\"leave\", function(leave)\n  leave.fare += settings.heat * 100\nend)\n",
        )],
    );
    desk.write("flood", &manifest_needing("flood", &["ebb"]), &[]);
    desk.write(
        "slack",
        &format!("{}clashes = [\"ebb\"]\n", manifest_needing("slack", &["harbour"])),
        &[],
    );
    desk.write("carp", &manifest_needing("carp", &["pond"]), &[]);
    desk.write("anywhere", &manifest_needing("anywhere", &[]), &[]);
    desk.write("lost", &manifest_needing("lost", &["harbour", "elsewhere"]), &[]);
    desk
}

fn words(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// The output of a command line.
fn command_output(desk: &AuthorWorkspace, bench: &CommandContext, line: &str) -> String {
    let parts: Vec<&str> = line.split(' ').collect();
    let mut out = Vec::new();
    let word = |index: usize| parts.get(index).map(|word| (*word).to_owned());
    let settings = |back| {
        let id = word(1).unwrap_or_default();
        SetRequest { id, name: word(2), value: word(3), resets_to_default: back, json: false }
    };
    let outcome = match parts[0] {
        "on" => switch_mods_on(bench, &words(&parts[1..]), false, &mut out),
        "off" => switch_mods_off(bench, &words(&parts[1..]), false, &mut out),
        "set" => change_setting(bench, &settings(false), &mut out),
        "unset" => change_setting(bench, &settings(true), &mut out),
        _ => list_mods(bench, false, &mut out),
    };
    let told = String::from_utf8(out).unwrap();
    format!("mods {line}\n{}({:?})\n\n", mask_folders(desk, &told), outcome.unwrap())
}

/// The output with the folders of the test masked.
fn mask_folders(desk: &AuthorWorkspace, told: &str) -> String {
    let told = told.replace(&desk.folder.path().display().to_string(), "DIR");
    told.replace(env!("CARGO_MANIFEST_DIR"), "ROOT")
}

#[test]
fn mods_are_switched_on_with_what_they_need_and_off_unless_they_are_needed() {
    let desk = settings_workspace();
    let bench = CommandContext { game: None, ..desk.bench() };
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
    let all: String = lines.iter().map(|line| command_output(&desk, &bench, line)).collect();
    insta::assert_snapshot!("mods_switching", all);
}

#[test]
fn a_mod_for_any_game_is_switched_on_for_the_game_that_is_asked_for() {
    let desk = settings_workspace();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    let mut all = command_output(&desk, &bench, "on anywhere");
    all += &command_output(&desk, &bench, "on carp");
    bench.game = Some("pond".to_owned());
    all += &command_output(&desk, &bench, "on anywhere");
    all += &command_output(&desk, &bench, "list");
    bench.game = None;
    all += &command_output(&desk, &bench, "off anywhere");
    insta::assert_snapshot!("mods_of_games", all);
}

#[test]
fn settings_are_taken_if_they_fit() {
    let desk = settings_workspace();
    let bench = desk.bench();
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
    let all: String = lines.iter().map(|line| command_output(&desk, &bench, line)).collect();
    insta::assert_snapshot!("mods_settings", all);
}

#[test]
fn libraries_of_a_game_belong_to_it() {
    let desk = AuthorWorkspace::new();
    let game =
        "id = \"pond\"\nname = \"The Pond\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
    let start = "scene \"bank\" { prompt = function() return { text = tostring(depth()), choices = \
                 { { id = \"go\", label = \"Go\" } } } end, on = { go = function() finish { outcome = \"gone\" } end } }\n\
                 start(function() go \"bank\" end)\n";
    desk.write("pond", &format!("{game}needs = {{ water = \"0.1\" }}\n"), &[("play.luau", start)]);
    let water = manifest_needing("water", &[]);
    desk.write("water", &water, &[("w.luau", "export(\"depth\", function() return 3 end)\n")]);
    desk.write("carp", &manifest_needing("carp", &["pond", "water"]), &[]);
    let bench = CommandContext { game: Some("pond".to_owned()), ..desk.bench() };
    let (content, warnings) = startup(&bench).unwrap();
    assert_eq!(
        (content.mods.ids(), problems_text(&warnings)),
        (words(&["water", "pond"]), String::new())
    );
    assert!(content.load().is_ok());
    let lines = ["list", "on water", "off water", "on carp", "list", "off carp"];
    let mut all: String = lines.iter().map(|line| command_output(&desk, &bench, line)).collect();
    std::fs::remove_dir_all(desk.folder.path().join("water")).unwrap();
    all += &match startup(&bench) {
        Err(StartError::ModProblems(problems)) => problems_text(&problems),
        _ => panic!("without its library no game is played"),
    };
    insta::assert_snapshot!("mods_libraries_listed", mask_folders(&desk, &all));
}

fn startup(bench: &CommandContext) -> Result<(Content, Vec<Problem>), StartError> {
    let profile = bench.data_dir.find_profile(&bench.profile_name).unwrap();
    let wanted = StartRequest {
        places: &bench.search_paths,
        game: bench.game.as_deref(),
        extra_mods: &bench.extra_mods,
    };
    prepare_start(wanted, &profile).map(|startup| (startup.content, startup.warnings))
}

#[test]
fn what_is_set_is_read_by_scripts_and_kept_by_the_run_to_its_end() {
    let desk = settings_workspace();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    for line in ["on ebb", "set ebb heat 2", "set harbour fog 3"] {
        command_output(&desk, &bench, line);
    }
    let (content, _) = startup(&bench).unwrap();
    assert_eq!(content.mods.ids(), ["harbour", "ebb"]);
    let (mut held, _) = bench.data_dir.lock_profile("Player").unwrap();
    let specs = option_specs(content.load().unwrap().registry());
    let options = complete_options(&specs, &BTreeMap::new()).unwrap();
    let wish = RunRequest { content, options, seed: Some(1), practice: false };
    let mut run = start_run(&mut held, wish, &mut || 7).unwrap();
    let purse = |session: &Session| match &session.view().widgets[0].widget {
        Widget::Stat { value, .. } => *value,
        other => panic!("{other:?}"),
    };
    // The Gull is 8 paces: 16 for her, 3 for the fog, and 200 for the heat.
    let go = engine::protocol::Input::Choice("harbour:gull".to_owned());
    run.session.answer(&go).unwrap();
    let line = bench.data_dir.list_runs().unwrap().remove(0);
    let (run_id, header) = (line.run_id, line.header.unwrap());
    assert_eq!(header.settings.get("ebb").and_then(|ebb| ebb.get("heat")), Some(&Value::Int(2)));
    assert_eq!(purse(&run.session), 219);
    drop((run, held));

    // A new value is for the next run, even if the mod changes during this one.
    command_output(&desk, &bench, "set ebb heat 3");
    let script = "before(\"leave\", function(leave)\n  leave.fare += settings.heat * 1000\nend)\n";
    std::fs::write(desk.folder.path().join("ebb/set.luau"), script).unwrap();
    let (now, _) = startup(&bench).unwrap();
    assert_eq!(now.settings.get("ebb").and_then(|ebb| ebb.get("heat")), Some(&Value::Int(3)));
    let mut again = resume(&bench.data_dir, &run_id, Some(&now)).unwrap();
    again.session.answer(&go).unwrap();
    assert_eq!(purse(&again.session), 219 + 2019);
}

#[test]
fn a_setting_that_no_longer_fits_gives_way_to_the_mods_own() {
    let desk = settings_workspace();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    command_output(&desk, &bench, "on ebb");
    command_output(&desk, &bench, "set ebb heat 3");
    let manifest = format!("{}{SETTINGS}", manifest_needing("ebb", &["harbour"]));
    let narrower = manifest.replace("max = 3", "max = 2");
    desk.write("ebb", &narrower, &[("x.luau", "assert(settings.heat == 1)\n")]);
    let (_, warnings) = startup(&bench).unwrap();
    let told = problems_text(&warnings);
    assert!(told.contains("[unfit-setting]") && told.contains("heat of ebb is 3"), "{told}");
    assert!(command_output(&desk, &bench, "set ebb heat").contains("heat = 1"));
}

#[test]
fn a_mod_that_is_on_and_gone_is_told_and_stops_nobody() {
    let desk = settings_workspace();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    command_output(&desk, &bench, "on flood");
    command_output(&desk, &bench, "on anywhere");
    std::fs::remove_dir_all(desk.folder.path().join("anywhere")).unwrap();
    let (content, warnings) = startup(&bench).unwrap();
    assert_eq!(content.mods.ids(), ["harbour", "ebb", "flood"]);
    std::fs::remove_dir_all(desk.folder.path().join("ebb")).unwrap();
    let stopped = match startup(&bench) {
        Err(StartError::ModProblems(problems)) => problems,
        _ => panic!("a mod that needs one that is gone cannot be played"),
    };
    let list = command_output(&desk, &bench, "list");
    let off = command_output(&desk, &bench, "off anywhere ebb flood");
    let all =
        format!("{}\n---\n{}\n---\n{list}{off}", problems_text(&warnings), problems_text(&stopped));
    insta::assert_snapshot!("mods_gone", mask_folders(&desk, &all));
}

#[test]
fn a_program_may_read_the_list() {
    let desk = settings_workspace();
    let bench = desk.bench();
    command_output(&desk, &bench, "on ebb");
    command_output(&desk, &bench, "set ebb heat 3");
    let mut out = Vec::new();
    assert_eq!(list_mods(&bench, true, &mut out).unwrap(), CommandOutcome::Ok);
    let page: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let ebb = page["mods"].as_array().unwrap().iter().find(|one| one["id"] == "ebb").unwrap();
    assert_eq!(ebb["on"][0], "harbour");
    assert_eq!(ebb["for"][0], "harbour");
    assert_eq!(ebb["settings"]["heat"]["value"], 3);
    assert_eq!(ebb["settings"]["heat"]["default"], 1);
}
