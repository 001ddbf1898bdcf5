//! Whether a version lies in a range, and why it does not. A range of numbers holds no test version
//! (`1.2.0-beta.1`), as in Cargo and npm; `*` holds every version.

use std::cmp::Ordering;

use semver::{Comparator, Prerelease, Version, VersionReq};

/// Whether a range holds a version.
pub(super) fn holds(range: &VersionReq, version: &Version) -> bool {
    // Of `*` nothing is left to compare.
    range.comparators.is_empty() || range.matches(version)
}

/// Why a range does not hold a version, and what is to be written so that it does.
pub(super) struct VersionMismatch {
    pub(super) why: String,
    pub(super) cure: String,
}

/// Why a range does not hold a version. `written` is how a range for this version begins in mod.toml: `lab = `.
pub(super) fn misfit(range: &VersionReq, version: &Version, written: &str) -> VersionMismatch {
    let release = Version { pre: Prerelease::EMPTY, ..version.clone() };
    if !version.pre.is_empty() && holds(range, &release) {
        return VersionMismatch {
            why: format!("{version} is a test version, and `{range}` names none"),
            cure: format!(
                "write `{written}\"{version}\"` to allow this one and what follows it, or `{written}\"*\"` for every version"
            ),
        };
    }
    let older = range.comparators.iter().any(|one| is_below(&release, one));
    let word = if older { "older" } else { "newer" };
    VersionMismatch {
        why: format!("{version} is {word} than `{range}`"),
        cure: format!(
            "write `{written}\"{version}\"` if it works with that, or get another version of one of the two"
        ),
    }
}

/// Whether a version lies below all that a comparator takes.
fn is_below(version: &Version, one: &Comparator) -> bool {
    use semver::Op;
    if matches!(one.op, Op::Less | Op::LessEq) {
        return false;
    }
    let least = (one.major, one.minor.unwrap_or(0), one.patch.unwrap_or(0));
    let order = (version.major, version.minor, version.patch).cmp(&least);
    order == Ordering::Less || (order == Ordering::Equal && one.op == Op::Greater)
}
