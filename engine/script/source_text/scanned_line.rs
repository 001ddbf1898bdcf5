//! A line of a script, scanned for operators, calls and their operands.

use super::source_scan::{long_text_length, quoted_length};

/// An operator with its operands as written.
pub(super) struct Operator<'c> {
    pub(super) symbol: &'c str,
    pub(super) left: &'c str,
    pub(super) right: &'c str,
}

/// A line of a script.
pub(super) struct ScannedLine<'c> {
    pub(super) line: &'c str,
    /// For each byte, whether it belongs to a text, quotes included.
    pub(super) is_quoted_byte: Vec<bool>,
}

/// Words of the language that may stand before a bracket or a text.
const KEYWORDS: [&str; 14] = [
    "and", "do", "else", "elseif", "for", "function", "if", "in", "not", "or", "return", "then",
    "until", "while",
];

impl<'c> ScannedLine<'c> {
    pub(super) fn scan_line(line: &'c str) -> Self {
        let (quoted, end) = mark_literals_and_find_code_end(line);
        Self { line: &line[..end], is_quoted_byte: quoted }
    }

    /// The operators on the line with one of these symbols. A longer symbol must come before its
    /// prefix.
    pub(super) fn operators(&self, signs: &[&str]) -> Vec<Operator<'c>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.line.len() {
            let rest = self.line.get(at..).filter(|_| !self.is_quoted_byte[at]);
            let sign = rest.and_then(|rest| signs.iter().find(|sign| rest.starts_with(**sign)));
            let Some(sign) = sign else {
                at += 1;
                continue;
            };
            let end = at + sign.len();
            let is_more = self.line[end..].starts_with('.') || self.line[..at].ends_with('.');
            if !(is_more && *sign == "..") {
                let sign = &self.line[at..end];
                found.push(Operator {
                    symbol: sign,
                    left: self.expression_before(at),
                    right: self.expression_after(end),
                });
            }
            at = end;
        }
        found
    }

    /// The expression that ends before a position: a name with its fields and calls, or a text.
    fn expression_before(&self, at: usize) -> &'c str {
        let bytes = self.line.as_bytes();
        let end = self.line[..at].trim_end().len();
        let (mut from, mut open) = (end, 0_usize);
        while let Some(at) = from.checked_sub(1) {
            match bytes[at] {
                _ if self.is_quoted_byte[at] => {}
                b')' | b']' | b'}' => open += 1,
                b'(' | b'[' | b'{' if open > 0 => open -= 1,
                _ if open > 0 => {}
                b'.' if at > 0 && bytes[at - 1] == b'.' => break,
                byte if !is_name_byte(byte) => break,
                _ => {}
            }
            from = at;
        }
        &self.line[from..end]
    }

    /// The expression that begins at a position.
    pub(super) fn expression_after(&self, at: usize) -> &'c str {
        let bytes = self.line.as_bytes();
        let rest = self.line[at..].trim_start_matches('=').trim_start();
        let from = self.line.len() - rest.len();
        let (mut end, mut open) = (from, 0_usize);
        while end < bytes.len() {
            match bytes[end] {
                _ if self.is_quoted_byte[end] => {}
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' if open > 0 => open -= 1,
                _ if open > 0 => {}
                b'.' if bytes.get(end + 1) == Some(&b'.') => break,
                b'#' | b'-' if end == from => {}
                byte if !is_name_byte(byte) => break,
                _ => {}
            }
            end += 1;
        }
        self.line[from..end].trim_end()
    }

    /// The start of the arguments of the only call of a function on the line. `None` for several
    /// calls, because the failing one is unknown.
    pub(super) fn find_only_call(&self, function: &str) -> Option<usize> {
        let begins = |at: usize| {
            let own = !self.line[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            (own && !self.is_quoted_byte[at]).then(|| at + function.len())
        };
        let mut calls =
            self.line.match_indices(function).filter_map(|(at, _)| begins(at)).filter(|end| {
                self.line[*end..].trim_start().starts_with(['(', '"', '\'', '`', '{', '['])
            });
        let call = calls.next()?;
        calls.next().is_none().then_some(call)
    }

    /// What is called on the line, as written, without the arguments.
    pub(super) fn called_expressions(&self) -> Vec<&'c str> {
        let bytes = self.line.as_bytes();
        let is_quoted = |at: usize| self.is_quoted_byte[at];
        let begins_arguments = |at: &usize| match bytes[*at] {
            b'(' | b'{' => !is_quoted(*at),
            _ => is_quoted(*at) && !at.checked_sub(1).is_some_and(is_quoted),
        };
        let called = (0..bytes.len()).filter(begins_arguments).filter_map(|at| {
            let name = self.expression_before(at);
            let before = self.line[..self.line[..at].trim_end().len() - name.len()].trim_end();
            let is_callable = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && !KEYWORDS.contains(&name)
                && !before.ends_with("function");
            is_callable.then_some(name)
        });
        called.collect()
    }

    /// What is indexed on the line with this name, or with `None` by brackets, as written.
    pub(super) fn indexed_expressions(&self, name: Option<&str>) -> Vec<&'c str> {
        let indexes_by_name = |at: usize, name: &str| {
            let rest = &self.line[at + 1..];
            let rest = rest.strip_prefix(name).map(|rest| rest.as_bytes().first().copied());
            rest.is_some_and(|next| {
                !next.is_some_and(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
            })
        };
        let at = (0..self.line.len()).filter(|at| !self.is_quoted_byte[*at]);
        let at = at.filter(|at| match (self.line.as_bytes()[*at], name) {
            (b'.' | b':', Some(name)) => indexes_by_name(*at, name),
            (b'[', Some(name)) => {
                let rest = self.line[at + 1..].trim_start_matches(['"', '\'']);
                rest.starts_with(name)
            }
            (b'[', None) => true,
            _ => false,
        });
        let expressions = at.map(|at| self.expression_before(at));
        expressions.filter(|expression| !expression.is_empty()).collect()
    }

    /// What a `for` on the line loops over, as written.
    pub(super) fn looped_expression(&self) -> Option<&'c str> {
        let mut found = self.line.match_indices(" in ").filter(|(at, _)| !self.is_quoted_byte[*at]);
        let (at, word) = found.next()?;
        found.next().is_none().then(|| self.expression_after(at + word.len()))
    }

    /// The argument with a number, from 1, as written.
    pub(super) fn argument_source(&self, function: &str, number: usize) -> Option<&'c str> {
        let call = self.find_only_call(function)?;
        let of_method = usize::from(self.line[..call - function.len()].ends_with(':'));
        let arguments = self.line[call..].strip_prefix('(')?;
        let (mut from, mut open, mut turn) =
            (self.line.len() - arguments.len(), 0_usize, 1 + of_method);
        for (end, byte) in self.line.bytes().enumerate().skip(from) {
            match byte {
                _ if self.is_quoted_byte[end] => {}
                b'(' | b'[' | b'{' => open += 1,
                b')' | b']' | b'}' if open > 0 => open -= 1,
                b')' | b',' if open == 0 => {
                    if turn == number {
                        return Some(self.line[from..end].trim());
                    }
                    if byte == b')' {
                        return None;
                    }
                    (from, turn) = (end + 1, turn + 1);
                }
                _ => {}
            }
        }
        None
    }
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.:".contains(&byte) || !byte.is_ascii()
}

/// For each byte whether it belongs to a text, quotes included; and the end of the code.
fn mark_literals_and_find_code_end(line: &str) -> (Vec<bool>, usize) {
    let (bytes, mut marks) = (line.as_bytes(), vec![false; line.len()]);
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = match rest[0] {
            b'-' if rest.starts_with(b"--") => return (marks, at),
            quote @ (b'"' | b'\'' | b'`') => quoted_length(rest, quote).min(rest.len()),
            b'[' => long_text_length(rest).unwrap_or(0),
            _ => 0,
        };
        marks[at..at + length].fill(true);
        at += length.max(1);
    }
    (marks, at)
}
