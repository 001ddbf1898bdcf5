//! The map as a graph: every edge is drawn from end to end, and can be followed.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;
use protocol::View;
use protocol::view::{MapEdge, MapNode, PlacedWidget, Widget, WidgetSlot};
use ui::full_screen::{Palette, Screen, Theme};

use super::sample::{draw_frame, ferry_prompt, frame_rows, press_key};

const PLACE_NAMES: [&str; 9] =
    ["Ash", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gean", "Holly", "Ivy"];

fn map_view(edge_pairs: &[(usize, usize)], place_count: usize) -> View {
    let nodes = (0..place_count).map(|index| MapNode {
        id: PLACE_NAMES[index].to_owned(),
        label: PLACE_NAMES[index].to_owned(),
        note: if index == 1 { "last rest".to_owned() } else { String::new() },
        is_current: index == 2,
        is_visited: index < 6,
        ..MapNode::default()
    });
    let edges = edge_pairs.iter().map(|(from, to)| MapEdge {
        from: PLACE_NAMES[*from].to_owned(),
        to: PLACE_NAMES[*to].to_owned(),
    });
    let map = Widget::Map {
        label: "the wood".to_owned(),
        nodes: nodes.collect(),
        edges: edges.collect(),
    };
    View {
        title: "A wood".to_owned(),
        widgets: vec![PlacedWidget { slot: WidgetSlot::Optional, widget: map }],
    }
}

fn draw_map_page(view: &View, columns: u16, height: u16) -> Vec<Vec<char>> {
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.show_prompt(&ferry_prompt(), view);
    press_key(&mut screen, KeyCode::Char('m'));
    let frame = draw_frame(&mut screen, columns, height);
    frame_rows(&frame).map(|row| row.chars().collect()).collect()
}

/// Follows every drawn edge, as a reader does: straight on over crossings, round corners.
fn traced_edges(page: &[Vec<char>]) -> BTreeSet<(usize, usize)> {
    let symbol_at = |x: isize, y: isize| -> char {
        let row = usize::try_from(y).ok().and_then(|y| page.get(y));
        *row.and_then(|row| usize::try_from(x).ok().and_then(|x| row.get(x))).unwrap_or(&' ')
    };
    let place_index_at = |x: isize, y: isize| -> Option<usize> {
        // The name that this column belongs to, or the space below it.
        let row: String = page.get(y as usize)?.iter().collect();
        let names_to_left = PLACE_NAMES.iter().enumerate().filter_map(|(index, name)| {
            let column = row
                .find(&format!(" {name}"))
                .map(|byte| row[..byte].chars().count() as isize - 1)?;
            (column <= x).then_some((column, index))
        });
        names_to_left.max().map(|(_, index)| index)
    };
    let is_edge_symbol = |symbol: char| "│─┌┐└┘".contains(symbol);
    let mut edges = BTreeSet::new();
    // Neighbours are joined on the line of their names.
    for y in 0..page.len() as isize {
        for x in 1..page[0].len() as isize {
            let starts_edge = symbol_at(x, y) == '─' && symbol_at(x - 1, y) == ' ';
            let Some(from) = place_index_at(x - 1, y).filter(|_| starts_edge) else { continue };
            let end = (x..).find(|x| symbol_at(*x, y) != '─').unwrap_or(x);
            let to = place_index_at(end + 1, y).filter(|to| *to != from);
            let to = to.unwrap_or_else(|| unreachable!("a line leads nowhere"));
            edges.insert((from.min(to), from.max(to)));
        }
    }
    for y in 0..page.len() as isize {
        for x in 0..page[0].len() as isize {
            // An edge begins under a place: nothing is drawn above it.
            if !is_edge_symbol(symbol_at(x, y))
                || symbol_at(x, y) == '─'
                || is_edge_symbol(symbol_at(x, y - 1))
                || "┌┐".contains(symbol_at(x, y))
            {
                continue;
            }
            let Some(from) = (0..3).find_map(|rows_above| place_index_at(x, y - 1 - rows_above))
            else {
                continue;
            };
            let (mut position, mut direction) = ((x, y), (0, 1));
            let to = loop {
                direction = match (symbol_at(position.0, position.1), direction) {
                    ('└', (0, 1)) | ('┌', (0, -1)) => (1, 0),
                    ('┘', (0, 1)) | ('┐', (0, -1)) => (-1, 0),
                    ('┐', (1, 0)) | ('┌', (-1, 0)) => (0, 1),
                    ('┘', (1, 0)) | ('└', (-1, 0)) => (0, -1),
                    (_, direction) => direction,
                };
                position = (position.0 + direction.0, position.1 + direction.1);
                if !is_edge_symbol(symbol_at(position.0, position.1)) {
                    break (0..3).find_map(|rows_above| {
                        place_index_at(position.0, position.1 - rows_above)
                    });
                }
            };
            let to = to.unwrap_or_else(|| unreachable!("a way leads nowhere"));
            edges.insert((from.min(to), from.max(to)));
        }
    }
    edges
}

#[test]
fn every_drawn_edge_can_be_followed_to_its_end() {
    let test_maps: [(&[(usize, usize)], usize); 6] = [
        (&[(0, 1), (0, 2), (1, 3), (2, 3)], 4),
        (&[(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 4), (2, 4), (3, 5)], 6),
        (&[(0, 1), (0, 2), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5), (5, 6), (3, 6)], 7),
        (&[(0, 1), (0, 2), (0, 3), (1, 4), (1, 6), (2, 4), (2, 5), (3, 5), (3, 6), (1, 3)], 7),
        (&[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)], 9),
        (
            &[
                (0, 1),
                (0, 2),
                (1, 3),
                (2, 4),
                (2, 5),
                (3, 6),
                (4, 6),
                (5, 6),
                (3, 4),
                (6, 7),
                (6, 8),
            ],
            9,
        ),
    ];
    for (edge_pairs, place_count) in test_maps {
        let page = draw_map_page(&map_view(edge_pairs, place_count), 100, 60);
        let text: Vec<String> = page.iter().map(|row| row.iter().collect()).collect();
        let expected_edges: BTreeSet<(usize, usize)> = edge_pairs.iter().copied().collect();
        assert_eq!(traced_edges(&page), expected_edges, "\n{}", text.join("\n"));
    }
}

/// Three rows of hexes, each shifted by half a hex.
fn hex_map() -> View {
    let positions = [(1, 0), (3, 0), (0, 1), (2, 1), (4, 1), (1, 2), (3, 2)];
    let are_adjacent = |first: (i64, i64), second: (i64, i64)| {
        let (column, row) = ((first.0 - second.0).abs(), (first.1 - second.1).abs());
        (column, row) == (1, 1) || (column, row) == (2, 0)
    };
    let all_pairs = (0..positions.len()).flat_map(|from| (0..from).map(move |to| (to, from)));
    let edge_pairs: Vec<(usize, usize)> =
        all_pairs.filter(|(from, to)| are_adjacent(positions[*from], positions[*to])).collect();
    let mut view = map_view(&edge_pairs, positions.len());
    let Widget::Map { nodes, .. } = &mut view.widgets[0].widget else { unreachable!() };
    nodes.iter_mut().zip(positions).for_each(|(node, position)| node.position = Some(position));
    // The order of the places in the game does not matter.
    nodes.reverse();
    view
}

#[test]
fn a_place_is_drawn_at_its_game_position() {
    let view = hex_map();
    let page = draw_map_page(&view, 80, 40);
    let text: Vec<String> = page.iter().map(|row| row.iter().collect()).collect();
    let position_of = |name: &str| {
        let position = text.iter().enumerate().skip(1).find_map(|(y, row)| {
            let byte = row.find(&format!(" {name}"))?;
            Some((row[..byte].chars().count(), y))
        });
        position.unwrap_or_else(|| unreachable!("no {name}:\n{}", text.join("\n")))
    };
    let [ash, birch, cedar, damson, elm, fir, gean] =
        ["Ash", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gean"].map(position_of);
    assert!(ash.1 == birch.1 && cedar.1 == elm.1 && fir.1 == gean.1, "{}", text.join("\n"));
    assert!(cedar.0 < ash.0 && ash.0 < damson.0 && damson.0 < birch.0 && birch.0 < elm.0);
    assert!(ash.0 == fir.0 && birch.0 == gean.0);
    let Widget::Map { edges, .. } = &view.widgets[0].widget else { unreachable!() };
    let place_index = |id: &str| PLACE_NAMES.iter().position(|name| *name == id).unwrap();
    let edge_indices = |edge: &MapEdge| (place_index(&edge.from), place_index(&edge.to));
    let expected_edges: BTreeSet<(usize, usize)> =
        edges.iter().map(edge_indices).map(|(from, to)| (from.min(to), from.max(to))).collect();
    assert_eq!(traced_edges(&page), expected_edges, "\n{}", text.join("\n"));
    // An edge that would pass over a row is drawn as if there were no positions.
    let mut map_with_long_edge = hex_map();
    let Widget::Map { edges, .. } = &mut map_with_long_edge.widgets[0].widget else {
        unreachable!()
    };
    edges.push(MapEdge { from: "Ash".to_owned(), to: "Fir".to_owned() });
    let expected_edges: BTreeSet<(usize, usize)> =
        expected_edges.into_iter().chain([(0, 5)]).collect();
    assert_eq!(traced_edges(&draw_map_page(&map_with_long_edge, 120, 60)), expected_edges);
}

#[test]
fn a_scrolled_map_cuts_no_name_and_enter_here_explains() {
    let star_edges: Vec<(usize, usize)> = (1..9).map(|to| (0, to)).collect();
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.show_prompt(&ferry_prompt(), &map_view(&star_edges, 9));
    press_key(&mut screen, KeyCode::Char('m'));
    for code in [KeyCode::Null, KeyCode::Right, KeyCode::Right, KeyCode::Right, KeyCode::End] {
        press_key(&mut screen, code);
        let rows_drawn = draw_frame(&mut screen, 70, 14);
        let rows_drawn: Vec<String> = frame_rows(&rows_drawn).collect();
        for word in rows_drawn[1..13].iter().flat_map(|row| row.split_whitespace()) {
            let word = word.trim_matches('…');
            let is_word = word.chars().all(char::is_alphabetic) && word.len() > 1;
            let is_known_word = PLACE_NAMES.contains(&word) || ["last", "rest"].contains(&word);
            assert!(!is_word || is_known_word, "{word} is cut:\n{}", rows_drawn.join("\n"));
        }
    }
    let mut screen = Screen::new(Theme::from_palette(Palette::None));
    screen.show_prompt(&ferry_prompt(), &map_view(&star_edges, 9));
    press_key(&mut screen, KeyCode::Char('m'));
    draw_frame(&mut screen, 70, 14);
    press_key(&mut screen, KeyCode::Enter);
    let last_row = frame_rows(&draw_frame(&mut screen, 70, 14)).last().unwrap();
    assert!(last_row.contains("You are here") && screen.has_open_page(), "{last_row}");
    press_key(&mut screen, KeyCode::Right);
    press_key(&mut screen, KeyCode::Enter);
    let last_row = frame_rows(&draw_frame(&mut screen, 70, 14)).last().unwrap();
    assert!(last_row.contains("No known path leads there now"), "{last_row}");
}

#[test]
fn a_map_opens_at_the_player_and_is_a_tree_if_narrow() {
    let edge_pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)];
    let page_text = |page: Vec<Vec<char>>| -> String {
        page.into_iter().map(|row| row.into_iter().chain(['\n']).collect::<String>()).collect()
    };
    assert!(page_text(draw_map_page(&map_view(&edge_pairs, 9), 80, 12)).contains("@ Cedar"));
    let ring_edges = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let narrow = page_text(draw_map_page(&map_view(&ring_edges, 4), 40, 20));
    assert!(narrow.contains("also to") && narrow.contains("last rest"), "{narrow}");
    let wide = page_text(draw_map_page(&map_view(&ring_edges, 4), 80, 24));
    assert!(wide.contains("? not entered") && !wide.contains("also to"), "{wide}");
}

/// A map with this many places, and these edges.
fn large_map(place_count: usize, edge_pairs: impl Iterator<Item = (usize, usize)>) -> View {
    let nodes = (0..place_count).map(|index| MapNode {
        id: index.to_string(),
        label: format!("Place {index}"),
        is_current: index == 0,
        is_visited: true,
        ..MapNode::default()
    });
    let edges = edge_pairs.map(|(from, to)| MapEdge { from: from.to_string(), to: to.to_string() });
    let (nodes, edges) = (nodes.collect(), edges.collect());
    let map = Widget::Map { label: "the wood".to_owned(), nodes, edges };
    View {
        title: "A wood".to_owned(),
        widgets: vec![PlacedWidget { slot: WidgetSlot::Optional, widget: map }],
    }
}

/// The largest permitted maps: a star, and layers whose places each lead to the next. The layout
/// search is bounded, and all places are drawn.
#[test]
fn the_largest_maps_are_drawn_within_the_search_limit() {
    let star_map = large_map(500, (1..500).map(|index| (0, index)));
    let layered_map = large_map(
        500,
        (0..480).map(|index| (index, index + 20)).chain((1..20).map(|index| (0, index))),
    );
    let dense_map = large_map(
        45,
        (1..21)
            .flat_map(|index| (21..45).map(move |to| (index, to)))
            .chain((1..21).map(|index| (0, index))),
    );
    for (map_name, view, place_count) in
        [("star", star_map, 500), ("layers", layered_map, 500), ("full", dense_map, 45)]
    {
        let page = draw_map_page(&view, 120, 1000);
        let rows_drawn: Vec<String> = page.iter().map(|row| row.iter().collect()).collect();
        let drawn_count = rows_drawn.iter().map(|row| row.matches("Place ").count()).sum::<usize>();
        assert!(drawn_count >= place_count.min(40), "{map_name}: {drawn_count} of {place_count}");
    }
}
