//! Positions of the places of a map that the game gives (`MapNode::position`), as layers.

use std::collections::BTreeSet;

use super::map_layers::{MAX_PLACE_COLUMNS, MapLayers};
use protocol::view::MapNode;

/// Positions further apart than this are ignored.
const MAX_POSITION_DISTANCE: i64 = 200;

/// Places with positions given by the game.
pub(super) struct FixedPositions {
    /// The places of each layer, from left to right.
    places_by_layer: Vec<Vec<usize>>,
    /// The distance of each place from the leftmost one.
    place_columns: Vec<usize>,
    /// The smallest distance between two places of a layer.
    min_gap: usize,
}

impl FixedPositions {
    /// The positions; `None` if a place has none, two are equal, or an edge skips a layer.
    pub(super) fn from_nodes(
        nodes: &[MapNode],
        adjacent_nodes: &[BTreeSet<usize>],
    ) -> Option<Self> {
        let positions: Vec<(i64, i64)> =
            nodes.iter().map(|node| node.position).collect::<Option<_>>()?;
        let leftmost_column = positions.iter().map(|(column, _)| *column).min()?;
        let columns = positions.iter().map(|(column, _)| {
            column
                .checked_sub(leftmost_column)
                .filter(|far| *far <= MAX_POSITION_DISTANCE)
                .map(|far| far as usize)
        });
        let columns: Vec<usize> = columns.collect::<Option<_>>()?;
        let distinct_rows: BTreeSet<i64> = positions.iter().map(|(_, row)| *row).collect();
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); distinct_rows.len()];
        let layer_by_place: Vec<usize> =
            positions.iter().map(|(_, row)| distinct_rows.range(..row).count()).collect();
        (0..nodes.len()).for_each(|at| rows[layer_by_place[at]].push(at));
        rows.iter_mut().for_each(|row| row.sort_by_key(|at| columns[*at]));
        let pairs = rows.iter().flat_map(|row| row.windows(2));
        let min_gap = pairs.map(|pair| columns[pair[1]] - columns[pair[0]]).min().unwrap_or(1);
        let skips_layer = |at: usize| {
            adjacent_nodes[at].iter().any(|to| layer_by_place[at].abs_diff(layer_by_place[*to]) > 1)
        };
        (min_gap > 0 && !(0..nodes.len()).any(skips_layer)).then_some(Self {
            places_by_layer: rows,
            place_columns: columns,
            min_gap,
        })
    }

    /// The screen columns per unit of the game. It is even, so that edges leaving a layer and edges
    /// arriving in the next never share a column.
    fn columns_per_position_unit(&self, columns: usize) -> usize {
        let span = self.place_columns.iter().max().unwrap_or(&0) + self.min_gap;
        columns / span / 2 * 2
    }

    /// The columns of a place if all of them fit.
    pub(super) fn columns_per_place(&self, columns: usize) -> usize {
        self.columns_per_position_unit(columns) * self.min_gap
    }

    pub(super) fn into_layers(
        self,
        min_slot_columns: usize,
        columns: usize,
        adjacent_nodes: &[BTreeSet<usize>],
    ) -> Option<MapLayers> {
        let even = |unit: usize| unit.div_ceil(2) * 2;
        let (least, most) =
            (even(min_slot_columns.div_ceil(self.min_gap)), even(MAX_PLACE_COLUMNS / self.min_gap));
        let unit = self.columns_per_position_unit(columns).clamp(least, most.max(least));
        let left = self.place_columns.iter().map(|column| column * unit).collect();
        MapLayers::route_edges(self.places_by_layer, left, unit * self.min_gap, adjacent_nodes)
    }
}
