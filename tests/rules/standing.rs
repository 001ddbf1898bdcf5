//! A higher standing never makes a descent harder to win (SR-1.6): simulated, with confidence
//! intervals.

use base::Value;

use super::harness::{GameSession, load_test_vm};
use super::odds_player::plays_to_victory;

/// Runs for each standing: enough for a slope, few enough for every test run.
const RUNS_PER_STANDING: u64 = 20;

/// The bounds of Wilson's interval at three standard errors, in thousandths.
fn wilson_interval(wins: u64, runs: u64) -> (i64, i64) {
    let (wins, runs, z_score) = (wins as f64, runs as f64, 3.0_f64);
    let win_rate = wins / runs;
    let center = win_rate + z_score * z_score / (2.0 * runs);
    let spread = z_score
        * (win_rate * (1.0 - win_rate) / runs + z_score * z_score / (4.0 * runs * runs)).sqrt();
    let scale = 1.0 + z_score * z_score / runs;
    let to_thousandths = |value: f64| (1000.0 * value / scale).round() as i64;
    (to_thousandths(center - spread), to_thousandths(center + spread))
}

/// SR-1.6: on the same seeds with the same build, a true descent of a medium place is won at least
/// as often at each higher standing, within the intervals.
#[test]
fn a_higher_standing_never_lowers_the_win_rate() {
    let vm = load_test_vm();
    let mut rates = Vec::new();
    for standing in [1, 4, 8, 12] {
        let experience = 30 * (standing - 1) * standing;
        let win_count = (0..RUNS_PER_STANDING).filter(|seed| {
            let profile = Value::map_of([("experience", Value::Int(experience))]);
            let options = Value::map_of([
                ("dungeon", Value::text("dye_works:dye_works")),
                ("build", Value::text("blade")),
                ("ironman", Value::Bool(false)),
                ("difficulty", Value::text("true")),
            ]);
            plays_to_victory(&mut GameSession::begin(&vm, *seed, options, profile))
        });
        let win_count = win_count.count() as u64;
        rates.push((standing, win_count, wilson_interval(win_count, RUNS_PER_STANDING)));
    }
    for (index, (_, _, (lower, _))) in rates.iter().enumerate() {
        for (_, _, (_, upper)) in &rates[index + 1..] {
            assert!(
                upper >= lower,
                "won of {RUNS_PER_STANDING}, with intervals in thousandths: {rates:?}"
            );
        }
    }
    let (first_win_count, last_win_count) = (rates[0].1, rates[3].1);
    // If every run were won, or none, this test could not fail.
    assert!(
        rates.iter().any(|(_, win_count, _)| *win_count > 0 && *win_count < RUNS_PER_STANDING),
        "won of {RUNS_PER_STANDING}: {rates:?}"
    );
    assert!(
        last_win_count + RUNS_PER_STANDING / 10 >= first_win_count,
        "won of {RUNS_PER_STANDING}: {rates:?}"
    );
}
