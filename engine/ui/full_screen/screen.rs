//! The state of the full screen: the story, the prompt, the focus, the overlay. It knows no
//! terminal: keys come in, frames go out.

mod active_prompt;

use base::host_text;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use ratatui::layout::{Position, Rect};

use super::super::auto_travel::{self, AutoTravel};
use super::super::choice_keys::{AssignedKeys, ChoiceKeys};
use super::super::choice_layout::ChoiceLayout;
use super::super::form::{self, Form};
use super::super::preferences::Preferences;
use super::super::story_log::LogReader;
use super::keymap::Keymap;
use super::overlay::Overlay;
use super::palette::Palette;
use super::reading_state::ReadingState;
use super::story_pane::{StoryItem, StoryPane};
use super::theme::Theme;
use super::visible_choices::VisibleChoices;
use crate::frontend::Answer;
use crate::terms::ExplainedTerm;
use base::{Problem, text};
use protocol::{AcceptedInput, AnswerType, Prompt, StoryEntry, StoryEvent, View};

/// The state of the full screen between two keys.
pub struct Screen {
    pub(super) theme: Theme,
    pub(super) story: StoryPane,
    pub(super) active_prompt: ActivePrompt,
    pub(super) overlay: Option<Overlay>,
    /// Whether there is a console, and the line typed into it.
    pub(super) has_console: bool,
    pub(super) console_line: Option<String>,
    /// Why the run uses older mods than those on disk.
    pub(super) stale_mods_reason: String,
    /// Whether the prompt was interrupted and may come again.
    was_interrupted: bool,
    pub(super) keymap: Keymap,
    /// The keys before the player's overrides.
    default_keymap: Keymap,
    /// Whether the mouse is used.
    pub(super) mouse_enabled: bool,
    /// The keys assigned so far.
    pub(super) choice_keys: ChoiceKeys,
    /// The submenu from which the last answer was taken: it stays open while it offers anything.
    pub(super) open_submenu_id: String,
    /// Whether the last answer was given by a choice's own key.
    pub(super) last_answer_used_key: bool,
    /// The label of the run.
    pub(super) run_label: String,
    /// Whether answers can be undone.
    pub(super) can_undo: bool,
    /// The travel in progress.
    pub(super) auto_travel: Option<AutoTravel>,
    /// The form of the prompt, its focused row and that row's focused option.
    pub(super) form: Option<Form>,
    pub(super) focused_form_row: Option<usize>,
    pub(super) focused_row_option: usize,
    /// The terms that the game explains.
    pub(super) terms: Vec<ExplainedTerm>,
    /// Where the whole log is read from.
    log_reader: Option<LogReader>,
    /// The place and the width of the sheet, and how closely its lines stand there.
    pub(super) sheet_density: RefCell<((String, usize), usize)>,
    /// The cursor position of the last frame.
    pub(super) caret: Cell<Option<Position>>,
}

/// The prompt on the screen and the state of its answer.
pub(super) struct ActivePrompt {
    pub(super) prompt: Prompt,
    pub(super) view: View,
    /// The visible choices.
    pub(super) visible_choices: VisibleChoices,
    /// The focus: a visible choice, or after those a submenu.
    pub(super) focus: usize,
    /// The marked choices of a multiple choice.
    pub(super) selected_choices: BTreeSet<usize>,
    /// The number or text typed so far.
    pub(super) typed_text: String,
    /// Whether the next character replaces the typed text.
    pub(super) replaces_typed_text: bool,
    /// Whether the player moved or confirmed the focus.
    pub(super) focus_was_chosen: bool,
    /// Whether taking the focused choice needs a second press: because the key was pressed to read
    /// on, or because this player answers with the choices' own keys.
    pub(super) take_needs_second_press: bool,
    /// Whether choosing none was requested once already.
    pub(super) empty_answer_was_confirmed: bool,
    pub(super) reading_state: ReadingState,
    /// Whether the key of one of its choices opened the submenu.
    pub(super) opened_by_choice_key: bool,
    /// Why the last key did nothing.
    pub(super) notice: String,
    /// Whether an unused key was reported already.
    pub(super) unknown_key_was_reported: bool,
    /// The first visible choice, if not all are.
    pub(super) first_visible_choice: usize,
    /// The rows of a column, if two choices share a row; else 0.
    pub(super) rows_per_column: usize,
    /// Where each visible choice was drawn last.
    pub(super) choice_hit_areas: Vec<(Rect, usize)>,
}

impl Screen {
    /// An empty screen.
    pub fn new(theme: Theme) -> Self {
        let empty_prompt = Prompt {
            scene: String::new(),
            text: String::new(),
            answer_type: AnswerType::SingleChoice,
            choices: Vec::new(),
            repeats: false,
        };
        let active_prompt =
            ActivePrompt::new(empty_prompt, View::default(), VisibleChoices::default());
        Self {
            theme,
            story: StoryPane::default(),
            active_prompt,
            overlay: None,
            has_console: false,
            console_line: None,
            stale_mods_reason: String::new(),
            was_interrupted: false,
            keymap: Keymap::default(),
            default_keymap: Keymap::default(),
            mouse_enabled: false,
            choice_keys: ChoiceKeys::default(),
            open_submenu_id: String::new(),
            last_answer_used_key: false,
            run_label: String::new(),
            can_undo: false,
            auto_travel: None,
            form: None,
            focused_form_row: None,
            focused_row_option: 0,
            terms: Vec::new(),
            log_reader: None,
            sheet_density: RefCell::default(),
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
        self.theme.ascii_only = preferences.uses_ascii.unwrap_or(self.theme.ascii_only);
        self.mouse_enabled = preferences.uses_mouse.unwrap_or(true);
        self.keymap = self.default_keymap.with_overrides(&preferences.key_overrides).0;
    }

    /// Sets the label of the run, and whether answers can be undone.
    pub fn set_run_label(&mut self, words: &str, can_undo: bool) {
        self.run_label = text::strip_unprintable(words);
        self.can_undo = can_undo;
    }

    /// Begins a new story with its earlier entries.
    pub fn begin_story(&mut self, past: &[StoryEntry]) {
        self.story.restart(past);
    }

    /// Adds events.
    pub fn add_events(&mut self, events: &[StoryEvent]) {
        self.add_story(&StoryEntry::of_step(None, events.to_vec()));
    }

    /// Adds the story of a step.
    pub fn add_story(&mut self, story: &[StoryEntry]) {
        self.auto_travel.take_if(|_| {
            AutoTravel::is_ended_by_events(story.iter().filter_map(StoryEntry::event))
        });
        for entry in story {
            self.story.push(StoryItem::from(entry.clone()));
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
        let (rest, form) = form::split_off_form(prompt, view);
        let prompt = &rest;
        self.set_form(form, prompt.scene == self.active_prompt.prompt.scene);
        self.story.mark_seen();
        let was_interrupted = std::mem::take(&mut self.was_interrupted);
        if was_interrupted && self.active_prompt.prompt == *prompt {
            // The focus stays where it was.
            self.active_prompt.view = view.clone();
            return;
        }
        // A prompt with the same choices, as when a value is set step by step, keeps its focus.
        let ids = |prompt: &Prompt| -> Vec<String> {
            prompt.choices.iter().map(|choice| choice.id.clone()).collect()
        };
        let has_same_choices = prompt.scene == self.active_prompt.prompt.scene
            && ids(prompt) == ids(&self.active_prompt.prompt);
        let focus = self.active_prompt.focused_choice().map(|choice| choice.id.clone());
        let focus = focus.filter(|_| was_interrupted || has_same_choices);
        let focus_was_chosen = self.active_prompt.focus_was_chosen;
        let layout = ChoiceLayout::from_prompt(prompt);
        let assigned_keys = self.assign_keys(prompt, view, &layout);
        let visible_choices = VisibleChoices::new(prompt, layout, assigned_keys);
        let is_same_place = prompt.scene == self.active_prompt.prompt.scene
            && view.title == self.active_prompt.view.title;
        self.active_prompt = ActivePrompt::new(rest, view.clone(), visible_choices);
        let choices = &self.active_prompt.visible_choices.choices;
        let focus_index = choices.iter().position(|choice| Some(&choice.id) == focus.as_ref());
        let focus_index = focus_index.filter(|at| was_interrupted || choices[*at].is_enabled());
        self.active_prompt.focus = focus_index.unwrap_or(self.active_prompt.focus);
        // Taking the same choice again needs no second press, unless it rolls dice.
        let rolls_dice =
            self.active_prompt.focused_choice().is_some_and(|choice| choice.odds.is_some());
        self.active_prompt.focus_was_chosen =
            focus_was_chosen && focus_index.is_some() && !rolls_dice;
        self.active_prompt.take_needs_second_press = self.last_answer_used_key;
        self.overlay = None;
        let open_submenu_id = std::mem::take(&mut self.open_submenu_id);
        // Only of what can be left, as wares: elsewhere the list is wanted next.
        let can_be_left = self.active_prompt.back_choice_id().is_some();
        if is_same_place && can_be_left {
            self.active_prompt.open_submenu(&open_submenu_id);
        }
    }

    /// The id of the focused choice or submenu.
    pub fn focused_id(&self) -> Option<&str> {
        let active_prompt = &self.active_prompt;
        let page = || active_prompt.visible_choices.submenu_id(active_prompt.focus);
        let entry = || active_prompt.visible_choices.choices.get(active_prompt.focus);
        let back = || entry().map(|entry| &*entry.id).filter(|id| !id.is_empty());
        active_prompt.focused_choice().map(|choice| &*choice.id).or_else(page).or_else(back)
    }

    /// Assigns keys to a prompt; keys of actions stay reserved.
    fn assign_keys(&mut self, prompt: &Prompt, view: &View, layout: &ChoiceLayout) -> AssignedKeys {
        let keymap = &self.keymap;
        let is_free = |key| keymap.reserved_action(key).is_none();
        self.choice_keys.assign_keys(prompt, &view.title, layout, &is_free)
    }

    /// Sets where the whole log is read from.
    pub fn set_log_reader(&mut self, reader: Option<LogReader>) {
        self.log_reader = reader;
    }

    /// The log as a page.
    pub(super) fn log_page(&self) -> Overlay {
        let reader = self.log_reader.as_ref().filter(|_| self.story.is_truncated());
        Overlay::from_log(reader.map(|read| read().into_iter().map(StoryItem::from).collect()))
    }

    /// The keys of the choices, as text.
    pub fn saved_keys(&self) -> String {
        self.choice_keys.to_text()
    }

    /// Restores the keys of a run, so that every choice gets the key that it had.
    pub fn restore_keys(&mut self, run_id: &str, saved_keys: impl FnOnce() -> Option<String>) {
        self.choice_keys.restore(run_id, saved_keys);
    }

    /// Interrupts the prompt with something other than an answer. Its result is shown even if
    /// earlier text is unread.
    pub(super) fn interrupt_prompt(&mut self, answer: Answer) -> Answer {
        self.was_interrupted = true;
        self.story.show_next_entry_at_top();
        answer
    }

    /// Sets whether `:` opens a console.
    pub fn set_console(&mut self, has_console: bool) {
        self.has_console = has_console;
    }

    /// Shows why the run uses older mods than those on disk.
    pub fn set_stale_mods_reason(&mut self, why: Option<&str>) {
        self.stale_mods_reason = why
            .map(|why| text::strip_unprintable(&host_text!("stale: {why}", why = why)))
            .unwrap_or_default();
    }

    /// Opens a page over the screen.
    pub fn open_page(&mut self, page: &View) {
        self.overlay = Some(Overlay::from_page(page));
    }

    /// The cursor position, if text is being typed.
    pub fn caret(&self) -> Option<Position> {
        self.caret.get()
    }

    /// Whether a page is open.
    pub fn has_open_page(&self) -> bool {
        self.overlay.is_some()
    }

    /// Submits an input. What follows is new.
    pub(super) fn submit_accepted(&mut self, input: AcceptedInput) -> Answer {
        self.story.start_step();
        let open_submenu = self.active_prompt.visible_choices.open_submenu_id();
        self.open_submenu_id = open_submenu.unwrap_or_default().to_owned();
        Answer::Input(input)
    }
}
