//! Characters in code that resemble others: curly quotes, non-breaking spaces, long dashes. Luau
//! allows them only in texts and comments, and its own message does not help.

/// The first non-ASCII character in code, outside texts and comments, up to a line. Returns its
/// line and the message.
pub(super) fn find_lookalike(text: &str, last: u32) -> Option<(u32, String)> {
    let mut scan = CodeScanner { rest: text, line: 1 };
    while let Some(c) = scan.rest.chars().next() {
        if scan.line > last {
            return None;
        }
        if !c.is_ascii() {
            return Some((scan.line, describe_char(c)));
        }
        scan.skip_next(c);
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
            match long_bracket(comment) {
                Some(close) => self.skip_past(2, &close),
                None => {
                    let end = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.skip_bytes(end);
                }
            }
        } else if let Some(close) = long_bracket(self.rest) {
            self.skip_past(0, &close);
        } else if ['"', '\'', '`'].contains(&c) {
            self.skip_quoted(c);
        } else {
            self.skip_bytes(1);
        }
    }

    fn skip_bytes(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += u32::try_from(passed.matches('\n').count()).unwrap_or(0);
        self.rest = rest;
    }

    fn skip_past(&mut self, from: usize, close: &str) {
        let end = self.rest[from..].find(close).map(|at| from + at + close.len());
        self.skip_bytes(end.unwrap_or(self.rest.len()));
    }

    /// A quoted text ends with its line, unless it uses backticks.
    fn skip_quoted(&mut self, quote: char) {
        let mut escaped = false;
        let end = self.rest.char_indices().skip(1).find(|(_, c)| {
            let ends = !escaped && (*c == quote || *c == '\n' && quote != '`');
            escaped = *c == '\\' && !escaped;
            ends
        });
        self.skip_bytes(end.map_or(self.rest.len(), |(at, c)| at + c.len_utf8()));
    }
}

/// The end of a long text or comment that begins here: `]]`, `]==]`.
fn long_bracket(text: &str) -> Option<String> {
    let inside = text.strip_prefix('[')?;
    let equals = inside.len() - inside.trim_start_matches('=').len();
    inside[equals..].starts_with('[').then(|| format!("]{}]", "=".repeat(equals)))
}

fn describe_char(c: char) -> String {
    let code = u32::from(c);
    let meant = match c {
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
    match meant {
        _ if c.is_whitespace() => {
            format!("this is a special space, U+{code:04X}: write a normal space")
        }
        Some(meant) => format!("`{c}`, U+{code:04X}, is not `{meant}`: write the normal character"),
        None => format!("`{c}`, U+{code:04X}, is only allowed in texts and comments"),
    }
}
