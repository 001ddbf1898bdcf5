//! Checks the values of a case that name something: options, settings, mods, streams of dice, the
//! outcome. What is known only in play is not reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::analysis::{FileSummary, Literal};
use crate::case::Case;
use crate::case_places::case_field;
use crate::case_settings::case_setting_problems;
use crate::command_context::is_folder_path;
use base::problem::nearest_name;
use base::{Code, Problem};
use mods::{ModSet, ModSource};
use script::{Vm, host_functions};
use session::complete_and_check_options;

/// What the values of a case are compared with.
pub(super) struct CaseValueCheck<'t> {
    pub(super) vm: &'t Vm,
    pub(super) mods: &'t ModSet,
    /// The mod that has the case.
    pub(super) owner: &'t str,
    /// The files of all mods, without tests.
    pub(super) summaries: &'t [Arc<FileSummary>],
    /// All mods that were found.
    pub(super) found_mods: &'t [ModSource],
}

impl CaseValueCheck<'_> {
    /// The Problems of the values of a case, each at its field. Further mods may declare options,
    /// and add values to those of others: with them only misspelt values are reported.
    pub(super) fn case_problems(&self, case: &Case) -> Vec<Problem> {
        let has_all_mods = case.mods.is_empty();
        let mut problems = case_setting_problems(self.mods, case, has_all_mods);
        for (name, value) in &case.options {
            let alone = BTreeMap::from([(name.clone(), value.clone())]);
            if let Err(problem) = complete_and_check_options(self.vm, &alone)
                && (has_all_mods || problem.suggestion().is_some())
            {
                problems.push(problem.at(case_field(&format!("options.{name}"), 0)));
            }
        }
        problems.extend(self.mod_problems(case));
        problems.extend(self.stream_problems(case));
        problems.extend(self.outcome_problem(case));
        problems
    }

    /// Mods that were not found. A folder is looked for when the case runs.
    fn mod_problems(&self, case: &Case) -> impl Iterator<Item = Problem> {
        let is_found = |id: &str| self.found_mods.iter().any(|source| source.id() == id);
        let unknown = case.mods.iter().enumerate();
        let unknown = unknown.filter(move |(_, id)| !is_folder_path(id) && !is_found(id));
        unknown.map(|(index, id)| {
            let ids = self.found_mods.iter().map(ModSource::id);
            Problem::error(
                Code::NoSuchMod,
                format!("the case names the mod \"{id}\", which was not found"),
            )
            .at(case_field("mods", index + 1))
            .expected("the id of a mod, or its folder")
            .suggest_name(nearest_name(id, ids))
        })
    }

    /// Streams that are like one that a script names, but that no script names.
    fn stream_problems(&self, case: &Case) -> Vec<Problem> {
        if case.dice.is_empty() {
            return Vec::new();
        }
        let streams = self.stream_ids();
        let unknown = case.dice.keys().filter_map(|written| {
            let id = match written.contains(':') {
                true => written.clone(),
                false => format!("{}:{written}", self.owner),
            };
            let near = nearest_name(&id, streams.iter().map(String::as_str))?;
            let is_named = self.has_text(id.rsplit(':').next().unwrap_or_default());
            (!is_named).then_some((written, near))
        });
        let problems = unknown.map(|(written, near)| {
            let own = near.strip_prefix(self.owner).and_then(|name| name.strip_prefix(':'));
            let found = format!("no script draws from the stream \"{written}\"");
            Problem::error(Code::BadStream, found)
                .at(case_field(&format!("dice.{written}"), 0))
                .expected("a stream that the run draws from")
                .suggest_name(Some(own.unwrap_or(near)))
        });
        problems.collect()
    }

    /// The whole ids of the streams that are written out in calls of host functions.
    fn stream_ids(&self) -> BTreeSet<String> {
        let stream_positions = host_functions().iter().filter_map(|row| {
            let at = row.params?.iter().position(|(name, _)| *name == "stream")?;
            Some((row.name, at))
        });
        let stream_positions: BTreeMap<&str, usize> = stream_positions.collect();
        let mut ids = BTreeSet::new();
        for summary in self.summaries {
            for call in &summary.uses.calls {
                let at = stream_positions.get(&*call.name);
                let stream = at.and_then(|at| call.argument_literals.get(*at));
                if let Some(Literal::Text(Some(name))) = stream {
                    ids.insert(format!("{}:{name}", summary.owner));
                }
            }
        }
        ids
    }

    /// An outcome that is like a text of a script, but occurs in none.
    fn outcome_problem(&self, case: &Case) -> Option<Problem> {
        let outcome = case.expected_outcome.as_ref().filter(|_| case.mods.is_empty())?;
        let mut lines = self.summaries.iter().flat_map(|summary| &summary.lines);
        if lines.any(|line| line.contains(&**outcome)) {
            return None;
        }
        let texts = self.summaries.iter().flat_map(|summary| &summary.string_literals);
        let words = texts.map(|one| &*one.text).filter(|text| !text.contains(' '));
        let near = nearest_name(outcome, words)?;
        let problem =
            Problem::error(Code::BadCase, format!("no script names the outcome \"{outcome}\""))
                .at(case_field("outcome", 0))
                .expected("an outcome of `finish`");
        Some(problem.suggest_name(Some(near)))
    }

    fn has_text(&self, text: &str) -> bool {
        let mut texts = self.summaries.iter().flat_map(|summary| &summary.string_literals);
        texts.any(|one| one.text == text)
    }
}
