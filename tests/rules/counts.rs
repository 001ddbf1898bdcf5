//! Counts the loaded content of the base game: rooms, fragments, checks, foes, words, skills, gear,
//! effects, unlocks of standing. The test checks the required minimum of each. `cargo test --test
//! main rules::counts -- --nocapture` prints the table (`docs/games/counts.md`).

// The table is printed on request.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use base::Value;
use content::{Definition, Registry};
use protocol::view::Widget;
use script::Vm;

use super::harness::{GameSession, load_vm, run_options, truths_of};

/// A size: its rooms and fragments in a run (SR-8.1, SR-9.1).
const SIZES: [(&str, usize, usize); 4] =
    [("small", 12, 5), ("medium", 18, 6), ("large", 27, 9), ("epic", 36, 12)];

const PILLARS: [&str; 4] = ["ATK", "DEF", "CAR", "INT"];

/// Pairs of runs whose rooms are compared.
const RUN_PAIRS: u64 = 12;

fn text_field<'a>(definition: &'a Definition, field: &str) -> &'a str {
    definition.get(field).and_then(|datum| datum.as_text()).unwrap_or_default()
}

fn int_field(definition: &Definition, field: &str) -> i64 {
    definition.get(field).and_then(|datum| datum.as_int()).unwrap_or_default()
}

fn definitions_with_field<'a>(
    registry: &'a Registry,
    kind: &str,
    field: &str,
    id: &str,
) -> Vec<&'a Definition> {
    registry
        .active_definitions(kind)
        .filter(|definition| text_field(definition, field) == id)
        .collect()
}

/// The number of checks of each pillar in these rooms.
fn count_checks_by_pillar(rooms: &[&Definition]) -> [usize; 4] {
    let choices = rooms.iter().filter_map(|room| room.get("choices")?.as_list()).flatten();
    let stats: Vec<&str> = choices
        .filter(|choice| choice.get("type").and_then(|kind| kind.as_text()) == Some("check"))
        .filter_map(|choice| choice.get("stat")?.as_text())
        .collect();
    PILLARS.map(|pillar| stats.iter().filter(|stat| **stat == pillar).count())
}

/// The rooms that a run of a dungeon draws, by their definitions.
fn drawn_room_ids(vm: &Vm, dungeon: &str, seed: u64) -> BTreeSet<String> {
    let session = GameSession::begin(vm, seed, run_options(dungeon, "even", false), Value::map());
    let rooms = session.state_value("run.rooms");
    let ids = rooms.as_map().unwrap().values().filter_map(|room| room.get("room"));
    ids.filter_map(|id| id.as_text().map(str::to_owned)).collect()
}

/// The mean share of a run's room text that another run also shows, in hundredths of the letters.
fn repeated_text_share(vm: &Vm, dungeon: &str) -> usize {
    let letter_count = |ids: &mut dyn Iterator<Item = &String>| -> usize {
        ids.map(|id| text_field(vm.registry().get("room", id).unwrap(), "text").chars().count())
            .sum()
    };
    let (mut all_letters, mut repeated_letters) = (0, 0);
    for seed in 0..RUN_PAIRS {
        let (first_run, second_run) =
            (drawn_room_ids(vm, dungeon, 2 * seed), drawn_room_ids(vm, dungeon, 2 * seed + 1));
        all_letters += letter_count(&mut first_run.iter());
        repeated_letters += letter_count(&mut first_run.intersection(&second_run));
    }
    100 * repeated_letters / all_letters
}

/// Rooms, fragments, checks and foes of each dungeon.
fn write_dungeon_rows(vm: &Vm, page: &mut String) {
    let registry = vm.registry();
    writeln!(page, "| dungeon | size | rooms: pool, run | repeated % | fragments: pool, run | checks: ATK, DEF, CAR, INT | foes by tier | boss's lines |").unwrap();
    writeln!(page, "|---|---|---|---|---|---|---|---|").unwrap();
    let mut sizes = BTreeMap::<&str, usize>::new();
    for place in registry.active_definitions("dungeon") {
        let id = place.id.as_str();
        let size = SIZES.iter().find(|size| size.0 == text_field(place, "size")).unwrap();
        *sizes.entry(size.0).or_default() += 1;
        let rooms = definitions_with_field(registry, "room", "dungeon", id);
        assert!(2 * rooms.len() >= 3 * size.1, "{id}: {} rooms", rooms.len());
        let texts: BTreeSet<&str> = rooms.iter().map(|room| text_field(room, "text")).collect();
        assert_eq!(texts.len(), rooms.len(), "{id}: two rooms say the same");
        let truths = truths_of(registry, id);
        let fragments_by_truth = truths.iter().map(|truth| {
            definitions_with_field(registry, "fragment", "truth", &truth.id.to_string())
        });
        let fragments_by_truth: Vec<_> = fragments_by_truth.collect();
        let min_fragment_count = fragments_by_truth.iter().map(Vec::len).min().unwrap();
        assert!(2 * min_fragment_count >= 3 * size.2, "{id}: {min_fragment_count} fragments");
        let by_pillar = count_checks_by_pillar(&rooms);
        let check_count: usize = by_pillar.iter().sum();
        assert!(
            by_pillar.iter().all(|count| 5 * count >= check_count),
            "{id}: {by_pillar:?} of {check_count}"
        );
        let dungeon_foes = definitions_with_field(registry, "foe", "dungeon", id);
        let tiers = [1, 2, 3, 4, 5]
            .map(|tier| dungeon_foes.iter().filter(|foe| int_field(foe, "tier") == tier).count());
        assert_eq!(tiers[4], 1, "{id}: one boss");
        let boss = registry.get("foe", text_field(place, "boss")).unwrap();
        let boss_aspects = definitions_with_field(registry, "aspect", "foe", boss.id.as_str());
        let speakers = boss_aspects.iter().copied().chain([boss]);
        let lines: Vec<_> = speakers
            .flat_map(|speaker| speaker.get("dialogue").unwrap().as_list().unwrap())
            .collect();
        let mentioned_fragments: BTreeSet<_> = lines
            .iter()
            .flat_map(|line| line.get("needs").unwrap().as_list().unwrap())
            .filter_map(|need| need.as_text())
            .collect();
        for fragment in fragments_by_truth.iter().flatten() {
            assert!(
                mentioned_fragments.contains(fragment.id.to_string().as_str()),
                "{id}: the boss on {}",
                fragment.id
            );
        }
        let fragment_counts: Vec<_> = fragments_by_truth
            .iter()
            .map(|truth_fragments| truth_fragments.len().to_string())
            .collect();
        let fragment_counts = fragment_counts.join(" or ");
        assert!(
            ["decisive", "parley", "peace"].iter().all(|field| boss.get(field).is_some()),
            "{id}"
        );
        let pillar_percents =
            by_pillar.map(|count| format!("{count} ({} %)", 100 * count / check_count)).join(", ");
        writeln!(
            page,
            "| {} | {} | {}, {} | {} | {fragment_counts}, {} | {pillar_percents} | {} | {} |",
            text_field(place, "name"),
            size.0,
            rooms.len(),
            size.1,
            repeated_text_share(vm, id),
            size.2,
            tiers[..4].iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            lines.len(),
        )
        .unwrap();
    }
    for (size, ..) in SIZES {
        assert!(sizes[size] >= 2, "{size}: {sizes:?}");
    }
}

/// Foes of all dungeons.
fn write_foe_counts(registry: &Registry, page: &mut String) {
    let foes: Vec<&Definition> = registry.active_definitions("foe").collect();
    let tiers = [1, 2, 3, 4, 5]
        .map(|tier| foes.iter().filter(|foe| int_field(foe, "tier") == tier).count());
    let shifted_count = foes
        .iter()
        .filter(|foe| {
            ["guard", "wit", "mind"].iter().any(|stat_name| int_field(foe, stat_name) != 0)
        })
        .count();
    for foe in &foes {
        assert!(foe.get("on_answer").is_some(), "{}: nothing of its own", foe.id);
        assert!(!text_field(foe, "weakness").is_empty(), "{}: no weakness", foe.id);
    }
    assert!(
        tiers[..4].iter().sum::<usize>() >= 48
            && tiers[..4].iter().all(|count| *count > 0)
            && tiers[4] >= 8,
        "{tiers:?}"
    );
    writeln!(page, "- foes: {} in tiers of {}, {}, {} and {}; bosses: {}; each with its own answer and weakness; guard, wit or mind shifted in {shifted_count}",
        tiers[..4].iter().sum::<usize>(), tiers[0], tiers[1], tiers[2], tiers[3], tiers[4]).unwrap();
}

/// The number of definitions of a kind that each standing unlocks.
fn counts_by_standing(definitions: &[&Definition]) -> String {
    let mut counts = BTreeMap::<i64, usize>::new();
    for definition in definitions {
        *counts.entry(int_field(definition, "standing")).or_default() += 1;
    }
    counts
        .iter()
        .map(|(standing, count)| format!("{standing}: {count}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn write_word_and_skill_counts(registry: &Registry, page: &mut String) {
    let words: Vec<&Definition> = registry.active_definitions("spell").collect();
    for column in ["attack", "defense"] {
        let column_words: Vec<_> =
            words.iter().copied().filter(|word| text_field(word, "column") == column).collect();
        assert!(column_words.len() >= 16, "{column}: {}", column_words.len());
        writeln!(
            page,
            "- words of {column}: {}; by the standing that opens them: {}",
            column_words.len(),
            counts_by_standing(&column_words)
        )
        .unwrap();
    }
    let scrolls = words
        .iter()
        .filter(|word| word.get("scroll_only").and_then(|datum| datum.as_bool()) == Some(true))
        .count();
    assert!(words.len() >= 32 && scrolls >= 8, "{} words, {scrolls} on scrolls only", words.len());
    writeln!(page, "- of them found only as scrolls: {scrolls}").unwrap();
    let skills: Vec<&Definition> = registry.active_definitions("skill").collect();
    let standings: BTreeSet<i64> =
        skills.iter().map(|skill| int_field(skill, "standing")).collect();
    assert!(skills.len() >= 20 && standings.first() == Some(&5) && standings.last() == Some(&15));
    writeln!(
        page,
        "- skills: {}; by the standing that opens them: {}",
        skills.len(),
        counts_by_standing(&skills)
    )
    .unwrap();
}

fn write_gear_counts(registry: &Registry, page: &mut String) {
    let mut rarities = BTreeMap::<&str, usize>::new();
    let (mut relic_effects, mut pieces_by_effect) =
        (BTreeSet::new(), BTreeMap::<&str, BTreeSet<&str>>::new());
    for piece in registry.active_definitions("piece") {
        let rarity = text_field(piece, "rarity");
        *rarities.entry(rarity).or_default() += 1;
        let effect = text_field(piece, "effect");
        if !effect.is_empty() {
            pieces_by_effect.entry(effect).or_default().insert(piece.id.as_str());
            if rarity != "legendary" {
                relic_effects.insert(effect);
            }
        }
        assert!(
            rarity != "legendary" || !effect.is_empty(),
            "{}: legendary, and does nothing",
            piece.id
        );
    }
    for piece in registry
        .active_definitions("piece")
        .filter(|piece| text_field(piece, "rarity") == "legendary")
    {
        assert_eq!(
            pieces_by_effect[text_field(piece, "effect")].len(),
            1,
            "{}: its effect stands elsewhere too",
            piece.id
        );
    }
    let piece_count: usize = rarities.values().sum();
    assert!(
        piece_count >= 60 && rarities["legendary"] >= 12 && relic_effects.len() >= 30,
        "{rarities:?}, {} kept",
        relic_effects.len()
    );
    writeln!(
        page,
        "- pieces of gear: {piece_count}; {}",
        ["common", "uncommon", "rare", "epic", "legendary"]
            .map(|rarity| format!("{rarity} {}", rarities.get(rarity).copied().unwrap_or_default()))
            .join(", ")
    )
    .unwrap();
    writeln!(
        page,
        "- effects: {}; kept by relics: {}; of a legendary piece alone: {}",
        registry.active_definitions("effect").count(),
        relic_effects.len(),
        rarities["legendary"]
    )
    .unwrap();
    let consumables: Vec<&Definition> = registry.active_definitions("consumable").collect();
    writeln!(
        page,
        "- consumables: {}; by the standing that opens them: {}",
        consumables.len(),
        counts_by_standing(&consumables)
    )
    .unwrap();
    assert!(consumables.len() >= 8);
}

/// The unlocks of each standing, as the page lists them.
fn write_standing_rows(vm: &Vm, page: &mut String) {
    let page_view = vm.compute_page("sub_rosa:standing", &Value::map()).unwrap();
    let items = page_view.widgets.iter().find_map(|placed_widget| match &placed_widget.widget {
        Widget::List { items, .. } => Some(items),
        _ => None,
    });
    let items = items.unwrap();
    let unlocking_count =
        items.iter().filter(|item| !item.note.contains("as at every one")).count();
    assert!(items.len() == 20 && unlocking_count >= 15, "{unlocking_count} of {}", items.len());
    let achievements = vm.registry().active_definitions("achievement").count();
    assert!(achievements >= 30, "{achievements}");
    writeln!(page, "- achievements: {achievements}\n- standings up to the twentieth that open something: {unlocking_count}\n").unwrap();
    writeln!(page, "| standing | opens |\n|---|---|").unwrap();
    for (index, item) in items.iter().enumerate() {
        writeln!(page, "| {} | {} |", index + 1, item.note).unwrap();
    }
}

#[test]
fn content_meets_its_required_counts() {
    let vm = load_vm(&["base_game"]);
    let mut page = String::new();
    write_dungeon_rows(&vm, &mut page);
    page.push('\n');
    write_foe_counts(vm.registry(), &mut page);
    write_word_and_skill_counts(vm.registry(), &mut page);
    write_gear_counts(vm.registry(), &mut page);
    write_standing_rows(&vm, &mut page);
    println!("{page}");
}
