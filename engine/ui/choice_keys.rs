//! Which key takes which choice. A choice keeps its key as long as it is offered in that kind of
//! prompt, and a submenu and what is in it keep theirs through a run; so a choice that disappears
//! leaves a gap. Pressing a key takes the choice at once.

mod key_order;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};

use super::back_choice::back_choice;
use super::choice_layout::{ChoiceLayout, PromptIdentity, Submenu};
pub(crate) use key_order::BACK_KEY;
use key_order::KeyClass;
use protocol::Prompt;

/// How many choices are remembered across prompts.
const MAX_REMEMBERED_CHOICES: usize = 2000;

/// The first character of the ids of submenus here: no choice's id begins with it.
const SUBMENU_ID_PREFIX: char = ' ';

/// For how many prompts of a place no new choice gets the key of a choice that is gone.
const RECENT_PROMPTS: usize = 3;

/// With more keys than these in a prompt, each submenu has a list of its own.
const MAX_UNIQUE_KEYS: usize = 20;

/// The keys assigned so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ChoiceKeys {
    /// The run to which the keys belong.
    #[serde(skip)]
    run_id: String,
    identity: PromptIdentity,
    /// The keys of the current prompt, by list (`""` or the id of a submenu) and choice id.
    prompt_keys: BTreeMap<String, BTreeMap<String, char>>,
    /// The newest key of each choice in each kind of prompt, by scene and id.
    keys_by_scene: BTreeMap<String, BTreeMap<String, char>>,
    /// The keys of submenus and of the choices in them, by id, oldest first. If its first key is
    /// taken, a choice gets its next one.
    lasting_keys: BTreeMap<String, Vec<char>>,
    /// The keys by choice of the newest prompts at a place, by scene and title, the newest first.
    #[serde(default)]
    recent_keys_by_place: BTreeMap<String, BTreeMap<String, VecDeque<BTreeMap<String, char>>>>,
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

    /// Restores the keys of a run, so that every choice gets the key that it had.
    pub fn restore(&mut self, run_id: &str, saved_keys: impl FnOnce() -> Option<String>) {
        if self.run_id != run_id {
            let restored = saved_keys().and_then(|text| Self::from_text(&text));
            *self = Self { run_id: run_id.to_owned(), ..restored.unwrap_or_default() };
        }
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
        let back_id = back_choice(prompt).map(|choice| &*choice.id);
        let ids =
            prompt.choices.iter().map(|choice| &choice.id).filter(|id| Some(&***id) != back_id);
        let is_repeated =
            ids.clone().any(|id| self.prompt_keys.values().any(|keys| keys.contains_key(id)));
        if !(self.identity.update(prompt, title) && is_repeated) {
            self.prompt_keys.clear();
        }
        let place = (prompt.scene.clone(), title.to_owned());
        // Another list at the same place, such as that of another person, begins anew; not the rounds
        // of a fight, in which several act.
        if !prompt.repeats
            && let Some(recent_keys) =
                self.recent_keys_by_place.get_mut(&place.0).and_then(|titles| titles.get_mut(title))
            && !ids.clone().any(|id| recent_keys.iter().any(|keys| keys.contains_key(id)))
        {
            recent_keys.clear();
        }
        // Host prompts are lists that are read from the top.
        let reuses_previous_key = !prompt.is_from_host();
        let build_request = |at: &usize, class| {
            let choice = &prompt.choices[*at];
            let is_back = Some(&*choice.id) == back_id
                && !(prompt.is_from_host() && choice.preferred_key.is_some());
            let preferred_key = if is_back { Some(BACK_KEY) } else { choice.preferred_key };
            KeyRequest { id: &choice.id, preferred_key, reuses_previous_key, class }
        };
        let mut requests: Vec<KeyRequest<'_>> =
            layout.top_level.iter().map(|at| build_request(at, KeyClass::TopLevel)).collect();
        let submenu_ids: Vec<String> = layout.submenus.iter().map(id_of_submenu).collect();
        let group_ids: Vec<String> = layout.open_groups.iter().map(id_of_submenu).collect();
        let submenu_request = |(submenu, id): (&Submenu, _)| KeyRequest {
            id,
            preferred_key: submenu.preferred_key,
            reuses_previous_key,
            class: KeyClass::Submenu,
        };
        let group_requests = layout.open_groups.iter().zip(group_ids.iter().map(|id| &**id));
        let group_requests: Vec<Option<KeyRequest<'_>>> = group_requests
            .map(|one| self.open_group_needs_key(one, prompt).then(|| submenu_request(one)))
            .collect();
        let submenu_ids = submenu_ids.iter().map(|id| &**id);
        requests.extend(layout.submenus.iter().zip(submenu_ids).map(submenu_request));
        requests.extend(group_requests.iter().flatten());
        // Choices in submenus have unique keys, so that they can be taken while they are visible.
        // If there are too few keys, each submenu is a list of its own.
        let in_submenus =
            layout.submenus.iter().map(|submenu| submenu.choices.len()).sum::<usize>();
        if requests.len() + in_submenus > MAX_UNIQUE_KEYS {
            self.split_scenes.insert(prompt.scene.clone());
        }
        let are_unique = !self.split_scenes.contains(&prompt.scene);
        let class_of = |at: &usize| match are_unique {
            true => KeyClass::in_submenu(&prompt.choices[*at]),
            false => KeyClass::TopLevel,
        };
        let requests_in_submenus = layout.submenus.iter().map(|submenu| {
            submenu.choices.iter().map(|at| build_request(at, class_of(at))).collect()
        });
        let requests_in_submenus: Vec<Vec<KeyRequest<'_>>> = requests_in_submenus.collect();
        if are_unique {
            requests.extend(requests_in_submenus.iter().flatten());
        }
        let mut keys = self.assign_in_list("", &place, &requests, is_free).into_iter();
        let top_level = keys.by_ref().take(layout.top_level.len()).collect();
        let submenus: Vec<Option<char>> = keys.by_ref().take(layout.submenus.len()).collect();
        let open_groups = group_requests.iter().map(|request| request.and_then(|_| keys.next()?));
        let open_groups = open_groups.collect();
        let lists = layout.submenus.iter().zip(&requests_in_submenus).zip(&submenus);
        let submenu_choices = lists.map(|((submenu, requests), own)| match are_unique {
            true => keys.by_ref().take(requests.len()).collect(),
            // The key that opened a submenu also closes it.
            false => self.assign_in_list(&submenu.id, &place, requests, &|key| {
                is_free(key) && *own != Some(key)
            }),
        });
        let submenu_choices = submenu_choices.collect();
        AssignedKeys { top_level, submenus, open_groups, submenu_choices, are_unique }
    }

    /// Whether a group that could be a submenu needs a key: not one that was never a submenu, nor
    /// one that leaves its key to a choice.
    fn open_group_needs_key(&self, (group, id): (&Submenu, &str), prompt: &Prompt) -> bool {
        let has_key = group.preferred_key.is_some() || self.lasting_keys.contains_key(id);
        let leaves_key_to = |at: &usize| {
            group.preferred_key.is_some()
                && prompt.choices[*at].preferred_key == group.preferred_key
        };
        has_key && !group.choices.iter().any(leaves_key_to)
    }

    fn assign_in_list(
        &mut self,
        list_id: &str,
        place: &(String, String),
        requests: &[KeyRequest<'_>],
        is_free: &dyn Fn(char) -> bool,
    ) -> Vec<Option<char>> {
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
        // letter. Then come the keys of earlier prompts: for what is in submenus the oldest first,
        // else those of this kind.
        let lasting_key = |one: &KeyRequest<'_>, nth: usize| {
            self.lasting_keys.get(one.id).filter(|_| one.is_lasting())?.get(nth).copied()
        };
        assign_where_free(&|one| {
            let submenu = Some(one).filter(|one| one.class == KeyClass::Submenu)?;
            lasting_key(submenu, 0).or(submenu.preferred_key)
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
            of_scene.and_then(|keys| keys.get(&id_in_list(list_id, one.id))).copied()
        });
        for (one, assigned_key) in requests.iter().zip(&mut assigned_keys) {
            if assigned_key.is_none() {
                let is_free = |key: &char| is_free(*key) && !taken_keys.contains(key);
                // `D` rather does nothing where `d` does something.
                let is_apart = |key: &char| match key.is_ascii_uppercase() {
                    true => is_free(&key.to_ascii_lowercase()),
                    false => !taken_keys.contains(&key.to_ascii_uppercase()),
                };
                *assigned_key = self
                    .find_new_key(list_id, place, one, &|key| is_free(key) && is_apart(key))
                    .or_else(|| self.find_new_key(list_id, place, one, &is_free));
                taken_keys.extend(*assigned_key);
            }
        }
        self.remember_keys(list_id, place, requests, &assigned_keys);
        assigned_keys
    }

    /// A key for a request that has none. While others are free, it is not the key of a choice that
    /// was here recently, and that of a submenu was never used.
    fn find_new_key(
        &self,
        list_id: &str,
        place: &(String, String),
        request: &KeyRequest<'_>,
        is_free: &dyn Fn(&char) -> bool,
    ) -> Option<char> {
        let find = |is_wanted: &dyn Fn(&char) -> bool| {
            let mut keys = key_order::keys_in_order(request.class, request.preferred_key);
            keys.find(|key| is_free(key) && is_wanted(key))
        };
        let list_keys = self.prompt_keys.get(list_id);
        let is_previous =
            |key: &char| list_keys.is_some_and(|keys| keys.values().any(|k| k == key));
        let recent = self.recent_keys_by_place.get(&place.0).and_then(|keys| keys.get(&place.1));
        let recent_keys = recent.filter(|_| list_id.is_empty());
        let was_used_here = |key: &char| {
            recent_keys.is_some_and(|all| all.iter().any(|keys| keys.values().any(|k| k == key)))
        };
        let of_submenus =
            self.lasting_keys.iter().filter(|(id, _)| id.starts_with(SUBMENU_ID_PREFIX));
        let submenu_keys: BTreeSet<char> =
            of_submenus.flat_map(|(_, keys)| keys).copied().collect();
        let was_used = |key: &char| match request.class {
            KeyClass::Submenu => self.all_used_keys.contains(key),
            _ => submenu_keys.contains(key),
        };
        let is_unused = |key: &char| {
            !is_previous(key)
                && !(request.reuses_previous_key && (was_used_here(key) || was_used(key)))
        };
        let unused = find(&is_unused);
        // A submenu rather has a letter that something had elsewhere than a capital.
        let is_letter = |key: &char| {
            key.is_ascii_lowercase() && !submenu_keys.contains(key) && !was_used_here(key)
        };
        let needs_letter = request.class == KeyClass::Submenu
            && unused.is_none_or(|key| !key.is_ascii_lowercase());
        let key = if needs_letter { find(&is_letter).or(unused) } else { unused };
        key.or_else(|| find(&|key| !is_previous(key) && !submenu_keys.contains(key)))
            .or_else(|| find(&|_| true))
    }

    fn remember_keys(
        &mut self,
        list_id: &str,
        place: &(String, String),
        requests: &[KeyRequest<'_>],
        assigned_keys: &[Option<char>],
    ) {
        let remembered_count = self.keys_by_scene.values().map(BTreeMap::len).sum::<usize>();
        if remembered_count > MAX_REMEMBERED_CHOICES {
            *self = Self {
                run_id: std::mem::take(&mut self.run_id),
                identity: std::mem::take(&mut self.identity),
                prompt_keys: std::mem::take(&mut self.prompt_keys),
                ..Self::default()
            };
        }
        if list_id.is_empty() {
            let titles = self.recent_keys_by_place.entry(place.0.clone()).or_default();
            let recent_keys = titles.entry(place.1.clone()).or_default();
            let ids = requests.iter().map(|request| request.id.to_owned());
            let keys = ids.zip(assigned_keys).filter_map(|(id, key)| Some((id, (*key)?)));
            recent_keys.push_front(keys.collect());
            recent_keys.truncate(RECENT_PROMPTS);
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
            scene_keys.insert(id_in_list(list_id, one.id), key);
            if one.is_lasting() && list_id.is_empty() {
                let choice_keys = self.lasting_keys.entry(one.id.to_owned()).or_default();
                if !choice_keys.contains(&key) {
                    choice_keys.push(key);
                }
            }
        }
    }
}

/// The id of a submenu here.
fn id_of_submenu(submenu: &Submenu) -> String {
    format!("{SUBMENU_ID_PREFIX}{}", submenu.id)
}

/// The id of a choice among all lists of a scene.
fn id_in_list(list_id: &str, id: &str) -> String {
    match list_id {
        "" => id.to_owned(),
        list => format!("{list}{SUBMENU_ID_PREFIX}{id}"),
    }
}
