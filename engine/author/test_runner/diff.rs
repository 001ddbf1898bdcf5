//! The difference of two transcripts: the lines between their common start and end.

/// The maximum number of lines that are shown.
const MAX_DIFF_LINES: usize = 60;

/// Common lines that are shown before the difference.
const CONTEXT_LINES: usize = 2;

/// The difference of two texts; removed lines begin with `-`, added lines with `+`.
pub(super) fn diff_text(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = old.iter().zip(&new).take_while(same).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let mut lines = vec![format!("  at line {}:", head + 1)];
    lines.extend(
        old[head.saturating_sub(CONTEXT_LINES)..head].iter().map(|line| format!("    {line}")),
    );
    lines.extend(old_rest[..old_rest.len() - tail].iter().map(|line| format!("  - {line}")));
    lines.extend(new_rest[..new_rest.len() - tail].iter().map(|line| format!("  + {line}")));
    if lines.len() > MAX_DIFF_LINES {
        let more = lines.len() - MAX_DIFF_LINES;
        lines.truncate(MAX_DIFF_LINES);
        lines.push(format!("  and {more} more lines"));
    }
    lines.join("\n")
}
