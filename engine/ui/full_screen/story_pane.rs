//! The story pane: events and answers, wrapped once per width, and the visible part of them.

use base::host_text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::super::story_log::MAX_LOG_BYTES;
use super::super::text_wrap;
use super::folded_dice::FoldedDice;
use super::scroll_hint::{clear_rule, draw_scroll_hint};
use super::story_lines::{add_item_lines, follows_an_answer, item_lines};
use super::theme::{HORIZONTAL_LINE, Theme, styled_line};
use base::text;
use protocol::{StoryEntry, StoryEvent};

/// Text art is drawn in a pane of at least this many rows.
const MIN_ROWS_FOR_TEXT_ART: usize = 6;

/// An entry of the story.
pub(super) enum StoryItem {
    Event(StoryEvent),
    /// The player's answer.
    Answer(String),
    /// A Problem, as text.
    Problem(String),
}

impl StoryItem {
    /// About how many bytes it takes.
    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Event(event) => event.memory_bytes(),
                Self::Answer(words) | Self::Problem(words) => words.len(),
            }
    }
}

impl From<StoryEntry> for StoryItem {
    fn from(past: StoryEntry) -> Self {
        match past {
            StoryEntry::Event(event) => Self::Event(event),
            StoryEntry::Answer(words) => Self::Answer(words),
        }
    }
}

/// The entries since the story began.
#[derive(Default)]
pub(super) struct StoryPane {
    items: Vec<StoryItem>,
    /// The first entry of the newest step, where the pane rests if not all of it fits.
    first_item_of_newest_step: usize,
    /// The first entry that is not dimmed as old.
    first_undimmed_item: usize,
    /// Whether the next entry is where the pane rests.
    is_next_item_of_new_step: bool,
    /// Whether nothing has happened since the newest answer.
    is_next_item_of_answered_step: bool,
    /// The number of entries when the player was asked last.
    item_count_at_last_prompt: usize,
    /// The number of entries that were visible to their end.
    fully_visible_item_count: usize,
    /// The rows of the pane in the last frame.
    visible_rows: usize,
    /// Whether the newest step continues below the last frame, unread.
    has_unread: bool,
    /// The lines below the last frame.
    rows_below: usize,
    /// How many lines the player scrolled from the rest position; up is negative.
    scroll_offset: isize,
    lines: Vec<Line<'static>>,
    /// The first line of each entry.
    first_line_of_each_item: Vec<usize>,
    /// The width and theme for which lines were wrapped, and whether without text art.
    layout_inputs: Option<(usize, Theme, bool)>,
    /// Whether rolls have lines of their own; else they are marks in the sentences after them.
    shows_dice_lines: bool,
    /// Rolls before this entry are shown.
    first_roll_not_shown: usize,
    /// About how many bytes are held, and whether older entries were dropped.
    total_bytes: usize,
    is_truncated: bool,
}

impl StoryPane {
    /// Starts again with earlier entries. Problems that nobody can have seen yet are kept.
    pub(super) fn restart(&mut self, past: &[StoryEntry]) {
        let mut unseen_items =
            self.items.split_off(self.item_count_at_last_prompt.min(self.items.len()));
        unseen_items.retain(|told| matches!(told, StoryItem::Problem(_)));
        let shows_dice_lines = self.shows_dice_lines;
        *self = Self { shows_dice_lines, ..Self::default() };
        for told in past.iter().cloned().map(StoryItem::from) {
            self.first_item_of_newest_step = self.items.len();
            self.items.push(told);
            self.drop_oldest();
        }
        let is_heading =
            |told: &StoryItem| matches!(told, StoryItem::Event(StoryEvent::Heading { .. }));
        self.first_undimmed_item = self.items.iter().rposition(is_heading).unwrap_or(0);
        // Earlier entries were read before; the pane rests at its end.
        self.first_item_of_newest_step = self.items.len();
        self.fully_visible_item_count = self.items.len();
        self.items.append(&mut unseen_items);
    }

    /// The player is asked, so has seen all entries.
    pub(super) fn mark_seen(&mut self) {
        self.is_next_item_of_answered_step = false;
        self.item_count_at_last_prompt = self.items.len();
    }

    pub(super) fn push(&mut self, item: StoryItem) {
        if std::mem::take(&mut self.is_next_item_of_answered_step) {
            self.is_next_item_of_new_step = true;
            self.first_undimmed_item = self.items.len();
        }
        if std::mem::take(&mut self.is_next_item_of_new_step) {
            self.first_item_of_newest_step = self.items.len();
        }
        self.items.push(item);
        self.drop_oldest();
        self.scroll_offset = 0;
    }

    /// Everything is read, and an answer given. What happens next is new.
    pub(super) fn start_step(&mut self) {
        self.has_unread = false;
        self.fully_visible_item_count = self.items.len();
        self.scroll_offset = 0;
        self.is_next_item_of_answered_step = true;
    }

    /// The pane rests at the next entry; earlier ones are not dimmed.
    pub(super) fn show_next_entry_at_top(&mut self) {
        self.is_next_item_of_new_step = true;
    }

    /// Whether the newest step continued below the last frame.
    pub(super) fn has_unread(&self) -> bool {
        self.has_unread
    }

    /// Scrolls by pages, keeping two lines of overlap in a large pane.
    pub(super) fn scroll_pages(&mut self, pages: isize) {
        let overlap_rows = if self.visible_rows < MIN_ROWS_FOR_TEXT_ART { 0 } else { 2 };
        let page = isize::try_from(self.visible_rows.saturating_sub(overlap_rows).max(1))
            .unwrap_or(isize::MAX);
        self.scroll_offset = self.scroll_offset.saturating_add(pages.saturating_mul(page));
    }

    /// The lines below those of the last frame.
    pub(super) fn rows_below(&self) -> usize {
        self.rows_below
    }

    /// Whether all entries were visible to their ends.
    pub(super) fn is_read(&self) -> bool {
        self.fully_visible_item_count >= self.items.len()
    }

    /// Everything is read; the pane rests at its end.
    pub(super) fn mark_read(&mut self) {
        self.has_unread = false;
        self.fully_visible_item_count = self.items.len();
        self.scroll_offset = 0;
    }

    /// Scrolls by lines.
    pub(super) fn scroll_lines(&mut self, lines: isize) {
        self.scroll_offset = self.scroll_offset.saturating_add(lines);
    }

    /// The whole story, wrapped to a width.
    pub(super) fn all_lines(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        item_lines(&self.items, columns, theme)
    }

    /// Whether older entries were dropped.
    pub(super) fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Drops the oldest entries beyond the limit, half of them at once, because all lines are then
    /// wrapped again.
    fn drop_oldest(&mut self) {
        self.total_bytes += self.items.last().map_or(0, StoryItem::memory_bytes);
        if self.total_bytes <= MAX_LOG_BYTES {
            return;
        }
        let mut dropped_count = 0;
        // The newest step always stays.
        while self.total_bytes > MAX_LOG_BYTES / 2
            && dropped_count < self.first_item_of_newest_step.min(self.items.len())
        {
            self.total_bytes -= self.items[dropped_count].memory_bytes();
            dropped_count += 1;
        }
        self.is_truncated |= dropped_count > 0;
        self.items.drain(..dropped_count);
        for at in [
            &mut self.first_item_of_newest_step,
            &mut self.first_undimmed_item,
            &mut self.item_count_at_last_prompt,
            &mut self.fully_visible_item_count,
        ] {
            *at = at.saturating_sub(dropped_count);
        }
        if dropped_count > 0 {
            self.layout_inputs = None;
        }
    }

    fn wrap_items(&mut self, columns: usize, theme: Theme, strips_art: bool) {
        if self.layout_inputs != Some((columns, theme, strips_art)) {
            self.lines.clear();
            self.first_line_of_each_item.clear();
            self.layout_inputs = Some((columns, theme, strips_art));
            self.first_roll_not_shown = 0;
        }
        for at in self.first_line_of_each_item.len()..self.items.len() {
            self.first_line_of_each_item.push(self.lines.len());
            let dice = match self.shows_dice_lines {
                true => FoldedDice::Unfolded,
                false => FoldedDice::of_item(&self.items, at, &mut self.first_roll_not_shown),
            };
            let mark = match &dice {
                FoldedDice::Mark(mark) => mark.as_str(),
                FoldedDice::Unfolded => "",
                FoldedDice::ShownElsewhere => continue,
                FoldedDice::OwnLines(list) => {
                    let lines = text_wrap::wrap_lines(list, columns).into_iter();
                    self.lines.extend(lines.map(|line| styled_line(line, theme.quiet_style())));
                    continue;
                }
            };
            let context = (follows_an_answer(&self.items, at), mark);
            match &self.items[at] {
                StoryItem::Event(StoryEvent::Say { text }) if strips_art => {
                    let words = text_wrap::strip_text_art(text);
                    if !words.is_empty() || text.is_empty() {
                        let item = StoryItem::Event(StoryEvent::Say { text: words });
                        add_item_lines(&mut self.lines, &item, context, columns, theme);
                    }
                }
                told => add_item_lines(&mut self.lines, told, context, columns, theme),
            }
        }
    }

    /// Shows rolls in full, or as short marks.
    pub(super) fn toggle_dice_lines(&mut self) {
        self.shows_dice_lines = !self.shows_dice_lines;
        self.layout_inputs = None;
    }

    /// The line where the pane rests if not all of the newest step fits: its beginning; without the
    /// answer that led there if the step is too long.
    fn default_scroll_line(&self, height: usize) -> usize {
        let all = self.lines.len();
        let start = |at: usize| self.first_line_of_each_item.get(at).copied().unwrap_or(all);
        let answers = self.items.iter().skip(self.first_item_of_newest_step);
        let answers = answers.take_while(|told| matches!(told, StoryItem::Answer(_))).count();
        let fits = start(self.first_item_of_newest_step) + height >= all;
        start(if fits {
            self.first_item_of_newest_step
        } else {
            self.first_item_of_newest_step + answers
        })
    }

    /// The lines of the newest step at a width, without its answer.
    pub(super) fn newest_step_rows(&mut self, columns: usize, theme: Theme) -> usize {
        let wrapped = self.layout_inputs.filter(|(at, of, _)| (*at, *of) == (columns, theme));
        self.wrap_items(columns, theme, wrapped.is_some_and(|(_, _, strips_art)| strips_art));
        self.lines.len() - self.default_scroll_line(0)
    }

    /// Draws the visible part. At rest this is the end of the story, or the beginning of the newest
    /// step with a hint that there is more below.
    pub(super) fn draw(&mut self, area: Rect, buf: &mut Buffer, theme: Theme, scroll_key: &str) {
        let height = usize::from(area.height);
        if area.width < 2 || height == 0 {
            return;
        }
        // With few rows, text art would fill the pane.
        self.wrap_items(usize::from(area.width), theme, height < MIN_ROWS_FOR_TEXT_ART);
        let line_count = self.lines.len();
        let newest_line = self.default_scroll_line(height);
        let first_undimmed_line = self
            .first_line_of_each_item
            .get(self.first_undimmed_item)
            .copied()
            .unwrap_or(line_count);
        self.visible_rows = height;
        let last = line_count.saturating_sub(height);
        // An empty line before the newest step is not worth a row at the top.
        let starts_with_empty_line =
            self.lines.get(newest_line).is_some_and(|line| line.width() == 0);
        let all_read = self.fully_visible_item_count >= self.items.len();
        let rest_top = if all_read {
            last
        } else {
            last.min(newest_line + usize::from(starts_with_empty_line))
        };
        let top = rest_top.saturating_add_signed(self.scroll_offset).min(last);
        self.scroll_offset = top as isize - rest_top as isize;
        for (row, line) in self.lines[top..].iter().take(height).enumerate() {
            let y = area.y + row as u16;
            buf.set_line(area.x, y, line, area.width);
            if top + row < first_undimmed_line {
                let dim = Rect { y, height: 1, ..area };
                buf.set_style(dim, theme.quiet_style());
            }
        }
        if top > 0 && self.scroll_offset < 0 {
            let words = host_text!(" {count} more above ", count = top);
            draw_scroll_hint(area, area.y, buf, theme, &words);
        }
        let below = line_count - (top + height).min(line_count);
        self.rows_below = below;
        // Scrolling back leaves nothing unread.
        self.has_unread = below > 0 && self.scroll_offset >= 0;
        let ends = self.first_line_of_each_item.iter().skip(1).copied().chain([line_count]);
        self.fully_visible_item_count =
            self.fully_visible_item_count.max(ends.take_while(|end| *end <= top + height).count());
        // The hint stands on the rule below the story, or else on its last line.
        let has_rule_below =
            buf.cell((area.x, area.bottom())).is_some_and(|cell| cell.symbol() == HORIZONTAL_LINE);
        if below > 0 {
            let (y, below) = if has_rule_below {
                (area.bottom(), below)
            } else {
                (area.bottom() - 1, below + 1)
            };
            let words = match self.has_unread {
                true => host_text!(
                    " {count} more below: {key} reads on ",
                    count = below,
                    key = scroll_key
                ),
                false => host_text!(" {count} more below: {key} ", count = below, key = scroll_key),
            };
            let words = text_wrap::truncate(&words, usize::from(area.width));
            if has_rule_below {
                clear_rule(buf, area.x, y, text::display_width(&words), theme);
                buf.set_stringn(area.x, y, &words, usize::from(area.width), theme.overlay_style());
            } else {
                draw_scroll_hint(area, y, buf, theme, &words);
            }
        }
    }
}
