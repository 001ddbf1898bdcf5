//! Which key takes which choice. A choice keeps its key as long as it is offered in that kind of
//! prompt, and a submenu and what is in it keep theirs through a run; so a choice that disappears
//! leaves a gap. Pressing a key takes the choice at once.

mod key_order;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::back_choice::{HOST_SCENE_PREFIX, back_choice};
use super::choice_layout::{ChoiceLayout, PromptIdentity, Submenu};
pub(crate) use key_order::BACK_KEY;
use key_order::KeyClass;
use protocol::Prompt;

/// How many choices are remembered across prompts.
const MAX_REMEMBERED_CHOICES: usize = 2000;

/// The first character of the ids of submenus here: no choice's id begins with it.
const PAGE_ID_PREFIX: char = ' ';

/// How many keys one prompt can assign without duplicates.
const MAX_UNIQUE_KEYS: usize = 30;

/// The keys assigned so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ChoiceKeys {
    identity: PromptIdentity,
    /// The keys of the current prompt, by list (`""` or the id of a submenu) and choice id.
    prompt_keys: BTreeMap<String, BTreeMap<String, char>>,
    /// The newest key of each choice in each kind of prompt, by scene and id.
    keys_by_scene: BTreeMap<String, BTreeMap<String, char>>,
    /// The keys of submenus and of the choices in them, by id, oldest first. If its first key is
    /// taken, a choice gets its next one.
    lasting_keys: BTreeMap<String, Vec<char>>,
    /// All keys ever assigned at a place, by scene and title.
    used_keys_by_place: BTreeMap<String, BTreeMap<String, BTreeSet<char>>>,
    /// All keys ever assigned, and all that choices asked for.
    all_used_keys: BTreeSet<char>,
    /// The scenes whose submenus have keys of their own, because there were too many choices once.
    split_scenes: BTreeSet<String>,
}

/// The keys of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssignedKeys {
    /// Keys of the top-level choices.
    pub top_level: Vec<Option<char>>,
    /// Keys of the submenus.
    pub submenus: Vec<Option<char>>,
    /// Keys of the groups that are submenus where there is less room.
    pub open_groups: Vec<Option<char>>,
    /// Keys of each submenu's choices.
    pub submenu_choices: Vec<Vec<Option<char>>>,
    /// Whether no key of a submenu's choice is used for anything else.
    pub are_unique: bool,
}

/// A choice or submenu that needs a key.
#[derive(Clone, Copy)]
struct KeyRequest<'a> {
    id: &'a str,
    /// The key that it asks for.
    preferred_key: Option<char>,
    /// Whether it gets the key again that it had before.
    reuses_previous_key: bool,
    class: KeyClass,
}

impl KeyRequest<'_> {
    /// Whether it keeps one key at all places.
    fn is_lasting(&self) -> bool {
        self.reuses_previous_key && self.class != KeyClass::TopLevel
    }
}

impl ChoiceKeys {
    /// The keys as text, to be kept beside a run.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("maps of texts can be written")
    }

    /// The keys of a text; `None` if it has anything but keys.
    pub fn from_text(text: &str) -> Option<Self> {
        let keys: Self = serde_json::from_str(text).ok()?;
        let known = keys.prompt_keys.values().chain(keys.keys_by_scene.values());
        let known = known.flat_map(BTreeMap::values);
        let mut all_keys = known.chain(keys.lasting_keys.values().flatten());
        all_keys.all(|key| key_order::is_key(*key)).then_some(keys)
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
        let is_host_prompt = prompt.scene.starts_with(HOST_SCENE_PREFIX);
        let reuses_previous_key = !is_host_prompt;
        let back_id = back_choice(prompt).map(|choice| &*choice.id);
        let build_request = |at: &usize, class| {
            let choice = &prompt.choices[*at];
            let is_back =
                Some(&*choice.id) == back_id && !(is_host_prompt && choice.preferred_key.is_some());
            let preferred_key = if is_back { Some(BACK_KEY) } else { choice.preferred_key };
            KeyRequest { id: &choice.id, preferred_key, reuses_previous_key, class }
        };
        let mut requests: Vec<KeyRequest<'_>> =
            layout.top_level.iter().map(|at| build_request(at, KeyClass::TopLevel)).collect();
        let top_level_count = requests.len();
        let page_ids: Vec<String> = layout
            .submenus
            .iter()
            .chain(&layout.open_groups)
            .map(|page| format!("{PAGE_ID_PREFIX}{}", page.id))
            .collect();
        let page_request = |(page, id): (&Submenu, _)| KeyRequest {
            id,
            preferred_key: page.preferred_key,
            reuses_previous_key,
            class: KeyClass::Submenu,
        };
        let mut page_requests: Vec<KeyRequest<'_>> = layout
            .submenus
            .iter()
            .chain(&layout.open_groups)
            .zip(page_ids.iter().map(|name| &**name))
            .map(page_request)
            .collect();
        // A group that was never a submenu needs no key, nor one that leaves its key to a choice.
        let open_requests = page_requests.split_off(layout.submenus.len());
        let needs_key = |(page, open): (&KeyRequest<'_>, &Submenu)| {
            let has_key = page.preferred_key.is_some() || self.lasting_keys.contains_key(page.id);
            let is_shared = |at: &usize| {
                page.preferred_key.is_some()
                    && prompt.choices[*at].preferred_key == page.preferred_key
            };
            has_key && !open.choices.iter().any(is_shared)
        };
        let needs_open_key: Vec<bool> =
            open_requests.iter().zip(&layout.open_groups).map(needs_key).collect();
        requests.extend(page_requests);
        let submenu_end = requests.len();
        let open_requests = open_requests.into_iter().zip(&needs_open_key);
        requests.extend(open_requests.filter(|(_, needs)| **needs).map(|(page, _)| page));
        let visible_count = requests.len();
        // Ways and groups that stand in the list where there is room belong to their place.
        let class_in_submenu = |at: &usize| {
            let choice = &prompt.choices[*at];
            let is_always_there =
                choice.is_in_submenu || choice.group.as_ref().is_none_or(|group| group.is_submenu);
            match is_always_there && choice.map_targets.is_empty() {
                true => KeyClass::InSubmenu,
                false => KeyClass::TopLevel,
            }
        };
        // Choices in submenus have unique keys, so that they can be taken while they are visible.
        // If there are too few keys, each submenu is a list of its own.
        let in_submenus = layout.submenus.iter().map(|page| page.choices.len()).sum::<usize>();
        if visible_count + in_submenus > MAX_UNIQUE_KEYS {
            self.split_scenes.insert(prompt.scene.clone());
        }
        let are_unique = !self.split_scenes.contains(&prompt.scene);
        let submenu_requests = layout.submenus.iter().map(|page| {
            let class = |at| if are_unique { class_in_submenu(at) } else { KeyClass::TopLevel };
            page.choices.iter().map(|at| build_request(at, class(at))).collect()
        });
        let submenu_requests: Vec<Vec<KeyRequest<'_>>> = submenu_requests.collect();
        if are_unique {
            requests.extend(submenu_requests.iter().flatten());
        }
        let mut top_level_keys = self.assign_in_list("", &place, &requests, is_free);
        let mut unique_keys = top_level_keys.split_off(visible_count);
        let mut open_keys = top_level_keys.split_off(submenu_end).into_iter();
        let open_group_keys = needs_open_key
            .into_iter()
            .map(|needs| if needs { open_keys.next().flatten() } else { None })
            .collect();
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
            open_groups: open_group_keys,
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
        let id_in_scene = |one: &KeyRequest<'_>| match list_id {
            "" => one.id.to_owned(),
            list => format!("{list}{PAGE_ID_PREFIX}{}", one.id),
        };
        let list_keys = self.prompt_keys.get(list_id);
        let mut assigned_keys: Vec<Option<char>> = vec![None; requests.len()];
        let mut taken_keys: BTreeSet<char> = BTreeSet::new();
        let mut assign_where_free = |key_of: &dyn Fn(&KeyRequest<'_>) -> Option<char>| {
            for (one, assigned_key) in requests.iter().zip(&mut assigned_keys) {
                let key = key_of(one).filter(|key| assigned_key.is_none() && is_free(*key));
                if let Some(key) = key.filter(|key| taken_keys.insert(*key)) {
                    *assigned_key = Some(key);
                }
            }
        };
        // A submenu keeps its first key, and every choice that of a moment ago. Then come the keys
        // that are asked for, in order; a later choice with the same wish gets the next free
        // letter. Then come the keys of earlier prompts: for what is in submenus the oldest first, else those of this kind.
        let lasting_key = |one: &KeyRequest<'_>, nth: usize| {
            self.lasting_keys.get(one.id).filter(|_| one.is_lasting())?.get(nth).copied()
        };
        assign_where_free(&|one| {
            let page = Some(one).filter(|one| one.class == KeyClass::Submenu)?;
            lasting_key(page, 0).or(page.preferred_key)
        });
        assign_where_free(&|one| list_keys.and_then(|keys| keys.get(one.id)).copied());
        assign_where_free(&|one| one.preferred_key);
        let scene_keys = self.keys_by_scene.get(&place.0);
        let lasting_of_requests = requests.iter().filter_map(|one| self.lasting_keys.get(one.id));
        for nth in 0..lasting_of_requests.map(Vec::len).max().unwrap_or(0) {
            assign_where_free(&|one| lasting_key(one, nth));
        }
        assign_where_free(&|one| {
            let of_scene = scene_keys.filter(|_| one.reuses_previous_key);
            of_scene.and_then(|keys| keys.get(&id_in_scene(one))).copied()
        });
        let previous_keys: BTreeSet<char> =
            list_keys.into_iter().flatten().map(|(_, key)| *key).collect();
        let used_keys = self
            .used_keys_by_place
            .get(&place.0)
            .and_then(|titles| titles.get(&place.1))
            .filter(|_| list_id.is_empty());
        let all_pages = self.lasting_keys.iter().filter(|(id, _)| id.starts_with(PAGE_ID_PREFIX));
        let page_keys: BTreeSet<char> = all_pages.flat_map(|(_, keys)| keys).copied().collect();
        for (one, assigned_key) in requests.iter().zip(&mut assigned_keys) {
            if assigned_key.is_some() {
                continue;
            }
            let keys: Vec<char> = key_order::keys_in_order(one.class, one.preferred_key)
                .filter(|key| is_free(*key) && !taken_keys.contains(key))
                .collect();
            // The key of a choice that is gone stays free while there are others, and one that
            // lasts was never used.
            let was_used_here = |key: &char| {
                let used_here = used_keys.is_some_and(|had| had.contains(key));
                let is_spent = if one.is_lasting() { &self.all_used_keys } else { &page_keys };
                one.reuses_previous_key && (used_here || is_spent.contains(key))
            };
            let mut unused = keys.iter().filter(|key| !was_used_here(key));
            let mut not_previous = keys.iter().filter(|key| !previous_keys.contains(key));
            let key = unused.find(|key| !previous_keys.contains(key));
            // A submenu rather has a letter that something had elsewhere than a capital.
            let letter = || {
                let letters = keys.iter().filter(|key| key.is_ascii_lowercase());
                let mut free = letters.filter(|key| !page_keys.contains(key));
                free.find(|key| !used_keys.is_some_and(|had| had.contains(key)))
            };
            let is_capital = key.is_none_or(|key| !key.is_ascii_lowercase());
            let key = match one.class == KeyClass::Submenu && is_capital {
                true => letter().or(key),
                false => key,
            };
            let key = key.or_else(|| not_previous.find(|key| !page_keys.contains(key)));
            *assigned_key = key.or(keys.first()).copied();
            taken_keys.extend(*assigned_key);
        }
        self.remember_keys(list_id, place, requests, &assigned_keys, &id_in_scene);
        assigned_keys
    }

    fn remember_keys(
        &mut self,
        list_id: &str,
        place: &(String, String),
        requests: &[KeyRequest<'_>],
        assigned_keys: &[Option<char>],
        id_in_scene: &dyn Fn(&KeyRequest<'_>) -> String,
    ) {
        let remembered_count = self.keys_by_scene.values().map(BTreeMap::len).sum::<usize>();
        if remembered_count > MAX_REMEMBERED_CHOICES {
            let kept = (std::mem::take(&mut self.identity), std::mem::take(&mut self.prompt_keys));
            *self = Self { identity: kept.0, prompt_keys: kept.1, ..Self::default() };
        }
        if list_id.is_empty() {
            let titles = self.used_keys_by_place.entry(place.0.clone()).or_default();
            titles.entry(place.1.clone()).or_default().extend(assigned_keys.iter().flatten());
        }
        for (one, key) in requests.iter().zip(assigned_keys) {
            let Some(key) = *key else { continue };
            let list_keys = self.prompt_keys.entry(list_id.to_owned()).or_default();
            list_keys.insert(one.id.to_owned(), key);
            if !one.reuses_previous_key {
                continue;
            }
            if list_id.is_empty() {
                self.all_used_keys.extend([Some(key), one.preferred_key].into_iter().flatten());
            }
            let scene_keys = self.keys_by_scene.entry(place.0.clone()).or_default();
            scene_keys.insert(id_in_scene(one), key);
            if one.is_lasting() && list_id.is_empty() {
                let choice_keys = self.lasting_keys.entry(one.id.to_owned()).or_default();
                if !choice_keys.contains(&key) {
                    choice_keys.push(key);
                }
            }
        }
    }
}
