//! Quotes texts in messages. A script may create a text of any length. It is cut before it is
//! copied and escaped, so that every message has a bounded cost.

use std::borrow::Cow;
use std::fmt;

/// Texts up to this length are quoted in full; no name or path is longer.
const MAX_QUOTED_BYTES: usize = 240;
/// The number of bytes that are quoted of a longer text.
const TRUNCATED_QUOTE_BYTES: usize = 160;

/// Returns a text, or its beginning and `…` where it is longer than any name.
pub fn truncate_quoted_text(text: &str) -> Cow<'_, str> {
    match text.len() <= MAX_QUOTED_BYTES {
        true => Cow::Borrowed(text),
        false => {
            let is_boundary = |at: &usize| text.is_char_boundary(*at);
            let end = (0..=TRUNCATED_QUOTE_BYTES).rev().find(is_boundary).unwrap_or(0);
            Cow::Owned(format!("{}…", &text[..end]))
        }
    }
}

/// The same for bytes that may not be UTF-8.
pub fn truncate_quoted_bytes(bytes: &[u8]) -> Cow<'_, str> {
    match bytes.len() <= MAX_QUOTED_BYTES {
        true => String::from_utf8_lossy(bytes),
        false => {
            Cow::Owned(format!("{}…", String::from_utf8_lossy(&bytes[..TRUNCATED_QUOTE_BYTES])))
        }
    }
}

/// A quoted text: in quotes, with escapes, and cut.
pub struct Quote<'t>(&'t str);

/// Quotes a text for a message.
pub fn quote(text: &str) -> Quote<'_> {
    Quote(text)
}

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", truncate_quoted_text(self.0))
    }
}
