//! Which key takes which choice. A key stays the same while the prompt repeats, so a choice that
//! disappears leaves a gap; a preferred key also stays the same across prompts. Pressing a key
//! takes the choice at once.

use std::collections::{BTreeMap, BTreeSet};

use super::laid::{Laid, Page, Standing};
use crate::play::Prompt;

/// The order in which keys are assigned to choices without a preferred key. Keys bound to actions
/// are skipped.
const ORDER: &str = "1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The keys that need no Shift.
const EASY: &str = "1234567890abcdefghijklmnopqrstuvwxyz";

/// How many choices are remembered across prompts.
const MOST_KNOWN: usize = 2000;

/// How many keys one prompt can assign without duplicates.
const MOST: usize = 40;

/// The keys assigned so far.
#[derive(Clone, Debug, Default)]
pub struct ChoiceKeys {
    standing: Standing,
    /// The keys of the current prompt, by list (`""` or the id of a submenu) and choice id.
    held: BTreeMap<(String, String), char>,
    /// The keys of each choice of the game by id, oldest first. If its first key is taken, a choice
    /// gets its next one.
    known: BTreeMap<String, Vec<char>>,
    /// All keys ever assigned at a place, by scene and title.
    had: BTreeMap<(String, String), BTreeSet<char>>,
    /// All keys ever assigned.
    ever: BTreeSet<char>,
}

/// The keys of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Keys of the top-level choices.
    pub whole: Vec<Option<char>>,
    /// Keys of the submenus.
    pub pages: Vec<Option<char>>,
    /// Keys of each submenu's choices.
    pub on_pages: Vec<Vec<Option<char>>>,
    /// Whether no key of a submenu's choice is used for anything else.
    pub one_space: bool,
}

/// A choice or submenu that needs a key.
#[derive(Clone, Copy, Default)]
struct Wish<'a> {
    id: &'a str,
    /// The key that it asks for.
    key: Option<char>,
    /// Whether it gets the key again that it had before.
    again: bool,
    /// Whether it keeps one key at all places, as choices in submenus do.
    carried: bool,
}

impl ChoiceKeys {
    /// Assigns a key to everything in a prompt. The prompt counts as repeated while its identity
    /// stays and one of its choices is still there.
    pub fn give(
        &mut self,
        prompt: &Prompt,
        title: &str,
        laid: &Laid,
        is_free: &dyn Fn(char) -> bool,
    ) -> Given {
        let without = prompt.choices.iter().filter(|choice| choice.key.is_none());
        let mut ids = without.map(|choice| &choice.id);
        let met = ids.any(|id| self.held.keys().any(|(_, held)| held == id));
        if !(self.standing.stays(prompt, title) && met) {
            self.held.clear();
        }
        let place = (prompt.scene.clone(), title.to_owned());
        // Host prompts are lists that are read from the top.
        let again = !prompt.scene.starts_with("host:");
        let wish = |at: &usize| {
            let choice = prompt.choices.get(*at);
            let wish = choice.map(|one| Wish { id: &one.id, key: one.key, again, carried: false });
            wish.unwrap_or_default()
        };
        let mut all: Vec<Wish<'_>> = laid.whole.iter().map(wish).collect();
        let whole = all.len();
        let names: Vec<String> = laid.pages.iter().map(|page| format!(" {}", page.id)).collect();
        let page = |(page, id): (&Page, _)| Wish { id, key: page.key, again, carried: false };
        all.extend(laid.pages.iter().zip(names.iter().map(|name| &**name)).map(page));
        let beside = all.len();
        let carried = |at: &usize| Wish { carried: true, ..wish(at) };
        let on_pages = laid.pages.iter().map(|page| page.choices.iter().map(carried).collect());
        let on_pages: Vec<Vec<Wish<'_>>> = on_pages.collect();
        // Choices in submenus have unique keys, so that they can be taken while they are visible.
        // If there are too few keys, each submenu starts again.
        let one_space = beside + on_pages.iter().map(Vec::len).sum::<usize>() <= MOST;
        if one_space {
            all.extend(on_pages.iter().flatten());
        }
        let mut given = self.of("", &place, &all, is_free);
        let mut together = given.split_off(beside);
        let pages = given.split_off(whole);
        let on_pages = laid.pages.iter().zip(&on_pages).zip(&pages).map(|((page, all), own)| {
            match one_space {
                true => together.drain(..all.len()).collect(),
                // The key that opened a submenu also closes it.
                false => self.of(&page.id, &place, all, &|key| is_free(key) && *own != Some(key)),
            }
        });
        let on_pages = on_pages.collect();
        Given { whole: given, pages, on_pages, one_space }
    }

    fn of(
        &mut self,
        space: &str,
        place: &(String, String),
        all: &[Wish<'_>],
        is_free: &dyn Fn(char) -> bool,
    ) -> Vec<Option<char>> {
        let held = |one: &Wish<'_>| self.held.get(&(space.to_owned(), one.id.to_owned()));
        let mut given: Vec<Option<char>> = all.iter().map(|one| held(one).copied()).collect();
        let mut taken: BTreeSet<char> = given.iter().flatten().copied().collect();
        // Preferred keys come first, in order; whoever comes late gets the next free letter. Then
        // come the keys of earlier prompts, oldest first.
        for (at, one) in all.iter().enumerate() {
            let Some(wish) = one.key.filter(|_| given[at].is_none()) else { continue };
            if is_free(wish) && taken.insert(wish) {
                given[at] = Some(wish);
            }
        }
        let met = |one: &Wish<'_>| self.known.get(one.id).filter(|_| one.again);
        let most = all.iter().filter_map(met).map(Vec::len).max().unwrap_or(0);
        for nth in 0..most {
            for (at, one) in all.iter().enumerate().filter(|(_, one)| one.again) {
                let known = met(one).and_then(|known| known.get(nth)).copied();
                let Some(key) = known.filter(|_| given[at].is_none()) else { continue };
                if is_free(key) && taken.insert(key) {
                    given[at] = Some(key);
                }
            }
        }
        let gone: BTreeSet<char> = {
            let there = self.held.iter().filter(|((of, _), _)| of == space);
            there.map(|(_, key)| *key).collect()
        };
        let had = self.had.get(place);
        for (at, one) in all.iter().enumerate() {
            if given[at].is_some() {
                continue;
            }
            // Submenus use letters; digits are left to the choices.
            let usual = if one.id.starts_with(' ') { ORDER.find('a') } else { None };
            let wished = one.key.and_then(|wish| ORDER.find(wish));
            let from = wished.or(usual).unwrap_or(0);
            let mut order = ORDER[from..].chars().chain(ORDER[..from].chars());
            let free = |key: &char| is_free(*key) && !taken.contains(key);
            // The key of a choice that is gone stays free while there are others.
            let had = |key: &char| one.again && had.is_some_and(|had| had.contains(key));
            // A choice that keeps its key gets one that was never used.
            let fresh = |key: &char| !self.ever.contains(key) && EASY.contains(*key);
            let goes_along = one.again && one.carried && wished.is_none();
            let own = order.clone().find(|key| goes_along && free(key) && fresh(key));
            let new = || order.clone().find(|key| free(key) && !gone.contains(key) && !had(key));
            let new = own.or_else(new);
            let new = new.or_else(|| order.clone().find(|key| free(key) && !gone.contains(key)));
            given[at] = new.or_else(|| order.find(free));
            taken.extend(given[at]);
        }
        if self.known.len() > MOST_KNOWN {
            (self.known, self.had, self.ever) = Default::default();
        }
        self.had.entry(place.clone()).or_default().extend(given.iter().flatten());
        for (one, key) in all.iter().zip(&given) {
            let Some(key) = *key else { continue };
            self.held.insert((space.to_owned(), one.id.to_owned()), key);
            if one.again {
                self.ever.insert(key);
                let known = self.known.entry(one.id.to_owned()).or_default();
                if !known.contains(&key) {
                    known.push(key);
                }
            }
        }
        given
    }
}
