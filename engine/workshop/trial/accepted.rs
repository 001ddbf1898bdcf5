//! Accepted transcripts: compares, replaces and creates them.

use std::fs;
use std::path::Path;

use super::{Trial, difference};
use crate::kit::{Problem, text};

/// Which transcripts are accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Accept {
    Nothing,
    /// Transcripts that have changed.
    Changed,
    /// Changed ones, and the first one of each case that is selected by name.
    Picked,
}

/// Compares with the accepted transcript, if there is one, and replaces it if asked to.
pub(super) fn compare(trial: &mut Trial, path: &Path, page: &str, accept: Accept) {
    let beside = path.with_extension("txt");
    let before = fs::read_to_string(&beside).ok();
    let before = before.map(|page| text::without_byte_order_mark(&page).replace("\r\n", "\n"));
    if before.as_deref() == Some(page) || (before.is_none() && accept != Accept::Picked) {
        return;
    }
    trial.difference = difference::of(before.as_deref().unwrap_or(""), page);
    if accept == Accept::Nothing {
        let found = "the transcript differs from the accepted one";
        trial.problems.push(
            Problem::error("reads-otherwise", found)
                .hint("fix the change, or run `sub-rosa test --accept` if it is intended"),
        );
    } else if trial.problems.is_empty() {
        match fs::write(&beside, page) {
            Ok(()) => trial.accepted = true,
            Err(error) => {
                let found = format!("{} cannot be written: {error}", beside.display());
                trial.problems.push(Problem::error("not-written", found));
            }
        }
    }
}
