//! Output of the commands: text that is cleaned for a terminal, or JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::{CommandOutcome, CommandOutput, CommandResult};
use base::{Problem, Severity, text};

/// Writes a line.
pub fn write_line(out: &mut dyn Write, line: &str) -> io::Result<()> {
    writeln!(out, "{}", text::strip_unprintable(line))
}

/// Writes Problems, each followed by an empty line.
pub(super) fn write_problems(out: &mut dyn Write, problems: &[Problem]) -> io::Result<()> {
    problems.iter().try_for_each(|problem| write_line(out, &format!("{problem}\n")))
}

/// Writes a value as JSON. Escapes keep control characters of mods away from the terminal.
pub fn write_json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let page = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    writeln!(out, "{page}")
}

/// Reports why a command failed: as text on standard error, or as JSON in place of the result.
pub fn report_failure(
    out: &mut dyn CommandOutput,
    as_json: bool,
    outcome: CommandOutcome,
    problems: &[Problem],
) -> CommandResult {
    match as_json {
        true => write_json(out, &serde_json::json!({ "problems": problems }))?,
        false => write_problems(out.error_output(), problems)?,
    }
    Ok(outcome)
}

/// Such as `1 error, 2 warnings`.
pub(super) fn problem_count_text(problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let count = |number: usize, word: &str| match number {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{number} {word}s")),
    };
    let parts = [count(errors, "error"), count(problems.len() - errors, "warning")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
