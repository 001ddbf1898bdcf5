//! How two transcripts differ, for a person: what stands between the beginning and the end that
//! they share, line by line.

/// Lines of a difference that are shown.
const SHOWN: usize = 60;

/// Lines of what both share that are shown before the difference.
const BEFORE: usize = 2;

/// The difference of two texts, lines taken out behind `-`, lines put in behind `+`.
pub(super) fn of(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = old.iter().zip(&new).take_while(same).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
    let mut lines = vec![format!("  at line {}:", head + 1)];
    lines.extend(old[head.saturating_sub(BEFORE)..head].iter().map(|line| format!("    {line}")));
    lines.extend(old_rest[..old_rest.len() - tail].iter().map(|line| format!("  - {line}")));
    lines.extend(new_rest[..new_rest.len() - tail].iter().map(|line| format!("  + {line}")));
    if lines.len() > SHOWN {
        let more = lines.len() - SHOWN;
        lines.truncate(SHOWN);
        lines.push(format!("  and {more} more lines"));
    }
    lines.join("\n")
}
