//! The state of the full screen: the story, the prompt, the focus, the overlay. It knows no
//! terminal: keys come in, frames go out.

use std::cell::Cell;
use std::collections::BTreeSet;

use ratatui::layout::{Position, Rect};

use super::super::auto_travel::{self, AutoTravel};
use super::super::choice_keys::{AssignedKeys, ChoiceKeys};
use super::super::choice_layout::ChoiceLayout;
use super::super::form::{self, Form};
use super::super::log::LogReader;
use super::super::preferences::Preferences;
use super::key_handling::{BACK_IDS, HOST_PREFIX};
use super::keymap::Keymap;
use super::overlay::Overlay;
use super::palette::Palette;
use super::story::{Story, StoryItem};
use super::theme::Theme;
use super::visible_choices::{PromptMode, VisibleChoices};
use crate::base::{Problem, text};
use crate::protocol::{AnswerType, Choice, Input, Prompt, StoryEntry, StoryEvent, View};
use crate::ui::frontend::Answer;

/// The state of the full screen between two keys.
pub struct Screen {
    pub(super) theme: Theme,
    pub(super) story: Story,
    pub(super) active: ActivePrompt,
    pub(super) overlay: Option<Overlay>,
    /// Whether there is a console, and the line typed into it.
    pub(super) has_console: bool,
    pub(super) console_line: Option<String>,
    /// Why the run uses older mods than those on disk.
    pub(super) stale: String,
    /// Whether the prompt was interrupted and may come again.
    was_interrupted: bool,
    pub(super) keymap: Keymap,
    /// The keys before the player's overrides.
    default_keymap: Keymap,
    /// Whether the mouse is used.
    pub(super) mouse_enabled: bool,
    /// The keys assigned so far.
    pub(super) choice_keys: ChoiceKeys,
    /// The run to which those keys belong.
    keys_run_id: String,
    /// Whether the last answer was given by a choice's own key.
    pub(super) answered_by_key: bool,
    /// The label of the run.
    pub(super) run_label: String,
    /// Whether answers can be undone.
    pub(super) can_undo: bool,
    /// The travel in progress.
    pub(super) auto_travel: Option<AutoTravel>,
    /// The form of the prompt, its focused row and that row's focused option.
    pub(super) form: Option<Form>,
    pub(super) row_focus: Option<usize>,
    pub(super) option_focus: usize,
    /// Where the whole log is read from.
    log_reader: Option<LogReader>,
    /// The cursor position of the last frame.
    pub(super) caret: Cell<Option<Position>>,
}

/// The prompt on the screen and the state of its answer.
pub(super) struct ActivePrompt {
    pub(super) prompt: Prompt,
    pub(super) view: View,
    /// The visible choices.
    pub(super) visible: VisibleChoices,
    /// The focus: a visible choice, or after those a submenu.
    pub(super) focus: usize,
    /// The marked choices of a multiple choice.
    pub(super) marks: BTreeSet<usize>,
    /// The number or text typed so far.
    pub(super) typed: String,
    /// Whether the next character replaces the typed text.
    pub(super) replaces_typed: bool,
    /// Whether the player moved or confirmed the focus.
    pub(super) focus_was_chosen: bool,
    /// Whether taking the focused choice needs a second press: because the key was pressed to read
    /// on, or because this player answers with the choices' own keys.
    pub(super) guards_take: bool,
    /// Whether choosing none was requested once already.
    pub(super) none_was_confirmed: bool,
    /// Why the last key did nothing.
    pub(super) notice: String,
    /// Whether an unused key was reported already.
    pub(super) unknown_key_was_reported: bool,
    /// The first visible choice, if not all are.
    pub(super) first_visible: usize,
    /// The rows of a column, if two choices share a row; else 0.
    pub(super) rows_per_column: usize,
    /// Where each visible choice was drawn last.
    pub(super) hit_areas: Vec<(Rect, usize)>,
}

impl Screen {
    /// An empty screen.
    pub fn new(theme: Theme) -> Self {
        let nothing = Prompt {
            scene: String::new(),
            text: String::new(),
            ask: AnswerType::One,
            choices: Vec::new(),
            rounds: false,
        };
        let asked = ActivePrompt::new(nothing, View::default(), VisibleChoices::default());
        Self {
            theme,
            story: Story::default(),
            active: asked,
            overlay: None,
            has_console: false,
            console_line: None,
            stale: String::new(),
            was_interrupted: false,
            keymap: Keymap::default(),
            default_keymap: Keymap::default(),
            mouse_enabled: false,
            choice_keys: ChoiceKeys::default(),
            keys_run_id: String::new(),
            answered_by_key: false,
            run_label: String::new(),
            can_undo: false,
            auto_travel: None,
            form: None,
            row_focus: None,
            option_focus: 0,
            log_reader: None,
            caret: Cell::default(),
        }
    }

    /// Uses these keys.
    pub fn with_keymap(mut self, keymap: Keymap) -> Self {
        self.default_keymap = keymap.clone();
        self.keymap = keymap;
        self
    }

    /// Applies the player's preferences.
    pub fn apply_preferences(&mut self, preferences: &Preferences) {
        let palette = preferences.palette.as_deref().and_then(Palette::from_name);
        self.theme.palette = palette.unwrap_or(self.theme.palette);
        self.theme.ascii = preferences.ascii.unwrap_or(self.theme.ascii);
        self.mouse_enabled = preferences.mouse.unwrap_or(true);
        self.keymap = self.default_keymap.with_overrides(&preferences.keys).0;
    }

    /// Sets the label of the run, and whether answers can be undone.
    pub fn set_run_label(&mut self, words: &str, may_undo: bool) {
        self.run_label = text::strip_unprintable(words);
        self.can_undo = may_undo;
    }

    /// Begins a new story with its earlier entries.
    pub fn begin_story(&mut self, past: &[StoryEntry]) {
        self.story.begin(past);
    }

    /// Adds the events of a step.
    pub fn add_events(&mut self, events: &[StoryEvent]) {
        self.auto_travel.take_if(|_| AutoTravel::is_ended_by(events));
        for event in events {
            self.story.push(StoryItem::Event(event.clone()));
        }
    }

    /// Adds a Problem to the story.
    pub fn add_problem(&mut self, problem: &Problem) {
        self.auto_travel = None;
        self.story.push(StoryItem::Problem(text::strip_unprintable(&problem.to_string())));
    }

    /// Shows a prompt.
    pub fn show_prompt(&mut self, prompt: &Prompt, view: &View) {
        let view = &*auto_travel::label_unnamed_places(prompt, view);
        let (rest, form) = form::split_prompt(prompt, view);
        let prompt = &rest;
        self.set_form(form, prompt.scene == self.active.prompt.scene);
        self.story.mark_seen();
        let again = std::mem::take(&mut self.was_interrupted);
        if again && self.active.prompt == *prompt {
            // The focus stays where it was.
            self.active.view = view.clone();
            return;
        }
        // A prompt with the same choices, as when a value is set step by step, keeps its focus.
        let ids = |prompt: &Prompt| -> Vec<String> {
            prompt.choices.iter().map(|choice| choice.id.clone()).collect()
        };
        let same =
            prompt.scene == self.active.prompt.scene && ids(prompt) == ids(&self.active.prompt);
        let focus = self.active.focused_choice().map(|choice| choice.id.clone());
        let focus = focus.filter(|_| again || same);
        let aimed = self.active.focus_was_chosen;
        let layout = ChoiceLayout::of(prompt);
        let given = self.assign_keys(prompt, view, &layout);
        let sight = VisibleChoices::new(prompt, layout, given);
        self.active = ActivePrompt::new(rest, view.clone(), sight);
        let shown = &self.active.visible.choices;
        let found = shown.iter().position(|choice| Some(&choice.id) == focus.as_ref());
        let found = found.filter(|at| again || shown[*at].is_enabled());
        self.active.focus = found.unwrap_or(self.active.focus);
        // Taking the same choice again needs no second press, unless it rolls dice.
        let thrown = self.active.focused_choice().is_some_and(|choice| choice.odds.is_some());
        self.active.focus_was_chosen = aimed && found.is_some() && !thrown;
        self.active.guards_take = self.answered_by_key;
        self.overlay = None;
    }

    /// The id of the focused choice or submenu.
    pub fn focused_id(&self) -> Option<&str> {
        let asked = &self.active;
        let page = || asked.visible.submenu_id(asked.focus);
        asked.focused_choice().map(|choice| &*choice.id).or_else(page)
    }

    /// Assigns keys to a prompt; keys of actions stay reserved.
    fn assign_keys(&mut self, prompt: &Prompt, view: &View, layout: &ChoiceLayout) -> AssignedKeys {
        let keymap = &self.keymap;
        let is_free = |key| keymap.reserved_action(key).is_none();
        self.choice_keys.assign(prompt, &view.title, layout, &is_free)
    }

    /// Sets where the whole log is read from.
    pub fn set_log_reader(&mut self, reader: Option<LogReader>) {
        self.log_reader = reader;
    }

    /// The log as a page.
    pub(super) fn log_page(&self) -> Overlay {
        let reader = self.log_reader.as_ref().filter(|_| self.story.is_truncated());
        Overlay::log(reader.map(|read| read().into_iter().map(StoryItem::from).collect()))
    }

    /// Restores the keys of a run: its earlier prompts are laid out again, so that every choice
    /// gets the key that it had.
    pub fn restore_keys(&mut self, run_id: &str, met: &mut dyn FnMut() -> Option<(Prompt, View)>) {
        if std::mem::replace(&mut self.keys_run_id, run_id.to_owned()) == run_id {
            return;
        }
        self.choice_keys = ChoiceKeys::default();
        while let Some((prompt, view)) = met() {
            let (rest, _) = form::split_prompt(&prompt, &view);
            self.assign_keys(&rest, &view, &ChoiceLayout::of(&rest));
        }
    }

    /// Interrupts the prompt with something other than an answer. Its result is shown even if
    /// earlier text is unread.
    pub(super) fn interrupt_prompt(&mut self, with: Answer) -> Answer {
        self.was_interrupted = true;
        self.story.rest_at_next();
        with
    }

    /// Sets whether `:` opens a console.
    pub fn set_console(&mut self, there: bool) {
        self.has_console = there;
    }

    /// Shows why the run uses older mods than those on disk.
    pub fn set_stale(&mut self, why: Option<&str>) {
        self.stale =
            why.map(|why| text::strip_unprintable(&format!("stale: {why}"))).unwrap_or_default();
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
    pub fn has_open_page(&self) -> bool {
        self.overlay.is_some()
    }

    /// Submits an input: adds it to the story, and marks what follows as new.
    pub(super) fn record_answer(&mut self, input: Input) -> Input {
        self.story.start_step();
        self.story.push(StoryItem::Answer(self.active.prompt.describe_answer(&input)));
        input
    }
}

impl ActivePrompt {
    fn new(prompt: Prompt, view: View, sight: VisibleChoices) -> Self {
        let typed = match &prompt.ask {
            AnswerType::Number { default, .. } => default.to_string(),
            AnswerType::Text { default, .. } => text::strip_unprintable(default).replace('\n', " "),
            _ => String::new(),
        };
        let open = sight.choices.iter().position(|choice| choice.is_enabled());
        Self {
            // If no visible choice is open, the first submenu has the focus.
            focus: open.unwrap_or(if sight.submenus.is_empty() { 0 } else { sight.choices.len() }),
            visible: sight,
            prompt,
            view,
            marks: BTreeSet::new(),
            replaces_typed: true,
            focus_was_chosen: false,
            guards_take: false,
            none_was_confirmed: false,
            typed,
            notice: String::new(),
            unknown_key_was_reported: false,
            first_visible: 0,
            rows_per_column: 0,
            hit_areas: Vec::new(),
        }
    }

    /// Whether this is a host prompt, which can be left without an answer.
    pub(super) fn is_host_prompt(&self) -> bool {
        self.prompt.scene.starts_with(HOST_PREFIX)
    }

    /// The choice that goes back: that of a host prompt, or the one that the game marks with
    /// `back`.
    pub(super) fn back_choice(&self) -> Option<&str> {
        let there = |id: &&&str| self.prompt.choice(id).is_some();
        let hosts =
            BACK_IDS.iter().filter(|_| self.prompt.scene.starts_with(HOST_PREFIX)).find(there);
        let said = || self.prompt.choices.iter().find(|one| one.back && one.is_enabled());
        hosts.copied().or_else(|| said().map(|choice| &*choice.id))
    }

    /// The focused choice; `None` for a submenu and during a confirmation.
    pub(super) fn focused_choice(&self) -> Option<&Choice> {
        self.prompt.choices.get(self.focused_index()?)
    }

    /// Whether taking the focused choice needs a second press. It does if the focus was not moved
    /// and the choice has consequences: it rolls dice, the prompt has a way back and this is not
    /// it, or the key was pressed to read on and there is more than one choice.
    pub(super) fn needs_second_press(&self) -> bool {
        if self.prompt.ask != AnswerType::One
            || self.focus_was_chosen
            || self.prompt.scene.starts_with(HOST_PREFIX)
        {
            return false;
        }
        let Some(open) = self.focused_choice().filter(|choice| choice.is_enabled()) else {
            return false;
        };
        let several = || self.prompt.choices.iter().filter(|one| one.is_enabled()).count() > 1;
        let back = || !open.back && self.back_choice().is_some();
        open.odds.is_some() || back() || self.guards_take && several()
    }

    /// The index of the focused choice in the prompt.
    pub(super) fn focused_index(&self) -> Option<usize> {
        if matches!(self.visible.mode, PromptMode::Confirm(_)) {
            return None;
        }
        let only =
            || self.visible.submenus.get(self.visible.submenu_at(self.focus)?)?.single_choice;
        self.visible.prompt_indices.get(self.focus).copied().or_else(only)
    }

    /// Shows another part of the prompt.
    pub(super) fn set_mode(&mut self, open: PromptMode) {
        let left = self.visible.mode;
        self.focus_was_chosen = false;
        self.visible.set_mode(&self.prompt, open);
        self.first_visible = 0;
        self.focus = match left {
            PromptMode::Submenu(page) => self.visible.choices.len() + page,
            PromptMode::Confirm(choice) => {
                self.visible.prompt_indices.iter().position(|at| *at == choice).unwrap_or(0)
            }
            PromptMode::TopLevel => {
                let open = self.visible.choices.iter().position(|choice| choice.is_enabled());
                open.unwrap_or(0)
            }
        };
    }

    /// Whether a choice leads to a place of the map.
    pub(super) fn has_travel_choice(&self) -> bool {
        self.prompt.choices.iter().any(|choice| !choice.map_targets.is_empty())
    }

    /// Whether keys write text.
    pub(super) fn takes_text(&self) -> bool {
        matches!(self.prompt.ask, AnswerType::Text { .. })
    }
}
