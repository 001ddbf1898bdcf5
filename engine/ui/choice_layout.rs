//! Choice layout: which choices of a prompt are in the top-level list and which are in submenus.
//! The game says which choices belong together; nothing here depends on a certain game.

use base::host_text_id;
use base::host_texts::translate_host_text;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::text_wrap::wrap_lines;
use base::text;
use protocol::{AnswerType, Choice, ChoiceGroup, Prompt};

/// The most entries at the top level, each with a key. Further ones go to submenus.
const MAX_TOP_LEVEL_ENTRIES: usize = 36;
/// The most choices that a prompt shows at once when groups can collapse.
const MAX_VISIBLE_CHOICES: usize = 7;
/// The most rows for the text, the choices and the submenus of a prompt. In a window of 24 rows
/// this leaves twelve to the story.
const MAX_QUESTION_ROWS: usize = 8;
/// The columns of a row in such a window.
const REFERENCE_ROW_COLUMNS: usize = 78;
/// The submenu of choices without a group.
const UNGROUPED_SUBMENU: &str = host_text_id!("More");

/// The layout of a prompt's choices. Numbers are indices into the prompt's list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChoiceLayout {
    /// The top-level choices, in order.
    pub top_level: Vec<usize>,
    /// The submenus, in order.
    pub submenus: Vec<Submenu>,
    /// Groups that are submenus where there is less room. Their choices are at the top level.
    pub open_groups: Vec<Submenu>,
}

/// Choices behind one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submenu {
    /// The id: that of the group, or the host's own word.
    pub id: String,
    /// The heading, as marked text.
    pub name: String,
    /// The preferred key.
    pub preferred_key: Option<char>,
    /// The choices.
    pub choices: Vec<usize>,
}

/// Identifies a prompt: by its scene and by the view's title, which says where the player is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PromptIdentity {
    scene: String,
    title: String,
}

impl PromptIdentity {
    /// Stores the new identity; returns whether it is the same as before.
    pub fn update(&mut self, prompt: &Prompt, title: &str) -> bool {
        let is_same = self.scene == prompt.scene && self.title == title;
        (self.scene, self.title) = (prompt.scene.clone(), title.to_owned());
        is_same
    }
}

impl ChoiceLayout {
    /// Lays out the choices of a prompt.
    pub fn from_prompt(prompt: &Prompt) -> Self {
        let choice_count = prompt.choices.len();
        if prompt.answer_type != AnswerType::SingleChoice {
            return Self { top_level: (0..choice_count).collect(), ..Self::default() };
        }
        let mut order: Vec<usize> = (0..choice_count).collect();
        let group = |at: &usize| prompt.choices[*at].group.as_ref();
        order.sort_by_key(|at| group(at).map_or(-1, |group| group.sort_order));
        let in_submenu = |at: &usize| is_in_submenu(&prompt.choices[*at]);
        let (submenu_choices, top_level): (Vec<usize>, Vec<usize>) =
            order.into_iter().partition(in_submenu);
        let mut layout = Self { top_level, ..Self::default() };
        for at in submenu_choices {
            let submenu = Submenu::from_group(group(&at));
            match layout.submenus.iter_mut().find(|other| other.id == submenu.id) {
                Some(other) => other.choices.push(at),
                None => layout.submenus.push(Submenu { choices: vec![at], ..submenu }),
            }
        }
        layout.collapse_groups(prompt);
        let layout = layout.expand_first_submenu(prompt).limit_to_keys(MAX_TOP_LEVEL_ENTRIES);
        layout.with_open_groups(prompt)
    }

    /// Notes the groups at the top level that could be submenus: the key of a submenu goes on
    /// leading to its choices.
    fn with_open_groups(mut self, prompt: &Prompt) -> Self {
        for at in &self.top_level {
            let group = prompt.choices[*at].group.as_ref();
            let Some(group) = group.filter(|group| group.collapses || group.is_submenu) else {
                continue;
            };
            if self.submenus.iter().any(|page| page.id == group.id) {
                continue;
            }
            match self.open_groups.iter_mut().find(|open| open.id == group.id) {
                Some(open) => open.choices.push(*at),
                None => self
                    .open_groups
                    .push(Submenu { choices: vec![*at], ..Submenu::from_group(Some(group)) }),
            }
        }
        self
    }

    /// Collapses groups into submenus while too much is visible: first their disabled choices, and
    /// the last group first. In a repeating prompt, disabled choices always collapse.
    fn collapse_groups(&mut self, prompt: &Prompt) {
        let group = |at: usize| prompt.choices[at].group.as_ref().filter(|group| group.collapses);
        let mut collapsible_groups: Vec<&Arc<ChoiceGroup>> =
            self.top_level.iter().filter_map(|at| group(*at)).collect();
        collapsible_groups.dedup_by(|one, other| one.id == other.id);
        for closed in [true, false] {
            for of in collapsible_groups.iter().rev() {
                let collapses = |at: &usize| {
                    let one = group(*at).is_some_and(|group| group.id == of.id);
                    one && (!closed || !prompt.choices[*at].is_enabled())
                };
                let (collapsed_choices, remaining_choices): (Vec<usize>, Vec<usize>) =
                    self.top_level.iter().partition(|at| collapses(at));
                let existing_submenu = self.submenus.iter().position(|page| page.id == of.id);
                // A submenu with one choice saves no row, unless it fits beside others.
                let collapses_always = closed && prompt.repeats;
                let new_submenu = Submenu {
                    choices: collapsed_choices.clone(),
                    ..Submenu::from_group(Some(*of))
                };
                let new_submenu = existing_submenu.is_none().then_some(&new_submenu);
                let needs_no_new_row = count_submenu_rows(self.submenus.iter().chain(new_submenu))
                    == count_submenu_rows(self.submenus.iter());
                if !(collapses_always || self.exceeds_visible_limits(prompt))
                    || collapsed_choices.is_empty()
                {
                    continue;
                }
                if collapsed_choices.len() < 2 && !needs_no_new_row && !collapses_always {
                    continue;
                }
                self.top_level = remaining_choices;
                match existing_submenu {
                    Some(at) => self.submenus[at].choices.extend(collapsed_choices),
                    None => self.submenus.push(Submenu {
                        choices: collapsed_choices,
                        ..Submenu::from_group(Some(*of))
                    }),
                }
            }
        }
        let order = |page: &Submenu| {
            let first = page.choices.first().and_then(|at| prompt.choices[*at].group.as_ref());
            first.map_or(-1, |group| group.sort_order)
        };
        self.submenus.sort_by_key(order);
        self.submenus.iter_mut().for_each(|page| page.choices.sort_unstable());
    }

    /// Whether more is visible than fits.
    fn exceeds_visible_limits(&self, prompt: &Prompt) -> bool {
        let rows = self.top_level.len() + count_submenu_rows(self.submenus.iter());
        let text_rows = match prompt.text.is_empty() {
            true => 0,
            false => wrap_lines(&text::strip_markup(&prompt.text), REFERENCE_ROW_COLUMNS).len(),
        };
        self.top_level.len() > MAX_VISIBLE_CHOICES || rows + text_rows > MAX_QUESTION_ROWS
    }

    /// Expands the first submenu if no top-level choice is open, unless the list would be long.
    fn expand_first_submenu(mut self, prompt: &Prompt) -> Self {
        let is_enabled = |at: &usize| prompt.choices[*at].is_enabled();
        if !self.top_level.iter().any(is_enabled) {
            let first_open_submenu =
                self.submenus.iter().position(|page| page.choices.iter().any(is_enabled));
            let fits_at_top_level =
                |page: &Submenu| self.top_level.len() + page.choices.len() <= MAX_VISIBLE_CHOICES;
            if let Some(at) = first_open_submenu
                .filter(|at| self.submenus.len() == 1 || fits_at_top_level(&self.submenus[*at]))
            {
                self.top_level.append(&mut self.submenus.remove(at).choices);
            }
        }
        self
    }

    /// Limits the top level to the number of keys.
    fn limit_to_keys(mut self, max_entries: usize) -> Self {
        if self.top_level.len() + self.submenus.len() > max_entries {
            let room = max_entries
                .saturating_sub(self.submenus.len() + self.top_level.len() / max_entries);
            let excess_choices = self.top_level.split_off(room.min(self.top_level.len()));
            for (at, choices) in excess_choices.chunks(max_entries).enumerate() {
                let id = format!("{UNGROUPED_SUBMENU} {at}");
                let choices = choices.to_vec();
                self.submenus.push(Submenu {
                    id,
                    name: translate_host_text(UNGROUPED_SUBMENU, &[]),
                    preferred_key: None,
                    choices,
                });
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
    fn from_group(group: Option<&Arc<ChoiceGroup>>) -> Self {
        match group {
            Some(group) => Self {
                id: group.id.clone(),
                name: group.name.clone(),
                preferred_key: group.preferred_key,
                choices: Vec::new(),
            },
            None => Self {
                id: UNGROUPED_SUBMENU.to_owned(),
                name: translate_host_text(UNGROUPED_SUBMENU, &[]),
                ..Self::default()
            },
        }
    }

    /// The only choice, if it asks for the submenu's own key: then the key takes it at once.
    pub fn single_choice(&self, prompt: &Prompt) -> Option<usize> {
        let [at] = self.choices[..] else { return None };
        (self.preferred_key.is_some()
            && prompt.choices.get(at)?.preferred_key == self.preferred_key)
            .then_some(at)
    }
}

/// The rows that submenus take, each with its key, its name and its count.
fn count_submenu_rows<'a>(pages: impl Iterator<Item = &'a Submenu>) -> usize {
    let widths = pages.map(|page| text::display_width(&page.name) + "k)  (n)   ".len());
    let (mut rows, mut used) = (0, REFERENCE_ROW_COLUMNS);
    for width in widths {
        used += width;
        if used > REFERENCE_ROW_COLUMNS {
            (rows, used) = (rows + 1, width);
        }
    }
    rows
}

/// Whether a choice is in a submenu.
fn is_in_submenu(choice: &Choice) -> bool {
    choice.is_in_submenu || choice.group.as_ref().is_some_and(|group| group.is_submenu)
}
