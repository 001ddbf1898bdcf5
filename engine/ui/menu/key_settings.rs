//! The key settings. Changes are stored in the profile and override the key file.

use base::host_text;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::settings::insert_key;
use super::{ExitReason, HostPrompts, Menu, MenuSetup, host_choice, host_prompt};
use crate::full_screen::{KeyAction, Keymap};
use crate::preferences::Preferences;
use base::text::escape_markup;
use base::{Code, Problem, Value};
use mods::open_regular_file;
use protocol::{AnswerType, Choice, Input, Prompt, View};

const KEYS_SCENE: &str = "host:keys";
/// The choice that resets all keys.
const RESET_CHOICE_ID: &str = "usual";

/// The most bytes read of a key file.
const MAX_KEY_FILE_BYTES: u64 = 1024 * 1024;

/// Reads the player's key file, if there is one.
pub fn read_key_file(setup: &mut MenuSetup) {
    let path = setup.data_dir.root().join("keys.toml");
    match parse_key_file(&path) {
        Ok(None) => {}
        Ok(Some((keymap, problems))) => {
            setup.problems.extend(problems);
            setup.keymap = keymap;
        }
        Err(error) => {
            let words = format!("{} cannot be read: {error}", path.display());
            setup.problems.push(Problem::warning(Code::NoKeys, words));
        }
    }
}

/// Parses a key file; `None` if there is none.
pub fn parse_key_file(path: &Path) -> io::Result<Option<(Keymap, Vec<Problem>)>> {
    let file = match open_regular_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut text = String::new();
    file.take(MAX_KEY_FILE_BYTES).read_to_string(&mut text)?;
    Ok(Some(Keymap::parse(&text, &path.to_string_lossy())))
}

impl Menu {
    /// Shows the keys of all actions until the player goes back.
    pub(super) fn choose_keys(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
    ) -> Result<(), ExitReason> {
        loop {
            let overrides =
                Preferences::from_profile(&self.profile_lock.profile().preferences).key_overrides;
            let (keymap, _) = self.setup.keymap.with_overrides(&overrides);
            let mut choices = vec![host_choice("back", &host_text!("Back"))];
            if !overrides.is_empty() {
                let note = host_text!("removes all changes made here");
                choices.push(Choice {
                    note,
                    ..host_choice(RESET_CHOICE_ID, &host_text!("Reset all keys"))
                });
            }
            choices.extend(Keymap::actions_with_names().map(|(action, name)| {
                let label =
                    format!("{}: {}", Keymap::action_label(action), keymap.all_key_text(action));
                let is_changed = overrides.iter().any(|(of, _)| of == name);
                let note = if is_changed { host_text!("changed") } else { String::new() };
                Choice { note, ..host_choice(&format!("key:{name}"), &escape_markup(&label)) }
            }));
            let text = host_text!("Change the keys of which action?");
            let chosen = host_prompts.ask_choice(
                &host_prompt(KEYS_SCENE, &text, choices),
                &self.titled_view(&host_text!("Keys")),
            )?;
            match chosen.as_deref() {
                Some(RESET_CHOICE_ID) => self.save_keys(host_prompts, Vec::new())?,
                Some(id) => match id.strip_prefix("key:") {
                    Some(name) => {
                        self.change_action_keys(host_prompts, &keymap, overrides, name)?
                    }
                    None => return Ok(()),
                },
                None => return Ok(()),
            }
            self.apply_preferences(host_prompts);
        }
    }

    /// Asks for the keys of an action. Invalid keys are reported and change nothing.
    fn change_action_keys(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        keymap: &Keymap,
        mut overrides: Vec<(String, Vec<String>)>,
        name: &str,
    ) -> Result<(), ExitReason> {
        let action =
            Keymap::actions_with_names().find(|(_, of)| *of == name).map(|(action, _)| action);
        let Some(action) = action else { return Ok(()) };
        let text = host_text!(
            "Keys for \"{action}\"? A letter, or a name like Up, Enter, Space, F2; separate several with spaces.",
            action = Keymap::action_label(action)
        );
        let default = keymap.keys_of(action).join(" ");
        let answer_type = AnswerType::Text { max_length: 60, default: default.clone() };
        let prompt = Prompt {
            scene: KEYS_SCENE.to_owned(),
            text: escape_markup(&text),
            answer_type,
            choices: Vec::new(),
            repeats: false,
        };
        let Some(Input::Text(line)) =
            host_prompts.ask_input(&prompt, &self.titled_view(&host_text!("Keys")))?
        else {
            return Ok(());
        };
        let keys: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        // An unchanged default is not a change.
        if default.split_whitespace().eq(&keys) {
            return Ok(());
        }
        overrides.retain(|(of, _)| of != name);
        if !keys.is_empty() {
            overrides.push((name.to_owned(), keys));
        }
        let (new_keymap, mut problems) = self.setup.keymap.with_overrides(&overrides);
        // An action without keys could not be used any more.
        let action_without_key =
            Keymap::actions_with_names().find(|(action, _)| new_keymap.keys_of(*action).is_empty());
        problems.extend(action_without_key.map(|(_, bare)| {
            let words = format!("{bare} would have no key left");
            Problem::error(Code::KeyConflict, words).hint(format!("give {bare} another key first"))
        }));
        if let Some(problem) = problems.first() {
            host_prompts.frontend.show_problem(problem)?;
            let note = Problem::warning(Code::KeysUnchanged, "the keys were not changed");
            return Ok(host_prompts.frontend.show_problem(&note)?);
        }
        if !Self::confirm_taking_keys(
            host_prompts,
            &self.titled_view(&host_text!("Keys")),
            keymap,
            &new_keymap,
            action,
        )? {
            return Ok(());
        }
        self.save_keys(host_prompts, overrides)
    }

    /// Asks whether to take keys away from other actions, which it names.
    fn confirm_taking_keys(
        host_prompts: &mut HostPrompts<'_>,
        view: &View,
        before: &Keymap,
        after: &Keymap,
        action: KeyAction,
    ) -> Result<bool, ExitReason> {
        let others = Keymap::actions_with_names().filter(|(other, _)| *other != action);
        let lost_keys = others.filter_map(|(other, _)| {
            let (keys_before, keys_after) = (before.all_key_text(other), after.all_key_text(other));
            let removed_keys: Vec<&str> = keys_before
                .split(", ")
                .filter(|key| !keys_after.split(", ").any(|kept| kept == *key))
                .collect();
            let action_label = Keymap::action_label(other);
            (!removed_keys.is_empty()).then(|| {
                host_text!(
                    "{keys} is used for \"{action}\", which keeps {keys_after}",
                    keys = removed_keys.join(", "),
                    action = action_label,
                    keys_after = keys_after
                )
            })
        });
        let lost_keys: Vec<String> = lost_keys.collect();
        if lost_keys.is_empty() {
            return Ok(true);
        }
        let text = host_text!("{losses}. Reassign it?", losses = lost_keys.join("; "));
        let choices = vec![
            host_choice("back", &host_text!("No, change nothing")),
            host_choice(
                "take",
                &host_text!("Yes, use it for \"{action}\"", action = Keymap::action_label(action)),
            ),
        ];
        let chosen = host_prompts
            .ask_choice(&host_prompt(KEYS_SCENE, &escape_markup(&text), choices), view)?;
        Ok(chosen.as_deref() == Some("take"))
    }

    fn save_keys(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        overrides: Vec<(String, Vec<String>)>,
    ) -> Result<(), ExitReason> {
        let each = overrides.iter().map(|(name, keys)| {
            (name.clone(), Value::List(keys.iter().map(Value::text).collect()))
        });
        let mut table = Value::map();
        each.for_each(|(name, keys)| insert_key(&mut table, &name, keys));
        self.change_profile(host_prompts, |profile| {
            insert_key(&mut profile.preferences, "keys", table)
        })
    }
}
