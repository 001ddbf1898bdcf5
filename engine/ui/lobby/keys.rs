//! The key settings. Changes are stored in the profile and override the key file.

use std::io::{ErrorKind, Read};

use super::settings::put;
use super::{Door, Lobby, Setup, Stop, ask, choice};
use crate::kit::text::escape;
use crate::kit::{Problem, Value};
use crate::mods::open_plain;
use crate::play::{Ask, Choice, Input, Prompt, View};
use crate::ui::full::{Action, Keymap};
use crate::ui::preferences::Preferences;

const SCENE: &str = "host:keys";
/// The choice that resets all keys.
const USUAL: &str = "usual";

/// The most bytes read of a key file.
const KEYS_BYTES: u64 = 1024 * 1024;

/// Reads the player's key file, if there is one.
pub fn read_keys(setup: &mut Setup) {
    let path = setup.data_dir.root().join("keys.toml");
    let read = open_plain(&path).and_then(|file| {
        let mut page = String::new();
        file.take(KEYS_BYTES).read_to_string(&mut page).map(|_| page)
    });
    match read {
        Ok(page) => {
            let (keymap, problems) = Keymap::read(&page, &path.to_string_lossy());
            setup.told.extend(problems);
            setup.keymap = keymap;
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => {
            let words = format!("{} cannot be read: {error}", path.display());
            setup.told.push(Problem::warning("no-keys", words));
        }
    }
}

impl Lobby {
    /// Shows the keys of all actions until the player goes back.
    pub(super) fn choose_keys(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        loop {
            let own = Preferences::kept(&self.held.profile().preferences).keys;
            let (keymap, _) = self.setup.keymap.with_own(&own);
            let mut choices = vec![choice("back", "Back")];
            if !own.is_empty() {
                let note = "removes all changes made here".to_owned();
                choices.push(Choice { note, ..choice(USUAL, "Reset all keys") });
            }
            choices.extend(Keymap::actions().map(|(action, name)| {
                let label = format!("{}: {}", Keymap::does(action), keymap.all_shown(action));
                let changed = own.iter().any(|(of, _)| of == name);
                let note = if changed { "changed" } else { "" }.to_owned();
                Choice { note, ..choice(&format!("key:{name}"), &escape(&label)) }
            }));
            let text = "Change the keys of which action?";
            let chosen = door.choose(&ask(SCENE, text, choices), &self.named("Keys"))?;
            match chosen.as_deref() {
                Some(USUAL) => self.keep_keys(door, Vec::new())?,
                Some(id) => match id.strip_prefix("key:") {
                    Some(name) => self.choose_key(door, &keymap, own, name)?,
                    None => return Ok(()),
                },
                None => return Ok(()),
            }
            self.prefer(door);
        }
    }

    /// Asks for the keys of an action. Invalid keys are reported and change nothing.
    fn choose_key(
        &mut self,
        door: &mut Door<'_>,
        keymap: &Keymap,
        mut own: Vec<(String, Vec<String>)>,
        name: &str,
    ) -> Result<(), Stop> {
        let action = Keymap::actions().find(|(_, of)| *of == name).map(|(action, _)| action);
        let Some(action) = action else { return Ok(()) };
        let text = format!(
            "Keys for \"{}\"? A letter, or a name like Up, Enter, Space, F2; separate several with spaces.",
            Keymap::does(action)
        );
        let default = keymap.all_shown(action).replace(", ", " ");
        let asked = Ask::Text { max_length: 60, default: default.clone() };
        let prompt = Prompt {
            scene: SCENE.to_owned(),
            text: escape(&text),
            ask: asked,
            choices: Vec::new(),
            rounds: false,
        };
        let Some(Input::Text(line)) = door.input(&prompt, &self.named("Keys"))? else {
            return Ok(());
        };
        let keys: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        // An unchanged default is not a change.
        if default.split_whitespace().eq(&keys) {
            return Ok(());
        }
        own.retain(|(of, _)| of != name);
        if !keys.is_empty() {
            own.push((name.to_owned(), keys));
        }
        let (now, mut problems) = self.setup.keymap.with_own(&own);
        // An action without keys could not be used any more.
        let bare = Keymap::actions().find(|(action, _)| now.all_shown(*action).is_empty());
        problems.extend(bare.map(|(_, bare)| {
            let words = format!("{bare} would have no key left");
            Problem::error("key-clash", words).hint(format!("give {bare} another key first"))
        }));
        if let Some(problem) = problems.first() {
            door.front.trouble(problem)?;
            let note = Problem::warning("keys-unchanged", "the keys were not changed");
            return Ok(door.front.trouble(&note)?);
        }
        if !Self::may_take(door, &self.named("Keys"), keymap, &now, action)? {
            return Ok(());
        }
        self.keep_keys(door, own)
    }

    /// Asks whether to take keys away from other actions, which it names.
    fn may_take(
        door: &mut Door<'_>,
        view: &View,
        before: &Keymap,
        now: &Keymap,
        action: Action,
    ) -> Result<bool, Stop> {
        let others = Keymap::actions().filter(|(other, _)| *other != action);
        let lost = others.filter_map(|(other, _)| {
            let (had, has) = (before.all_shown(other), now.all_shown(other));
            let gone: Vec<&str> =
                had.split(", ").filter(|key| !has.split(", ").any(|kept| kept == *key)).collect();
            let does = Keymap::does(other);
            (!gone.is_empty()).then(|| {
                format!("{} is used for \"{does}\", which keeps {has}", gone.join(" and "))
            })
        });
        let lost: Vec<String> = lost.collect();
        if lost.is_empty() {
            return Ok(true);
        }
        let text = format!("{}. Reassign it?", lost.join("; "));
        let choices = vec![
            choice("back", "No, change nothing"),
            choice("take", &format!("Yes, use it for \"{}\"", Keymap::does(action))),
        ];
        let chosen = door.choose(&ask(SCENE, &escape(&text), choices), view)?;
        Ok(chosen.as_deref() == Some("take"))
    }

    fn keep_keys(
        &mut self,
        door: &mut Door<'_>,
        own: Vec<(String, Vec<String>)>,
    ) -> Result<(), Stop> {
        let each = own.iter().map(|(name, keys)| {
            (name.clone(), Value::List(keys.iter().map(Value::text).collect()))
        });
        let mut table = Value::map();
        each.for_each(|(name, keys)| put(&mut table, &name, keys));
        self.change(door, |profile| put(&mut profile.preferences, "keys", table))
    }
}
