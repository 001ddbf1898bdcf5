//! Finds Luau code in its containers: Luau files, blocks of Markdown, strings of Rust, lists of
//! TOML.

use crate::scan::{self, NameRole, NameUsage};
use crate::table::RenameRule;

/// The uses in a file, and the places with an old name that could not be parsed.
pub fn find_uses(
    file: &str,
    text: &str,
    rules: &[RenameRule],
) -> (Vec<NameUsage>, Vec<(usize, String)>) {
    let has_old = |text: &str| rules.iter().any(|rule| crate::contains_word(text, &rule.old));
    if !has_old(text) {
        return (Vec::new(), Vec::new());
    }
    let mut uses_found = Vec::new();
    let mut unread_places = Vec::new();
    let ending = file.rsplit('.').next().unwrap_or_default();
    let pieces = match ending {
        "md" => luau_blocks(text),
        "rs" => rust_strings(text),
        "toml" => toml_luau_strings(text),
        _ => vec![CodePiece { text: text.to_owned(), byte_positions: (0..=text.len()).collect() }],
    };
    let reads_fragments = ending == "rs" || ending == "toml";
    for piece in pieces.into_iter().filter(|piece| has_old(&piece.text)) {
        let piece = if ending == "md" { normalize_page_code(piece) } else { piece };
        match read_code(&piece.text, reads_fragments || ending == "md") {
            Some(uses) => uses_found.extend(uses.into_iter().map(|usage| NameUsage {
                byte_position: piece.byte_positions[usage.byte_position],
                ..usage
            })),
            None => {
                let (inner_uses, remaining_text) = backquoted_uses(&piece);
                uses_found.extend(inner_uses);
                if rules.iter().any(|rule| looks_like_code(&remaining_text, &rule.old)) {
                    let start: String = remaining_text.chars().take(90).collect();
                    unread_places
                        .push((piece.byte_positions[0], format!("cannot be read: {start:?}")));
                }
            }
        }
    }
    if ending == "toml" {
        uses_found.extend(toml_keys(text));
    }
    (uses_found, unread_places)
}

/// The keys at the beginnings of lines.
fn toml_keys(text: &str) -> Vec<NameUsage> {
    let mut uses_found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let key: String = line
            .chars()
            .take_while(|character| character.is_ascii_alphanumeric() || *character == '_')
            .collect();
        if !key.is_empty() && line[key.len()..].trim_start().starts_with('=') {
            uses_found.push(bare_use(&key, start, NameRole::Toml));
        }
        start += line.len();
    }
    uses_found
}

fn bare_use(name: &str, position: usize, role: NameRole) -> NameUsage {
    NameUsage {
        name: name.to_owned(),
        byte_position: position,
        role,
        path: String::new(),
        keys: Vec::new(),
        base: String::new(),
        origin: String::new(),
        locals: Vec::new(),
        accessed_field: String::new(),
    }
}

/// The names between backquotes in a sentence, and the sentence without them.
fn backquoted_uses(piece: &CodePiece) -> (Vec<NameUsage>, String) {
    let (mut uses_found, mut remaining_text, mut offset) = (Vec::new(), String::new(), 0);
    for (index, part) in piece.text.split('`').enumerate() {
        let uses = if index % 2 == 1 { read_code(part, true) } else { None };
        match uses {
            Some(uses) => {
                uses_found.extend(uses.into_iter().map(|usage| NameUsage {
                    byte_position: piece.byte_positions[offset + usage.byte_position],
                    ..usage
                }));
            }
            None => remaining_text.push_str(part),
        }
        offset += part.len() + 1;
    }
    (uses_found, remaining_text)
}

/// Whether a text contains a name in a form that looks like code.
fn looks_like_code(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(position, _)| {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let previous_character = text[..position].chars().next_back().unwrap_or(' ');
        let following_text = &text[position + name.len()..];
        if is_word(previous_character) || following_text.starts_with(is_word) {
            return false;
        }
        let next_character = following_text.trim_start_matches(' ').chars().next().unwrap_or(' ');
        ['.', '`'].contains(&previous_character) && !text[..position].ends_with("..")
            || ['=', '"', '\''].contains(&next_character)
            || following_text.starts_with(" { ")
            || following_text.starts_with(" {{")
            || following_text.starts_with(['(', '.', '['])
                && !following_text.starts_with(". ")
                && following_text != "."
    })
}

/// A piece of code, and the position of each of its bytes in the file.
struct CodePiece {
    text: String,
    byte_positions: Vec<usize>,
}

/// Parses code as a file or, with `fragments`, as a part of one.
fn read_code(text: &str, fragments: bool) -> Option<Vec<NameUsage>> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    if fragments && text.chars().all(is_word) {
        return Some(vec![bare_use(text, 0, NameRole::Bare)]);
    }
    if let Some(uses) = scan::scan_uses(text) {
        return Some(uses);
    }
    // A code of a Problem or a file path has no names.
    let is_code = |character: char| is_word(character) || "-/.:".contains(character);
    if fragments && text.contains(['-', '/']) && text.chars().all(is_code) {
        return Some(Vec::new());
    }
    // A path in the state, with item numbers: `members.2.hp`.
    let is_path_part = |part: &str| !part.is_empty() && part.chars().all(is_word);
    if fragments
        && text.contains('.')
        && text.split('.').all(is_path_part)
        && scan::scan_uses(text).is_none()
    {
        let mut offset = 0;
        let mut uses_found = Vec::new();
        for part in text.split('.') {
            uses_found
                .push(NameUsage { base: text.to_owned(), ..bare_use(part, offset, NameRole::Str) });
            offset += part.len() + 1;
        }
        return read_in_frame(text, true).or(Some(uses_found));
    }
    if fragments {
        for filled_text in [fill_holes(text, ' '), fill_holes(text, '_')].into_iter().flatten() {
            if let Some(uses) = read_in_frame(&filled_text, true) {
                return Some(uses);
            }
        }
    }
    read_in_frame(text, fragments)
}

/// A format string with its holes `{name}` and `{:?}` replaced by a filler of the same length.
fn fill_holes(text: &str, filler: char) -> Option<String> {
    let mut filled_text = String::new();
    let mut rest = text;
    while let Some(hole_start) = rest.find('{') {
        filled_text.push_str(&rest[..hole_start]);
        rest = &rest[hole_start..];
        let hole = rest.find('}').map(|close| &rest[..=close]);
        match hole {
            Some(hole) if rest.starts_with("{{") => {
                filled_text.push_str("{{");
                rest = &rest[2..];
                let _ = hole;
            }
            Some(hole)
                if hole.len() > 2
                    && hole[1..hole.len() - 1].chars().all(|character| {
                        character.is_alphanumeric() || "_:?.".contains(character)
                    }) =>
            {
                if hole.contains(":?") && hole.len() >= 4 {
                    filled_text.push('"');
                    filled_text.extend(std::iter::repeat_n('_', hole.len() - 2));
                    filled_text.push('"');
                } else {
                    filled_text.extend(std::iter::repeat_n(filler, hole.len()));
                }
                rest = &rest[hole.len()..];
            }
            _ => {
                filled_text.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled_text.push_str(rest);
    (filled_text != text).then_some(filled_text)
}

fn read_in_frame(text: &str, fragments: bool) -> Option<Vec<NameUsage>> {
    let frames: &[(&str, &str)] = if fragments {
        // The text may be a part of a table or of a function.
        &[("return ", ""), ("return {", "}"), ("return {{", "}}"), ("local function _() ", "\nend")]
    } else {
        &[]
    };
    frames.iter().find_map(|(frame_start, frame_end)| {
        let uses = scan::scan_uses(&format!("{frame_start}{text}{frame_end}"))?;
        let inner_uses = uses.into_iter().filter(|usage| usage.byte_position >= frame_start.len());
        Some(
            inner_uses
                .map(|usage| NameUsage {
                    byte_position: usage.byte_position - frame_start.len(),
                    ..usage
                })
                .collect(),
        )
    })
}

/// Normalizes a block of a page, which may have notation that Luau does not: `value --> result`,
/// and `…`.
fn normalize_page_code(piece: CodePiece) -> CodePiece {
    if scan::scan_uses(&piece.text).is_some() {
        return piece;
    }
    let mut rewritten = CodePiece { text: String::new(), byte_positions: Vec::new() };
    let mut start = 0;
    for line in piece.text.split_inclusive('\n') {
        let code = line.trim_start();
        if line.contains("-->") && !code.starts_with("local ") && !code.starts_with("--") {
            let filler = "local _ = ";
            rewritten.text.push_str(filler);
            rewritten
                .byte_positions
                .extend(std::iter::repeat_n(piece.byte_positions[start], filler.len()));
        }
        for (index, character) in line.char_indices().filter(|(_, character)| *character != '…') {
            rewritten.text.push(character);
            rewritten.byte_positions.extend(
                (index..index + character.len_utf8())
                    .map(|index| piece.byte_positions[start + index]),
            );
        }
        start += line.len();
    }
    rewritten.byte_positions.push(piece.byte_positions[start]);
    if scan::scan_uses(&rewritten.text).is_some() { rewritten } else { piece }
}

/// The blocks of Luau in a page.
fn luau_blocks(text: &str) -> Vec<CodePiece> {
    let mut pieces = Vec::new();
    let mut open_block: Option<(usize, bool)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            match open_block.take() {
                Some((offset, true)) => pieces.push(CodePiece {
                    text: text[offset..start].to_owned(),
                    byte_positions: (offset..=start).collect(),
                }),
                Some(_) => {}
                None => open_block = Some((start + line.len(), line.contains("lua"))),
            }
        }
        start += line.len();
    }
    // Code in a sentence: `name { … }`.
    pieces.extend(inline_code(text));
    pieces
}

/// The pieces between single backquotes outside of blocks that can be parsed.
fn inline_code(text: &str) -> Vec<CodePiece> {
    let mut pieces = Vec::new();
    let mut in_block = false;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let mut offset = start;
            for (index, part) in line.split('`').enumerate() {
                if index % 2 == 1 && read_code(part, true).is_some() {
                    pieces.push(CodePiece {
                        text: part.to_owned(),
                        byte_positions: (offset..=offset + part.len()).collect(),
                    });
                }
                offset += part.len() + 1;
            }
        }
        start += line.len();
    }
    pieces
}

/// The strings of a Rust file, with what escapes stand for.
fn rust_strings(text: &str) -> Vec<CodePiece> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut position = 0;
    while position < bytes.len() {
        if bytes[position..].starts_with(b"//") {
            while position < bytes.len() && bytes[position] != b'\n' {
                position += 1;
            }
        } else if bytes[position] == b'\'' {
            // A character, or a lifetime.
            let end = match bytes.get(position + 1) {
                Some(b'\\') => text[position + 2..].find('\'').map(|index| position + 3 + index),
                Some(_) => {
                    let character = text[position + 1..].chars().next().map_or(1, char::len_utf8);
                    (bytes.get(position + 1 + character) == Some(&b'\''))
                        .then_some(position + 2 + character)
                }
                None => None,
            };
            position = end.unwrap_or(position + 1);
        } else if bytes[position] == b'r'
            && matches!(bytes.get(position + 1), Some(b'"' | b'#'))
            && !follows_word_character(bytes, position)
        {
            let hashes = bytes[position + 1..].iter().take_while(|b| **b == b'#').count();
            if bytes.get(position + 1 + hashes) != Some(&b'"') {
                position += 1;
                continue;
            }
            let offset = position + 2 + hashes;
            let closing_mark = format!("\"{}", "#".repeat(hashes));
            let end = text[offset..].find(&closing_mark).map_or(text.len(), |index| offset + index);
            pieces.push(CodePiece {
                text: text[offset..end].to_owned(),
                byte_positions: (offset..=end).collect(),
            });
            position = end + closing_mark.len();
        } else if bytes[position] == b'"' {
            let mut piece = CodePiece { text: String::new(), byte_positions: Vec::new() };
            position += 1;
            while position < bytes.len() && bytes[position] != b'"' {
                if bytes[position] == b'\\' {
                    let (character, len) = match bytes.get(position + 1) {
                        Some(b'n') => (Some('\n'), 2),
                        Some(b't') => (Some('\t'), 2),
                        Some(b'\n') => {
                            let spaces = text[position + 2..]
                                .find(|character: char| !character.is_whitespace())
                                .unwrap_or(0);
                            (None, 2 + spaces)
                        }
                        Some(b'u') => {
                            (Some('?'), text[position..].find('}').map_or(2, |index| index + 1))
                        }
                        Some(other) => (Some(char::from(*other)), 2),
                        None => (None, 1),
                    };
                    if let Some(character) = character {
                        piece.text.push(character);
                        piece.byte_positions.push(position);
                    }
                    position += len;
                } else {
                    let character = text[position..].chars().next().unwrap_or(' ');
                    piece.text.push(character);
                    piece.byte_positions.extend(position..position + character.len_utf8());
                    position += character.len_utf8();
                }
            }
            piece.byte_positions.push(position);
            position += 1;
            pieces.push(piece);
        } else {
            position += 1;
        }
    }
    pieces
}

fn follows_word_character(bytes: &[u8], position: usize) -> bool {
    position > 0 && (bytes[position - 1].is_ascii_alphanumeric() || bytes[position - 1] == b'_')
}

/// The strings of a TOML file that hold lines of Luau: those of `given`, and answers that begin
/// with a colon.
fn toml_luau_strings(text: &str) -> Vec<CodePiece> {
    let holds_code = |piece: &CodePiece| piece.text.contains(['(', '=']);
    rust_strings(text)
        .into_iter()
        .filter(holds_code)
        .map(|piece| match piece.text.strip_prefix(':') {
            Some(rest) => CodePiece {
                text: rest.to_owned(),
                byte_positions: piece.byte_positions[1..].to_vec(),
            },
            None => piece,
        })
        .collect()
}
