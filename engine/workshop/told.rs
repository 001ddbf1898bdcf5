//! Telling: what commands write, filtered on its way to a terminal, or as JSON for a program.

use std::io::{self, Write};

use serde::Serialize;

use super::{Done, Out, Outcome};
use crate::kit::{Problem, Severity, text};

/// Writes a line.
pub(super) fn line(out: &mut dyn Write, line: &str) -> io::Result<()> {
    writeln!(out, "{}", text::clean(line))
}

/// Writes Problems, each with an empty line after it.
pub(super) fn problems(out: &mut dyn Write, problems: &[Problem]) -> io::Result<()> {
    problems.iter().try_for_each(|problem| line(out, &format!("{problem}\n")))
}

/// Writes a value as JSON. Texts of mods come escaped, so that nothing in them reaches a terminal.
pub(super) fn json(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let page = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
    writeln!(out, "{page}")
}

/// Tells why a command did nothing: as text where no result is looked for, or as JSON in its place.
pub(super) fn refuse(out: &mut dyn Out, as_json: bool, outcome: Outcome, told: &[Problem]) -> Done {
    match as_json {
        true => json(out, &serde_json::json!({ "problems": told }))?,
        false => problems(out.wrong(), told)?,
    }
    Ok(outcome)
}

/// `1 error, 2 warnings`.
pub(super) fn counted(problems: &[Problem]) -> String {
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let count = |number: usize, word: &str| match number {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{number} {word}s")),
    };
    let parts = [count(errors, "error"), count(problems.len() - errors, "warning")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
