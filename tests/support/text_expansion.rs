//! Expands repetition marks in test programs when they are read.

use std::fmt::Write;

/// A line `--* 200: text` expands to its text 200 times, `--* keys 4000` to 4000 numbers with the
/// same hash slot in any table, `--* entries 4000` to them as keys.
pub fn expand_text(text: &str) -> String {
    text.lines().map(|line| expand_line(line) + "\n").collect()
}

fn expand_line(line: &str) -> String {
    let Some((_, order)) = line.split_once("--* ") else { return line.to_owned() };
    let list = |count: &str, around: (&str, &str)| {
        let keys = colliding_keys(count.trim().parse().unwrap());
        keys.fold(String::new(), |mut out, key| {
            write!(out, "{}{key:e}{}, ", around.0, around.1).unwrap();
            out
        })
    };
    if let Some(count) = order.strip_prefix("keys ") {
        list(count, ("", ""))
    } else if let Some(count) = order.strip_prefix("entries ") {
        list(count, ("[", "] = 1"))
    } else {
        let (count, piece) = order.split_once(": ").unwrap();
        format!("{piece} ").repeat(count.parse().unwrap())
    }
}

/// Numbers whose hashes share the lowest twenty bits: Luau mixes the halves of a number reversibly.
fn colliding_keys(count: usize) -> impl Iterator<Item = f64> {
    const MIX: u32 = 0x5bd1_e995;
    let inverse = (0..5).fold(MIX, |x, _| x.wrapping_mul(2_u32.wrapping_sub(MIX.wrapping_mul(x))));
    let number = move |at: u32| {
        let (mut low, mut high) = (at.wrapping_mul(0x9e37_79b9), (at << 20) | 0x1234);
        high = high.wrapping_mul(inverse) ^ (low >> 19);
        low = low.wrapping_mul(inverse) ^ (high >> 17);
        high = high.wrapping_mul(inverse) ^ (low >> 22);
        low = low.wrapping_mul(inverse) ^ (high >> 18);
        (high < 0x7ff0_0000)
            .then(|| f64::from_bits(u64::from(high) << 32 | u64::from(low)))
            .filter(|number| number.is_normal())
    };
    (1..).filter_map(number).take(count)
}
