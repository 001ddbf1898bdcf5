//! Characters in code that resemble others: curly quotes, non-breaking spaces, long dashes. Luau
//! allows them only in texts and comments, and its own message does not help.

/// The first non-ASCII character in code, outside texts and comments, up to a line. Returns its
/// line and the message.
pub(crate) fn find_lookalike(text: &str, last_line: u32) -> Option<(u32, String)> {
    let mut scanner = CodeScanner { rest: text, line: 1 };
    while let Some(c) = scanner.rest.chars().next() {
        if scanner.line > last_line {
            return None;
        }
        if !c.is_ascii() {
            return Some((scanner.line, describe_char(c)));
        }
        scanner.skip_next(c);
    }
    None
}

struct CodeScanner<'t> {
    rest: &'t str,
    line: u32,
}

impl CodeScanner<'_> {
    /// Skips a character of code, or the text or comment that it begins.
    fn skip_next(&mut self, c: char) {
        if let Some(comment) = self.rest.strip_prefix("--") {
            match closing_long_bracket(comment) {
                Some(closing_bracket) => self.skip_past(2, &closing_bracket),
                None => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.skip_bytes(end);
                }
            }
        } else if let Some(closing_bracket) = closing_long_bracket(self.rest) {
            self.skip_past(0, &closing_bracket);
        } else if ['"', '\'', '`'].contains(&c) {
            self.skip_quoted(c);
        } else {
            self.skip_bytes(1);
        }
    }

    fn skip_bytes(&mut self, bytes: usize) {
        let (skipped_text, rest) = self.rest.split_at(bytes);
        self.line += u32::try_from(skipped_text.matches('\n').count()).unwrap_or(0);
        self.rest = rest;
    }

    fn skip_past(&mut self, start: usize, closing_text: &str) {
        let end =
            self.rest[start..].find(closing_text).map(|index| start + index + closing_text.len());
        self.skip_bytes(end.unwrap_or(self.rest.len()));
    }

    /// A quoted text ends with its line, unless it uses backticks.
    fn skip_quoted(&mut self, quote: char) {
        let mut is_escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, c)| {
            let is_end = !is_escaped && (*c == quote || *c == '\n' && quote != '`');
            is_escaped = *c == '\\' && !is_escaped;
            is_end
        });
        self.skip_bytes(end.map_or(self.rest.len(), |(index, c)| index + c.len_utf8()));
    }
}

/// The end of a long text or comment that begins here: `]]`, `]==]`.
fn closing_long_bracket(text: &str) -> Option<String> {
    let after_bracket = text.strip_prefix('[')?;
    let equals_count = after_bracket.len() - after_bracket.trim_start_matches('=').len();
    after_bracket[equals_count..]
        .starts_with('[')
        .then(|| format!("]{}]", "=".repeat(equals_count)))
}

fn describe_char(c: char) -> String {
    let code = u32::from(c);
    let replacement = match c {
        '“' | '”' | '„' | '«' | '»' | '″' | '＂' => Some("\""),
        '‘' | '’' | '‚' | '′' | '`' => Some("'"),
        '–' | '—' | '−' | '‐' | '‑' => Some("-"),
        '…' => Some("..."),
        '，' => Some(","),
        '；' => Some(";"),
        '（' => Some("("),
        '）' => Some(")"),
        '×' => Some("*"),
        _ => None,
    };
    match replacement {
        _ if c.is_whitespace() => {
            format!("this is a special space, U+{code:04X}: write a normal space")
        }
        Some(replacement) => {
            format!("`{c}`, U+{code:04X}, is not `{replacement}`: write the normal character")
        }
        None => format!("`{c}`, U+{code:04X}, is only allowed in texts and comments"),
    }
}
