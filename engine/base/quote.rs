//! Quotes of texts in messages. A script may write a text of any length: it is cut before it is
//! copied and escaped, so that a message costs the same whatever it quotes.

use std::borrow::Cow;
use std::fmt;

/// A text of at most so many bytes is quoted whole; no name or path is longer.
const MAX_QUOTED_BYTES: usize = 240;
/// The bytes of a longer text that are quoted.
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

/// A text as a message quotes it: in quotes, with escapes, and cut.
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
