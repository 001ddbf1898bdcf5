//! The visible part of a prompt: the top-level choices with the submenus, one submenu, or a
//! confirmation. Each entry has its own key.

use super::super::choice_keys::Given;
use super::super::facts;
use super::super::laid::Laid;
use crate::kit::text::escape;
use crate::play::{Choice, Prompt};

/// Which part of a prompt is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Open {
    /// The top-level choices and the submenus.
    #[default]
    Whole,
    /// A submenu.
    Page(usize),
    /// The confirmation of a choice, by its index in the prompt.
    Sure(usize),
}

/// A submenu as its row shows it.
pub(super) struct PageLine {
    pub(super) key: Option<char>,
    pub(super) name: String,
    /// The only choice, which stands here directly, by its index in the prompt.
    pub(super) only: Option<usize>,
    /// Its choices.
    pub(super) each: Vec<OnPage>,
    /// How many of them the row shows: their keys work.
    pub(super) shown: usize,
}

/// A choice of a submenu as the submenu's row shows it.
pub(super) struct OnPage {
    pub(super) key: Option<char>,
    pub(super) label: String,
    pub(super) closed: bool,
}

impl OnPage {
    /// This part of the label; in brackets if the choice is disabled.
    pub(super) fn marked(&self, words: &str) -> String {
        if self.closed { format!("({words})") } else { words.to_owned() }
    }
}

impl PageLine {
    /// The labels of its choices.
    pub(super) fn holds(&self) -> String {
        self.each.iter().map(|one| one.marked(&one.label)).collect::<Vec<_>>().join(", ")
    }
}

/// The visible part of a prompt.
#[derive(Default)]
pub(super) struct Sight {
    pub(super) open: Open,
    /// The visible choices, in order.
    pub(super) choices: Vec<Choice>,
    /// Their indices in the prompt.
    pub(super) at: Vec<usize>,
    /// Their keys.
    pub(super) keys: Vec<Option<char>>,
    /// The submenus that can be opened from here.
    pub(super) pages: Vec<PageLine>,
    /// The text shown instead of the prompt's text.
    pub(super) text: Option<String>,
    laid: Laid,
    given: Given,
}

impl Sight {
    /// Shows the top level.
    pub(super) fn new(prompt: &Prompt, laid: Laid, given: Given) -> Self {
        let mut sight = Self { laid, given, ..Self::default() };
        sight.show(prompt, Open::Whole);
        sight
    }

    /// How many entries can be focused: choices, then submenus.
    pub(super) fn entries(&self) -> usize {
        self.choices.len() + self.pages.len()
    }

    /// The visible keys, in short.
    pub(super) fn keys_shown(&self) -> String {
        let pages = self.pages.iter().map(|page| &page.key);
        let keys: String = self.keys.iter().chain(pages).flatten().collect();
        let last = keys.chars().last().unwrap_or('1');
        match keys.len() {
            0 | 1 => last.to_string(),
            count if "123456789".starts_with(&keys) => format!("1-{count}"),
            _ => "key".to_owned(),
        }
    }

    /// The entry with this key.
    pub(super) fn with_key(&self, key: char) -> Option<usize> {
        let pages = self.pages.iter().map(|page| &page.key);
        self.keys.iter().chain(pages).position(|of| *of == Some(key))
    }

    /// Whether this key opened the current submenu and has no other meaning here.
    pub(super) fn opened_by(&self, key: char) -> bool {
        let Open::Page(page) = self.open else { return false };
        self.given.pages.get(page) == Some(&Some(key)) && self.with_key(key).is_none()
    }

    /// The submenu whose row shows a choice with this key, and the index of that choice.
    pub(super) fn on_page(&self, key: char) -> Option<(usize, usize)> {
        let mut pages = self.pages.iter().enumerate();
        pages.find_map(|(at, page)| {
            let mut shown = page.each.iter().take(page.shown);
            let each = shown.position(|one| one.key == Some(key))?;
            Some((at, each))
        })
    }

    /// The submenu at a focus position.
    pub(super) fn page_of(&self, focus: usize) -> Option<usize> {
        let page = focus.checked_sub(self.choices.len())?;
        (page < self.pages.len()).then_some(page)
    }

    /// The id of the submenu at a focus position.
    pub(super) fn page_id(&self, focus: usize) -> Option<&str> {
        self.laid.pages.get(self.page_of(focus)?).map(|page| &*page.id)
    }

    /// Shows the choices of a submenu, or the top level.
    pub(super) fn show(&mut self, prompt: &Prompt, open: Open) {
        self.open = open;
        self.pages.clear();
        self.text = None;
        match open {
            Open::Whole | Open::Sure(_) => {
                (self.at, self.keys) = (self.laid.whole.clone(), self.given.whole.clone());
                let keys = self.given.pages.iter().zip(&self.given.on_pages);
                self.pages.extend(self.laid.pages.iter().zip(keys).map(|(page, (key, keys))| {
                    let own = |key: &Option<char>| key.filter(|_| self.given.one_space);
                    let held = page.choices.iter().filter_map(|at| prompt.choices.get(*at));
                    let each = held.zip(keys).map(|(choice, key)| OnPage {
                        key: own(key),
                        label: facts::line(&choice.label),
                        closed: choice.closed.is_some(),
                    });
                    PageLine {
                        key: *key,
                        name: facts::line(&page.name),
                        only: page.only(prompt),
                        each: each.collect(),
                        shown: 0,
                    }
                }));
            }
            Open::Page(at) => {
                let Some(page) = self.laid.pages.get(at) else { return };
                self.text = Some(format!("*{}*", page.name));
                self.at = page.choices.clone();
                self.keys = self.given.on_pages.get(at).cloned().unwrap_or_default();
            }
        }
        let choices = self.at.iter().filter_map(|at| prompt.choices.get(*at));
        self.choices = choices.cloned().collect();
    }

    /// Asks for confirmation of a choice. Neither answer has the key that was pressed, and "no" has
    /// the focus, so repeating the key takes nothing.
    pub(super) fn ask_sure(
        &mut self,
        prompt: &Prompt,
        at: usize,
        pressed: Option<char>,
        is_free: &dyn Fn(char) -> bool,
    ) {
        let Some(choice) = prompt.choices.get(at) else { return };
        let key = |wishes: &str| wishes.chars().find(|key| is_free(*key) && Some(*key) != pressed);
        let yes = format!("Yes: {}", escape(&facts::choice_label(choice)));
        let made = |label: &str| Choice { label: label.to_owned(), ..Choice::default() };
        self.text = Some(facts::dear(choice));
        self.open = Open::Sure(at);
        self.choices = vec![made("No"), made(&yes)];
        self.at = vec![at, at];
        self.keys = vec![key("n0N"), key("y9Y")];
        self.pages.clear();
    }
}
