//! The players of this computer: choosing one and adding a new one.

use super::{ExitReason, HostPrompts, Menu, host_choice, host_prompt};
use base::host_text;
use base::text::escape_markup;
use protocol::{AnswerType, Choice, Input, Prompt, View};

/// The most characters of a name.
const MAX_NAME_CHARS: usize = 40;
/// The name of a player who gave none.
pub const DEFAULT_PLAYER_NAME: &str = "Player";

impl Menu {
    /// Asks for a player and loads their profile.
    pub(super) fn choose_player(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
    ) -> Result<(), ExitReason> {
        let profiles = match self.setup.data_dir.list_profiles() {
            Ok(there) => there,
            Err(problem) => return self.show_problem_and_wait(host_prompts, &problem),
        };
        let mut choices = vec![host_choice("back", &host_text!("Back"))];
        for line in profiles {
            let label = match &line.profile {
                Ok(profile) => escape_markup(&profile.name),
                Err(_) => escape_markup(&line.profile_id),
            };
            let note = match &line.profile {
                Ok(_) if line.profile_id == self.profile_lock.id() => host_text!("playing now"),
                Ok(profile) => match profile.game_profile(&self.game_id).finished_runs.len() {
                    1 => host_text!("1 run finished"),
                    count => host_text!("{count} runs finished", count = count),
                },
                Err(_) => host_text!("damaged"),
            };
            choices.push(Choice {
                note,
                ..host_choice(&format!("player:{}", line.profile_id), &label)
            });
        }
        choices.push(host_choice("new", &host_text!("New player")));
        let view = View { title: self.game_name(), widgets: Vec::new() };
        let chosen = host_prompts.ask_choice(
            &host_prompt("host:players", &host_text!("Who is playing?"), choices),
            &view,
        )?;
        match chosen.as_deref() {
            Some("new") => {
                let prompt = Prompt {
                    scene: "host:players".to_owned(),
                    text: host_text!("The name of the new player?"),
                    answer_type: AnswerType::Text {
                        max_length: MAX_NAME_CHARS,
                        default: String::new(),
                    },
                    choices: Vec::new(),
                    repeats: false,
                };
                match host_prompts.ask_input(&prompt, &view)? {
                    Some(Input::Text(name)) if !name.trim().is_empty() => {
                        self.switch_player(host_prompts, &name)
                    }
                    _ => Ok(()),
                }
            }
            Some(id) => match id.strip_prefix("player:") {
                Some(id) if id != self.profile_lock.id() => self.switch_player(host_prompts, id),
                _ => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Loads the profile of a player. If it cannot be locked, the current one stays.
    fn switch_player(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        name: &str,
    ) -> Result<(), ExitReason> {
        match self.setup.data_dir.lock_profile(name) {
            Ok((held, told)) => {
                host_prompts.frontend.show_problems(&told)?;
                self.profile_lock = held;
                // Saves the profile of a new player at once.
                self.change_profile(host_prompts, |_| {})?;
                self.apply_preferences(host_prompts);
                self.rescan_mods(host_prompts)
            }
            Err(problem) => self.show_problem_and_wait(host_prompts, &problem),
        }
    }
}
