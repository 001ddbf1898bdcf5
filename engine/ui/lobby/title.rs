//! The title: the game's name, text and menu labels, and its pages.

use super::{Door, Lobby, Stop, ask, choice, content, pages};
use crate::content::{Datum, Definition};
use crate::kit::text::escape;
use crate::kit::{Problem, Value};
use crate::play::{Choice, Event, View};
use crate::ui::day;

/// The menu labels for a game that defines none.
pub(super) const WORDS: [(&str, &str); 7] = [
    ("new", "Start a new run"),
    ("resume", "Continue the run"),
    ("abandon", "Give up the run"),
    ("profile", "Profile"),
    ("history", "History"),
    ("settings", "Settings"),
    ("quit", "Quit"),
];

impl Lobby {
    /// Shows the title until the player leaves it.
    pub(super) fn title(
        &mut self,
        door: &mut Door<'_>,
        draw_seed: &mut dyn FnMut() -> u64,
    ) -> Result<(), Stop> {
        loop {
            let unfinished = match self.to_go_on_with() {
                Ok(unfinished) => unfinished,
                Err(problem) => {
                    door.again_or_quit(&[problem])?;
                    continue;
                }
            };
            self.tell_title(door, unfinished.is_some())?;
            let view = View { title: self.name(), widgets: Vec::new() };
            let prompt = ask("host:title", "", self.menu(unfinished.is_some()));
            let chosen = door.choose(&prompt, &view)?;
            match (chosen.as_deref(), unfinished) {
                (None | Some("quit"), _) => return Ok(()),
                (Some("new"), _) => self.begin(door, draw_seed)?,
                (Some("resume"), Some(run_id)) => self.go_on(door, &run_id, draw_seed)?,
                (Some("abandon"), Some(run_id)) => self.give_up(door, &run_id)?,
                (Some("history"), _) => self.history(door, draw_seed)?,
                (Some("settings"), _) => self.settings(door)?,
                (Some("games"), _) => self.choose_game(door)?,
                (Some("profile"), _) => self.show_profile(door)?,
                (Some(page), _) => self.show_page(door, page)?,
            }
        }
    }

    /// The run that the title offers to continue. Forks are only for mod authors.
    fn to_go_on_with(&self) -> Result<Option<String>, Problem> {
        match self.setup.dev {
            true => self.held.newest(&self.game),
            false => self.held.unfinished(&self.game),
        }
    }

    fn tell_title(&self, door: &mut Door<'_>, unfinished: bool) -> Result<(), Stop> {
        let mut told = vec![Event::Heading { text: self.name() }];
        for field in ["art", "text"] {
            let text = self.title_text(field);
            told.extend(text.map(|text| Event::Say { text }));
        }
        if let Some(day) = self.setup.daily.as_ref().filter(|day| day::is_to_come(day)) {
            let text = format!("{day} has not begun yet. Until then its seed is for practice.");
            told.push(Event::Note { text });
        }
        if let Some(day) = self.setup.daily.as_ref().filter(|_| unfinished) {
            let text =
                format!("The next run has the seed of {day}. First finish this run or give it up.");
            told.push(Event::Note { text });
        }
        door.front.read_log_from(None);
        door.front.begin(&[])?;
        Ok(door.front.tell(&told)?)
    }

    fn menu(&self, unfinished: bool) -> Vec<Choice> {
        let word = |id: &str| {
            let own = WORDS.iter().find(|(word, _)| *word == id).map_or("", |(_, label)| label);
            choice(id, &self.title_text(id).unwrap_or_else(|| own.to_owned()))
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
        let pages = pages::in_menu(&self.registry, &self.game).into_iter();
        menu.extend(pages.map(|page| choice(&page.id, &page.title)));
        menu.extend([word("profile"), word("history"), word("settings")]);
        menu.extend(self.games_choice());
        menu.push(word("quit"));
        menu
    }

    /// The game's name, as marked text.
    pub(super) fn name(&self) -> String {
        self.title_text("name").unwrap_or_else(|| escape(&self.game_source().manifest.name))
    }

    fn title_text(&self, field: &str) -> Option<String> {
        let registry = &self.registry;
        let own = |title: &&Definition| title.id.owner() == self.game;
        let title = registry.all("title").find(own).or_else(|| registry.all("title").next())?;
        let text = title.fields.get(field).and_then(Datum::as_text)?;
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }

    fn give_up(&mut self, door: &mut Door<'_>, run_id: &str) -> Result<(), Stop> {
        let text = "A run that you give up counts as failed and cannot be continued.";
        // The keys differ from all keys of the title.
        let keyed = |key, of| Choice { key: Some(key), ..of };
        let choices = vec![
            Choice { back: true, ..keyed('n', choice("keep", "Keep the run")) },
            keyed('y', choice("abandon", "Give up the run")),
        ];
        let prompt = ask("host:abandon", text, choices);
        let view = View { title: self.name(), widgets: Vec::new() };
        if door.choose(&prompt, &view)?.as_deref() != Some("abandon") {
            return Ok(());
        }
        self.look_at_the_day();
        let done = self.mending(door, run_id, |lobby| lobby.abandon(run_id))?;
        let problem = match done {
            None | Some(Ok(())) => return Ok(()),
            Some(Err(problem)) => problem,
        };
        // A run that cannot be continued in any way must not block the next one.
        door.front.trouble(&problem)?;
        match crate::run::abandon_unplayed(&mut self.held, run_id) {
            Ok(()) => Ok(()),
            Err(problem) => self.ask_back(door, &problem),
        }
    }

    fn abandon(&mut self, run_id: &str) -> Result<(), Problem> {
        let mut in_hand = crate::run::resume(&self.setup.data_dir, run_id, None)?;
        in_hand.session.set_account(self.account());
        crate::run::abandon(&mut in_hand.session, &mut self.held)
    }

    /// Shows a Problem and waits until it was read.
    pub(super) fn ask_back(&self, door: &mut Door<'_>, problem: &Problem) -> Result<(), Stop> {
        door.front.trouble(problem)?;
        let prompt = ask("host:trouble", "", vec![choice("back", "Back to the title")]);
        door.choose(&prompt, &View { title: self.name(), widgets: Vec::new() })?;
        Ok(())
    }

    /// The options of a new run; `None` if the player went back.
    pub(super) fn ask_options(&mut self, door: &mut Door<'_>) -> Result<Option<Value>, Stop> {
        let view = View { title: self.name(), widgets: Vec::new() };
        let kept = self.kept();
        let seed_named = self.setup.seed.is_some() || self.setup.daily.is_some();
        let from = super::options::From { kept: &kept, seed_named };
        let vm = content::ready(&mut self.vm, &self.content);
        super::options::ask_all(vm, &self.setup.set, &from, door, &view)
    }
}
