//! A higher standing never makes a descent harder to win (SR-1.6): simulated, with confidence
//! intervals.

use engine::base::Value;

use super::harness::{GameSession, vm};
use super::odds_player::plays_to_victory;

/// Runs for each standing: enough for a slope, few enough for every test run.
const RUNS: u64 = 20;

/// The bounds of Wilson's interval at three standard errors, in thousandths.
fn interval(won: u64, runs: u64) -> (i64, i64) {
    let (won, runs, z) = (won as f64, runs as f64, 3.0_f64);
    let share = won / runs;
    let middle = share + z * z / (2.0 * runs);
    let spread = z * (share * (1.0 - share) / runs + z * z / (4.0 * runs * runs)).sqrt();
    let scale = 1.0 + z * z / runs;
    let end = |value: f64| (1000.0 * value / scale).round() as i64;
    (end(middle - spread), end(middle + spread))
}

/// SR-1.6: on the same seeds with the same build, a true descent of a medium place is won at least
/// as often at each higher standing, within the intervals.
#[test]
fn standing_never_hurts() {
    let vm = vm();
    let mut rates = Vec::new();
    for standing in [1, 4, 8, 12] {
        let experience = 30 * (standing - 1) * standing;
        let won = (0..RUNS).filter(|seed| {
            let profile = Value::map_of([("experience", Value::Int(experience))]);
            let options = Value::map_of([
                ("dungeon", Value::text("dye_works:dye_works")),
                ("build", Value::text("blade")),
                ("ironman", Value::Bool(false)),
                ("difficulty", Value::text("true")),
            ]);
            plays_to_victory(&mut GameSession::begin(&vm, *seed, options, profile))
        });
        let won = won.count() as u64;
        rates.push((standing, won, interval(won, RUNS)));
    }
    for (at, (_, _, (lower, _))) in rates.iter().enumerate() {
        for (_, _, (_, upper)) in &rates[at + 1..] {
            assert!(upper >= lower, "won of {RUNS}, with intervals in thousandths: {rates:?}");
        }
    }
    let (first, last) = (rates[0].1, rates[3].1);
    // If every run were won, or none, this test could not fail.
    assert!(rates.iter().any(|(_, won, _)| *won > 0 && *won < RUNS), "won of {RUNS}: {rates:?}");
    assert!(last + RUNS / 10 >= first, "won of {RUNS}: {rates:?}");
}
