//! Positions of the places of a map that the game gives (`lies`), as layers.

use std::collections::BTreeSet;

use super::layers::{Layers, MAX_SLOT};
use crate::protocol::view::MapNode;

/// Positions further apart than this are ignored.
const MAX_POSITION: i64 = 200;

/// Places with positions given by the game.
pub(super) struct FixedPositions {
    /// The places of each layer, from left to right.
    rows: Vec<Vec<usize>>,
    /// The distance of each place from the leftmost one.
    columns: Vec<usize>,
    /// The smallest distance between two places of a layer.
    min_gap: usize,
}

impl FixedPositions {
    /// The positions; `None` if a place has none, two are equal, or an edge skips a layer.
    pub(super) fn of(nodes: &[MapNode], ways: &[BTreeSet<usize>]) -> Option<Self> {
        let lies: Vec<(i64, i64)> =
            nodes.iter().map(|node| node.position).collect::<Option<_>>()?;
        let first = lies.iter().map(|(column, _)| *column).min()?;
        let columns = lies.iter().map(|(column, _)| {
            column.checked_sub(first).filter(|far| *far <= MAX_POSITION).map(|far| far as usize)
        });
        let columns: Vec<usize> = columns.collect::<Option<_>>()?;
        let all: BTreeSet<i64> = lies.iter().map(|(_, row)| *row).collect();
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
        let rank: Vec<usize> = lies.iter().map(|(_, row)| all.range(..row).count()).collect();
        (0..nodes.len()).for_each(|at| rows[rank[at]].push(at));
        rows.iter_mut().for_each(|row| row.sort_by_key(|at| columns[*at]));
        let pairs = rows.iter().flat_map(|row| row.windows(2));
        let apart = pairs.map(|pair| columns[pair[1]] - columns[pair[0]]).min().unwrap_or(1);
        let passes = |at: usize| ways[at].iter().any(|to| rank[at].abs_diff(rank[*to]) > 1);
        (apart > 0 && !(0..nodes.len()).any(passes)).then_some(Self {
            rows,
            columns,
            min_gap: apart,
        })
    }

    /// The screen columns per unit of the game. It is even, so that edges leaving a layer and edges arriving in the
    /// next never share a column.
    fn unit_columns(&self, columns: usize) -> usize {
        let span = self.columns.iter().max().unwrap_or(&0) + self.min_gap;
        columns / span / 2 * 2
    }

    /// The columns of a place if all of them fit.
    pub(super) fn slot_columns(&self, columns: usize) -> usize {
        self.unit_columns(columns) * self.min_gap
    }

    pub(super) fn into_layers(
        self,
        least: usize,
        columns: usize,
        ways: &[BTreeSet<usize>],
    ) -> Option<Layers> {
        let even = |unit: usize| unit.div_ceil(2) * 2;
        let (least, most) = (even(least.div_ceil(self.min_gap)), even(MAX_SLOT / self.min_gap));
        let unit = self.unit_columns(columns).clamp(least, most.max(least));
        let left = self.columns.iter().map(|column| column * unit).collect();
        Layers::route_edges(self.rows, left, unit * self.min_gap, ways)
    }
}
