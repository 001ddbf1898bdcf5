//! Parses Rust source for the source rules: code without comments and strings, `use` paths,
//! functions and blocks.

/// The same source with comments, strings and characters blanked. Line numbers stay, and only code
/// is left.
pub fn code(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = vec![b' '; bytes.len()];
    let mut at = 0;
    while at < bytes.len() {
        let rest = &source[at..];
        let long = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'r' if !named(bytes, at) => raw_text(rest).unwrap_or(0),
            b'"' => text(rest),
            b'\'' => character(rest),
            _ => 0,
        };
        match long {
            0 => {
                out[at] = bytes[at];
                at += 1;
            }
            long => at += long,
        }
    }
    let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    newlines.for_each(|(at, _)| out[at] = b'\n');
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether this position continues a name.
fn named(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

fn raw_text(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    let open = 1 + hashes;
    rest[open..].starts_with('"').then(|| {
        let close = format!("\"{}", "#".repeat(hashes));
        rest[open + 1..].find(&close).map_or(rest.len(), |end| open + 1 + end + close.len())
    })
}

fn text(rest: &str) -> usize {
    let mut slash = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !slash => return at + 1,
            _ => slash = byte == b'\\' && !slash,
        }
    }
    rest.len()
}

/// The length of a character literal; 0 for a lifetime.
fn character(rest: &str) -> usize {
    let mut inside = rest[1..].char_indices();
    match inside.next() {
        Some((_, '\\')) => rest[2..].find('\'').map_or(0, |end| {
            // An escaped character may be the quote itself.
            let end = end + 2;
            if rest[2..].starts_with('\'') { 4 } else { end + 1 }
        }),
        Some(_) => match inside.next() {
            Some((end, '\'')) => end + 2,
            _ => 0,
        },
        None => 0,
    }
}

/// The end of a block that opens at `open` (a `{`).
pub fn end_of_block(code: &str, open: usize) -> usize {
    let mut depth = 0_u32;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The number of `unsafe` blocks of a file, and of the lines in them and in `unsafe` functions.
pub fn unsafe_of(code: &str) -> (usize, usize) {
    let mut blocks = 0;
    let mut lines = std::collections::BTreeSet::new();
    let word = "unsafe";
    for (at, _) in code.match_indices(word) {
        let after = code[at + word.len()..].trim_start();
        if named(code.as_bytes(), at) || after.starts_with(['_', '(', ')', ']']) {
            continue;
        }
        blocks += usize::from(after.starts_with('{'));
        let Some(open) = code[at..].find(['{', ';']).map(|open| at + open) else { continue };
        if code[open..].starts_with('{') {
            let line = |at: usize| code[..at].matches('\n').count();
            lines.extend(line(at)..=line(end_of_block(code, open)));
        }
    }
    (blocks, lines.len())
}

/// Every path from `crate`, `super` or `self` in code, in a `use` or elsewhere, with `use` groups
/// expanded.
pub fn paths(code: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (public, tree) in uses(code) {
        if !public {
            out.extend(expand_use_tree(&tree));
        }
    }
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start).filter(|(at, _)| !named(code.as_bytes(), *at)) {
            let path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let whole = code[at..].split(|c: char| !path(c)).next().unwrap_or_default();
            out.push(whole.trim_end_matches(':').to_owned());
        }
    }
    out
}

/// The re-exports of a file: `(name, path)`.
pub fn reexports(code: &str) -> Vec<(String, String)> {
    let public = uses(code).into_iter().filter(|(public, _)| *public);
    let paths = public.flat_map(|(_, tree)| expand_use_tree(&tree));
    paths
        .filter_map(|path| {
            let (from, name) = path.rsplit_once("::")?;
            Some((name.to_owned(), from.to_owned()))
        })
        .collect()
}

/// The trees of the `use` declarations, and whether each is `pub`.
fn uses(code: &str) -> Vec<(bool, String)> {
    let mut out = Vec::new();
    for (at, _) in code.match_indices("use ").filter(|(at, _)| !named(code.as_bytes(), *at)) {
        let line = code[..at].rsplit(['\n', ';', '}']).next().unwrap_or_default().trim_start();
        let tree = code[at + 4..].split(';').next().unwrap_or_default();
        out.push((line.starts_with("pub"), tree.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    out
}

fn expand_use_tree(tree: &str) -> Vec<String> {
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default().trim();
        return vec![path.trim_end_matches("::self").to_owned()];
    };
    let (before, inside) = (&tree[..open], &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())]);
    let (mut depth, mut from, mut parts) = (0_u32, 0, Vec::new());
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&inside[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[from..]);
    let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
    parts.flat_map(|part| expand_use_tree(&format!("{}{part}", before.trim()))).collect()
}
