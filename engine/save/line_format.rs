//! The format of a journal's lines: the entry, and its link in the chain.

use std::path::Path;

use super::entry::JournalEntry;
use super::io_error::file_location;
use super::sealed::SealFormat;
use super::size_limits::MAX_LINE_BODY_BYTES;
use base::digest::Hasher;
use base::{Code, Digest, Problem};

pub(super) const JOURNAL_LINE_FORMAT: SealFormat =
    SealFormat { digest_key: "chain", body_key: "entry" };

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
            .hint("a step with less output, or a smaller profile, is needed"));
    }
    let chain = chain_link(before, body.as_bytes());
    let mut line = JOURNAL_LINE_FORMAT.seal(chain, &body).into_bytes();
    line.push(b'\n');
    Ok((line, chain))
}
