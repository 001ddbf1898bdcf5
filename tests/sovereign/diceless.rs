//! SV-1.6, obstacle by obstacle: looking, asking, giving or working overcomes each without a roll.
//! `check` reports an obstacle where that is removed.

use engine::base::Value;
use engine::protocol::StoryEvent;
use engine::script::Vm;

use super::harness::{
    GameSession, clear_value, company, lua, open, rolls, said, scene, set_flag, set_number, vm,
};

/// The company alone in a chamber, with enough light, items and gold.
fn standing<'a>(vm: &'a Vm, chamber: &str) -> GameSession<'a> {
    let mut table = company(vm, 7, "in_the_cupboard");
    set_number(&mut table, "light.remaining", 900);
    set_number(&mut table, "coins", 400);
    for thing in ["rope", "lamp_oil", "spikes", "honey_pot", "physic", "torch", "rations"] {
        lua(&mut table, &format!("loads.give_ware(\"{thing}\")"));
    }
    lua(&mut table, &format!("walking.arrive(\"{chamber}\")"));
    let here = format!("delve.chambers.sovereign:{chamber}.dwellers");
    set_number(&mut table, &here, 0);
    for gone in ["meeting", "fight", "chase", "parley"] {
        clear_value(&mut table, gone);
    }
    table.world.replace_top_scene("sovereign:chamber").unwrap();
    table
}

/// No dice except those for the amount of gold; players see no other roll either.
fn assert_no_roll(told: &[StoryEvent]) {
    let thrown = rolls(told);
    assert!(thrown.iter().all(|roll| roll.stream == "sovereign:treasure"), "{}", said(told));
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
fn every_bar_is_lifted_without_a_die() {
    let vm = vm();
    for (flag, chamber, learned, things) in OBSTACLES {
        let mut table = standing(&vm, chamber);
        for one in learned {
            set_flag(&mut table, one);
        }
        for thing in things {
            assert_no_roll(&table.choose(&format!("thing:{thing}")));
            // Arrivals are not part of this test.
            table.set("delve.coming", Value::text(""));
            clear_value(&mut table, "meeting");
            table.world.replace_top_scene("sovereign:chamber").unwrap();
        }
        assert_eq!(table.state_value(&format!("flags.{flag}")), Value::Bool(true), "{chamber}");
    }
    // The needed facts are found by looking, too.
    for (flag, chamber, thing) in [
        ("learn_tithe", "counting_house", "read_the_ledger"),
        ("learn_names", "counting_house", "read_the_roll"),
        ("shield_lore", "slab", "look_at_carving"),
        ("snake_lore", "bins", "read_the_notice"),
        ("web_lore", "dovecote", "watch_the_web"),
    ] {
        let mut table = standing(&vm, chamber);
        // A watched web belongs to somebody, who permits it.
        set_number(&mut table, &format!("delve.chambers.sovereign:{chamber}.dwellers"), 1);
        assert_no_roll(&table.choose(&format!("thing:{thing}")));
        assert_eq!(table.state_value(&format!("flags.{flag}")), Value::Bool(true), "{chamber}");
    }
}

/// Creatures that cannot be talked to, with a gift or a fact.
#[test]
fn every_beast_is_got_past_without_a_die() {
    let vm = vm();
    for (creature, way, flag) in [
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
        let mut table = standing(&vm, "undercroft");
        if !flag.is_empty() {
            set_flag(&mut table, flag);
        }
        let outdone = table.int("outdone");
        lua(&mut table, &format!("encounters.begin(\"{creature}\", {{ number = 2 }}) flow.next()"));
        assert_no_roll(&table.choose(&format!("soothe:{way}")));
        assert_eq!(scene(&mut table), "chamber", "{creature}");
        assert!(table.int("outdone") > outdone, "and it counts as outdone");
    }
}

/// Creatures that can: their want is asked for, and an offer that anybody can make buys passage.
#[test]
fn every_folk_is_talked_round_without_a_die() {
    let vm = vm();
    for (creature, wants, levers) in [
        ("tollman", "heard_toll", &["toll"][..]),
        ("brock", "heard_sett", &["honey"][..]),
        ("gammer_tup", "heard_giant", &["biggest"][..]),
        ("nix", "knows_nix", &["sorrow"][..]),
        ("clerk", "knows_clerk", &["hurt"][..]),
        ("brother", "heard_bell", &["silence"][..]),
        ("well_thing", "knows_under", &["riddle"][..]),
        ("tithe_worm", "knows_worm", &["homage"][..]),
    ] {
        let mut table = standing(&vm, "undercroft");
        set_flag(&mut table, wants);
        let mut told = lua(
            &mut table,
            &format!("encounters.begin(\"{creature}\", {{ number = 1 }}) flow.next()"),
        );
        told.extend(table.choose(&format!("open:{}", levers[0])));
        told.extend(table.choose("ask:through"));
        told.extend(table.choose("leave"));
        assert_no_roll(&told);
        assert_eq!(scene(&mut table), "chamber", "{creature}");
    }
}

/// Doors: a stuck one is eased; a locked one has its key; a wooden one is battered.
#[test]
fn every_door_is_opened_without_a_die() {
    let vm = vm();
    for (chamber, to, way, key) in [
        ("bushel_gate", 5, "ease", ""),
        ("kiln", 13, "ease", ""),
        ("undercroft", 15, "ease", ""),
        ("threshing_floor", 10, "key", "cloister_key"),
        ("chapel", 23, "key", "prior_key"),
        ("shield_hall", 27, "key", "kings_key"),
    ] {
        let mut table = standing(&vm, chamber);
        if !key.is_empty() {
            set_flag(&mut table, key);
        }
        table.choose(&format!("exit:{to}"));
        assert_no_roll(&table.choose(way));
        if scene(&mut table) == "door" {
            assert!(open(&mut table).contains(&"soft".to_owned()), "{chamber} to {to}");
        }
    }
}

/// `check` reports a mod that removes the only sure way.
#[test]
fn check_holds_the_hill_to_it() {
    let place = tempfile::TempDir::new().unwrap();
    let folder = place.path().join("no_way");
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
        .arg(place.path());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("XDG_DATA_HOME", "/no/such/folder");
    let told = String::from_utf8(command.output().unwrap().stdout).unwrap();
    for why in ["nothing lifts \"drained\" without a die", "nothing but a die gets past it"] {
        assert!(told.contains(why), "{told}");
    }
}
