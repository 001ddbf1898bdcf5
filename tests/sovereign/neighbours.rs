//! Mods beside Sovereign: one of its own, written from the docs, works; one for Sub Rosa is set aside and says why.

use std::path::{Path, PathBuf};

use engine::kit::Value;
use engine::mods::{choose, read_folder};

use super::table::{Table, open, said};
use crate::rules::table::vm_of;

fn source(folder: &str) -> engine::mods::ModSource {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    read_folder(&path).unwrap()
}

#[test]
fn a_mod_for_sovereign_works_beside_it() {
    let vm = vm_of(&["mods/sovereign", "mods/sexton_spade"]);
    let options = Value::of([
        ("company", Value::text("quick")),
        ("opening", Value::text("sovereign:in_the_cloister")),
    ]);
    let mut table = Table::begin(&vm, 4, options, Value::map());
    assert!(open(&mut table).contains(&"thing:dig_by_the_tenth_stone".to_owned()));
    let told = said(&table.choose("thing:dig_by_the_tenth_stone"));
    assert!(told.contains("spade"), "{told}");
    let carried = table.at("members").to_json();
    assert!(carried.contains("sexton_spade:true_spade"));
    table.choose("thing:go_down_the_new_door");
    assert!(table.at("delve.here").as_text().unwrap().starts_with("sexton_spade:"));
}

#[test]
fn a_mod_for_another_game_is_refused_with_a_reason() {
    let found = vec![
        source("base_game"),
        source("mods/sovereign"),
        source("mods/ember_words"),
        source("mods/sexton_spade"),
    ];
    for (game, id, other) in
        [("sovereign", "ember_words", "sub_rosa"), ("sub_rosa", "sexton_spade", "sovereign")]
    {
        let (chosen, problems) = choose(found.clone(), Some(game), &[id.to_owned()]);
        let ids: Vec<&str> = chosen.iter().map(engine::mods::ModSource::id).collect();
        assert_eq!(ids, [game]);
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), 1);
        let why =
            format!("{id} is set aside: it is made for the game {other}, and {game} is played");
        assert!(told[0].contains(&why), "{told:?}");
    }
}
