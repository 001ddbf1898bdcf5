//! Routes the edges below a layer of places. Each edge has its own column at both ends and a row
//! (track) for its horizontal part, so edges cross only where they must and never join.

use std::collections::{BTreeMap, BTreeSet};

/// An edge drawn below a layer.
#[derive(Clone)]
pub(super) struct EdgeRoute {
    /// The place of the layer above, and the column where the edge leaves it.
    pub(super) from: (usize, usize),
    /// The place and column where it arrives: in the layer below, or in the same layer.
    pub(super) to: (usize, usize),
    /// Whether it arrives in the layer below.
    pub(super) goes_down: bool,
    /// The row of its horizontal part; `None` if it goes straight down.
    pub(super) track: Option<usize>,
}

impl EdgeRoute {
    /// The columns of its horizontal part.
    pub(super) fn horizontal_columns(&self) -> (usize, usize) {
        (self.from.1.min(self.to.1), self.from.1.max(self.to.1))
    }

    fn overlaps(&self, other: &Self) -> bool {
        let ((left, right), (from, to)) = (self.horizontal_columns(), other.horizontal_columns());
        left <= to && from <= right
    }
}

/// The edges below a layer. `max_left_edges` columns, two per edge, are free for edges that meet a
/// place from its left.
pub(super) fn route_layer_edges(
    above: &[usize],
    below: &[usize],
    place_columns: &[usize],
    max_left_edges: usize,
    adjacent_nodes: &[BTreeSet<usize>],
) -> Vec<EdgeRoute> {
    // Edges leave in even columns and arrive in odd ones, counted from the middle; only a straight
    // one uses the middle itself. Edges that go further left stand further left.
    let middle = |place: usize| place_columns[place] + 2 * max_left_edges;
    let ports = |here: &[usize], there: &[usize], step: usize| {
        let mut out = BTreeMap::new();
        for one in here {
            let linked_places =
                || there.iter().copied().filter(|other| adjacent_nodes[*one].contains(other));
            let lefts: Vec<usize> = linked_places()
                .filter(|other| place_columns[*other] < place_columns[*one])
                .collect();
            let rights =
                linked_places().filter(|other| place_columns[*other] > place_columns[*one]);
            let straight =
                linked_places().filter(|other| place_columns[*other] == place_columns[*one]);
            out.extend(straight.map(|other| ((*one, other), middle(*one))));
            let last = lefts.len();
            out.extend(
                lefts
                    .into_iter()
                    .enumerate()
                    .map(|(at, other)| ((*one, other), middle(*one) - step - 2 * (last - 1 - at))),
            );
            out.extend(
                rights.enumerate().map(|(at, other)| ((*one, other), middle(*one) + step + 2 * at)),
            );
        }
        out
    };
    let (leaving, arriving) = (ports(above, below, 2), ports(below, above, 1));
    let mut out = Vec::new();
    for ((one, other), column) in &leaving {
        if let Some(to) = arriving.get(&(*other, *one)) {
            let (from, to) = ((*one, *column), (*other, *to));
            out.push(EdgeRoute { from, to, goes_down: true, track: None });
        }
    }
    out.extend(route_within_layer(above, &out, middle, adjacent_nodes));
    let mut best = assign_tracks(out.clone(), true);
    let other = assign_tracks(out, false);
    if count_crossings(&other) < count_crossings(&best) {
        best = other;
    }
    best
}

/// The edges within a layer that pass another place: they leave outside of all others, the shortest
/// outermost.
fn route_within_layer(
    above: &[usize],
    down: &[EdgeRoute],
    middle: impl Fn(usize) -> usize,
    adjacent_nodes: &[BTreeSet<usize>],
) -> Vec<EdgeRoute> {
    let mut spans: Vec<(usize, usize, usize)> = Vec::new();
    for (at, one) in above.iter().enumerate() {
        for (to, other) in above.iter().enumerate().skip(at + 2) {
            if adjacent_nodes[*one].contains(other) {
                spans.push((to - at, *one, *other));
            }
        }
    }
    // The longest first, so that the shortest is outermost.
    spans.sort_by(|one, other| other.cmp(one));
    let mut out: Vec<EdgeRoute> = Vec::new();
    for (_, one, other) in spans {
        let all = || down.iter().chain(&out).flat_map(|way| [way.from, way.to]);
        let of = |place: usize| all().filter(move |(at, _)| *at == place).map(|(_, at)| at);
        let from = of(one).max().unwrap_or(0).max(middle(one)) + 2;
        let to = of(other).min().unwrap_or(usize::MAX).min(middle(other)).saturating_sub(2);
        out.push(EdgeRoute { from: (one, from), to: (other, to), goes_down: false, track: None });
    }
    out
}

/// Assigns tracks. Edges to the right are ordered by their start from right to left, edges to the
/// left the other way round; this avoids unnecessary crossings.
fn assign_tracks(mut edges: Vec<EdgeRoute>, rights_first: bool) -> Vec<EdgeRoute> {
    let rank = |way: &EdgeRoute| {
        let (left, right) = way.horizontal_columns();
        let to_the_right = way.from.1 < way.to.1;
        match (way.goes_down, to_the_right) {
            (false, _) => (0, right - left),
            (true, true) => (if rights_first { 1 } else { 2 }, usize::MAX - way.from.1),
            (true, false) => (if rights_first { 2 } else { 1 }, way.from.1),
        }
    };
    edges.sort_by_key(rank);
    for at in 0..edges.len() {
        let (before, way) = edges.split_at_mut(at);
        let way = &mut way[0];
        if way.from.1 == way.to.1 {
            continue;
        }
        let is_same_direction =
            |other: &&EdgeRoute| rank(other).0 == rank(way).0 && other.overlaps(way);
        let above = before.iter().filter(is_same_direction).filter_map(|other| other.track).max();
        let mut track = above.map_or(0, |above| above + 1);
        let taken_tracks: BTreeSet<usize> = before
            .iter()
            .filter(|other| other.overlaps(way))
            .filter_map(|other| other.track)
            .collect();
        while taken_tracks.contains(&track) {
            track += 1;
        }
        way.track = Some(track);
    }
    edges
}

/// The number of crossings.
fn count_crossings(edges: &[EdgeRoute]) -> usize {
    let crosses = |one: &EdgeRoute, other: &EdgeRoute| {
        // Counts where the vertical parts of `one` cross the horizontal part of `other`.
        let Some(row) = other.track else { return 0 };
        let (left, right) = other.horizontal_columns();
        let inside = |column: usize| left < column && column < right;
        let above = one.track.is_none_or(|track| row < track);
        let below = one.track.is_none_or(|track| row > track);
        let leaves = above && inside(one.from.1);
        let arrives = inside(one.to.1) && if one.goes_down { below } else { above };
        match one.track {
            None => usize::from(inside(one.from.1)),
            Some(_) => usize::from(leaves) + usize::from(arrives),
        }
    };
    let all = edges.iter().enumerate();
    let each = all.flat_map(|(at, one)| edges.iter().enumerate().map(move |two| (at, one, two)));
    each.filter(|(at, _, (of, _))| at != of).map(|(_, one, (_, other))| crosses(one, other)).sum()
}
