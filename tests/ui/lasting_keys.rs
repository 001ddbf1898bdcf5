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
    /// Lists, and those of them in which whatever asks for no key has a digit.
    list_count: usize,
    numbered_list_count: usize,
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
        let has_no_wish = |at: &usize| prompt.choices[*at].preferred_key.is_none();
        let listed = layout.top_level.iter().zip(&assigned.top_level);
        let keys_without_wish: Vec<char> =
            listed.filter(|(at, _)| has_no_wish(at)).filter_map(|(_, key)| *key).collect();
        if !keys_without_wish.is_empty() {
            changes.list_count += 1;
            let is_numbered = keys_without_wish.iter().all(char::is_ascii_digit);
            changes.numbered_list_count += usize::from(is_numbered);
        }
        let place = format!("{} {title}", prompt.scene);
        if let Some((earlier_place, earlier_owners)) = &previous
            && *earlier_place == place
        {
            // With nothing in common but the way back, it is another list.
            let others = |owners: &BTreeMap<char, String>| {
                owners.iter().filter(|(key, _)| **key != '0').map(|(_, id)| id.clone()).collect()
            };
            let (offered, earlier): (BTreeSet<_>, BTreeSet<_>) =
                (others(&key_owners), others(earlier_owners));
            let has_common = !offered.is_disjoint(&earlier);
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
            println!("  {} of {} lists numbered", changes.numbered_list_count, changes.list_count);
            println!("  {:?}", changes.changed_choices.iter().take(12).collect::<Vec<_>>());
            println!("  {:?}", changes.changed_submenus.iter().take(6).collect::<Vec<_>>());
            println!("  {:?}", changes.reused_keys.iter().take(12).collect::<Vec<_>>());
            assert!(changes.compared_count > 30, "{game}");
            // Another list begins with 1 again; few choices stand so long that letters are needed.
            let (numbered, lists) = (changes.numbered_list_count, changes.list_count);
            assert!(numbered * 3 >= lists * 2 || lists < 30, "{game}: {numbered} of {lists} lists");
            // A game may ask for a key that a choice had, and keys are few.
            let changed = changes.changed_choices.len();
            assert!(changed * 50 <= changes.compared_count, "{:?}", changes.changed_choices);
            assert!(changes.changed_submenus.is_empty(), "{:?}", changes.changed_submenus);
            let reused = changes.reused_keys.len();
            assert!(reused * 50 <= changes.compared_count, "{:?}", changes.reused_keys);
        }
    }
}
