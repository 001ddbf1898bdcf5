//! A graph of places as a tree of the ways between them, begun at the first place, with the ways
//! that close rings beside it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::play::view::{Edge, Node};

/// The places of a map by number, with the ways that make the tree and those that close rings.
pub(super) struct Tree {
    /// For each place, those that are reached first from it.
    pub(super) children: Vec<Vec<usize>>,
    /// For each place, those that a further way leads to; each such way stands at one of its ends.
    pub(super) rings: Vec<Vec<usize>>,
    /// Places that nothing known leads to.
    pub(super) roots: Vec<usize>,
}

impl Tree {
    pub(super) fn of(nodes: &[Node], edges: &[Edge]) -> Self {
        let ways = ways(nodes, edges);
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

/// For each place, those that a way leads to.
pub(super) fn ways(nodes: &[Node], edges: &[Edge]) -> Vec<BTreeSet<usize>> {
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
    ways
}
