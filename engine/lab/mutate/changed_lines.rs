//! The lines of a mod that changed since a git revision. All lines of a new file count as changed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use base::{Code, Problem};

/// Lines by file within the mod.
pub(super) type ChangedLines = BTreeMap<String, Vec<RangeInclusive<u32>>>;

/// The lines in a folder that differ from a revision.
pub(super) fn changed_lines(folder: &Path, revision: &str) -> Result<ChangedLines, Problem> {
    let diff = run_git(
        folder,
        &["diff", "--relative", "--no-color", "-U0", "--no-ext-diff", revision, "--", "."],
    )?;
    let mut lines = parse_diff(&diff);
    for file in run_git(folder, &["ls-files", "--others", "--exclude-standard"])?.lines() {
        lines.insert(file.to_owned(), std::iter::once(1..=u32::MAX).collect());
    }
    Ok(lines)
}

fn run_git(folder: &Path, words: &[&str]) -> Result<String, Problem> {
    let git_output = Command::new("git").arg("-C").arg(folder).args(words).output();
    let why = match git_output {
        Ok(told) if told.status.success() => {
            return Ok(String::from_utf8_lossy(&told.stdout).into_owned());
        }
        Ok(told) => String::from_utf8_lossy(&told.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Problem::error(Code::NoRevision, format!("git failed to list the changes: {why}"))
        .expected("a revision of the repository that contains the mod"))
}

/// Parses a diff without context: the new lines of each hunk. For removed lines, the two lines
/// around them count.
fn parse_diff(diff: &str) -> ChangedLines {
    let (mut lines, mut file) = (ChangedLines::new(), None);
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            file = path.strip_prefix("b/").map(str::to_owned);
        }
        let hunk = line
            .strip_prefix("@@ ")
            .and_then(|hunk| hunk.split(' ').find(|word| word.starts_with('+')));
        let (Some(hunk), Some(file)) = (hunk, &file) else { continue };
        let (first, count) = hunk[1..].split_once(',').unwrap_or((&hunk[1..], "1"));
        let (Ok(first), Ok(count)) = (first.parse::<u32>(), count.parse::<u32>()) else { continue };
        let range = if count == 0 { first..=first + 1 } else { first..=first + count - 1 };
        lines.entry(file.clone()).or_default().push(range);
    }
    lines
}
