//! Checks the syntax of scripts that nothing runs (a file of `lib/` that nobody requires, an
//! example in a page), and explains syntax errors.

use super::lookalike_chars::find_lookalike;
use super::unclosed_bracket::unclosed_brackets;
use crate::compile::compile_cache;
use crate::compile::compiler_options::create_compiler;
use base::text::is_luau_name_character;
use base::{Code, FileText, Problem, SourceLocation};

/// The syntax error of a file, if there is one. The bytecode is cached.
pub fn check_syntax(owner: &str, file: &str, text: &FileText) -> Option<Problem> {
    if compile_cache::bytecode_of(text).is_some() {
        return None;
    }
    let error = create_compiler().compile(&**text).err()?;
    let (line, message) = split_compiler_error(&error);
    let mut place = SourceLocation::new(owner, file, line);
    let index = (line as usize).checked_sub(1);
    place.excerpt =
        index.and_then(|index| text.lines().nth(index)).map(base::text::strip_unprintable);
    let mut problem = Problem::error(Code::Syntax, message).at(place);
    problem.hint = explain_syntax(message, text, line).map(|(hint, _)| hint);
    Some(problem)
}

/// The line and the text of a compiler's error, `3: message`: it does not know the file name. The
/// line is 0 if it is unknown.
fn split_compiler_error(error: &mlua::Error) -> (u32, &str) {
    let mlua::Error::SyntaxError { message, .. } = error else {
        return (0, "this does not compile");
    };
    let line_and_message = message.trim_start_matches(':').split_once(':');
    let numbered_message =
        line_and_message.and_then(|(line, text)| Some((line.trim().parse().ok()?, text.trim())));
    numbered_message.unwrap_or((0, message))
}

/// A hint for a syntax error, and the line where the mistake may really be.
pub(crate) fn explain_syntax(
    message: &str,
    text: &str,
    line: u32,
) -> Option<(String, Option<u32>)> {
    // Code before the place where the compiler stops is valid.
    if let Some((mistake_line, hint)) = find_lookalike(text, line) {
        return Some((hint, (mistake_line != line).then_some(mistake_line)));
    }
    let lines: Vec<&str> = text.lines().collect();
    if let Some((hint, bracket_line)) = explain_unclosed_bracket(&lines, line) {
        return Some((hint, Some(bracket_line)));
    }
    if message.contains("Expected ',' after table") {
        return Some((
            "add a comma before this, perhaps at the end of the line above".into(),
            None,
        ));
    }
    if let Some(hint) = explain_increment(&lines, line) {
        return Some((hint, None));
    }
    if let Some(hint) = explain_inner_quotes(&lines, line) {
        return Some((hint, None));
    }
    if message.contains("got 'end'")
        && let Some(end_line) = find_surplus_end(&lines, line)
    {
        return Some((
            format!("line {end_line} has one `end` too many"),
            (end_line != line).then_some(end_line),
        ));
    }
    let line_text = (line as usize).checked_sub(1).and_then(|index| lines.get(index));
    let starts_with_end =
        line_text.is_some_and(|line_text| line_text.trim_start().starts_with("end"));
    if starts_with_end || message.contains("'end'") || message.contains("'until'") {
        let (block_index, end_index) = find_unclosed_block(&lines)?;
        // Only if adding an `end` there lets the compiler get further.
        let (lines_above, lines_below) = lines.split_at(end_index.min(lines.len()));
        let text_with_end = [lines_above, &["end"], lines_below].concat().join("\n");
        if !fixes_missing_end(&text_with_end, line.saturating_add(1)) {
            return None;
        }
        let opening_word = lines[block_index].split_whitespace().next().unwrap_or_default();
        let word = match opening_word {
            "if" | "for" | "while" | "repeat" | "do" | "elseif" | "else" => opening_word,
            _ => "function",
        };
        let block_line = u32::try_from(block_index + 1).ok()?;
        return Some((
            format!("the `{word}` of line {block_line} has no `end`, judging by the indentation"),
            Some(block_line),
        ));
    }
    let call_text = line_text?.trim();
    let word = call_text.split(|c| !is_luau_name_character(c)).next()?;
    if NON_CALL_KEYWORDS.contains(&word) {
        return None;
    }
    let rest = call_text.strip_prefix(word).filter(|_| !word.is_empty())?.trim_start();
    let quote = rest.chars().next().filter(|c| ['"', '\'', '{'].contains(c))?;
    let closing_quote = if quote == '{' { '}' } else { quote };
    let (_, following_text) = rest[1..].split_once(closing_quote)?;
    let following_text = following_text.trim_start();
    if following_text.starts_with('=') && !following_text.starts_with("==") && quote != '{' {
        let id = &rest[..rest.len() - rest[1..].len() + rest[1..].find(closing_quote)? + 1];
        return Some((
            format!(
                "a name is followed directly by its braces: `{word} {id} {{ … }}`, without `=`"
            ),
            None,
        ));
    }
    let has_more_arguments = following_text.starts_with(',');
    has_more_arguments.then(|| {
        let hint = format!("a call with more than one argument needs parentheses: `{word}(…, …)`");
        (hint, None)
    })
}

/// A hint for `x++`, as other languages have it. The compiler may stop on the line below.
fn explain_increment(lines: &[&str], line: u32) -> Option<String> {
    let last = line as usize;
    let above = lines.get(last.saturating_sub(2)..last.min(lines.len()))?;
    let (before, _) = above.iter().rev().find_map(|line| {
        let (before, after) = line.split_once("++")?;
        after.trim_start_matches(';').trim().is_empty().then_some((before, after))
    })?;
    let is_of_name = |c: char| is_luau_name_character(c) || ".[]".contains(c);
    let start = before.rfind(|c| !is_of_name(c)).map_or(0, |at| at + 1);
    let name = &before[start..];
    (!name.is_empty()).then(|| format!("there is no `++`: write `{name} += 1`"))
}

/// Maximum number of brackets that are tried.
const MAX_TRIED_BRACKETS: usize = 16;

/// A hint if the compiler gets past the line once a bracket above it is closed where the
/// indentation says so.
fn explain_unclosed_bracket(lines: &[&str], line: u32) -> Option<(String, u32)> {
    let above = unclosed_brackets(lines).filter(|found| found.line <= line as usize);
    above.take(MAX_TRIED_BRACKETS).find_map(|found| {
        let (before, after) = lines.split_at(found.end_index);
        // A table or call between the fields of another is followed by a comma.
        ["", ","].into_iter().find(|comma| {
            let closing = format!("{}{comma}", found.closing);
            let text = [before, &[&*closing], after].concat().join("\n");
            error_line_of(&text).is_none_or(|error_line| error_line > line.saturating_add(1))
        })?;
        let hint = format!(
            "the `{}` of line {} is not closed, judging by the indentation",
            found.bracket, found.line
        );
        Some((hint, u32::try_from(found.line).ok()?))
    })
}

/// The line of the first syntax error of a text, if it has one.
fn error_line_of(text: &str) -> Option<u32> {
    create_compiler().compile(text).err().map(|error| split_compiler_error(&error).0)
}

/// A hint if the compiler gets past the line once the quotes inside its text are escaped.
fn explain_inner_quotes(lines: &[&str], line: u32) -> Option<String> {
    let index = (line as usize).checked_sub(1)?;
    let line_text = lines.get(index)?;
    ['\'', '"'].into_iter().find_map(|quote| {
        let (first_quote, last_quote) = (line_text.find(quote)?, line_text.rfind(quote)?);
        let quoted_text = line_text.get(first_quote + 1..last_quote)?;
        // Code between two texts does not touch their quotes; the rest of a text does.
        let touches_quote = |part: &str| {
            part.starts_with(is_luau_name_character) || part.ends_with(is_luau_name_character)
        };
        quoted_text.split(quote).skip(1).step_by(2).any(touches_quote).then_some(())?;
        let escaped_text = quoted_text.replace(quote, &format!("\\{quote}"));
        let escaped_line =
            [&line_text[..=first_quote], &escaped_text, &line_text[last_quote..]].concat();
        compiles_past_replaced_line(lines, index, &escaped_line)
            .then(|| format!("write `\\{quote}` for a quote inside a text"))
    })
}

/// Maximum number of lines that are searched for an `end` too many.
const MAX_SEARCHED_LINES: usize = 16;

/// The only line above an error that ends in an `end` for which it opens nothing, and without which
/// the file compiles.
fn find_surplus_end(lines: &[&str], line: u32) -> Option<u32> {
    let last_line = (line as usize).min(lines.len());
    let candidates = (0..last_line).rev().filter_map(|index| {
        let line_text = lines[index].trim_end();
        let words = || line_text.split(|c| !is_luau_name_character(c));
        let opens_block =
            words().any(|word| ["function", "then", "do", "repeat", "if"].contains(&word));
        let rest =
            line_text.strip_suffix("end").filter(|rest| !rest.trim().is_empty() && !opens_block)?;
        rest.ends_with(|c| !is_luau_name_character(c)).then_some((index, rest))
    });
    let mut fixes = candidates.take(MAX_SEARCHED_LINES).filter(|(index, rest)| {
        create_compiler().compile(replace_line(lines, *index, rest)).is_ok()
    });
    let (index, _) = fixes.next()?;
    fixes.next().is_none().then_some(u32::try_from(index + 1).ok()?)
}

fn replace_line(lines: &[&str], index: usize, line: &str) -> String {
    let mut lines = lines.to_vec();
    lines[index] = line;
    lines.join("\n")
}

/// Whether the compiler gets past a line if it is replaced.
fn compiles_past_replaced_line(lines: &[&str], index: usize, line: &str) -> bool {
    let error_line = error_line_of(&replace_line(lines, index, line));
    error_line.is_none_or(|error_line| error_line as usize > index + 1)
}

/// Words at the start of a line that are not function names.
const NON_CALL_KEYWORDS: [&str; 10] =
    ["and", "else", "elseif", "if", "in", "local", "not", "or", "return", "until"];

/// Whether the compiler no longer misses an `end`, or its first error is after a line.
fn fixes_missing_end(text: &str, line: u32) -> bool {
    let Err(error) = create_compiler().compile(text) else { return true };
    let (error_line, message) = split_compiler_error(&error);
    !message.contains("'end'") || error_line > line
}

/// The first line that opens a block which the next line of the same or less indentation does not
/// close; and that line, or the end of the text.
fn find_unclosed_block(lines: &[&str]) -> Option<(usize, usize)> {
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let leading_word = |line: &str| {
        let word = line.trim_start().split(|c: char| !c.is_ascii_alphanumeric()).next();
        word.unwrap_or_default().to_owned()
    };
    let opens_block = |line: &str| {
        let line = line.split("--").next().unwrap_or_default().trim_end();
        let word = leading_word(line);
        line.ends_with(" then")
            || line.ends_with(" do")
            || word == "repeat"
            || word == "else"
            || (line.ends_with(')') && line.contains("function") && !line.contains(" end"))
    };
    (0..lines.len()).filter(|index| opens_block(lines[*index])).find_map(|index| {
        let mut following_lines =
            (index + 1..lines.len()).filter(|next_index| !lines[*next_index].trim().is_empty());
        let next_index =
            following_lines.find(|next| indent_of(lines[*next]) <= indent_of(lines[index]));
        let closes_block = |next_index: &usize| {
            indent_of(lines[*next_index]) == indent_of(lines[index])
                && ["end", "until", "else", "elseif"]
                    .contains(&leading_word(lines[*next_index]).as_str())
        };
        match next_index.filter(closes_block) {
            Some(_) => None,
            None => Some((index, next_index.unwrap_or(lines.len()))),
        }
    })
}
