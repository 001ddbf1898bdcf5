//! Scans a script for the power operator `^`, which the library cannot remove. Its last digits
//! differ between machines.

/// The line and column, both from 1, of the first `^` outside texts and comments.
pub(crate) fn find_power_operator(text: &str) -> Option<(u32, u32)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    // Open braces inside `{…}`, for each enclosing interpolated text.
    let mut inside: Vec<u32> = Vec::new();
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest[0] {
            b'-' if rest.starts_with(b"--") => at += comment_length(rest),
            quote @ (b'"' | b'\'') => at += quoted_length(rest, quote),
            b'[' => at += long_text_length(rest).unwrap_or(1),
            b'`' => at += interpolated_length(rest, &mut inside),
            b'{' => {
                if let Some(open) = inside.last_mut() {
                    *open += 1;
                }
                at += 1;
            }
            b'}' => match inside.last_mut() {
                Some(0) => {
                    inside.pop();
                    at += interpolated_length(rest, &mut inside);
                }
                Some(open) => {
                    *open -= 1;
                    at += 1;
                }
                None => at += 1,
            },
            b'^' => return Some(line_and_column(text, at)),
            _ => at += 1,
        }
    }
    None
}

/// The length of a comment.
fn comment_length(rest: &[u8]) -> usize {
    if let Some(length) = rest.get(2..).and_then(long_text_length) {
        return 2 + length;
    }
    rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
}

/// The length of a quoted text. An unclosed one ends with its line.
pub(crate) fn quoted_length(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a long text `[==[…]==]`, if one begins here.
pub(crate) fn long_text_length(rest: &[u8]) -> Option<usize> {
    let inner = rest.strip_prefix(b"[")?;
    let level = inner.iter().take_while(|byte| **byte == b'=').count();
    (inner.get(level) == Some(&b'[')).then_some(())?;
    let mut close = vec![b']'];
    close.resize(level + 1, b'=');
    close.push(b']');
    let body = &rest[level + 2..];
    let end = body.windows(close.len()).position(|window| window == close);
    Some(end.map_or(rest.len(), |end| level + 2 + end + close.len()))
}

/// The length of a piece of an interpolated text: from its backtick or from the brace that closes
/// an expression, to its end or to the next expression.
fn interpolated_length(rest: &[u8], inside: &mut Vec<u32>) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'`' => return at + 1,
            b'{' => {
                inside.push(0);
                return at + 1;
            }
            _ => at += 1,
        }
    }
    rest.len()
}

fn line_and_column(text: &str, at: usize) -> (u32, u32) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before[start..].chars().count() + 1;
    (u32::try_from(line).unwrap_or(0), u32::try_from(column).unwrap_or(1))
}
