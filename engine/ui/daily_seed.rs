//! The daily seed: the same for all players on one day. The clock is read here and nowhere below;
//! rules never see it.

// The daily seed is the only thing here that depends on the clock.
#![allow(clippy::disallowed_methods)]

use std::time::{SystemTime, UNIX_EPOCH};

use base::digest::Hasher;

/// Today as `2026-11-21`, in UTC.
pub fn today() -> String {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    day_number_to_date(elapsed.as_secs() / 86_400)
}

/// Whether a day has not begun yet.
pub fn is_future_day(day: &str) -> bool {
    day > today().as_str()
}

/// How many days a month has.
fn days_in_month(year: u32, month: u32) -> u32 {
    let is_leap_year =
        year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 => 28 + u32::from(is_leap_year),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Parses a date like `2026-11-21`, or the word `today`.
pub fn parse_date(word: &str) -> Result<String, String> {
    if word == "today" {
        return Ok(today());
    }
    let parts: Vec<&str> = word.split('-').collect();
    let parse_number = |part: &str, digits: usize, most: u32| {
        let is_all_digits = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        let number: Option<u32> = part.parse().ok().filter(|_| is_all_digits);
        number.filter(|read| (1..=most).contains(read))
    };
    let valid_day = match parts.as_slice() {
        [year, month, day] => (|| {
            let (year, month) = (parse_number(year, 4, 9999)?, parse_number(month, 2, 12)?);
            parse_number(day, 2, days_in_month(year, month))
        })(),
        _ => None,
    };
    valid_day
        .map(|_| word.to_owned())
        .ok_or_else(|| format!("{word:?} is not a valid date; expected one like 2026-11-21"))
}

/// The seed of a game on a day.
pub fn seed_of_day(game: &str, day: &str) -> u64 {
    let mut hasher = Hasher::new("day");
    hasher.feed_count(game.len()).feed_bytes(game.as_bytes()).feed_bytes(day.as_bytes());
    hasher.finish().low_u64()
}

/// The date of a day counted from 1 January 1970, in the Gregorian calendar.
pub fn day_number_to_date(days: u64) -> String {
    // Years start in March here, so that the leap day comes last. The calendar repeats every 400
    // years, which have 146,097 days.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
