//! Finds the names that a script declares: locals, functions, parameters and loop variables. At run time
//! they have no names.

use super::source_scan::CodeBytes;

/// The part of a declaration that is scanned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationPart {
    /// None: other code.
    Outside,
    /// The names after `local` or `for`.
    Names,
    /// After `function`: its name, if it has one.
    FunctionName,
    /// The parameters of a function.
    Parameters,
}

/// The declared names of a script, in order. Types between them are skipped.
pub(crate) fn declared_names(text: &str) -> Vec<&str> {
    use DeclarationPart::{FunctionName, Names, Outside, Parameters};
    let (mut names, mut part, mut expects_name) = (Vec::new(), Outside, false);
    // Open brackets inside a type.
    let mut depth = 0_usize;
    for token in tokens(text) {
        match token {
            "local" | "for" => (part, expects_name, depth) = (Names, true, 0),
            "function" => (part, expects_name, depth) = (FunctionName, true, 0),
            "(" if part == FunctionName => (part, expects_name, depth) = (Parameters, true, 0),
            ")" if part == Parameters && depth == 0 => part = Outside,
            "=" | "in" if part == Names && depth == 0 => part = Outside,
            "\n" if part == Names && depth == 0 && !expects_name => part = Outside,
            "(" | "{" | "[" | "<" => depth += 1,
            ")" | "}" | "]" | ">" => depth = depth.saturating_sub(1),
            "," => expects_name = depth == 0,
            name if part != Outside && expects_name && is_name(name) => {
                names.push(name);
                expects_name = false;
            }
            _ => {}
        }
    }
    names
}

/// The words of the code, its line ends, and its other characters one by one. The arrow of a type
/// is one.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut code = CodeBytes::of(text).peekable();
    std::iter::from_fn(move || {
        let (start, first) = code.next()?;
        let mut end = start + 1;
        let is_next = |index: usize, next: &(usize, u8)| next.0 == index;
        if is_name_byte(first) {
            while code.next_if(|next| is_next(end, next) && is_name_byte(next.1)).is_some() {
                end += 1;
            }
        } else if first == b'-'
            && code.next_if(|next| is_next(end, next) && next.1 == b'>').is_some()
        {
            end += 1;
        }
        // Other characters than ASCII are no code.
        Some(text.get(start..end).unwrap_or_default())
    })
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
