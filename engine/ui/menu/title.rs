//! The title: the game's name, text and menu labels, and its pages.

use super::{ExitReason, HostPrompts, Menu, content_loading, host_choice, host_prompt, pages};
use base::host_texts::translate_host_text;
use base::text::escape_markup;
use base::{Problem, Value};
use base::{host_text, host_text_id};
use content::{Datum, Definition};
use protocol::{Choice, StoryEvent, View};
use std::collections::BTreeMap;

/// The menu labels for a game that defines none. The bundled games define none, so that these are
/// the same in all of them.
pub(super) const DEFAULT_MENU_LABELS: [(&str, &str); 8] = [
    ("new", host_text_id!("New game")),
    ("daily", host_text_id!("Daily run")),
    ("resume", host_text_id!("Continue")),
    ("abandon", host_text_id!("Give up the run")),
    ("profile", host_text_id!("Collection")),
    ("history", host_text_id!("History")),
    ("settings", host_text_id!("Settings")),
    ("quit", host_text_id!("Quit")),
];

impl Menu {
    /// Shows the title until the player leaves it.
    pub(super) fn show_title(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        loop {
            let unfinished = match self.find_resumable_run() {
                Ok(unfinished) => unfinished,
                Err(problem) => {
                    host_prompts.ask_retry_or_quit(&[problem])?;
                    continue;
                }
            };
            self.show_title_text(host_prompts, unfinished.is_some())?;
            let view = View { title: self.game_name(), widgets: Vec::new() };
            let prompt = host_prompt("host:title", "", self.title_choices(unfinished.is_some()));
            let chosen = host_prompts.ask_choice(&prompt, &view)?;
            match (chosen.as_deref(), unfinished) {
                (None | Some("quit"), _) => return Ok(()),
                (Some("daily"), _) => self.begin_daily_run(host_prompts, draw_seed)?,
                (Some("new"), _) => self.begin_run(host_prompts, draw_seed)?,
                (Some("resume"), Some(run_id)) => {
                    self.resume_run(host_prompts, &run_id, draw_seed)?
                }
                (Some("abandon"), Some(run_id)) => {
                    self.confirm_and_abandon(host_prompts, &run_id)?
                }
                (Some("history"), _) => self.show_history(host_prompts, draw_seed)?,
                (Some("settings"), _) => self.show_settings(host_prompts)?,
                (Some("games"), _) => self.choose_game(host_prompts)?,
                (Some("profile"), _) => self.show_profile(host_prompts)?,
                (Some(page), _) => self.show_page(host_prompts, page)?,
            }
        }
    }

    /// The run that the title offers to continue. Forks are only for mod authors.
    fn find_resumable_run(&self) -> Result<Option<String>, Problem> {
        match self.setup.is_dev_mode {
            true => self.profile_lock.newest_unfinished_run(&self.game_id),
            false => self.profile_lock.newest_unfinished_original_run(&self.game_id),
        }
    }

    fn show_title_text(
        &self,
        host_prompts: &mut HostPrompts<'_>,
        unfinished: bool,
    ) -> Result<(), ExitReason> {
        let mut events = vec![StoryEvent::Heading { text: self.game_name() }];
        for field in ["art", "text"] {
            let text = self.title_text(field);
            events.extend(text.map(|text| StoryEvent::Say { text }));
        }
        if let Some(day) = self.setup.daily_date.as_ref().filter(|_| unfinished) {
            let text = host_text!(
                "The next run can be that of {day}. First finish this run or give it up.",
                day = day
            );
            events.push(StoryEvent::Note { text });
        }
        host_prompts.frontend.set_log_reader(None);
        host_prompts.frontend.begin_story(&[])?;
        Ok(host_prompts.frontend.show_events(&events)?)
    }

    fn title_choices(&self, unfinished: bool) -> Vec<Choice> {
        let menu_choice = |id: &str| host_choice(id, &self.menu_label(id));
        let mut menu = match unfinished {
            // Extra key, so that the digits of the other choices do not depend on an unfinished
            // run.
            true => {
                vec![
                    menu_choice("resume"),
                    Choice { preferred_key: Some('g'), ..menu_choice("abandon") },
                ]
            }
            false => Vec::new(),
        };
        let is_daily_first = self.setup.daily_date.is_some();
        let daily = (!unfinished || self.setup.is_practice).then(|| self.daily_choice());
        menu.extend(daily.iter().filter(|_| is_daily_first).cloned());
        if self.setup.is_practice {
            menu.push(Choice { note: host_text!("practice, earns nothing"), ..menu_choice("new") });
        } else if !unfinished {
            menu.push(menu_choice("new"));
        }
        menu.extend(daily.filter(|_| !is_daily_first));
        let pages = pages::menu_pages(&self.registry, &self.game_id).into_iter();
        menu.extend(pages.map(|page| host_choice(&page.id, &page.title)));
        menu.extend([menu_choice("profile"), menu_choice("history"), menu_choice("settings")]);
        menu.extend(self.games_choice());
        menu.push(menu_choice("quit"));
        menu
    }

    /// The label of a menu entry, as marked text.
    pub(super) fn menu_label(&self, id: &str) -> String {
        let default = DEFAULT_MENU_LABELS.iter().find(|(entry_id, _)| *entry_id == id);
        let label = || translate_host_text(default.map_or("", |(_, label)| label), &[]);
        self.title_text(id).unwrap_or_else(label)
    }

    /// The game's name, as marked text.
    pub(super) fn game_name(&self) -> String {
        let manifest_name = || translate_host_text(&self.game_source().manifest.name, &[]);
        self.title_text("name").unwrap_or_else(|| escape_markup(&manifest_name()))
    }

    fn title_text(&self, field: &str) -> Option<String> {
        let registry = &self.registry;
        let is_own_title = |title: &&Definition| title.id.mod_id() == self.game_id;
        let title = registry
            .active_definitions("title")
            .find(is_own_title)
            .or_else(|| registry.active_definitions("title").next())?;
        let text = title.fields.get(field).and_then(Datum::as_text)?;
        Some(registry.display_text(text).to_owned()).filter(|text| !text.is_empty())
    }

    fn confirm_and_abandon(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        run_id: &str,
    ) -> Result<(), ExitReason> {
        let text = host_text!("A run that you give up counts as failed and cannot be continued.");
        // The keys differ from all keys of the title.
        let with_key = |key, of| Choice { preferred_key: Some(key), ..of };
        let choices = vec![
            Choice {
                is_back_choice: true,
                ..with_key('n', host_choice("keep", &host_text!("Keep the run")))
            },
            with_key('y', host_choice("abandon", &host_text!("Give up the run"))),
        ];
        let prompt = host_prompt("host:abandon", &text, choices);
        let view = View { title: self.game_name(), widgets: Vec::new() };
        if host_prompts.ask_choice(&prompt, &view)?.as_deref() != Some("abandon") {
            return Ok(());
        }
        self.update_profile_date();
        let result = self.run_with_repair(host_prompts, run_id, |menu| menu.abandon_run(run_id))?;
        let problem = match result {
            None | Some(Ok(())) => return Ok(()),
            Some(Err(problem)) => problem,
        };
        // A run that cannot be continued in any way must not block the next one.
        host_prompts.frontend.show_problem(&problem)?;
        match session::abandon_unplayable_run(&mut self.profile_lock, run_id) {
            Ok(()) => Ok(()),
            Err(problem) => self.show_problem_and_wait(host_prompts, &problem),
        }
    }

    fn abandon_run(&mut self, run_id: &str) -> Result<(), Problem> {
        let mut active_run = session::resume_run(&self.setup.data_dir, run_id, None)?;
        active_run.session.set_player_account(self.player_account());
        session::abandon_run(&mut active_run.session, &mut self.profile_lock)
    }

    /// Shows a Problem and waits until it was read.
    pub(super) fn show_problem_and_wait(
        &self,
        host_prompts: &mut HostPrompts<'_>,
        problem: &Problem,
    ) -> Result<(), ExitReason> {
        host_prompts.frontend.show_problem(problem)?;
        let prompt = host_prompt(
            "host:trouble",
            "",
            vec![host_choice("back", &host_text!("Back to the title"))],
        );
        host_prompts.ask_choice(&prompt, &View { title: self.game_name(), widgets: Vec::new() })?;
        Ok(())
    }

    /// The options of a new run; `None` if the player went back.
    pub(super) fn choose_options_of_new_run(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        repeated_options: &BTreeMap<String, Value>,
    ) -> Result<Option<Value>, ExitReason> {
        let view = View { title: self.game_name(), widgets: Vec::new() };
        let profile_data = self.profile_data();
        let has_named_seed = self.setup.seed.is_some();
        let profile_data = &profile_data;
        let sources =
            super::options::RunOptionInputs { profile_data, repeated_options, has_named_seed };
        let vm = content_loading::ensure_vm(&mut self.vm, &self.content);
        super::options::ask_options_of_new_run(
            vm,
            &self.setup.command_line_options,
            &sources,
            host_prompts,
            &view,
        )
    }
}
