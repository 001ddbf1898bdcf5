//! The title: the game's name, text and menu labels, and its pages.

use super::{ExitReason, HostPrompts, Menu, content_loading, host_choice, host_prompt, pages};
use crate::base::text::escape;
use crate::base::{Problem, Value};
use crate::content::{Datum, Definition};
use crate::protocol::{Choice, StoryEvent, View};
use crate::ui::daily_seed;

/// The menu labels for a game that defines none.
pub(super) const MENU_LABELS: [(&str, &str); 7] = [
    ("new", "Start a new run"),
    ("resume", "Continue the run"),
    ("abandon", "Give up the run"),
    ("profile", "Profile"),
    ("history", "History"),
    ("settings", "Settings"),
    ("quit", "Quit"),
];

impl Menu {
    /// Shows the title until the player leaves it.
    pub(super) fn show_title(
        &mut self,
        door: &mut HostPrompts<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), ExitReason> {
        loop {
            let unfinished = match self.resumable_run() {
                Ok(unfinished) => unfinished,
                Err(problem) => {
                    door.retry_or_quit(&[problem])?;
                    continue;
                }
            };
            self.show_title_text(door, unfinished.is_some())?;
            let view = View { title: self.game_name(), widgets: Vec::new() };
            let prompt = host_prompt("host:title", "", self.title_choices(unfinished.is_some()));
            let chosen = door.ask_choice(&prompt, &view)?;
            match (chosen.as_deref(), unfinished) {
                (None | Some("quit"), _) => return Ok(()),
                (Some("new"), _) => self.begin_run(door, draw_seed)?,
                (Some("resume"), Some(run_id)) => self.resume_run(door, &run_id, draw_seed)?,
                (Some("abandon"), Some(run_id)) => self.confirm_and_abandon(door, &run_id)?,
                (Some("history"), _) => self.show_history(door, draw_seed)?,
                (Some("settings"), _) => self.show_settings(door)?,
                (Some("games"), _) => self.choose_game(door)?,
                (Some("profile"), _) => self.show_profile(door)?,
                (Some(page), _) => self.show_page(door, page)?,
            }
        }
    }

    /// The run that the title offers to continue. Forks are only for mod authors.
    fn resumable_run(&self) -> Result<Option<String>, Problem> {
        match self.setup.dev {
            true => self.profile_lock.newest_unfinished_run(&self.game),
            false => self.profile_lock.newest_counted_unfinished_run(&self.game),
        }
    }

    fn show_title_text(
        &self,
        door: &mut HostPrompts<'_>,
        unfinished: bool,
    ) -> Result<(), ExitReason> {
        let mut told = vec![StoryEvent::Heading { text: self.game_name() }];
        for field in ["art", "text"] {
            let text = self.title_text(field);
            told.extend(text.map(|text| StoryEvent::Say { text }));
        }
        if let Some(day) = self.setup.daily.as_ref().filter(|day| daily_seed::is_future(day)) {
            let text = format!("{day} has not begun yet. Until then its seed is for practice.");
            told.push(StoryEvent::Note { text });
        }
        if let Some(day) = self.setup.daily.as_ref().filter(|_| unfinished) {
            let text =
                format!("The next run has the seed of {day}. First finish this run or give it up.");
            told.push(StoryEvent::Note { text });
        }
        door.frontend.set_log_reader(None);
        door.frontend.begin_story(&[])?;
        Ok(door.frontend.show_events(&told)?)
    }

    fn title_choices(&self, unfinished: bool) -> Vec<Choice> {
        let word = |id: &str| {
            let own =
                MENU_LABELS.iter().find(|(word, _)| *word == id).map_or("", |(_, label)| label);
            host_choice(id, &self.title_text(id).unwrap_or_else(|| own.to_owned()))
        };
        let mut menu = match unfinished {
            // Extra key, so that the digits of the other choices do not depend on an unfinished
            // run.
            true => vec![word("resume"), Choice { key: Some('g'), ..word("abandon") }],
            false => Vec::new(),
        };
        if self.setup.practice {
            menu.push(Choice { note: "practice, earns nothing".to_owned(), ..word("new") });
        } else if !unfinished {
            let note = self.setup.daily.as_ref().map(|day| format!("the seed of {day}"));
            menu.push(Choice { note: note.unwrap_or_default(), ..word("new") });
        }
        let pages = pages::menu_pages(&self.registry, &self.game).into_iter();
        menu.extend(pages.map(|page| host_choice(&page.id, &page.title)));
        menu.extend([word("profile"), word("history"), word("settings")]);
        menu.extend(self.games_choice());
        menu.push(word("quit"));
        menu
    }

    /// The game's name, as marked text.
    pub(super) fn game_name(&self) -> String {
        self.title_text("name").unwrap_or_else(|| escape(&self.game_source().manifest.name))
    }

    fn title_text(&self, field: &str) -> Option<String> {
        let registry = &self.registry;
        let own = |title: &&Definition| title.id.owner() == self.game;
        let title = registry
            .active_definitions("title")
            .find(own)
            .or_else(|| registry.active_definitions("title").next())?;
        let text = title.fields.get(field).and_then(Datum::as_text)?;
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }

    fn confirm_and_abandon(
        &mut self,
        door: &mut HostPrompts<'_>,
        run_id: &str,
    ) -> Result<(), ExitReason> {
        let text = "A run that you give up counts as failed and cannot be continued.";
        // The keys differ from all keys of the title.
        let keyed = |key, of| Choice { key: Some(key), ..of };
        let choices = vec![
            Choice { back: true, ..keyed('n', host_choice("keep", "Keep the run")) },
            keyed('y', host_choice("abandon", "Give up the run")),
        ];
        let prompt = host_prompt("host:abandon", text, choices);
        let view = View { title: self.game_name(), widgets: Vec::new() };
        if door.ask_choice(&prompt, &view)?.as_deref() != Some("abandon") {
            return Ok(());
        }
        self.update_today();
        let done = self.with_repair(door, run_id, |menu| menu.abandon_run(run_id))?;
        let problem = match done {
            None | Some(Ok(())) => return Ok(()),
            Some(Err(problem)) => problem,
        };
        // A run that cannot be continued in any way must not block the next one.
        door.frontend.show_problem(&problem)?;
        match crate::session::abandon_unreadable(&mut self.profile_lock, run_id) {
            Ok(()) => Ok(()),
            Err(problem) => self.show_and_wait(door, &problem),
        }
    }

    fn abandon_run(&mut self, run_id: &str) -> Result<(), Problem> {
        let mut in_hand = crate::session::resume(&self.setup.data_dir, run_id, None)?;
        in_hand.session.set_account(self.account());
        crate::session::abandon(&mut in_hand.session, &mut self.profile_lock)
    }

    /// Shows a Problem and waits until it was read.
    pub(super) fn show_and_wait(
        &self,
        door: &mut HostPrompts<'_>,
        problem: &Problem,
    ) -> Result<(), ExitReason> {
        door.frontend.show_problem(problem)?;
        let prompt =
            host_prompt("host:trouble", "", vec![host_choice("back", "Back to the title")]);
        door.ask_choice(&prompt, &View { title: self.game_name(), widgets: Vec::new() })?;
        Ok(())
    }

    /// The options of a new run; `None` if the player went back.
    pub(super) fn ask_options(
        &mut self,
        door: &mut HostPrompts<'_>,
    ) -> Result<Option<Value>, ExitReason> {
        let view = View { title: self.game_name(), widgets: Vec::new() };
        let kept = self.profile_data();
        let seed_named = self.setup.seed.is_some() || self.setup.daily.is_some();
        let from =
            super::options::OptionSources { profile_data: &kept, has_named_seed: seed_named };
        let vm = content_loading::ready_vm(&mut self.vm, &self.content);
        super::options::ask_run_options(vm, &self.setup.option_values, &from, door, &view)
    }
}
