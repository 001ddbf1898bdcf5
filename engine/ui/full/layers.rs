//! A map as a layered graph: each place is in the layer of its distance from the first one, so every edge connects
//! neighbouring layers or stays in one. Places are ordered to minimize crossings. If the game gives positions
//! (`lies`), those are used. This module computes the positions; `edge_routes` routes the edges, and `map` draws
//! both.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};

use super::edge_routes::{EdgeRoute, route_band};
use super::fixed_positions::FixedPositions;
use super::map_tree::adjacency;
use crate::base::text;
use crate::protocol::view::{MapEdge, MapNode};

/// The columns that a place needs.
const MIN_SLOT: usize = 20;
/// The columns of a place on a page that would otherwise have to scroll.
const NARROW_SLOT: usize = 13;
/// The most columns of a place.
pub(super) const MAX_SLOT: usize = 36;
/// A layer of at most this many slots is tried in every order; a wider one by swapping pairs.
const MAX_PERMUTED_SLOTS: usize = 5;
/// How often all layers are improved.
const SWEEPS: usize = 8;
/// The cost of a crossing; an edge costs 2 per slot that it goes sideways.
const CROSSING_COST: usize = 10;
/// The number of start orders; the best result is used.
const START_ORDERS: usize = 6;
/// The most pairs compared for one map. Beyond it, the best order found so far is used; nobody reads the drawing of
/// such a map as a whole.
const MAX_COMPARED_PAIRS: usize = 4_000_000;
/// The most edges at one side of a place; more would leave its slot in any order.
const MAX_EDGES_PER_SIDE: usize = MAX_SLOT / 2 + 2;
/// The places of a map in layers, with the edges below each.
pub(super) struct Layers {
    /// The places of each layer, from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// The first column of each place.
    pub(super) columns: Vec<usize>,
    /// The columns of each place.
    pub(super) slot_columns: usize,
    /// The edges below each layer.
    pub(super) bands: Vec<Vec<EdgeRoute>>,
    /// Neighbours in a layer with an edge between them, which is drawn on their first line.
    pub(super) adjacent: BTreeSet<(usize, usize)>,
    /// How far from its first column the edges of a place can end.
    pub(super) edge_reach: usize,
}

/// A layer: the place in each of its slots.
type Slots = Vec<Option<usize>>;

impl Layers {
    /// The layers of a map in so many columns; `None` if it is too wide and may not scroll.
    pub(super) fn of(
        nodes: &[MapNode],
        edges: &[MapEdge],
        columns: usize,
        pans: bool,
    ) -> Option<Self> {
        let ways = adjacency(nodes, edges);
        // Scrolling is better than breaking a word.
        let words = nodes.iter().flat_map(|node| node.label.split(' '));
        let longest = words.map(text::width).max().unwrap_or(0);
        let narrow = (longest + 4).clamp(NARROW_SLOT, MIN_SLOT);
        if let Some(lying) = FixedPositions::of(nodes, &ways) {
            let fits = lying.slot_columns(columns) >= MIN_SLOT;
            let least = if pans { narrow } else { MIN_SLOT };
            return if fits || pans { lying.into_layers(least, columns, &ways) } else { None };
        }
        let rows = assign_layers(&ways);
        if rows.windows(2).any(|pair| has_too_many_edges(pair, &ways)) {
            return None;
        }
        let looks = LayoutBudget(Cell::new(MAX_COMPARED_PAIRS));
        let broadest = rows.iter().map(Vec::len).max()?;
        let fits = columns / broadest >= MIN_SLOT;
        if !fits && pans {
            let slots =
                |least| Self::lay_out_in_slots(rows.clone(), least, columns, (&ways, &looks));
            return slots(narrow).or_else(|| slots(MIN_SLOT));
        }
        if fits { Self::lay_out_in_slots(rows, MIN_SLOT, columns, (&ways, &looks)) } else { None }
    }

    /// Lays out places with at least so many columns each.
    fn lay_out_in_slots(
        rows: Vec<Vec<usize>>,
        least: usize,
        columns: usize,
        (ways, looks): (&[BTreeSet<usize>], &LayoutBudget),
    ) -> Option<Self> {
        let broadest = rows.iter().map(Vec::len).max()?;
        // If there is room, one more slot lets more edges go straight down.
        let slots = if columns / (broadest + 1) >= MIN_SLOT + 4 { broadest + 1 } else { broadest };
        let rows = minimize_crossings(rows, slots, ways, looks);
        let slot = (columns / slots).clamp(least, MAX_SLOT);
        let mut left = vec![0; ways.len()];
        for row in &rows {
            for (at, place) in row.iter().enumerate() {
                place.iter().for_each(|place| left[*place] = at * slot);
            }
        }
        let rows: Vec<Vec<usize>> =
            rows.into_iter().map(|row| row.into_iter().flatten().collect()).collect();
        Self::route_edges(rows, left, slot, ways)
    }

    /// Routes the edges between placed places.
    pub(super) fn route_edges(
        rows: Vec<Vec<usize>>,
        left: Vec<usize>,
        slot: usize,
        ways: &[BTreeSet<usize>],
    ) -> Option<Self> {
        let mut beside = BTreeSet::new();
        for row in &rows {
            let pairs = row.windows(2).map(|pair| (pair[0], pair[1]));
            beside.extend(pairs.filter(|(one, other)| ways[*one].contains(other)));
        }
        let mut layers = Self {
            rows,
            columns: left,
            slot_columns: slot,
            bands: Vec::new(),
            adjacent: beside,
            edge_reach: 0,
        };
        let leave = layers.max_edges_from_left(ways);
        for at in 0..layers.rows.len() {
            let below = layers.rows.get(at + 1).map_or(&[][..], Vec::as_slice);
            let layout = route_band(&layers.rows[at], below, &layers.columns, leave, ways);
            let ends = layout.iter().flat_map(|way| [way.from, way.to]);
            let reach =
                ends.map(|(place, column)| column.saturating_sub(layers.columns[place])).max();
            layers.edge_reach = layers.edge_reach.max(reach.unwrap_or(0));
            layers.bands.push(layout);
        }
        // `None` if the edges of a place need more columns than it has.
        (layers.edge_reach < slot).then_some(layers)
    }

    /// The most edges that a place has towards its left, above or below.
    fn max_edges_from_left(&self, ways: &[BTreeSet<usize>]) -> usize {
        let mut most = 1;
        for pair in self.rows.windows(2) {
            for (these, those) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
                for one in these {
                    let left = |other: &&usize| {
                        self.columns[**other] < self.columns[*one] && ways[*one].contains(other)
                    };
                    most = most.max(those.iter().filter(left).count());
                }
            }
        }
        most
    }
}

/// Groups the places by their distance from the first place of their component.
fn assign_layers(ways: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut depth: Vec<Option<usize>> = vec![None; ways.len()];
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for root in 0..ways.len() {
        if depth[root].is_some() {
            continue;
        }
        depth[root] = Some(0);
        let mut open = VecDeque::from([root]);
        while let Some(at) = open.pop_front() {
            let here = depth[at].unwrap_or(0);
            if rows.len() == here {
                rows.push(Vec::new());
            }
            rows[here].push(at);
            for other in &ways[at] {
                if depth[*other].is_none() {
                    depth[*other] = Some(here + 1);
                    open.push_back(*other);
                }
            }
        }
    }
    rows
}

/// How many pairs may still be compared.
struct LayoutBudget(Cell<usize>);

impl LayoutBudget {
    fn spend(&self, pairs: usize) {
        self.0.set(self.0.get().saturating_sub(pairs));
    }

    fn has_remaining(&self) -> bool {
        self.0.get() > 0
    }
}

/// Whether a place has more edges between two layers than can be drawn.
fn has_too_many_edges(pair: &[Vec<usize>], ways: &[BTreeSet<usize>]) -> bool {
    let of = |here: &[usize], there: &[usize]| {
        let there: BTreeSet<usize> = there.iter().copied().collect();
        here.iter().any(|one| ways[*one].intersection(&there).count() > MAX_EDGES_PER_SIDE)
    };
    of(&pair[0], &pair[1]) || of(&pair[1], &pair[0])
}

/// Orders each layer so that few edges cross and many go straight down, within the budget.
fn minimize_crossings(
    rows: Vec<Vec<usize>>,
    slots: usize,
    ways: &[BTreeSet<usize>],
    looks: &LayoutBudget,
) -> Vec<Slots> {
    let fill = |row: Vec<usize>| -> Slots {
        let free = slots - row.len();
        let row = row.into_iter().map(Some);
        std::iter::repeat_n(None, free / 2)
            .chain(row)
            .chain(std::iter::repeat_n(None, free - free / 2))
            .collect()
    };
    let rows: Vec<Slots> = rows.into_iter().map(fill).collect();
    // Improving layer by layer can end in a local optimum, so several start orders are tried.
    let mut best: Option<(usize, Vec<Slots>)> = None;
    for begun in (0..START_ORDERS).filter(|begun| *begun == 0 || looks.has_remaining()) {
        let mut rows = rows.clone();
        for (at, row) in rows.iter_mut().enumerate() {
            let turn = begun / 2 * (at + 1) % slots.max(1);
            row.rotate_left(turn);
            if begun % 2 == 1 {
                row.reverse();
            }
        }
        for sweep in 0..SWEEPS {
            let mut moved = false;
            for step in 0..rows.len() {
                let at = if sweep % 2 == 0 { step } else { rows.len() - 1 - step };
                moved |= looks.has_remaining() && improve_layer(&mut rows, at, ways, looks);
            }
            if !moved {
                break;
            }
        }
        let pairs: usize =
            rows.windows(2).map(|pair| cost_between(&pair[0], &pair[1], ways, looks)).sum();
        let cost = pairs + rows.iter().map(|row| cost_within(row, ways)).sum::<usize>();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, rows));
        }
    }
    best.map(|(_, rows)| rows).unwrap_or_default()
}

/// Puts a layer in its best order relative to its neighbours; returns whether it changed.
fn improve_layer(
    rows: &mut [Slots],
    at: usize,
    ways: &[BTreeSet<usize>],
    looks: &LayoutBudget,
) -> bool {
    let cost = |rows: &[Slots], row: &Slots| {
        let above =
            at.checked_sub(1).map_or(0, |above| cost_between(&rows[above], row, ways, looks));
        let below = rows.get(at + 1).map_or(0, |below| cost_between(row, below, ways, looks));
        above + below + cost_within(row, ways)
    };
    let (mut best, mut least) = (rows[at].clone(), cost(rows, &rows[at]));
    let before = least;
    let mut try_row = |row: &Slots| {
        if !looks.has_remaining() {
            return;
        }
        let now = cost(rows, row);
        if now < least {
            (best, least) = (row.clone(), now);
        }
    };
    let mut row = rows[at].clone();
    if row.len() <= MAX_PERMUTED_SLOTS {
        let last = row.len();
        try_permutations(&mut row, last, &mut try_row);
    } else {
        for one in 0..row.len() {
            for other in (one + 1..row.len()).take_while(|_| looks.has_remaining()) {
                row.swap(one, other);
                try_row(&row);
                row.swap(one, other);
            }
        }
    }
    rows[at] = best;
    least < before
}

/// Tries every order of the first slots (Heap's algorithm).
fn try_permutations(row: &mut Slots, first: usize, see: &mut impl FnMut(&Slots)) {
    if first <= 1 {
        return see(row);
    }
    for at in 0..first {
        try_permutations(row, first - 1, see);
        let other = if first.is_multiple_of(2) { at } else { 0 };
        row.swap(other, first - 1);
    }
}

/// The cost of the edges between two layers: crossings and sideways distance.
fn cost_between(
    above: &Slots,
    below: &Slots,
    ways: &[BTreeSet<usize>],
    looks: &LayoutBudget,
) -> usize {
    let mut layout: Vec<(usize, usize)> = Vec::new();
    for (from, one) in above.iter().enumerate() {
        for (to, other) in below.iter().enumerate() {
            if let (Some(one), Some(other)) = (one, other)
                && ways[*one].contains(other)
            {
                layout.push((from, to));
            }
        }
    }
    looks.spend(above.len() * below.len() + layout.len() * layout.len() / 2);
    let crosses = |(at, one): (usize, &(usize, usize))| {
        layout[at + 1..].iter().filter(|other| one.0 < other.0 && one.1 > other.1).count()
    };
    let crossings: usize = layout.iter().enumerate().map(crosses).sum();
    let disabled: usize = layout.iter().map(|(from, to)| 2 * from.abs_diff(*to)).sum();
    CROSSING_COST * crossings + disabled
}

/// The cost of the edges within a layer: an edge past a place crosses that place's edges.
fn cost_within(row: &Slots, ways: &[BTreeSet<usize>]) -> usize {
    let mut cost = 0;
    for (from, one) in row.iter().enumerate() {
        for (to, other) in row.iter().enumerate().skip(from + 1) {
            if let (Some(one), Some(other)) = (one, other)
                && ways[*one].contains(other)
            {
                let past = row[from + 1..to].iter().flatten().count();
                cost += CROSSING_COST * past + (to - from);
            }
        }
    }
    cost
}
