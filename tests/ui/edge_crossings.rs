//! Counts edge crossings on a drawn map, and the minimum over all orders of its layers.

use std::collections::BTreeSet;

use engine::protocol::view::{MapEdge, MapNode};

/// The number of edges that cross others in a row: several may stand beside each other, between a
/// line from the left and one to the right.
pub fn crossings_in_row(row: &str) -> usize {
    let signs: Vec<char> = row.chars().collect();
    let mut over = 0;
    for (at, run) in runs_of(&signs, '│') {
        let before = at.checked_sub(1).and_then(|at| signs.get(at));
        let after = signs.get(at + run);
        let passes = before.is_some_and(|sign| "─└┌".contains(*sign));
        over +=
            if passes && after.is_some_and(|sign| "─┐┘".contains(*sign)) { run } else { 0 };
    }
    over
}

/// The runs of a sign: position and length.
fn runs_of(signs: &[char], of: char) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..signs.len()).filter(|at| signs[*at] == of) {
        match runs.last_mut() {
            Some((from, run)) if *from + *run == at => *run += 1,
            _ => runs.push((at, 1)),
        }
    }
    runs
}

/// The minimum number of crossings over all orders of a map's layers, where a layer is the distance
/// from the first place. None where a layer is so broad that there are too many orders.
pub fn least_crossings(nodes: &[MapNode], edges: &[MapEdge]) -> Option<usize> {
    let at = |id: &str| nodes.iter().position(|node| node.id == id);
    let ways: BTreeSet<(usize, usize)> = edges
        .iter()
        .filter_map(|edge| Some((at(&edge.from)?, at(&edge.to)?)))
        .flat_map(|(one, other)| [(one, other), (other, one)])
        .collect();
    let mut seen = BTreeSet::from([0]);
    let mut layers = vec![vec![0]];
    while let Some(last) = layers.last().filter(|last| !last.is_empty()) {
        let next = |place: &usize| last.iter().any(|from| ways.contains(&(*from, *place)));
        let next: Vec<usize> =
            (0..nodes.len()).filter(|place| !seen.contains(place) && next(place)).collect();
        seen.extend(&next);
        layers.push(next);
    }
    if seen.len() < nodes.len() || layers.iter().any(|layer| layer.len() > 4) {
        return None;
    }
    let mut best: Vec<(Vec<usize>, usize)> = vec![(Vec::new(), 0)];
    for (depth, layer) in layers.iter().enumerate() {
        let below = layers.get(depth + 1).map_or(&[][..], Vec::as_slice);
        let each = orders(layer).into_iter().map(|order| {
            let alone = beneath(&order, below, &ways);
            let costs = best.iter().map(|(above, cost)| cost + between(above, &order, &ways));
            (costs.min().unwrap_or(0) + alone, order)
        });
        best = each.map(|(cost, order)| (order, cost)).collect();
    }
    best.into_iter().map(|(_, cost)| cost).min()
}

/// Every order of a few places.
fn orders(all: &[usize]) -> Vec<Vec<usize>> {
    if all.len() < 2 {
        return vec![all.to_vec()];
    }
    let mut out = Vec::new();
    for (at, first) in all.iter().enumerate() {
        let rest: Vec<usize> = [&all[..at], &all[at + 1..]].concat();
        out.extend(orders(&rest).into_iter().map(|order| [&[*first][..], &order].concat()));
    }
    out
}

/// The number of crossings between two layers in these orders.
fn between(above: &[usize], below: &[usize], ways: &BTreeSet<(usize, usize)>) -> usize {
    let mut laid = Vec::new();
    for (from, one) in above.iter().enumerate() {
        let to = below.iter().enumerate().filter(|(_, other)| ways.contains(&(*one, **other)));
        laid.extend(to.map(|(to, _)| (from, to)));
    }
    let crosses = |(at, one): (usize, &(usize, usize))| {
        laid[at + 1..].iter().filter(|other| one.0 < other.0 && one.1 > other.1).count()
    };
    laid.iter().enumerate().map(crosses).sum()
}

/// The crossings of an edge past others of its layer: it goes beneath them.
fn beneath(order: &[usize], below: &[usize], ways: &BTreeSet<(usize, usize)>) -> usize {
    let down = |place: &usize| below.iter().filter(|to| ways.contains(&(*place, **to))).count();
    let mut all = 0;
    for (from, one) in order.iter().enumerate() {
        for (to, other) in order.iter().enumerate().skip(from + 2) {
            if ways.contains(&(*one, *other)) {
                all += order[from + 1..to].iter().map(down).sum::<usize>();
            }
        }
    }
    all
}
