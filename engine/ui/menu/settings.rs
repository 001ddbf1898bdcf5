//! The settings: display preferences, the player, enabled mods and their settings. All of them are
//! stored in the profile.

use std::sync::Arc;

use super::{ExitReason, HostPrompts, Menu, content_loading, host_choice, host_prompt};
use crate::base::text::{display_value, escape};
use crate::base::{Code, Problem, Value};
use crate::mods::{
    ModOrigin, ModSource, Setting, SettingType, discover_manifests, ids_with_dependencies,
    why_for_other_game,
};
use crate::protocol::view::Card;
use crate::protocol::{AnswerType, Choice, Input, Prompt, View};
use crate::save::Profile;
use crate::ui::full::Palette;
use crate::ui::preferences::Preferences;

const SCENE: &str = "host:settings";

/// The name of the plain-text mode.
fn plain_mode_name(kept: &Preferences) -> &'static str {
    if kept.brief.unwrap_or(false) { "brief" } else { "full" }
}

impl Menu {
    /// Shows the settings until the player goes back.
    pub(super) fn show_settings(&mut self, door: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        loop {
            let prompt = host_prompt(SCENE, "", self.setting_choices());
            let chosen = door.ask_choice(&prompt, &self.titled_view("Settings"))?;
            match chosen.as_deref() {
                None | Some("back") => return Ok(()),
                Some("palette") => self.choose_palette(door)?,
                Some("ascii") => {
                    let ascii = !self.preferences().ascii.unwrap_or(self.setup.default_ascii);
                    self.save_preference(door, "ascii", Value::Bool(ascii))?;
                }
                Some("mouse") => {
                    let mouse = !self.preferences().mouse.unwrap_or(true);
                    self.save_preference(door, "mouse", Value::Bool(mouse))?;
                }
                Some("keys") => self.choose_keys(door)?,
                Some("brief") => {
                    let brief = !self.preferences().brief.unwrap_or(false);
                    self.save_preference(door, "brief", Value::Bool(brief))?;
                }
                Some("player") => self.choose_player(door)?,
                Some("mods") => self.choose_mods(door)?,
                Some(id) => self.change_mod_setting(door, id)?,
            }
            self.apply_preferences(door);
        }
    }

    /// Applies this player's preferences to the frontend.
    pub(super) fn apply_preferences(&self, door: &mut HostPrompts<'_>) {
        door.frontend.apply_preferences(&self.setup.preferences.or(&self.preferences()));
    }

    fn preferences(&self) -> Preferences {
        Preferences::from_profile(&self.profile_lock.profile().preferences)
    }

    pub(super) fn titled_view(&self, name: &str) -> View {
        View { title: format!("{}: {name}", self.game_name()), widgets: Vec::new() }
    }

    fn setting_choices(&self) -> Vec<Choice> {
        let kept = self.preferences();
        let flag = |set: bool| if set { "set on the command line for this start" } else { "" };
        let of = |id: &str, label: String, note: &str| Choice {
            note: escape(note),
            ..host_choice(id, &escape(&label))
        };
        let palette = kept.palette.as_deref().and_then(Palette::from_name);
        let palette = palette.map_or("chosen by the terminal", Palette::name);
        let on = |on: bool| if on { "on" } else { "off" };
        let ascii = kept.ascii.unwrap_or(self.setup.default_ascii);
        let signs = if ascii { "ASCII only" } else { "all" };
        let mut out = vec![
            of("back", "Back".to_owned(), ""),
            of(
                "palette",
                format!("Colours: {palette}"),
                flag(self.setup.preferences.palette.is_some()),
            ),
            of(
                "ascii",
                format!("Characters: {signs}"),
                flag(self.setup.preferences.ascii.is_some()),
            ),
            of(
                "mouse",
                format!("Mouse: {}", on(kept.mouse.unwrap_or(true))),
                flag(self.setup.preferences.mouse.is_some()),
            ),
            of("keys", "Keys".to_owned(), "change which key does what"),
            of(
                "brief",
                format!("Plain text: {}", plain_mode_name(&kept)),
                "questions in few words or in full",
            ),
            of("player", format!("Player: {}", self.profile_lock.profile().name), ""),
            of("mods", "Mods".to_owned(), ""),
        ];
        for (id, name, setting) in self.mod_settings() {
            let value = value_text(&self.setting_value(&id, &setting));
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

    fn setting_value(&self, id: &str, setting: &Setting) -> Value {
        let settings = self.profile_lock.profile().game(&self.game).settings;
        let mut words = id.split(':').skip(1);
        let (owner, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let kept = settings.get(owner).and_then(|of| of.get(name)).cloned();
        kept.filter(|value| setting.accepts(value).is_ok()).unwrap_or(setting.default.clone())
    }

    fn choose_palette(&mut self, door: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        let now = self.setup.preferences.or(&self.preferences()).palette;
        let mut choices: Vec<Choice> = Palette::ALL
            .iter()
            .map(|(_, name, does)| Choice { note: escape(does), ..host_choice(name, name) })
            .collect();
        if let Some(at) = choices.iter().position(|one| Some(&one.id) == now.as_ref()) {
            choices[..=at].rotate_right(1);
        }
        let prompt = host_prompt(SCENE, "Which colours?", choices);
        match door.ask_choice(&prompt, &self.titled_view("Settings"))? {
            Some(name) => {
                // A choice made here overrides the command line.
                self.setup.preferences.palette = None;
                self.save_preference(door, "palette", Value::text(name))
            }
            None => Ok(()),
        }
    }

    /// Saves a preference in the profile.
    fn save_preference(
        &mut self,
        door: &mut HostPrompts<'_>,
        key: &str,
        value: Value,
    ) -> Result<(), ExitReason> {
        match key {
            "ascii" => self.setup.preferences.ascii = None,
            "mouse" => self.setup.preferences.mouse = None,
            _ => {}
        }
        self.change_profile(door, |profile| insert_key(&mut profile.preferences, key, value))
    }

    /// Changes the profile; a write error is shown.
    pub(super) fn change_profile(
        &mut self,
        door: &mut HostPrompts<'_>,
        edit: impl FnOnce(&mut Profile),
    ) -> Result<(), ExitReason> {
        match self.profile_lock.update_profile(edit) {
            Ok(()) => Ok(()),
            Err(problem) => self.show_and_wait(door, &problem),
        }
    }

    fn change_mod_setting(
        &mut self,
        door: &mut HostPrompts<'_>,
        id: &str,
    ) -> Result<(), ExitReason> {
        let found = self.mod_settings().into_iter().find(|(of, ..)| of == id);
        let Some((_, name, setting)) = found else { return Ok(()) };
        let now = self.setting_value(id, &setting);
        let text = if setting.doc.is_empty() { name } else { setting.doc.clone() };
        let value = match (&setting.ty, &now) {
            (SettingType::Boolean, now) => Value::Bool(now.as_bool() != Some(true)),
            (ty, now) => match door
                .ask_input(&setting_prompt(ty, now, &text), &self.titled_view("Settings"))?
            {
                Some(Input::Choice(text) | Input::Text(text)) => Value::text(text),
                Some(Input::Number(number)) => Value::Int(number),
                _ => return Ok(()),
            },
        };
        let mut words = id.split(':').skip(1).map(str::to_owned);
        let (owner, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let game = self.game.clone();
        self.change_profile(door, |profile| {
            let settings = &mut profile.game_mut(&game).settings;
            let mut of = settings.get(&owner).cloned().unwrap_or_else(Value::map);
            insert_key(&mut of, &key, value);
            insert_key(settings, &owner, of);
        })?;
        self.rescan_mods(door)
    }

    /// Shows the installed mods, to switch them on and off.
    fn choose_mods(&mut self, door: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        loop {
            let (found, problems) = discover_manifests(&self.setup.search_paths);
            problems.iter().try_for_each(|problem| door.frontend.show_problem(problem))?;
            let on = self.profile_lock.profile().game(&self.game).mods_on;
            let all = found.iter().map(|source| (source.id(), source)).collect();
            // Mods that the game needs are part of it, and bundled mods exist for the bundled
            // games.
            let own = ids_with_dependencies(&found, std::slice::from_ref(&self.game));
            let is_mod = |source: &&ModSource| {
                let carried = source.origin == ModOrigin::Embedded;
                !source.manifest.game && !carried && !own.iter().any(|id| id == source.id())
            };
            let mods = found.iter().filter(is_mod);
            let mut choices = vec![host_choice("back", "Back")];
            choices.extend(mods.map(|source| {
                let manifest = &source.manifest;
                let name = escape(&manifest.name);
                let kept = on.iter().any(|id| id == source.id());
                let for_now = self.setup.enabled_mods.iter().any(|id| id == source.id());
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
                    disabled_because: why_for_other_game(source, &self.game, &all)
                        .filter(|_| !kept),
                    card: Some(card),
                    ..host_choice(&format!("mod:{}", source.id()), &label)
                }
            }));
            let text = match choices.len() {
                1 => "No mods were found.",
                _ => "Switch mods on or off. Changes apply from now on.",
            };
            let chosen =
                door.ask_choice(&host_prompt(SCENE, text, choices), &self.titled_view("Mods"))?;
            let Some(id) = chosen.as_deref().and_then(|id| id.strip_prefix("mod:")) else {
                return Ok(());
            };
            self.toggle_mod(door, id)?;
        }
    }

    /// Switches a mod on or off. If the result cannot be played, nothing changes.
    fn toggle_mod(&mut self, door: &mut HostPrompts<'_>, id: &str) -> Result<(), ExitReason> {
        let game = self.game.clone();
        let mut profile = self.profile_lock.profile().clone();
        let after = &mut profile.game_mut(&game).mods_on;
        match after.iter().position(|on| on == id) {
            Some(at) => drop(after.remove(at)),
            None => after.push(id.to_owned()),
        }
        // Only a playable set of mods is saved.
        match content_loading::load_content(&self.setup, &profile) {
            Ok(mut gathered) => {
                self.change_profile(door, |kept| kept.clone_from(&profile))?;
                let warnings = std::mem::take(&mut gathered.warnings);
                self.use_startup(gathered);
                warnings.iter().try_for_each(|warning| door.frontend.show_problem(warning))?;
                Ok(())
            }
            Err(
                content_loading::Wrong::Usage(problems) | content_loading::Wrong::Mods(problems),
            ) => {
                problems.iter().try_for_each(|problem| door.frontend.show_problem(problem))?;
                let problem = Problem::error(Code::ModsUnchanged, "these mods cannot be played")
                    .hint("no mod was switched on or off");
                self.show_and_wait(door, &problem)
            }
        }
    }
}

/// Inserts a value into a table.
pub(super) fn insert_key(table: &mut Value, key: &str, value: Value) {
    if table.as_map().is_none() {
        *table = Value::map();
    }
    if let Value::Map(map) = table {
        map.insert(Arc::from(key), value);
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        other => display_value(other),
    }
}

fn setting_prompt(ty: &SettingType, now: &Value, text: &str) -> Prompt {
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
            asking(AnswerType::Text { max_length: 400, default: display_value(now) })
        }
        SettingType::Integer { min, max } => asking(AnswerType::Number {
            min: *min,
            max: *max,
            default: now.as_int().unwrap_or(*min),
        }),
        SettingType::OneOf(words) => host_prompt(
            SCENE,
            &text,
            words.iter().map(|word| host_choice(word, &escape(word))).collect(),
        ),
    }
}
