//! Counts the loaded content of the base game: rooms, fragments, checks, foes, words, skills, gear,
//! effects, unlocks of standing. The test checks the required minimum of each. `cargo test --test
//! main rules::counts -- --nocapture` prints the table (`docs/games/counts.md`).

// The table is printed on request.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use engine::base::Value;
use engine::content::{Definition, Registry};
use engine::protocol::view::Widget;
use engine::script::Vm;

use super::harness::{GameSession, options, truths_of, vm_of};

/// A size: its rooms and fragments in a run (SR-8.1, SR-9.1).
const SIZES: [(&str, usize, usize); 4] =
    [("small", 12, 5), ("medium", 18, 6), ("large", 27, 9), ("epic", 36, 12)];

const PILLARS: [&str; 4] = ["ATK", "DEF", "CAR", "INT"];

/// Pairs of runs whose rooms are compared.
const PAIRS: u64 = 12;

fn text<'a>(one: &'a Definition, field: &str) -> &'a str {
    one.get(field).and_then(|datum| datum.as_text()).unwrap_or_default()
}

fn int(one: &Definition, field: &str) -> i64 {
    one.get(field).and_then(|datum| datum.as_int()).unwrap_or_default()
}

fn of<'a>(registry: &'a Registry, kind: &str, field: &str, id: &str) -> Vec<&'a Definition> {
    registry.active_definitions(kind).filter(|one| text(one, field) == id).collect()
}

/// The number of checks of each pillar in these rooms.
fn checks(rooms: &[&Definition]) -> [usize; 4] {
    let choices = rooms.iter().filter_map(|room| room.get("choices")?.as_list()).flatten();
    let stats: Vec<&str> = choices
        .filter(|choice| choice.get("type").and_then(|of| of.as_text()) == Some("check"))
        .filter_map(|choice| choice.get("stat")?.as_text())
        .collect();
    PILLARS.map(|pillar| stats.iter().filter(|stat| **stat == pillar).count())
}

/// The rooms that a run of a dungeon draws, by their definitions.
fn drawn(vm: &Vm, dungeon: &str, seed: u64) -> BTreeSet<String> {
    let table = GameSession::begin(vm, seed, options(dungeon, "even", false), Value::map());
    let rooms = table.state_value("run.rooms");
    let ids = rooms.as_map().unwrap().values().filter_map(|room| room.get("room"));
    ids.filter_map(|id| id.as_text().map(str::to_owned)).collect()
}

/// The mean share of a run's room text that another run also shows, in hundredths of the letters.
fn repeated(vm: &Vm, dungeon: &str) -> usize {
    let letters = |ids: &mut dyn Iterator<Item = &String>| -> usize {
        ids.map(|id| text(vm.registry().get("room", id).unwrap(), "text").chars().count()).sum()
    };
    let (mut all, mut twice) = (0, 0);
    for seed in 0..PAIRS {
        let (one, other) = (drawn(vm, dungeon, 2 * seed), drawn(vm, dungeon, 2 * seed + 1));
        all += letters(&mut one.iter());
        twice += letters(&mut one.intersection(&other));
    }
    100 * twice / all
}

/// Rooms, fragments, checks and foes of each dungeon.
fn dungeons(vm: &Vm, page: &mut String) {
    let registry = vm.registry();
    writeln!(page, "| dungeon | size | rooms: pool, run | repeated % | fragments: pool, run | checks: ATK, DEF, CAR, INT | foes by tier | boss's lines |").unwrap();
    writeln!(page, "|---|---|---|---|---|---|---|---|").unwrap();
    let mut sizes = BTreeMap::<&str, usize>::new();
    for place in registry.active_definitions("dungeon") {
        let id = place.id.as_str();
        let size = SIZES.iter().find(|size| size.0 == text(place, "size")).unwrap();
        *sizes.entry(size.0).or_default() += 1;
        let rooms = of(registry, "room", "dungeon", id);
        assert!(2 * rooms.len() >= 3 * size.1, "{id}: {} rooms", rooms.len());
        let texts: BTreeSet<&str> = rooms.iter().map(|room| text(room, "text")).collect();
        assert_eq!(texts.len(), rooms.len(), "{id}: two rooms say the same");
        let truths = truths_of(registry, id);
        let leaves =
            truths.iter().map(|one| of(registry, "fragment", "truth", &one.id.to_string()));
        let leaves: Vec<_> = leaves.collect();
        let fewest = leaves.iter().map(Vec::len).min().unwrap();
        assert!(2 * fewest >= 3 * size.2, "{id}: {fewest} fragments");
        let by_pillar = checks(&rooms);
        let all: usize = by_pillar.iter().sum();
        assert!(by_pillar.iter().all(|count| 5 * count >= all), "{id}: {by_pillar:?} of {all}");
        let foes = of(registry, "foe", "dungeon", id);
        let tiers =
            [1, 2, 3, 4, 5].map(|tier| foes.iter().filter(|foe| int(foe, "tier") == tier).count());
        assert_eq!(tiers[4], 1, "{id}: one boss");
        let boss = registry.get("foe", text(place, "boss")).unwrap();
        let besides = of(registry, "aspect", "foe", boss.id.as_str());
        let speaking = besides.iter().copied().chain([boss]);
        let lines: Vec<_> =
            speaking.flat_map(|one| one.get("dialogue").unwrap().as_list().unwrap()).collect();
        let told: BTreeSet<_> = lines
            .iter()
            .flat_map(|line| line.get("needs").unwrap().as_list().unwrap())
            .filter_map(|need| need.as_text())
            .collect();
        for leaf in leaves.iter().flatten() {
            assert!(told.contains(leaf.id.to_string().as_str()), "{id}: the boss on {}", leaf.id);
        }
        let fragments: Vec<_> = leaves.iter().map(|own| own.len().to_string()).collect();
        let fragments = fragments.join(" or ");
        assert!(
            ["decisive", "parley", "peace"].iter().all(|field| boss.get(field).is_some()),
            "{id}"
        );
        let hundred =
            by_pillar.map(|count| format!("{count} ({} %)", 100 * count / all)).join(", ");
        writeln!(
            page,
            "| {} | {} | {}, {} | {} | {fragments}, {} | {hundred} | {} | {} |",
            text(place, "name"),
            size.0,
            rooms.len(),
            size.1,
            repeated(vm, id),
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
fn foes(registry: &Registry, page: &mut String) {
    let all: Vec<&Definition> = registry.active_definitions("foe").collect();
    let tiers =
        [1, 2, 3, 4, 5].map(|tier| all.iter().filter(|foe| int(foe, "tier") == tier).count());
    let shifted = all
        .iter()
        .filter(|foe| ["guard", "wit", "mind"].iter().any(|face| int(foe, face) != 0))
        .count();
    for foe in &all {
        assert!(foe.get("on_answer").is_some(), "{}: nothing of its own", foe.id);
        assert!(!text(foe, "weakness").is_empty(), "{}: no weakness", foe.id);
    }
    assert!(
        tiers[..4].iter().sum::<usize>() >= 48
            && tiers[..4].iter().all(|count| *count > 0)
            && tiers[4] >= 8,
        "{tiers:?}"
    );
    writeln!(page, "- foes: {} in tiers of {}, {}, {} and {}; bosses: {}; each with its own answer and weakness; guard, wit or mind shifted in {shifted}",
        tiers[..4].iter().sum::<usize>(), tiers[0], tiers[1], tiers[2], tiers[3], tiers[4]).unwrap();
}

/// The number of definitions of a kind that each standing unlocks.
fn by_standing(all: &[&Definition]) -> String {
    let mut counts = BTreeMap::<i64, usize>::new();
    for one in all {
        *counts.entry(int(one, "standing")).or_default() += 1;
    }
    counts
        .iter()
        .map(|(standing, count)| format!("{standing}: {count}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn words_and_skills(registry: &Registry, page: &mut String) {
    let words: Vec<&Definition> = registry.active_definitions("spell").collect();
    for column in ["attack", "defense"] {
        let these: Vec<_> =
            words.iter().copied().filter(|word| text(word, "column") == column).collect();
        assert!(these.len() >= 16, "{column}: {}", these.len());
        writeln!(
            page,
            "- words of {column}: {}; by the standing that opens them: {}",
            these.len(),
            by_standing(&these)
        )
        .unwrap();
    }
    let scrolls = words
        .iter()
        .filter(|word| word.get("scroll_only").and_then(|only| only.as_bool()) == Some(true))
        .count();
    assert!(words.len() >= 32 && scrolls >= 8, "{} words, {scrolls} on scrolls only", words.len());
    writeln!(page, "- of them found only as scrolls: {scrolls}").unwrap();
    let skills: Vec<&Definition> = registry.active_definitions("skill").collect();
    let standings: BTreeSet<i64> = skills.iter().map(|skill| int(skill, "standing")).collect();
    assert!(skills.len() >= 20 && standings.first() == Some(&5) && standings.last() == Some(&15));
    writeln!(
        page,
        "- skills: {}; by the standing that opens them: {}",
        skills.len(),
        by_standing(&skills)
    )
    .unwrap();
}

fn gear(registry: &Registry, page: &mut String) {
    let mut rarities = BTreeMap::<&str, usize>::new();
    let (mut kept, mut alone) = (BTreeSet::new(), BTreeMap::<&str, BTreeSet<&str>>::new());
    for piece in registry.active_definitions("piece") {
        let rarity = text(piece, "rarity");
        *rarities.entry(rarity).or_default() += 1;
        let effect = text(piece, "effect");
        if !effect.is_empty() {
            alone.entry(effect).or_default().insert(piece.id.as_str());
            if rarity != "legendary" {
                kept.insert(effect);
            }
        }
        assert!(
            rarity != "legendary" || !effect.is_empty(),
            "{}: legendary, and does nothing",
            piece.id
        );
    }
    for piece in
        registry.active_definitions("piece").filter(|piece| text(piece, "rarity") == "legendary")
    {
        assert_eq!(
            alone[text(piece, "effect")].len(),
            1,
            "{}: its effect stands elsewhere too",
            piece.id
        );
    }
    let all: usize = rarities.values().sum();
    assert!(
        all >= 60 && rarities["legendary"] >= 12 && kept.len() >= 30,
        "{rarities:?}, {} kept",
        kept.len()
    );
    writeln!(
        page,
        "- pieces of gear: {all}; {}",
        ["common", "uncommon", "rare", "epic", "legendary"]
            .map(|rarity| format!("{rarity} {}", rarities.get(rarity).copied().unwrap_or_default()))
            .join(", ")
    )
    .unwrap();
    writeln!(
        page,
        "- effects: {}; kept by relics: {}; of a legendary piece alone: {}",
        registry.active_definitions("effect").count(),
        kept.len(),
        rarities["legendary"]
    )
    .unwrap();
    let consumables: Vec<&Definition> = registry.active_definitions("consumable").collect();
    writeln!(
        page,
        "- consumables: {}; by the standing that opens them: {}",
        consumables.len(),
        by_standing(&consumables)
    )
    .unwrap();
    assert!(consumables.len() >= 8);
}

/// The unlocks of each standing, as the page lists them.
fn standings(vm: &Vm, page: &mut String) {
    let shown = vm.page("sub_rosa:standing", &Value::map()).unwrap();
    let items = shown.widgets.iter().find_map(|placed| match &placed.widget {
        Widget::List { items, .. } => Some(items),
        _ => None,
    });
    let items = items.unwrap();
    let opening = items.iter().filter(|item| !item.note.contains("as at every one")).count();
    assert!(items.len() == 20 && opening >= 15, "{opening} of {}", items.len());
    let achievements = vm.registry().active_definitions("achievement").count();
    assert!(achievements >= 30, "{achievements}");
    writeln!(page, "- achievements: {achievements}\n- standings up to the twentieth that open something: {opening}\n").unwrap();
    writeln!(page, "| standing | opens |\n|---|---|").unwrap();
    for (at, item) in items.iter().enumerate() {
        writeln!(page, "| {} | {} |", at + 1, item.note).unwrap();
    }
}

#[test]
fn the_game_is_whole() {
    let vm = vm_of(&["base_game"]);
    let mut page = String::new();
    dungeons(&vm, &mut page);
    page.push('\n');
    foes(vm.registry(), &mut page);
    words_and_skills(vm.registry(), &mut page);
    gear(vm.registry(), &mut page);
    standings(&vm, &mut page);
    println!("{page}");
}
