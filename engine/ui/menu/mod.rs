//! The menu: everything before, between and after runs. It finds the content, shows the title, asks
//! for a run's options, plays runs and resumes them. It asks through ordinary prompts, so every
//! frontend can draw it.

mod console;
mod content_loading;
mod daily;
mod dev_mode;
mod disable_mods;
mod exit_reason;
mod games;
mod history;
mod key_settings;
mod language;
mod options;
mod pages;
mod players;
mod repair;
mod replay;
mod run_labels;
mod run_loop;
mod run_mods;
mod run_start;
mod settings;
mod spectate;
mod suggested_commands;
mod title;

use std::rc::Rc;

pub use dev_mode::find_project_folder;
pub use exit_reason::ExitReason;
pub use key_settings::{parse_key_file, read_key_file};
pub use players::DEFAULT_PLAYER_NAME;
pub use replay::installed_mods;

use super::frontend::{Answer, Frontend};
use super::full_screen::Keymap;
use super::preferences::Preferences;
use base::{Code, Problem, Value, host_text, host_texts::set_host_texts};
use content::Registry;
use mods::{Manifest, ModSet, ModSource, SearchPaths};
use protocol::{AnswerType, Choice, Input, Prompt, View};
use save::{DataDir, LockedProfile};
use script::Vm;
use session::{LoadedStart, RunContent, RunSource, StartError, StartPlan};

/// The settings of this start of the program.
pub struct MenuSetup {
    /// Where mods are searched.
    pub search_paths: SearchPaths,
    /// The requested game.
    pub game: Option<String>,
    /// Mods enabled for this start.
    pub enabled_mods: Vec<String>,
    /// The folder of runs and profiles.
    pub data_dir: DataDir,
    /// Whether that data outlives the program.
    pub is_persistent: bool,
    /// The player's name.
    pub player_name: String,
    /// The seed of the next new run.
    pub seed: Option<u64>,
    /// The day whose seed the next new run has, as `2026-11-21`.
    pub daily_date: Option<String>,
    /// Whether new runs are practice: answers can be undone, and nothing is earned.
    pub is_practice: bool,
    /// The run to watch; then nothing else is done.
    pub watched_run: Option<RunSource>,
    /// Options set on the command line: name and value as written.
    pub command_line_options: Vec<(String, String)>,
    /// Dev mode: mod folders are watched, and there is a console.
    pub is_dev_mode: bool,
    /// Called after mods were loaded or reloaded in dev mode, to update the files for an editor.
    pub on_dev_load: fn(&Vm, &ModSet, &SearchPaths) -> Result<(), Problem>,
    /// The preferences of this start, which override those of the profile.
    pub preferences: Preferences,
    /// The default keys, or those of the player's key file.
    pub keymap: Keymap,
    /// Problems from before there was a frontend.
    pub problems: Vec<Problem>,
    /// `--mods` and `--data` of the command line, for commands that are told to a person.
    pub folder_flags: String,
    /// Whether the command line asks for plain text.
    pub is_plain: bool,
    /// Whether to draw only ASCII by default.
    pub uses_ascii_by_default: bool,
}

/// Runs the menu until the player leaves.
pub fn run_menu(
    setup: MenuSetup,
    frontend: &mut dyn Frontend,
    draw_seed: &mut dyn FnMut() -> u64,
) -> Result<(), ExitReason> {
    let mut host_prompts = HostPrompts { frontend };
    let result = match Menu::open(setup, &mut host_prompts) {
        Ok(mut menu) => menu.run_until_exit(&mut host_prompts, draw_seed),
        Err(stop) => Err(stop),
    };
    match result {
        Ok(last_lines) => Ok(frontend.finish(&last_lines)?),
        Err(ExitReason::Quit) => Ok(frontend.finish(&[])?),
        Err(stop) => {
            // The first error matters more than a terminal that fails as well.
            let _ = frontend.finish(&[]);
            Err(stop)
        }
    }
}

/// The menu, with a locked profile and loaded content.
struct Menu {
    setup: MenuSetup,
    profile_lock: LockedProfile,
    content: RunContent,
    registry: Rc<Registry>,
    /// A VM with the content, until a run takes it: one VM is enough while a run is played.
    vm: Option<Vm>,
    game_id: String,
    /// The games that were found when the content was loaded.
    games: Vec<Manifest>,
    /// Whether the player can switch to another game: the command line names none.
    can_switch_game: bool,
}

impl Menu {
    /// Locks the profile and loads the content; asks what to do if that fails.
    fn open(mut setup: MenuSetup, host_prompts: &mut HostPrompts<'_>) -> Result<Self, ExitReason> {
        setup.data_dir = setup.data_dir.with_fallback_paths(setup.search_paths.clone());
        let (mut profile_lock, profile_problems) = loop {
            match setup.data_dir.lock_profile(&setup.player_name) {
                Ok(held) => break held,
                Err(problem) => spectate::handle_locked_profile(&mut setup, host_prompts, problem)?,
            }
        };
        host_prompts.frontend.show_problems(&profile_problems)?;
        let LoadedStart { content, vm, games, .. } = loop {
            match content_loading::load_content(&setup, profile_lock.profile()) {
                Ok(startup) => {
                    host_prompts.frontend.show_problems(&startup.warnings)?;
                    match session::migrate_profile(&mut profile_lock, &startup.content, &startup.vm)
                    {
                        Ok(told) => {
                            host_prompts.frontend.show_problems(&told)?;
                            break startup;
                        }
                        Err(problem) => {
                            disable_mods::ask_what_to_disable(
                                &mut setup,
                                &mut profile_lock,
                                host_prompts,
                                &[problem],
                            )?;
                        }
                    }
                }
                Err(StartError::Usage(problems)) => {
                    return Err(ExitReason::UsageError(problems));
                }
                Err(StartError::ModProblems(problems)) => {
                    disable_mods::ask_what_to_disable(
                        &mut setup,
                        &mut profile_lock,
                        host_prompts,
                        &problems,
                    )?;
                }
            }
        };
        host_prompts.frontend.show_problems(&setup.problems)?;
        if setup.is_dev_mode {
            // Files that could not be checked stay; they only take space.
            let _ = profile_lock.collect_garbage();
            if let Err(problem) = (setup.on_dev_load)(&vm, &content.mods, &setup.search_paths) {
                host_prompts.frontend.show_problem(&problem)?;
            }
        }
        let game_id = content.mods.game().id().to_owned();
        options::check_command_line_options(&vm, &setup.command_line_options)
            .map_err(|problem| ExitReason::UsageError(vec![problem]))?;
        let can_switch_game = setup.game.is_none();
        let (registry, vm) = (vm.shared_registry(), Some(vm));
        let mut menu =
            Self { setup, profile_lock, content, registry, vm, game_id, games, can_switch_game };
        // Only from here on are texts of the program in the player's language.
        menu.apply_language();
        menu.apply_preferences(host_prompts);
        dev_mode::report_disabled_mods(host_prompts, &menu)?;
        Ok(menu)
    }

    /// Reads the mods again. If that fails, shows the Problems and keeps the loaded mods.
    fn rescan_mods(&mut self, host_prompts: &mut HostPrompts<'_>) -> Result<(), ExitReason> {
        let plan = content_loading::plan_content(&self.setup, self.profile_lock.profile());
        match plan.and_then(|found| self.load_plan(found)) {
            Ok(startup) => {
                match session::migrate_profile(
                    &mut self.profile_lock,
                    &startup.content,
                    &startup.vm,
                ) {
                    Ok(told) => {
                        if !startup.content.is_same_content(&self.content) {
                            host_prompts.frontend.show_problems(&told)?;
                        }
                        self.use_loaded_content(startup);
                    }
                    Err(problem) => host_prompts.frontend.show_problem(&problem)?,
                }
            }
            Err(StartError::Usage(problems) | StartError::ModProblems(problems)) => {
                host_prompts.frontend.show_problems(&problems)?;
            }
        }
        Ok(())
    }

    /// Loads what was found; reuses the VM if nothing has changed.
    fn load_plan(&mut self, plan: StartPlan) -> Result<LoadedStart, StartError> {
        match self.vm.take_if(|vm| vm.is_usable() && plan.content.is_same_content(&self.content)) {
            Some(vm) => {
                // The content that was read again is dropped.
                let StartPlan { games, warnings, .. } = plan;
                Ok(LoadedStart { content: self.content.clone(), vm, games, warnings })
            }
            None => plan.load(),
        }
    }

    /// Uses loaded content from here on.
    fn use_loaded_content(&mut self, startup: LoadedStart) {
        let LoadedStart { content, vm, games, warnings: _ } = startup;
        self.registry = vm.shared_registry();
        (self.content, self.vm, self.games) = (content, Some(vm), games);
        self.apply_language();
    }

    /// Shows runs and the host's own texts in the language of the content.
    fn apply_language(&mut self) {
        let translation = self.content.mods.translation.clone();
        self.setup.data_dir = self.setup.data_dir.clone().with_translation(translation);
        set_host_texts(self.registry.displayed_texts().clone());
    }

    /// Shows the title until the player leaves; returns the last lines to print.
    fn run_until_exit(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<Vec<String>, ExitReason> {
        let result = match self.setup.watched_run.take() {
            Some(source) => match replay::open_replay(&self.setup, &source) {
                Ok(replay) => self.watch_replay(host_prompts, replay, draw_seed),
                Err(problem) => Err(ExitReason::from_run_problem(problem)),
            },
            None => self.show_title(host_prompts, draw_seed),
        };
        match result {
            Ok(()) | Err(ExitReason::Quit) => Ok(self.resume_hint_lines()),
            Err(stop) => Err(stop),
        }
    }

    /// How to continue an unfinished run.
    fn resume_hint_lines(&self) -> Vec<String> {
        let run_id = self.profile_lock.newest_unfinished_original_run(&self.game_id);
        let Ok(Some(run_id)) = run_id else { return Vec::new() };
        let player_name = &self.profile_lock.profile().name;
        match self.setup.is_persistent {
            true => vec![
                host_text!("The run {run_id} is saved, up to the last answer.", run_id = run_id),
                host_text!(
                    "To continue it: {command}",
                    command = self.setup.resume_command(player_name)
                ),
            ],
            false => vec![
                host_text!("The run is not saved, because its answers came from a file."),
                host_text!("To save the next one, choose a folder with --data."),
            ],
        }
    }

    /// The game's data in the player's profile, as runs and pages read it.
    fn profile_data(&self) -> Value {
        let game = self.profile_lock.profile().games.get(&self.game_id);
        game.map_or_else(Value::map, |game| game.award_data.clone())
    }

    /// The flags of a command about the mods of this game.
    fn mods_command_flags(&self) -> String {
        self.setup.mods_command_flags(&self.profile_lock.profile().name)
    }

    fn game_source(&self) -> &ModSource {
        self.content.mods.game()
    }
}

/// The frontend with helpers for host prompts.
struct HostPrompts<'a> {
    frontend: &'a mut dyn Frontend,
}

impl HostPrompts<'_> {
    /// Asks a host prompt; returns the id of the choice, or `None` for going back.
    fn ask_choice(&mut self, prompt: &Prompt, view: &View) -> Result<Option<String>, ExitReason> {
        Ok(self.ask_input(prompt, view)?.map(|input| match input {
            Input::Choice(id) | Input::Text(id) => id,
            Input::Number(number) => number.to_string(),
            Input::Choices(ids) => ids.join(" "),
        }))
    }

    /// Asks; `None` for going back.
    fn ask_input(&mut self, prompt: &Prompt, view: &View) -> Result<Option<Input>, ExitReason> {
        loop {
            match self.ask_answer(prompt, view)? {
                Answer::Input(input) => return Ok(Some(input.into_input())),
                Answer::Reload => {}
                Answer::ConsoleLine(_) => {
                    self.frontend.show_problem(&console_needs_run_problem())?
                }
                _ => return Ok(None),
            }
        }
    }

    /// Asks for an answer that does not end the program.
    fn ask_answer(&mut self, prompt: &Prompt, view: &View) -> Result<Answer, ExitReason> {
        match self.frontend.ask_prompt(prompt, view)? {
            Answer::Quit => Err(ExitReason::Quit),
            Answer::BadScriptLine(problem) => Err(ExitReason::Failed(vec![problem])),
            answer => Ok(answer),
        }
    }

    /// Shows Problems and asks whether to try again. Anything else ends the program.
    fn ask_retry_or_quit(&mut self, problems: &[Problem]) -> Result<(), ExitReason> {
        self.ask_retry_or_choose(problems, Vec::new()).map(drop)
    }

    /// The same with further choices: returns the id of the chosen one, or `again`.
    fn ask_retry_or_choose(
        &mut self,
        problems: &[Problem],
        further_choices: Vec<Choice>,
    ) -> Result<String, ExitReason> {
        // Clears Problems of the previous attempt.
        self.frontend.begin_story(&[])?;
        for problem in problems {
            self.frontend.show_problem(problem)?;
        }
        let text = match problems.len() {
            1 => host_text!("This must be fixed before anything can be played."),
            count => host_text!(
                "These {count} must be fixed before anything can be played.",
                count = count
            ),
        };
        let retry_choice = [host_choice("again", &host_text!("Try again"))].into_iter();
        let choices = retry_choice
            .chain(further_choices)
            .chain([host_choice("quit", &host_text!("Quit"))])
            .collect();
        let prompt = host_prompt("host:trouble", &text, choices);
        match self.ask_choice(&prompt, &View::default()) {
            Ok(Some(id)) if id != "quit" => Ok(id),
            Ok(_) | Err(ExitReason::Quit) => {
                Err(startup_failure(self.frontend.output_stays_visible(), problems))
            }
            Err(stop) => Err(stop),
        }
    }
}

/// The exit reason if nothing could be played; it prints Problems that are no longer visible.
fn startup_failure(is_visible: bool, problems: &[Problem]) -> ExitReason {
    ExitReason::Failed(if is_visible { Vec::new() } else { problems.to_vec() })
}

fn console_needs_run_problem() -> Problem {
    Problem::error(Code::NoRunHere, "the console works only while a run is played")
}

/// A host prompt with choices.
fn host_prompt(scene: &str, text: &str, choices: Vec<Choice>) -> Prompt {
    Prompt {
        scene: scene.to_owned(),
        text: text.to_owned(),
        answer_type: AnswerType::SingleChoice,
        choices,
        repeats: false,
    }
}

fn host_choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}
