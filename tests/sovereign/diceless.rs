//! SV-1.6, obstacle by obstacle: looking, asking, giving or working overcomes each without a roll.
//! `check` reports an obstacle where that is removed.

use base::Value;
use protocol::StoryEvent;
use script::Vm;

use super::harness::{
    GameSession, clear_value, company_session, enabled_choice_ids, events_json, roll_events,
    run_lua, scene_name, set_flag, set_number, sovereign_vm,
};

/// The company alone in a chamber, with enough light, items and gold.
fn company_in_chamber<'a>(vm: &'a Vm, chamber: &str) -> GameSession<'a> {
    let mut session = company_session(vm, 7, "in_the_cupboard");
    set_number(&mut session, "light.remaining", 900);
    set_number(&mut session, "coins", 400);
    for item in ["rope", "lamp_oil", "spikes", "honey_pot", "physic", "torch", "rations"] {
        run_lua(&mut session, &format!("loads.give_ware(\"{item}\")"));
    }
    run_lua(&mut session, &format!("walking.arrive(\"{chamber}\")"));
    let dwellers_path = format!("delve.chambers.sovereign:{chamber}.dwellers");
    set_number(&mut session, &dwellers_path, 0);
    for value_name in ["meeting", "fight", "chase", "parley"] {
        clear_value(&mut session, value_name);
    }
    session.world.replace_top_scene("sovereign:chamber").unwrap();
    session
}

/// No dice except those for the amount of gold; players see no other roll either.
fn assert_no_roll(events: &[StoryEvent]) {
    let roll_list = roll_events(events);
    assert!(
        roll_list.iter().all(|roll| roll.stream == "sovereign:treasure"),
        "{}",
        events_json(events)
    );
}

/// The obstacles: what, where it is overcome, the needed facts, and the steps.
const OBSTACLES: [(&str, &str, &[&str], &[&str]); 17] = [
    ("dove_way", "loft", &[], &["look_out", "rope_the_gap"]),
    ("kiln_planked", "kiln", &[], &["lay_hurdles"]),
    ("kiln_planked", "kiln", &[], &["look_at_tiles", "walk_the_ledge"]),
    ("drained", "sluice_room", &[], &["oil_the_spindle"]),
    ("heard_sett", "bushel_gate", &[], &["follow_the_broom"]),
    ("comb_found", "leat", &[], &["rake_the_grating"]),
    ("seen_shaft", "dovecote", &[], &["go_round_on_ladder"]),
    ("pit", "long_pit", &[], &["look_at_boxes", "fill_the_pit"]),
    ("pit", "long_pit", &[], &["spike_the_shelves", "rope_across"]),
    ("measured", "weigh_hall", &["learn_tithe"], &["pay_the_tenth"]),
    ("sickle_found", "bins", &[], &["probe_with_pole"]),
    ("sickle_found", "bins", &[], &["open_the_shoot"]),
    ("bell_rung", "chapel", &["learn_names"], &["ring_the_bell"]),
    ("account_closed", "priors_cell", &["measured"], &["show_the_ledger"]),
    ("sett_way", "drain", &[], &["tap_the_bricks"]),
    ("seen_prow", "priests_hole", &[], &["look_where_he_looks"]),
    ("kings_key", "shield_hall", &[], &["count_the_shields", "take_down_the_third"]),
];

#[test]
fn every_obstacle_can_be_overcome_without_a_roll() {
    let vm = sovereign_vm();
    for (flag, chamber, known_flags, steps) in OBSTACLES {
        let mut session = company_in_chamber(&vm, chamber);
        for fact_flag in known_flags {
            set_flag(&mut session, fact_flag);
        }
        for step in steps {
            assert_no_roll(&session.choose(&format!("thing:{step}")));
            // Arrivals are not part of this test.
            session.set("delve.coming", Value::text(""));
            clear_value(&mut session, "meeting");
            session.world.replace_top_scene("sovereign:chamber").unwrap();
        }
        assert_eq!(session.state_value(&format!("flags.{flag}")), Value::Bool(true), "{chamber}");
    }
    // The needed facts are found by looking, too.
    for (flag, chamber, thing_id) in [
        ("learn_tithe", "counting_house", "read_the_ledger"),
        ("learn_names", "counting_house", "read_the_roll"),
        ("shield_lore", "slab", "look_at_carving"),
        ("snake_lore", "bins", "read_the_notice"),
        ("web_lore", "dovecote", "watch_the_web"),
    ] {
        let mut session = company_in_chamber(&vm, chamber);
        // A watched web belongs to somebody, who permits it.
        set_number(&mut session, &format!("delve.chambers.sovereign:{chamber}.dwellers"), 1);
        assert_no_roll(&session.choose(&format!("thing:{thing_id}")));
        assert_eq!(session.state_value(&format!("flags.{flag}")), Value::Bool(true), "{chamber}");
    }
}

/// Creatures that cannot be talked to, with a gift or a fact.
#[test]
fn every_beast_can_be_passed_without_a_roll() {
    let vm = sovereign_vm();
    for (creature, choice, flag) in [
        ("barn_rat", "feed", ""),
        ("barn_rat", "light", ""),
        ("bin_viper", "pole", ""),
        ("bin_viper", "still", "snake_lore"),
        ("loft_spider", "smoke", ""),
        ("loft_spider", "string", "web_lore"),
        ("drain_centipede", "meat", ""),
        ("drain_centipede", "oil", ""),
        ("shield_man", "sit", "bell_rung"),
        ("shield_man", "kneel", "shield_lore"),
    ] {
        let mut session = company_in_chamber(&vm, "undercroft");
        if !flag.is_empty() {
            set_flag(&mut session, flag);
        }
        let outdone_before = session.int("outdone");
        run_lua(
            &mut session,
            &format!("encounters.begin(\"{creature}\", {{ number = 2 }}) flow.next()"),
        );
        assert_no_roll(&session.choose(&format!("soothe:{choice}")));
        assert_eq!(scene_name(&mut session), "chamber", "{creature}");
        assert!(session.int("outdone") > outdone_before, "and it counts as outdone");
    }
}

/// Creatures that can: their want is asked for, and an offer that anybody can make buys passage.
#[test]
fn every_folk_can_be_persuaded_without_a_roll() {
    let vm = sovereign_vm();
    for (creature, want_flag, levers) in [
        ("tollman", "heard_toll", &["toll"][..]),
        ("brock", "heard_sett", &["honey"][..]),
        ("gammer_tup", "heard_giant", &["biggest"][..]),
        ("nix", "knows_nix", &["sorrow"][..]),
        ("clerk", "knows_clerk", &["hurt"][..]),
        ("brother", "heard_bell", &["silence"][..]),
        ("well_thing", "knows_under", &["riddle"][..]),
        ("tithe_worm", "knows_worm", &["homage"][..]),
    ] {
        let mut session = company_in_chamber(&vm, "undercroft");
        set_flag(&mut session, want_flag);
        let mut events = run_lua(
            &mut session,
            &format!("encounters.begin(\"{creature}\", {{ number = 1 }}) flow.next()"),
        );
        events.extend(session.choose(&format!("open:{}", levers[0])));
        events.extend(session.choose("ask:through"));
        events.extend(session.choose("leave"));
        assert_no_roll(&events);
        assert_eq!(scene_name(&mut session), "chamber", "{creature}");
    }
}

/// Doors: a stuck one is eased; a locked one has its key; a wooden one is battered.
#[test]
fn every_door_can_be_opened_without_a_roll() {
    let vm = sovereign_vm();
    for (chamber, exit_number, choice, key_flag) in [
        ("bushel_gate", 5, "ease", ""),
        ("kiln", 13, "ease", ""),
        ("undercroft", 15, "ease", ""),
        ("threshing_floor", 10, "key", "cloister_key"),
        ("chapel", 23, "key", "prior_key"),
        ("shield_hall", 27, "key", "kings_key"),
    ] {
        let mut session = company_in_chamber(&vm, chamber);
        if !key_flag.is_empty() {
            set_flag(&mut session, key_flag);
        }
        session.choose(&format!("exit:{exit_number}"));
        assert_no_roll(&session.choose(choice));
        if scene_name(&mut session) == "door" {
            assert!(
                enabled_choice_ids(&mut session).contains(&"soft".to_owned()),
                "{chamber} to {exit_number}"
            );
        }
    }
}

/// `check` reports a mod that removes the only sure way.
#[test]
fn check_reports_obstacles_without_a_diceless_way() {
    let mods_folder = tempfile::TempDir::new().unwrap();
    let folder = mods_folder.path().join("no_way");
    std::fs::create_dir(&folder).unwrap();
    let manifest = "id = \"no_way\"\nname = \"No Way\"\nversion = \"0.1.0\"\nengine = \"0.1\"\n\
                    needs = { sovereign = \"0.1\" }\n";
    std::fs::write(folder.join("mod.toml"), manifest).unwrap();
    let patch = "patch.chamber \"sovereign:chapel\" { things = {} }\n\
                 patch.creature \"sovereign:barn_rat\" { soothes = {} }\n\
                 patch.chamber \"sovereign:sluice_room\" { things = {} }\n\
                 patch.folk \"sovereign:gammer\" { asks = {} }\n";
    std::fs::write(folder.join("patch.luau"), patch).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sub-rosa"));
    command
        .args(["check", "no_way", "sovereign", "--game", "sovereign", "--mods"])
        .arg(mods_folder.path());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("XDG_DATA_HOME", "/no/such/folder");
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    for expected_message in
        ["nothing lifts \"drained\" without a die", "nothing but a die gets past it"]
    {
        assert!(output.contains(expected_message), "{output}");
    }
}
