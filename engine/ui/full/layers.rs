//! A graph of places in layers: each as far from the first place as it can be reached soonest, so
//! that every way goes from one layer to the next or stays in one. Here is worked out where each
//! place and each way stands; `map` draws it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::tree::ways;
use crate::play::view::{Edge, Node};

/// Columns that a place needs at least.
const LEAST_SLOT: usize = 20;
/// Columns that a place is given at most.
const MOST_SLOT: usize = 36;

/// The places of a map in layers, with the ways below each.
pub(super) struct Layers {
    /// The places of each layer, from left to right.
    pub(super) rows: Vec<Vec<usize>>,
    /// Where each place begins.
    pub(super) left: Vec<usize>,
    /// How many columns each place has.
    pub(super) slot: usize,
    /// The ways below each layer.
    pub(super) bands: Vec<Vec<Way>>,
}

/// A way, drawn below a layer.
pub(super) struct Way {
    /// The place of the layer above, and the column in which the way leaves it.
    pub(super) from: (usize, usize),
    /// Where it arrives: in the layer below, or in the same one again.
    pub(super) to: (usize, usize),
    /// Whether it arrives in the layer below.
    pub(super) down: bool,
    /// The row of its stretch across; none where it goes straight down.
    pub(super) track: Option<usize>,
}

impl Way {
    /// The columns of its stretch across.
    pub(super) fn across(&self) -> (usize, usize) {
        (self.from.1.min(self.to.1), self.from.1.max(self.to.1))
    }
}

impl Layers {
    /// The layers of a map in so many columns; `None` where it is in several parts or too broad.
    pub(super) fn of(nodes: &[Node], edges: &[Edge], columns: usize) -> Option<Self> {
        let ways = ways(nodes, edges);
        let rows = in_rows(&ways)?;
        let broadest = rows.iter().map(Vec::len).max()?;
        if columns / broadest < LEAST_SLOT {
            return None;
        }
        // Everything begins in a column that four divides, so that ways find theirs between.
        let slot = (columns / broadest).min(MOST_SLOT) / 4 * 4;
        let left = lefts(&rows, &ways, broadest, slot);
        let mut layers = Self { rows, left, slot, bands: Vec::new() };
        for at in 0..layers.rows.len() {
            let band = layers.band(at, &ways);
            let fits = |(place, column): (usize, usize)| column < layers.left[place] + layers.slot;
            if !band.iter().all(|way| fits(way.from) && fits(way.to)) {
                return None;
            }
            layers.bands.push(band);
        }
        Some(layers)
    }

    /// The ways below a layer, each with columns of its own.
    fn band(&self, at: usize, ways: &[BTreeSet<usize>]) -> Vec<Way> {
        let (above, below) = (&self.rows[at], self.rows.get(at + 1).map_or(&[][..], Vec::as_slice));
        let straight = |one: usize, other: usize| {
            self.left[one] == self.left[other] && ways[one].contains(&other)
        };
        // A place's own first column is free for a way down where nothing stands right below that
        // the way does not lead to.
        let mut leaving: BTreeMap<usize, usize> = BTreeMap::new();
        for one in above {
            let over = below.iter().any(|other| self.left[*one] == self.left[*other]);
            leaving.insert(*one, self.left[*one] + if over { 2 } else { 0 });
        }
        let mut arriving: BTreeMap<usize, usize> = BTreeMap::new();
        for other in below {
            let met = above.iter().any(|one| straight(*one, *other));
            arriving.insert(*other, self.left[*other] + if met { 3 } else { 0 });
        }
        // Arrivals from the right come first, and departures to the left: so fewest ways cross.
        let mut arrivals = BTreeMap::new();
        for other in below {
            let from = above.iter().rev().filter(|one| ways[**one].contains(other));
            for one in from.filter(|one| !straight(**one, *other)) {
                let column = next(&mut arriving, *other);
                // Further ways arrive in odd columns, where none leaves.
                arriving.entry(*other).and_modify(|at| *at |= 1);
                arrivals.insert((*one, *other), column);
            }
        }
        let mut out = Vec::new();
        for (index, one) in above.iter().enumerate() {
            for other in below.iter().filter(|other| ways[*one].contains(other)) {
                let (from, to) = match arrivals.get(&(*one, *other)) {
                    Some(to) => (next(&mut leaving, *one), *to),
                    None => (self.left[*one], self.left[*other]),
                };
                out.push(Way { from: (*one, from), to: (*other, to), down: true, track: None });
            }
            for other in above[index + 1..].iter().filter(|other| ways[*one].contains(other)) {
                let (from, to) = (next(&mut leaving, *one), next(&mut leaving, *other));
                out.push(Way { from: (*one, from), to: (*other, to), down: false, track: None });
            }
        }
        tracks(&mut out);
        out
    }
}

/// Where each place begins: as near below those that lead to it as its neighbours allow.
fn lefts(
    rows: &[Vec<usize>],
    ways: &[BTreeSet<usize>],
    broadest: usize,
    slot: usize,
) -> Vec<usize> {
    let mut at: Vec<usize> = vec![0; ways.len()];
    for (index, row) in rows.iter().enumerate() {
        let mut free = 0;
        for (done, place) in row.iter().enumerate() {
            let above = rows[..index].last().map_or(&[][..], Vec::as_slice);
            let met = above.iter().filter(|one| ways[*place].contains(one)).map(|one| at[*one]);
            let (sum, count) = met.fold((0, 0), |(sum, count), one| (sum + one, count + 1));
            let wanted = (sum * 2 + count) / (count * 2).max(1);
            let last = broadest - (row.len() - done);
            at[*place] = wanted.clamp(free.min(last), last);
            free = at[*place] + 1;
        }
    }
    at.into_iter().map(|at| at * slot).collect()
}

/// The next column at a place.
fn next(columns: &mut BTreeMap<usize, usize>, place: usize) -> usize {
    let column = columns.entry(place).or_default();
    *column += 2;
    *column - 2
}

/// Gives each way that goes across a row, long ones first; those that do not meet share one.
fn tracks(band: &mut [Way]) {
    let mut order: Vec<usize> = (0..band.len()).collect();
    order.sort_by_key(|at| {
        let (left, right) = band[*at].across();
        (band[*at].down, Reverse(right - left), left)
    });
    let mut taken: Vec<Vec<(usize, usize)>> = Vec::new();
    for at in order {
        let (left, right) = band[at].across();
        if left == right {
            continue;
        }
        let free = |row: &Vec<(usize, usize)>| row.iter().all(|(l, r)| *r < left || right < *l);
        let track = taken.iter().position(free).unwrap_or(taken.len());
        if track == taken.len() {
            taken.push(Vec::new());
        }
        taken[track].push((left, right));
        band[at].track = Some(track);
    }
}

/// The places by how far they are from the first, each row in the order of those above it.
fn in_rows(ways: &[BTreeSet<usize>]) -> Option<Vec<Vec<usize>>> {
    let mut depth: Vec<Option<usize>> = vec![None; ways.len()];
    *depth.first_mut()? = Some(0);
    let mut open = VecDeque::from([0]);
    let mut rows: Vec<Vec<usize>> = Vec::new();
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
    if depth.iter().any(Option::is_none) {
        return None;
    }
    for at in 1..rows.len() {
        // As thousandths of the row above, so that whole numbers are enough.
        let above = rows[at - 1].clone();
        let middle = |place: &usize| {
            let met = above.iter().enumerate().filter(|(_, one)| ways[*place].contains(one));
            let (sum, count) =
                met.fold((0, 0), |(sum, count), (index, _)| (sum + index, count + 1));
            sum * 1_000 / above.len() / count.max(1)
        };
        rows[at].sort_by_key(middle);
    }
    Some(rows)
}
