//! The map as a graph: every way is drawn from one end to the other, and can be followed.

use std::collections::BTreeSet;

use crossterm::event::KeyCode;
use engine::play::View;
use engine::play::view::{Edge, Node, Place, Placed, Widget};
use engine::ui::full::{Palette, Screen, Theme};

use super::sample::{crossing, frame, press, rows};

const NAMES: [&str; 9] = ["Ash", "Birch", "Cedar", "Damson", "Elm", "Fir", "Gean", "Holly", "Ivy"];

fn chart(ways: &[(usize, usize)], places: usize) -> View {
    let nodes = (0..places).map(|at| Node {
        id: NAMES[at].to_owned(),
        label: NAMES[at].to_owned(),
        note: if at == 1 { "last rest".to_owned() } else { String::new() },
        here: at == 2,
        seen: at < 6,
        ..Node::default()
    });
    let edges = ways
        .iter()
        .map(|(from, to)| Edge { from: NAMES[*from].to_owned(), to: NAMES[*to].to_owned() });
    let map = Widget::Map {
        label: "the wood".to_owned(),
        nodes: nodes.collect(),
        edges: edges.collect(),
    };
    View { title: "A wood".to_owned(), widgets: vec![Placed { place: Place::More, widget: map }] }
}

fn page(view: &View, columns: u16, height: u16) -> Vec<Vec<char>> {
    let mut screen = Screen::new(Theme::of(Palette::None));
    screen.pose(&crossing(), view);
    press(&mut screen, KeyCode::Char('m'));
    let frame = frame(&mut screen, columns, height);
    rows(&frame).map(|row| row.chars().collect()).collect()
}

/// Follows every way that is drawn, as an eye does: straight on over what crosses, round corners.
fn followed(page: &[Vec<char>]) -> BTreeSet<(usize, usize)> {
    let at = |x: isize, y: isize| -> char {
        let row = usize::try_from(y).ok().and_then(|y| page.get(y));
        *row.and_then(|row| usize::try_from(x).ok().and_then(|x| row.get(x))).unwrap_or(&' ')
    };
    let place = |x: isize, y: isize| -> Option<usize> {
        // The name whose words, or the room below them, this column belongs to.
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
            // A way begins under a place: nothing drawn stands above it.
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
        let drawn = page(&chart(ways, places), 100, 60);
        let text: Vec<String> = drawn.iter().map(|row| row.iter().collect()).collect();
        let wanted: BTreeSet<(usize, usize)> = ways.iter().copied().collect();
        assert_eq!(followed(&drawn), wanted, "\n{}", text.join("\n"));
    }
}

#[test]
fn a_map_opens_where_the_player_stands_and_is_a_tree_where_it_is_narrow() {
    let ways = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)];
    let text = |page: Vec<Vec<char>>| -> String {
        page.into_iter().map(|row| row.into_iter().chain(['\n']).collect::<String>()).collect()
    };
    assert!(text(page(&chart(&ways, 9), 80, 12)).contains("@ Cedar"));
    let ring = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let narrow = text(page(&chart(&ring, 4), 40, 20));
    assert!(narrow.contains("also to") && narrow.contains("last rest"), "{narrow}");
    let broad = text(page(&chart(&ring, 4), 80, 24));
    assert!(broad.contains("? not entered") && !broad.contains("also to"), "{broad}");
}
