//! Nothing that names the truth reaches the player before the fragments that earn it (SR-8.7): told
//! texts, prompts and views of whole descents are searched for the words that each truth declares.
//! A few descents of each dungeon; `SUB_ROSA_LEAKS=250` searches as many.

use engine::kit::Value;
use engine::script::Vm;

use crate::support::asked_for;

use super::steady::answer;
use super::table::{Table, options, vm, vm_of};

/// The texts that may hold a secret word, once the fragments they need are known.
fn allowed(vm: &Vm, table: &Table<'_>, dungeon: &str) -> Vec<String> {
    let registry = vm.registry();
    let known = table.at("run.fragments");
    let known: Vec<&str> = known.as_list().unwrap().iter().filter_map(Value::as_text).collect();
    let mut texts: Vec<String> = Vec::new();
    for id in &known {
        let fragment = registry.get("fragment", id).unwrap();
        texts.extend(
            ["text", "name"]
                .map(|field| fragment.get(field).unwrap().as_text().unwrap().to_owned()),
        );
    }
    let place = registry.get("dungeon", dungeon).unwrap();
    let boss = registry.get("foe", place.get("boss").unwrap().as_text().unwrap()).unwrap();
    for line in boss.get("dialogue").unwrap().as_list().unwrap() {
        let needs = line.get("needs").unwrap().as_list().unwrap();
        if needs.iter().all(|need| known.contains(&need.as_text().unwrap())) {
            texts.push(line.get("text").unwrap().as_text().unwrap().to_owned());
        }
    }
    texts
}

/// Takes the allowed texts out, paragraph by paragraph, as they are told.
fn without(mut seen: String, allowed: &[String]) -> String {
    for text in allowed.iter().flat_map(|text| text.split('\n')).filter(|part| !part.is_empty()) {
        let told = Value::text(text).to_json();
        seen = seen.replace(told.trim_matches('"'), "");
    }
    seen
}

/// Plays descents of a dungeon until four fragments are known or each is over, and searches all that is told
/// and shown. Gives the first secret word found with where it stood, and how many bytes were searched.
fn search(vm: &Vm, dungeon: &str, runs: u64) -> (Option<String>, usize) {
    let place = vm.registry().get("dungeon", dungeon).unwrap();
    let truth = place.get("truth").unwrap().as_text().unwrap();
    let declared = vm.registry().get("truth", truth).unwrap();
    let words = declared.get("secret").unwrap().as_list().unwrap();
    let words: Vec<&str> = words.iter().filter_map(|word| word.as_text()).collect();
    assert!(!words.is_empty());
    let mut searched = 0;
    for seed in 0..runs {
        let options =
            options(dungeon, ["eye", "tongue", "blade", "even"][seed as usize % 4], false);
        let mut table = Table::begin(vm, seed, options, Value::map());
        for turn in 0..400 {
            let known = table.at("run.fragments").as_list().unwrap().len();
            if known >= 4 || table.world.finished().is_some() {
                break;
            }
            let prompt = table.prompt();
            let input = answer(&mut table, &prompt, turn);
            let told = table.answer_to(&prompt, &input);
            let mut seen = serde_json::to_string(&told).unwrap();
            seen += &serde_json::to_string(&prompt).unwrap();
            if table.world.finished().is_none() {
                seen += &serde_json::to_string(&table.view()).unwrap();
            }
            if table.at("run.fragments").as_list().unwrap().len() >= 4 {
                break;
            }
            let seen = without(seen, &allowed(vm, &table, dungeon));
            if let Some(word) = words.iter().find(|word| seen.contains(**word)) {
                return (Some(format!("{dungeon}, seed {seed}: {word:?} in {seen}")), searched);
            }
            searched += seen.len();
        }
    }
    (None, searched)
}

/// SR-8.7
#[test]
fn the_truth_is_kept() {
    let vm = vm();
    let mut searched = 0;
    let runs = asked_for("SUB_ROSA_LEAKS", 2);
    for place in vm.registry().all("dungeon") {
        let (leak, more) = search(&vm, place.id.as_str(), runs);
        assert!(leak.is_none(), "{}", leak.unwrap());
        searched += more;
    }
    assert!(searched > 100_000, "{searched} bytes were searched");
}

/// SR-8.7: a mod that lets a secret word slip when a fight begins is caught by the same search.
#[test]
fn a_planted_leak_is_caught() {
    let vm = vm_of(&["base_game", "tests/games/loose_tongue"]);
    let (leak, _) = search(&vm, "sub_rosa:ice_house", 4);
    let leak = leak.expect("the leak is found");
    assert!(leak.contains("somebody has said it aloud"), "{leak}");
}
