//! Marks: comments with a reason that say that a mutant makes no difference, or that a number is
//! tuned. A mark is on the line or alone above it, and names the change as the report does:
//!
//! ```lua
//! -- same(5 -> 6): no armour is worth five
//! -- tuned: how much there is of a foe, by thousands of runs
//! ```

/// A mark on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MutantAnnotation {
    /// The line that it applies to.
    pub(super) target_line: u32,
    /// The line that it is on.
    pub(super) line: u32,
    /// The change, such as `5 -> 6`; none for a tuned constant.
    pub(super) change: Option<String>,
    pub(super) reason: String,
}

/// Reads the marks of a file.
pub(super) fn read_annotations(text: &str) -> Vec<MutantAnnotation> {
    let mut marks: Vec<MutantAnnotation> = Vec::new();
    let mut pending_marks = 0;
    for (line, number) in text.lines().zip(1_u32..) {
        let is_alone = line.trim_start().starts_with("--");
        if let Some((change, reason)) =
            line.split_once("-- ").and_then(|(_, said)| parse_annotation(said))
        {
            let target_line = if is_alone { 0 } else { number };
            pending_marks += usize::from(is_alone);
            marks.push(MutantAnnotation { target_line, line: number, change, reason });
        }
        if !is_alone && pending_marks > 0 {
            // Marks on lines of their own apply to the next line of code.
            marks
                .iter_mut()
                .filter(|mark| mark.target_line == 0)
                .for_each(|mark| mark.target_line = number);
            pending_marks = 0;
        }
    }
    marks
}

/// Parses a comment that may be a mark.
fn parse_annotation(comment: &str) -> Option<(Option<String>, String)> {
    if let Some(reason) = comment.strip_prefix("tuned: ") {
        return Some((None, reason.trim().to_owned()));
    }
    let (change, reason) = comment.strip_prefix("same(")?.split_once("): ")?;
    Some((Some(change.to_owned()), reason.trim().to_owned()))
}
