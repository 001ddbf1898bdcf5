//! Luau where it stands: in files of its own, in blocks of Markdown, in strings of Rust, in lists of TOML.

use crate::scan::{self, Role, Use};
use crate::table::Rule;

/// The uses in a file, and places that could not be read though an old name stands there.
pub fn uses(file: &str, text: &str, rules: &[Rule]) -> (Vec<Use>, Vec<(usize, String)>) {
    let has_old = |text: &str| rules.iter().any(|rule| crate::holds_word(text, &rule.old));
    if !has_old(text) {
        return (Vec::new(), Vec::new());
    }
    let mut found = Vec::new();
    let mut unread = Vec::new();
    let ending = file.rsplit('.').next().unwrap_or_default();
    let pieces = match ending {
        "md" => blocks(text),
        "rs" => strings(text),
        "toml" => lines(text),
        _ => vec![Piece { text: text.to_owned(), at: (0..=text.len()).collect() }],
    };
    let kept_whole = ending == "rs" || ending == "toml";
    for piece in pieces.into_iter().filter(|piece| has_old(&piece.text)) {
        let piece = if ending == "md" { shown_code(piece) } else { piece };
        match read(&piece.text, kept_whole || ending == "md") {
            Some(uses) => {
                found.extend(uses.into_iter().map(|usage| Use { at: piece.at[usage.at], ..usage }))
            }
            None => {
                let (inside, left) = quoted(&piece);
                found.extend(inside);
                if rules.iter().any(|rule| looks_like_code(&left, &rule.old)) {
                    let start: String = left.chars().take(90).collect();
                    unread.push((piece.at[0], format!("cannot be read: {start:?}")));
                }
            }
        }
    }
    if ending == "toml" {
        found.extend(toml_keys(text));
    }
    (found, unread)
}

/// The keys at the beginnings of lines.
fn toml_keys(text: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let key: String =
            line.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if !key.is_empty() && line[key.len()..].trim_start().starts_with('=') {
            found.push(bare(&key, start, Role::Toml));
        }
        start += line.len();
    }
    found
}

fn bare(name: &str, at: usize, role: Role) -> Use {
    Use {
        name: name.to_owned(),
        at,
        role,
        path: String::new(),
        keys: Vec::new(),
        base: String::new(),
        origin: String::new(),
        locals: Vec::new(),
        then: String::new(),
    }
}

/// What stands between backquotes in a sentence, and the sentence without it.
fn quoted(piece: &Piece) -> (Vec<Use>, String) {
    let (mut found, mut left, mut from) = (Vec::new(), String::new(), 0);
    for (n, part) in piece.text.split('`').enumerate() {
        let uses = if n % 2 == 1 { read(part, true) } else { None };
        match uses {
            Some(uses) => {
                found.extend(
                    uses.into_iter().map(|usage| Use { at: piece.at[from + usage.at], ..usage }),
                );
            }
            None => left.push_str(part),
        }
        from += part.len() + 1;
    }
    (found, left)
}

/// Whether a name stands in a text as code would have it.
fn looks_like_code(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let after = &text[at + name.len()..];
        if is_word(before) || after.starts_with(is_word) {
            return false;
        }
        let next = after.trim_start_matches(' ').chars().next().unwrap_or(' ');
        ['.', '`'].contains(&before) && !text[..at].ends_with("..")
            || ['=', '"', '\''].contains(&next)
            || after.starts_with(" { ")
            || after.starts_with(" {{")
            || after.starts_with(['(', '.', '[']) && !after.starts_with(". ") && after != "."
    })
}

/// A piece of code, and where each of its bytes stands in the file.
struct Piece {
    text: String,
    at: Vec<usize>,
}

/// Reads code: as a file, or as what may stand in one.
fn read(text: &str, fragments: bool) -> Option<Vec<Use>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if fragments && text.chars().all(is_word) {
        return Some(vec![bare(text, 0, Role::Bare)]);
    }
    if let Some(uses) = scan::uses(text) {
        return Some(uses);
    }
    // A code of a Problem, the path of a file: words that are no code.
    let is_code = |c: char| is_word(c) || "-/.:".contains(c);
    if fragments && text.contains(['-', '/']) && text.chars().all(is_code) {
        return Some(Vec::new());
    }
    // The way to a part of the state, with the numbers of items: `members.2.hp`.
    let is_way = |part: &str| !part.is_empty() && part.chars().all(is_word);
    if fragments && text.contains('.') && text.split('.').all(is_way) && scan::uses(text).is_none()
    {
        let mut from = 0;
        let mut found = Vec::new();
        for part in text.split('.') {
            found.push(Use { base: text.to_owned(), ..bare(part, from, Role::Str) });
            from += part.len() + 1;
        }
        return framed(text, true).or(Some(found));
    }
    if fragments {
        for holes in [filled(text, ' '), filled(text, '_')].into_iter().flatten() {
            if let Some(uses) = framed(&holes, true) {
                return Some(uses);
            }
        }
    }
    framed(text, fragments)
}

/// A text that is formatted, with its holes `{name}` and `{:?}` closed by something of the same length.
fn filled(text: &str, with: char) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let hole = rest.find('}').map(|close| &rest[..=close]);
        match hole {
            Some(hole) if rest.starts_with("{{") => {
                out.push_str("{{");
                rest = &rest[2..];
                let _ = hole;
            }
            Some(hole)
                if hole.len() > 2
                    && hole[1..hole.len() - 1]
                        .chars()
                        .all(|c| c.is_alphanumeric() || "_:?.".contains(c)) =>
            {
                if hole.contains(":?") && hole.len() >= 4 {
                    out.push('"');
                    out.extend(std::iter::repeat_n('_', hole.len() - 2));
                    out.push('"');
                } else {
                    out.extend(std::iter::repeat_n(with, hole.len()));
                }
                rest = &rest[hole.len()..];
            }
            _ => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

fn framed(text: &str, fragments: bool) -> Option<Vec<Use>> {
    let frames: &[(&str, &str)] = if fragments {
        // It may be a part of a table, or of a function.
        &[("return ", ""), ("return {", "}"), ("return {{", "}}"), ("local function _() ", "\nend")]
    } else {
        &[]
    };
    frames.iter().find_map(|(before, after)| {
        let uses = scan::uses(&format!("{before}{text}{after}"))?;
        let inside = uses.into_iter().filter(|usage| usage.at >= before.len());
        Some(inside.map(|usage| Use { at: usage.at - before.len(), ..usage }).collect())
    })
}

/// A block of a page with what a page alone may have: lines that are a value, `value --> what it is`, and `…`.
fn shown_code(piece: Piece) -> Piece {
    if scan::uses(&piece.text).is_some() {
        return piece;
    }
    let mut made = Piece { text: String::new(), at: Vec::new() };
    let mut start = 0;
    for line in piece.text.split_inclusive('\n') {
        let code = line.trim_start();
        if line.contains("-->") && !code.starts_with("local ") && !code.starts_with("--") {
            let before = "local _ = ";
            made.text.push_str(before);
            made.at.extend(std::iter::repeat_n(piece.at[start], before.len()));
        }
        for (n, c) in line.char_indices().filter(|(_, c)| *c != '…') {
            made.text.push(c);
            made.at.extend((n..n + c.len_utf8()).map(|n| piece.at[start + n]));
        }
        start += line.len();
    }
    made.at.push(piece.at[start]);
    if scan::uses(&made.text).is_some() { made } else { piece }
}

/// The blocks of Luau in a page.
fn blocks(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut open: Option<(usize, bool)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            match open.take() {
                Some((from, true)) => pieces.push(Piece {
                    text: text[from..start].to_owned(),
                    at: (from..=start).collect(),
                }),
                Some(_) => {}
                None => open = Some((start + line.len(), line.contains("lua"))),
            }
        }
        start += line.len();
    }
    // Code in a sentence: `name { … }`.
    pieces.extend(spans(text));
    pieces
}

/// What stands between single backquotes outside of blocks, if it can be read.
fn spans(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut in_block = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let mut from = start;
            for (n, part) in line.split('`').enumerate() {
                if n % 2 == 1 && read(part, true).is_some() {
                    pieces.push(Piece {
                        text: part.to_owned(),
                        at: (from..=from + part.len()).collect(),
                    });
                }
                from += part.len() + 1;
            }
        }
        start += line.len();
    }
    pieces
}

/// The strings of a Rust file, with what escapes stand for.
fn strings(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i..].starts_with(b"//") {
            while i < bytes.len() && bytes[i] != b'\n' {
                i += 1;
            }
        } else if bytes[i] == b'\'' {
            // A character, or a lifetime.
            let end = match bytes.get(i + 1) {
                Some(b'\\') => text[i + 2..].find('\'').map(|n| i + 3 + n),
                Some(_) => {
                    let c = text[i + 1..].chars().next().map_or(1, char::len_utf8);
                    (bytes.get(i + 1 + c) == Some(&b'\'')).then_some(i + 2 + c)
                }
                None => None,
            };
            i = end.unwrap_or(i + 1);
        } else if bytes[i] == b'r'
            && matches!(bytes.get(i + 1), Some(b'"' | b'#'))
            && !before(bytes, i)
        {
            let hashes = bytes[i + 1..].iter().take_while(|b| **b == b'#').count();
            if bytes.get(i + 1 + hashes) != Some(&b'"') {
                i += 1;
                continue;
            }
            let from = i + 2 + hashes;
            let close = format!("\"{}", "#".repeat(hashes));
            let end = text[from..].find(&close).map_or(text.len(), |n| from + n);
            pieces.push(Piece { text: text[from..end].to_owned(), at: (from..=end).collect() });
            i = end + close.len();
        } else if bytes[i] == b'"' {
            let mut piece = Piece { text: String::new(), at: Vec::new() };
            i += 1;
            while i < bytes.len() && bytes[i] != b'"' {
                if bytes[i] == b'\\' {
                    let (c, len) = match bytes.get(i + 1) {
                        Some(b'n') => (Some('\n'), 2),
                        Some(b't') => (Some('\t'), 2),
                        Some(b'\n') => {
                            let spaces =
                                text[i + 2..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
                            (None, 2 + spaces)
                        }
                        Some(b'u') => (Some('?'), text[i..].find('}').map_or(2, |n| n + 1)),
                        Some(other) => (Some(char::from(*other)), 2),
                        None => (None, 1),
                    };
                    if let Some(c) = c {
                        piece.text.push(c);
                        piece.at.push(i);
                    }
                    i += len;
                } else {
                    let c = text[i..].chars().next().unwrap_or(' ');
                    piece.text.push(c);
                    piece.at.extend(i..i + c.len_utf8());
                    i += c.len_utf8();
                }
            }
            piece.at.push(i);
            i += 1;
            pieces.push(piece);
        } else {
            i += 1;
        }
    }
    pieces
}

fn before(bytes: &[u8], i: usize) -> bool {
    i > 0 && (bytes[i - 1].is_ascii_alphanumeric() || bytes[i - 1] == b'_')
}

/// The strings of a TOML file that hold lines of Luau: those of `given`, and answers that begin with a colon.
fn lines(text: &str) -> Vec<Piece> {
    let holds_code = |piece: &Piece| piece.text.contains(['(', '=']);
    strings(text)
        .into_iter()
        .filter(holds_code)
        .map(|piece| match piece.text.strip_prefix(':') {
            Some(rest) => Piece { text: rest.to_owned(), at: piece.at[1..].to_vec() },
            None => piece,
        })
        .collect()
}
