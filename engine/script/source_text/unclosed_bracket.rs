//! Finds the bracket that a syntax error is about by the indentation: the compiler names the
//! innermost open one, or the line where it stops.

use super::scanned_line::ScannedLine;

/// A table or call that is probably not closed.
pub(super) struct UnclosedBracket {
    pub(super) bracket: char,
    /// Its line, from 1.
    pub(super) line: usize,
    /// The brackets that close what its line opens.
    pub(super) closing: String,
    /// The number of lines before the place where they belong.
    pub(super) end_index: usize,
}

/// The brackets that lines open and that neither they nor the next line of the same or less
/// indentation close.
pub(super) fn unclosed_brackets(lines: &[&str]) -> impl Iterator<Item = UnclosedBracket> {
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("--");
    (0..lines.len()).filter_map(move |index| {
        let open_brackets = open_brackets_of(lines[index]);
        let first = *open_brackets.first()?;
        let end_index = (index + 1..lines.len())
            .filter(|next| !is_blank(lines[*next]))
            .find(|next| indent_of(lines[*next]) <= indent_of(lines[index]))
            .unwrap_or(lines.len());
        let closed_count = lines.get(end_index).map_or(0, |line| leading_closing_count(line));
        (closed_count < open_brackets.len()).then(|| UnclosedBracket {
            bracket: first,
            line: index + 1,
            closing: open_brackets.iter().rev().map(|open| closing_bracket(*open)).collect(),
            end_index,
        })
    })
}

/// The brackets that a line opens and does not close, outermost first.
fn open_brackets_of(line: &str) -> Vec<char> {
    let scanned = ScannedLine::scan_line(line);
    let mut open_brackets = Vec::new();
    for (at, character) in scanned.line.char_indices() {
        match character {
            _ if scanned.is_quoted_byte[at] => {}
            '(' | '{' | '[' => open_brackets.push(character),
            ')' | '}' | ']' => {
                open_brackets.pop();
            }
            _ => {}
        }
    }
    open_brackets
}

/// The number of brackets that close at the start of a line, as in `end) },`.
fn leading_closing_count(line: &str) -> usize {
    let line = line.trim_start();
    let brackets = line.strip_prefix("end").unwrap_or(line);
    let brackets = brackets.chars().filter(|character| !character.is_whitespace());
    brackets.take_while(|character| ")}]".contains(*character)).count()
}

fn closing_bracket(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}
