//! Lays out a map as a layered graph: each place is in the layer of its distance from the first
//! one, so every edge connects neighbouring layers or stays in one. Places are ordered to minimize
//! crossings. If the game gives positions (`lies`), those are used. This module computes the
//! positions; `edge_routes` routes the edges, and `map_drawing` draws both.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};

use super::edge_routes::{EdgeRoute, route_layer_edges};
use super::fixed_positions::FixedPositions;
use super::map_tree::build_adjacency_sets;
use base::text;
use protocol::view::{MapEdge, MapNode};

/// The columns that a place needs.
const MIN_PLACE_COLUMNS: usize = 20;
/// The columns of a place on a page that would otherwise have to scroll.
const NARROW_PLACE_COLUMNS: usize = 13;
/// The most columns of a place.
pub(super) const MAX_PLACE_COLUMNS: usize = 36;
/// A layer of at most this many slots is tried in every order; a wider one by swapping pairs.
const MAX_PERMUTED_POSITIONS: usize = 5;
/// How often all layers are improved.
const MAX_ORDERING_PASSES: usize = 8;
/// The cost of a crossing; an edge costs 2 per slot that it goes sideways.
const CROSSING_COST: usize = 10;
/// The number of start orders; the best result is used.
const START_ORDER_COUNT: usize = 6;
/// The most pairs compared for one map. Beyond it, the best order found so far is used; nobody
/// reads the drawing of such a map as a whole.
const MAX_COMPARED_PAIRS: usize = 4_000_000;
/// The most edges at one side of a place; more would leave its slot in any order.
const MAX_EDGES_PER_SIDE: usize = MAX_PLACE_COLUMNS / 2 + 2;
/// The places of a map in layers, with the edges below each.
pub(super) struct MapLayers {
    /// The places of each layer, from left to right.
    pub(super) places_by_layer: Vec<Vec<usize>>,
    /// The first column of each place.
    pub(super) place_start_columns: Vec<usize>,
    /// The columns of each place.
    pub(super) columns_per_place: usize,
    /// The edges below each layer.
    pub(super) edges_below_layers: Vec<Vec<EdgeRoute>>,
    /// Neighbours in a layer with an edge between them, which is drawn on their first line.
    pub(super) connected_neighbour_pairs: BTreeSet<(usize, usize)>,
    /// How far from its first column the edges of a place can end.
    pub(super) max_edge_offset_columns: usize,
}

/// A layer: the place in each of its slots.
type LayerOrder = Vec<Option<usize>>;

impl MapLayers {
    /// The layers of a map in so many columns; `None` if it is too wide and may not scroll.
    pub(super) fn lay_out_map(
        nodes: &[MapNode],
        edges: &[MapEdge],
        columns: usize,
        can_scroll: bool,
    ) -> Option<Self> {
        let adjacent_nodes = build_adjacency_sets(nodes, edges);
        // Scrolling is better than breaking a word.
        let words = nodes.iter().flat_map(|node| node.label.split(' '));
        let longest = words.map(text::display_width).max().unwrap_or(0);
        let narrow = (longest + 4).clamp(NARROW_PLACE_COLUMNS, MIN_PLACE_COLUMNS);
        if let Some(fixed_positions) = FixedPositions::from_nodes(nodes, &adjacent_nodes) {
            let fits = fixed_positions.columns_per_place(columns) >= MIN_PLACE_COLUMNS;
            let least = if can_scroll { narrow } else { MIN_PLACE_COLUMNS };
            return if fits || can_scroll {
                fixed_positions.into_layers(least, columns, &adjacent_nodes)
            } else {
                None
            };
        }
        let rows = assign_layers(&adjacent_nodes);
        if rows.windows(2).any(|pair| has_too_many_edges(pair, &adjacent_nodes)) {
            return None;
        }
        let budget = LayoutBudget(Cell::new(MAX_COMPARED_PAIRS));
        let max_layer_places = rows.iter().map(Vec::len).max()?;
        let fits = columns / max_layer_places >= MIN_PLACE_COLUMNS;
        if !fits && can_scroll {
            let slots = |least| {
                Self::lay_out_layers(rows.clone(), least, columns, (&adjacent_nodes, &budget))
            };
            return slots(narrow).or_else(|| slots(MIN_PLACE_COLUMNS));
        }
        if fits {
            Self::lay_out_layers(rows, MIN_PLACE_COLUMNS, columns, (&adjacent_nodes, &budget))
        } else {
            None
        }
    }

    /// Lays out places with at least so many columns each.
    fn lay_out_layers(
        rows: Vec<Vec<usize>>,
        min_slot_columns: usize,
        columns: usize,
        (adjacent_nodes, budget): (&[BTreeSet<usize>], &LayoutBudget),
    ) -> Option<Self> {
        let max_layer_places = rows.iter().map(Vec::len).max()?;
        // If there is room, one more slot lets more edges go straight down.
        let slots = if columns / (max_layer_places + 1) >= MIN_PLACE_COLUMNS + 4 {
            max_layer_places + 1
        } else {
            max_layer_places
        };
        let rows = minimize_crossings(rows, slots, adjacent_nodes, budget);
        let slot = (columns / slots).clamp(min_slot_columns, MAX_PLACE_COLUMNS);
        let mut place_columns = vec![0; adjacent_nodes.len()];
        for row in &rows {
            for (at, place) in row.iter().enumerate() {
                place.iter().for_each(|place| place_columns[*place] = at * slot);
            }
        }
        let rows: Vec<Vec<usize>> =
            rows.into_iter().map(|row| row.into_iter().flatten().collect()).collect();
        Self::route_edges(rows, place_columns, slot, adjacent_nodes)
    }

    /// Routes the edges between placed places.
    pub(super) fn route_edges(
        rows: Vec<Vec<usize>>,
        place_columns: Vec<usize>,
        slot_columns: usize,
        adjacent_nodes: &[BTreeSet<usize>],
    ) -> Option<Self> {
        let mut adjacent_pairs = BTreeSet::new();
        for row in &rows {
            let pairs = row.windows(2).map(|pair| (pair[0], pair[1]));
            adjacent_pairs
                .extend(pairs.filter(|(one, other)| adjacent_nodes[*one].contains(other)));
        }
        let mut layers = Self {
            places_by_layer: rows,
            place_start_columns: place_columns,
            columns_per_place: slot_columns,
            edges_below_layers: Vec::new(),
            connected_neighbour_pairs: adjacent_pairs,
            max_edge_offset_columns: 0,
        };
        let max_left_edges = layers.max_edges_from_left(adjacent_nodes);
        for at in 0..layers.places_by_layer.len() {
            let below = layers.places_by_layer.get(at + 1).map_or(&[][..], Vec::as_slice);
            let edges = route_layer_edges(
                &layers.places_by_layer[at],
                below,
                &layers.place_start_columns,
                max_left_edges,
                adjacent_nodes,
            );
            let ends = edges.iter().flat_map(|way| [way.from, way.to]);
            let reach = ends
                .map(|(place, column)| column.saturating_sub(layers.place_start_columns[place]))
                .max();
            layers.max_edge_offset_columns = layers.max_edge_offset_columns.max(reach.unwrap_or(0));
            layers.edges_below_layers.push(edges);
        }
        // `None` if the edges of a place need more columns than it has.
        (layers.max_edge_offset_columns < slot_columns).then_some(layers)
    }

    /// The most edges that a place has towards its left, above or below.
    fn max_edges_from_left(&self, adjacent_nodes: &[BTreeSet<usize>]) -> usize {
        let mut most = 1;
        for pair in self.places_by_layer.windows(2) {
            for (these, those) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
                for one in these {
                    let left = |other: &&usize| {
                        self.place_start_columns[**other] < self.place_start_columns[*one]
                            && adjacent_nodes[*one].contains(other)
                    };
                    most = most.max(those.iter().filter(left).count());
                }
            }
        }
        most
    }
}

/// Groups the places by their distance from the first place of their component.
fn assign_layers(adjacent_nodes: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut depth: Vec<Option<usize>> = vec![None; adjacent_nodes.len()];
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for root in 0..adjacent_nodes.len() {
        if depth[root].is_some() {
            continue;
        }
        depth[root] = Some(0);
        let mut queue = VecDeque::from([root]);
        while let Some(at) = queue.pop_front() {
            let layer = depth[at].unwrap_or(0);
            if rows.len() == layer {
                rows.push(Vec::new());
            }
            rows[layer].push(at);
            for other in &adjacent_nodes[at] {
                if depth[*other].is_none() {
                    depth[*other] = Some(layer + 1);
                    queue.push_back(*other);
                }
            }
        }
    }
    rows
}

/// How many pairs may still be compared.
struct LayoutBudget(Cell<usize>);

impl LayoutBudget {
    fn spend_comparisons(&self, pairs: usize) {
        self.0.set(self.0.get().saturating_sub(pairs));
    }

    fn has_remaining(&self) -> bool {
        self.0.get() > 0
    }
}

/// Whether a place has more edges between two layers than can be drawn.
fn has_too_many_edges(pair: &[Vec<usize>], adjacent_nodes: &[BTreeSet<usize>]) -> bool {
    let exceeds_limit = |here: &[usize], there: &[usize]| {
        let there: BTreeSet<usize> = there.iter().copied().collect();
        here.iter()
            .any(|one| adjacent_nodes[*one].intersection(&there).count() > MAX_EDGES_PER_SIDE)
    };
    exceeds_limit(&pair[0], &pair[1]) || exceeds_limit(&pair[1], &pair[0])
}

/// Orders each layer so that few edges cross and many go straight down, within the budget.
fn minimize_crossings(
    rows: Vec<Vec<usize>>,
    slots: usize,
    adjacent_nodes: &[BTreeSet<usize>],
    budget: &LayoutBudget,
) -> Vec<LayerOrder> {
    let center_in_slots = |row: Vec<usize>| -> LayerOrder {
        let free = slots - row.len();
        let row = row.into_iter().map(Some);
        std::iter::repeat_n(None, free / 2)
            .chain(row)
            .chain(std::iter::repeat_n(None, free - free / 2))
            .collect()
    };
    let rows: Vec<LayerOrder> = rows.into_iter().map(center_in_slots).collect();
    // Improving layer by layer can end in a local optimum, so several start orders are tried.
    let mut best: Option<(usize, Vec<LayerOrder>)> = None;
    for begun in (0..START_ORDER_COUNT).filter(|begun| *begun == 0 || budget.has_remaining()) {
        let mut rows = rows.clone();
        for (at, row) in rows.iter_mut().enumerate() {
            let rotation = begun / 2 * (at + 1) % slots.max(1);
            row.rotate_left(rotation);
            if begun % 2 == 1 {
                row.reverse();
            }
        }
        for sweep in 0..MAX_ORDERING_PASSES {
            let mut has_changed = false;
            for step in 0..rows.len() {
                let at = if sweep % 2 == 0 { step } else { rows.len() - 1 - step };
                has_changed |=
                    budget.has_remaining() && improve_layer(&mut rows, at, adjacent_nodes, budget);
            }
            if !has_changed {
                break;
            }
        }
        let pairs: usize = rows
            .windows(2)
            .map(|pair| cost_between_layers(&pair[0], &pair[1], adjacent_nodes, budget))
            .sum();
        let cost =
            pairs + rows.iter().map(|row| cost_within_layer(row, adjacent_nodes)).sum::<usize>();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, rows));
        }
    }
    best.map(|(_, rows)| rows).unwrap_or_default()
}

/// Puts a layer in its best order relative to its adjacent_nodes; returns whether it changed.
fn improve_layer(
    rows: &mut [LayerOrder],
    at: usize,
    adjacent_nodes: &[BTreeSet<usize>],
    budget: &LayoutBudget,
) -> bool {
    let cost = |rows: &[LayerOrder], row: &LayerOrder| {
        let above = at
            .checked_sub(1)
            .map_or(0, |above| cost_between_layers(&rows[above], row, adjacent_nodes, budget));
        let below = rows
            .get(at + 1)
            .map_or(0, |below| cost_between_layers(row, below, adjacent_nodes, budget));
        above + below + cost_within_layer(row, adjacent_nodes)
    };
    let (mut best, mut lowest_cost) = (rows[at].clone(), cost(rows, &rows[at]));
    let previous_cost = lowest_cost;
    let mut try_row = |row: &LayerOrder| {
        if !budget.has_remaining() {
            return;
        }
        let new_cost = cost(rows, row);
        if new_cost < lowest_cost {
            (best, lowest_cost) = (row.clone(), new_cost);
        }
    };
    let mut row = rows[at].clone();
    if row.len() <= MAX_PERMUTED_POSITIONS {
        let last = row.len();
        try_permutations(&mut row, last, &mut try_row);
    } else {
        for one in 0..row.len() {
            for other in (one + 1..row.len()).take_while(|_| budget.has_remaining()) {
                row.swap(one, other);
                try_row(&row);
                row.swap(one, other);
            }
        }
    }
    rows[at] = best;
    lowest_cost < previous_cost
}

/// Tries every order of the first slots (Heap's algorithm).
fn try_permutations(row: &mut LayerOrder, first: usize, visit: &mut impl FnMut(&LayerOrder)) {
    if first <= 1 {
        return visit(row);
    }
    for at in 0..first {
        try_permutations(row, first - 1, visit);
        let other = if first.is_multiple_of(2) { at } else { 0 };
        row.swap(other, first - 1);
    }
}

/// The cost of the edges between two layers: crossings and sideways distance.
fn cost_between_layers(
    above: &LayerOrder,
    below: &LayerOrder,
    adjacent_nodes: &[BTreeSet<usize>],
    budget: &LayoutBudget,
) -> usize {
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (from, one) in above.iter().enumerate() {
        for (to, other) in below.iter().enumerate() {
            if let (Some(one), Some(other)) = (one, other)
                && adjacent_nodes[*one].contains(other)
            {
                edges.push((from, to));
            }
        }
    }
    budget.spend_comparisons(above.len() * below.len() + edges.len() * edges.len() / 2);
    let crosses = |(at, one): (usize, &(usize, usize))| {
        edges[at + 1..].iter().filter(|other| one.0 < other.0 && one.1 > other.1).count()
    };
    let crossings: usize = edges.iter().enumerate().map(crosses).sum();
    let sideways_distance: usize = edges.iter().map(|(from, to)| 2 * from.abs_diff(*to)).sum();
    CROSSING_COST * crossings + sideways_distance
}

/// The cost of the edges within a layer: an edge past a place crosses that place's edges.
fn cost_within_layer(row: &LayerOrder, adjacent_nodes: &[BTreeSet<usize>]) -> usize {
    let mut cost = 0;
    for (from, one) in row.iter().enumerate() {
        for (to, other) in row.iter().enumerate().skip(from + 1) {
            if let (Some(one), Some(other)) = (one, other)
                && adjacent_nodes[*one].contains(other)
            {
                let passed_places = row[from + 1..to].iter().flatten().count();
                cost += CROSSING_COST * passed_places + (to - from);
            }
        }
    }
    cost
}
