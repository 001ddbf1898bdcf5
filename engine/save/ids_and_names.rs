//! File names derived from names of people: valid on every system and unique.

use unicode_normalization::UnicodeNormalization;

use base::id::is_device_name;
use base::{Code, Digest, Problem};

/// The maximum length of the readable part of a file name.
const MAX_SLUG_CHARS: usize = 28;
/// The maximum length of a profile name.
pub(super) const MAX_PROFILE_NAME_CHARS: usize = 40;

/// The help for finding the id of a run.
pub(super) const FIND_RUN_ID_HELP: &str = "the list of past runs in the menu has their ids; each run has a folder in runs/ of the data folder";

/// The file name for a display name: `a-z 0-9 -` only, so that case folding and device names cause
/// no conflict. Other characters are replaced by digits of the name's digest, so that two names in
/// other scripts stay distinct.
pub fn file_slug(name: &str) -> String {
    let mut out = String::new();
    let mut is_lossless = true;
    for c in name.trim().chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => out.push(c),
            ' ' | '-' | '_' => {
                if !out.is_empty() && !out.ends_with('-') {
                    out.push('-');
                }
            }
            _ => is_lossless = false,
        }
    }
    is_lossless &= out.len() <= MAX_SLUG_CHARS;
    out.truncate(MAX_SLUG_CHARS);
    let mut out = out.trim_end_matches('-').to_owned();
    if !is_lossless || out.is_empty() {
        let digits = Digest::hash_bytes(name.trim().as_bytes()).to_string();
        let separator = if out.is_empty() { "player-" } else { "-" };
        out = format!("{out}{separator}{}", &digits[..8]);
    }
    if is_device_name(&out) {
        out.push_str("-p");
    }
    out
}

/// A distinct file name for a name whose plain one is taken: `Ann` and `ann_`.
pub(super) fn distinct_slug(name: &str) -> String {
    let digits = Digest::hash_bytes(normalize_name(name).as_bytes()).to_string();
    format!("{}-{}", file_slug(name), &digits[..8])
}

/// The Unicode normal form in which names are compared: an `ö` may be one character or two.
pub(super) fn normalize_name(name: &str) -> String {
    name.trim().nfc().collect()
}

/// Whether two names belong to one player: they differ only in case and Unicode form.
pub(super) fn is_same_player_name(one: &str, other: &str) -> bool {
    normalize_name(one).to_lowercase() == normalize_name(other).to_lowercase()
}

/// The id of a profile's run with that number, which is also its folder name: `anna-0007`.
pub fn format_run_id(profile_id: &str, number: u64) -> String {
    format!("{profile_id}-{number:04}")
}

/// The number of a run, if it belongs to this profile.
pub(super) fn parse_run_number(profile_id: &str, id: &str) -> Option<u64> {
    let digits = id.strip_prefix(profile_id)?.strip_prefix('-')?;
    let number = digits.parse().ok()?;
    // "anna-07" and "anna-+7" are not valid ids.
    (format_run_id(profile_id, number) == id).then_some(number)
}

/// Whether a text is a valid folder name of a run or file name of a profile. Ids come from command
/// lines and files, and must not point outside their folder.
pub(super) fn check_file_id(what: &str, id: &str) -> Result<(), Problem> {
    let fits = !id.is_empty()
        && id.len() <= MAX_SLUG_CHARS + 40
        && id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if fits {
        return Ok(());
    }
    Err(Problem::error(Code::BadName, format!("{id:?} cannot be the id of a {what}"))
        .expected("letters a-z, digits and -")
        .hint(match what {
            "run" => FIND_RUN_ID_HELP,
            _ => "Settings, Player, lists the players there are",
        }))
}

/// A display name from the command line.
pub fn parse_display_name(argument: &str) -> Result<String, String> {
    match check_display_name(argument) {
        Ok(()) => Ok(argument.to_owned()),
        Err(problem) => {
            let expected = problem.expected.map(|words| format!("; expected {words}"));
            Err(problem.message + &expected.unwrap_or_default())
        }
    }
}

/// Checks a display name of a profile.
pub(super) fn check_display_name(name: &str) -> Result<(), Problem> {
    let length = name.trim().chars().count();
    if length == 0 || length > MAX_PROFILE_NAME_CHARS {
        return Err(Problem::error(Code::BadName, format!("the name is {length} characters long"))
            .expected(format!("1 to {MAX_PROFILE_NAME_CHARS} characters")));
    }
    let invalid_char = base::text::first_unprintable(name).map(|(_, odd)| odd);
    match invalid_char.or_else(|| name.contains('\n').then_some('\n')) {
        Some(odd) => Err(Problem::error(Code::BadName, format!("the name contains {odd:?}"))
            .expected("visible characters")),
        None => Ok(()),
    }
}
