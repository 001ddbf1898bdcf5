//! The workshop's `mods`: what there is, what is on for whom, and what is set; and that a start
//! finds it so.

use std::collections::BTreeMap;

use engine::kit::{Problem, Value};
use engine::play::view::Widget;
use engine::run::{
    Content, Session, StartRequest, Unfit, Wish, begin, complete_options, option_specs, resume,
    start_up,
};
use engine::workshop::{Bench, Outcome, Set, list, set, switch_off, switch_on};

use crate::support::{needing, shown};
use crate::workshop_check::Desk;

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

fn desk() -> Desk {
    let desk = Desk::new();
    let other_game =
        "id = \"pond\"\nname = \"The Pond\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
    desk.write("pond", other_game, &[]);
    desk.write(
        "ebb",
        &format!("{}{SETTINGS}", needing("ebb", &["harbour"])),
        &[(
            "set.luau",
            "before(\"leave\", function(leave)\n  leave.fare += settings.heat * 100\nend)\n",
        )],
    );
    desk.write("flood", &needing("flood", &["ebb"]), &[]);
    desk.write("slack", &format!("{}clashes = [\"ebb\"]\n", needing("slack", &["harbour"])), &[]);
    desk.write("carp", &needing("carp", &["pond"]), &[]);
    desk.write("anywhere", &needing("anywhere", &[]), &[]);
    desk.write("lost", &needing("lost", &["harbour", "elsewhere"]), &[]);
    desk
}

fn words(ids: &[&str]) -> Vec<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// What a command tells, as it would be typed.
fn typed(desk: &Desk, bench: &Bench, line: &str) -> String {
    let parts: Vec<&str> = line.split(' ').collect();
    let mut out = Vec::new();
    let word = |index: usize| parts.get(index).map(|word| (*word).to_owned());
    let settings = |back| {
        let id = word(1).unwrap_or_default();
        Set { id, name: word(2), value: word(3), back, json: false }
    };
    let outcome = match parts[0] {
        "on" => switch_on(bench, &words(&parts[1..]), false, &mut out),
        "off" => switch_off(bench, &words(&parts[1..]), false, &mut out),
        "set" => set(bench, &settings(false), &mut out),
        "unset" => set(bench, &settings(true), &mut out),
        _ => list(bench, false, &mut out),
    };
    let told = String::from_utf8(out).unwrap();
    format!("mods {line}\n{}({:?})\n\n", placed(desk, &told), outcome.unwrap())
}

/// What is told, with the folders of the test written alike wherever it runs.
fn placed(desk: &Desk, told: &str) -> String {
    let told = told.replace(&desk.folder.path().display().to_string(), "DIR");
    told.replace(env!("CARGO_MANIFEST_DIR"), "ROOT")
}

#[test]
fn mods_are_switched_on_with_what_they_need_and_off_unless_they_are_needed() {
    let desk = desk();
    let bench = Bench { game: None, ..desk.bench() };
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
    let all: String = lines.iter().map(|line| typed(&desk, &bench, line)).collect();
    insta::assert_snapshot!("mods_switching", all);
}

#[test]
fn a_mod_for_any_game_is_switched_on_for_the_game_that_is_asked_for() {
    let desk = desk();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    let mut all = typed(&desk, &bench, "on anywhere");
    all += &typed(&desk, &bench, "on carp");
    bench.game = Some("pond".to_owned());
    all += &typed(&desk, &bench, "on anywhere");
    all += &typed(&desk, &bench, "list");
    bench.game = None;
    all += &typed(&desk, &bench, "off anywhere");
    insta::assert_snapshot!("mods_of_games", all);
}

#[test]
fn settings_are_taken_if_they_fit() {
    let desk = desk();
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
    let all: String = lines.iter().map(|line| typed(&desk, &bench, line)).collect();
    insta::assert_snapshot!("mods_settings", all);
}

#[test]
fn what_a_game_stands_on_belongs_to_it() {
    let desk = Desk::new();
    let game =
        "id = \"pond\"\nname = \"The Pond\"\nversion = \"1.0.0\"\nengine = \"*\"\ngame = true\n";
    let start = "scene \"bank\" { prompt = function() return { text = tostring(depth()), choices = \
                 { { id = \"go\", label = \"Go\" } } } end, on = { go = function() finish { outcome = \"gone\" } end } }\n\
                 start(function() go \"bank\" end)\n";
    desk.write("pond", &format!("{game}needs = {{ water = \"0.1\" }}\n"), &[("play.luau", start)]);
    let water = needing("water", &[]);
    desk.write("water", &water, &[("w.luau", "export(\"depth\", function() return 3 end)\n")]);
    desk.write("carp", &needing("carp", &["pond", "water"]), &[]);
    let bench = Bench { game: Some("pond".to_owned()), ..desk.bench() };
    let (content, warnings) = startup(&bench).unwrap();
    assert_eq!((content.mods.ids(), shown(&warnings)), (words(&["water", "pond"]), String::new()));
    assert!(content.load().is_ok());
    let lines = ["list", "on water", "off water", "on carp", "list", "off carp"];
    let mut all: String = lines.iter().map(|line| typed(&desk, &bench, line)).collect();
    std::fs::remove_dir_all(desk.folder.path().join("water")).unwrap();
    all += &match startup(&bench) {
        Err(Unfit::Mods(problems)) => shown(&problems),
        _ => panic!("without its library no game is played"),
    };
    insta::assert_snapshot!("mods_libraries_listed", placed(&desk, &all));
}

fn startup(bench: &Bench) -> Result<(Content, Vec<Problem>), Unfit> {
    let profile = bench.data_dir.look_at_profile(&bench.profile).unwrap();
    let wanted =
        StartRequest { places: &bench.places, game: bench.game.as_deref(), with: &bench.with };
    start_up(wanted, &profile).map(|startup| (startup.content, startup.warnings))
}

#[test]
fn what_is_set_is_read_by_scripts_and_kept_by_the_run_to_its_end() {
    let desk = desk();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    for line in ["on ebb", "set ebb heat 2", "set harbour fog 3"] {
        typed(&desk, &bench, line);
    }
    let (content, _) = startup(&bench).unwrap();
    assert_eq!(content.mods.ids(), ["harbour", "ebb"]);
    let (mut held, _) = bench.data_dir.lock_profile("Player").unwrap();
    let specs = option_specs(content.load().unwrap().registry());
    let options = complete_options(&specs, &BTreeMap::new()).unwrap();
    let wish = Wish { content, options, seed: Some(1), practice: false };
    let mut run = begin(&mut held, wish, &mut || 7).unwrap();
    let purse = |session: &Session| match &session.view().widgets[0].widget {
        Widget::Stat { value, .. } => *value,
        other => panic!("{other:?}"),
    };
    // The Gull is 8 paces: 16 for her, 3 for the fog, and 200 for the heat.
    let go = engine::play::Input::Choice("harbour:gull".to_owned());
    run.session.take(&go).unwrap();
    let line = bench.data_dir.runs_there().unwrap().remove(0);
    let (run_id, header) = (line.run_id, line.header.unwrap());
    assert_eq!(header.settings.get("ebb").and_then(|ebb| ebb.get("heat")), Some(&Value::Int(2)));
    assert_eq!(purse(&run.session), 219);
    drop((run, held));

    // What is set now is for the next run, even if the mod changes under this one.
    typed(&desk, &bench, "set ebb heat 3");
    let script = "before(\"leave\", function(leave)\n  leave.fare += settings.heat * 1000\nend)\n";
    std::fs::write(desk.folder.path().join("ebb/set.luau"), script).unwrap();
    let (now, _) = startup(&bench).unwrap();
    assert_eq!(now.settings.get("ebb").and_then(|ebb| ebb.get("heat")), Some(&Value::Int(3)));
    let mut again = resume(&bench.data_dir, &run_id, Some(&now)).unwrap();
    again.session.take(&go).unwrap();
    assert_eq!(purse(&again.session), 219 + 2019);
}

#[test]
fn a_setting_that_no_longer_fits_gives_way_to_the_mods_own() {
    let desk = desk();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    typed(&desk, &bench, "on ebb");
    typed(&desk, &bench, "set ebb heat 3");
    let manifest = format!("{}{SETTINGS}", needing("ebb", &["harbour"]));
    let narrower = manifest.replace("max = 3", "max = 2");
    desk.write("ebb", &narrower, &[("x.luau", "assert(settings.heat == 1)\n")]);
    let (_, warnings) = startup(&bench).unwrap();
    let told = shown(&warnings);
    assert!(told.contains("[unfit-setting]") && told.contains("heat of ebb is 3"), "{told}");
    assert!(typed(&desk, &bench, "set ebb heat").contains("heat = 1"));
}

#[test]
fn a_mod_that_is_on_and_gone_is_told_and_stops_nobody() {
    let desk = desk();
    let mut bench = desk.bench();
    bench.game = Some("harbour".to_owned());
    typed(&desk, &bench, "on flood");
    typed(&desk, &bench, "on anywhere");
    std::fs::remove_dir_all(desk.folder.path().join("anywhere")).unwrap();
    let (content, warnings) = startup(&bench).unwrap();
    assert_eq!(content.mods.ids(), ["harbour", "ebb", "flood"]);
    std::fs::remove_dir_all(desk.folder.path().join("ebb")).unwrap();
    let stopped = match startup(&bench) {
        Err(Unfit::Mods(problems)) => problems,
        _ => panic!("a mod that needs one that is gone cannot be played"),
    };
    let list = typed(&desk, &bench, "list");
    let off = typed(&desk, &bench, "off anywhere ebb flood");
    let all = format!("{}\n---\n{}\n---\n{list}{off}", shown(&warnings), shown(&stopped));
    insta::assert_snapshot!("mods_gone", placed(&desk, &all));
}

#[test]
fn a_program_may_read_the_list() {
    let desk = desk();
    let bench = desk.bench();
    typed(&desk, &bench, "on ebb");
    typed(&desk, &bench, "set ebb heat 3");
    let mut out = Vec::new();
    assert_eq!(list(&bench, true, &mut out).unwrap(), Outcome::Ok);
    let page: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let ebb = page["mods"].as_array().unwrap().iter().find(|one| one["id"] == "ebb").unwrap();
    assert_eq!(ebb["on"][0], "harbour");
    assert_eq!(ebb["for"][0], "harbour");
    assert_eq!(ebb["settings"]["heat"]["value"], 3);
    assert_eq!(ebb["settings"]["heat"]["default"], 1);
}
