//! Text for people: which characters are allowed, how wide it is, and its markup.
//!
//! *Marked text* is what scripts write: `{name}` is replaced by a value, `*word*` is
//! emphasis, and `\{`, `\}`, `\*`, `\\` are literal. Values are inserted escaped, so that
//! their text is never parsed as markup.

use std::ffi::OsStr;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::value::Value;
use super::{limits, meter};

/// Whether a character may reach a terminal or a file that people read. Refused are control
/// characters except the line break, direction marks, and invisible characters without width.
pub fn is_printable(c: char) -> bool {
    c == '\n' || !(c.is_control() || is_invisible_or_bidi(c))
}

/// Whether all eight bytes are printable ASCII.
fn is_printable_ascii(word: u64) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH_BITS: u64 = ONES << 7;
    let is_del_or_beyond = word | word.wrapping_add(ONES);
    // With its high bit set, a byte lends nothing to its neighbour.
    let without_controls = (word | HIGH_BITS) - ONES * u64::from(b' ');
    (is_del_or_beyond | !without_controls) & HIGH_BITS == 0
}

/// The first character that may not reach a terminal, and its offset.
pub fn first_unprintable(text: &str) -> Option<(usize, char)> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    // Almost all text is printable ASCII, so it is scanned many bytes at a time.
    while let Some(word) = bytes[at..].first_chunk::<8>()
        && is_printable_ascii(u64::from_ne_bytes(*word))
    {
        at += 8;
    }
    while at < bytes.len() {
        let block = &bytes[at..bytes.len().min(at + 64)];
        if block.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~' | b'\n')) {
            at += block.len();
            continue;
        }
        let end = at + block.len();
        for c in text[at..].chars() {
            if !is_printable(c)
                && !is_legitimate_joiner(&text[..at], c, text[at + c.len_utf8()..].chars().next())
            {
                return Some((at, c));
            }
            at += c.len_utf8();
            if at >= end {
                break;
            }
        }
    }
    None
}

fn is_invisible_or_bidi(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Removes every character that may not reach a terminal. Tabs become spaces.
pub fn strip_unprintable(text: &str) -> String {
    if first_unprintable(text).is_none() {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let next = || text[at + c.len_utf8()..].chars().next();
        match c {
            '\t' => out.push(' '),
            c if is_printable(c) || is_legitimate_joiner(&out, c, next()) => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a zero-width character is legitimate here: between letters of scripts that use joiners,
/// or inside an emoji. Between Latin and similar letters it would be hidden.
pub fn is_legitimate_joiner(before: &str, c: char, next: Option<char>) -> bool {
    const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
    const EMOJI_SELECTOR: char = '\u{fe0f}';
    let Some(last) = before.chars().next_back() else { return false };
    let accepts_joiner = |c: char| c >= '\u{590}' && is_printable(c);
    match c {
        EMOJI_SELECTOR => last >= '\u{2190}' && is_printable(last),
        c if JOINERS.contains(&c) => {
            (accepts_joiner(last) || last == EMOJI_SELECTOR) && next.is_some_and(accepts_joiner)
        }
        _ => false,
    }
}

/// Strips the byte order mark that some editors write at the start of a file.
pub fn strip_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{FEFF}').unwrap_or(text)
}

/// Whether a character may be part of a Luau name, except at its start.
pub fn is_luau_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a text is a valid Luau name.
pub fn is_luau_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(is_luau_name_character)
}

/// Quotes a word for a shell, whatever bytes it contains.
pub fn quote_shell_argument(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    let needs_no_quotes = |c: char| c.is_alphanumeric() || "-_./:".contains(c);
    match word.to_str().filter(|text| first_unprintable(text).is_none()) {
        Some(text) if !text.is_empty() && text.chars().all(needs_no_quotes) => text.to_owned(),
        Some(text) => format!("'{}'", text.replace('\'', r"'\''")),
        None => {
            let byte = |byte: &u8| match byte {
                b' '..=b'~' if !b"'\\".contains(byte) => char::from(*byte).to_string(),
                byte => format!("\\x{byte:02x}"),
            };
            format!("$'{}'", word.as_encoded_bytes().iter().map(byte).collect::<String>())
        }
    }
}

/// A flag with its value, quoted for a shell. A value that begins with `-` is joined with `=`.
pub fn quote_shell_flag(name: &str, value: impl AsRef<OsStr>) -> String {
    let value = value.as_ref();
    let separator = if value.as_encoded_bytes().starts_with(b"-") { '=' } else { ' ' };
    format!("{name}{separator}{}", quote_shell_argument(value))
}

/// Columns that a text takes on a terminal.
pub fn display_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Wraps a text into lines of at most `columns`, at spaces where possible. Line breaks in the text
/// are kept.
pub fn wrap_lines(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let gap = usize::from(!line.is_empty());
            if display_width(&line) + gap + display_width(word) <= columns {
                if gap == 1 {
                    line.push(' ');
                }
                line.push_str(word);
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            for grapheme in word.graphemes(true) {
                if display_width(&line) + display_width(grapheme) > columns && !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                }
                line.push_str(grapheme);
            }
        }
        lines.push(line);
    }
    lines
}

/// Escapes a value so that it contains no markup.
pub fn escape_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_markup_into(&mut out, text);
    out
}

/// Bytes that an escaped character counts as in addition to itself.
const ESCAPE_COST_BYTES: usize = 16;

/// Appends the escaped text to `out`.
pub fn escape_markup_into(out: &mut String, text: &str) {
    meter::charge_bytes(text.len());
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'{' | b'}' | b'*' | b'\\')) {
        meter::charge_bytes(ESCAPE_COST_BYTES);
        out.push_str(&rest[..at]);
        out.push('\\');
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// A part of marked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkupPart<'t> {
    /// Text between marks, with its escapes and stars.
    Plain(&'t str),
    /// The name in a `{name}` mark. An unclosed one extends to the end.
    Placeholder(&'t str),
}

/// The names of the marks of a text, in order.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    split_markup(text).filter_map(|part| match part {
        MarkupPart::Placeholder(mark) => Some(mark),
        MarkupPart::Plain(_) => None,
    })
}

/// The first mark of a text that none of these names fills.
pub fn first_unfilled_placeholder<'t>(text: &'t str, names: &[impl AsRef<str>]) -> Option<&'t str> {
    // The part after a dot is looked up inside the value.
    let mut marks = placeholders(text).filter_map(|mark| mark.split('.').next());
    marks.find(|mark| !names.iter().any(|name| name.as_ref() == *mark))
}

/// Splits marked text into its parts, in order.
pub fn split_markup(text: &str) -> impl Iterator<Item = MarkupPart<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if let Some(mark) = rest.strip_prefix('{') {
            let end = mark.bytes().position(|byte| byte == b'}').unwrap_or(mark.len());
            let name = &mark[..end];
            rest = mark.get(end + 1..).unwrap_or("");
            return Some(MarkupPart::Placeholder(name));
        }
        let (bytes, mut at) = (rest.as_bytes(), 0);
        while at < bytes.len() && bytes[at] != b'{' {
            // A character after a backslash is literal.
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        let (plain, rest_of_text) = rest.split_at(at.min(rest.len()));
        rest = rest_of_text;
        (!plain.is_empty()).then_some(MarkupPart::Plain(plain))
    })
}

/// Replaces `{name}` marks by values. The error names a mark that cannot be filled and lists the
/// given names. The result still contains `*` marks and escapes.
pub fn fill_placeholders(
    text: &str,
    look_up: &dyn Fn(&str) -> Option<Value>,
) -> Result<String, String> {
    // Fast path: most texts have no marks.
    if !text.contains('{') {
        return Ok(text.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    for part in split_markup(text) {
        match part {
            MarkupPart::Plain(plain) => out.push_str(plain),
            MarkupPart::Placeholder(name) => {
                meter::charge_units(1);
                let value = look_up(name).ok_or_else(|| name.to_owned())?;
                escape_markup_into(&mut out, &display_value(&value));
            }
        }
        // Too long to be shown already; stop before it grows further.
        if out.len() > limits::MAX_TEXT_BYTES {
            break;
        }
    }
    Ok(out)
}

/// A value as a person reads it.
pub fn display_value(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Bool(truth) => if *truth { "yes" } else { "no" }.to_owned(),
        Value::Int(int) => int.to_string(),
        Value::Num(num) => num.to_string(),
        Value::List(list) => list.iter().map(display_value).collect::<Vec<_>>().join(", "),
        // Lua has one empty table for both.
        Value::Map(map) if map.is_empty() => String::new(),
        Value::Map(_) => value.to_json(),
    }
}

/// Whether a value can be displayed; a table of names cannot.
pub fn can_display_value(value: &Value) -> bool {
    match value {
        Value::List(list) => list.iter().all(can_display_value),
        Value::Map(map) => map.is_empty(),
        _ => true,
    }
}

/// A run of text that is emphasised or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StyledSpan {
    /// The text, without marks.
    pub text: String,
    /// Whether it was between two stars.
    pub is_emphasized: bool,
}

/// Parses marked text into styled runs, filtered for the terminal. An unclosed star is a literal
/// star.
pub fn parse_styled_spans(marked: &str) -> Vec<StyledSpan> {
    let mut runs = vec![StyledSpan { text: String::new(), is_emphasized: false }];
    let mut chars = marked.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let c = chars.next().unwrap_or('\\');
                push_printable(&mut runs, c, chars.as_str());
            }
            '*' if is_in_emphasis(&runs) || has_closing_star(chars.as_str()) => {
                let strong = !is_in_emphasis(&runs);
                runs.push(StyledSpan { text: String::new(), is_emphasized: strong });
            }
            _ => push_printable(&mut runs, c, chars.as_str()),
        }
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}

/// Marked text without its markup, filtered for the terminal.
pub fn strip_markup(marked: &str) -> String {
    parse_styled_spans(marked).into_iter().map(|run| run.text).collect()
}

fn is_in_emphasis(runs: &[StyledSpan]) -> bool {
    runs.last().is_some_and(|run| run.is_emphasized)
}

fn push_printable(runs: &mut [StyledSpan], c: char, rest: &str) {
    let c = if c == '\t' { ' ' } else { c };
    let run = runs.last_mut().expect("there is always a run");
    if is_printable(c) || is_legitimate_joiner(&run.text, c, rest.chars().next()) {
        run.text.push(c);
    }
}

fn has_closing_star(rest: &str) -> bool {
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '*' => return true,
            _ => {}
        }
    }
    false
}

/// A description without the leading rule ids (`SR-3.3, SR-3.4: …`). The ids are for the ledger of
/// a game and do not help readers of a message.
pub fn strip_rule_ids(doc: &str) -> &str {
    let is_rule_id = |id: &str| {
        id.split_once('-').is_some_and(|(game, number)| {
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            game.len() == 2
                && game.bytes().all(|byte| byte.is_ascii_uppercase())
                && number.starts_with(|sign: char| sign.is_ascii_digit())
                && is_number
        })
    };
    match doc.split_once(": ") {
        Some((ids, rest)) if ids.split(", ").all(is_rule_id) => rest,
        _ => doc,
    }
}
