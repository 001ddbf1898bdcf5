//! Choosing another game. The title offers the installed games if there are several and the command
//! line names none.

use super::{Door, Lobby, Stop, ask, choice, content, left_out};
use crate::kit::Problem;
use crate::kit::text::escape;
use crate::mods::Manifest;
use crate::play::Choice;
use crate::run::{self, Startup};

const SCENE: &str = "host:games";

impl Lobby {
    /// The installed games except the current one.
    fn other_games(&self) -> impl Iterator<Item = &Manifest> {
        self.games.iter().filter(|one| self.free && one.id != self.game)
    }

    /// The entry of the title; `None` if there is no other game.
    pub(super) fn games_choice(&self) -> Option<Choice> {
        let names: Vec<String> = self.other_games().map(|one| escape(&one.name)).collect();
        let entry = Choice { note: names.join(", "), ..choice("games", "Another game") };
        (!names.is_empty()).then_some(entry)
    }

    /// Asks for a game and goes to its title. If it cannot be loaded, the Problems are shown and
    /// nothing changes.
    pub(super) fn choose_game(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        let mut choices: Vec<Choice> = self
            .other_games()
            .map(|one| Choice {
                note: escape(one.description.as_deref().unwrap_or_default()),
                ..choice(&one.id, &escape(&one.name))
            })
            .collect();
        choices.push(choice("back", "Back"));
        let chosen = door.choose(&ask(SCENE, "Which game?", choices), &self.named("Games"))?;
        let Some(id) = chosen.filter(|id| self.other_games().any(|one| one.id == *id)) else {
            return Ok(());
        };
        let before = (self.setup.game.replace(id.clone()), std::mem::take(&mut self.setup.set));
        loop {
            let problems = match self.load_chosen(door)? {
                Ok(gathered) => {
                    self.take(gathered);
                    self.setup.command = command_with(&self.setup.command, &id);
                    self.game = id;
                    return Ok(());
                }
                Err(problems) => problems,
            };
            problems.iter().try_for_each(|problem| door.front.trouble(problem))?;
            let mut ways = left_out::ways(&self.setup, self.held.profile(), &problems);
            if ways.is_empty() {
                break;
            }
            ways.push(choice("back", "Back"));
            let taken = door.choose(&ask(SCENE, "", ways), &self.named("Games"))?;
            let Some(taken) = taken.filter(|taken| taken != "back") else { break };
            left_out::leave_out(&mut self.setup, &mut self.held, door, &taken)?;
        }
        (self.setup.game, self.setup.set) = before;
        Ok(())
    }

    /// Loads the chosen game, or says why it cannot be played.
    fn load_chosen(&mut self, door: &mut Door<'_>) -> Result<Result<Startup, Vec<Problem>>, Stop> {
        let gathered = match content::load(&self.setup, self.held.profile()) {
            Ok(gathered) => gathered,
            Err(content::Wrong::Usage(problems) | content::Wrong::Mods(problems)) => {
                return Ok(Err(problems));
            }
        };
        gathered.warnings.iter().try_for_each(|one| door.front.trouble(one))?;
        match run::migrate_profile(&mut self.held, &gathered.content, &gathered.vm) {
            Ok(told) => {
                told.iter().try_for_each(|one| door.front.trouble(one))?;
                Ok(Ok(gathered))
            }
            Err(problem) => Ok(Err(vec![problem])),
        }
    }
}

/// The command that starts with this game, whatever game it named before.
fn command_with(command: &str, id: &str) -> String {
    let mut words: Vec<&str> = command.split(' ').collect();
    if let Some(at) = words.iter().position(|word| *word == "--game") {
        words.drain(at..words.len().min(at + 2));
    }
    format!("{} --game {id}", words.join(" "))
}
