//! The settings: display preferences, the player, enabled mods and their settings. All of them are
//! stored in the profile.

use std::sync::Arc;

use super::{Door, Lobby, Stop, ask, choice, content};
use crate::kit::text::{escape, shown};
use crate::kit::{Problem, Value};
use crate::mods::{
    ModSource, Origin, Setting, SettingType, discover_manifests, made_for_other, with_needs,
};
use crate::play::view::Card;
use crate::play::{Ask, Choice, Input, Prompt, View};
use crate::save::Profile;
use crate::ui::full::Palette;
use crate::ui::preferences::Preferences;

const SCENE: &str = "host:settings";

/// The name of the plain-text mode.
fn how_plain(kept: &Preferences) -> &'static str {
    if kept.brief.unwrap_or(false) { "brief" } else { "full" }
}

impl Lobby {
    /// Shows the settings until the player goes back.
    pub(super) fn settings(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        loop {
            let prompt = ask(SCENE, "", self.setting_choices());
            let chosen = door.choose(&prompt, &self.named("Settings"))?;
            match chosen.as_deref() {
                None | Some("back") => return Ok(()),
                Some("palette") => self.choose_palette(door)?,
                Some("ascii") => {
                    let ascii = !self.preferences().ascii.unwrap_or(self.setup.usual_ascii);
                    self.keep(door, "ascii", Value::Bool(ascii))?;
                }
                Some("mouse") => {
                    let mouse = !self.preferences().mouse.unwrap_or(true);
                    self.keep(door, "mouse", Value::Bool(mouse))?;
                }
                Some("keys") => self.choose_keys(door)?,
                Some("brief") => {
                    let brief = !self.preferences().brief.unwrap_or(false);
                    self.keep(door, "brief", Value::Bool(brief))?;
                }
                Some("player") => self.players(door)?,
                Some("mods") => self.choose_mods(door)?,
                Some(id) => self.set(door, id)?,
            }
            self.prefer(door);
        }
    }

    /// Applies this player's preferences to the frontend.
    pub(super) fn prefer(&self, door: &mut Door<'_>) {
        door.front.prefer(&self.setup.prefer.or(&self.preferences()));
    }

    fn preferences(&self) -> Preferences {
        Preferences::kept(&self.held.profile().preferences)
    }

    pub(super) fn named(&self, name: &str) -> View {
        View { title: format!("{}: {name}", self.name()), widgets: Vec::new() }
    }

    fn setting_choices(&self) -> Vec<Choice> {
        let kept = self.preferences();
        let flag = |set: bool| if set { "set on the command line for this start" } else { "" };
        let of = |id: &str, label: String, note: &str| Choice {
            note: escape(note),
            ..choice(id, &escape(&label))
        };
        let palette = kept.palette.as_deref().and_then(Palette::named);
        let palette = palette.map_or("chosen by the terminal", Palette::name);
        let on = |on: bool| if on { "on" } else { "off" };
        let ascii = kept.ascii.unwrap_or(self.setup.usual_ascii);
        let signs = if ascii { "ASCII only" } else { "all" };
        let mut out = vec![
            of("back", "Back".to_owned(), ""),
            of("palette", format!("Colours: {palette}"), flag(self.setup.prefer.palette.is_some())),
            of("ascii", format!("Characters: {signs}"), flag(self.setup.prefer.ascii.is_some())),
            of(
                "mouse",
                format!("Mouse: {}", on(kept.mouse.unwrap_or(true))),
                flag(self.setup.prefer.mouse.is_some()),
            ),
            of("keys", "Keys".to_owned(), "change which key does what"),
            of(
                "brief",
                format!("Plain text: {}", how_plain(&kept)),
                "questions in few words or in full",
            ),
            of("player", format!("Player: {}", self.held.profile().name), ""),
            of("mods", "Mods".to_owned(), ""),
        ];
        for (id, name, setting) in self.mod_settings() {
            let value = shown_value(&self.value_of(&id, &setting));
            let label = if setting.label.is_empty() { name } else { setting.label.clone() };
            out.push(of(&id, format!("{label}: {value}"), &setting.doc));
        }
        out
    }

    /// The settings of the enabled mods: the id of the choice, the bare name, the setting.
    fn mod_settings(&self) -> Vec<(String, String, Setting)> {
        let sources = self.content.mods.mods.iter();
        let each = sources.flat_map(|source| {
            let settings = source.manifest.settings.iter();
            settings.map(|(name, setting)| {
                (format!("set:{}:{name}", source.id()), name.clone(), setting.clone())
            })
        });
        each.collect()
    }

    fn value_of(&self, id: &str, setting: &Setting) -> Value {
        let settings = self.held.profile().game(&self.game).settings;
        let mut words = id.split(':').skip(1);
        let (owner, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let kept = settings.get(owner).and_then(|of| of.get(name)).cloned();
        kept.filter(|value| setting.accepts(value).is_ok()).unwrap_or(setting.default.clone())
    }

    fn choose_palette(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        let now = self.setup.prefer.or(&self.preferences()).palette;
        let mut choices: Vec<Choice> = Palette::ALL
            .iter()
            .map(|(_, name, does)| Choice { note: escape(does), ..choice(name, name) })
            .collect();
        if let Some(at) = choices.iter().position(|one| Some(&one.id) == now.as_ref()) {
            choices[..=at].rotate_right(1);
        }
        let prompt = ask(SCENE, "Which colours?", choices);
        match door.choose(&prompt, &self.named("Settings"))? {
            Some(name) => {
                // A choice made here overrides the command line.
                self.setup.prefer.palette = None;
                self.keep(door, "palette", Value::text(name))
            }
            None => Ok(()),
        }
    }

    /// Saves a preference in the profile.
    fn keep(&mut self, door: &mut Door<'_>, key: &str, value: Value) -> Result<(), Stop> {
        match key {
            "ascii" => self.setup.prefer.ascii = None,
            "mouse" => self.setup.prefer.mouse = None,
            _ => {}
        }
        self.change(door, |profile| put(&mut profile.preferences, key, value))
    }

    /// Changes the profile; a write error is shown.
    pub(super) fn change(
        &mut self,
        door: &mut Door<'_>,
        edit: impl FnOnce(&mut Profile),
    ) -> Result<(), Stop> {
        match self.held.change(edit) {
            Ok(()) => Ok(()),
            Err(problem) => self.ask_back(door, &problem),
        }
    }

    fn set(&mut self, door: &mut Door<'_>, id: &str) -> Result<(), Stop> {
        let found = self.mod_settings().into_iter().find(|(of, ..)| of == id);
        let Some((_, name, setting)) = found else { return Ok(()) };
        let now = self.value_of(id, &setting);
        let text = if setting.doc.is_empty() { name } else { setting.doc.clone() };
        let value = match (&setting.ty, &now) {
            (SettingType::Boolean, now) => Value::Bool(now.as_bool() != Some(true)),
            (ty, now) => match door.input(&question(ty, now, &text), &self.named("Settings"))? {
                Some(Input::Choice(text) | Input::Text(text)) => Value::text(text),
                Some(Input::Number(number)) => Value::Int(number),
                _ => return Ok(()),
            },
        };
        let mut words = id.split(':').skip(1).map(str::to_owned);
        let (owner, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let game = self.game.clone();
        self.change(door, |profile| {
            let settings = &mut profile.game_mut(&game).settings;
            let mut of = settings.get(&owner).cloned().unwrap_or_else(Value::map);
            put(&mut of, &key, value);
            put(settings, &owner, of);
        })?;
        self.look_again(door)
    }

    /// Shows the installed mods, to switch them on and off.
    fn choose_mods(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        loop {
            let (found, problems) = discover_manifests(&self.setup.places);
            problems.iter().try_for_each(|problem| door.front.trouble(problem))?;
            let on = self.held.profile().game(&self.game).mods_on;
            let all = found.iter().map(|source| (source.id(), source)).collect();
            // Mods that the game needs are part of it, and bundled mods exist for the bundled
            // games.
            let own = with_needs(&found, std::slice::from_ref(&self.game));
            let is_mod = |source: &&ModSource| {
                let carried = source.origin == Origin::Embedded;
                !source.manifest.game && !carried && !own.iter().any(|id| id == source.id())
            };
            let mods = found.iter().filter(is_mod);
            let mut choices = vec![choice("back", "Back")];
            choices.extend(mods.map(|source| {
                let manifest = &source.manifest;
                let name = escape(&manifest.name);
                let kept = on.iter().any(|id| id == source.id());
                let for_now = self.setup.with.iter().any(|id| id == source.id());
                let state = match (kept, for_now) {
                    (true, _) => "on",
                    (false, true) => "on for this start",
                    (false, false) => "off",
                };
                let card = Card {
                    title: name.clone(),
                    subtitle: escape(&format!("{} {}", source.id(), manifest.version)),
                    text: escape(manifest.description.as_deref().unwrap_or_default()),
                    lines: Vec::new(),
                };
                let label = format!("{name}: {state}");
                Choice {
                    note: card.text.clone(),
                    // An enabled mod can always be switched off.
                    closed: made_for_other(source, &self.game, &all).filter(|_| !kept),
                    card: Some(card),
                    ..choice(&format!("mod:{}", source.id()), &label)
                }
            }));
            let text = match choices.len() {
                1 => "No mods were found.",
                _ => "Switch mods on or off. Changes apply from now on.",
            };
            let chosen = door.choose(&ask(SCENE, text, choices), &self.named("Mods"))?;
            let Some(id) = chosen.as_deref().and_then(|id| id.strip_prefix("mod:")) else {
                return Ok(());
            };
            self.switch(door, id)?;
        }
    }

    /// Switches a mod on or off. If the result cannot be played, nothing changes.
    fn switch(&mut self, door: &mut Door<'_>, id: &str) -> Result<(), Stop> {
        let game = self.game.clone();
        let mut profile = self.held.profile().clone();
        let after = &mut profile.game_mut(&game).mods_on;
        match after.iter().position(|on| on == id) {
            Some(at) => drop(after.remove(at)),
            None => after.push(id.to_owned()),
        }
        // Only a playable set of mods is saved.
        match content::load(&self.setup, &profile) {
            Ok(mut gathered) => {
                self.change(door, |kept| kept.clone_from(&profile))?;
                let warnings = std::mem::take(&mut gathered.warnings);
                self.take(gathered);
                warnings.iter().try_for_each(|warning| door.front.trouble(warning))?;
                Ok(())
            }
            Err(content::Wrong::Usage(problems) | content::Wrong::Mods(problems)) => {
                problems.iter().try_for_each(|problem| door.front.trouble(problem))?;
                let problem = Problem::error("mods-unchanged", "these mods cannot be played")
                    .hint("no mod was switched on or off");
                self.ask_back(door, &problem)
            }
        }
    }
}

/// Inserts a value into a table.
pub(super) fn put(table: &mut Value, key: &str, value: Value) {
    if table.as_map().is_none() {
        *table = Value::map();
    }
    if let Value::Map(map) = table {
        map.insert(Arc::from(key), value);
    }
}

fn shown_value(value: &Value) -> String {
    match value {
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        other => shown(other),
    }
}

fn question(ty: &SettingType, now: &Value, text: &str) -> Prompt {
    let text = escape(text);
    let asking = |ask| Prompt {
        scene: SCENE.to_owned(),
        text: text.clone(),
        ask,
        choices: Vec::new(),
        rounds: false,
    };
    match ty {
        SettingType::Boolean | SettingType::Text => {
            asking(Ask::Text { max_length: 400, default: shown(now) })
        }
        SettingType::Integer { min, max } => {
            asking(Ask::Number { min: *min, max: *max, default: now.as_int().unwrap_or(*min) })
        }
        SettingType::OneOf(words) => {
            ask(SCENE, &text, words.iter().map(|word| choice(word, &escape(word))).collect())
        }
    }
}
