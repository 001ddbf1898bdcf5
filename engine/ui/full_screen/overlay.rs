//! A page over the screen until it is closed: the log, the sheet, the map, cards, help.

mod content_lines;
mod footer;

use base::host_text;
use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::super::{display_text, text_wrap};
use super::key_hint::KeyHint;
use super::keymap::{KeyAction, Keymap};
use super::map_page::{MapKeyResult, MapPage};
use super::story_pane::{StoryItem, StoryPane};
use super::theme::{Theme, styled_line};
use base::text;
use protocol::view::Card;
use protocol::{Prompt, View};

/// The widest line, because long lines are hard to read.
const MAX_LINE_COLUMNS: usize = 100;
/// The most characters of a search.
const MAX_SEARCH_CHARS: usize = 60;

/// A page over the screen.
pub(super) struct Overlay {
    title: String,
    content: OverlayContent,
    top_line: usize,
    lines: Vec<Line<'static>>,
    layout_inputs: Option<(usize, Theme)>,
    visible_rows: usize,
    /// The search text being typed.
    search_input: Option<String>,
    /// The search text.
    search_text: String,
    /// The line of the match.
    match_line: Option<usize>,
    /// Why the last key did nothing.
    notice: String,
    /// Whether the help key opens the terms.
    pub(super) leads_to_terms: bool,
}

enum OverlayContent {
    View(View),
    Map(MapPage),
    /// Cards, the index of the current one, and whether the list of names is shown.
    Cards(Vec<(String, Card)>, usize, bool),
    /// The log read from the journal, if the story does not hold all of it.
    Log(Option<Vec<StoryItem>>),
    Help(Vec<(String, String)>),
}

impl Overlay {
    fn new(title: &str, content: OverlayContent) -> Self {
        Self {
            title: title.to_owned(),
            content,
            top_line: 0,
            lines: Vec::new(),
            layout_inputs: None,
            visible_rows: 1,
            search_input: None,
            search_text: String::new(),
            match_line: None,
            notice: String::new(),
            leads_to_terms: false,
        }
    }

    /// A page of the game or the host, or all widgets of a view.
    pub(super) fn from_page(page: &View) -> Self {
        Self::new(
            &display_text::markup_on_one_line(&page.title),
            OverlayContent::View(page.clone()),
        )
    }

    /// The maps of a view; `None` if it has none.
    pub(super) fn from_map(prompt: &Prompt, view: &View) -> Option<Self> {
        Some(Self::new("", OverlayContent::Map(MapPage::from_view(prompt, view)?)))
    }

    /// Cards, starting at one of them; as a list if there are several.
    pub(super) fn from_cards(cards: Vec<(String, Card)>, at: usize) -> Self {
        let is_list = cards.len() > 1;
        Self::new("", OverlayContent::Cards(cards, at, is_list))
    }

    /// The log, scrolled to its end: from the story, or as it was read from the journal.
    pub(super) fn from_log(journal_entries: Option<Vec<StoryItem>>) -> Self {
        Self {
            top_line: usize::MAX,
            ..Self::new(&host_text!("Log"), OverlayContent::Log(journal_entries))
        }
    }

    /// The keys that work now.
    pub(super) fn from_key_hints(hints: &[KeyHint]) -> Self {
        let hints = hints.iter().map(|hint| (hint.all_keys.clone(), hint.label.clone())).collect();
        Self::new(&host_text!("Keys that work now"), OverlayContent::Help(hints))
    }

    /// Rows of a name and its meaning.
    pub(super) fn from_rows(title: &str, rows: Vec<(String, String)>) -> Self {
        Self::new(title, OverlayContent::Help(rows))
    }

    /// The help key opens the terms instead of closing the page.
    pub(super) fn with_terms_behind(self) -> Self {
        Self { leads_to_terms: true, ..self }
    }

    /// Starts a search.
    pub(super) fn with_search_input(mut self) -> Self {
        self.search_input = Some(String::new());
        self
    }

    /// Handles a key on the map page; `None` if another page is open.
    pub(super) fn press_map_key(&mut self, code: KeyCode, keymap: &Keymap) -> Option<MapKeyResult> {
        match &mut self.content {
            OverlayContent::Map(atlas) => Some(atlas.press_key(code, keymap)),
            _ => None,
        }
    }

    /// Handles a key; returns whether the page closes.
    pub(super) fn press_key(&mut self, code: KeyCode, keymap: &Keymap) -> bool {
        if self.search_input.is_some() {
            self.press_search_key(code);
            return false;
        }
        let action = keymap.action_of_key(code);
        self.notice = keymap.unused_key_notice(code).unwrap_or_default();
        if let OverlayContent::Cards(cards, at, listed) = &mut self.content
            && cards.len() > 1
        {
            let last = cards.len() - 1;
            match action {
                Some(KeyAction::Close) if !*listed => *listed = true,
                _ if !*listed => return self.press_page_key(action),
                Some(KeyAction::Down) => *at = if *at == last { 0 } else { *at + 1 },
                Some(KeyAction::Up) => *at = if *at == 0 { last } else { *at - 1 },
                Some(KeyAction::FocusFirst) => *at = 0,
                Some(KeyAction::FocusLast) => *at = last,
                Some(KeyAction::TakeChoice | KeyAction::Examine | KeyAction::Right) => {
                    *listed = false
                }
                Some(
                    KeyAction::Close
                    | KeyAction::Sheet
                    | KeyAction::Map
                    | KeyAction::Log
                    | KeyAction::Help,
                ) => {
                    return true;
                }
                _ => {}
            }
            self.layout_inputs = None;
            self.top_line = if *listed { at.saturating_sub(self.visible_rows / 2) } else { 0 };
            return false;
        }
        self.press_page_key(action)
    }

    fn press_page_key(&mut self, action: Option<KeyAction>) -> bool {
        let page = self.visible_rows.saturating_sub(1).max(1);
        match action {
            Some(KeyAction::Down) => self.top_line = self.top_line.saturating_add(1),
            Some(KeyAction::Up) => self.top_line = self.top_line.saturating_sub(1),
            Some(KeyAction::PageDown | KeyAction::ToggleMark) => {
                self.top_line = self.top_line.saturating_add(page)
            }
            // As in the story: it reads on, and takes only what was read to the end.
            Some(KeyAction::TakeChoice) if self.lines_below() > 0 => {
                self.top_line = self.top_line.saturating_add(page)
            }
            Some(KeyAction::PageUp) => self.top_line = self.top_line.saturating_sub(page),
            Some(KeyAction::FocusFirst) => self.top_line = 0,
            Some(KeyAction::FocusLast) => self.top_line = usize::MAX,
            Some(KeyAction::Search) => self.search_input = Some(String::new()),
            Some(KeyAction::NextMatch) => self.find_previous_match(),
            Some(KeyAction::Examine | KeyAction::Right) => return self.show_next_card(1),
            Some(KeyAction::Left) => return self.show_next_card(-1),
            Some(
                KeyAction::Close
                | KeyAction::TakeChoice
                | KeyAction::Sheet
                | KeyAction::Map
                | KeyAction::Log
                | KeyAction::Help,
            ) => {
                return true;
            }
            _ => {}
        }
        false
    }

    /// Scrolls by lines, for the mouse wheel.
    pub(super) fn scroll(&mut self, lines: isize) {
        if let OverlayContent::Map(atlas) = &mut self.content {
            return atlas.scroll(lines);
        }
        self.top_line = self.top_line.saturating_add_signed(lines);
    }

    /// Shows the next or previous card; other pages close.
    fn show_next_card(&mut self, by: isize) -> bool {
        let OverlayContent::Cards(cards, at, _) = &mut self.content else {
            return by > 0 && !self.is_log();
        };
        let count = cards.len().max(1) as isize;
        *at = (*at as isize + by).rem_euclid(count) as usize;
        self.top_line = 0;
        self.layout_inputs = None;
        false
    }

    /// The number of lines below the visible ones.
    fn lines_below(&self) -> usize {
        self.lines.len().saturating_sub(self.top_line.saturating_add(self.visible_rows))
    }

    fn is_log(&self) -> bool {
        matches!(self.content, OverlayContent::Log(_))
    }

    /// Inserts pasted text into the search input.
    pub(super) fn paste_into_search(&mut self, keys: impl Iterator<Item = KeyCode>) {
        keys.for_each(|key| self.press_search_key(key));
    }

    /// The cursor position while a search is typed.
    pub(super) fn caret(&self, area: Rect) -> Option<Position> {
        let typed = self.search_input.as_ref()?;
        let x = area.x + text::display_width(&footer::search_input_text(typed)) as u16;
        (area.height > 2).then(|| Position { x: x.min(area.right() - 1), y: area.bottom() - 1 })
    }

    fn press_search_key(&mut self, code: KeyCode) {
        let Some(typed) = &mut self.search_input else { return };
        let has_room = typed.chars().count() < MAX_SEARCH_CHARS;
        match code {
            KeyCode::Backspace => drop(typed.pop()),
            KeyCode::Char(c) if text::is_printable(c) && c != '\n' && has_room => typed.push(c),
            KeyCode::Enter => {
                self.search_text = std::mem::take(typed).to_lowercase();
                self.search_input = None;
                self.match_line = None;
                // The newest match comes first.
                self.find_previous_match();
            }
            KeyCode::Esc => self.search_input = None,
            _ => {}
        }
    }

    /// Goes to the next match upwards, and from the first to the last.
    fn find_previous_match(&mut self) {
        if self.search_text.is_empty() {
            return;
        }
        let matches_search =
            |line: &Line<'_>| line_text(line).to_lowercase().contains(&self.search_text);
        let matching_lines: Vec<usize> = self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| matches_search(line))
            .map(|(at, _)| at)
            .collect();
        let above =
            self.match_line.and_then(|found| matching_lines.iter().rev().find(|at| **at < found));
        self.match_line = above.or(matching_lines.last()).copied();
        if let Some(found) = self.match_line {
            self.top_line = found.saturating_sub(self.visible_rows / 2);
        }
    }

    fn heading(&self) -> String {
        match &self.content {
            OverlayContent::Cards(_, _, true) => host_text!("Things to examine"),
            OverlayContent::Cards(cards, at, false) => {
                cards.get(*at).map_or(String::new(), |(name, card)| {
                    let title = display_text::markup_on_one_line(&card.title);
                    if title.is_empty() { name.clone() } else { title }
                })
            }
            _ => self.title.clone(),
        }
    }

    pub(super) fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        story: &StoryPane,
        theme: Theme,
        keymap: &Keymap,
    ) {
        if let OverlayContent::Map(atlas) = &mut self.content {
            return atlas.draw(area, buf, theme, keymap);
        }
        let columns = usize::from(area.width).saturating_sub(2).clamp(1, MAX_LINE_COLUMNS);
        if self.layout_inputs != Some((columns, theme)) {
            self.lines = self.content.lines(columns, story, theme);
            self.layout_inputs = Some((columns, theme));
            self.match_line = None;
        }
        let head = u16::from(area.height > 3);
        let foot = u16::from(area.height > 2);
        self.visible_rows = usize::from(area.height - head - foot);
        self.top_line = self.top_line.min(self.lines.len().saturating_sub(self.visible_rows));
        if head == 1 {
            let title = text_wrap::truncate(&self.heading(), columns);
            buf.set_line(
                area.x + 1,
                area.y,
                &styled_line(title, theme.heading_style()),
                area.width - 1,
            );
        }
        for (row, line) in self.lines[self.top_line..].iter().take(self.visible_rows).enumerate() {
            let y = area.y + head + row as u16;
            buf.set_line(area.x + 1, y, line, area.width.max(1) - 1);
            if self.match_line == Some(self.top_line + row) {
                buf.set_line(area.x, y, &styled_line(">", theme.strong_style()), 1);
                buf.set_style(Rect { y, height: 1, ..area }, theme.strong_style());
            }
        }
        if foot == 1 {
            let foot = self.footer(keymap, usize::from(area.width));
            buf.set_line(
                area.x,
                area.bottom() - 1,
                &styled_line(foot, theme.quiet_style()),
                area.width,
            );
        }
    }
}

fn line_text(line: &Line<'_>) -> String {
    line.spans.iter().map(|span| span.content.as_ref()).collect()
}
