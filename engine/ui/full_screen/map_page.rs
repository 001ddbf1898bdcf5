//! The map as a page of its own. Arrow keys move the focus from place to place; the page scrolls
//! with it, and Enter starts a travel to the focused place.

use base::host_texts::translate_host_text;
use base::{host_text, host_text_id};
use std::collections::BTreeSet;

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::super::{auto_travel, display_text, text_wrap};
use super::keymap::{KeyAction, Keymap};
use super::map_drawing::{self, DrawnPlace, MapDrawing, map_legend};
use super::theme::{Theme, styled_line};
use base::text;
use protocol::view::{MapEdge, MapNode, Widget};
use protocol::{Prompt, View};

/// The columns that the title keeps beside the legend.
const MIN_TITLE_COLUMNS: usize = 24;

/// A map page over the screen.
pub(super) struct MapPage {
    title: String,
    maps: Vec<(String, Vec<MapNode>, Vec<MapEdge>)>,
    /// The focused place, by its number across all maps.
    focused_index: usize,
    reachable_place_ids: BTreeSet<String>,
    drawing: MapDrawing,
    layout_inputs: Option<(usize, Theme)>,
    /// The first visible row and column, and the number of visible rows.
    first_row: usize,
    first_column: usize,
    visible_rows: usize,
    /// Why the last key did nothing.
    notice: String,
}

/// The result of a key on the map page.
pub(super) enum MapKeyResult {
    StayOpen,
    Close,
    /// Travel to this place.
    TravelTo(String),
}

impl MapPage {
    /// The maps of a view; `None` if it has none.
    pub(super) fn from_view(prompt: &Prompt, view: &View) -> Option<Self> {
        let maps = view.widgets.iter().filter_map(|placed| match &placed.widget {
            Widget::Map { label, nodes, edges } => {
                Some((display_text::markup_on_one_line(label), nodes.clone(), edges.clone()))
            }
            _ => None,
        });
        let maps: Vec<_> = maps.collect();
        let at = maps.iter().flat_map(|(_, nodes, _)| nodes).position(|node| node.is_current);
        (!maps.is_empty()).then(|| Self {
            title: display_text::markup_on_one_line(&view.title),
            maps,
            focused_index: at.unwrap_or(0),
            reachable_place_ids: auto_travel::reachable_places(prompt, view)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            drawing: MapDrawing::default(),
            layout_inputs: None,
            first_row: 0,
            first_column: 0,
            visible_rows: 1,
            notice: String::new(),
        })
    }

    fn focused_node(&self) -> Option<&MapNode> {
        self.maps.iter().flat_map(|(_, nodes, _)| nodes).nth(self.focused_index)
    }

    pub(super) fn press_key(&mut self, code: KeyCode, keymap: &Keymap) -> MapKeyResult {
        let page = self.visible_rows.saturating_sub(1).max(1) as isize;
        self.notice.clear();
        match keymap.action_of_key(code) {
            Some(KeyAction::Down) => self.move_focus(1, 0),
            Some(KeyAction::Up) => self.move_focus(-1, 0),
            Some(KeyAction::Right) => self.move_focus(0, 1),
            Some(KeyAction::Left) => self.move_focus(0, -1),
            Some(KeyAction::PageDown | KeyAction::ToggleMark) => self.move_focus_by_rows(page),
            Some(KeyAction::PageUp) => self.move_focus_by_rows(-page),
            Some(KeyAction::FocusFirst) => self.move_focus_by_rows(isize::MIN / 2),
            Some(KeyAction::FocusLast) => self.move_focus_by_rows(isize::MAX / 2),
            Some(KeyAction::TakeChoice) => match self.focused_node() {
                Some(node) if self.reachable_place_ids.contains(&node.id) => {
                    return MapKeyResult::TravelTo(node.id.clone());
                }
                Some(node) if node.is_current => self.notice = host_text!("You are here"),
                _ => self.notice = host_text!("No known path leads there now"),
            },
            Some(KeyAction::Close | KeyAction::Map | KeyAction::Sheet) => {
                return MapKeyResult::Close;
            }
            _ => self.notice = keymap.unused_key_notice(code).unwrap_or_default(),
        }
        MapKeyResult::StayOpen
    }

    /// Scrolls by lines, for the mouse wheel.
    pub(super) fn scroll(&mut self, lines: isize) {
        self.move_focus_by_rows(lines);
    }

    fn focused_place(&self) -> Option<DrawnPlace> {
        self.drawing.places.iter().find(|spot| spot.place_index == self.focused_index).copied()
    }

    /// Moves to the nearest place in a direction. Up and down prefer the nearest row; left and
    /// right stay in the row.
    fn move_focus(&mut self, down: isize, right: isize) {
        let Some(from) = self.focused_place() else { return };
        let distance = |spot: &&DrawnPlace| {
            let rows = spot.row as isize - from.row as isize;
            let columns = spot.column as isize - from.column as isize;
            let (ahead, sideways) = if down != 0 {
                (rows * down, columns.abs())
            } else {
                (columns * right, rows.abs())
            };
            (ahead, sideways)
        };
        let ahead = self.drawing.places.iter().filter(|spot| distance(spot).0 > 0);
        let best = match down {
            0 => ahead.min_by_key(|spot| (distance(spot).1, distance(spot).0)),
            _ => ahead.min_by_key(|spot| distance(spot)),
        };
        // A place in another row is not a neighbour to the left or right.
        let best = best.filter(|spot| down != 0 || spot.row == from.row);
        self.focused_index = best.map_or(self.focused_index, |spot| spot.place_index);
    }

    /// Moves to the place nearest to so many rows further.
    fn move_focus_by_rows(&mut self, rows: isize) {
        let Some(from) = self.focused_place() else { return };
        let wanted = (from.row as isize).saturating_add(rows).max(0);
        let best = self.drawing.places.iter().min_by_key(|spot| {
            let rows = (spot.row as isize).abs_diff(wanted);
            (rows, spot.column.abs_diff(from.column))
        });
        self.focused_index = best.map_or(self.focused_index, |spot| spot.place_index);
    }

    /// Draws the maps one below the other, once per width.
    fn lay_out_maps(&mut self, columns: usize, theme: Theme) {
        if self.layout_inputs == Some((columns, theme)) {
            return;
        }
        self.layout_inputs = Some((columns, theme));
        let (mut all, mut first) = (MapDrawing::default(), 0);
        for (label, nodes, edges) in &self.maps {
            if self.maps.len() > 1 {
                all.lines
                    .push(styled_line(text_wrap::truncate(label, columns), theme.strong_style()));
            }
            let row = all.lines.len();
            let drawing = map_drawing::draw_map(nodes, edges, columns, theme);
            all.places.extend(drawing.places.into_iter().map(|spot| DrawnPlace {
                place_index: spot.place_index + first,
                row: spot.row + row,
                ..spot
            }));
            all.lines.extend(drawing.lines);
            first += nodes.len();
        }
        self.drawing = all;
    }

    pub(super) fn draw(&mut self, area: Rect, buf: &mut Buffer, theme: Theme, keymap: &Keymap) {
        let columns = usize::from(area.width).saturating_sub(2).max(1);
        self.lay_out_maps(columns, theme);
        let (head, foot) = (u16::from(area.height > 3), u16::from(area.height > 2));
        self.visible_rows = usize::from(area.height - head - foot);
        // Draws at full width first, because lines must be cut at cells, not at characters.
        let width = self.drawing.lines.iter().map(Line::width).max().unwrap_or(0).max(columns);
        self.scroll_to_focus(columns, width);
        if head == 1 {
            let label = self.maps.first().map(|(label, ..)| label.as_str()).unwrap_or_default();
            let map_legend = map_legend();
            let title = format!("{}: {label}", self.title);
            let title_columns = columns.saturating_sub(text::display_width(&map_legend) + 3);
            if title_columns >= MIN_TITLE_COLUMNS {
                let mut title = text_wrap::truncate(&title, title_columns);
                let gap = title_columns + 3 - text::display_width(&title);
                title.push_str(&" ".repeat(gap));
                let spans = [
                    Span::styled(title, theme.heading_style()),
                    Span::styled(map_legend.clone(), theme.quiet_style()),
                ];
                buf.set_line(area.x + 1, area.y, &Line::from(spans.to_vec()), area.width - 1);
            } else {
                let title = text_wrap::truncate(&title, columns);
                buf.set_line(
                    area.x + 1,
                    area.y,
                    &styled_line(title, theme.heading_style()),
                    area.width - 1,
                );
            }
        }
        let inner = Rect {
            x: area.x + 1,
            y: area.y + head,
            width: columns as u16,
            height: self.visible_rows as u16,
        };
        let canvas = Rect::new(0, 0, width.min(usize::from(u16::MAX)) as u16, inner.height);
        let mut canvas_buffer = Buffer::empty(canvas);
        canvas_buffer.set_style(canvas, theme.background_style());
        for (row, line) in
            self.drawing.lines.iter().skip(self.first_row).take(self.visible_rows).enumerate()
        {
            canvas_buffer.set_line(0, row as u16, line, canvas.width);
        }
        if let Some(spot) = self.focused_place().filter(|spot| spot.row >= self.first_row) {
            let row = (spot.row - self.first_row) as u16;
            let (x, width) = (spot.column as u16, spot.first_line_columns as u16);
            if row < canvas.height && x < canvas.width {
                let width = width.min(canvas.width - x);
                canvas_buffer.set_style(Rect::new(x, row, width, 1), Modifier::REVERSED);
            }
        }
        self.hide_partial_names(&mut canvas_buffer, columns);
        for y in 0..inner.height {
            for x in 0..inner.width {
                if let Some(cell) = canvas_buffer.cell((self.first_column as u16 + x, y))
                    && let Some(shown) = buf.cell_mut((inner.x + x, inner.y + y))
                {
                    *shown = cell.clone();
                }
            }
        }
        if foot == 1 {
            let foot = self.footer(keymap, width, columns);
            buf.set_line(
                area.x,
                area.bottom() - 1,
                &styled_line(foot, theme.quiet_style()),
                area.width,
            );
        }
    }

    /// Scrolls so that the focused place is visible, with some rows and columns around it.
    fn scroll_to_focus(&mut self, columns: usize, width: usize) {
        let Some(spot) = self.focused_place() else { return };
        let margin = (self.visible_rows / 4).min(4);
        let most = self.drawing.lines.len().saturating_sub(self.visible_rows);
        let last = (spot.row + margin + 1).saturating_sub(self.visible_rows);
        self.first_row = self.first_row.max(last).min(spot.row.saturating_sub(margin)).min(most);
        let last = (spot.column + spot.columns_per_place).saturating_sub(columns);
        let most = width.saturating_sub(columns);
        self.first_column = self.first_column.max(last).min(spot.column).min(most);
        // A place at the left edge is shown in full.
        let place_columns = self.drawing.places.iter().map(|spot| spot.column);
        let fully_visible_starts =
            place_columns.filter(|column| (last..=spot.column).contains(column));
        let nearest = fully_visible_starts.min_by_key(|column| column.abs_diff(self.first_column));
        self.first_column = if most == 0 { 0 } else { nearest.unwrap_or(self.first_column) };
    }

    /// Replaces each partly visible name by an ellipsis.
    fn hide_partial_names(&self, drawn: &mut Buffer, columns: usize) {
        let visible_columns = self.first_column..self.first_column + columns;
        for spot in &self.drawing.places {
            let (from, to) = (spot.column, spot.column + spot.text_columns);
            let is_partly_visible = from < visible_columns.end && to > visible_columns.start;
            if !is_partly_visible || (visible_columns.contains(&from) && to <= visible_columns.end)
            {
                continue;
            }
            for row in spot.row..spot.row + spot.text_rows {
                let Some(y) = row.checked_sub(self.first_row).filter(|y| *y < self.visible_rows)
                else {
                    continue;
                };
                for x in from.max(visible_columns.start)..to.min(visible_columns.end) {
                    if let Some(cell) = drawn.cell_mut((x as u16, y as u16)) {
                        cell.set_symbol(" ");
                    }
                }
                let at = from.max(visible_columns.start) as u16;
                if let Some(cell) = drawn.cell_mut((at, y as u16)).filter(|_| row == spot.row) {
                    cell.set_symbol("…");
                }
            }
        }
    }

    /// The keys of this page, and how much is beyond the edges.
    fn footer(&self, keymap: &Keymap, width: usize, columns: usize) -> String {
        let mut words = vec![host_text!("{key} back", key = keymap.key_text(KeyAction::Close))];
        if !self.notice.is_empty() {
            words.push(self.notice.clone());
        } else if self
            .focused_node()
            .is_some_and(|node| self.reachable_place_ids.contains(&node.id))
        {
            words.push(host_text!("{key} go there", key = keymap.key_text(KeyAction::TakeChoice)));
        }
        let keys = [KeyAction::Up, KeyAction::Down, KeyAction::Left, KeyAction::Right];
        let keys = keys.map(|action| keymap.key_text(action));
        let others = host_text!("{keys} move", keys = keys.join("/"));
        let below = self.drawing.lines.len().saturating_sub(self.first_row + self.visible_rows);
        let hidden_at_right = width.saturating_sub(self.first_column + columns);
        let mut beyond = Vec::new();
        for (count, side) in [
            (self.first_row, host_text_id!("{count} above")),
            (below, host_text_id!("{count} below")),
            (self.first_column, host_text_id!("{count} left")),
            (hidden_at_right, host_text_id!("{count} right")),
        ] {
            if count > 0 {
                beyond.push(translate_host_text(side, &[("count", &count)]));
            }
        }
        let beyond = if beyond.is_empty() { None } else { Some(beyond.join(", ")) };
        let all: Vec<String> =
            words.iter().cloned().chain(beyond.clone()).chain([others]).collect();
        let without_keys: Vec<String> = words.iter().cloned().chain(beyond).collect();
        let lines = [all, without_keys, words].map(|words| format!(" {}", words.join("   ")));
        let fits = lines.iter().find(|line| text::display_width(line) <= columns);
        fits.cloned().unwrap_or_else(|| text_wrap::truncate(&lines[2], columns))
    }
}
