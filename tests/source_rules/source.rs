//! Parses Rust source for the source rules: code without comments and strings, `use` paths,
//! functions and blocks.

/// The same source with comments, strings and characters blanked. Line numbers stay, and only code
/// is left.
pub fn blank_comments_and_texts(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut blanked_bytes = vec![b' '; bytes.len()];
    let mut position = 0;
    while position < bytes.len() {
        let rest = &source[position..];
        let length = match bytes[position] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'r' if !continues_name(bytes, position) => raw_text_length(rest).unwrap_or(0),
            b'"' => text_length(rest),
            b'\'' => character_length(rest),
            _ => 0,
        };
        match length {
            0 => {
                blanked_bytes[position] = bytes[position];
                position += 1;
            }
            length => position += length,
        }
    }
    let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    newlines.for_each(|(position, _)| blanked_bytes[position] = b'\n');
    String::from_utf8_lossy(&blanked_bytes).into_owned()
}

/// Whether this position continues a name.
fn continues_name(bytes: &[u8], position: usize) -> bool {
    position > 0 && (bytes[position - 1].is_ascii_alphanumeric() || bytes[position - 1] == b'_')
}

fn raw_text_length(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    let quote_offset = 1 + hashes;
    rest[quote_offset..].starts_with('"').then(|| {
        let closing = format!("\"{}", "#".repeat(hashes));
        rest[quote_offset + 1..]
            .find(&closing)
            .map_or(rest.len(), |end| quote_offset + 1 + end + closing.len())
    })
}

fn text_length(rest: &str) -> usize {
    let mut is_escaped = false;
    for (position, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !is_escaped => return position + 1,
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    rest.len()
}

/// The length of a character literal; 0 for a lifetime.
fn character_length(rest: &str) -> usize {
    let mut characters = rest[1..].char_indices();
    match characters.next() {
        Some((_, '\\')) => rest[2..].find('\'').map_or(0, |end| {
            // An escaped character may be the quote itself.
            let end = end + 2;
            if rest[2..].starts_with('\'') { 4 } else { end + 1 }
        }),
        Some(_) => match characters.next() {
            Some((end, '\'')) => end + 2,
            _ => 0,
        },
        None => 0,
    }
}

/// The end of a block that opens at `open_brace` (a `{`).
pub fn block_end(code: &str, open_brace: usize) -> usize {
    let mut depth = 0_u32;
    for (position, byte) in code.bytes().enumerate().skip(open_brace) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return position;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The number of `unsafe` blocks of a file, and of the lines in them and in `unsafe` functions.
pub fn count_unsafe(code: &str) -> (usize, usize) {
    let mut blocks = 0;
    let mut lines = std::collections::BTreeSet::new();
    let keyword = "unsafe";
    for (position, _) in code.match_indices(keyword) {
        let after = code[position + keyword.len()..].trim_start();
        if continues_name(code.as_bytes(), position) || after.starts_with(['_', '(', ')', ']']) {
            continue;
        }
        blocks += usize::from(after.starts_with('{'));
        let Some(open_brace) =
            code[position..].find(['{', ';']).map(|open_brace| position + open_brace)
        else {
            continue;
        };
        if code[open_brace..].starts_with('{') {
            let line = |position: usize| code[..position].matches('\n').count();
            lines.extend(line(position)..=line(block_end(code, open_brace)));
        }
    }
    (blocks, lines.len())
}

/// Every path from `crate`, `super` or `self` in code, in a `use` or elsewhere, with `use` groups
/// expanded.
pub fn module_paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (is_public, use_tree) in use_declarations(code) {
        if !is_public {
            paths.extend(expand_use_tree(&use_tree));
        }
    }
    for prefix in ["crate::", "super::", "self::"] {
        for (position, _) in code
            .match_indices(prefix)
            .filter(|(position, _)| !continues_name(code.as_bytes(), *position))
        {
            let is_path_character = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let path_text =
                code[position..].split(|c: char| !is_path_character(c)).next().unwrap_or_default();
            paths.push(path_text.trim_end_matches(':').to_owned());
        }
    }
    paths
}

/// The re-exports of a file: `(name, path)`.
pub fn reexports(code: &str) -> Vec<(String, String)> {
    let is_public = use_declarations(code).into_iter().filter(|(public, _)| *public);
    let paths = is_public.flat_map(|(_, use_tree)| expand_use_tree(&use_tree));
    paths
        .filter_map(|path| {
            let (module_path, name) = path.rsplit_once("::")?;
            Some((name.to_owned(), module_path.to_owned()))
        })
        .collect()
}

/// The trees of the `use` declarations, and whether each is `pub`.
fn use_declarations(code: &str) -> Vec<(bool, String)> {
    let mut paths = Vec::new();
    for (position, _) in code
        .match_indices("use ")
        .filter(|(position, _)| !continues_name(code.as_bytes(), *position))
    {
        let line =
            code[..position].rsplit(['\n', ';', '}']).next().unwrap_or_default().trim_start();
        let use_tree = code[position + 4..].split(';').next().unwrap_or_default();
        paths.push((
            line.starts_with("pub"),
            use_tree.split_whitespace().collect::<Vec<_>>().join(" "),
        ));
    }
    paths
}

fn expand_use_tree(use_tree: &str) -> Vec<String> {
    let Some(open_brace) = use_tree.find('{') else {
        let path = use_tree.split(" as ").next().unwrap_or_default().trim();
        return vec![path.trim_end_matches("::self").to_owned()];
    };
    let (group_prefix, group) = (
        &use_tree[..open_brace],
        &use_tree[open_brace + 1..use_tree.rfind('}').unwrap_or(use_tree.len())],
    );
    let (mut depth, mut part_start, mut parts) = (0_u32, 0, Vec::new());
    for (position, byte) in group.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&group[part_start..position]);
                part_start = position + 1;
            }
            _ => {}
        }
    }
    parts.push(&group[part_start..]);
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    parts.flat_map(|part| expand_use_tree(&format!("{}{part}", group_prefix.trim()))).collect()
}
