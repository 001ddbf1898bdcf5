//! The format of a journal's lines: the entry, and its link in the chain.

use std::path::Path;

use super::body_parser::{check_body_cost, parse_limited_body};
use super::entry::JournalEntry;
use super::io_error::file_location;
use super::run_size_checks::{check_header_size, check_task_size};
use super::sealed::SealFormat;
use super::size_limits::{MAX_GAME_PROFILE_VALUES, MAX_LINE_BODY_BYTES};
use base::digest::Hasher;
use base::{Code, Digest, Problem};

pub(super) const JOURNAL_LINE_FORMAT: SealFormat =
    SealFormat { digest_key: "chain", body_key: "entry" };

const SMALLER_ENTRY_HELP: &str = "a step with less output, or a smaller profile, is needed";

/// The link of a line: the digest of the previous link and of the entry's bytes.
pub(super) fn chain_link(before: Digest, entry: &[u8]) -> Digest {
    let mut hasher = Hasher::new("journal");
    hasher.feed_bytes(&before.0).feed_count(entry.len()).feed_bytes(entry);
    hasher.finish()
}

/// A running digest of the journal's bytes.
pub(super) fn journal_hasher(bytes: &[u8]) -> Hasher {
    let mut hasher = Hasher::new("journal so far");
    hasher.feed_bytes(bytes);
    hasher
}

/// Encodes a line and its link.
pub(super) fn encode_line(
    before: Digest,
    entry: &JournalEntry,
    path: &Path,
) -> Result<(Vec<u8>, Digest), Problem> {
    let body = serde_json::to_string(entry).expect("an entry always has a JSON text");
    if body.len() > MAX_LINE_BODY_BYTES {
        let found = format!("a journal line of {} bytes", body.len());
        return Err(Problem::error(Code::EntryTooLarge, found)
            .at(file_location(path, 0))
            .expected(format!("at most {} MiB", MAX_LINE_BODY_BYTES / (1024 * 1024)))
            .hint(SMALLER_ENTRY_HELP));
    }
    let is_readable = match entry {
        JournalEntry::Header(header) => check_header_size(header).and_then(|()| {
            let limit = MAX_GAME_PROFILE_VALUES;
            parse_limited_body::<JournalEntry>(body.as_bytes(), limit).map(drop)
        }),
        JournalEntry::Intent { input, .. } => check_task_size(Some(input), None),
        JournalEntry::Console { command, .. } => check_task_size(None, Some(command)),
        _ => check_body_cost(body.as_bytes()),
    };
    is_readable.map_err(|why| {
        Problem::error(Code::EntryTooLarge, format!("a journal line that cannot be read: {why}"))
            .at(file_location(path, 0))
            .hint(SMALLER_ENTRY_HELP)
    })?;
    let chain = chain_link(before, body.as_bytes());
    let mut line = JOURNAL_LINE_FORMAT.seal(chain, &body).into_bytes();
    line.push(b'\n');
    Ok((line, chain))
}
