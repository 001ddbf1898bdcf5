//! Parses the body of a journal line or checkpoint, if reading it takes no more memory than the
//! largest step. The text of a part may be two bytes long, and the part takes fifty in memory.

use serde::de::DeserializeOwned;

use super::size_limits::{MAX_BODY_COST_BYTES, MAX_BODY_VALUES, PART_COST_BYTES};
use base::value::share_value_count;

/// Parses a body.
pub(super) fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    parse_limited_body(body, MAX_BODY_VALUES)
}

/// The same with another limit of its plain values.
pub(super) fn parse_limited_body<T: DeserializeOwned>(
    body: &[u8],
    max_values: usize,
) -> Result<T, String> {
    check_body_cost(body)?;
    share_value_count(max_values, || serde_json::from_slice(body))
        .map_err(|error| error.to_string())
}

/// Refuses a body that takes too much, unparsed.
pub(super) fn check_body_cost(body: &[u8]) -> Result<(), String> {
    let cost = |parts| body.len() + PART_COST_BYTES * parts;
    // A part has at least one byte, so that only long bodies are searched.
    if cost(body.len()) <= MAX_BODY_COST_BYTES || cost(count_parts(body)) <= MAX_BODY_COST_BYTES {
        return Ok(());
    }
    let (bytes, parts) = (body.len(), count_parts(body));
    Err(format!(
        "{bytes} bytes with {parts} parts take {} bytes; at most {MAX_BODY_COST_BYTES} are read",
        cost(parts)
    ))
}

/// Counts the opening brackets and commas outside of texts: at least as many as values.
fn count_parts(body: &[u8]) -> usize {
    let (mut count, mut is_text, mut is_escaped) = (0, false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b'{' | b'[' | b',' if !is_text => count += 1,
            _ => {}
        }
    }
    count
}
