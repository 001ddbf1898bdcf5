//! The settings: display preferences, the player, enabled mods and their settings. All of them are
//! stored in the profile.

use base::host_text;
use base::host_texts::translate_host_text;
use std::sync::Arc;

use super::{ExitReason, HostPrompts, Menu, content_loading, host_choice, host_prompt};
use crate::full_screen::Palette;
use crate::preferences::Preferences;
use base::text::{display_value, escape_markup};
use base::{Code, Problem, Value};
use mods::{
    ModOrigin, ModSource, Setting, SettingType, discover_manifests, explain_other_game,
    ids_with_dependencies,
};
use protocol::view::Card;
use protocol::{AnswerType, Choice, Input, Prompt, View};
use save::Profile;
use session::StartError;

pub(super) const SETTINGS_SCENE: &str = "host:settings";

/// The name of the plain-text mode.
fn plain_mode_name(preferences: &Preferences) -> String {
    match preferences.uses_brief_text.unwrap_or(false) {
        true => host_text!("brief"),
        false => host_text!("full"),
    }
}

impl Menu {
    /// Shows the settings until the player goes back.
    pub(super) fn show_settings(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
    ) -> Result<(), ExitReason> {
        loop {
            let prompt = host_prompt(SETTINGS_SCENE, "", self.setting_choices());
            let chosen =
                host_prompts.ask_choice(&prompt, &self.titled_view(&host_text!("Settings")))?;
            match chosen.as_deref() {
                None | Some("back") => return Ok(()),
                Some("palette") => self.choose_palette(host_prompts)?,
                Some("ascii") => {
                    let ascii =
                        !self.preferences().uses_ascii.unwrap_or(self.setup.uses_ascii_by_default);
                    self.save_preference(host_prompts, "ascii", Value::Bool(ascii))?;
                }
                Some("mouse") => {
                    let mouse = !self.preferences().uses_mouse.unwrap_or(true);
                    self.save_preference(host_prompts, "mouse", Value::Bool(mouse))?;
                }
                Some("keys") => self.choose_keys(host_prompts)?,
                Some("brief") => {
                    let brief = !self.preferences().uses_brief_text.unwrap_or(false);
                    self.save_preference(host_prompts, "brief", Value::Bool(brief))?;
                }
                Some("language") => self.choose_language(host_prompts)?,
                Some("player") => self.choose_player(host_prompts)?,
                Some("mods") => self.choose_mods(host_prompts)?,
                Some(id) => self.change_mod_setting(host_prompts, id)?,
            }
            self.apply_preferences(host_prompts);
        }
    }

    /// Applies this player's preferences to the frontend.
    pub(super) fn apply_preferences(&self, host_prompts: &mut HostPrompts<'_>) {
        host_prompts
            .frontend
            .apply_preferences(&self.setup.preferences.with_fallback(&self.preferences()));
    }

    fn preferences(&self) -> Preferences {
        Preferences::from_profile(&self.profile_lock.profile().preferences)
    }

    pub(super) fn titled_view(&self, name: &str) -> View {
        View { title: format!("{}: {name}", self.game_name()), widgets: Vec::new() }
    }

    fn setting_choices(&self) -> Vec<Choice> {
        let preferences = self.preferences();
        let override_note = |set: bool| match set {
            true => host_text!("set on the command line for this start"),
            false => String::new(),
        };
        let build_choice = |id: &str, label: String, note: String| Choice {
            note: escape_markup(&note),
            ..host_choice(id, &escape_markup(&label))
        };
        let palette = preferences.palette.as_deref().and_then(Palette::from_name);
        let palette = palette.map_or_else(
            || host_text!("chosen by the terminal"),
            |palette| translate_host_text(palette.name(), &[]),
        );
        let on_or_off = |on: bool| if on { host_text!("on") } else { host_text!("off") };
        let ascii = preferences.uses_ascii.unwrap_or(self.setup.uses_ascii_by_default);
        let characters = if ascii { host_text!("ASCII only") } else { host_text!("all") };
        let mut out = vec![
            build_choice("back", host_text!("Back"), String::new()),
            build_choice(
                "palette",
                host_text!("Colours: {palette}", palette = palette),
                override_note(self.setup.preferences.palette.is_some()),
            ),
            build_choice(
                "ascii",
                host_text!("Characters: {characters}", characters = characters),
                override_note(self.setup.preferences.uses_ascii.is_some()),
            ),
            build_choice(
                "mouse",
                host_text!(
                    "Mouse: {state}",
                    state = on_or_off(preferences.uses_mouse.unwrap_or(true))
                ),
                override_note(self.setup.preferences.uses_mouse.is_some()),
            ),
            build_choice("keys", host_text!("Keys"), host_text!("change which key does what")),
            build_choice(
                "brief",
                host_text!("Plain text: {mode}", mode = plain_mode_name(&preferences)),
                host_text!("questions in few words or in full"),
            ),
            build_choice(
                "player",
                host_text!("Player: {name}", name = self.profile_lock.profile().name),
                String::new(),
            ),
            build_choice("mods", host_text!("Mods"), String::new()),
        ];
        out.extend(self.language_choice());
        for (id, name, setting) in self.mod_settings() {
            let value = value_text(&self.setting_value(&id, &setting));
            let label = if setting.label.is_empty() { &name } else { &setting.label };
            let label = translate_host_text(label, &[]);
            let doc = translate_host_text(&setting.doc, &[]);
            out.push(build_choice(&id, format!("{label}: {value}"), doc));
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
        let settings = self.profile_lock.profile().game_profile(&self.game_id).settings;
        let mut words = id.split(':').skip(1);
        let (owner, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let stored_value = settings.get(owner).and_then(|of| of.get(name)).cloned();
        stored_value
            .filter(|value| setting.check_value(value).is_ok())
            .unwrap_or(setting.default.clone())
    }

    fn choose_palette(&mut self, host_prompts: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        let current_palette = self.setup.preferences.with_fallback(&self.preferences()).palette;
        let mut choices: Vec<Choice> = Palette::ALL
            .iter()
            .map(|(_, name, does)| Choice {
                note: escape_markup(&translate_host_text(does, &[])),
                ..host_choice(name, &translate_host_text(name, &[]))
            })
            .collect();
        if let Some(at) = choices.iter().position(|one| Some(&one.id) == current_palette.as_ref()) {
            choices[..=at].rotate_right(1);
        }
        let prompt = host_prompt(SETTINGS_SCENE, &host_text!("Which colours?"), choices);
        match host_prompts.ask_choice(&prompt, &self.titled_view(&host_text!("Settings")))? {
            Some(name) => {
                // A choice made here overrides the command line.
                self.setup.preferences.palette = None;
                self.save_preference(host_prompts, "palette", Value::text(name))
            }
            None => Ok(()),
        }
    }

    /// Saves a preference in the profile.
    pub(super) fn save_preference(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        key: &str,
        value: Value,
    ) -> Result<(), ExitReason> {
        match key {
            "ascii" => self.setup.preferences.uses_ascii = None,
            "mouse" => self.setup.preferences.uses_mouse = None,
            _ => {}
        }
        self.change_profile(host_prompts, |profile| {
            insert_key(&mut profile.preferences, key, value)
        })
    }

    /// Changes the profile; a write error is shown.
    pub(super) fn change_profile(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        edit: impl FnOnce(&mut Profile),
    ) -> Result<(), ExitReason> {
        match self.profile_lock.update_profile(edit) {
            Ok(()) => Ok(()),
            Err(problem) => self.show_problem_and_wait(host_prompts, &problem),
        }
    }

    fn change_mod_setting(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        id: &str,
    ) -> Result<(), ExitReason> {
        let found = self.mod_settings().into_iter().find(|(of, ..)| of == id);
        let Some((_, name, setting)) = found else { return Ok(()) };
        let current_value = self.setting_value(id, &setting);
        let text = if setting.doc.is_empty() { &name } else { &setting.doc };
        let text = translate_host_text(text, &[]);
        let value = match (&setting.ty, &current_value) {
            (SettingType::Boolean, now) => Value::Bool(now.as_bool() != Some(true)),
            (ty, now) => match host_prompts.ask_input(
                &setting_prompt(ty, now, &text),
                &self.titled_view(&host_text!("Settings")),
            )? {
                Some(Input::Choice(text) | Input::Text(text)) => Value::text(text),
                Some(Input::Number(number)) => Value::Int(number),
                _ => return Ok(()),
            },
        };
        let mut words = id.split(':').skip(1).map(str::to_owned);
        let (owner, key) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let game = self.game_id.clone();
        self.change_profile(host_prompts, |profile| {
            let settings = &mut profile.game_profile_mut(&game).settings;
            let mut of = settings.get(&owner).cloned().unwrap_or_else(Value::map);
            insert_key(&mut of, &key, value);
            insert_key(settings, &owner, of);
        })?;
        self.rescan_mods(host_prompts)
    }

    /// Shows the installed mods, to switch them on and off.
    fn choose_mods(&mut self, host_prompts: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        loop {
            let (found, problems) = discover_manifests(&self.setup.search_paths);
            host_prompts.frontend.show_problems(&problems)?;
            let on = self.profile_lock.profile().game_profile(&self.game_id).enabled_mods;
            let all = found.iter().map(|source| (source.id(), source)).collect();
            // Mods that the game needs are part of it, and bundled mods exist for the bundled
            // games.
            let game_mods = ids_with_dependencies(&found, std::slice::from_ref(&self.game_id));
            let is_mod = |source: &&ModSource| {
                let is_embedded = source.origin == ModOrigin::Embedded;
                let is_on = on.iter().any(|id| id == source.id());
                !source.manifest.is_game
                    && (is_on || !source.manifest.is_translation())
                    && !is_embedded
                    && !game_mods.iter().any(|id| id == source.id())
            };
            let mods = found.iter().filter(is_mod);
            let mut choices = vec![host_choice("back", &host_text!("Back"))];
            choices.extend(mods.map(|source| {
                let manifest = &source.manifest;
                let name = escape_markup(&translate_host_text(&manifest.name, &[]));
                let is_enabled = on.iter().any(|id| id == source.id());
                let is_enabled_for_start =
                    self.setup.enabled_mods.iter().any(|id| id == source.id());
                let state = match (is_enabled, is_enabled_for_start) {
                    (true, _) => host_text!("on"),
                    (false, true) => host_text!("on for this start"),
                    (false, false) => host_text!("off"),
                };
                let card = Card {
                    title: name.clone(),
                    subtitle: escape_markup(&format!("{} {}", source.id(), manifest.version)),
                    text: escape_markup(&translate_host_text(
                        manifest.description.as_deref().unwrap_or_default(),
                        &[],
                    )),
                    lines: Vec::new(),
                };
                let label = format!("{name}: {state}");
                Choice {
                    note: card.text.clone(),
                    // An enabled mod can always be switched off.
                    disabled_because: explain_other_game(source, &self.game_id, &all)
                        .filter(|_| !is_enabled),
                    card: Some(card),
                    ..host_choice(&format!("mod:{}", source.id()), &label)
                }
            }));
            let text = match choices.len() {
                1 => host_text!("No mods were found."),
                _ => host_text!("Switch mods on or off. Changes apply from now on."),
            };
            let chosen = host_prompts.ask_choice(
                &host_prompt(SETTINGS_SCENE, &text, choices),
                &self.titled_view(&host_text!("Mods")),
            )?;
            let Some(id) = chosen.as_deref().and_then(|id| id.strip_prefix("mod:")) else {
                return Ok(());
            };
            self.toggle_mod(host_prompts, id)?;
        }
    }

    /// Switches a mod on or off. If the result cannot be played, nothing changes.
    fn toggle_mod(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        id: &str,
    ) -> Result<(), ExitReason> {
        let game = self.game_id.clone();
        let mut profile = self.profile_lock.profile().clone();
        let enabled_mods = &mut profile.game_profile_mut(&game).enabled_mods;
        match enabled_mods.iter().position(|on| on == id) {
            Some(at) => drop(enabled_mods.remove(at)),
            None => enabled_mods.push(id.to_owned()),
        }
        // Only a playable set of mods is saved.
        match content_loading::load_content(&self.setup, &profile) {
            Ok(mut gathered) => {
                self.change_profile(host_prompts, |kept| kept.clone_from(&profile))?;
                let warnings = std::mem::take(&mut gathered.warnings);
                self.use_loaded_content(gathered);
                host_prompts.frontend.show_problems(&warnings)?;
                Ok(())
            }
            Err(StartError::Usage(problems) | StartError::ModProblems(problems)) => {
                host_prompts.frontend.show_problems(&problems)?;
                let problem = Problem::error(
                    Code::ModsUnchanged,
                    "nothing can be played with this choice of mods",
                )
                .hint("no mod was switched on or off");
                self.show_problem_and_wait(host_prompts, &problem)
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
        Value::Bool(true) => host_text!("on"),
        Value::Bool(false) => host_text!("off"),
        other => translate_host_text(&display_value(other), &[]),
    }
}

fn setting_prompt(ty: &SettingType, current_value: &Value, text: &str) -> Prompt {
    let text = escape_markup(text);
    let build_prompt = |ask| Prompt {
        scene: SETTINGS_SCENE.to_owned(),
        text: text.clone(),
        answer_type: ask,
        choices: Vec::new(),
        repeats: false,
    };
    match ty {
        SettingType::Boolean | SettingType::Text => build_prompt(AnswerType::Text {
            max_length: 400,
            default: display_value(current_value),
        }),
        SettingType::Integer { min, max } => build_prompt(AnswerType::Number {
            min: *min,
            max: *max,
            default: current_value.as_int().unwrap_or(*min),
        }),
        SettingType::OneOf(words) => host_prompt(
            SETTINGS_SCENE,
            &text,
            words
                .iter()
                .map(|word| host_choice(word, &escape_markup(&translate_host_text(word, &[]))))
                .collect(),
        ),
    }
}
