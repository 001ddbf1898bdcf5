//! No text names the truth before the player has the fragments that earn it (SR-8.7). The test
//! searches the texts, prompts and views of whole descents for the words that each truth declares:
//! the actual truth and the others of the place. A few descents of each truth run by default;
//! `SUB_ROSA_LEAKS=250` runs that many.

use std::collections::BTreeMap;

use base::Value;
use content::{Datum, Definition};
use script::Vm;

use crate::support::count_from_env;

use super::harness::{GameSession, load_test_vm, load_vm, run_options, truths_of};
use super::odds_player::choose_answer;

/// The texts that may hold a secret word once their fragments are known.
fn allowed_texts(vm: &Vm, session: &GameSession<'_>, dungeon: &str) -> Vec<String> {
    let registry = vm.registry();
    let known_fragments = session.state_value("run.fragments");
    let known_fragments: Vec<&str> =
        known_fragments.as_list().unwrap().iter().filter_map(Value::as_text).collect();
    let mut texts: Vec<String> = Vec::new();
    for id in &known_fragments {
        let fragment = registry.get("fragment", id).unwrap();
        texts.extend(
            ["text", "name"]
                .map(|field| fragment.get(field).unwrap().as_text().unwrap().to_owned()),
        );
    }
    let place = registry.get("dungeon", dungeon).unwrap();
    let boss = place.get("boss").unwrap().as_text().unwrap();
    let aspects = registry.active_definitions("aspect");
    let boss_aspects =
        aspects.filter(|aspect| aspect.get("foe").and_then(Datum::as_text) == Some(boss));
    for speaker in boss_aspects.chain(registry.get("foe", boss)) {
        for line in speaker.get("dialogue").unwrap().as_list().unwrap() {
            let needs = line.get("needs").unwrap().as_list().unwrap();
            if needs.iter().all(|need| known_fragments.contains(&need.as_text().unwrap())) {
                texts.push(line.get("text").unwrap().as_text().unwrap().to_owned());
            }
        }
    }
    texts
}

/// Removes the allowed texts, paragraph by paragraph.
fn remove_allowed_texts(mut output: String, allowed: &[String]) -> String {
    for text in
        allowed.iter().flat_map(|text| text.split('\n')).filter(|paragraph| !paragraph.is_empty())
    {
        let json_text = Value::text(text).to_json();
        output = output.replace(json_text.trim_matches('"'), "");
    }
    output
}

/// The truths of a dungeon, and the words that reveal each.
fn secret_words_by_truth(vm: &Vm, dungeon: &str) -> BTreeMap<String, Vec<String>> {
    let secret_words = |truth: &Definition| {
        let words = truth.get("secret").unwrap().as_list().unwrap();
        words.iter().filter_map(|word| word.as_text().map(str::to_owned)).collect::<Vec<_>>()
    };
    let truths = truths_of(vm.registry(), dungeon).into_iter();
    truths.map(|truth| (truth.id.to_string(), secret_words(truth))).collect()
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
    let truths = secret_words_by_truth(vm, dungeon);
    assert!(truths.values().all(|words| !words.is_empty()), "{dungeon}: {truths:?}");
    let words: Vec<&String> = truths.values().flatten().collect();
    let mut search = LeakSearch::default();
    for seed in 0.. {
        if truths
            .keys()
            .all(|truth| search.runs.get(truth).is_some_and(|run_count| *run_count >= runs))
        {
            break;
        }
        assert!(seed < 64 * runs, "{dungeon}: a truth is never drawn; {:?}", search.runs);
        let options =
            run_options(dungeon, ["eye", "tongue", "blade", "even"][seed as usize % 4], false);
        let mut session = GameSession::begin(vm, seed, options, Value::map());
        let truth_id = session.state_value("run.truth").as_text().unwrap().to_owned();
        let run_count = search.runs.entry(truth_id).or_default();
        if *run_count >= runs {
            continue;
        }
        *run_count += 1;
        for turn in 0..400 {
            if is_truth_revealed(&session) || session.world.run_outcome().is_some() {
                break;
            }
            let prompt = session.prompt();
            let input = choose_answer(&mut session, &prompt, turn);
            let events = session.answer_prompt(&prompt, &input);
            let mut output = serde_json::to_string(&events).unwrap();
            output += &serde_json::to_string(&prompt).unwrap();
            if session.world.run_outcome().is_none() {
                output += &serde_json::to_string(&session.view()).unwrap();
            }
            if is_truth_revealed(&session) {
                break;
            }
            let output = remove_allowed_texts(output, &allowed_texts(vm, &session, dungeon));
            if let Some(word) = words.iter().find(|word| output.contains(**word)) {
                return Err(format!("{dungeon}, seed {seed}: {word:?} in {output}"));
            }
            search.bytes += output.len();
        }
    }
    Ok(search)
}

/// Whether the leaves have revealed the truth.
fn is_truth_revealed(session: &GameSession<'_>) -> bool {
    session.state_value("run.fragments").as_list().unwrap().len() >= 4
}

/// SR-8.7, SR-8.8
#[test]
fn no_output_reveals_the_truth_early() {
    let vm = load_test_vm();
    let mut bytes = 0;
    let runs = count_from_env("SUB_ROSA_LEAKS", 2);
    for place in vm.registry().active_definitions("dungeon") {
        let search = search_for_leaks(&vm, place.id.as_str(), runs);
        bytes += search.unwrap_or_else(|leak| panic!("{leak}")).bytes;
    }
    assert!(bytes > 100_000, "{bytes} bytes were searched");
}

/// SR-8.7: the same search catches a mod that leaks a secret word when a fight begins.
#[test]
fn a_planted_leak_is_found() {
    let vm = load_vm(&["base_game", "tests/games/loose_tongue"]);
    let leak = search_for_leaks(&vm, "sub_rosa:ice_house", 4).err().expect("the leak is found");
    assert!(leak.contains("somebody has said it aloud"), "{leak}");
}
