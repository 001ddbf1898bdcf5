//! Which key does what, changed while the program runs. It is kept with what else a player prefers,
//! and goes before the file of keys.

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
/// The choice that takes all of them back.
const USUAL: &str = "usual";

/// Most bytes that are read of a file of keys.
const KEYS_BYTES: u64 = 1024 * 1024;

/// Takes the player's own keys from the file of them, where there is one.
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
    /// Shows what each key does until the player goes back.
    pub(super) fn choose_keys(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        loop {
            let own = Preferences::kept(&self.held.profile().preferences).keys;
            let (keymap, _) = self.setup.keymap.with_own(&own);
            let mut choices = vec![choice("back", "Back")];
            if !own.is_empty() {
                let note = "takes back what was changed here".to_owned();
                choices.push(Choice { note, ..choice(USUAL, "The usual keys") });
            }
            choices.extend(Keymap::actions().map(|(action, name)| {
                let label = format!("{}: {}", Keymap::does(action), keymap.all_shown(action));
                let changed = own.iter().any(|(of, _)| of == name);
                let note = if changed { "changed here" } else { "" }.to_owned();
                Choice { note, ..choice(&format!("key:{name}"), &escape(&label)) }
            }));
            let text = "What is to have another key?";
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

    /// Asks for the keys of one thing. What cannot be is told, and nothing changed.
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
            "Which keys: {}? A letter, or a word like Up, Enter, Space, F2; several with spaces between them.",
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
        // What was left as it stood is nothing that was changed.
        if default.split_whitespace().eq(&keys) {
            return Ok(());
        }
        own.retain(|(of, _)| of != name);
        if !keys.is_empty() {
            own.push((name.to_owned(), keys));
        }
        let (now, mut problems) = self.setup.keymap.with_own(&own);
        // Whoever loses all of its keys could not be reached any more.
        let bare = Keymap::actions().find(|(action, _)| now.all_shown(*action).is_empty());
        problems.extend(bare.map(|(_, bare)| {
            let words = format!("{bare} would have no key any more");
            Problem::error("key-clash", words).hint(format!("give {bare} another key first"))
        }));
        if let Some(problem) = problems.first() {
            door.front.trouble(problem)?;
            let note = Problem::warning("keys-unchanged", "the keys are as they were before");
            return Ok(door.front.trouble(&note)?);
        }
        if !Self::may_take(door, &self.named("Keys"), keymap, &now, action)? {
            return Ok(());
        }
        self.keep_keys(door, own)
    }

    /// Whether keys that something else had may be taken from it: it is asked, by name.
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
            (!gone.is_empty())
                .then(|| format!("{} was for \"{does}\", which keeps {has}", gone.join(" and ")))
        });
        let lost: Vec<String> = lost.collect();
        if lost.is_empty() {
            return Ok(true);
        }
        let text = format!("{}. Take it from there?", lost.join("; "));
        let choices = vec![
            choice("back", "No, leave the keys as they were"),
            choice("take", &format!("Yes: it is for \"{}\" from now on", Keymap::does(action))),
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
