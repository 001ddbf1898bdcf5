//! Which key takes which choice. A key stays the same while the prompt repeats, so a choice that
//! disappears leaves a gap; a preferred key also stays the same across prompts. Pressing a key
//! takes the choice at once.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::choice_layout::{ChoiceLayout, PromptIdentity, Submenu};
use protocol::Prompt;

/// The order in which keys are assigned to choices without a preferred key. Keys bound to actions
/// are skipped.
const KEYS_IN_ASSIGNMENT_ORDER: &str =
    "1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The keys that need no Shift.
const UNSHIFTED_KEYS: &str = "1234567890abcdefghijklmnopqrstuvwxyz";

/// How many choices are remembered across prompts.
const MAX_REMEMBERED_CHOICES: usize = 2000;

/// How many keys one prompt can assign without duplicates.
const MAX_UNIQUE_KEYS: usize = 40;

/// The keys assigned so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ChoiceKeys {
    identity: PromptIdentity,
    /// The keys of the current prompt, by list (`""` or the id of a submenu) and choice id.
    prompt_keys: BTreeMap<String, BTreeMap<String, char>>,
    /// The keys of each choice of the game by id, oldest first. If its first key is taken, a choice
    /// gets its next one.
    keys_by_choice: BTreeMap<String, Vec<char>>,
    /// All keys ever assigned at a place, by scene and title.
    used_keys_by_place: BTreeMap<String, BTreeMap<String, BTreeSet<char>>>,
    /// All keys ever assigned.
    all_used_keys: BTreeSet<char>,
}

/// The keys of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssignedKeys {
    /// Keys of the top-level choices.
    pub top_level: Vec<Option<char>>,
    /// Keys of the submenus.
    pub submenus: Vec<Option<char>>,
    /// Keys of each submenu's choices.
    pub submenu_choices: Vec<Vec<Option<char>>>,
    /// Whether no key of a submenu's choice is used for anything else.
    pub are_unique: bool,
}

/// A choice or submenu that needs a key.
#[derive(Clone, Copy, Default)]
struct KeyRequest<'a> {
    id: &'a str,
    /// The key that it asks for.
    preferred_key: Option<char>,
    /// Whether it gets the key again that it had before.
    reuses_previous_key: bool,
    /// Whether it keeps one key at all places, as choices in submenus do.
    keeps_key_across_prompts: bool,
}

impl ChoiceKeys {
    /// The keys as text, to be kept beside a run.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("maps of texts can be written")
    }

    /// The keys of a text; `None` if it has anything but keys.
    pub fn from_text(text: &str) -> Option<Self> {
        let keys: Self = serde_json::from_str(text).ok()?;
        let prompt_keys = keys.prompt_keys.values().flat_map(BTreeMap::values);
        let mut all_keys = prompt_keys.chain(keys.keys_by_choice.values().flatten());
        all_keys.all(|key| KEYS_IN_ASSIGNMENT_ORDER.contains(*key)).then_some(keys)
    }

    /// Assigns a key to everything in a prompt. The prompt counts as repeated while its identity
    /// stays and one of its choices is still there.
    pub fn assign_keys(
        &mut self,
        prompt: &Prompt,
        title: &str,
        layout: &ChoiceLayout,
        is_free: &dyn Fn(char) -> bool,
    ) -> AssignedKeys {
        let choices_without_key =
            prompt.choices.iter().filter(|choice| choice.preferred_key.is_none());
        let mut ids = choices_without_key.map(|choice| &choice.id);
        let is_repeated = ids.any(|id| self.prompt_keys.values().any(|keys| keys.contains_key(id)));
        if !(self.identity.update(prompt, title) && is_repeated) {
            self.prompt_keys.clear();
        }
        let place = (prompt.scene.clone(), title.to_owned());
        // Host prompts are lists that are read from the top.
        let reuses_keys = !prompt.scene.starts_with("host:");
        let build_request = |at: &usize| {
            let choice = prompt.choices.get(*at);
            let request = choice.map(|one| KeyRequest {
                id: &one.id,
                preferred_key: one.preferred_key,
                reuses_previous_key: reuses_keys,
                keeps_key_across_prompts: false,
            });
            request.unwrap_or_default()
        };
        let mut requests: Vec<KeyRequest<'_>> =
            layout.top_level.iter().map(build_request).collect();
        let top_level_count = requests.len();
        let submenu_ids: Vec<String> =
            layout.submenus.iter().map(|page| format!(" {}", page.id)).collect();
        let submenu_request = |(page, id): (&Submenu, _)| KeyRequest {
            id,
            preferred_key: page.preferred_key,
            reuses_previous_key: reuses_keys,
            keeps_key_across_prompts: false,
        };
        requests.extend(
            layout.submenus.iter().zip(submenu_ids.iter().map(|name| &**name)).map(submenu_request),
        );
        let visible_count = requests.len();
        let submenu_choice_request =
            |at: &usize| KeyRequest { keeps_key_across_prompts: true, ..build_request(at) };
        let submenu_requests = layout
            .submenus
            .iter()
            .map(|page| page.choices.iter().map(submenu_choice_request).collect());
        let submenu_requests: Vec<Vec<KeyRequest<'_>>> = submenu_requests.collect();
        // Choices in submenus have unique keys, so that they can be taken while they are visible.
        // If there are too few keys, each submenu starts again.
        let are_unique =
            visible_count + submenu_requests.iter().map(Vec::len).sum::<usize>() <= MAX_UNIQUE_KEYS;
        if are_unique {
            requests.extend(submenu_requests.iter().flatten());
        }
        let mut top_level_keys = self.assign_in_list("", &place, &requests, is_free);
        let mut unique_keys = top_level_keys.split_off(visible_count);
        let submenu_keys = top_level_keys.split_off(top_level_count);
        let submenu_choice_keys =
            layout.submenus.iter().zip(&submenu_requests).zip(&submenu_keys).map(
                |((page, all), own)| {
                    match are_unique {
                        true => unique_keys.drain(..all.len()).collect(),
                        // The key that opened a submenu also closes it.
                        false => self.assign_in_list(&page.id, &place, all, &|key| {
                            is_free(key) && *own != Some(key)
                        }),
                    }
                },
            );
        let submenu_choice_keys = submenu_choice_keys.collect();
        AssignedKeys {
            top_level: top_level_keys,
            submenus: submenu_keys,
            submenu_choices: submenu_choice_keys,
            are_unique,
        }
    }

    fn assign_in_list(
        &mut self,
        list_id: &str,
        place: &(String, String),
        requests: &[KeyRequest<'_>],
        is_free: &dyn Fn(char) -> bool,
    ) -> Vec<Option<char>> {
        let current_key =
            |one: &KeyRequest<'_>| self.prompt_keys.get(list_id).and_then(|keys| keys.get(one.id));
        let mut assigned_keys: Vec<Option<char>> =
            requests.iter().map(|one| current_key(one).copied()).collect();
        let mut taken_keys: BTreeSet<char> = assigned_keys.iter().flatten().copied().collect();
        // Preferred keys come first, in order; a later choice with the same wish gets the next free
        // letter. Then come the keys of earlier prompts, oldest first.
        for (at, one) in requests.iter().enumerate() {
            let Some(preferred_key) = one.preferred_key.filter(|_| assigned_keys[at].is_none())
            else {
                continue;
            };
            if is_free(preferred_key) && taken_keys.insert(preferred_key) {
                assigned_keys[at] = Some(preferred_key);
            }
        }
        let remembered_keys = |one: &KeyRequest<'_>| {
            self.keys_by_choice.get(one.id).filter(|_| one.reuses_previous_key)
        };
        let max_keys = requests.iter().filter_map(remembered_keys).map(Vec::len).max().unwrap_or(0);
        for nth in 0..max_keys {
            for (at, one) in requests.iter().enumerate().filter(|(_, one)| one.reuses_previous_key)
            {
                let remembered_key = remembered_keys(one).and_then(|known| known.get(nth)).copied();
                let Some(key) = remembered_key.filter(|_| assigned_keys[at].is_none()) else {
                    continue;
                };
                if is_free(key) && taken_keys.insert(key) {
                    assigned_keys[at] = Some(key);
                }
            }
        }
        let previous_keys: BTreeSet<char> =
            self.prompt_keys.get(list_id).into_iter().flatten().map(|(_, key)| *key).collect();
        let used_keys =
            self.used_keys_by_place.get(&place.0).and_then(|titles| titles.get(&place.1));
        for (at, one) in requests.iter().enumerate() {
            if assigned_keys[at].is_some() {
                continue;
            }
            // Submenus use letters; digits are left to the choices.
            let default_start =
                if one.id.starts_with(' ') { KEYS_IN_ASSIGNMENT_ORDER.find('a') } else { None };
            let preferred_start =
                one.preferred_key.and_then(|request| KEYS_IN_ASSIGNMENT_ORDER.find(request));
            let start = preferred_start.or(default_start).unwrap_or(0);
            let mut keys_in_order = KEYS_IN_ASSIGNMENT_ORDER[start..]
                .chars()
                .chain(KEYS_IN_ASSIGNMENT_ORDER[..start].chars());
            let is_available = |key: &char| is_free(*key) && !taken_keys.contains(key);
            // The key of a choice that is gone stays free while there are others.
            let was_used_here = |key: &char| {
                one.reuses_previous_key && used_keys.is_some_and(|had| had.contains(key))
            };
            // A choice that keeps its key gets one that was never used.
            let is_never_used =
                |key: &char| !self.all_used_keys.contains(key) && UNSHIFTED_KEYS.contains(*key);
            let needs_lasting_key = one.reuses_previous_key
                && one.keeps_key_across_prompts
                && preferred_start.is_none();
            let lasting_key = keys_in_order
                .clone()
                .find(|key| needs_lasting_key && is_available(key) && is_never_used(key));
            let next_key = || {
                keys_in_order.clone().find(|key| {
                    is_available(key) && !previous_keys.contains(key) && !was_used_here(key)
                })
            };
            let next_key = lasting_key.or_else(next_key);
            let next_key = next_key.or_else(|| {
                keys_in_order.clone().find(|key| is_available(key) && !previous_keys.contains(key))
            });
            assigned_keys[at] = next_key.or_else(|| keys_in_order.find(is_available));
            taken_keys.extend(assigned_keys[at]);
        }
        if self.keys_by_choice.len() > MAX_REMEMBERED_CHOICES {
            (self.keys_by_choice, self.used_keys_by_place, self.all_used_keys) = Default::default();
        }
        self.used_keys_by_place
            .entry(place.0.clone())
            .or_default()
            .entry(place.1.clone())
            .or_default()
            .extend(assigned_keys.iter().flatten());
        for (one, key) in requests.iter().zip(&assigned_keys) {
            let Some(key) = *key else { continue };
            let list_keys = self.prompt_keys.entry(list_id.to_owned()).or_default();
            list_keys.insert(one.id.to_owned(), key);
            if one.reuses_previous_key {
                self.all_used_keys.insert(key);
                let choice_keys = self.keys_by_choice.entry(one.id.to_owned()).or_default();
                if !choice_keys.contains(&key) {
                    choice_keys.push(key);
                }
            }
        }
        assigned_keys
    }
}
