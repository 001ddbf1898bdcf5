//! Accepted transcripts: compares, replaces and creates them.

use std::fs;
use std::path::Path;

use super::{CaseResult, diff};
use base::{Code, Problem, text};

/// Which transcripts are accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptMode {
    Nothing,
    /// Transcripts that have changed.
    Changed,
    /// Changed ones, and the first one of each case that is selected by name.
    ChangedAndNew,
}

/// Compares with the accepted transcript, if there is one, and replaces it if asked to.
pub(super) fn compare_or_accept_transcript(
    result: &mut CaseResult,
    path: &Path,
    page: &str,
    accept: AcceptMode,
) {
    let transcript_path = path.with_extension("txt");
    let accepted_text = fs::read_to_string(&transcript_path).ok();
    let before = accepted_text.map(|page| text::strip_byte_order_mark(&page).replace("\r\n", "\n"));
    if before.as_deref() == Some(page) || (before.is_none() && accept != AcceptMode::ChangedAndNew)
    {
        return;
    }
    result.transcript_diff = diff::diff_text(before.as_deref().unwrap_or(""), page);
    if accept == AcceptMode::Nothing {
        let found = "the transcript differs from the accepted one";
        result.problems.push(
            Problem::error(Code::TranscriptDiffers, found)
                .hint("fix the mod or, if the difference is intended, accept it with `sub-rosa test --accept`"),
        );
    } else if result.problems.is_empty() {
        match fs::write(&transcript_path, page) {
            Ok(()) => result.is_accepted = true,
            Err(error) => {
                let found = format!("{} cannot be written: {error}", transcript_path.display());
                result.problems.push(Problem::error(Code::NotWritten, found));
            }
        }
    }
}
