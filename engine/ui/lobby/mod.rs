//! The menu: everything before, between and after runs. It finds the content, shows the title, asks
//! for a run's options, plays runs and resumes them. It asks through ordinary prompts, so every
//! frontend can draw it.

mod console;
mod content;
mod games;
mod history;
mod keys;
mod left_out;
mod mending;
mod onlooker;
mod options;
mod pages;
mod players;
mod remembered;
mod replay;
mod settings;
mod table;
mod title;
mod workbench;

use std::io;
use std::path::PathBuf;
use std::rc::Rc;

pub use keys::read_keys;
pub use players::NOBODY;
pub use replay::installed;

use super::front::{Answer, Front};
use super::full::Keymap;
use super::preferences::Preferences;
use crate::content::Registry;
use crate::kit::{Problem, Value, text};
use crate::mods::{Manifest, ModSet, ModSource, Places};
use crate::play::{Ask, Choice, Input, Prompt, View};
use crate::run::{self, Content, RunSource, StartPlan, Startup, Unfit};
use crate::save::{DataDir, LockedProfile};
use crate::script::Vm;

/// The settings of this start of the program.
pub struct Setup {
    /// Where mods are searched.
    pub places: Places,
    /// The requested game.
    pub game: Option<String>,
    /// Mods enabled for this start.
    pub with: Vec<String>,
    /// The folder of runs and profiles.
    pub data_dir: DataDir,
    /// Whether that data outlives the program.
    pub kept: bool,
    /// The player's name.
    pub profile: String,
    /// The seed of the next new run.
    pub seed: Option<u64>,
    /// The day whose seed the next new run has, as `2026-11-21`.
    pub daily: Option<String>,
    /// Whether new runs are practice: answers can be undone, and nothing is earned.
    pub practice: bool,
    /// The run to watch; then nothing else is done.
    pub watch: Option<RunSource>,
    /// Options set on the command line: name and value as written.
    pub set: Vec<(String, String)>,
    /// Dev mode: mod folders are watched, and there is a console.
    pub dev: bool,
    /// Called after mods were reloaded in dev mode, to update the files for an editor.
    pub anew: fn(&Vm, &ModSet) -> Result<(), Problem>,
    /// The preferences of this start, which override those of the profile.
    pub prefer: Preferences,
    /// The default keys, or those of the player's key file.
    pub keymap: Keymap,
    /// Problems from before there was a frontend.
    pub told: Vec<Problem>,
    /// The command that starts the program in the same way, for a person to type.
    pub command: String,
    /// Whether to draw only ASCII by default.
    pub usual_ascii: bool,
}

/// Why the menu ended early.
#[derive(Debug)]
pub enum Stop {
    /// The player quit; nothing is wrong.
    Quit,
    /// Something failed. Problems not shown yet are printed at the end.
    Failed(Vec<Problem>),
    /// The command line asks for something that does not exist.
    Usage(Vec<Problem>),
    /// The terminal or the pipe failed.
    Terminal(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Terminal(error)
    }
}

/// Runs the menu until the player leaves.
pub fn play(
    setup: Setup,
    front: &mut dyn Front,
    draw_seed: &mut dyn FnMut() -> u64,
) -> Result<(), Stop> {
    let mut door = Door { front };
    let stopped = match Lobby::open(setup, &mut door) {
        Ok(mut lobby) => lobby.stay(&mut door, draw_seed),
        Err(stop) => Err(stop),
    };
    match stopped {
        Ok(last_lines) => Ok(front.finish(&last_lines)?),
        Err(Stop::Quit) => Ok(front.finish(&[])?),
        Err(stop) => {
            // The first error matters more than a terminal that fails as well.
            let _ = front.finish(&[]);
            Err(stop)
        }
    }
}

/// The menu, with a locked profile and loaded content.
struct Lobby {
    setup: Setup,
    held: LockedProfile,
    content: Content,
    registry: Rc<Registry>,
    /// A VM with the content, until a run takes it: one VM is enough while a run is played.
    vm: Option<Vm>,
    game: String,
    /// The games that were found when the content was loaded.
    games: Vec<Manifest>,
    /// Whether the player can switch to another game: the command line names none.
    free: bool,
}

impl Lobby {
    /// Locks the profile and loads the content; asks what to do if that fails.
    fn open(mut setup: Setup, door: &mut Door<'_>) -> Result<Self, Stop> {
        setup.data_dir = setup.data_dir.with_mods_in(setup.places.clone());
        let (mut held, told) = loop {
            match setup.data_dir.lock_profile(&setup.profile) {
                Ok(held) => break held,
                Err(problem) => onlooker::instead(&mut setup, door, problem)?,
            }
        };
        told.iter().try_for_each(|problem| door.front.trouble(problem))?;
        let Startup { content, vm, games, .. } = loop {
            match content::load(&setup, held.profile()) {
                Ok(startup) => {
                    startup.warnings.iter().try_for_each(|one| door.front.trouble(one))?;
                    match run::migrate_profile(&mut held, &startup.content, &startup.vm) {
                        Ok(told) => {
                            told.iter().try_for_each(|one| door.front.trouble(one))?;
                            break startup;
                        }
                        Err(problem) => {
                            left_out::what_to_do(&mut setup, &mut held, door, &[problem])?;
                        }
                    }
                }
                Err(content::Wrong::Usage(problems)) => return Err(Stop::Usage(problems)),
                Err(content::Wrong::Mods(problems)) => {
                    left_out::what_to_do(&mut setup, &mut held, door, &problems)?;
                }
            }
        };
        setup.told.iter().try_for_each(|problem| door.front.trouble(problem))?;
        if setup.dev {
            // Files that could not be checked stay; they only take space.
            let _ = held.sweep_contents();
            workbench::tell_what_is_off(door, &setup.places, &content)?;
        }
        let game = content.mods.game().id().to_owned();
        options::check(&vm, &setup.set).map_err(|problem| Stop::Usage(vec![problem]))?;
        let free = setup.game.is_none();
        let (registry, vm) = (vm.shared_registry(), Some(vm));
        let lobby = Self { setup, held, content, registry, vm, game, games, free };
        lobby.prefer(door);
        Ok(lobby)
    }

    /// Reads the mods again. If they cannot be loaded, the Problems are shown and the loaded mods
    /// stay.
    fn look_again(&mut self, door: &mut Door<'_>) -> Result<(), Stop> {
        let found = content::find(&self.setup, self.held.profile());
        match found.and_then(|found| self.loaded(found)) {
            Ok(startup) => {
                match run::migrate_profile(&mut self.held, &startup.content, &startup.vm) {
                    Ok(told) => {
                        if !startup.content.is_alike(&self.content) {
                            told.iter().try_for_each(|one| door.front.trouble(one))?;
                        }
                        self.take(startup);
                    }
                    Err(problem) => door.front.trouble(&problem)?,
                }
            }
            Err(content::Wrong::Usage(problems) | content::Wrong::Mods(problems)) => {
                problems.iter().try_for_each(|problem| door.front.trouble(problem))?;
            }
        }
        Ok(())
    }

    /// Loads what was found; reuses the VM if nothing has changed.
    fn loaded(&mut self, found: StartPlan) -> Result<Startup, Unfit> {
        match self.vm.take_if(|vm| vm.usable() && found.content.is_alike(&self.content)) {
            Some(vm) => {
                // The content that was read again is dropped.
                let StartPlan { games, warnings, .. } = found;
                Ok(Startup { content: self.content.clone(), vm, games, warnings })
            }
            None => found.load(),
        }
    }

    /// Uses loaded content from here on.
    fn take(&mut self, startup: Startup) {
        let Startup { content, vm, games, warnings: _ } = startup;
        self.registry = vm.shared_registry();
        (self.content, self.vm, self.games) = (content, Some(vm), games);
    }

    /// Shows the title until the player leaves; returns the last lines to print.
    fn stay(
        &mut self,
        door: &mut Door<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<String>, Stop> {
        let done = match self.setup.watch.take() {
            Some(source) => match replay::open_replay(&self.setup, &source) {
                Ok(replay) => self.watch(door, replay, draw_seed),
                Err(problem) => Err(Stop::Failed(vec![problem])),
            },
            None => self.title(door, draw_seed),
        };
        match done {
            Ok(()) | Err(Stop::Quit) => Ok(self.last_lines()),
            Err(stop) => Err(stop),
        }
    }

    /// How to continue an unfinished run.
    fn last_lines(&self) -> Vec<String> {
        let Ok(Some(run_id)) = self.held.unfinished(&self.game) else { return Vec::new() };
        match self.setup.kept {
            true => vec![
                format!("The run {run_id} is saved, up to the last answer."),
                format!("To continue it: {}", self.command_again()),
            ],
            false => vec![
                "The run is not saved, because its answers came from a file.".to_owned(),
                "To save the next one, choose a folder with --data.".to_owned(),
            ],
        }
    }

    /// The command that continues as this player.
    fn command_again(&self) -> String {
        let name = &self.held.profile().name;
        match name.as_str() {
            NOBODY => self.setup.command.clone(),
            name => format!("{} {}", self.setup.command, text::flag("--profile", name)),
        }
    }

    /// The game's data in the player's profile, as runs and pages read it.
    fn kept(&self) -> Value {
        let game = self.held.profile().games.get(&self.game);
        game.map_or_else(Value::map, |game| game.data.clone())
    }

    fn game_source(&self) -> &ModSource {
        self.content.mods.game()
    }
}

/// The frontend with helpers for host prompts.
struct Door<'a> {
    front: &'a mut dyn Front,
}

impl Door<'_> {
    /// Asks a host prompt; returns the id of the choice, or `None` for going back.
    fn choose(&mut self, prompt: &Prompt, view: &View) -> Result<Option<String>, Stop> {
        Ok(self.input(prompt, view)?.map(|input| match input {
            Input::Choice(id) | Input::Text(id) => id,
            Input::Number(number) => number.to_string(),
            Input::Many(ids) => ids.join(" "),
        }))
    }

    /// Asks; `None` for going back.
    fn input(&mut self, prompt: &Prompt, view: &View) -> Result<Option<Input>, Stop> {
        loop {
            match self.answer(prompt, view)? {
                Answer::Input(input) => return Ok(Some(input)),
                Answer::Reload => {}
                Answer::Console(_) => self.front.trouble(&not_in_a_run())?,
                _ => return Ok(None),
            }
        }
    }

    /// Asks for an answer that does not end the program.
    fn answer(&mut self, prompt: &Prompt, view: &View) -> Result<Answer, Stop> {
        match self.front.ask(prompt, view)? {
            Answer::Quit => Err(Stop::Quit),
            Answer::Stop(problem) => Err(Stop::Failed(vec![problem])),
            answer => Ok(answer),
        }
    }

    /// Shows Problems and asks whether to try again. Anything else ends the program.
    fn again_or_quit(&mut self, problems: &[Problem]) -> Result<(), Stop> {
        self.again_or(problems, Vec::new()).map(drop)
    }

    /// The same with further choices: returns the id of the chosen one, or `again`.
    fn again_or(&mut self, problems: &[Problem], ways: Vec<Choice>) -> Result<String, Stop> {
        // Clears Problems of the previous attempt.
        self.front.begin(&[])?;
        for problem in problems {
            self.front.trouble(problem)?;
        }
        let text = match problems.len() {
            1 => "This must be fixed before anything can be played.".to_owned(),
            count => format!("These {count} must be fixed before anything can be played."),
        };
        let again = [choice("again", "Try again")].into_iter();
        let choices = again.chain(ways).chain([choice("quit", "Quit")]).collect();
        let prompt = ask("host:trouble", &text, choices);
        match self.choose(&prompt, &View::default()) {
            Ok(Some(id)) if id != "quit" => Ok(id),
            Ok(_) | Err(Stop::Quit) => Err(nothing_played(self.front.stays_in_sight(), problems)),
            Err(stop) => Err(stop),
        }
    }
}

/// The exit reason if nothing could be played. Problems that are no longer visible are printed
/// again.
fn nothing_played(in_sight: bool, problems: &[Problem]) -> Stop {
    Stop::Failed(if in_sight { Vec::new() } else { problems.to_vec() })
}

fn not_in_a_run() -> Problem {
    Problem::error("no-run-here", "the console works only while a run is played")
}

/// A host prompt with choices.
fn ask(scene: &str, text: &str, choices: Vec<Choice>) -> Prompt {
    Prompt { scene: scene.to_owned(), text: text.to_owned(), ask: Ask::One, choices, rounds: false }
}

fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}

/// The project folder that contains a path, if any: its mods are used.
pub fn project_folder(standing: PathBuf) -> Option<PathBuf> {
    let is_project = |folder: &&std::path::Path| {
        folder.join("Cargo.toml").is_file() && folder.join("base_game/mod.toml").is_file()
    };
    standing.ancestors().find(is_project).map(std::path::Path::to_path_buf)
}
