//! Exact odds for display: percentages and cells of a bar, rounded.

use crate::protocol::Odds;

/// Distributes `seats` by largest remainder, so that the parts add up to `seats`. If nothing is
/// possible, all parts are 0.
pub fn apportion(cases: &[u64], seats: u64) -> Vec<u64> {
    let of: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    if of == 0 {
        return vec![0; cases.len()];
    }
    let whole = |count: &u64| u128::from(*count) * u128::from(seats) / of;
    let rest = |count: &u64| u128::from(*count) * u128::from(seats) % of;
    let mut shares: Vec<u64> = cases.iter().map(|count| whole(count) as u64).collect();
    let left = seats - shares.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(rest(&cases[*index])), *index));
    for index in order.into_iter().take(left as usize) {
        shares[index] += 1;
    }
    shares
}

/// Like `apportion`, but equal counts get equal shares: such shares are rounded separately, so the
/// sum can differ a little from the whole.
fn apportion_equally(cases: &[u64], seats: u64) -> Vec<u64> {
    let of: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    let mut shares = apportion(cases, seats);
    for at in 0..cases.len() {
        let same = || (0..cases.len()).filter(|other| cases[*other] == cases[at]);
        if same().any(|other| shares[other] != shares[at]) {
            let rounded = (u128::from(cases[at]) * u128::from(seats) * 2 + of) / (2 * of.max(1));
            same().for_each(|other| shares[other] = rounded as u64);
        }
    }
    shares
}

/// Whether a bar of this width shows each band exactly.
pub fn fits_exactly(odds: &Odds, columns: usize) -> bool {
    let cases = cases(odds);
    let of: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    of > 0 && cases.iter().all(|count| (u128::from(*count) * columns as u128).is_multiple_of(of))
}

/// The percentage of each band: whole numbers if all are whole, else with one decimal place. A
/// possible outcome is never shown as zero.
pub fn percents(odds: &Odds) -> Vec<String> {
    let cases = cases(odds);
    let of: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    let whole = of > 0 && cases.iter().all(|count| u128::from(*count) * 100 % of == 0);
    if whole {
        return apportion(&cases, 100).iter().map(|share| format!("{share}%")).collect();
    }
    let tenths = apportion_equally(&cases, 1000);
    let shown = |(share, count): (&u64, &u64)| match (share, count) {
        (0, 1..) => "<0.1%".to_owned(),
        _ => format!("{}.{}%", share / 10, share % 10),
    };
    tenths.iter().zip(&cases).map(shown).collect()
}

/// The percentage of each band as a whole number, for narrow columns.
pub fn whole_percents(odds: &Odds) -> Vec<String> {
    let cases = cases(odds);
    let shown = |(share, count): (u64, &u64)| match (share, count) {
        (0, 1..) => "<1".to_owned(),
        _ => share.to_string(),
    };
    apportion_equally(&cases, 100).into_iter().zip(&cases).map(shown).collect()
}

/// The number of bar cells of each band; a possible outcome gets at least one cell while there are
/// enough.
pub fn bar_cells(odds: &Odds, columns: usize) -> Vec<usize> {
    let cases = cases(odds);
    let mut cells: Vec<usize> =
        apportion(&cases, columns as u64).into_iter().map(|share| share as usize).collect();
    for index in 0..cells.len() {
        if cases[index] == 0 || cells[index] > 0 {
            continue;
        }
        let widest = (0..cells.len()).max_by_key(|other| cells[*other]).unwrap_or(index);
        if cells[widest] > 1 {
            cells[widest] -= 1;
            cells[index] += 1;
        }
    }
    cells
}

fn cases(odds: &Odds) -> Vec<u64> {
    odds.bands.iter().map(|band| band.cases).collect()
}
