//! Which key is whose: the same for as long as a question stands, so that what is spent leaves a gap,
//! and the same from question to question for what wishes for one. A key acts at once.

use std::collections::{BTreeMap, BTreeSet};

use super::laid::{Laid, Page, Standing};
use crate::play::Prompt;

/// Keys in the order in which those without a wish get them; what is bound to something else is left out.
const ORDER: &str = "1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Those of them that are typed without a second finger.
const EASY: &str = "1234567890abcdefghijklmnopqrstuvwxyz";

/// Most things whose key is known from one question to the next.
const MOST_KNOWN: usize = 2000;

/// Most keys that a question gives out without giving any twice.
const MOST: usize = 40;

/// What had which key when it was asked last.
#[derive(Clone, Debug, Default)]
pub struct ChoiceKeys {
    standing: Standing,
    /// By where it stands (the question itself, or a page of it) and what it is.
    held: BTreeMap<(String, String), char>,
    /// What was met in the game, by its id, with the keys that it had, the first one first: where that
    /// is another's for once, it has the next.
    known: BTreeMap<String, Vec<char>>,
    /// The keys that anything ever had where one is, by scene and title.
    had: BTreeMap<(String, String), BTreeSet<char>>,
    /// The keys that anything had anywhere.
    ever: BTreeSet<char>,
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

/// Something that is to have a key.
#[derive(Clone, Copy, Default)]
struct Wish<'a> {
    id: &'a str,
    /// The key that it wishes for.
    key: Option<char>,
    /// Whether it has that key again which it had when it was met before.
    again: bool,
    /// Whether it goes along from place to place, as what stands on a page does.
    carried: bool,
}

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
        let place = (prompt.scene.clone(), title.to_owned());
        // Questions of the host are lists that one reads from the top.
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
        // What stands on pages has keys of its own, so that it can be taken where it is in sight. Where
        // there are not enough for all, each page begins anew.
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
                // A page is closed by the key that opened it.
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
        // Whoever wishes first has it; the other takes the next letter that is free. What was met
        // before comes after all wishes, with the key that it had first before any that it had since.
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
            // Digits are left to what one decides between.
            let usual = if one.id.starts_with(' ') { ORDER.find('a') } else { None };
            let wished = one.key.and_then(|wish| ORDER.find(wish));
            let from = wished.or(usual).unwrap_or(0);
            let mut order = ORDER[from..].chars().chain(ORDER[..from].chars());
            let free = |key: &char| is_free(*key) && !taken.contains(key);
            // What something had that is gone stays a gap, as long as there are others.
            let had = |key: &char| one.again && had.is_some_and(|had| had.contains(key));
            // What goes along has one that nothing had anywhere: it is to keep it.
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
