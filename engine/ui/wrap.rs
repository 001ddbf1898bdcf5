//! Breaking told text into lines. A line that fits stays as it was written, so that verse and
//! drawings keep their spaces; what is too long is broken at spaces.

use crate::kit::text::{self, Run};

/// From so many lines in a row on, what holds no letter and no number is a drawing.
const DRAWING: usize = 3;

/// Breaks plain text into lines of at most `columns`.
pub fn lines(text: &str, columns: usize) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.split('\n') {
        let line = line.trim_end();
        if text::width(line) <= columns {
            out.push(line.to_owned());
        } else {
            out.extend(text::wrap(line, columns));
        }
    }
    out
}

/// Breaks plain text into lines, the first behind `first`, the others behind as many spaces.
pub fn hanging(first: &str, text: &str, columns: usize) -> Vec<String> {
    let indent = text::width(first);
    let room = columns.saturating_sub(indent).max(1);
    let mut out = lines(text, room);
    for (index, line) in out.iter_mut().enumerate() {
        let lead = if index == 0 { first.to_owned() } else { " ".repeat(indent) };
        *line = format!("{lead}{line}").trim_end().to_owned();
    }
    out
}

/// The text without its drawings: without every stretch of lines that hold no letter and no number.
pub fn without_drawings(text: &str) -> String {
    let silent = |line: &str| !line.contains(char::is_alphanumeric);
    let lines: Vec<&str> = text.split('\n').collect();
    let stretches = lines.chunk_by(|one, other| silent(one) == silent(other));
    let drawn =
        |stretch: &&[&str]| stretch.len() >= DRAWING && stretch.iter().all(|one| silent(one));
    let told = stretches.filter(|stretch| !drawn(stretch));
    told.flat_map(|stretch| stretch.iter().copied()).collect::<Vec<_>>().join("\n")
}

/// Breaks marked text into lines of runs. The marks take no room.
pub fn marked(marked: &str, columns: usize) -> Vec<Vec<Run>> {
    let runs = text::runs(marked);
    let whole: String = runs.iter().map(|run| run.text.as_str()).collect();
    let mut styled =
        runs.iter().flat_map(|run| run.text.chars().map(|c| (c, run.strong))).peekable();
    let mut out = Vec::new();
    for line in lines(&whole, columns) {
        let mut pieces: Vec<Run> = Vec::new();
        for c in line.chars() {
            // Wrapping drops spaces and line breaks and nothing else, so the next equal character
            // is the one that this came from.
            let strong = styled.find(|(from, _)| *from == c).is_some_and(|(_, strong)| strong);
            match pieces.last_mut() {
                Some(stretch) if stretch.strong == strong => stretch.text.push(c),
                _ => pieces.push(Run { text: c.to_string(), strong }),
            }
        }
        out.push(pieces);
    }
    out
}

/// The text cut to so many columns, with a sign where something was cut off.
pub fn cut(text: &str, columns: usize) -> String {
    if text::width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        let next = format!("{out}{c}");
        if text::width(&next) + 1 > columns {
            break;
        }
        out = next;
    }
    if columns > 0 {
        out.push('…');
    }
    out
}
