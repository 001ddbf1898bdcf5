//! Checks the syntax of scripts that nothing runs (a file of `lib/` that nobody requires, an
//! example in a page), and explains syntax errors.

use super::compile_cache;
use super::compiler::compiler;
use super::lookalike_chars::find_lookalike;
use crate::base::text::is_luau_name_character;
use crate::base::{Code, FileText, Problem, SourceLocation};

/// The syntax error of a file, if there is one. The bytecode is cached.
pub fn check_syntax(owner: &str, file: &str, text: &FileText) -> Option<Problem> {
    if compile_cache::bytecode_of(text).is_some() {
        return None;
    }
    let error = compiler().compile(&**text).err()?;
    let (line, message) = split_compiler_error(&error);
    let mut place = SourceLocation::new(owner, file, line);
    let index = (line as usize).checked_sub(1);
    place.excerpt =
        index.and_then(|index| text.lines().nth(index)).map(crate::base::text::strip_unprintable);
    let mut problem = Problem::error(Code::Syntax, message).at(place);
    problem.hint = explain_syntax(message, text, line).map(|(hint, _)| hint);
    Some(problem)
}

/// The line and the text of a compiler's error, `3: message`: it does not know the file name. The line
/// is 0 if it is unknown.
fn split_compiler_error(error: &mlua::Error) -> (u32, &str) {
    let mlua::Error::SyntaxError { message, .. } = error else {
        return (0, "this does not compile");
    };
    let split = message.trim_start_matches(':').split_once(':');
    let numbered = split.and_then(|(line, text)| Some((line.trim().parse().ok()?, text.trim())));
    numbered.unwrap_or((0, message))
}

/// A hint for a syntax error, and the line where the mistake may really be.
pub(super) fn explain_syntax(
    message: &str,
    text: &str,
    line: u32,
) -> Option<(String, Option<u32>)> {
    // Code before the place where the compiler stops is valid.
    if let Some((at, hint)) = find_lookalike(text, line) {
        return Some((hint, (at != line).then_some(at)));
    }
    let lines: Vec<&str> = text.lines().collect();
    if message.contains("Expected ',' after table") {
        return Some((
            "add a comma before this, perhaps at the end of the line above".into(),
            None,
        ));
    }
    if let Some(hint) = explain_inner_quotes(&lines, line) {
        return Some((hint, None));
    }
    if message.contains("got 'end'")
        && let Some(at) = find_surplus_end(&lines, line)
    {
        return Some((format!("line {at} has one `end` too many"), (at != line).then_some(at)));
    }
    let written = (line as usize).checked_sub(1).and_then(|at| lines.get(at));
    let ends = written.is_some_and(|written| written.trim_start().starts_with("end"));
    if ends || message.contains("'end'") || message.contains("'until'") {
        let (at, before) = find_unclosed_block(&lines)?;
        // Only if adding an `end` there lets the compiler get further.
        let (above, below) = lines.split_at(before.min(lines.len()));
        let closed = [above, &["end"], below].concat().join("\n");
        if !fixes_missing_end(&closed, line.saturating_add(1)) {
            return None;
        }
        let opener = lines[at].split_whitespace().next().unwrap_or_default();
        let word = match opener {
            "if" | "for" | "while" | "repeat" | "do" | "elseif" | "else" => opener,
            _ => "function",
        };
        let at = u32::try_from(at + 1).ok()?;
        return Some((
            format!("the `{word}` of line {at} has no `end`, judging by the indentation"),
            Some(at),
        ));
    }
    let written = written?.trim();
    let word = written.split(|c| !is_luau_name_character(c)).next()?;
    if NON_CALL_KEYWORDS.contains(&word) {
        return None;
    }
    let rest = written.strip_prefix(word).filter(|_| !word.is_empty())?.trim_start();
    let quote = rest.chars().next().filter(|c| ['"', '\'', '{'].contains(c))?;
    let close = if quote == '{' { '}' } else { quote };
    let (_, after) = rest[1..].split_once(close)?;
    let after = after.trim_start();
    if after.starts_with('=') && !after.starts_with("==") && quote != '{' {
        let id = &rest[..rest.len() - rest[1..].len() + rest[1..].find(close)? + 1];
        return Some((
            format!(
                "a name is followed directly by its braces: `{word} {id} {{ … }}`, without `=`"
            ),
            None,
        ));
    }
    let several = after.starts_with(',');
    several.then(|| {
        let hint = format!("a call with more than one argument needs parentheses: `{word}(…, …)`");
        (hint, None)
    })
}

/// A hint if the compiler gets past the line once the quotes inside its text are escaped.
fn explain_inner_quotes(lines: &[&str], line: u32) -> Option<String> {
    let index = (line as usize).checked_sub(1)?;
    let written = lines.get(index)?;
    ['\'', '"'].into_iter().find_map(|quote| {
        let (first, last) = (written.find(quote)?, written.rfind(quote)?);
        let inner = written.get(first + 1..last)?;
        // What stands between two texts does not touch their quotes; the rest of a text does.
        let touches = |part: &str| {
            part.starts_with(is_luau_name_character) || part.ends_with(is_luau_name_character)
        };
        inner.split(quote).skip(1).step_by(2).any(touches).then_some(())?;
        let escaped = inner.replace(quote, &format!("\\{quote}"));
        let line_with = [&written[..=first], &escaped, &written[last..]].concat();
        compiles_past(lines, index, &line_with)
            .then(|| format!("write `\\{quote}` for a quote inside a text"))
    })
}

/// Maximum number of lines that are searched for an `end` too many.
const MAX_SEARCHED_LINES: usize = 16;

/// The only line above an error that ends in an `end` for which it opens nothing, and without which
/// the file compiles.
fn find_surplus_end(lines: &[&str], line: u32) -> Option<u32> {
    let last = (line as usize).min(lines.len());
    let candidates = (0..last).rev().filter_map(|index| {
        let written = lines[index].trim_end();
        let words = || written.split(|c| !is_luau_name_character(c));
        let opens = words().any(|word| ["function", "then", "do", "repeat", "if"].contains(&word));
        let rest = written.strip_suffix("end").filter(|rest| !rest.trim().is_empty() && !opens)?;
        rest.ends_with(|c| !is_luau_name_character(c)).then_some((index, rest))
    });
    let mut found = candidates
        .take(MAX_SEARCHED_LINES)
        .filter(|(index, rest)| compiler().compile(replace_line(lines, *index, rest)).is_ok());
    let (index, _) = found.next()?;
    found.next().is_none().then_some(u32::try_from(index + 1).ok()?)
}

fn replace_line(lines: &[&str], index: usize, line: &str) -> String {
    let mut lines = lines.to_vec();
    lines[index] = line;
    lines.join("\n")
}

/// Whether the compiler gets past a line if it is replaced.
fn compiles_past(lines: &[&str], index: usize, line: &str) -> bool {
    let compiled = compiler().compile(replace_line(lines, index, line));
    compiled.map_or_else(|error| split_compiler_error(&error).0 as usize > index + 1, |_| true)
}

/// Words at the start of a line that are not function names.
const NON_CALL_KEYWORDS: [&str; 10] =
    ["and", "else", "elseif", "if", "in", "local", "not", "or", "return", "until"];

/// Whether the compiler no longer misses an `end`, or its first error is after a line.
fn fixes_missing_end(text: &str, line: u32) -> bool {
    let Err(error) = compiler().compile(text) else { return true };
    let (at, message) = split_compiler_error(&error);
    !message.contains("'end'") || at > line
}

/// The first line that opens a block which the next line of the same or less indentation does not
/// close; and that line, or the end of the text.
fn find_unclosed_block(lines: &[&str]) -> Option<(usize, usize)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let first = |line: &str| {
        let word = line.trim_start().split(|c: char| !c.is_ascii_alphanumeric()).next();
        word.unwrap_or_default().to_owned()
    };
    let opens = |line: &str| {
        let line = line.split("--").next().unwrap_or_default().trim_end();
        let word = first(line);
        line.ends_with(" then")
            || line.ends_with(" do")
            || word == "repeat"
            || word == "else"
            || (line.ends_with(')') && line.contains("function") && !line.contains(" end"))
    };
    (0..lines.len()).filter(|at| opens(lines[*at])).find_map(|at| {
        let mut after = (at + 1..lines.len()).filter(|next| !lines[*next].trim().is_empty());
        let next = after.find(|next| indent(lines[*next]) <= indent(lines[at]));
        let closes = |next: &usize| {
            indent(lines[*next]) == indent(lines[at])
                && ["end", "until", "else", "elseif"].contains(&first(lines[*next]).as_str())
        };
        match next.filter(closes) {
            Some(_) => None,
            None => Some((at, next.unwrap_or(lines.len()))),
        }
    })
}
