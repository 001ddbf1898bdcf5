//! Which key takes which choice. A key stays the same while the prompt repeats, so a choice that
//! disappears leaves a gap; a preferred key also stays the same across prompts. Pressing a key
//! takes the choice at once.

use std::collections::{BTreeMap, BTreeSet};

use super::choice_layout::{ChoiceLayout, PromptIdentity, Submenu};
use crate::protocol::Prompt;

/// The order in which keys are assigned to choices without a preferred key. Keys bound to actions
/// are skipped.
const KEY_ORDER: &str = "1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The keys that need no Shift.
const UNSHIFTED_KEYS: &str = "1234567890abcdefghijklmnopqrstuvwxyz";

/// How many choices are remembered across prompts.
const MAX_REMEMBERED: usize = 2000;

/// How many keys one prompt can assign without duplicates.
const MAX_UNIQUE_KEYS: usize = 40;

/// The keys assigned so far.
#[derive(Clone, Debug, Default)]
pub struct ChoiceKeys {
    identity: PromptIdentity,
    /// The keys of the current prompt, by list (`""` or the id of a submenu) and choice id.
    current: BTreeMap<(String, String), char>,
    /// The keys of each choice of the game by id, oldest first. If its first key is taken, a choice
    /// gets its next one.
    remembered: BTreeMap<String, Vec<char>>,
    /// All keys ever assigned at a place, by scene and title.
    used_here: BTreeMap<(String, String), BTreeSet<char>>,
    /// All keys ever assigned.
    used_anywhere: BTreeSet<char>,
}

/// The keys of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssignedKeys {
    /// Keys of the top-level choices.
    pub top_level: Vec<Option<char>>,
    /// Keys of the submenus.
    pub submenus: Vec<Option<char>>,
    /// Keys of each submenu's choices.
    pub in_submenus: Vec<Vec<Option<char>>>,
    /// Whether no key of a submenu's choice is used for anything else.
    pub are_unique: bool,
}

/// A choice or submenu that needs a key.
#[derive(Clone, Copy, Default)]
struct KeyRequest<'a> {
    id: &'a str,
    /// The key that it asks for.
    preferred: Option<char>,
    /// Whether it gets the key again that it had before.
    reuses_key: bool,
    /// Whether it keeps one key at all places, as choices in submenus do.
    keeps_key: bool,
}

impl ChoiceKeys {
    /// Assigns a key to everything in a prompt. The prompt counts as repeated while its identity
    /// stays and one of its choices is still there.
    pub fn assign(
        &mut self,
        prompt: &Prompt,
        title: &str,
        layout: &ChoiceLayout,
        is_free: &dyn Fn(char) -> bool,
    ) -> AssignedKeys {
        let without = prompt.choices.iter().filter(|choice| choice.key.is_none());
        let mut ids = without.map(|choice| &choice.id);
        let met = ids.any(|id| self.current.keys().any(|(_, held)| held == id));
        if !(self.identity.update(prompt, title) && met) {
            self.current.clear();
        }
        let place = (prompt.scene.clone(), title.to_owned());
        // Host prompts are lists that are read from the top.
        let again = !prompt.scene.starts_with("host:");
        let request = |at: &usize| {
            let choice = prompt.choices.get(*at);
            let request = choice.map(|one| KeyRequest {
                id: &one.id,
                preferred: one.key,
                reuses_key: again,
                keeps_key: false,
            });
            request.unwrap_or_default()
        };
        let mut all: Vec<KeyRequest<'_>> = layout.top_level.iter().map(request).collect();
        let whole = all.len();
        let names: Vec<String> =
            layout.submenus.iter().map(|page| format!(" {}", page.id)).collect();
        let page = |(page, id): (&Submenu, _)| KeyRequest {
            id,
            preferred: page.key,
            reuses_key: again,
            keeps_key: false,
        };
        all.extend(layout.submenus.iter().zip(names.iter().map(|name| &**name)).map(page));
        let beside = all.len();
        let carried = |at: &usize| KeyRequest { keeps_key: true, ..request(at) };
        let on_pages =
            layout.submenus.iter().map(|page| page.choices.iter().map(carried).collect());
        let on_pages: Vec<Vec<KeyRequest<'_>>> = on_pages.collect();
        // Choices in submenus have unique keys, so that they can be taken while they are visible.
        // If there are too few keys, each submenu starts again.
        let one_space = beside + on_pages.iter().map(Vec::len).sum::<usize>() <= MAX_UNIQUE_KEYS;
        if one_space {
            all.extend(on_pages.iter().flatten());
        }
        let mut given = self.assign_in_space("", &place, &all, is_free);
        let mut together = given.split_off(beside);
        let pages = given.split_off(whole);
        let on_pages =
            layout.submenus.iter().zip(&on_pages).zip(&pages).map(|((page, all), own)| {
                match one_space {
                    true => together.drain(..all.len()).collect(),
                    // The key that opened a submenu also closes it.
                    false => self.assign_in_space(&page.id, &place, all, &|key| {
                        is_free(key) && *own != Some(key)
                    }),
                }
            });
        let on_pages = on_pages.collect();
        AssignedKeys {
            top_level: given,
            submenus: pages,
            in_submenus: on_pages,
            are_unique: one_space,
        }
    }

    fn assign_in_space(
        &mut self,
        space: &str,
        place: &(String, String),
        all: &[KeyRequest<'_>],
        is_free: &dyn Fn(char) -> bool,
    ) -> Vec<Option<char>> {
        let held = |one: &KeyRequest<'_>| self.current.get(&(space.to_owned(), one.id.to_owned()));
        let mut given: Vec<Option<char>> = all.iter().map(|one| held(one).copied()).collect();
        let mut taken: BTreeSet<char> = given.iter().flatten().copied().collect();
        // Preferred keys come first, in order; whoever comes late gets the next free letter. Then
        // come the keys of earlier prompts, oldest first.
        for (at, one) in all.iter().enumerate() {
            let Some(request) = one.preferred.filter(|_| given[at].is_none()) else { continue };
            if is_free(request) && taken.insert(request) {
                given[at] = Some(request);
            }
        }
        let met = |one: &KeyRequest<'_>| self.remembered.get(one.id).filter(|_| one.reuses_key);
        let most = all.iter().filter_map(met).map(Vec::len).max().unwrap_or(0);
        for nth in 0..most {
            for (at, one) in all.iter().enumerate().filter(|(_, one)| one.reuses_key) {
                let known = met(one).and_then(|known| known.get(nth)).copied();
                let Some(key) = known.filter(|_| given[at].is_none()) else { continue };
                if is_free(key) && taken.insert(key) {
                    given[at] = Some(key);
                }
            }
        }
        let gone: BTreeSet<char> = {
            let there = self.current.iter().filter(|((of, _), _)| of == space);
            there.map(|(_, key)| *key).collect()
        };
        let had = self.used_here.get(place);
        for (at, one) in all.iter().enumerate() {
            if given[at].is_some() {
                continue;
            }
            // Submenus use letters; digits are left to the choices.
            let usual = if one.id.starts_with(' ') { KEY_ORDER.find('a') } else { None };
            let wished = one.preferred.and_then(|request| KEY_ORDER.find(request));
            let from = wished.or(usual).unwrap_or(0);
            let mut order = KEY_ORDER[from..].chars().chain(KEY_ORDER[..from].chars());
            let free = |key: &char| is_free(*key) && !taken.contains(key);
            // The key of a choice that is gone stays free while there are others.
            let had = |key: &char| one.reuses_key && had.is_some_and(|had| had.contains(key));
            // A choice that keeps its key gets one that was never used.
            let fresh =
                |key: &char| !self.used_anywhere.contains(key) && UNSHIFTED_KEYS.contains(*key);
            let goes_along = one.reuses_key && one.keeps_key && wished.is_none();
            let own = order.clone().find(|key| goes_along && free(key) && fresh(key));
            let new = || order.clone().find(|key| free(key) && !gone.contains(key) && !had(key));
            let new = own.or_else(new);
            let new = new.or_else(|| order.clone().find(|key| free(key) && !gone.contains(key)));
            given[at] = new.or_else(|| order.find(free));
            taken.extend(given[at]);
        }
        if self.remembered.len() > MAX_REMEMBERED {
            (self.remembered, self.used_here, self.used_anywhere) = Default::default();
        }
        self.used_here.entry(place.clone()).or_default().extend(given.iter().flatten());
        for (one, key) in all.iter().zip(&given) {
            let Some(key) = *key else { continue };
            self.current.insert((space.to_owned(), one.id.to_owned()), key);
            if one.reuses_key {
                self.used_anywhere.insert(key);
                let known = self.remembered.entry(one.id.to_owned()).or_default();
                if !known.contains(&key) {
                    known.push(key);
                }
            }
        }
        given
    }
}
