//! Counts edge crossings on a drawn map, and the minimum over all orders of its layers.

use std::collections::BTreeSet;

use protocol::view::{MapEdge, MapNode};

/// The number of edges that cross others in a row: several may stand beside each other, between a
/// line from the left and one to the right.
pub fn crossings_in_row(row: &str) -> usize {
    let symbols: Vec<char> = row.chars().collect();
    let mut crossing_count = 0;
    for (start, length) in find_runs(&symbols, '│') {
        let before = start.checked_sub(1).and_then(|start| symbols.get(start));
        let after = symbols.get(start + length);
        let enters_from_left = before.is_some_and(|symbol| "─└┌".contains(*symbol));
        crossing_count += if enters_from_left && after.is_some_and(|symbol| "─┐┘".contains(*symbol))
        {
            length
        } else {
            0
        };
    }
    crossing_count
}

/// The runs of a sign: position and length.
fn find_runs(symbols: &[char], symbol: char) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for index in (0..symbols.len()).filter(|at| symbols[*at] == symbol) {
        match runs.last_mut() {
            Some((run_start, length)) if *run_start + *length == index => *length += 1,
            _ => runs.push((index, 1)),
        }
    }
    runs
}

/// The minimum number of crossings over all orders of a map's layers, where a layer is the distance
/// from the first place. None where a layer is so broad that there are too many orders.
pub fn min_crossings(nodes: &[MapNode], edges: &[MapEdge]) -> Option<usize> {
    let node_index = |id: &str| nodes.iter().position(|node| node.id == id);
    let edge_pairs: BTreeSet<(usize, usize)> = edges
        .iter()
        .filter_map(|edge| Some((node_index(&edge.from)?, node_index(&edge.to)?)))
        .flat_map(|(first, second)| [(first, second), (second, first)])
        .collect();
    let mut visited_indices = BTreeSet::from([0]);
    let mut layers = vec![vec![0]];
    while let Some(last_layer) = layers.last().filter(|last_layer| !last_layer.is_empty()) {
        let is_adjacent = |place: &usize| {
            last_layer.iter().any(|place_above| edge_pairs.contains(&(*place_above, *place)))
        };
        let next_layer: Vec<usize> = (0..nodes.len())
            .filter(|place| !visited_indices.contains(place) && is_adjacent(place))
            .collect();
        visited_indices.extend(&next_layer);
        layers.push(next_layer);
    }
    if visited_indices.len() < nodes.len() || layers.iter().any(|layer| layer.len() > 4) {
        return None;
    }
    let mut best_orders: Vec<(Vec<usize>, usize)> = vec![(Vec::new(), 0)];
    for (index, layer) in layers.iter().enumerate() {
        let layer_below = layers.get(index + 1).map_or(&[][..], Vec::as_slice);
        let order_costs = permutations(layer).into_iter().map(|order| {
            let cost_within = crossings_within_layer(&order, layer_below, &edge_pairs);
            let total_costs = best_orders.iter().map(|(order_above, cost)| {
                cost + crossings_between_layers(order_above, &order, &edge_pairs)
            });
            (total_costs.min().unwrap_or(0) + cost_within, order)
        });
        best_orders = order_costs.map(|(cost, order)| (order, cost)).collect();
    }
    best_orders.into_iter().map(|(_, cost)| cost).min()
}

/// Every order of a few places.
fn permutations(places: &[usize]) -> Vec<Vec<usize>> {
    if places.len() < 2 {
        return vec![places.to_vec()];
    }
    let mut result = Vec::new();
    for (index, first) in places.iter().enumerate() {
        let remaining: Vec<usize> = [&places[..index], &places[index + 1..]].concat();
        result.extend(
            permutations(&remaining).into_iter().map(|order| [&[*first][..], &order].concat()),
        );
    }
    result
}

/// The number of crossings between two layers in these orders.
fn crossings_between_layers(
    upper_layer: &[usize],
    lower_layer: &[usize],
    edge_pairs: &BTreeSet<(usize, usize)>,
) -> usize {
    let mut edges_between = Vec::new();
    for (source_index, first) in upper_layer.iter().enumerate() {
        let targets = lower_layer
            .iter()
            .enumerate()
            .filter(|(_, place_below)| edge_pairs.contains(&(*first, **place_below)));
        edges_between.extend(targets.map(|(target_index, _)| (source_index, target_index)));
    }
    let count_crossings = |(index, first): (usize, &(usize, usize))| {
        edges_between[index + 1..]
            .iter()
            .filter(|other_edge| first.0 < other_edge.0 && first.1 > other_edge.1)
            .count()
    };
    edges_between.iter().enumerate().map(count_crossings).sum()
}

/// The crossings of an edge past others of its layer: it goes beneath them.
fn crossings_within_layer(
    order: &[usize],
    layer_below: &[usize],
    edge_pairs: &BTreeSet<(usize, usize)>,
) -> usize {
    let edges_below = |place: &usize| {
        layer_below
            .iter()
            .filter(|place_below| edge_pairs.contains(&(*place, **place_below)))
            .count()
    };
    let mut crossing_count = 0;
    for (source_index, source) in order.iter().enumerate() {
        for (target_index, target) in order.iter().enumerate().skip(source_index + 2) {
            if edge_pairs.contains(&(*source, *target)) {
                crossing_count +=
                    order[source_index + 1..target_index].iter().map(edges_below).sum::<usize>();
            }
        }
    }
    crossing_count
}
