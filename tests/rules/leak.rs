//! No text names the truth before the player has the fragments that earn it (SR-8.7). The test
//! searches the texts, prompts and views of whole descents for the words that each truth declares:
//! the actual truth and the others of the place. A few descents of each truth run by default;
//! `SUB_ROSA_LEAKS=250` runs that many.

use std::collections::BTreeMap;

use engine::base::Value;
use engine::content::{Datum, Definition};
use engine::script::Vm;

use crate::support::count_from_env;

use super::harness::{GameSession, options, truths_of, vm, vm_of};
use super::odds_player::answer;

/// The texts that may hold a secret word once their fragments are known.
fn allowed(vm: &Vm, table: &GameSession<'_>, dungeon: &str) -> Vec<String> {
    let registry = vm.registry();
    let known = table.state_value("run.fragments");
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
    let boss = place.get("boss").unwrap().as_text().unwrap();
    let aspects = registry.active_definitions("aspect");
    let of_boss = aspects.filter(|one| one.get("foe").and_then(Datum::as_text) == Some(boss));
    for speaks in of_boss.chain(registry.get("foe", boss)) {
        for line in speaks.get("dialogue").unwrap().as_list().unwrap() {
            let needs = line.get("needs").unwrap().as_list().unwrap();
            if needs.iter().all(|need| known.contains(&need.as_text().unwrap())) {
                texts.push(line.get("text").unwrap().as_text().unwrap().to_owned());
            }
        }
    }
    texts
}

/// Removes the allowed texts, paragraph by paragraph.
fn remove_allowed(mut seen: String, allowed: &[String]) -> String {
    for text in allowed.iter().flat_map(|text| text.split('\n')).filter(|part| !part.is_empty()) {
        let told = Value::text(text).to_json();
        seen = seen.replace(told.trim_matches('"'), "");
    }
    seen
}

/// The truths of a dungeon, and the words that reveal each.
fn words_of(vm: &Vm, dungeon: &str) -> BTreeMap<String, Vec<String>> {
    let words = |one: &Definition| {
        let words = one.get("secret").unwrap().as_list().unwrap();
        words.iter().filter_map(|word| word.as_text().map(str::to_owned)).collect::<Vec<_>>()
    };
    let truths = truths_of(vm.registry(), dungeon).into_iter();
    truths.map(|one| (one.id.to_string(), words(one))).collect()
}

/// The number of searched runs of each truth, and their bytes.
#[derive(Default)]
struct LeakSearch {
    runs: BTreeMap<String, u64>,
    bytes: usize,
}

/// Plays descents of a dungeon until each truth occurred so often, each until the truth is revealed
/// or the run ends. Searches all output. Returns the first secret word with its location.
fn search_for_leaks(vm: &Vm, dungeon: &str, runs: u64) -> Result<LeakSearch, String> {
    let truths = words_of(vm, dungeon);
    assert!(truths.values().all(|words| !words.is_empty()), "{dungeon}: {truths:?}");
    let words: Vec<&String> = truths.values().flatten().collect();
    let mut searched = LeakSearch::default();
    for seed in 0.. {
        if truths.keys().all(|truth| searched.runs.get(truth).is_some_and(|had| *had >= runs)) {
            break;
        }
        assert!(seed < 64 * runs, "{dungeon}: a truth is never drawn; {:?}", searched.runs);
        let options =
            options(dungeon, ["eye", "tongue", "blade", "even"][seed as usize % 4], false);
        let mut table = GameSession::begin(vm, seed, options, Value::map());
        let holds = table.state_value("run.truth").as_text().unwrap().to_owned();
        let had = searched.runs.entry(holds).or_default();
        if *had >= runs {
            continue;
        }
        *had += 1;
        for turn in 0..400 {
            if is_truth_revealed(&table) || table.world.run_outcome().is_some() {
                break;
            }
            let prompt = table.prompt();
            let input = answer(&mut table, &prompt, turn);
            let said = table.answer_to(&prompt, &input);
            let mut seen = serde_json::to_string(&said).unwrap();
            seen += &serde_json::to_string(&prompt).unwrap();
            if table.world.run_outcome().is_none() {
                seen += &serde_json::to_string(&table.view()).unwrap();
            }
            if is_truth_revealed(&table) {
                break;
            }
            let seen = remove_allowed(seen, &allowed(vm, &table, dungeon));
            if let Some(word) = words.iter().find(|word| seen.contains(**word)) {
                return Err(format!("{dungeon}, seed {seed}: {word:?} in {seen}"));
            }
            searched.bytes += seen.len();
        }
    }
    Ok(searched)
}

/// Whether the leaves have revealed the truth.
fn is_truth_revealed(table: &GameSession<'_>) -> bool {
    table.state_value("run.fragments").as_list().unwrap().len() >= 4
}

/// SR-8.7, SR-8.8
#[test]
fn the_truth_is_kept() {
    let vm = vm();
    let mut bytes = 0;
    let runs = count_from_env("SUB_ROSA_LEAKS", 2);
    for place in vm.registry().active_definitions("dungeon") {
        let searched = search_for_leaks(&vm, place.id.as_str(), runs);
        bytes += searched.unwrap_or_else(|leak| panic!("{leak}")).bytes;
    }
    assert!(bytes > 100_000, "{bytes} bytes were searched");
}

/// SR-8.7: the same search catches a mod that leaks a secret word when a fight begins.
#[test]
fn a_planted_leak_is_caught() {
    let vm = vm_of(&["base_game", "tests/games/loose_tongue"]);
    let leak = search_for_leaks(&vm, "sub_rosa:ice_house", 4).err().expect("the leak is found");
    assert!(leak.contains("somebody has said it aloud"), "{leak}");
}
