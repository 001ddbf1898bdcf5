//! Which key is whose: the same for as long as a question stands, so that what is spent leaves a gap,
//! and the same from question to question for what wishes for one. A key acts at once.

use std::collections::{BTreeMap, BTreeSet};

use super::laid::{Laid, Standing};
use crate::play::Prompt;

/// Keys in the order in which those without a wish get them; what is bound to something else is left out.
const ORDER: &str = "1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Most keys that a question gives out without giving any twice.
const MOST: usize = 40;

/// What had which key when it was asked last.
#[derive(Clone, Debug, Default)]
pub struct ChoiceKeys {
    standing: Standing,
    /// By where it stands (the question itself, or a page of it) and what it is.
    held: BTreeMap<(String, String), char>,
}

/// The keys of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Those of the choices that stand whole.
    pub whole: Vec<Option<char>>,
    /// Those of the pages.
    pub pages: Vec<Option<char>>,
    /// Those of each page's choices.
    pub on_pages: Vec<Vec<Option<char>>>,
    /// Whether no key of a page's choice is anything else's.
    pub one_space: bool,
}

/// Something that is to have a key, and the one that it wishes for.
type Wish<'a> = (&'a str, Option<char>);

impl ChoiceKeys {
    /// Gives everything in a question its key. It is the same question as long as it stands and
    /// something of it is still there.
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
        let wish = |at: &usize| {
            prompt.choices.get(*at).map_or(("", None), |choice| (&*choice.id, choice.key))
        };
        let mut all: Vec<Wish<'_>> = laid.whole.iter().map(wish).collect();
        let whole = all.len();
        let names: Vec<String> = laid.pages.iter().map(|page| format!(" {}", page.id)).collect();
        all.extend(laid.pages.iter().zip(&names).map(|(page, name)| (&**name, page.key)));
        let beside = all.len();
        let on_pages = laid.pages.iter().map(|page| page.choices.iter().map(wish).collect());
        let on_pages: Vec<Vec<Wish<'_>>> = on_pages.collect();
        // What stands on pages has keys of its own, so that it can be taken where it is in sight. Where
        // there are not enough for all, each page begins anew.
        let one_space = beside + on_pages.iter().map(Vec::len).sum::<usize>() <= MOST;
        if one_space {
            all.extend(on_pages.iter().flatten());
        }
        let mut given = self.of("", &all, is_free);
        let mut together = given.split_off(beside);
        let pages = given.split_off(whole);
        let on_pages = laid.pages.iter().zip(&on_pages).zip(&pages).map(|((page, all), own)| {
            match one_space {
                true => together.drain(..all.len()).collect(),
                // A page is closed by the key that opened it.
                false => self.of(&page.id, all, &|key| is_free(key) && *own != Some(key)),
            }
        });
        let on_pages = on_pages.collect();
        Given { whole: given, pages, on_pages, one_space }
    }

    fn of(
        &mut self,
        space: &str,
        all: &[Wish<'_>],
        is_free: &dyn Fn(char) -> bool,
    ) -> Vec<Option<char>> {
        let held = |id: &str| self.held.get(&(space.to_owned(), id.to_owned())).copied();
        let mut given: Vec<Option<char>> = all.iter().map(|(id, _)| held(id)).collect();
        let mut taken: BTreeSet<char> = given.iter().flatten().copied().collect();
        // Whoever wishes first has it; the other takes the next letter that is free.
        for (at, (_, wish)) in all.iter().enumerate() {
            let Some(wish) = wish.filter(|_| given[at].is_none()) else { continue };
            if is_free(wish) && taken.insert(wish) {
                given[at] = Some(wish);
            }
        }
        let gone: BTreeSet<char> = {
            let there = self.held.iter().filter(|((of, _), _)| of == space);
            there.map(|(_, key)| *key).collect()
        };
        for (at, (_, wish)) in all.iter().enumerate() {
            if given[at].is_some() {
                continue;
            }
            let from = wish.and_then(|wish| ORDER.find(wish)).unwrap_or(0);
            let mut order = ORDER[from..].chars().chain(ORDER[..from].chars());
            let free = |key: &char| is_free(*key) && !taken.contains(key);
            // What something had that is gone stays a gap, as long as there are others.
            let new = order.clone().find(|key| free(key) && !gone.contains(key));
            given[at] = new.or_else(|| order.find(free));
            taken.extend(given[at]);
        }
        for ((id, _), key) in all.iter().zip(&given) {
            if let Some(key) = key {
                self.held.insert((space.to_owned(), (*id).to_owned()), *key);
            }
        }
        given
    }
}
