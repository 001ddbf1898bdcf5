//! Names of files made from names of people: safe on every system, and never two for one.

use unicode_normalization::UnicodeNormalization;

use crate::kit::id::is_device;
use crate::kit::{Digest, Problem};

/// Most characters of the readable part of a file's name.
const SLUG_LENGTH: usize = 28;
/// Most characters of a name that a person gives a profile.
pub(super) const NAME_LENGTH: usize = 40;

/// Where somebody finds the id of a run.
pub(super) const WHERE_RUNS_LIE: &str = "the list of past runs, in the title, has their ids; each run has a folder in runs/ of the data folder";

/// The file name for a display name: `a-z 0-9 -` only, so that no system folds two of them into
/// one or takes one for a device. What cannot be written so is replaced by a few digits of the
/// name's digest, so that two names of other scripts stay two.
pub fn slug(name: &str) -> String {
    let mut out = String::new();
    let mut whole = true;
    for c in name.trim().chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => out.push(c),
            ' ' | '-' | '_' => {
                if !out.is_empty() && !out.ends_with('-') {
                    out.push('-');
                }
            }
            _ => whole = false,
        }
    }
    whole &= out.len() <= SLUG_LENGTH;
    out.truncate(SLUG_LENGTH);
    let mut out = out.trim_end_matches('-').to_owned();
    if !whole || out.is_empty() {
        let digits = Digest::of(name.trim().as_bytes()).to_string();
        let gap = if out.is_empty() { "player-" } else { "-" };
        out = format!("{out}{gap}{}", &digits[..8]);
    }
    if is_device(&out) {
        out.push_str("-p");
    }
    out
}

/// The file name for a name of which another player's look-alike has the plain one: `Ann` and `ann_`.
pub(super) fn slug_apart(name: &str) -> String {
    let digits = Digest::of(in_one_form(name).as_bytes()).to_string();
    format!("{}-{}", slug(name), &digits[..8])
}

/// A name as all its spellings in Unicode are compared: an `ö` may be one character or two.
pub(super) fn in_one_form(name: &str) -> String {
    name.trim().nfc().collect()
}

/// Whether two names are one player's: they differ in no more than case and spelling in Unicode.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    in_one_form(one).to_lowercase() == in_one_form(other).to_lowercase()
}

/// The id of a profile's run of that number, and the name of its folder: `anna-0007`.
pub fn run_id(profile_id: &str, number: u64) -> String {
    format!("{profile_id}-{number:04}")
}

/// The number of a run, if it is one of this profile's.
pub(super) fn run_number(profile_id: &str, id: &str) -> Option<u64> {
    let digits = id.strip_prefix(profile_id)?.strip_prefix('-')?;
    let number = digits.parse().ok()?;
    // "anna-07" and "anna-+7" are none of ours.
    (run_id(profile_id, number) == id).then_some(number)
}

/// Whether a text may be the name of a run's folder or of a profile's file. Ids come from command
/// lines and from files, and must not lead out of their folder.
pub(super) fn check_file_id(what: &str, id: &str) -> Result<(), Problem> {
    let fits = !id.is_empty()
        && id.len() <= SLUG_LENGTH + 40
        && id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if fits {
        return Ok(());
    }
    Err(Problem::error("bad-name", format!("{id:?} cannot be the id of a {what}"))
        .expected("letters a-z, digits and -")
        .hint(match what {
            "run" => WHERE_RUNS_LIE,
            _ => "Settings, Player, lists the players there are",
        }))
}

/// A person's name as an argument of the command line.
pub fn display_name(argument: &str) -> Result<String, String> {
    match check_display_name(argument) {
        Ok(()) => Ok(argument.to_owned()),
        Err(problem) => {
            let expected = problem.expected.map(|words| format!("; expected {words}"));
            Err(problem.message + &expected.unwrap_or_default())
        }
    }
}

/// Whether a text may be a person's name for a profile.
pub(super) fn check_display_name(name: &str) -> Result<(), Problem> {
    let length = name.trim().chars().count();
    if length == 0 || length > NAME_LENGTH {
        return Err(Problem::error("bad-name", format!("the name is {length} characters long"))
            .expected(format!("1 to {NAME_LENGTH} characters")));
    }
    let odd = crate::kit::text::first_odd(name).map(|(_, odd)| odd);
    match odd.or_else(|| name.contains('\n').then_some('\n')) {
        Some(odd) => Err(Problem::error("bad-name", format!("the name holds {odd:?}"))
            .expected("characters that can be seen")),
        None => Ok(()),
    }
}
