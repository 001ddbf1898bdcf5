//! A map as a tree that begins at the first place. Edges that would close a cycle are listed
//! separately.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use protocol::view::{MapEdge, MapNode};

/// The places of a map by index: tree edges, and edges that close cycles.
pub(super) struct MapTree {
    /// For each place, the places first reached from it.
    pub(super) children: Vec<Vec<usize>>,
    /// For each place, the other ends of its cycle edges; each edge is listed at one end.
    pub(super) cycle_edges: Vec<Vec<usize>>,
    /// Places without a known edge from an earlier one.
    pub(super) roots: Vec<usize>,
}

impl MapTree {
    pub(super) fn from_nodes(nodes: &[MapNode], edges: &[MapEdge]) -> Self {
        let adjacent_nodes = build_adjacency_sets(nodes, edges);
        let mut tree = Self {
            children: vec![Vec::new(); nodes.len()],
            cycle_edges: vec![Vec::new(); nodes.len()],
            roots: Vec::new(),
        };
        let mut parents = vec![None; nodes.len()];
        for root in 0..nodes.len() {
            if parents[root].is_some() {
                continue;
            }
            parents[root] = Some(root);
            tree.roots.push(root);
            let mut queue = VecDeque::from([root]);
            while let Some(at) = queue.pop_front() {
                for other in &adjacent_nodes[at] {
                    match parents[*other] {
                        None => {
                            parents[*other] = Some(at);
                            tree.children[at].push(*other);
                            queue.push_back(*other);
                        }
                        Some(parent) if parents[at] != Some(*other) && parent != at => {
                            // Each cycle edge is listed once, where it was found first.
                            if !tree.cycle_edges[*other].contains(&at) {
                                tree.cycle_edges[at].push(*other);
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

/// For each place, the places connected with it.
pub(super) fn build_adjacency_sets(nodes: &[MapNode], edges: &[MapEdge]) -> Vec<BTreeSet<usize>> {
    let index_by_id: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
    let mut adjacent_nodes = vec![BTreeSet::new(); nodes.len()];
    for edge in edges {
        let ends = (index_by_id.get(edge.from.as_str()), index_by_id.get(edge.to.as_str()));
        if let (Some(from), Some(to)) = ends
            && from != to
        {
            adjacent_nodes[*from].insert(*to);
            adjacent_nodes[*to].insert(*from);
        }
    }
    adjacent_nodes
}
