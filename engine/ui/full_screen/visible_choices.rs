//! The visible part of a prompt: the top-level choices with the submenus, one submenu, or a
//! confirmation. Each entry has its own key.

use super::super::choice_keys::{AssignedKeys, BACK_KEY};
use super::super::choice_layout::{ChoiceLayout, Submenu};
use super::super::display_text;
use super::choice_columns;
use base::host_text;
use base::text::escape_markup;
use protocol::{Choice, Prompt};

/// The id of the entry that leads back out of a submenu; no choice has it.
const SUBMENU_BACK_ID: &str = "host:submenu_back";

/// Which part of a prompt is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PromptMode {
    /// The top-level choices and the submenus.
    #[default]
    TopLevel,
    /// A submenu.
    Submenu(usize),
    /// The confirmation of a choice, by its index in the prompt.
    Confirm(usize),
}

/// A submenu as its row shows it.
pub(super) struct SubmenuLine {
    pub(super) key: Option<char>,
    pub(super) name: String,
    /// The only choice, which stands here directly, by its index in the prompt.
    pub(super) single_choice: Option<usize>,
    /// Its choices.
    pub(super) submenu_entries: Vec<SubmenuEntry>,
    /// How many of them the row shows: their keys work.
    pub(super) visible_entry_count: usize,
}

/// A choice of a submenu as the submenu's row shows it.
pub(super) struct SubmenuEntry {
    pub(super) key: Option<char>,
    pub(super) label: String,
    pub(super) is_disabled: bool,
}

impl SubmenuEntry {
    /// This part of the label; in brackets if the choice is disabled.
    pub(super) fn bracket_if_disabled(&self, words: &str) -> String {
        if self.is_disabled { format!("({words})") } else { words.to_owned() }
    }
}

impl SubmenuLine {
    /// The labels of its choices.
    pub(super) fn entry_labels(&self) -> String {
        self.submenu_entries
            .iter()
            .map(|one| one.bracket_if_disabled(&one.label))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The visible part of a prompt.
#[derive(Default)]
pub(super) struct VisibleChoices {
    pub(super) mode: PromptMode,
    /// The visible choices, in order.
    pub(super) choices: Vec<Choice>,
    /// Their indices in the prompt.
    pub(super) prompt_indices: Vec<usize>,
    /// Their keys.
    pub(super) keys: Vec<Option<char>>,
    /// The submenus that can be opened from here.
    pub(super) submenus: Vec<SubmenuLine>,
    /// The text shown instead of the prompt's text.
    pub(super) replacement_text: Option<String>,
    layout: ChoiceLayout,
    assigned_keys: AssignedKeys,
}

impl VisibleChoices {
    /// Shows the top level.
    pub(super) fn new(
        prompt: &Prompt,
        mut layout: ChoiceLayout,
        mut assigned_keys: AssignedKeys,
    ) -> Self {
        sort_by_key(prompt, &mut layout.top_level, &mut assigned_keys.top_level);
        for (page, keys) in layout.submenus.iter_mut().zip(&mut assigned_keys.submenu_choices) {
            sort_by_key(prompt, &mut page.choices, keys);
        }
        let mut visible_choices = Self { layout, assigned_keys, ..Self::default() };
        visible_choices.set_mode(prompt, PromptMode::TopLevel);
        visible_choices
    }

    /// How many entries can be focused: choices, then submenus.
    pub(super) fn focus_count(&self) -> usize {
        self.choices.len() + self.submenus.len()
    }

    /// The visible keys, in short.
    pub(super) fn key_summary(&self) -> String {
        let submenu_keys = self.submenus.iter().map(|page| &page.key);
        let keys: String = self.keys.iter().chain(submenu_keys).flatten().collect();
        let last = keys.chars().last().unwrap_or('1');
        match keys.len() {
            0 | 1 => last.to_string(),
            count if "123456789".starts_with(&keys) => format!("1-{count}"),
            _ => host_text!("key"),
        }
    }

    /// The entry with this key.
    pub(super) fn find_entry_with_key(&self, key: char) -> Option<usize> {
        let submenu_keys = self.submenus.iter().map(|page| &page.key);
        self.keys.iter().chain(submenu_keys).position(|of| *of == Some(key))
    }

    /// The choice to focus for the key of a group that is a submenu where there is less room: its
    /// first one, then the next.
    pub(super) fn find_group_choice_by_key(&self, key: char, focus: usize) -> Option<usize> {
        if self.mode != PromptMode::TopLevel {
            return None;
        }
        let mut groups = self.layout.open_groups.iter().zip(&self.assigned_keys.open_groups);
        let (group, _) = groups.find(|(_, of)| **of == Some(key))?;
        let is_in_group = |at: &usize| group.choices.contains(&self.prompt_indices[*at]);
        let positions: Vec<usize> = (0..self.prompt_indices.len()).filter(is_in_group).collect();
        let next = positions.iter().position(|at| *at == focus).map_or(0, |at| at + 1);
        positions.get(next).or(positions.first()).copied()
    }

    /// Whether this key belongs to another submenu and to nothing in the open one.
    pub(super) fn leads_to_other_submenu(&self, key: char) -> bool {
        matches!(self.mode, PromptMode::Submenu(_))
            && self.assigned_keys.submenus.contains(&Some(key))
            && self.find_entry_with_key(key).is_none()
    }

    /// Whether this key opened the current submenu and has no other meaning here.
    pub(super) fn closes_submenu(&self, key: char) -> bool {
        let PromptMode::Submenu(submenu) = self.mode else { return false };
        self.assigned_keys.submenus.get(submenu) == Some(&Some(key))
            && self.find_entry_with_key(key).is_none()
    }

    /// The submenu with a choice with this key, the index of that choice, and whether the row of
    /// the submenu shows it.
    pub(super) fn find_submenu_choice_by_key(&self, key: char) -> Option<(usize, usize, bool)> {
        let mut pages = self.submenus.iter().enumerate();
        pages.find_map(|(at, page)| {
            let entry_index = page.submenu_entries.iter().position(|one| one.key == Some(key))?;
            Some((at, entry_index, entry_index < page.visible_entry_count))
        })
    }

    /// The submenu with this id, if it offers anything.
    pub(super) fn find_submenu(&self, prompt: &Prompt, id: &str) -> Option<usize> {
        let is_enabled = |at: &usize| prompt.choices.get(*at).is_some_and(Choice::is_enabled);
        let found = |page: &Submenu| page.id == id && page.choices.iter().any(is_enabled);
        self.layout.submenus.iter().position(found)
    }

    /// The id of the open submenu.
    pub(super) fn open_submenu_id(&self) -> Option<&str> {
        let PromptMode::Submenu(at) = self.mode else { return None };
        self.layout.submenus.get(at).map(|page| &*page.id)
    }

    /// The submenu at a focus position.
    pub(super) fn submenu_index_at_focus(&self, focus: usize) -> Option<usize> {
        let submenu_index = focus.checked_sub(self.choices.len())?;
        (submenu_index < self.submenus.len()).then_some(submenu_index)
    }

    /// The id of the submenu at a focus position.
    pub(super) fn submenu_id(&self, focus: usize) -> Option<&str> {
        self.layout.submenus.get(self.submenu_index_at_focus(focus)?).map(|page| &*page.id)
    }

    /// Shows the choices of a submenu, or the top level.
    pub(super) fn set_mode(&mut self, prompt: &Prompt, mode: PromptMode) {
        self.mode = mode;
        self.submenus.clear();
        self.replacement_text = None;
        match mode {
            PromptMode::TopLevel | PromptMode::Confirm(_) => {
                (self.prompt_indices, self.keys) =
                    (self.layout.top_level.clone(), self.assigned_keys.top_level.clone());
                let keys =
                    self.assigned_keys.submenus.iter().zip(&self.assigned_keys.submenu_choices);
                self.submenus.extend(self.layout.submenus.iter().zip(keys).map(
                    |(page, (key, keys))| {
                        let unique_key =
                            |key: &Option<char>| key.filter(|_| self.assigned_keys.are_unique);
                        let submenu_choices =
                            page.choices.iter().filter_map(|at| prompt.choices.get(*at));
                        let each = submenu_choices.zip(keys).map(|(choice, key)| SubmenuEntry {
                            key: unique_key(key),
                            label: choice_columns::label_with_cost(choice),
                            is_disabled: !choice.is_enabled(),
                        });
                        SubmenuLine {
                            key: *key,
                            name: display_text::markup_on_one_line(&page.name),
                            single_choice: page.single_choice(prompt),
                            submenu_entries: each.collect(),
                            visible_entry_count: 0,
                        }
                    },
                ));
            }
            PromptMode::Submenu(at) => {
                let Some(page) = self.layout.submenus.get(at) else { return };
                self.replacement_text = Some(format!("*{}*", page.name));
                self.prompt_indices = page.choices.clone();
                self.keys = self.assigned_keys.submenu_choices.get(at).cloned().unwrap_or_default();
            }
        }
        let choices = self.prompt_indices.iter().filter_map(|at| prompt.choices.get(*at));
        self.choices = choices.cloned().collect();
        if let PromptMode::Submenu(_) = mode {
            let key = Some(BACK_KEY).filter(|key| !self.keys.contains(&Some(*key)));
            self.keys.push(key);
            let (id, label) = (SUBMENU_BACK_ID.to_owned(), host_text!("Back"));
            self.choices.push(Choice { id, label, ..Choice::default() });
        }
    }

    /// Whether the entry at a focus position leads back out of the submenu.
    pub(super) fn leads_out_of_submenu(&self, focus: usize) -> bool {
        matches!(self.mode, PromptMode::Submenu(_))
            && self.choices.get(focus).is_some_and(|choice| choice.id == SUBMENU_BACK_ID)
    }

    /// Asks for confirmation of a choice. Neither answer has the key that was pressed, and "no" has
    /// the focus, so repeating the key takes nothing.
    pub(super) fn ask_confirmation(
        &mut self,
        prompt: &Prompt,
        at: usize,
        pressed: Option<char>,
        is_free: &dyn Fn(char) -> bool,
    ) {
        let Some(choice) = prompt.choices.get(at) else { return };
        let key = |wishes: &str| wishes.chars().find(|key| is_free(*key) && Some(*key) != pressed);
        let yes =
            host_text!("Yes: {label}", label = escape_markup(&display_text::choice_label(choice)));
        let build_choice = |label: &str| Choice { label: label.to_owned(), ..Choice::default() };
        self.replacement_text = Some(display_text::confirm_text(choice));
        self.mode = PromptMode::Confirm(at);
        self.choices = vec![build_choice(&host_text!("No")), build_choice(&yes)];
        self.prompt_indices = vec![at, at];
        self.keys = vec![key("n0N"), key("y9Y")];
        self.submenus.clear();
    }
}

/// Sorts a list so that it is read in the order of its digits: choices of one group change places,
/// and none with a key that it asked for.
fn sort_by_key(prompt: &Prompt, choices: &mut [usize], keys: &mut [Option<char>]) {
    let order = |key: Option<char>| key.and_then(|key| key.to_digit(10)).filter(|digit| *digit > 0);
    let group = |at: usize| prompt.choices[at].group.as_ref().map(|group| &group.id);
    for end in 1..choices.len() {
        for at in (0..end).rev() {
            let is_sorted = match (order(keys[at]), order(keys[at + 1])) {
                (Some(one), Some(next)) => one <= next,
                _ => true,
            };
            if is_sorted || group(choices[at]) != group(choices[at + 1]) {
                break;
            }
            choices.swap(at, at + 1);
            keys.swap(at, at + 1);
        }
    }
}
