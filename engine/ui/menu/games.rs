//! Choosing another game. The title offers the installed games if there are several and the command
//! line names none.

use super::{
    ExitReason, HostPrompts, Menu, content_loading, disable_mods, host_choice, host_prompt,
};
use base::Problem;
use base::host_text;
use base::host_texts::translate_host_text;
use base::text::escape_markup;
use mods::Manifest;
use protocol::{Choice, StoryEvent};
use session::LoadedStart;
use session::StartError;

const GAMES_SCENE: &str = "host:games";

impl Menu {
    /// The installed games except the current one.
    fn other_games(&self) -> impl Iterator<Item = &Manifest> {
        self.games.iter().filter(|one| self.can_switch_game && one.id != self.game_id)
    }

    /// The entry of the title; `None` if there is no other game.
    pub(super) fn games_choice(&self) -> Option<Choice> {
        let names: Vec<String> = self.other_games().map(game_name).collect();
        let entry =
            Choice { note: names.join(", "), ..host_choice("games", &host_text!("Another game")) };
        (!names.is_empty()).then_some(entry)
    }

    /// Asks for a game and goes to its title. If it cannot be loaded, the Problems are shown and
    /// nothing changes.
    pub(super) fn choose_game(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
    ) -> Result<(), ExitReason> {
        let mut choices: Vec<Choice> =
            self.other_games().map(|one| host_choice(&one.id, &game_name(one))).collect();
        self.show_game_descriptions(host_prompts)?;
        choices.push(host_choice("back", &host_text!("Back")));
        let chosen = host_prompts.ask_choice(
            &host_prompt(GAMES_SCENE, &host_text!("Which game?"), choices),
            &self.titled_view(&host_text!("Games")),
        )?;
        let Some(id) = chosen.filter(|id| self.other_games().any(|one| one.id == *id)) else {
            return Ok(());
        };
        let previous_setup = (
            self.setup.game.replace(id.clone()),
            std::mem::take(&mut self.setup.command_line_options),
        );
        loop {
            let problems = match self.load_chosen_game(host_prompts)? {
                Ok(gathered) => {
                    self.use_loaded_content(gathered);
                    self.game_id = id;
                    return Ok(());
                }
                Err(problems) => problems,
            };
            host_prompts.frontend.show_problems(&problems)?;
            let mut retry_choices = disable_mods::build_disable_choices(
                &self.setup,
                self.profile_lock.profile(),
                &problems,
            );
            if retry_choices.is_empty() {
                break;
            }
            retry_choices.push(host_choice("back", &host_text!("Back")));
            let choice_id = host_prompts.ask_choice(
                &host_prompt(GAMES_SCENE, "", retry_choices),
                &self.titled_view(&host_text!("Games")),
            )?;
            let Some(choice_id) = choice_id.filter(|taken| taken != "back") else { break };
            disable_mods::disable_chosen_mod(
                &mut self.setup,
                &mut self.profile_lock,
                host_prompts,
                &choice_id,
            )?;
        }
        (self.setup.game, self.setup.command_line_options) = previous_setup;
        Ok(())
    }

    /// Shows the descriptions as text, since a row has no room for a whole one.
    fn show_game_descriptions(&self, host_prompts: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        let describe_game = |one: &Manifest| {
            let description = translate_host_text(one.description.as_deref()?, &[]);
            let description = escape_markup(&description);
            Some(StoryEvent::Say { text: format!("*{}*: {description}", game_name(one)) })
        };
        let events: Vec<StoryEvent> = self.other_games().filter_map(describe_game).collect();
        host_prompts.frontend.begin_story(&[])?;
        Ok(host_prompts.frontend.show_events(&events)?)
    }

    /// Loads the chosen game, or says why it cannot be played.
    fn load_chosen_game(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
    ) -> Result<Result<LoadedStart, Vec<Problem>>, ExitReason> {
        let startup = match content_loading::load_content(&self.setup, self.profile_lock.profile())
        {
            Ok(gathered) => gathered,
            Err(StartError::Usage(problems) | StartError::ModProblems(problems)) => {
                return Ok(Err(problems));
            }
        };
        host_prompts.frontend.show_problems(&startup.warnings)?;
        match session::migrate_profile(&mut self.profile_lock, &startup.content, &startup.vm) {
            Ok(told) => {
                host_prompts.frontend.show_problems(&told)?;
                Ok(Ok(startup))
            }
            Err(problem) => Ok(Err(vec![problem])),
        }
    }
}

/// The name of a game, as marked text.
fn game_name(manifest: &Manifest) -> String {
    escape_markup(&translate_host_text(&manifest.name, &[]))
}
