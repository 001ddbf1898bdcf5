//! The sources of the mods, and the lookup of field locations. A definition stores the line where
//! it begins; its fields are found by scanning the text from there.

use std::collections::BTreeMap;

use base::line_index::LineIndexedText;
use base::{FileText, SourceLocation, text};

/// The texts of all files, by mod and then by file.
#[derive(Clone, Debug, Default)]
pub struct SourceFiles(BTreeMap<String, BTreeMap<String, LineIndexedText>>);

impl SourceFiles {
    /// Adds the text of a file.
    pub fn add_file(&mut self, owner: &str, file: &str, text: FileText) {
        self.0
            .entry(owner.to_owned())
            .or_default()
            .insert(file.to_owned(), LineIndexedText::new(text));
    }

    /// The lines of a file.
    pub fn indexed_text(&self, owner: &str, file: &str) -> Option<&LineIndexedText> {
        self.0.get(owner)?.get(file)
    }

    /// All files with their mods, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &LineIndexedText)> {
        let files_of_mod = |(owner, files)| {
            let files: &BTreeMap<String, LineIndexedText> = files;
            let owner: &String = owner;
            files.iter().map(move |(file, lines)| (&**owner, &**file, lines))
        };
        self.0.iter().flat_map(files_of_mod)
    }

    /// The location with the text of its line.
    pub fn with_excerpt(&self, place: &SourceLocation) -> SourceLocation {
        self.locate_field(place, &[])
    }

    /// The location of a field in the definition that begins at `place`: as deep as its path can be
    /// followed in the source.
    pub fn locate_field(&self, place: &SourceLocation, path: &[String]) -> SourceLocation {
        let mut place = place.clone();
        let file = self.indexed_text(&place.owner, &place.file);
        let Some(source) = file.filter(|_| place.line > 0) else { return place };
        let first = place.line as usize - 1;
        let Some(start) = source.line_start(first) else { return place };
        let line = match path {
            [] => first,
            path => source
                .line_number_at_offset(start + find_path_offset(&source.text()[start..], path)),
        };
        if let Some(excerpt) = source.line_text(line) {
            place.line = u32::try_from(line + 1).unwrap_or(u32::MAX);
            place.excerpt = Some(text::strip_unprintable(excerpt));
        }
        place
    }
}

/// A name before a single `=`, and its bracket depth.
struct AssignedName {
    name: String,
    bracket_depth: usize,
    offset: usize,
    value_end: usize,
}

/// Follows a path of field names through the text of a definition. Returns the offset of the last
/// name found.
fn find_path_offset(source: &str, path: &[String]) -> usize {
    let assigned = read_assigned_names(source);
    let (mut offset, mut end) = (0, source.len());
    for name in path {
        if let Some(number) = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            let found = number
                .parse()
                .ok()
                .and_then(|number| find_list_item_range(source, (offset, end), number));
            (offset, end) = found.unwrap_or((offset, end));
            continue;
        }
        let inside = assigned.iter().filter(|one| one.offset >= offset && one.offset < end);
        let matching_names = inside.filter(|one| one.name == *name);
        let Some(found) = matching_names.min_by_key(|one| (one.bracket_depth, one.offset)) else {
            break;
        };
        (offset, end) = (found.offset, found.value_end);
    }
    offset
}

/// The range of a list item in a range of the source.
fn find_list_item_range(
    source: &str,
    (from, end): (usize, usize),
    number: usize,
) -> Option<(usize, usize)> {
    let bytes = source.as_bytes();
    let (mut at, mut depth, mut item_count, mut begun) = (from, 0usize, 0, None);
    while at < end {
        let after = match bytes[at] {
            b'-' if bytes[at..].starts_with(b"--") => {
                at = end_of_comment(source, at);
                continue;
            }
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'"' | b'\'' | b'`' => end_of_quote(bytes, at),
            b'[' if long_bracket_level(&bytes[at..]).is_some() => end_of_long_bracket(source, at),
            _ => at + 1,
        };
        let (opens_bracket, ends) =
            (matches!(bytes[at], b'{' | b'('), matches!(bytes[at], b'}' | b')'));
        let ends_item = depth == 1 && (ends || matches!(bytes[at], b',' | b';'));
        if ends_item && item_count == number {
            return Some((begun?, at));
        }
        if ends_item {
            begun = None;
        } else if depth == 1 && begun.is_none() {
            (begun, item_count) = (Some(at), item_count + 1);
        }
        // The list may be the argument of a call: `add({ … })`.
        if opens_bracket && (depth > 0 || bytes[at] == b'{') {
            depth += 1;
        } else if ends {
            depth = depth.saturating_sub(1);
            if depth == 0 && item_count > 0 {
                return None;
            }
        }
        at = after;
    }
    None
}

/// Reads the assigned names, up to the end of the brackets that the text begins with.
fn read_assigned_names(source: &str) -> Vec<AssignedName> {
    let bytes = source.as_bytes();
    let mut assigned: Vec<AssignedName> = Vec::new();
    let mut open_values: Vec<usize> = Vec::new();
    let (mut at, mut depth) = (0, 0usize);
    // the last name or `["text"]`, which a following equals sign makes a field name
    let mut last: Option<(String, usize)> = None;
    while at < bytes.len() {
        let begin = at;
        match bytes[at] {
            b'-' if bytes[at..].starts_with(b"--") => at = end_of_comment(source, at),
            b'"' | b'\'' | b'`' => {
                at = end_of_quote(bytes, at);
                let inside = source.get(begin + 1..at.saturating_sub(1)).unwrap_or_default();
                let is_in_brackets = begin > 0 && bytes[begin - 1] == b'[';
                last = is_in_brackets.then(|| (inside.to_owned(), begin));
                continue;
            }
            b'[' if long_bracket_level(&bytes[at..]).is_some() => {
                at = end_of_long_bracket(source, at)
            }
            b'[' | b']' | b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'{' | b'(' => {
                depth += 1;
                at += 1;
            }
            b'}' | b')' => {
                end_values_at_depth(&mut assigned, &mut open_values, depth, at);
                depth = depth.saturating_sub(1);
                at += 1;
                if depth == 0 && !is_call_continued(&bytes[at..]) {
                    break;
                }
            }
            b',' | b';' => {
                end_values_at_depth(&mut assigned, &mut open_values, depth, at);
                at += 1;
            }
            b'=' => {
                at += 1;
                let is_single_equals = bytes.get(at) != Some(&b'=');
                if let Some((name, offset)) = last.take().filter(|_| is_single_equals) {
                    open_values.push(assigned.len());
                    assigned.push(AssignedName {
                        name,
                        bracket_depth: depth,
                        offset,
                        value_end: source.len(),
                    });
                }
                at += usize::from(!is_single_equals);
            }
            byte if is_word_byte(byte) => {
                while at < bytes.len() && is_word_byte(bytes[at]) {
                    at += 1;
                }
                last = Some((source[begin..at].to_owned(), begin));
                continue;
            }
            _ => at += 1,
        }
        last = None;
    }
    assigned
}

/// Ends the values that are open at this depth or deeper.
fn end_values_at_depth(
    assigned: &mut [AssignedName],
    open_values: &mut Vec<usize>,
    depth: usize,
    at: usize,
) {
    while let Some(index) = open_values.pop_if(|index| assigned[*index].bracket_depth >= depth) {
        assigned[index].value_end = at;
    }
}

/// Whether a call continues after a closing bracket: `f("x")({ … })`, `f("x") { … }`.
fn is_call_continued(rest: &[u8]) -> bool {
    let next = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n'));
    matches!(next, Some(b'{' | b'(' | b'"'))
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The number of equals signs of a long bracket, if one begins here.
fn long_bracket_level(rest: &[u8]) -> Option<usize> {
    let equals_count = rest[1..].iter().take_while(|byte| **byte == b'=').count();
    (rest.get(equals_count + 1) == Some(&b'[')).then_some(equals_count)
}

fn end_of_long_bracket(source: &str, at: usize) -> usize {
    let equals_count = long_bracket_level(&source.as_bytes()[at..]).unwrap_or(0);
    let closing = format!("]{}]", "=".repeat(equals_count));
    source[at..].find(&closing).map_or(source.len(), |found| at + found + closing.len())
}

fn end_of_comment(source: &str, at: usize) -> usize {
    let rest = &source.as_bytes()[at + 2..];
    if rest.first() == Some(&b'[') && long_bracket_level(rest).is_some() {
        return end_of_long_bracket(source, at + 2);
    }
    source[at..].find('\n').map_or(source.len(), |found| at + found)
}

fn end_of_quote(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while at < bytes.len() && bytes[at] != bytes[begin] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}
