//! The players of this computer: choosing one and adding a new one.

use super::{Door, Lobby, Stop, ask, choice};
use crate::kit::text::escape;
use crate::play::{Ask, Choice, Input, Prompt, View};

/// The most characters of a name.
const LONGEST: usize = 40;
/// The name of a player who gave none.
pub const NOBODY: &str = "Player";

impl Lobby {
    /// Asks for a player and loads their profile.
    pub(super) fn players(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        let there = match self.setup.data_dir.profiles_there() {
            Ok(there) => there,
            Err(problem) => return self.ask_back(door, &problem),
        };
        let mut choices = vec![choice("back", "Back")];
        for line in there {
            let label = match &line.profile {
                Ok(profile) => escape(&profile.name),
                Err(_) => escape(&line.profile_id),
            };
            let note = match &line.profile {
                Ok(_) if line.profile_id == self.held.id() => "playing now".to_owned(),
                Ok(profile) => match profile.game(&self.game).history.len() {
                    1 => "1 run finished".to_owned(),
                    count => format!("{count} runs finished"),
                },
                Err(_) => "damaged".to_owned(),
            };
            choices.push(Choice { note, ..choice(&format!("player:{}", line.profile_id), &label) });
        }
        choices.push(choice("new", "New player"));
        let view = View { title: self.name(), widgets: Vec::new() };
        let chosen = door.choose(&ask("host:players", "Who is playing?", choices), &view)?;
        match chosen.as_deref() {
            Some("new") => {
                let prompt = Prompt {
                    scene: "host:players".to_owned(),
                    text: "The name of the new player?".to_owned(),
                    ask: Ask::Text { max_length: LONGEST, default: String::new() },
                    choices: Vec::new(),
                    rounds: false,
                };
                match door.input(&prompt, &view)? {
                    Some(Input::Text(name)) if !name.trim().is_empty() => self.play_as(door, &name),
                    _ => Ok(()),
                }
            }
            Some(id) => match id.strip_prefix("player:") {
                Some(id) if id != self.held.id() => self.play_as(door, id),
                _ => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Loads the profile of a player. If it cannot be locked, the current one stays.
    fn play_as(&mut self, door: &mut Door<'_>, name: &str) -> Result<(), Stop> {
        match self.setup.data_dir.lock_profile(name) {
            Ok((held, told)) => {
                told.iter().try_for_each(|problem| door.front.trouble(problem))?;
                self.held = held;
                // Saves the profile of a new player at once.
                self.change(door, |_| {})?;
                self.prefer(door);
                self.look_again(door)
            }
            Err(problem) => self.ask_back(door, &problem),
        }
    }
}
