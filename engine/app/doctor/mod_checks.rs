//! The mods that are found outside the program: each is read, loaded and checked.

use std::io;

use author::{CheckRequest, CommandContext, check};
use mods::{ModOrigin, discover_manifests};

use super::Finding;

/// Checks all mods that do not come with the program.
pub(super) fn check_mods(context: &CommandContext) -> io::Result<Vec<Finding>> {
    let (found, problems) = discover_manifests(&context.search_paths);
    let games = found.iter().filter(|source| source.manifest.is_game).count();
    let mut findings = vec![Finding::ok(format!("found: {}, of them games: {games}", found.len()))];
    findings.extend(problems.iter().map(|problem| {
        let place = problem.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let advice = problem.hint.clone().or_else(|| problem.expected.clone());
        let advice = advice.unwrap_or_else(|| "run `sub-rosa mods`".to_owned());
        Finding::care(format!("{place}{} [{}]", problem.message, problem.code), advice)
    }));
    for source in found.iter().filter(|source| !matches!(source.origin, ModOrigin::Embedded)) {
        let (id, flags) = (source.id(), &context.folder_flags);
        let request = CheckRequest { mods: vec![id.to_owned()], ..CheckRequest::default() };
        let mut output = Vec::new();
        check(context, &request, &mut output)?;
        let output = String::from_utf8_lossy(&output);
        let errors: Vec<&str> = output.lines().filter(|line| line.starts_with("error")).collect();
        let name = format!("{id} {}", source.manifest.version);
        findings.push(match errors.as_slice() {
            [] => Finding::ok(format!("{name}: no errors")),
            [first, ..] => Finding::care(
                format!("{name}: errors: {}; the first: {first}", errors.len()),
                format!("run `sub-rosa check {id}{flags}`, or switch it off"),
            ),
        });
    }
    Ok(findings)
}
