//! The language of the texts: the one that the games are written in, or one of their translations.

use super::settings::SETTINGS_SCENE;
use super::{ExitReason, HostPrompts, Menu, content_loading, host_choice, host_prompt};
use crate::preferences::OWN_LANGUAGE;
use base::text::escape_markup;
use base::{Value, host_text};
use mods::{available_languages, discover_manifests};
use protocol::Choice;

impl Menu {
    /// The setting; `None` if the game has no translation.
    pub(super) fn language_choice(&self) -> Option<Choice> {
        let language = content_loading::chosen_language(&self.setup, self.profile_lock.profile());
        if language.is_none() && self.languages().is_empty() {
            return None;
        }
        let language = language.unwrap_or_else(|| host_text!("as written"));
        let label = host_text!("Language: {language}", language = language);
        let note = match self.setup.preferences.language.is_some() {
            true => host_text!("set on the command line for this start"),
            false => String::new(),
        };
        Some(Choice {
            note: escape_markup(&note),
            ..host_choice("language", &escape_markup(&label))
        })
    }

    fn languages(&self) -> Vec<String> {
        let (found, _) = discover_manifests(&self.setup.search_paths);
        available_languages(&found, &self.content.mods.mods, &self.game_id)
    }

    /// Asks for a language, and shows everything in it.
    pub(super) fn choose_language(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
    ) -> Result<(), ExitReason> {
        let languages = self.languages();
        let mut choices = vec![host_choice(OWN_LANGUAGE, &host_text!("as written"))];
        choices.extend(languages.iter().map(|one| host_choice(one, &escape_markup(one))));
        let text = host_text!("Which language?");
        let prompt = host_prompt(SETTINGS_SCENE, &text, choices);
        let title = host_text!("Settings");
        let Some(language) = host_prompts.ask_choice(&prompt, &self.titled_view(&title))? else {
            return Ok(());
        };
        // A choice made here overrides the command line.
        self.setup.preferences.language = None;
        self.save_preference(host_prompts, "language", Value::text(language))?;
        self.rescan_mods(host_prompts)
    }
}
