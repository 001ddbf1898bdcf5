//! Hints for errors of Luau's operators and library functions: which operand or argument on the
//! line is wrong, and how to fix it.

use super::source_scan::{long_text_length, quoted_length};

/// The hint for an error of Luau on a line.
pub(crate) fn operator_hint(message: &str, line: &str) -> Option<String> {
    let code = ScannedLine::scan_line(line);
    if let Some(rest) = message.strip_prefix("attempt to concatenate ") {
        return Some(concatenation_hint(&code, rest.split_once(" with ")?));
    }
    if let Some(rest) = message.strip_prefix("attempt to compare ") {
        let words: Vec<&str> = rest.split(' ').collect();
        let [left, _, right] = words.as_slice() else { return None };
        let sides = code.operators(&["<=", ">=", "<", ">"]);
        let names = match sides.as_slice() {
            [one] if one.symbol.starts_with('<') => [one.left, one.right],
            // Luau swaps the operands of `>` and `>=`.
            [one] => [one.right, one.left],
            _ => ["", ""],
        };
        let at = wrong_operand_index([left, right]);
        return Some(operand_fix_hint("a compared value", names[at], [*left, right][at], "or 0"));
    }
    if let Some(rest) = message.strip_prefix("attempt to perform arithmetic (") {
        let (sort, rest) = rest.split_once(") on ")?;
        let (left, right) = rest.split_once(" and ").unwrap_or((rest, rest));
        let sign = ["add +", "sub -", "mul *", "div /", "idiv //", "mod %"];
        let sign = sign.iter().find_map(|one| one.strip_prefix(sort)).map(str::trim);
        let sides = sign.map(|sign| code.operators(&["//", sign])).unwrap_or_default();
        let names = match sides.as_slice() {
            [one] => [one.left, one.right],
            _ => ["", ""],
        };
        let at = wrong_operand_index([left, right]);
        return Some(operand_fix_hint(
            "a value of the calculation",
            names[at],
            [left, right][at],
            "or 0",
        ));
    }
    // Luau's own message already explains other wrong arguments (`max must be greater than min`).
    let (begins, rest) = message.split_once("argument #")?;
    let (number, rest) = rest.split_once(" to '")?;
    let (function, rest) = rest.split_once('\'')?;
    let found = match rest.rsplit_once(", got ") {
        Some((_, got)) => got.trim_end_matches(')'),
        None if begins.ends_with("missing ") => "nil",
        None => return None,
    };
    let given = code.argument_source(function, number.parse().ok()?).unwrap_or_default();
    let what = format!("argument {number} of `{function}`");
    if found == "state" && rest.contains("(table expected") {
        let name = if given.is_empty() { what } else { format!("`{given}`") };
        return Some(format!(
            "{name} is a table of the state, and `{function}` takes only plain ones: `copy(…)` makes one"
        ));
    }
    Some(operand_fix_hint(&what, given, found, "or …"))
}

/// The hint for a nil argument of a host function, if the line names the value.
pub(crate) fn argument_hint(function: &str, number: usize, line: &str) -> Option<String> {
    let name = ScannedLine::scan_line(line).argument_source(function, number)?;
    let plain =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(is_name_byte);
    plain.then(|| operand_fix_hint("the argument", name, "nil", "or …"))
}

/// The hint for a nil value in a table of named arguments, as in `say("…", { name = kept.name })`.
/// There is none if the line has several calls of the function or several such names.
pub(crate) fn named_argument_hint(function: &str, name: &str, line: &str) -> Option<String> {
    let code = ScannedLine::scan_line(line);
    let from = code.find_only_call(function)?;
    let argument_values = code.line[from..].match_indices(name).filter_map(|(at, _)| {
        let at = from + at;
        let own =
            !code.line[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "_.".contains(c));
        let rest = code.line[at + name.len()..].trim_start().strip_prefix('=').filter(|_| own)?;
        let from = code.line.len() - rest.len();
        (!rest.starts_with('=') && !code.is_quoted_byte[at]).then(|| code.expression_after(from))
    });
    let argument_values: Vec<&str> = argument_values.collect();
    let [given] = argument_values.as_slice() else { return None };
    let is_name = given.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (is_name && *given != "nil").then(|| operand_fix_hint("", given, "nil", "or …"))
}

/// The only call of a function on a line, as written: `doors.enter "nowhere"`.
pub(crate) fn call_source<'l>(function: &str, line: &'l str) -> Option<&'l str> {
    let code = ScannedLine::scan_line(line);
    let arguments = code.find_only_call(function)?;
    let rest = code.line[arguments..].trim_start();
    let opens = code.line.len() - rest.len();
    let mut depth = 0_usize;
    let end = code.line.bytes().enumerate().skip(opens).find_map(|(at, byte)| {
        match byte {
            _ if code.is_quoted_byte[at] => {}
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_text_end = !code.is_quoted_byte.get(at + 1).is_some_and(|is_quoted| *is_quoted);
        (depth == 0 && is_text_end).then_some(at + 1)
    })?;
    Some(&code.line[arguments - function.len()..end])
}

/// The hint for a failed concatenation.
fn concatenation_hint(code: &ScannedLine<'_>, (left, right): (&str, &str)) -> String {
    let signs = code.operators(&[".."]);
    let plain = |name: &&str| !name.is_empty() && !name.starts_with(['"', '\'', '`']);
    let (mut names, found): (Vec<&str>, &str) = match is_neither_text_nor_number(left) {
        true => (signs.iter().map(|one| one.left).filter(plain).collect(), left),
        false => (signs.last().map(|one| one.right).into_iter().filter(plain).collect(), right),
    };
    names.dedup();
    operand_fix_hint("a value beside `..`", &names.join("` or `"), found, "or \"…\"")
}

/// The hint for an operand of a wrong type. It shows the operand as written, if that is known.
fn operand_fix_hint(what: &str, name: &str, found: &str, instead: &str) -> String {
    let is_known = !["", "nil"].contains(&name);
    let called = if is_known { format!("`{name}`") } else { what.to_owned() };
    let (found, what_to_do) = match found {
        "nil" if is_known && !name.contains('`') => {
            ("nil", format!("make sure that it has a value, or write `({name} {instead})`"))
        }
        "nil" => ("nil", format!("make sure that it has a value, or write `{instead}` after it")),
        "table" | "state" => ("a table", "name the field that you mean".to_owned()),
        "function" => ("a function", "call it, with parentheses".to_owned()),
        "boolean" => ("true or false", "use a text or a number instead".to_owned()),
        "string" => ("a text", "a number is needed: `tonumber(…)` converts a text".to_owned()),
        other => (other, "it cannot be used here".to_owned()),
    };
    format!("{called} is {found} here: {what_to_do}")
}

/// The index of the wrong operand: one that is neither a text nor a number, or else the text beside
/// a number.
fn wrong_operand_index([left, right]: [&str; 2]) -> usize {
    match (is_neither_text_nor_number(left), is_neither_text_nor_number(right)) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => usize::from(left == "number"),
    }
}

fn is_neither_text_nor_number(found: &str) -> bool {
    !["string", "number"].contains(&found)
}

/// An operator with its operands as written.
struct Operator<'c> {
    symbol: &'c str,
    left: &'c str,
    right: &'c str,
}

/// A line of a script.
struct ScannedLine<'c> {
    line: &'c str,
    /// For each byte, whether it belongs to a text, quotes included.
    is_quoted_byte: Vec<bool>,
}

impl<'c> ScannedLine<'c> {
    fn scan_line(line: &'c str) -> Self {
        let (quoted, end) = mark_literals_and_find_code_end(line);
        Self { line: &line[..end], is_quoted_byte: quoted }
    }

    /// The operators on the line with one of these symbols. A longer symbol must come before its
    /// prefix.
    fn operators(&self, signs: &[&str]) -> Vec<Operator<'c>> {
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
    fn expression_after(&self, at: usize) -> &'c str {
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
    fn find_only_call(&self, function: &str) -> Option<usize> {
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

    /// The argument with a number, from 1, as written.
    fn argument_source(&self, function: &str, number: usize) -> Option<&'c str> {
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

fn is_name_byte(byte: u8) -> bool {
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
