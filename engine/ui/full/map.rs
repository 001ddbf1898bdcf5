//! A map as lines of a column: the places in layers with every way between them, where there is
//! room for that; else as a tree, with the ways that close rings told under their ends.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::{facts, wrap};
use super::layers::{Layers, Way};
use super::look::{Look, styled};
use super::tree::Tree;
use crate::kit::text;
use crate::play::view::{Edge, Node};

/// Where the player is.
pub(super) const HERE: &str = "@";
/// A place that was entered.
const SEEN: &str = "o";
/// A place known only from outside.
const DOOR: &str = "?";
/// What the signs mean.
const LEGEND: &str = "@ you are here   o entered   ? not entered";
/// From this width on every way is drawn.
const DRAWN_FROM: usize = 60;
/// Most lines of a name.
const NAME_LINES: usize = 2;

/// The map as lines.
pub(super) fn lines(
    nodes: &[Node],
    edges: &[Edge],
    columns: usize,
    look: Look,
) -> Vec<Line<'static>> {
    // A narrow column is short of rows as well, of which a tree takes fewer.
    let layers = Layers::of(nodes, edges, columns).filter(|_| columns >= DRAWN_FROM);
    match layers {
        Some(layers) => drawn(&layers, nodes, look),
        None => told(nodes, edges, columns, look),
    }
}

/// What lies in a row of the map, from left to right.
#[derive(Default)]
struct Row(Vec<(usize, String, Style)>);

impl Row {
    fn put(&mut self, column: usize, words: impl Into<String>, style: Style) {
        self.0.push((column, words.into(), style));
    }

    fn into_line(mut self) -> Line<'static> {
        self.0.sort_by_key(|(column, ..)| *column);
        let mut line = Line::default();
        for (column, words, style) in self.0 {
            let gap = column.saturating_sub(line.width());
            line.push_span(Span::raw(" ".repeat(gap)));
            line.push_span(Span::styled(words, style));
        }
        line
    }
}

fn drawn(layers: &Layers, nodes: &[Node], look: Look) -> Vec<Line<'static>> {
    let mut out = Vec::new();
    for (places, band) in layers.rows.iter().zip(&layers.bands) {
        let words: Vec<Vec<(String, Style)>> =
            places.iter().map(|place| words_of(&nodes[*place], layers.slot - 2, look)).collect();
        let height = words.iter().map(Vec::len).max().unwrap_or(1);
        let mut rows: Vec<Row> = (0..height).map(|_| Row::default()).collect();
        for (place, words) in places.iter().zip(words) {
            // A way begins right under the words that it leaves.
            for row in &mut rows[words.len()..] {
                for (_, column) in ends(band, *place) {
                    row.put(column, "│", look.quiet());
                }
            }
            for (row, (words, style)) in rows.iter_mut().zip(words) {
                row.put(layers.left[*place], words, style);
            }
        }
        out.extend(rows.into_iter().map(Row::into_line));
        out.extend(band_lines(band).into_iter().map(|line| styled(line, look.quiet())));
    }
    out.push(styled(LEGEND, look.quiet()));
    out
}

/// The columns in which ways leave a place downwards.
fn ends(band: &[Way], place: usize) -> impl Iterator<Item = (usize, usize)> {
    let ends = band.iter().flat_map(|way| [Some(way.from), Some(way.to).filter(|_| !way.down)]);
    ends.flatten().filter(move |(of, _)| *of == place)
}

/// The words of a place: its name, on a second line where it is long, and its note.
fn words_of(node: &Node, columns: usize, look: Look) -> Vec<(String, Style)> {
    let (mark, style) = mark_of(node, look);
    let name = facts::line(&node.label);
    let name = if name == mark { String::new() } else { name };
    let mut lines = wrap::lines(&name, columns.saturating_sub(2).max(1));
    if lines.len() > NAME_LINES {
        let rest = lines.split_off(NAME_LINES - 1).join(" ");
        lines.push(wrap::cut(&rest, columns.saturating_sub(2)));
    }
    let mut out: Vec<(String, Style)> = lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| (format!("{} {line}", if at == 0 { mark } else { " " }), style))
        .collect();
    if !node.note.is_empty() {
        let note = wrap::cut(&facts::line(&node.note), columns.saturating_sub(2));
        out.push((format!("  {note}"), look.quiet()));
    }
    out
}

/// The ways below a layer. One that crosses another passes over it; they never join.
fn band_lines(band: &[Way]) -> Vec<String> {
    let tracks = band.iter().filter_map(|way| way.track).max().map_or(0, |last| last + 1);
    let height = if band.is_empty() { 0 } else { tracks.max(1) };
    let width = band.iter().map(|way| way.across().1 + 1).max().unwrap_or(0);
    let mut cells = vec![vec![' '; width]; height];
    for way in band {
        let (left, right) = way.across();
        if let Some(track) = way.track {
            cells[track][left + 1..right].fill('─');
        }
    }
    for way in band {
        let Some(track) = way.track else {
            cells.iter_mut().for_each(|row| row[way.from.1] = '│');
            continue;
        };
        let (from, to) = (way.from.1, way.to.1);
        let (over, under) = cells.split_at_mut(track);
        over.iter_mut().for_each(|row| row[from] = '│');
        match way.down {
            true => under[1..].iter_mut().for_each(|row| row[to] = '│'),
            false => over.iter_mut().for_each(|row| row[to] = '│'),
        }
        under[0][from] = if from < to { '└' } else { '┘' };
        under[0][to] = match (way.down, from < to) {
            (true, true) => '┐',
            (true, false) => '┌',
            (false, true) => '┘',
            (false, false) => '└',
        };
    }
    cells.into_iter().map(|row| row.into_iter().collect::<String>()).collect()
}

fn mark_of(node: &Node, look: Look) -> (&'static str, Style) {
    match (node.here, node.seen) {
        (true, _) => (HERE, look.strong()),
        (false, true) => (SEEN, look.plain()),
        (false, false) => (DOOR, look.quiet()),
    }
}

/// The places as a tree.
fn told(nodes: &[Node], edges: &[Edge], columns: usize, look: Look) -> Vec<Line<'static>> {
    let tree = Tree::of(nodes, edges);
    let mut out = Vec::new();
    // What is still to be drawn: a place, the lead of its line, and the lead of those under it.
    let roots = tree.roots.iter().rev().map(|root| (*root, String::new(), String::new()));
    let mut open: Vec<(usize, String, String)> = roots.collect();
    while let Some((at, lead, under)) = open.pop() {
        out.push(place(&nodes[at], &lead, columns, look));
        let children = &tree.children[at];
        for ring in &tree.rings[at] {
            let wall = if children.is_empty() { "  " } else { "│ " };
            let name = facts::line(&nodes[*ring].label);
            let name = if name == DOOR { "a door".to_owned() } else { name };
            let words = wrap::cut(&format!("{under}{wall}also to {name}"), columns);
            out.push(styled(words, look.quiet()));
        }
        for (index, child) in children.iter().enumerate().rev() {
            let last = index + 1 == children.len();
            let (branch, further) = if last { ("└ ", "  ") } else { ("├ ", "│ ") };
            open.push((*child, format!("{under}{branch}"), format!("{under}{further}")));
        }
    }
    out
}

fn place(node: &Node, lead: &str, columns: usize, look: Look) -> Line<'static> {
    let name = facts::line(&node.label);
    let (mark, style) = mark_of(node, look);
    // A name that is only the mark is not said twice.
    let words = if name == mark { name } else { format!("{mark} {name}") };
    let note = facts::line(&node.note);
    let note = if note.is_empty() { note } else { format!("  {note}") };
    // Deep places lose their lead before their name, and a name gives way to its note.
    let room = columns.saturating_sub(text::width(&words).min(columns / 2));
    let lead = wrap::cut(lead, room);
    let room = columns.saturating_sub(text::width(&lead));
    let kept = if text::width(&note) * 2 <= room { text::width(&note) } else { 0 };
    let words = wrap::cut(&words, room - kept);
    let left = room.saturating_sub(text::width(&words));
    let note =
        if left < text::width(&note).min(6) { String::new() } else { wrap::cut(&note, left) };
    Line::from(vec![
        Span::styled(lead, look.quiet()),
        Span::styled(words, style),
        Span::styled(note, look.quiet()),
    ])
}
