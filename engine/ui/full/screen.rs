//! The state of the full screen: the story, the prompt, the focus, the overlay. It knows no
//! terminal: keys come in, frames go out.

use std::cell::Cell;
use std::collections::BTreeSet;

use ratatui::layout::{Position, Rect};

use super::super::choice_keys::{ChoiceKeys, Given};
use super::super::errand::{self, Errand};
use super::super::form::{self, Form};
use super::super::laid::Laid;
use super::super::log::LogReader;
use super::super::preferences::Preferences;
use super::keymap::Keymap;
use super::keys::{BACK, HOST};
use super::overlay::Overlay;
use super::palette::Palette;
use super::sight::{Open, Sight};
use super::story::{Story, Told};
use super::theme::Theme;
use crate::kit::{Problem, text};
use crate::play::{Ask, Choice, Event, Input, Past, Prompt, View};
use crate::ui::front::Answer;

/// The state of the full screen between two keys.
pub struct Screen {
    pub(super) theme: Theme,
    pub(super) story: Story,
    pub(super) asked: Asked,
    pub(super) overlay: Option<Overlay>,
    /// Whether there is a console, and the line typed into it.
    pub(super) console: bool,
    pub(super) line: Option<String>,
    /// Why the run uses older mods than those on disk.
    pub(super) stale: String,
    /// Whether the prompt was interrupted and may come again.
    broken_off: bool,
    pub(super) keymap: Keymap,
    /// The keys before the player's overrides.
    usual_keys: Keymap,
    /// Whether the mouse is used.
    pub(super) mouse: bool,
    /// The keys assigned so far.
    pub(super) choice_keys: ChoiceKeys,
    /// The run to which those keys belong.
    keys_of: String,
    /// Whether the last answer was given by a choice's own key.
    pub(super) by_key: bool,
    /// The label of the run.
    pub(super) mark: String,
    /// Whether answers can be undone.
    pub(super) practice: bool,
    /// The travel in progress.
    pub(super) errand: Option<Errand>,
    /// The form of the prompt, its focused row and that row's focused option.
    pub(super) form: Option<Form>,
    pub(super) row: Option<usize>,
    pub(super) pick: usize,
    /// Where the whole log is read from.
    log_reader: Option<LogReader>,
    /// The cursor position of the last frame.
    pub(super) caret: Cell<Option<Position>>,
}

/// The prompt on the screen and the state of its answer.
pub(super) struct Asked {
    pub(super) prompt: Prompt,
    pub(super) view: View,
    /// The visible choices.
    pub(super) sight: Sight,
    /// The focus: a visible choice, or after those a submenu.
    pub(super) focus: usize,
    /// The marked choices of a multiple choice.
    pub(super) marks: BTreeSet<usize>,
    /// The number or text typed so far.
    pub(super) typed: String,
    /// Whether the next character replaces the typed text.
    pub(super) untouched: bool,
    /// Whether the player moved or confirmed the focus.
    pub(super) aimed: bool,
    /// Whether taking the focused choice needs a second press: because the key was pressed to read
    /// on, or because this player answers with the choices' own keys.
    pub(super) read_on: bool,
    /// Whether choosing none was requested once already.
    pub(super) sure_of_none: bool,
    /// Why the last key did nothing.
    pub(super) notice: String,
    /// Whether an unused key was reported already.
    pub(super) told_of_keys: bool,
    /// The first visible choice, if not all are.
    pub(super) first: usize,
    /// The rows of a column, if two choices share a row; else 0.
    pub(super) rows: usize,
    /// Where each visible choice was drawn last.
    pub(super) spots: Vec<(Rect, usize)>,
}

impl Screen {
    /// An empty screen.
    pub fn new(theme: Theme) -> Self {
        let nothing = Prompt {
            scene: String::new(),
            text: String::new(),
            ask: Ask::One,
            choices: Vec::new(),
            rounds: false,
        };
        let asked = Asked::new(nothing, View::default(), Sight::default());
        Self {
            theme,
            story: Story::default(),
            asked,
            overlay: None,
            console: false,
            line: None,
            stale: String::new(),
            broken_off: false,
            keymap: Keymap::default(),
            usual_keys: Keymap::default(),
            mouse: false,
            choice_keys: ChoiceKeys::default(),
            keys_of: String::new(),
            by_key: false,
            mark: String::new(),
            practice: false,
            errand: None,
            form: None,
            row: None,
            pick: 0,
            log_reader: None,
            caret: Cell::default(),
        }
    }

    /// Uses these keys.
    pub fn with_keys(mut self, keymap: Keymap) -> Self {
        self.usual_keys = keymap.clone();
        self.keymap = keymap;
        self
    }

    /// Applies the player's preferences.
    pub fn prefer(&mut self, preferences: &Preferences) {
        let palette = preferences.palette.as_deref().and_then(Palette::named);
        self.theme.palette = palette.unwrap_or(self.theme.palette);
        self.theme.ascii = preferences.ascii.unwrap_or(self.theme.ascii);
        self.mouse = preferences.mouse.unwrap_or(true);
        self.keymap = self.usual_keys.with_own(&preferences.keys).0;
    }

    /// Sets the label of the run, and whether answers can be undone.
    pub fn mark(&mut self, words: &str, may_undo: bool) {
        self.mark = text::clean(words);
        self.practice = may_undo;
    }

    /// Begins a new story with its earlier entries.
    pub fn begin(&mut self, past: &[Past]) {
        self.story.begin(past);
    }

    /// Adds the events of a step.
    pub fn tell(&mut self, events: &[Event]) {
        self.errand.take_if(|_| Errand::ends_with(events));
        for event in events {
            self.story.push(Told::Event(event.clone()));
        }
    }

    /// Adds a Problem to the story.
    pub fn trouble(&mut self, problem: &Problem) {
        self.errand = None;
        self.story.push(Told::Trouble(text::clean(&problem.to_string())));
    }

    /// Shows a prompt.
    pub fn pose(&mut self, prompt: &Prompt, view: &View) {
        let view = &*errand::with_doors_named(prompt, view);
        let (rest, form) = form::split(prompt, view);
        let prompt = &rest;
        self.take_form(form, prompt.scene == self.asked.prompt.scene);
        self.story.shown();
        let again = std::mem::take(&mut self.broken_off);
        if again && self.asked.prompt == *prompt {
            // The focus stays where it was.
            self.asked.view = view.clone();
            return;
        }
        // A prompt with the same choices, as when a value is set step by step, keeps its focus.
        let ids = |prompt: &Prompt| -> Vec<String> {
            prompt.choices.iter().map(|choice| choice.id.clone()).collect()
        };
        let same =
            prompt.scene == self.asked.prompt.scene && ids(prompt) == ids(&self.asked.prompt);
        let focus = self.asked.focused().map(|choice| choice.id.clone());
        let focus = focus.filter(|_| again || same);
        let aimed = self.asked.aimed;
        let laid = Laid::of(prompt);
        let given = self.give_keys(prompt, view, &laid);
        let sight = Sight::new(prompt, laid, given);
        self.asked = Asked::new(rest, view.clone(), sight);
        let shown = &self.asked.sight.choices;
        let found = shown.iter().position(|choice| Some(&choice.id) == focus.as_ref());
        let found = found.filter(|at| again || shown[*at].closed.is_none());
        self.asked.focus = found.unwrap_or(self.asked.focus);
        // Taking the same choice again needs no second press, unless it rolls dice.
        let thrown = self.asked.focused().is_some_and(|choice| choice.odds.is_some());
        self.asked.aimed = aimed && found.is_some() && !thrown;
        self.asked.read_on = self.by_key;
        self.overlay = None;
    }

    /// The id of the focused choice or submenu.
    pub fn in_focus(&self) -> Option<&str> {
        let asked = &self.asked;
        let page = || asked.sight.page_id(asked.focus);
        asked.focused().map(|choice| &*choice.id).or_else(page)
    }

    /// Assigns keys to a prompt; keys of actions stay reserved.
    fn give_keys(&mut self, prompt: &Prompt, view: &View, laid: &Laid) -> Given {
        let keymap = &self.keymap;
        let is_free = |key| keymap.taken_by(key).is_none();
        self.choice_keys.give(prompt, &view.title, laid, &is_free)
    }

    /// Sets where the whole log is read from.
    pub fn read_log_from(&mut self, reader: Option<LogReader>) {
        self.log_reader = reader;
    }

    /// The log as a page.
    pub(super) fn log(&self) -> Overlay {
        let reader = self.log_reader.as_ref().filter(|_| self.story.is_cut());
        Overlay::log(reader.map(|read| read().into_iter().map(Told::from).collect()))
    }

    /// Restores the keys of a run: its earlier prompts are laid out again, so that every choice
    /// gets the key that it had.
    pub fn recall(&mut self, run_id: &str, met: &mut dyn FnMut() -> Option<(Prompt, View)>) {
        if std::mem::replace(&mut self.keys_of, run_id.to_owned()) == run_id {
            return;
        }
        self.choice_keys = ChoiceKeys::default();
        while let Some((prompt, view)) = met() {
            let (rest, _) = form::split(&prompt, &view);
            self.give_keys(&rest, &view, &Laid::of(&rest));
        }
    }

    /// Interrupts the prompt with something other than an answer. Its result is shown even if
    /// earlier text is unread.
    pub(super) fn broken_off(&mut self, with: Answer) -> Answer {
        self.broken_off = true;
        self.story.turn();
        with
    }

    /// Sets whether `:` opens a console.
    pub fn set_console(&mut self, there: bool) {
        self.console = there;
    }

    /// Shows why the run uses older mods than those on disk.
    pub fn stale(&mut self, why: Option<&str>) {
        self.stale = why.map(|why| text::clean(&format!("stale: {why}"))).unwrap_or_default();
    }

    /// Opens a page over the screen.
    pub fn open_page(&mut self, page: &View) {
        self.overlay = Some(Overlay::page(page));
    }

    /// The cursor position, if text is being typed.
    pub fn caret(&self) -> Option<Position> {
        self.caret.get()
    }

    /// Whether a page is open.
    pub fn page_is_open(&self) -> bool {
        self.overlay.is_some()
    }

    /// Submits an input: adds it to the story, and marks what follows as new.
    pub(super) fn answered(&mut self, input: Input) -> Input {
        self.story.mark_fresh();
        self.story.push(Told::Answer(self.asked.prompt.in_words(&input)));
        input
    }
}

impl Asked {
    fn new(prompt: Prompt, view: View, sight: Sight) -> Self {
        let typed = match &prompt.ask {
            Ask::Number { default, .. } => default.to_string(),
            Ask::Text { default, .. } => text::clean(default).replace('\n', " "),
            _ => String::new(),
        };
        let open = sight.choices.iter().position(|choice| choice.closed.is_none());
        Self {
            // If no visible choice is open, the first submenu has the focus.
            focus: open.unwrap_or(if sight.pages.is_empty() { 0 } else { sight.choices.len() }),
            sight,
            prompt,
            view,
            marks: BTreeSet::new(),
            untouched: true,
            aimed: false,
            read_on: false,
            sure_of_none: false,
            typed,
            notice: String::new(),
            told_of_keys: false,
            first: 0,
            rows: 0,
            spots: Vec::new(),
        }
    }

    /// Whether this is a host prompt, which can be left without an answer.
    pub(super) fn is_hosts(&self) -> bool {
        self.prompt.scene.starts_with(HOST)
    }

    /// The choice that goes back: that of a host prompt, or the one that the game marks with
    /// `back`.
    pub(super) fn way_back(&self) -> Option<&str> {
        let there = |id: &&&str| self.prompt.choice(id).is_some();
        let hosts = BACK.iter().filter(|_| self.prompt.scene.starts_with(HOST)).find(there);
        let said = || self.prompt.choices.iter().find(|one| one.back && one.closed.is_none());
        hosts.copied().or_else(|| said().map(|choice| &*choice.id))
    }

    /// The focused choice; `None` for a submenu and during a confirmation.
    pub(super) fn focused(&self) -> Option<&Choice> {
        self.prompt.choices.get(self.focused_at()?)
    }

    /// Whether taking the focused choice needs a second press. It does if the focus was not moved
    /// and the choice has consequences: it rolls dice, the prompt has a way back and this is not
    /// it, or the key was pressed to read on and there is more than one choice.
    pub(super) fn is_unmeant(&self) -> bool {
        if self.prompt.ask != Ask::One || self.aimed || self.prompt.scene.starts_with(HOST) {
            return false;
        }
        let Some(open) = self.focused().filter(|choice| choice.closed.is_none()) else {
            return false;
        };
        let several = || self.prompt.choices.iter().filter(|one| one.closed.is_none()).count() > 1;
        let back = || !open.back && self.way_back().is_some();
        open.odds.is_some() || back() || self.read_on && several()
    }

    /// The index of the focused choice in the prompt.
    pub(super) fn focused_at(&self) -> Option<usize> {
        if matches!(self.sight.open, Open::Sure(_)) {
            return None;
        }
        let only = || self.sight.pages.get(self.sight.page_of(self.focus)?)?.only;
        self.sight.at.get(self.focus).copied().or_else(only)
    }

    /// Shows another part of the prompt.
    pub(super) fn show(&mut self, open: Open) {
        let left = self.sight.open;
        self.aimed = false;
        self.sight.show(&self.prompt, open);
        self.first = 0;
        self.focus = match left {
            Open::Page(page) => self.sight.choices.len() + page,
            Open::Sure(choice) => self.sight.at.iter().position(|at| *at == choice).unwrap_or(0),
            Open::Whole => {
                let open = self.sight.choices.iter().position(|choice| choice.closed.is_none());
                open.unwrap_or(0)
            }
        };
    }

    /// Whether a choice leads to a place of the map.
    pub(super) fn leads_on(&self) -> bool {
        self.prompt.choices.iter().any(|choice| !choice.to.is_empty())
    }

    /// Whether keys write text.
    pub(super) fn writes(&self) -> bool {
        matches!(self.prompt.ask, Ask::Text { .. })
    }
}
