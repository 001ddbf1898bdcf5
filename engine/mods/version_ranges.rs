//! Checks a version against a range and explains a mismatch. As in Cargo and npm, a range of
//! numbers does not contain pre-release versions (`1.2.0-beta.1`); `*` contains every version.

use std::cmp::Ordering;

use semver::{Comparator, Op, Prerelease, Version, VersionReq};

/// Whether a range contains a version.
pub(super) fn is_in_range(range: &VersionReq, version: &Version) -> bool {
    // `*` has no comparators.
    range.comparators.is_empty() || range.matches(version)
}

/// The major and minor version that a range begins with.
pub(super) fn lower_bound(range: &VersionReq) -> Option<(u64, u64)> {
    let bounds = range.comparators.iter().filter(|one| !matches!(one.op, Op::Less | Op::LessEq));
    bounds.map(|one| (one.major, one.minor.unwrap_or(0))).max()
}

/// Why a range does not contain a version, and how to change it.
pub(super) struct VersionMismatch {
    pub(super) reason: String,
    pub(super) fix: String,
}

/// Explains why a range does not contain a version. `range_start` is the start of the range in
/// mod.toml: `lab = `.
pub(super) fn explain_mismatch(
    range: &VersionReq,
    version: &Version,
    range_start: &str,
) -> VersionMismatch {
    let release = Version { pre: Prerelease::EMPTY, ..version.clone() };
    if !version.pre.is_empty() && is_in_range(range, &release) {
        return VersionMismatch {
            reason: format!("{version} is a pre-release version, and `{range}` contains none"),
            fix: format!(
                "write `{range_start}\"{version}\"` to allow this version and later ones, or `{range_start}\"*\"` for every version"
            ),
        };
    }
    let is_older = range.comparators.iter().any(|one| is_below(&release, one));
    let word = if is_older { "older" } else { "newer" };
    VersionMismatch {
        reason: format!("{version} is {word} than `{range}`"),
        fix: format!(
            "write `{range_start}\"{version}\"` if it works with that, or get another version of one of the two mods"
        ),
    }
}

/// Whether a version is below everything that a comparator accepts.
fn is_below(version: &Version, comparator: &Comparator) -> bool {
    if matches!(comparator.op, Op::Less | Op::LessEq) {
        return false;
    }
    let minimum = (comparator.major, comparator.minor.unwrap_or(0), comparator.patch.unwrap_or(0));
    let order = (version.major, version.minor, version.patch).cmp(&minimum);
    order == Ordering::Less || (order == Ordering::Equal && comparator.op == Op::Greater)
}
