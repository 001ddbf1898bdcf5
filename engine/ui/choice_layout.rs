//! Choice layout: which choices of a prompt are in the top-level list and which are in submenus.
//! The game says which choices belong together; nothing here depends on a certain game.

use std::sync::Arc;

use crate::base::text;
use crate::protocol::{AnswerType, Choice, ChoiceGroup, Prompt};

/// The most entries at the top level, each with a key. Further ones go to submenus.
const MAX_KEYS: usize = 36;
/// The most choices that a prompt shows at once when groups can collapse.
const MAX_VISIBLE: usize = 7;
/// The most rows for the text, the choices and the submenus of a prompt. In a window of 24 rows
/// this leaves twelve to the story.
const MAX_ROWS: usize = 8;
/// The columns of a row in such a window.
const COLUMNS: usize = 78;
/// The submenu of choices without a group.
const MORE: &str = "More";

/// The layout of a prompt's choices. Numbers are indices into the prompt's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChoiceLayout {
    /// The top-level choices, in order.
    pub top_level: Vec<usize>,
    /// The submenus, in order.
    pub submenus: Vec<Submenu>,
}

/// Choices behind one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submenu {
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
pub struct PromptIdentity {
    scene: String,
    title: String,
}

impl PromptIdentity {
    /// Stores the new identity; returns whether it is the same as before.
    pub fn update(&mut self, prompt: &Prompt, title: &str) -> bool {
        let stays = self.scene == prompt.scene && self.title == title;
        (self.scene, self.title) = (prompt.scene.clone(), title.to_owned());
        stays
    }
}

impl ChoiceLayout {
    /// Lays out the choices of a prompt.
    pub fn of(prompt: &Prompt) -> Self {
        let all = prompt.choices.len();
        if prompt.ask != AnswerType::One {
            return Self { top_level: (0..all).collect(), submenus: Vec::new() };
        }
        let mut order: Vec<usize> = (0..all).collect();
        let group = |at: &usize| prompt.choices[*at].group.as_ref();
        order.sort_by_key(|at| group(at).map_or(-1, |group| group.order));
        let on_page = |at: &usize| is_in_submenu(&prompt.choices[*at]);
        let (paged, whole): (Vec<usize>, Vec<usize>) = order.into_iter().partition(on_page);
        let mut layout = Self { top_level: whole, submenus: Vec::new() };
        for at in paged {
            let page = Submenu::of(group(&at));
            match layout.submenus.iter_mut().find(|other| other.id == page.id) {
                Some(other) => other.choices.push(at),
                None => layout.submenus.push(Submenu { choices: vec![at], ..page }),
            }
        }
        layout.collapse_groups(prompt);
        layout.expand_first_submenu(prompt).limit_to_keys(MAX_KEYS)
    }

    /// Collapses groups into submenus while too much is visible: first their disabled choices, and
    /// the last group first. In a repeating prompt, disabled choices always collapse.
    fn collapse_groups(&mut self, prompt: &Prompt) {
        let group = |at: usize| prompt.choices[at].group.as_ref().filter(|group| group.collapses);
        let mut foldable: Vec<&Arc<ChoiceGroup>> =
            self.top_level.iter().filter_map(|at| group(*at)).collect();
        foldable.dedup_by(|one, other| one.id == other.id);
        for closed in [true, false] {
            for of in foldable.iter().rev() {
                let goes = |at: &usize| {
                    let one = group(*at).is_some_and(|group| group.id == of.id);
                    one && (!closed || !prompt.choices[*at].is_enabled())
                };
                let (folds, whole): (Vec<usize>, Vec<usize>) =
                    self.top_level.iter().partition(|at| goes(at));
                let there = self.submenus.iter().position(|page| page.id == of.id);
                // A submenu with one choice saves no row, unless it fits beside others.
                let now = closed && prompt.rounds;
                let more = Submenu { choices: folds.clone(), ..Submenu::of(Some(*of)) };
                let more = there.is_none().then_some(&more);
                let fits = submenu_rows(self.submenus.iter().chain(more))
                    == submenu_rows(self.submenus.iter());
                if !(now || self.is_long(prompt)) || folds.is_empty() {
                    continue;
                }
                if folds.len() < 2 && !fits && !now {
                    continue;
                }
                self.top_level = whole;
                match there {
                    Some(at) => self.submenus[at].choices.extend(folds),
                    None => {
                        self.submenus.push(Submenu { choices: folds, ..Submenu::of(Some(*of)) })
                    }
                }
            }
        }
        let order = |page: &Submenu| {
            let first = page.choices.first().and_then(|at| prompt.choices[*at].group.as_ref());
            first.map_or(-1, |group| group.order)
        };
        self.submenus.sort_by_key(order);
        self.submenus.iter_mut().for_each(|page| page.choices.sort_unstable());
    }

    /// Whether more is visible than fits.
    fn is_long(&self, prompt: &Prompt) -> bool {
        let rows = self.top_level.len() + submenu_rows(self.submenus.iter());
        let words = text::width(&prompt.text).div_ceil(COLUMNS);
        self.top_level.len() > MAX_VISIBLE || rows + words > MAX_ROWS
    }

    /// Expands the first submenu if no top-level choice is open, unless the list would be long.
    fn expand_first_submenu(mut self, prompt: &Prompt) -> Self {
        let open = |at: &usize| prompt.choices[*at].is_enabled();
        if !self.top_level.iter().any(open) {
            let first = self.submenus.iter().position(|page| page.choices.iter().any(open));
            let short = |page: &Submenu| self.top_level.len() + page.choices.len() <= MAX_VISIBLE;
            if let Some(at) =
                first.filter(|at| self.submenus.len() == 1 || short(&self.submenus[*at]))
            {
                self.top_level.append(&mut self.submenus.remove(at).choices);
            }
        }
        self
    }

    /// Limits the top level to the number of keys.
    fn limit_to_keys(mut self, most: usize) -> Self {
        if self.top_level.len() + self.submenus.len() > most {
            let room = most.saturating_sub(self.submenus.len() + self.top_level.len() / most);
            let more = self.top_level.split_off(room.min(self.top_level.len()));
            for (at, choices) in more.chunks(most).enumerate() {
                let id = format!("{MORE} {at}");
                let choices = choices.to_vec();
                self.submenus.push(Submenu { id, name: MORE.to_owned(), key: None, choices });
            }
        }
        self
    }

    /// All choices in listing order: those in submenus come last.
    pub fn listing_order(&self) -> impl Iterator<Item = usize> {
        self.top_level.iter().chain(self.submenus.iter().flat_map(|page| &page.choices)).copied()
    }
}

impl Submenu {
    fn of(group: Option<&Arc<ChoiceGroup>>) -> Self {
        match group {
            Some(group) => Self {
                id: group.id.clone(),
                name: group.name.clone(),
                key: group.key,
                choices: Vec::new(),
            },
            None => Self { id: MORE.to_owned(), name: MORE.to_owned(), ..Self::default() },
        }
    }

    /// The only choice, if it asks for the submenu's own key: then the key takes it at once.
    pub fn single_choice(&self, prompt: &Prompt) -> Option<usize> {
        let [at] = self.choices[..] else { return None };
        (self.key.is_some() && prompt.choices.get(at)?.key == self.key).then_some(at)
    }
}

/// The rows that submenus take, each with its key, its name and its count.
fn submenu_rows<'a>(pages: impl Iterator<Item = &'a Submenu>) -> usize {
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
fn is_in_submenu(choice: &Choice) -> bool {
    choice.page || choice.group.as_ref().is_some_and(|group| group.page)
}
