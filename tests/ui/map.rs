//! The map as a graph: every edge is drawn from end to end, and can be followed.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;
use engine::protocol::View;
use engine::protocol::view::{MapEdge, MapNode, PlacedWidget, Widget, WidgetSlot};
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::{ferry_prompt, frame, press, rows};

const NAMES: [&str; 9] = ["Ash", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gean", "Holly", "Ivy"];

fn chart(ways: &[(usize, usize)], places: usize) -> View {
    let nodes = (0..places).map(|at| MapNode {
        id: NAMES[at].to_owned(),
        label: NAMES[at].to_owned(),
        note: if at == 1 { "last rest".to_owned() } else { String::new() },
        here: at == 2,
        seen: at < 6,
        ..MapNode::default()
    });
    let edges = ways
        .iter()
        .map(|(from, to)| MapEdge { from: NAMES[*from].to_owned(), to: NAMES[*to].to_owned() });
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

fn map_page(view: &View, columns: u16, height: u16) -> Vec<Vec<char>> {
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.show_prompt(&ferry_prompt(), view);
    press(&mut screen, KeyCode::Char('m'));
    let frame = frame(&mut screen, columns, height);
    rows(&frame).map(|row| row.chars().collect()).collect()
}

/// Follows every drawn edge, as a reader does: straight on over crossings, round corners.
fn trace_edges(page: &[Vec<char>]) -> BTreeSet<(usize, usize)> {
    let at = |x: isize, y: isize| -> char {
        let row = usize::try_from(y).ok().and_then(|y| page.get(y));
        *row.and_then(|row| usize::try_from(x).ok().and_then(|x| row.get(x))).unwrap_or(&' ')
    };
    let place = |x: isize, y: isize| -> Option<usize> {
        // The name that this column belongs to, or the space below it.
        let row: String = page.get(y as usize)?.iter().collect();
        let held = NAMES.iter().enumerate().filter_map(|(index, name)| {
            let found = row
                .find(&format!(" {name}"))
                .map(|byte| row[..byte].chars().count() as isize - 1)?;
            (found <= x).then_some((found, index))
        });
        held.max().map(|(_, index)| index)
    };
    let is_way = |sign: char| "│─┌┐└┘".contains(sign);
    let mut found = BTreeSet::new();
    // Neighbours are joined on the line of their names.
    for y in 0..page.len() as isize {
        for x in 1..page[0].len() as isize {
            let begins = at(x, y) == '─' && at(x - 1, y) == ' ';
            let Some(from) = place(x - 1, y).filter(|_| begins) else { continue };
            let end = (x..).find(|x| at(*x, y) != '─').unwrap_or(x);
            let to = place(end + 1, y).filter(|to| *to != from);
            let to = to.unwrap_or_else(|| unreachable!("a line leads nowhere"));
            found.insert((from.min(to), from.max(to)));
        }
    }
    for y in 0..page.len() as isize {
        for x in 0..page[0].len() as isize {
            // An edge begins under a place: nothing is drawn above it.
            if !is_way(at(x, y))
                || at(x, y) == '─'
                || is_way(at(x, y - 1))
                || "┌┐".contains(at(x, y))
            {
                continue;
            }
            let Some(from) = (0..3).find_map(|up| place(x, y - 1 - up)) else { continue };
            let (mut here, mut go) = ((x, y), (0, 1));
            let to = loop {
                go = match (at(here.0, here.1), go) {
                    ('└', (0, 1)) | ('┌', (0, -1)) => (1, 0),
                    ('┘', (0, 1)) | ('┐', (0, -1)) => (-1, 0),
                    ('┐', (1, 0)) | ('┌', (-1, 0)) => (0, 1),
                    ('┘', (1, 0)) | ('└', (-1, 0)) => (0, -1),
                    (_, go) => go,
                };
                here = (here.0 + go.0, here.1 + go.1);
                if !is_way(at(here.0, here.1)) {
                    break (0..3).find_map(|up| place(here.0, here.1 - up));
                }
            };
            let to = to.unwrap_or_else(|| unreachable!("a way leads nowhere"));
            found.insert((from.min(to), from.max(to)));
        }
    }
    found
}

#[test]
fn every_way_can_be_followed_from_end_to_end() {
    let woods: [(&[(usize, usize)], usize); 6] = [
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
    for (ways, places) in woods {
        let drawn = map_page(&chart(ways, places), 100, 60);
        let text: Vec<String> = drawn.iter().map(|row| row.iter().collect()).collect();
        let wanted: BTreeSet<(usize, usize)> = ways.iter().copied().collect();
        assert_eq!(trace_edges(&drawn), wanted, "\n{}", text.join("\n"));
    }
}

/// Three rows of hexes, each shifted by half a hex.
fn hex_map() -> View {
    let lies = [(1, 0), (3, 0), (0, 1), (2, 1), (4, 1), (1, 2), (3, 2)];
    let near = |one: (i64, i64), other: (i64, i64)| {
        let (column, row) = ((one.0 - other.0).abs(), (one.1 - other.1).abs());
        (column, row) == (1, 1) || (column, row) == (2, 0)
    };
    let all = (0..lies.len()).flat_map(|from| (0..from).map(move |to| (to, from)));
    let ways: Vec<(usize, usize)> = all.filter(|(from, to)| near(lies[*from], lies[*to])).collect();
    let mut view = chart(&ways, lies.len());
    let Widget::Map { nodes, .. } = &mut view.widgets[0].widget else { unreachable!() };
    nodes.iter_mut().zip(lies).for_each(|(node, lies)| node.position = Some(lies));
    // The order of the places in the game does not matter.
    nodes.reverse();
    view
}

#[test]
fn a_place_stands_where_the_game_says_that_it_lies() {
    let view = hex_map();
    let drawn = map_page(&view, 80, 40);
    let text: Vec<String> = drawn.iter().map(|row| row.iter().collect()).collect();
    let at = |name: &str| {
        let found = text.iter().enumerate().skip(1).find_map(|(y, row)| {
            let byte = row.find(&format!(" {name}"))?;
            Some((row[..byte].chars().count(), y))
        });
        found.unwrap_or_else(|| unreachable!("no {name}:\n{}", text.join("\n")))
    };
    let [ash, birch, cedar, damson, elm, fir, gean] =
        ["Ash", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gean"].map(at);
    assert!(ash.1 == birch.1 && cedar.1 == elm.1 && fir.1 == gean.1, "{}", text.join("\n"));
    assert!(cedar.0 < ash.0 && ash.0 < damson.0 && damson.0 < birch.0 && birch.0 < elm.0);
    assert!(ash.0 == fir.0 && birch.0 == gean.0);
    let Widget::Map { edges, .. } = &view.widgets[0].widget else { unreachable!() };
    let number = |id: &str| NAMES.iter().position(|name| *name == id).unwrap();
    let ends = |edge: &MapEdge| (number(&edge.from), number(&edge.to));
    let wanted: BTreeSet<(usize, usize)> =
        edges.iter().map(ends).map(|(from, to)| (from.min(to), from.max(to))).collect();
    assert_eq!(trace_edges(&drawn), wanted, "\n{}", text.join("\n"));
    // An edge that would pass over a row is drawn as if there were no positions.
    let mut far = hex_map();
    let Widget::Map { edges, .. } = &mut far.widgets[0].widget else { unreachable!() };
    edges.push(MapEdge { from: "Ash".to_owned(), to: "Fir".to_owned() });
    let wanted: BTreeSet<(usize, usize)> = wanted.into_iter().chain([(0, 5)]).collect();
    assert_eq!(trace_edges(&map_page(&far, 120, 60)), wanted);
}

#[test]
fn a_map_that_is_moved_cuts_no_name_and_enter_where_one_stands_says_so() {
    let hub: Vec<(usize, usize)> = (1..9).map(|to| (0, to)).collect();
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.show_prompt(&ferry_prompt(), &chart(&hub, 9));
    press(&mut screen, KeyCode::Char('m'));
    for code in [KeyCode::Null, KeyCode::Right, KeyCode::Right, KeyCode::Right, KeyCode::End] {
        press(&mut screen, code);
        let drawn = frame(&mut screen, 70, 14);
        let drawn: Vec<String> = rows(&drawn).collect();
        for word in drawn[1..13].iter().flat_map(|row| row.split_whitespace()) {
            let word = word.trim_matches('…');
            let is_word = word.chars().all(char::is_alphabetic) && word.len() > 1;
            let known = NAMES.contains(&word) || ["last", "rest"].contains(&word);
            assert!(!is_word || known, "{word} is cut:\n{}", drawn.join("\n"));
        }
    }
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.show_prompt(&ferry_prompt(), &chart(&hub, 9));
    press(&mut screen, KeyCode::Char('m'));
    frame(&mut screen, 70, 14);
    press(&mut screen, KeyCode::Enter);
    let said = rows(&frame(&mut screen, 70, 14)).last().unwrap();
    assert!(said.contains("You are here") && screen.has_open_page(), "{said}");
    press(&mut screen, KeyCode::Right);
    press(&mut screen, KeyCode::Enter);
    let said = rows(&frame(&mut screen, 70, 14)).last().unwrap();
    assert!(said.contains("No known path leads there now"), "{said}");
}

#[test]
fn a_map_opens_where_the_player_stands_and_is_a_tree_where_it_is_narrow() {
    let ways = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)];
    let text = |page: Vec<Vec<char>>| -> String {
        page.into_iter().map(|row| row.into_iter().chain(['\n']).collect::<String>()).collect()
    };
    assert!(text(map_page(&chart(&ways, 9), 80, 12)).contains("@ Cedar"));
    let ring = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let narrow = text(map_page(&chart(&ring, 4), 40, 20));
    assert!(narrow.contains("also to") && narrow.contains("last rest"), "{narrow}");
    let broad = text(map_page(&chart(&ring, 4), 80, 24));
    assert!(broad.contains("? not entered") && !broad.contains("also to"), "{broad}");
}

/// A map with this many places, and these edges.
fn large_map(places: usize, ways: impl Iterator<Item = (usize, usize)>) -> View {
    let nodes = (0..places).map(|at| MapNode {
        id: at.to_string(),
        label: format!("Place {at}"),
        here: at == 0,
        seen: true,
        ..MapNode::default()
    });
    let edges = ways.map(|(from, to)| MapEdge { from: from.to_string(), to: to.to_string() });
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
fn the_largest_maps_are_drawn_with_as_many_looks_as_there_may_be() {
    let star = large_map(500, (1..500).map(|at| (0, at)));
    let layers = large_map(500, (0..480).map(|at| (at, at + 20)).chain((1..20).map(|at| (0, at))));
    let full = large_map(
        45,
        (1..21).flat_map(|at| (21..45).map(move |to| (at, to))).chain((1..21).map(|at| (0, at))),
    );
    for (what, view, places) in [("star", star, 500), ("layers", layers, 500), ("full", full, 45)] {
        let drawn = map_page(&view, 120, 1000);
        let drawn: Vec<String> = drawn.iter().map(|row| row.iter().collect()).collect();
        let found = drawn.iter().map(|row| row.matches("Place ").count()).sum::<usize>();
        assert!(found >= places.min(40), "{what}: {found} of {places}");
    }
}
