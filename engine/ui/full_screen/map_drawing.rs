//! A map as lines. With enough columns, or on a page that scrolls, it is a layered graph with all
//! edges; otherwise a tree, where edges that close cycles are listed below the places.

use base::host_text;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::super::{display_text, text_wrap};
use super::edge_routes::EdgeRoute;
use super::map_layers::MapLayers;
use super::map_tree::MapTree;
use super::theme::{Theme, styled_line};
use base::text;
use protocol::view::{MapEdge, MapNode};

/// The player's place.
const CURRENT_SYMBOL: &str = "@";
/// A visited place.
const VISITED_SYMBOL: &str = "o";
/// A place known only from outside.
const UNVISITED_SYMBOL: &str = "?";
/// Explains the symbols.
pub(super) fn map_legend() -> String {
    host_text!("@ you are here   o entered   ? not entered")
}
/// From this width on the layered graph is drawn.
const LAYERED_MIN_COLUMNS: usize = 60;
/// A name in a tree is shown in full if it has at least this many columns.
const MIN_NAME_COLUMNS: usize = 12;
/// The most lines of a name that may be cut.
const MAX_NAME_LINES: usize = 2;

/// A drawn map with the position of each place.
#[derive(Default)]
pub(super) struct MapDrawing {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) places: Vec<DrawnPlace>,
}

/// Where the name of a place begins.
#[derive(Clone, Copy)]
pub(super) struct DrawnPlace {
    /// The index of the place.
    pub(super) place_index: usize,
    pub(super) row: usize,
    pub(super) column: usize,
    /// The width of its first line.
    pub(super) first_line_columns: usize,
    /// The width of its text, and of its slot.
    pub(super) text_columns: usize,
    pub(super) columns_per_place: usize,
    /// The rows of its text.
    pub(super) text_rows: usize,
}

/// The map for a column of the screen; `shows_full_names` shows names in full, otherwise long ones
/// are cut.
pub(super) fn map_lines(
    nodes: &[MapNode],
    edges: &[MapEdge],
    columns: usize,
    shows_full_names: bool,
    theme: Theme,
) -> Vec<Line<'static>> {
    // A narrow column usually has few rows too, and a tree needs fewer.
    let layers = MapLayers::lay_out_map(nodes, edges, columns, false)
        .filter(|_| columns >= LAYERED_MIN_COLUMNS);
    match layers {
        Some(layers) => {
            let mut lines = draw_layered_map(&layers, nodes, shows_full_names, theme).lines;
            lines.push(styled_line(map_legend(), theme.quiet_style()));
            lines
        }
        None => draw_tree(nodes, edges, columns, shows_full_names, theme).lines,
    }
}

/// The map for its own page, which scrolls: it may be wider than the page.
pub(super) fn draw_map(
    nodes: &[MapNode],
    edges: &[MapEdge],
    columns: usize,
    theme: Theme,
) -> MapDrawing {
    match MapLayers::lay_out_map(nodes, edges, columns, true)
        .filter(|_| columns >= LAYERED_MIN_COLUMNS)
    {
        Some(layers) => draw_layered_map(&layers, nodes, true, theme),
        None => draw_tree(nodes, edges, columns, true, theme),
    }
}

/// The texts of a row of the map, by column.
#[derive(Default)]
struct MapRow(Vec<(usize, String, Style)>);

impl MapRow {
    fn push_text_at(&mut self, column: usize, words: impl Into<String>, style: Style) {
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

fn draw_layered_map(
    layers: &MapLayers,
    nodes: &[MapNode],
    shows_full_names: bool,
    theme: Theme,
) -> MapDrawing {
    let mut out = MapDrawing::default();
    for (places, band) in layers.places_by_layer.iter().zip(&layers.edges_below_layers) {
        let words = places.iter().map(|place| {
            place_lines(&nodes[*place], layers.columns_per_place - 2, shows_full_names, theme)
        });
        let words: Vec<Vec<(String, Style)>> = words.collect();
        let height = words.iter().map(Vec::len).max().unwrap_or(1);
        let mut rows: Vec<MapRow> = (0..height).map(|_| MapRow::default()).collect();
        let mut previous_place: Option<(usize, usize)> = None;
        for (place, words) in places.iter().zip(words) {
            // An edge begins directly below the text of its place.
            for row in &mut rows[words.len()..] {
                for (_, column) in downward_edge_columns(band, *place) {
                    row.push_text_at(column, "│", theme.quiet_style());
                }
            }
            let column = layers.place_start_columns[*place];
            let width = words.first().map_or(0, |(words, _)| text::display_width(words));
            if let Some((one, end)) = previous_place
                .filter(|(one, _)| layers.connected_neighbour_pairs.contains(&(*one, *place)))
            {
                // It begins after the columns in which other edges meet the place.
                let from = (end + 1)
                    .max(layers.place_start_columns[one] + layers.max_edge_offset_columns + 2);
                let line = "─".repeat(column.saturating_sub(from + 1).max(1));
                rows[0].push_text_at(
                    column - 1 - text::display_width(&line),
                    line,
                    theme.quiet_style(),
                );
            }
            previous_place = Some((*place, column + width));
            let widths = words.iter().map(|(words, _)| text::display_width(words));
            out.places.push(DrawnPlace {
                place_index: *place,
                row: out.lines.len(),
                column,
                first_line_columns: width,
                text_columns: widths.max().unwrap_or(0),
                columns_per_place: layers.columns_per_place,
                text_rows: words.len(),
            });
            for (row, (words, style)) in rows.iter_mut().zip(words) {
                row.push_text_at(column, words, style);
            }
        }
        out.lines.extend(rows.into_iter().map(MapRow::into_line));
        out.lines.extend(
            edge_lines(band).into_iter().map(|line| styled_line(line, theme.quiet_style())),
        );
    }
    out
}

/// The columns in which edges leave a place downwards.
fn downward_edge_columns(
    edges: &[EdgeRoute],
    place: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let ends =
        edges.iter().flat_map(|way| [Some(way.from), Some(way.to).filter(|_| !way.goes_down)]);
    ends.flatten().filter(move |(of, _)| *of == place)
}

/// The text of a place: its name, on several lines if it is long, and its note.
fn place_lines(
    node: &MapNode,
    columns: usize,
    shows_full_name: bool,
    theme: Theme,
) -> Vec<(String, Style)> {
    let (mark, style) = place_symbol(node, theme);
    let name = display_text::markup_on_one_line(&node.label);
    let name = if name == mark { String::new() } else { name };
    let mut lines = text_wrap::wrap_lines(&name, columns.saturating_sub(2).max(1));
    if lines.len() > MAX_NAME_LINES && !shows_full_name {
        let rest = lines.split_off(MAX_NAME_LINES - 1).join(" ");
        lines.push(text_wrap::truncate(&rest, columns.saturating_sub(2)));
    }
    let mut out: Vec<(String, Style)> = lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| (format!("{} {line}", if at == 0 { mark } else { " " }), style))
        .collect();
    let note = match shows_full_name {
        _ if node.note.is_empty() => Vec::new(),
        true => text_wrap::wrap_lines(
            &display_text::markup_on_one_line(&node.note),
            columns.saturating_sub(2).max(1),
        ),
        false => vec![text_wrap::truncate(
            &display_text::markup_on_one_line(&node.note),
            columns.saturating_sub(2),
        )],
    };
    out.extend(note.into_iter().map(|note| (format!("  {note}"), theme.quiet_style())));
    out
}

/// The edges below a layer. Where two cross, one passes over the other; they never join.
fn edge_lines(edges: &[EdgeRoute]) -> Vec<String> {
    let tracks = edges.iter().filter_map(|way| way.track).max().map_or(0, |last| last + 1);
    let height = if edges.is_empty() { 0 } else { tracks.max(1) };
    let width = edges.iter().map(|way| way.horizontal_columns().1 + 1).max().unwrap_or(0);
    let mut cells = vec![vec![' '; width]; height];
    for way in edges {
        let (left, right) = way.horizontal_columns();
        if let Some(track) = way.track {
            cells[track][left + 1..right].fill('─');
        }
    }
    for way in edges {
        let Some(track) = way.track else {
            cells.iter_mut().for_each(|row| row[way.from.1] = '│');
            continue;
        };
        let (from, to) = (way.from.1, way.to.1);
        let (over, under) = cells.split_at_mut(track);
        over.iter_mut().for_each(|row| row[from] = '│');
        match way.goes_down {
            true => under[1..].iter_mut().for_each(|row| row[to] = '│'),
            false => over.iter_mut().for_each(|row| row[to] = '│'),
        }
        under[0][from] = if from < to { '└' } else { '┘' };
        under[0][to] = match (way.goes_down, from < to) {
            (true, true) => '┐',
            (true, false) => '┌',
            (false, true) => '┘',
            (false, false) => '└',
        };
    }
    cells.into_iter().map(|row| row.into_iter().collect::<String>()).collect()
}

/// The symbol and style of a place: the game's own if given. Unvisited places stand out.
fn place_symbol(node: &MapNode, theme: Theme) -> (&str, Style) {
    let (mark, style) = match (node.is_current, node.is_visited) {
        (true, _) => return (CURRENT_SYMBOL, theme.strong_style()),
        (false, true) => (VISITED_SYMBOL, theme.text_style()),
        (false, false) => (UNVISITED_SYMBOL, theme.fair_style()),
    };
    let style = if node.tone.is_empty() { style } else { theme.tone_style(&node.tone) };
    (if node.symbol.is_empty() { mark } else { &node.symbol }, style)
}

/// The map as a tree.
fn draw_tree(
    nodes: &[MapNode],
    edges: &[MapEdge],
    columns: usize,
    shows_full_names: bool,
    theme: Theme,
) -> MapDrawing {
    let tree = MapTree::from_nodes(nodes, edges);
    let (mut out, mut drawn_places) = (Vec::new(), Vec::new());
    // Open nodes: a place, the prefix of its line, and the prefix of the lines below.
    let roots = tree.roots.iter().rev().map(|root| (*root, String::new(), String::new()));
    let mut stack: Vec<(usize, String, String)> = roots.collect();
    while let Some((at, lead, under)) = stack.pop() {
        let children = &tree.children[at];
        let child_mark = if children.is_empty() { "  " } else { "│ " };
        let child_prefix = format!("{under}{child_mark}");
        let (row, column) = (out.len(), text::display_width(&lead).min(columns / 2));
        let width = columns - column;
        drawn_places.push(DrawnPlace {
            place_index: at,
            row,
            column,
            first_line_columns: width,
            text_columns: 0,
            columns_per_place: width,
            text_rows: 1,
        });
        match shows_full_names {
            true => out.extend(full_place_lines(&nodes[at], &lead, &child_prefix, columns, theme)),
            false => out.push(tree_line(&nodes[at], &lead, columns, theme)),
        }
        for ring in &tree.cycle_edges[at] {
            let name = display_text::markup_on_one_line(&nodes[*ring].label);
            let name = if name == UNVISITED_SYMBOL { host_text!("a door") } else { name };
            let words = host_text!("also to {place}", place = name);
            let room = columns.saturating_sub(text::display_width(&child_prefix)).max(1);
            let words =
                if shows_full_names { text_wrap::wrap_lines(&words, room) } else { vec![words] };
            let lines = words
                .iter()
                .map(|words| text_wrap::truncate(&format!("{child_prefix}{words}"), columns));
            out.extend(lines.map(|line| styled_line(line, theme.quiet_style())));
        }
        for (index, child) in children.iter().enumerate().rev() {
            let last = index + 1 == children.len();
            let (branch, further) = if last { ("└ ", "  ") } else { ("├ ", "│ ") };
            stack.push((*child, format!("{under}{branch}"), format!("{under}{further}")));
        }
    }
    MapDrawing { lines: out, places: drawn_places }
}

/// A place of the tree in full, on as many lines as it needs. `further_prefix` is the prefix of the
/// lines after the first.
fn full_place_lines(
    node: &MapNode,
    prefix: &str,
    further_prefix: &str,
    columns: usize,
    theme: Theme,
) -> Vec<Line<'static>> {
    let note = display_text::markup_on_one_line(&node.note);
    let words = text::display_width(&tree_label(node, theme)) + text::display_width(&note) + 2;
    let room = columns.saturating_sub(text::display_width(further_prefix));
    if text::display_width(prefix) + words <= columns || room < MIN_NAME_COLUMNS {
        return vec![tree_line(node, prefix, columns, theme)];
    }
    let words = place_lines(node, room + 2, true, theme);
    let leads = std::iter::once(prefix).chain(std::iter::repeat(further_prefix));
    let lines = leads.zip(words).enumerate().map(|(at, (lead, (words, style)))| {
        // Further lines begin below the name.
        let words = if at == 0 { words } else { words.trim_start().to_owned() };
        Line::from(vec![
            Span::styled(lead.to_owned(), theme.quiet_style()),
            Span::styled(words, style),
        ])
    });
    lines.collect()
}

/// The symbol and name of a place; only one of them if both are the same.
fn tree_label(node: &MapNode, theme: Theme) -> String {
    let (mark, _) = place_symbol(node, theme);
    let name = display_text::markup_on_one_line(&node.label);
    if name == mark { name } else { format!("{mark} {name}") }
}

fn tree_line(node: &MapNode, prefix: &str, columns: usize, theme: Theme) -> Line<'static> {
    let (_, style) = place_symbol(node, theme);
    let words = tree_label(node, theme);
    let note = display_text::markup_on_one_line(&node.note);
    let note = if note.is_empty() { note } else { format!("  {note}") };
    // A deep place loses its prefix before its name, and the name is cut before the note.
    let room = columns.saturating_sub(text::display_width(&words).min(columns / 2));
    let lead = text_wrap::truncate(prefix, room);
    let room = columns.saturating_sub(text::display_width(&lead));
    let note_columns =
        if text::display_width(&note) * 2 <= room { text::display_width(&note) } else { 0 };
    let words = text_wrap::truncate(&words, room - note_columns);
    let remaining_columns = room.saturating_sub(text::display_width(&words));
    let note = if remaining_columns < text::display_width(&note).min(6) {
        String::new()
    } else {
        text_wrap::truncate(&note, remaining_columns)
    };
    Line::from(vec![
        Span::styled(lead, theme.quiet_style()),
        Span::styled(words, style),
        Span::styled(note, theme.quiet_style()),
    ])
}
