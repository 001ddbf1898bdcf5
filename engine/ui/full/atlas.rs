//! The map as a page of its own. Arrow keys move the focus from place to place; the page scrolls
//! with it, and Enter starts a travel to the focused place.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::super::{errand, facts, wrap};
use super::keymap::{Action, Keymap};
use super::map::{self, Chart, LEGEND, Spot};
use super::theme::{Theme, styled};
use crate::kit::text;
use crate::play::view::{Edge, Node, Widget};
use crate::play::{Prompt, View};

/// A map page over the screen.
pub(super) struct Atlas {
    title: String,
    maps: Vec<(String, Vec<Node>, Vec<Edge>)>,
    /// The focused place, by its number across all maps.
    at: usize,
    reach: BTreeSet<String>,
    chart: Chart,
    drawn_for: Option<(usize, Theme)>,
    /// The first visible row and column, and the number of visible rows.
    top: usize,
    pan: usize,
    height: usize,
    /// Why the last key did nothing.
    said: String,
}

/// The result of a key on the map page.
pub(super) enum Turned {
    Stays,
    Closes,
    /// Travel to this place.
    Goes(String),
}

impl Atlas {
    /// The maps of a view; `None` if it has none.
    pub(super) fn of(prompt: &Prompt, view: &View) -> Option<Self> {
        let maps = view.widgets.iter().filter_map(|placed| match &placed.widget {
            Widget::Map { label, nodes, edges } => {
                Some((facts::line(label), nodes.clone(), edges.clone()))
            }
            _ => None,
        });
        let maps: Vec<_> = maps.collect();
        let at = maps.iter().flat_map(|(_, nodes, _)| nodes).position(|node| node.here);
        (!maps.is_empty()).then(|| Self {
            title: facts::line(&view.title),
            maps,
            at: at.unwrap_or(0),
            reach: errand::within_reach(prompt, view).into_iter().map(str::to_owned).collect(),
            chart: Chart::default(),
            drawn_for: None,
            top: 0,
            pan: 0,
            height: 1,
            said: String::new(),
        })
    }

    fn node(&self) -> Option<&Node> {
        self.maps.iter().flat_map(|(_, nodes, _)| nodes).nth(self.at)
    }

    pub(super) fn press(&mut self, code: KeyCode, keymap: &Keymap) -> Turned {
        let page = self.height.saturating_sub(1).max(1) as isize;
        self.said.clear();
        match keymap.action(code) {
            Some(Action::Down) => self.step(1, 0),
            Some(Action::Up) => self.step(-1, 0),
            Some(Action::Right) => self.step(0, 1),
            Some(Action::Left) => self.step(0, -1),
            Some(Action::PageDown | Action::Mark) => self.leap(page),
            Some(Action::PageUp) => self.leap(-page),
            Some(Action::First) => self.leap(isize::MIN / 2),
            Some(Action::Last) => self.leap(isize::MAX / 2),
            Some(Action::Take) => match self.node() {
                Some(node) if self.reach.contains(&node.id) => {
                    return Turned::Goes(node.id.clone());
                }
                Some(node) if node.here => self.said = "You are here".to_owned(),
                _ => self.said = "No known path leads there now".to_owned(),
            },
            Some(Action::Close | Action::Map | Action::Sheet) => return Turned::Closes,
            _ => self.said = keymap.idle_on_page(code).unwrap_or_default(),
        }
        Turned::Stays
    }

    /// Scrolls by lines, for the mouse wheel.
    pub(super) fn wheel(&mut self, lines: isize) {
        self.leap(lines);
    }

    fn spot(&self) -> Option<Spot> {
        self.chart.spots.iter().find(|spot| spot.place == self.at).copied()
    }

    /// Moves to the nearest place in a direction. Up and down prefer the nearest row; left and
    /// right stay in the row.
    fn step(&mut self, down: isize, right: isize) {
        let Some(from) = self.spot() else { return };
        let away = |spot: &&Spot| {
            let rows = spot.row as isize - from.row as isize;
            let columns = spot.column as isize - from.column as isize;
            let (ahead, aside) = if down != 0 {
                (rows * down, columns.abs())
            } else {
                (columns * right, rows.abs())
            };
            (ahead, aside)
        };
        let ahead = self.chart.spots.iter().filter(|spot| away(spot).0 > 0);
        let best = match down {
            0 => ahead.min_by_key(|spot| (away(spot).1, away(spot).0)),
            _ => ahead.min_by_key(|spot| away(spot)),
        };
        // A place in another row is not a neighbour to the left or right.
        let best = best.filter(|spot| down != 0 || spot.row == from.row);
        self.at = best.map_or(self.at, |spot| spot.place);
    }

    /// Moves to the place nearest to so many rows further.
    fn leap(&mut self, rows: isize) {
        let Some(from) = self.spot() else { return };
        let wanted = (from.row as isize).saturating_add(rows).max(0);
        let best = self.chart.spots.iter().min_by_key(|spot| {
            let rows = (spot.row as isize).abs_diff(wanted);
            (rows, spot.column.abs_diff(from.column))
        });
        self.at = best.map_or(self.at, |spot| spot.place);
    }

    /// Draws the maps one below the other, once per width.
    fn lay_out(&mut self, columns: usize, theme: Theme) {
        if self.drawn_for == Some((columns, theme)) {
            return;
        }
        self.drawn_for = Some((columns, theme));
        let (mut all, mut first) = (Chart::default(), 0);
        for (label, nodes, edges) in &self.maps {
            if self.maps.len() > 1 {
                all.lines.push(styled(wrap::cut(label, columns), theme.strong()));
            }
            let row = all.lines.len();
            let drawn = map::chart(nodes, edges, columns, theme);
            all.spots.extend(drawn.spots.into_iter().map(|spot| Spot {
                place: spot.place + first,
                row: spot.row + row,
                ..spot
            }));
            all.lines.extend(drawn.lines);
            first += nodes.len();
        }
        self.chart = all;
    }

    pub(super) fn draw(&mut self, area: Rect, buf: &mut Buffer, theme: Theme, keymap: &Keymap) {
        let columns = usize::from(area.width).saturating_sub(2).max(1);
        self.lay_out(columns, theme);
        let (head, foot) = (u16::from(area.height > 3), u16::from(area.height > 2));
        self.height = usize::from(area.height - head - foot);
        // Draws at full width first, because lines must be cut at cells, not at characters.
        let width = self.chart.lines.iter().map(Line::width).max().unwrap_or(0).max(columns);
        self.keep_in_sight(columns, width);
        if head == 1 {
            let label = self.maps.first().map(|(label, ..)| label.as_str()).unwrap_or_default();
            let mut title = format!("{}: {label}", self.title);
            if text::width(&title) + text::width(LEGEND) + 3 <= columns {
                let gap = columns - text::width(&title) - text::width(LEGEND);
                title.push_str(&" ".repeat(gap));
                let spans =
                    [Span::styled(title, theme.heading()), Span::styled(LEGEND, theme.quiet())];
                buf.set_line(area.x + 1, area.y, &Line::from(spans.to_vec()), area.width - 1);
            } else {
                let title = wrap::cut(&title, columns);
                buf.set_line(area.x + 1, area.y, &styled(title, theme.heading()), area.width - 1);
            }
        }
        let inner = Rect {
            x: area.x + 1,
            y: area.y + head,
            width: columns as u16,
            height: self.height as u16,
        };
        let canvas = Rect::new(0, 0, width.min(usize::from(u16::MAX)) as u16, inner.height);
        let mut drawn = Buffer::empty(canvas);
        drawn.set_style(canvas, theme.ground());
        for (row, line) in self.chart.lines.iter().skip(self.top).take(self.height).enumerate() {
            drawn.set_line(0, row as u16, line, canvas.width);
        }
        if let Some(spot) = self.spot().filter(|spot| spot.row >= self.top) {
            let row = (spot.row - self.top) as u16;
            let (x, width) = (spot.column as u16, spot.width as u16);
            if row < canvas.height && x < canvas.width {
                let width = width.min(canvas.width - x);
                drawn.set_style(Rect::new(x, row, width, 1), Modifier::REVERSED);
            }
        }
        self.hide_halves(&mut drawn, columns);
        for y in 0..inner.height {
            for x in 0..inner.width {
                if let Some(cell) = drawn.cell((self.pan as u16 + x, y))
                    && let Some(shown) = buf.cell_mut((inner.x + x, inner.y + y))
                {
                    *shown = cell.clone();
                }
            }
        }
        if foot == 1 {
            let foot = self.foot(keymap, width, columns);
            buf.set_line(area.x, area.bottom() - 1, &styled(foot, theme.quiet()), area.width);
        }
    }

    /// Scrolls so that the focused place is visible, with some rows and columns around it.
    fn keep_in_sight(&mut self, columns: usize, width: usize) {
        let Some(spot) = self.spot() else { return };
        let margin = (self.height / 4).min(4);
        let most = self.chart.lines.len().saturating_sub(self.height);
        let last = (spot.row + margin + 1).saturating_sub(self.height);
        self.top = self.top.max(last).min(spot.row.saturating_sub(margin)).min(most);
        let last = (spot.column + spot.room).saturating_sub(columns);
        let most = width.saturating_sub(columns);
        self.pan = self.pan.max(last).min(spot.column).min(most);
        // A place at the left edge is shown in full.
        let begins = self.chart.spots.iter().map(|spot| spot.column);
        let whole = begins.filter(|column| (last..=spot.column).contains(column));
        let nearest = whole.min_by_key(|column| column.abs_diff(self.pan));
        self.pan = if most == 0 { 0 } else { nearest.unwrap_or(self.pan) };
    }

    /// Replaces each partly visible name by an ellipsis.
    fn hide_halves(&self, drawn: &mut Buffer, columns: usize) {
        let sight = self.pan..self.pan + columns;
        for spot in &self.chart.spots {
            let (from, to) = (spot.column, spot.column + spot.words);
            let part = from < sight.end && to > sight.start;
            if !part || (sight.contains(&from) && to <= sight.end) {
                continue;
            }
            for row in spot.row..spot.row + spot.rows {
                let Some(y) = row.checked_sub(self.top).filter(|y| *y < self.height) else {
                    continue;
                };
                for x in from.max(sight.start)..to.min(sight.end) {
                    if let Some(cell) = drawn.cell_mut((x as u16, y as u16)) {
                        cell.set_symbol(" ");
                    }
                }
                let at = from.max(sight.start) as u16;
                if let Some(cell) = drawn.cell_mut((at, y as u16)).filter(|_| row == spot.row) {
                    cell.set_symbol("…");
                }
            }
        }
    }

    /// The keys of this page, and how much is beyond the edges.
    fn foot(&self, keymap: &Keymap, width: usize, columns: usize) -> String {
        let mut words = vec![format!("{} back", keymap.shown(Action::Close))];
        if !self.said.is_empty() {
            words.push(self.said.clone());
        } else if self.node().is_some_and(|node| self.reach.contains(&node.id)) {
            words.push(format!("{} go there", keymap.shown(Action::Take)));
        }
        let keys = [Action::Up, Action::Down, Action::Left, Action::Right];
        let keys = keys.map(|action| keymap.shown(action));
        let others = format!("{}/{}/{}/{} move", keys[0], keys[1], keys[2], keys[3]);
        let below = self.chart.lines.len().saturating_sub(self.top + self.height);
        let aside = width.saturating_sub(self.pan + columns);
        let mut beyond = Vec::new();
        for (count, side) in
            [(self.top, "above"), (below, "below"), (self.pan, "left"), (aside, "right")]
        {
            if count > 0 {
                beyond.push(format!("{count} {side}"));
            }
        }
        let beyond = if beyond.is_empty() { None } else { Some(beyond.join(", ")) };
        let all: Vec<String> =
            words.iter().cloned().chain(beyond.clone()).chain([others]).collect();
        let some: Vec<String> = words.iter().cloned().chain(beyond).collect();
        let lines = [all, some, words].map(|words| format!(" {}", words.join("   ")));
        let fits = lines.iter().find(|line| text::width(line) <= columns);
        fits.cloned().unwrap_or_else(|| wrap::cut(&lines[2], columns))
    }
}
