//! A map as lines of a column: the places as a tree of the ways between them, begun at the first
//! place. A way that closes a ring is named under one of its ends.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ratatui::text::{Line, Span};

use super::super::{facts, wrap};
use super::look::{Look, styled};
use crate::kit::text;
use crate::play::view::{Edge, Node};

/// Where the player is.
const HERE: &str = "@";
/// A place that was entered.
const SEEN: &str = "o";
/// A place known only from outside.
const DOOR: &str = "?";

/// The places of a map by number, with the ways that make the tree and those that close rings.
struct Tree {
    children: Vec<Vec<usize>>,
    rings: Vec<Vec<usize>>,
    roots: Vec<usize>,
}

/// The map as lines.
pub(super) fn lines(
    nodes: &[Node],
    edges: &[Edge],
    columns: usize,
    look: Look,
) -> Vec<Line<'static>> {
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
    let (mark, style) = match (node.here, node.seen) {
        (true, _) => (HERE, look.strong()),
        (false, true) => (SEEN, look.plain()),
        (false, false) => (DOOR, look.quiet()),
    };
    // A name that is only the mark is not said twice.
    let words = if name == mark { name } else { format!("{mark} {name}") };
    // Deep places lose their lead before their name.
    let room = columns.saturating_sub(text::width(&words).min(columns / 2));
    let lead = wrap::cut(lead, room);
    let words = wrap::cut(&words, columns.saturating_sub(text::width(&lead)));
    let note = facts::line(&node.note);
    let left = columns.saturating_sub(text::width(&lead) + text::width(&words) + 2);
    let note = if note.is_empty() || left < 4 { String::new() } else { wrap::cut(&note, left) };
    Line::from(vec![
        Span::styled(lead, look.quiet()),
        Span::styled(words, style),
        Span::styled(if note.is_empty() { note } else { format!("  {note}") }, look.quiet()),
    ])
}

impl Tree {
    fn of(nodes: &[Node], edges: &[Edge]) -> Self {
        let number: BTreeMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
        let mut ways = vec![BTreeSet::new(); nodes.len()];
        for edge in edges {
            let ends = (number.get(edge.from.as_str()), number.get(edge.to.as_str()));
            if let (Some(from), Some(to)) = ends
                && from != to
            {
                ways[*from].insert(*to);
                ways[*to].insert(*from);
            }
        }
        let mut tree = Self {
            children: vec![Vec::new(); nodes.len()],
            rings: vec![Vec::new(); nodes.len()],
            roots: Vec::new(),
        };
        let mut reached = vec![None; nodes.len()];
        for root in 0..nodes.len() {
            if reached[root].is_some() {
                continue;
            }
            reached[root] = Some(root);
            tree.roots.push(root);
            let mut next = VecDeque::from([root]);
            while let Some(at) = next.pop_front() {
                for other in &ways[at] {
                    match reached[*other] {
                        None => {
                            reached[*other] = Some(at);
                            tree.children[at].push(*other);
                            next.push_back(*other);
                        }
                        Some(parent) if reached[at] != Some(*other) && parent != at => {
                            // Each ring is named once, where it was met first.
                            if !tree.rings[*other].contains(&at) {
                                tree.rings[at].push(*other);
                            }
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        tree
    }
}
