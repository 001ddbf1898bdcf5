//! Suppressions of warnings: `-- allow(unused-definition): kept for old saves` on the line of a
//! warning, or on lines of their own above it. A suppression has a reason; an unused one is
//! reported. Other warnings are suppressed in `mod.toml`, by file and code: `[allow."words.luau"]`
//! and `long-line = "it is a quotation"`.

use std::sync::Arc;

use crate::analysis::{Comment, FileSummary};
use base::problem::nearest_name;
use base::{Code, Problem, Severity};
use mods::ModSource;

/// Warnings of `check` that may be suppressed, beside those of loading.
const SUPPRESSIBLE_CODES: [Code; 9] = [
    Code::DuplicateKey,
    Code::KeptInALocal,
    Code::Lint,
    Code::LongLine,
    Code::UnusedTextOverride,
    Code::TooManyArguments,
    Code::UndoneChange,
    Code::UnorderedKeys,
    Code::UnusedDefinition,
];

/// A suppression and its place.
struct Suppression<'t> {
    summary: &'t FileSummary,
    comment: &'t Comment,
    codes: Vec<String>,
    reason: String,
    /// The line that it applies to.
    line: u32,
    /// Which of its codes suppressed a warning.
    used_codes: Vec<bool>,
}

/// Removes suppressed warnings and adds warnings about suppressions. An unused suppression is
/// reported only if everything could be checked.
pub(super) fn apply_suppressions(
    summaries: &[Arc<FileSummary>],
    manifests: &[&ModSource],
    problems: Vec<Problem>,
    is_check_complete: bool,
) -> Vec<Problem> {
    let (problems, unused_entries) = apply_manifest_suppressions(manifests, problems);
    let mut suppressions: Vec<Suppression<'_>> =
        summaries.iter().flat_map(|facts| suppressions_of(facts)).collect();
    let mut reported: Vec<Problem> =
        problems.into_iter().filter(|problem| !is_suppressed(&mut suppressions, problem)).collect();
    reported.extend(unused_entries.into_iter().filter(|_| is_check_complete));
    for suppression in suppressions {
        let place = || suppression.summary.place(suppression.comment.line);
        if suppression.reason.is_empty() {
            reported.push(
                Problem::warning(Code::SuppressionWithoutReason, "this suppression has no reason")
                    .at(place())
                    .expected("-- allow(code): the reason")
                    .hint("write why the warning is wrong here"),
            );
        }
        for (code, used) in suppression.codes.iter().zip(&suppression.used_codes) {
            if !used && is_check_complete {
                let message = format!("there is no warning `{code}` here to suppress");
                let problem = Problem::warning(Code::UnusedSuppression, message).at(place());
                reported.push(problem.hint(match suggest_code(code) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "remove the comment; errors cannot be suppressed".to_owned(),
                }));
            }
        }
    }
    reported
}

/// The code that was probably meant by one that suppresses nothing: a warning that `check` gives,
/// or any other if the code does not exist.
fn suggest_code(written: &str) -> Option<Code> {
    let warning =
        nearest_name(written, SUPPRESSIBLE_CODES.map(Code::as_str)).and_then(Code::parse_code);
    match Code::parse_code(written) {
        Some(code) => warning.filter(|meant| *meant != code),
        None => warning.or_else(|| Code::nearest_code(written)),
    }
}

/// Removes the warnings that manifests suppress. Returns the rest, and warnings about unused
/// entries.
pub(crate) fn apply_manifest_suppressions(
    manifests: &[&ModSource],
    problems: Vec<Problem>,
) -> (Vec<Problem>, Vec<Problem>) {
    let mut left = problems;
    let mut warnings = Vec::new();
    for source in manifests {
        for (file, codes) in &source.manifest.suppressed_warnings {
            for (code, reason) in codes {
                let before = left.len();
                left.retain(|problem| {
                    let place = problem.place.clone().unwrap_or_default();
                    problem.severity != Severity::Warning
                        || problem.code != code.as_str()
                        || place.owner != source.id()
                        || place.file != *file
                });
                let place = source.manifest_location("allow", code);
                if left.len() == before {
                    let message = format!("there is no warning `{code}` in {file} to suppress");
                    let problem = Problem::warning(Code::UnusedSuppression, message).at(place);
                    warnings.push(problem.hint(match suggest_code(code) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => "remove the line; errors cannot be suppressed".to_owned(),
                    }));
                } else if reason.trim().is_empty() {
                    let message = "this suppression has no reason";
                    let problem =
                        Problem::warning(Code::SuppressionWithoutReason, message).at(place);
                    warnings.push(problem.expected(format!("{code} = \"the reason\"")));
                }
            }
        }
    }
    (left, warnings)
}

fn is_suppressed(suppressions: &mut [Suppression<'_>], problem: &Problem) -> bool {
    let Some(place) = &problem.place else { return false };
    if problem.severity != Severity::Warning {
        return false;
    }
    let mut found = false;
    for suppression in suppressions.iter_mut().filter(|suppression| {
        suppression.line == place.line
            && suppression.summary.file == place.file
            && suppression.summary.owner == place.owner
    }) {
        for (code, used) in suppression.codes.iter().zip(&mut suppression.used_codes) {
            let same = problem.code == code.as_str();
            *used |= same;
            found |= same;
        }
    }
    found
}

fn suppressions_of(summary: &FileSummary) -> impl Iterator<Item = Suppression<'_>> {
    summary.comments.iter().filter_map(|comment| {
        let rest = comment.text.strip_prefix("allow(")?;
        let (codes, rest) = rest.split_once(')')?;
        let codes: Vec<String> = codes.split(',').map(|code| code.trim().to_owned()).collect();
        let reason = rest.strip_prefix(':').unwrap_or_default().trim().to_owned();
        let line = if comment.is_alone_on_line {
            next_code_line(summary, comment.line)
        } else {
            comment.line
        };
        let used_codes = vec![false; codes.len()];
        Some(Suppression { summary, comment, codes, reason, line, used_codes })
    })
}

/// The first line after a comment that has code.
fn next_code_line(summary: &FileSummary, line: u32) -> u32 {
    let rest = summary.lines.iter().enumerate().skip(line as usize);
    let code = |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with("--");
    let found = rest.filter(|(_, text)| code(text)).map(|(index, _)| index + 1).next();
    found.and_then(|line| u32::try_from(line).ok()).unwrap_or(line)
}
