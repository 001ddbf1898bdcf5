//! Keys stay: of a choice in a kind of prompt, of a submenu through a run. The games' bots play.

use std::collections::{BTreeMap, BTreeSet};

use base::Value;
use session::Bot;
use ui::choice_keys::ChoiceKeys;
use ui::choice_layout::ChoiceLayout;
use ui::form::split_off_form;
use ui::full_screen::Keymap;

use crate::bundled;

const MAX_STEPS: u64 = 150;

/// What changed while a bot played.
#[derive(Default)]
struct KeyChanges {
    /// How many keys were compared with earlier ones.
    compared_count: usize,
    /// Choices whose key in a kind of prompt changed.
    changed_choices: Vec<String>,
    /// Submenus whose key changed.
    changed_submenus: Vec<String>,
    /// Keys of choices that were gone in the next prompt of a place, and had another choice there.
    reused_keys: Vec<String>,
}

fn play_and_compare_keys(game: &str, bot: &str, seed: u64) -> KeyChanges {
    let content = bundled::game_content(game, &[]);
    let (mut session, mut outcome) = bundled::start_session(&content, seed, &[], Value::map());
    let mut bot = Bot::new(bot, seed);
    let keymap = Keymap::default();
    let is_free = |key| keymap.reserved_action(key).is_none();
    let mut keys = ChoiceKeys::default();
    let mut changes = KeyChanges::default();
    let mut key_by_scene_and_id: BTreeMap<(String, String), char> = BTreeMap::new();
    let mut submenu_keys: BTreeMap<String, char> = BTreeMap::new();
    let mut previous: Option<(String, BTreeMap<char, String>)> = None;
    while session.run_outcome().is_none() && session.step_number() < MAX_STEPS {
        let (prompt, _) = split_off_form(session.prompt(), session.view());
        let title = &session.view().title;
        let layout = ChoiceLayout::from_prompt(&prompt);
        let assigned = keys.assign_keys(&prompt, title, &layout, &is_free);
        let listed = layout.top_level.iter().zip(&assigned.top_level);
        let in_submenus = layout.submenus.iter().zip(&assigned.submenu_choices);
        let in_submenus = in_submenus.flat_map(|(page, keys)| page.choices.iter().zip(keys));
        let in_submenus = in_submenus.filter(|_| assigned.are_unique);
        let mut key_owners = BTreeMap::new();
        for (index, key) in listed.chain(in_submenus) {
            let Some(key) = *key else { continue };
            let id = &prompt.choices[*index].id;
            // What a player reads beside a key: an id may also name who acts.
            key_owners.insert(key, prompt.choices[*index].label.clone());
            // A way belongs to its place.
            let is_way = !prompt.choices[*index].map_targets.is_empty();
            let kind =
                if is_way { format!("{} {title}", prompt.scene) } else { prompt.scene.clone() };
            let place = (kind, id.clone());
            if let Some(before) = key_by_scene_and_id.insert(place, key) {
                changes.compared_count += 1;
                if before != key {
                    changes.changed_choices.push(format!("{} {id}: {before} {key}", prompt.scene));
                }
            }
        }
        let pages = layout.submenus.iter().zip(&assigned.submenus);
        for (page, key) in pages.chain(layout.open_groups.iter().zip(&assigned.open_groups)) {
            let Some(key) = *key else { continue };
            key_owners.insert(key, format!("page {}", page.id));
            let before = submenu_keys.insert(page.id.clone(), key);
            if before.is_some_and(|before| before != key) {
                let scene = &prompt.scene;
                changes.changed_submenus.push(format!("{scene} {}: {before:?} {key}", page.id));
            }
        }
        let place = format!("{} {title}", prompt.scene);
        if let Some((earlier_place, earlier_owners)) = &previous
            && *earlier_place == place
        {
            let offered: BTreeSet<&String> = key_owners.values().collect();
            let has_common = earlier_owners.values().any(|id| offered.contains(id));
            for (key, id) in earlier_owners.iter().filter(|_| has_common) {
                if let Some(owner) = key_owners.get(key).filter(|owner| *owner != id) {
                    changes.reused_keys.push(format!("{place}: {key} {id} {owner}"));
                }
            }
        }
        previous = Some((place, key_owners));
        let input = bot.choose_input(&mut session, &outcome.events).unwrap();
        outcome = session.answer_prompt(&input).unwrap();
    }
    changes
}

#[test]
#[allow(clippy::print_stdout)]
fn a_choice_keeps_its_key_while_it_is_offered() {
    for game in bundled::embedded_game_ids() {
        let vm = bundled::load_vm(&bundled::game_content(&game, &[]));
        for (bot, seed) in vm.registry().active_definitions("bot").take(2).zip([4, 9]) {
            let changes = play_and_compare_keys(&game, bot.id.as_str(), seed);
            println!(
                "{game} {}: {} compared, {} changed, {} submenus changed, {} given at once to another",
                bot.id,
                changes.compared_count,
                changes.changed_choices.len(),
                changes.changed_submenus.len(),
                changes.reused_keys.len()
            );
            println!("  {:?}", changes.changed_choices.iter().take(12).collect::<Vec<_>>());
            println!("  {:?}", changes.changed_submenus.iter().take(6).collect::<Vec<_>>());
            println!("  {:?}", changes.reused_keys.iter().take(12).collect::<Vec<_>>());
            assert!(changes.compared_count > 30, "{game}");
            // A game may ask for a key that a choice had, and keys are few.
            let changed = changes.changed_choices.len();
            assert!(changed * 50 <= changes.compared_count, "{:?}", changes.changed_choices);
            assert!(changes.changed_submenus.is_empty(), "{:?}", changes.changed_submenus);
            let reused = changes.reused_keys.len();
            assert!(reused * 50 <= changes.compared_count, "{:?}", changes.reused_keys);
        }
    }
}
