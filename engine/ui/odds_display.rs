//! Exact odds for display: percentages and cells of a bar, rounded.

use protocol::Odds;

/// Distributes `seats` by largest remainder, so that the parts add up to `seats`. If nothing is
/// possible, all parts are 0.
pub fn apportion(cases: &[u64], seats: u64) -> Vec<u64> {
    let total_cases: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    if total_cases == 0 {
        return vec![0; cases.len()];
    }
    let full_share = |count: &u64| u128::from(*count) * u128::from(seats) / total_cases;
    let remainder = |count: &u64| u128::from(*count) * u128::from(seats) % total_cases;
    let mut shares: Vec<u64> = cases.iter().map(|count| full_share(count) as u64).collect();
    let remaining_seats = seats - shares.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(remainder(&cases[*index])), *index));
    for index in order.into_iter().take(remaining_seats as usize) {
        shares[index] += 1;
    }
    shares
}

/// Like `apportion`, but equal counts get equal shares: such shares are rounded separately, so the
/// sum can differ a little from the whole.
fn apportion_equally(cases: &[u64], seats: u64) -> Vec<u64> {
    let total_cases: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    let mut shares = apportion(cases, seats);
    for at in 0..cases.len() {
        let equal_indices = || (0..cases.len()).filter(|other| cases[*other] == cases[at]);
        if equal_indices().any(|other| shares[other] != shares[at]) {
            let rounded = (u128::from(cases[at]) * u128::from(seats) * 2 + total_cases)
                / (2 * total_cases.max(1));
            equal_indices().for_each(|other| shares[other] = rounded as u64);
        }
    }
    shares
}

/// Whether a bar of this width shows each band exactly.
pub fn bar_shows_odds_exactly(odds: &Odds, columns: usize) -> bool {
    let cases = case_counts(odds);
    let total_cases: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    total_cases > 0
        && cases
            .iter()
            .all(|count| (u128::from(*count) * columns as u128).is_multiple_of(total_cases))
}

/// The percentage of each band: whole numbers if all are whole, else with one decimal place. A
/// possible outcome is never shown as zero.
pub fn band_percents(odds: &Odds) -> Vec<String> {
    let cases = case_counts(odds);
    let total_cases: u128 = cases.iter().map(|count| u128::from(*count)).sum();
    let all_whole =
        total_cases > 0 && cases.iter().all(|count| u128::from(*count) * 100 % total_cases == 0);
    if all_whole {
        return apportion(&cases, 100).iter().map(|share| format!("{share}%")).collect();
    }
    let tenths = apportion_equally(&cases, 1000);
    let format_share = |(share, count): (&u64, &u64)| match (share, count) {
        (0, 1..) => "<0.1%".to_owned(),
        _ => format!("{}.{}%", share / 10, share % 10),
    };
    tenths.iter().zip(&cases).map(format_share).collect()
}

/// The percentage of each band as a whole number, for narrow columns.
pub fn rounded_band_percents(odds: &Odds) -> Vec<String> {
    let cases = case_counts(odds);
    let format_share = |(share, count): (u64, &u64)| match (share, count) {
        (0, 1..) => "<1".to_owned(),
        _ => share.to_string(),
    };
    apportion_equally(&cases, 100).into_iter().zip(&cases).map(format_share).collect()
}

/// The number of bar cells of each band; a possible outcome gets at least one cell while there are
/// enough.
pub fn bar_cells(odds: &Odds, columns: usize) -> Vec<usize> {
    let cases = case_counts(odds);
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

fn case_counts(odds: &Odds) -> Vec<u64> {
    odds.bands.iter().map(|band| band.case_count).collect()
}
