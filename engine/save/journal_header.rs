//! Reads and restores the header, the first line of a journal. Without it the rest cannot be read,
//! so one flipped bit would lose a whole run. Every checkpoint has a copy of it.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::body_parser::parse_limited_body;
use super::checkpoint::Checkpoint;
use super::entry::{JournalEntry, RunHeader};
use super::hash_chain::{JournalPosition, continues_chain};
use super::io_error::file_location;
use super::journal_file::{JournalFile, RestoredHeader};
use super::line_format::encode_line;
use super::line_reader::JournalLines;
use super::run_size_checks::check_header_size;
use super::run_state::check_journal_format;
use super::size_limits::{MAX_GAME_PROFILE_VALUES, MAX_LINE_BYTES};
use base::{Code, Digest, Problem};

/// The number of lines in which the search looks for the line after the header, if the header was
/// cut or extended.
const MAX_SEARCHED_LINES: usize = 3;

/// The line that is not a valid header, and why.
pub(super) type HeaderProblem = (u64, String);

/// The Problem of a journal without a valid header.
pub(super) fn missing_header_problem(path: &Path, (line, what): HeaderProblem) -> Problem {
    Problem::error(Code::JournalDamaged, format!("the journal's header cannot be read: {what}"))
        .at(file_location(path, line))
        .expected("a first line with the parameters of the run")
        .hint(
            "no checkpoint has a copy of it; restore the file from a backup, or \
             start another run: this file is not changed, and other runs are not affected",
        )
}

/// Reads the header from the first line.
pub(super) fn read_header_line(
    lines: &mut JournalLines<'_>,
) -> io::Result<Result<RunHeader, HeaderProblem>> {
    if let Some(entry) = lines.next_entry()? {
        return Ok(decode_header(entry).map_err(|what| (1, what)));
    }
    let empty = || (1, "it is empty".to_owned());
    Ok(Err(lines.chain_break.take().map_or_else(empty, |stop| (stop.line, stop.reason))))
}

fn decode_header(entry: &[u8]) -> Result<RunHeader, String> {
    // Parses only the format first: a newer one may have other fields.
    #[derive(serde::Deserialize)]
    struct HeaderEnvelope {
        header: Format,
    }
    #[derive(serde::Deserialize)]
    struct Format {
        format: u32,
    }
    let envelope: HeaderEnvelope =
        serde_json::from_slice(entry).map_err(|error| format!("it is not a header: {error}"))?;
    check_journal_format(envelope.header.format)?;
    match parse_limited_body(entry, MAX_GAME_PROFILE_VALUES) {
        Ok(JournalEntry::Header(header)) => check_header_size(&header).map(|()| *header),
        Ok(_) => Err("it is not a header".to_owned()),
        Err(why) => Err(format!("it is not a header: {why}")),
    }
}

/// The header of a journal, and the position after it.
pub(super) fn read_header(file: &JournalFile) -> Result<(RunHeader, JournalPosition), Problem> {
    let mut lines = file.with_context(file.lines_after(JournalPosition::origin()))?;
    let header = file.with_context(read_header_line(&mut lines))?;
    let header = header.map_err(|why| missing_header_problem(file.path(), why))?;
    Ok((header, lines.position))
}

/// Whether the first line is intact. The reader reports other damage.
pub(super) fn is_header_intact(file: &JournalFile) -> io::Result<bool> {
    let mut lines = file.lines_after(JournalPosition::origin())?;
    Ok(lines.next_entry()?.is_some())
}

/// The first line of a journal, restored.
pub(super) fn restore_header(
    file: &JournalFile,
    checkpoint: Option<&Checkpoint>,
) -> io::Result<Option<RestoredHeader>> {
    let bytes = read_first_lines(file)?;
    Ok(checkpoint.and_then(|checkpoint| replace_first_line(&bytes, &checkpoint.header)))
}

/// The lines in which the search looks, and the one after them.
fn read_first_lines(file: &JournalFile) -> io::Result<Vec<u8>> {
    let mut lines = BufReader::new(file.reader(0)?);
    let mut bytes = Vec::new();
    for _ in 0..=MAX_SEARCHED_LINES {
        lines.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut bytes)?;
        if !bytes.ends_with(b"\n") {
            break;
        }
    }
    Ok(bytes)
}

fn replace_first_line(bytes: &[u8], header: &RunHeader) -> Option<RestoredHeader> {
    let entry = JournalEntry::Header(Box::new(header.clone()));
    let (line, chain) = encode_line(Digest::default(), &entry, Path::new("journal.jsonl")).ok()?;
    // A flipped bit does not move the rest of the file; removed or inserted bytes do.
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let line_starts: Vec<usize> = breaks.map(|(at, _)| at + 1).take(MAX_SEARCHED_LINES).collect();
    let continues_at =
        |at: &usize| bytes.get(*at..).is_some_and(|rest| continues_chain(rest, chain));
    let rest = std::iter::once(line.len()).chain(line_starts.iter().copied()).find(continues_at);
    // Damage of the next line is reported separately.
    let rest = rest.or_else(|| line_starts.first().copied()).unwrap_or(bytes.len());
    Some(RestoredHeader { line, replaced_bytes: rest as u64 })
}
