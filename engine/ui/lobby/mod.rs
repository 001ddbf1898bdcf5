//! The lobby: what a person meets before, between and after runs. It finds the content, shows the
//! title, asks for a run's options, plays runs and lays them down again. Everything it asks goes
//! through the same door as a game's prompts, so that every front end draws it.

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
use crate::kit::{Problem, Value};
use crate::mods::{Manifest, ModSet, ModSource, Places};
use crate::play::{Ask, Choice, Input, Prompt, View};
use crate::run::{self, Content, RunSource, StartPlan, Startup, Unfit};
use crate::save::{DataDir, LockedProfile};
use crate::script::Vm;

/// What the program was started with.
pub struct Setup {
    /// Where mods are looked for.
    pub places: Places,
    /// The game that was asked for.
    pub game: Option<String>,
    /// Mods switched on for this start.
    pub with: Vec<String>,
    /// Where runs and profiles lie.
    pub data_dir: DataDir,
    /// Whether what lies there outlives the program.
    pub kept: bool,
    /// The player's name.
    pub profile: String,
    /// The seed of the next run that is begun.
    pub seed: Option<u64>,
    /// The day whose seed the next new run has, `2026-11-21`.
    pub daily: Option<String>,
    /// Whether new runs are for practice: they may be taken back, and earn nothing.
    pub practice: bool,
    /// The run that is watched, and nothing else done.
    pub watch: Option<RunSource>,
    /// Options that were set by hand: name and value as they were written.
    pub set: Vec<(String, String)>,
    /// Whether a person who writes mods plays: their folders are watched, and there is a console.
    pub dev: bool,
    /// What is done with mods that were read anew while they are written: an editor is told of them.
    pub anew: fn(&Vm, &ModSet) -> Result<(), Problem>,
    /// What this start prefers of the screen, before what the profile keeps.
    pub prefer: Preferences,
    /// The usual keys, or those of the player's file.
    pub keymap: Keymap,
    /// What went wrong before there was anybody to tell.
    pub told: Vec<Problem>,
    /// How this program is started again, for a person to type.
    pub command: String,
}

/// Why the lobby was left before its time.
#[derive(Debug)]
pub enum Stop {
    /// The player wants the program to end; nothing is wrong.
    Quit,
    /// Something cannot be done. What was not told yet is told at the end.
    Failed(Vec<Problem>),
    /// The program was asked for something that there is not.
    Usage(Vec<Problem>),
    /// The terminal or the pipe failed.
    Terminal(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Terminal(error)
    }
}

/// Plays until the player leaves.
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
            // What stopped us is worth more than a terminal that fails besides.
            let _ = front.finish(&[]);
            Err(stop)
        }
    }
}

/// The lobby, with a profile in hand and content loaded.
struct Lobby {
    setup: Setup,
    held: LockedProfile,
    content: Content,
    registry: Rc<Registry>,
    /// A VM of the content, until a run takes it: the run's own is enough while one is played.
    vm: Option<Vm>,
    game: String,
    /// The games that were found when the content was loaded.
    games: Vec<Manifest>,
    /// Whether another game may be gone to: none was named when the program was started.
    free: bool,
}

impl Lobby {
    /// Loads the content and takes the profile in hand, asking what to do where that fails.
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
            // What it could not look through stays: it only takes room.
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

    /// Looks at the mods again; what cannot be loaded is told, and what was loaded stays.
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

    /// What was found with a VM: the one that is there, where nothing has changed.
    fn loaded(&mut self, found: StartPlan) -> Result<Startup, Unfit> {
        match self.vm.take_if(|vm| vm.usable() && found.content.is_alike(&self.content)) {
            Some(vm) => {
                // What was read again is let go.
                let StartPlan { games, warnings, .. } = found;
                Ok(Startup { content: self.content.clone(), vm, games, warnings })
            }
            None => found.load(),
        }
    }

    /// Goes on with what was loaded.
    fn take(&mut self, startup: Startup) {
        let Startup { content, vm, games, warnings: _ } = startup;
        self.registry = vm.shared_registry();
        (self.content, self.vm, self.games) = (content, Some(vm), games);
    }

    /// The title, until the player leaves; the last lines to say then.
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

    /// How an unfinished run is gone on with.
    fn last_lines(&self) -> Vec<String> {
        let Ok(Some(run_id)) = self.held.unfinished(&self.game) else { return Vec::new() };
        match self.setup.kept {
            true => vec![
                format!("The run {run_id} is saved, up to the last answer."),
                format!("To go on with it: {}", self.command_again()),
            ],
            false => vec![
                "The run is not kept, since its answers came from a file.".to_owned(),
                "To keep the next one, name a folder with --data.".to_owned(),
            ],
        }
    }

    /// What a person types to go on as this player.
    fn command_again(&self) -> String {
        let name = &self.held.profile().name;
        match name.as_str() {
            NOBODY => self.setup.command.clone(),
            name if name.chars().all(char::is_alphanumeric) => {
                format!("{} --profile {name}", self.setup.command)
            }
            name => format!("{} --profile '{}'", self.setup.command, name.replace('\'', r"'\''")),
        }
    }

    /// What this player keeps of the game, as runs and pages read it.
    fn kept(&self) -> Value {
        let game = self.held.profile().games.get(&self.game);
        game.map_or_else(Value::map, |game| game.data.clone())
    }

    fn game_source(&self) -> &ModSource {
        self.content.mods.game()
    }
}

/// The front end with the host's own questions.
struct Door<'a> {
    front: &'a mut dyn Front,
}

impl Door<'_> {
    /// Asks one of the host's own questions: the id of the choice taken, or `None` for going back.
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

    /// Asks; an answer that does not end the program.
    fn answer(&mut self, prompt: &Prompt, view: &View) -> Result<Answer, Stop> {
        match self.front.ask(prompt, view)? {
            Answer::Quit => Err(Stop::Quit),
            Answer::Stop(problem) => Err(Stop::Failed(vec![problem])),
            answer => Ok(answer),
        }
    }

    /// Tells what is wrong and asks whether to try again. Anything else ends the program.
    fn again_or_quit(&mut self, problems: &[Problem]) -> Result<(), Stop> {
        self.again_or(problems, Vec::new()).map(drop)
    }

    /// The same with further ways out: the id of the one that was taken, `again` among them.
    fn again_or(&mut self, problems: &[Problem], ways: Vec<Choice>) -> Result<String, Stop> {
        // What was told before somebody tried again is not told under itself.
        self.front.begin(&[])?;
        for problem in problems {
            self.front.trouble(problem)?;
        }
        let text = match problems.len() {
            1 => "This must be put right before anything can be played.".to_owned(),
            count => format!("These {count} must be put right before anything can be played."),
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

/// Why nothing could be played: told once more where what was told is in sight of nobody.
fn nothing_played(in_sight: bool, problems: &[Problem]) -> Stop {
    Stop::Failed(if in_sight { Vec::new() } else { problems.to_vec() })
}

fn not_in_a_run() -> Problem {
    Problem::error("no-run-here", "the console works on a run, and this is none of its questions")
}

/// A question of the host's own with choices.
fn ask(scene: &str, text: &str, choices: Vec<Choice>) -> Prompt {
    Prompt { scene: scene.to_owned(), text: text.to_owned(), ask: Ask::One, choices, rounds: false }
}

fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}

/// The folder of the project that a person stands in, if it is one: its mods are read from there.
pub fn project_folder(standing: PathBuf) -> Option<PathBuf> {
    let is_project = |folder: &&std::path::Path| {
        folder.join("Cargo.toml").is_file() && folder.join("base_game/mod.toml").is_file()
    };
    standing.ancestors().find(is_project).map(std::path::Path::to_path_buf)
}
