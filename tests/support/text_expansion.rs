//! Expands repetition marks in test programs when they are read.

use std::fmt::Write;

/// A line `--* 200: text` expands to its text 200 times, `--* keys 4000` to 4000 numbers with the
/// same hash slot in any table, `--* entries 4000` to them as keys.
pub fn expand_text(text: &str) -> String {
    text.lines().map(|line| expand_line(line) + "\n").collect()
}

fn expand_line(line: &str) -> String {
    let Some((_, instruction)) = line.split_once("--* ") else { return line.to_owned() };
    let list_keys = |count: &str, delimiters: (&str, &str)| {
        let keys = colliding_keys(count.trim().parse().unwrap());
        keys.fold(String::new(), |mut joined, key| {
            write!(joined, "{}{key:e}{}, ", delimiters.0, delimiters.1).unwrap();
            joined
        })
    };
    if let Some(count) = instruction.strip_prefix("keys ") {
        list_keys(count, ("", ""))
    } else if let Some(count) = instruction.strip_prefix("entries ") {
        list_keys(count, ("[", "] = 1"))
    } else {
        let (count, piece) = instruction.split_once(": ").unwrap();
        format!("{piece} ").repeat(count.parse().unwrap())
    }
}

/// Numbers whose hashes share the lowest twenty bits: Luau mixes the halves of a number reversibly.
fn colliding_keys(count: usize) -> impl Iterator<Item = f64> {
    const HASH_MULTIPLIER: u32 = 0x5bd1_e995;
    let hash_inverse = (0..5).fold(HASH_MULTIPLIER, |estimate, _| {
        estimate.wrapping_mul(2_u32.wrapping_sub(HASH_MULTIPLIER.wrapping_mul(estimate)))
    });
    let number_for = move |index: u32| {
        let (mut low_half, mut high_half) =
            (index.wrapping_mul(0x9e37_79b9), (index << 20) | 0x1234);
        high_half = high_half.wrapping_mul(hash_inverse) ^ (low_half >> 19);
        low_half = low_half.wrapping_mul(hash_inverse) ^ (high_half >> 17);
        high_half = high_half.wrapping_mul(hash_inverse) ^ (low_half >> 22);
        low_half = low_half.wrapping_mul(hash_inverse) ^ (high_half >> 18);
        (high_half < 0x7ff0_0000)
            .then(|| f64::from_bits(u64::from(high_half) << 32 | u64::from(low_half)))
            .filter(|number_for| number_for.is_normal())
    };
    (1..).filter_map(number_for).take(count)
}
