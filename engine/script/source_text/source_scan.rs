//! Scans the code of a script without parsing it: for the power operator `^`, which the library cannot
//! remove and whose last digits differ between machines, and for the names that it declares.

/// The line and column, both from 1, of the first `^` outside texts and comments.
pub(crate) fn find_power_operator(text: &str) -> Option<(u32, u32)> {
    CodeBytes::of(text).find(|(_, byte)| *byte == b'^').map(|(at, _)| line_and_column(text, at))
}

/// The bytes of a script outside texts and comments, with their indices.
pub(crate) struct CodeBytes<'t> {
    bytes: &'t [u8],
    index: usize,
    /// Open braces inside `{…}`, for each enclosing interpolated text.
    open_braces: Vec<u32>,
}

impl<'t> CodeBytes<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), index: 0, open_braces: Vec::new() }
    }

    /// The length of the text or comment that begins here, or 0.
    fn skipped_length(&mut self, rest: &[u8]) -> usize {
        match rest[0] {
            b'-' if rest.starts_with(b"--") => comment_length(rest),
            quote @ (b'"' | b'\'') => quoted_length(rest, quote),
            b'[' => long_text_length(rest).unwrap_or(0),
            b'`' => interpolated_length(rest, &mut self.open_braces),
            b'}' if self.open_braces.last() == Some(&0) => {
                self.open_braces.pop();
                interpolated_length(rest, &mut self.open_braces)
            }
            _ => 0,
        }
    }
}

impl Iterator for CodeBytes<'_> {
    type Item = (usize, u8);

    fn next(&mut self) -> Option<(usize, u8)> {
        loop {
            let rest = self.bytes.get(self.index..).filter(|rest| !rest.is_empty())?;
            match self.skipped_length(rest) {
                0 => break,
                length => self.index += length,
            }
        }
        let (index, byte) = (self.index, self.bytes[self.index]);
        if let Some(brace_count) = self.open_braces.last_mut() {
            *brace_count = match byte {
                b'{' => *brace_count + 1,
                b'}' => brace_count.saturating_sub(1),
                _ => *brace_count,
            };
        }
        self.index += 1;
        Some((index, byte))
    }
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
    let mut index = 1;
    while index < rest.len() {
        match rest[index] {
            b'\\' => index += 2,
            b'\n' => return index,
            byte if byte == quote => return index + 1,
            _ => index += 1,
        }
    }
    rest.len()
}

/// The length of a long text `[==[…]==]`, if one begins here.
pub(crate) fn long_text_length(rest: &[u8]) -> Option<usize> {
    let after_bracket = rest.strip_prefix(b"[")?;
    let level = after_bracket.iter().take_while(|byte| **byte == b'=').count();
    (after_bracket.get(level) == Some(&b'[')).then_some(())?;
    let mut closing_bracket = vec![b']'];
    closing_bracket.resize(level + 1, b'=');
    closing_bracket.push(b']');
    let body = &rest[level + 2..];
    let end = body.windows(closing_bracket.len()).position(|window| window == closing_bracket);
    Some(end.map_or(rest.len(), |end| level + 2 + end + closing_bracket.len()))
}

/// The length of a piece of an interpolated text: from its backtick or from the brace that closes
/// an expression, to its end or to the next expression.
fn interpolated_length(rest: &[u8], open_braces: &mut Vec<u32>) -> usize {
    let mut index = 1;
    while index < rest.len() {
        match rest[index] {
            b'\\' => index += 2,
            b'`' => return index + 1,
            b'{' => {
                open_braces.push(0);
                return index + 1;
            }
            _ => index += 1,
        }
    }
    rest.len()
}

fn line_and_column(text: &str, index: usize) -> (u32, u32) {
    let preceding_text = &text[..index];
    let line = preceding_text.matches('\n').count() + 1;
    let line_start = preceding_text.rfind('\n').map_or(0, |newline| newline + 1);
    let column = preceding_text[line_start..].chars().count() + 1;
    (u32::try_from(line).unwrap_or(0), u32::try_from(column).unwrap_or(1))
}
