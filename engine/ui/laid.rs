//! Choice layout: which choices of a prompt are in the top-level list and which are in submenus.
//! The game says which choices belong together; nothing here depends on a certain game.

use std::sync::Arc;

use crate::kit::text;
use crate::play::{Ask, Choice, Group, Prompt};

/// The most entries at the top level, each with a key. Further ones go to submenus.
const MOST: usize = 36;
/// The most choices that a prompt shows at once when groups can collapse.
const IN_SIGHT: usize = 7;
/// The most rows for the text, the choices and the submenus of a prompt. In a window of 24 rows
/// this leaves twelve to the story.
const ROWS: usize = 8;
/// The columns of a row in such a window.
const COLUMNS: usize = 78;
/// The submenu of choices without a group.
const FURTHER: &str = "More";

/// The layout of a prompt's choices. Numbers are indices into the prompt's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Laid {
    /// The top-level choices, in order.
    pub whole: Vec<usize>,
    /// The submenus, in order.
    pub pages: Vec<Page>,
}

/// Choices behind one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The id: that of the group, or the host's own word.
    pub id: String,
    /// The heading, as marked text.
    pub name: String,
    /// The preferred key.
    pub key: Option<char>,
    /// The choices.
    pub choices: Vec<usize>,
}

/// Identifies a prompt: by its scene and by the view's title, which says where the player is.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    scene: String,
    title: String,
}

impl Standing {
    /// Stores the new identity; returns whether it is the same as before.
    pub fn stays(&mut self, prompt: &Prompt, title: &str) -> bool {
        let stays = self.scene == prompt.scene && self.title == title;
        (self.scene, self.title) = (prompt.scene.clone(), title.to_owned());
        stays
    }
}

impl Laid {
    /// Lays out the choices of a prompt.
    pub fn of(prompt: &Prompt) -> Self {
        let all = prompt.choices.len();
        if prompt.ask != Ask::One {
            return Self { whole: (0..all).collect(), pages: Vec::new() };
        }
        let mut order: Vec<usize> = (0..all).collect();
        let group = |at: &usize| prompt.choices[*at].group.as_ref();
        order.sort_by_key(|at| group(at).map_or(-1, |group| group.order));
        let on_page = |at: &usize| is_paged(&prompt.choices[*at]);
        let (paged, whole): (Vec<usize>, Vec<usize>) = order.into_iter().partition(on_page);
        let mut laid = Self { whole, pages: Vec::new() };
        for at in paged {
            let page = Page::of(group(&at));
            match laid.pages.iter_mut().find(|other| other.id == page.id) {
                Some(other) => other.choices.push(at),
                None => laid.pages.push(Page { choices: vec![at], ..page }),
            }
        }
        laid.folded(prompt);
        laid.unfolded(prompt).within(MOST)
    }

    /// Collapses groups into submenus while too much is visible: first their disabled choices, and
    /// the last group first. In a repeating prompt, disabled choices always collapse.
    fn folded(&mut self, prompt: &Prompt) {
        let group = |at: usize| prompt.choices[at].group.as_ref().filter(|group| group.folds);
        let mut foldable: Vec<&Arc<Group>> =
            self.whole.iter().filter_map(|at| group(*at)).collect();
        foldable.dedup_by(|one, other| one.id == other.id);
        for closed in [true, false] {
            for of in foldable.iter().rev() {
                let goes = |at: &usize| {
                    let one = group(*at).is_some_and(|group| group.id == of.id);
                    one && (!closed || prompt.choices[*at].closed.is_some())
                };
                let (folds, whole): (Vec<usize>, Vec<usize>) =
                    self.whole.iter().partition(|at| goes(at));
                let there = self.pages.iter().position(|page| page.id == of.id);
                // A submenu with one choice saves no row, unless it fits beside others.
                let now = closed && prompt.rounds;
                let more = Page { choices: folds.clone(), ..Page::of(Some(*of)) };
                let more = there.is_none().then_some(&more);
                let fits = rows_of(self.pages.iter().chain(more)) == rows_of(self.pages.iter());
                if !(now || self.is_long(prompt)) || folds.is_empty() {
                    continue;
                }
                if folds.len() < 2 && !fits && !now {
                    continue;
                }
                self.whole = whole;
                match there {
                    Some(at) => self.pages[at].choices.extend(folds),
                    None => self.pages.push(Page { choices: folds, ..Page::of(Some(*of)) }),
                }
            }
        }
        let order = |page: &Page| {
            let first = page.choices.first().and_then(|at| prompt.choices[*at].group.as_ref());
            first.map_or(-1, |group| group.order)
        };
        self.pages.sort_by_key(order);
        self.pages.iter_mut().for_each(|page| page.choices.sort_unstable());
    }

    /// Whether more is visible than fits.
    fn is_long(&self, prompt: &Prompt) -> bool {
        let rows = self.whole.len() + rows_of(self.pages.iter());
        let words = text::width(&prompt.text).div_ceil(COLUMNS);
        self.whole.len() > IN_SIGHT || rows + words > ROWS
    }

    /// Expands the first submenu if no top-level choice is open, unless the list would be long.
    fn unfolded(mut self, prompt: &Prompt) -> Self {
        let open = |at: &usize| prompt.choices[*at].closed.is_none();
        if !self.whole.iter().any(open) {
            let first = self.pages.iter().position(|page| page.choices.iter().any(open));
            let short = |page: &Page| self.whole.len() + page.choices.len() <= IN_SIGHT;
            if let Some(at) = first.filter(|at| self.pages.len() == 1 || short(&self.pages[*at])) {
                self.whole.append(&mut self.pages.remove(at).choices);
            }
        }
        self
    }

    /// Limits the top level to the number of keys.
    fn within(mut self, most: usize) -> Self {
        if self.whole.len() + self.pages.len() > most {
            let room = most.saturating_sub(self.pages.len() + self.whole.len() / most);
            let more = self.whole.split_off(room.min(self.whole.len()));
            for (at, choices) in more.chunks(most).enumerate() {
                let id = format!("{FURTHER} {at}");
                let choices = choices.to_vec();
                self.pages.push(Page { id, name: FURTHER.to_owned(), key: None, choices });
            }
        }
        self
    }

    /// All choices in listing order: those in submenus come last.
    pub fn in_order(&self) -> impl Iterator<Item = usize> {
        self.whole.iter().chain(self.pages.iter().flat_map(|page| &page.choices)).copied()
    }
}

impl Page {
    fn of(group: Option<&Arc<Group>>) -> Self {
        match group {
            Some(group) => Self {
                id: group.id.clone(),
                name: group.name.clone(),
                key: group.key,
                choices: Vec::new(),
            },
            None => Self { id: FURTHER.to_owned(), name: FURTHER.to_owned(), ..Self::default() },
        }
    }

    /// The only choice, if it asks for the submenu's own key: then the key takes it at once.
    pub fn only(&self, prompt: &Prompt) -> Option<usize> {
        let [at] = self.choices[..] else { return None };
        (self.key.is_some() && prompt.choices.get(at)?.key == self.key).then_some(at)
    }
}

/// The rows that submenus take, each with its key, its name and its count.
fn rows_of<'a>(pages: impl Iterator<Item = &'a Page>) -> usize {
    let widths = pages.map(|page| text::width(&page.name) + "k  (n)   ".len());
    let (mut rows, mut used) = (0, COLUMNS);
    for width in widths {
        used += width;
        if used > COLUMNS {
            (rows, used) = (rows + 1, width);
        }
    }
    rows
}

/// Whether a choice is in a submenu.
fn is_paged(choice: &Choice) -> bool {
    choice.page || choice.group.as_ref().is_some_and(|group| group.page)
}
