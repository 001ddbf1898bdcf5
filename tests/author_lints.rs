//! The lints of the bundled game: a dungeon from which no run can be drawn, rooms and choices that
//! are unreachable or do not do what they were written for, words that reveal a truth, unfilled
//! marks, and duplicate sentences.

use std::path::Path;

use crate::author_check::{AuthorWorkspace, run_check};
use crate::support::manifest_needing;

const PROJECT_ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn lints_of_the_bundled_game_report_faulty_dungeons() {
    let workspace = AuthorWorkspace::new();
    workspace.write_mod(
        "well",
        &manifest_needing("well", &["sub_rosa"]),
        &[(
            "well.luau",
            r#"
dungeon "well" {
  name = "The Well", size = "small", tagline = "a well", entrance = "A well, and a lamp.",
  truth = "well_truth", boss = "well_boss", relic = "well_relic",
  gear_words = { weapon = { "bucket" }, armor = { "rope" }, accessory = { "pebble" } },
  victory = ".", failure = ".", peace = "The lamp goes out.",
}
truth "well_truth" { dungeon = "well", name = "Below", secret = { "Lamp", "drowned" }, text = "." }
truth "other_truth" { dungeon = "well", name = "Other", secret = {}, text = "." }
fragment "well_one" { truth = "well_truth", name = "One", order = 1, text = "the lamp" }
piece "well_relic" { name = "a lamp", slot = "accessory", rarity = "legendary", dungeon = "well", text = "." }
foe "well_boss" {
  dungeon = "well", name = "the well", tier = 5, text = "It is deep.", weakness = ".", blows = { "." },
  waits = ".", falls = "It drowned nobody.",
  dialogue = { { needs = { "well_one" }, text = "The lamp was yours." } },
}
room "rim" {
  dungeon = "well", kind = "check", name = "The Rim", door = "a rim", reveals = true,
  text = "Stones lie about, as after a fair. Notwithstanding all, somebody remained.",
  again = "Nobody. Stones lie about, as after a fair.",
  choices = {
    deed "listen" { label = "Listen", say = "Somebody drowned here.", gives = { say = "." } },
    deed "climb" { label = "Climb", when = { remembers = "a rope" }, gives = { say = "." } },
  },
}
aspect "drowned_rim" { truth = "well_truth", room = "rim", says = { door = "stones lie about, as after a fair" } }
room "pit" {
  dungeon = "well", kind = "foe", name = "The Pit", door = "a pit",
  text = "Dark. Stones lie about, as after a Fair. Notwithstanding all, somebody remained.",
}
room "shaft" {
  dungeon = "well", kind = "puzzle", name = "The Shaft", door = "a way down.", text = "Rings in the wall, as {hero} knows.",
  choices = {
    check "climb" { label = "Climb", full = { say = "." }, partial = { say = "." }, failure = { say = "{foe}." } },
    check "climb" { label = "Climb down", stat = "DEF", full = { say = "." } },
    puzzle "rings" { label = "Count the rings", full = { say = "." }, partial = { say = "." }, failure = { say = "." } },
    puzzle "rungs" {
      label = "Count the rungs", gives = { say = "." }, full = { say = "." }, partial = { say = "." }, failure = { say = "." },
      steps = { { text = "?", options = { { label = "Nine" }, { label = "Ten" } } } },
    },
    deed "shout" { label = "Shout", full = { say = "." } },
  },
}
room "sump" { dungeon = "well", kind = "check", name = "The Sump", door = "a sump", text = "." }
foe "wader" { dungeon = "well", name = "the wader", tier = 2, text = ".", weakness = ".", blows = {}, waits = ".", falls = "." }
room "ledge" { dungeon = "well", kind = "foe", name = "The Ledge", door = "a ledge", text = ".", foe = "sub_rosa:the_wool" }
room "bottom" { dungeon = "well", kind = "boss", name = "The Bottom", door = "the bottom", text = ".", foe = "wader" }
fragment "well_two" { truth = "well_truth", name = "Two", order = 1, text = "." }
day "dry" { dungeon = "well", name = "a dry spell", text = "." }
piece "bucket" { name = "a bucket", slot = "weapon", rarity = "common", dungeon = "well", stats = { STR = 1 }, text = "." }
consumable "rope" { name = "a rope", text = ".", used = "{Foe} is held.", use = function() end }
consumable "noose" { name = "a noose", text = ".", used = "{Foe} is held.", use = function() end, outside = false }
skill "kick" { name = "the kick", bonus = 1, uses = 1, text = ".", used = { "{Foe} and {foes}.", "\\{and} that." } }
"#,
        )],
    );
    let mut context = workspace.command_context();
    context.search_paths.named_folders =
        vec![Path::new(PROJECT_ROOT).join("base_game"), workspace.folder.path().to_owned()];
    insta::assert_snapshot!("check_dungeon", run_check(&context, &["well"], false).1);
}
