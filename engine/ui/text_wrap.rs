//! Wraps text into lines. A line that fits is left as it is, so that verse and text art keep their
//! spaces; a longer one is broken at spaces.

use base::text::{self, StyledSpan};

/// From this many lines on, consecutive lines without letters and digits are text art.
const MIN_TEXT_ART_LINES: usize = 3;

/// Wraps plain text at `columns`.
pub fn wrap_lines(text: &str, columns: usize) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.split('\n') {
        let line = line.trim_end();
        if text::display_width(line) <= columns {
            out.push(line.to_owned());
        } else {
            out.extend(text::wrap_lines(line, columns));
        }
    }
    out
}

/// Wraps plain text; the first line begins with `first_prefix`, the others with as many spaces.
pub fn wrap_with_prefix(first_prefix: &str, text: &str, columns: usize) -> Vec<String> {
    let indent = text::display_width(first_prefix);
    let room = columns.saturating_sub(indent).max(1);
    let mut out = wrap_lines(text, room);
    for (index, line) in out.iter_mut().enumerate() {
        let prefix = if index == 0 { first_prefix.to_owned() } else { " ".repeat(indent) };
        *line = format!("{prefix}{line}").trim_end().to_owned();
    }
    out
}

/// The text without text art: without longer stretches of lines that have no letters and digits.
pub fn strip_text_art(text: &str) -> String {
    let has_no_words = |line: &str| !line.contains(char::is_alphanumeric);
    let lines: Vec<&str> = text.split('\n').collect();
    let blocks = lines.chunk_by(|one, other| has_no_words(one) == has_no_words(other));
    let is_text_art = |stretch: &&[&str]| {
        stretch.len() >= MIN_TEXT_ART_LINES && stretch.iter().all(|one| has_no_words(one))
    };
    let text_blocks = blocks.filter(|stretch| !is_text_art(stretch));
    text_blocks.flat_map(|stretch| stretch.iter().copied()).collect::<Vec<_>>().join("\n")
}

/// Wraps marked text into lines of runs. Markup takes no columns.
pub fn wrap_markup(marked: &str, columns: usize) -> Vec<Vec<StyledSpan>> {
    let runs = text::parse_styled_spans(marked);
    let joined_text: String = runs.iter().map(|run| run.text.as_str()).collect();
    let mut styled =
        runs.iter().flat_map(|run| run.text.chars().map(|c| (c, run.is_emphasized))).peekable();
    let mut out = Vec::new();
    for line in wrap_lines(&joined_text, columns) {
        let mut pieces: Vec<StyledSpan> = Vec::new();
        for c in line.chars() {
            // Wrapping only drops spaces and line breaks, so the next equal character is the one
            // that this came from.
            let strong = styled.find(|(from, _)| *from == c).is_some_and(|(_, strong)| strong);
            match pieces.last_mut() {
                Some(stretch) if stretch.is_emphasized == strong => stretch.text.push(c),
                _ => pieces.push(StyledSpan { text: c.to_string(), is_emphasized: strong }),
            }
        }
        out.push(pieces);
    }
    out
}

/// The same, so that it stays different from the other texts that are cut beside it: where they
/// would be equal, the middle is left out and what distinguishes the text stays.
pub fn truncate_distinctly<T: AsRef<str>>(text: &str, others: &[T], columns: usize) -> String {
    let cut = truncate(text, columns);
    if cut == text {
        return cut;
    }
    let equal_when_cut = others
        .iter()
        .map(T::as_ref)
        .filter(|other| *other != text && truncate(other, columns) == cut);
    let common_chars = |other: &str| {
        text.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
    };
    let Some(common) = equal_when_cut.map(common_chars).max() else { return cut };
    let differs_at = text.char_indices().nth(common).map_or(text.len(), |(at, _)| at);
    let word_start = text[..differs_at].rfind(' ').map_or(0, |at| at + 1);
    let end = truncate(&text[word_start..], columns / 2);
    truncate(text, columns.saturating_sub(text::display_width(&end))) + &end
}

/// The text cut to a width, with an ellipsis if it was longer.
pub fn truncate(text: &str, columns: usize) -> String {
    if text::display_width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        let next = format!("{out}{c}");
        if text::display_width(&next) + 1 > columns {
            break;
        }
        out = next;
    }
    if columns > 0 {
        out.push('…');
    }
    out
}
