//! The report of an exploration: errors, and what was never reached.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::json;

use super::coverage_ignore::{IGNORE_COMMENT_PREFIX, ReasonComments};
use super::explorer::ChoiceCounts;
use super::texts::{TextFaultReport, TextFaults};
use crate::automatic_run::PlayedRun;
use author::case::Case;
use author::output;
use base::Problem;
use content::Registry;
use script::Coverage;

/// The maximum number of list entries in the text report; --json has all.
const MAX_LISTED_ENTRIES: usize = 24;

/// An error.
pub(super) struct ExploreFinding {
    pub(super) problem: Problem,
    /// The number of runs with it.
    pub(super) runs: usize,
    /// The first run with it, and its inputs until it is shrunk.
    pub(super) first_run_index: usize,
    pub(super) first_run: PlayedRun,
    pub(super) case: Option<Case>,
}

/// The results of an exploration.
#[derive(Default)]
pub(super) struct ExploreReport {
    pub(super) seed: u64,
    pub(super) runs: usize,
    pub(super) steps: u64,
    pub(super) outcomes: BTreeMap<String, usize>,
    pub(super) findings: Vec<ExploreFinding>,
    pub(super) choice_counts: ChoiceCounts,
    pub(super) coverage: Coverage,
    /// Faults of shown texts, with `--texts`.
    pub(super) texts: TextFaults,
    /// Mods that were named; their entries come first.
    pub(super) named_mods: Vec<String>,
}

impl ExploreReport {
    /// Writes how runs ended, and the errors.
    pub(super) fn write_errors(&self, out: &mut dyn Write) -> io::Result<()> {
        let ends: Vec<String> =
            self.outcomes.iter().map(|(word, count)| format!("{count} {word}")).collect();
        let (runs, seed) = (self.runs, self.seed);
        output::write_line(out, &format!("{runs} runs from seed {seed}: {}", ends.join(", ")))?;
        if self.findings.is_empty() {
            output::write_line(out, "no errors")?;
        }
        for found in &self.findings {
            output::write_line(out, &format!("\n{}:", run_count_text(found.runs)))?;
            output::write_line(out, &found.problem.to_string())?;
            if let Some(case) = &found.case {
                output::write_line(
                    out,
                    &format!("\nshortest run that leads there:\n{}", case.to_text()),
                )?;
            }
        }
        Ok(())
    }

    /// Writes it as text.
    pub(super) fn write_text(
        &self,
        registry: &Registry,
        coverage_ignore: &ReasonComments,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.write_errors(out)?;
        let (lists, explained) = self.unreached_content(registry, coverage_ignore);
        let names = [
            "definitions never read",
            "scenes never reached",
            "choices offered but never taken",
            "files with lines not covered",
        ];
        let lists = names.into_iter().zip(lists).chain([("not reached, with a reason", explained)]);
        for (what, list) in lists.filter(|(_, list)| !list.is_empty()) {
            let own = list.iter().filter(|one| self.is_of_named_mod(one)).count();
            // If mods were named, only their entries are listed; the rest is counted.
            let (listed_count, of_whom) = match self.named_mods.is_empty() {
                true => (MAX_LISTED_ENTRIES, String::new()),
                false => (
                    own.min(MAX_LISTED_ENTRIES),
                    format!(", {own} of {}", self.named_mods.join(" and ")),
                ),
            };
            output::write_line(out, &format!("\n{what}: {}{of_whom}", list.len()))?;
            list.iter()
                .take(listed_count)
                .try_for_each(|one| output::write_line(out, &format!("  {one}")))?;
            if list.len() > listed_count {
                output::write_line(
                    out,
                    &format!("  and {} more (--json)", list.len() - listed_count),
                )?;
            }
        }
        Ok(())
    }

    /// Writes it as JSON.
    pub(super) fn write_json(
        &self,
        registry: &Registry,
        coverage_ignore: &ReasonComments,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let ([definitions, scenes, choices, lines], explained) =
            self.unreached_content(registry, coverage_ignore);
        let page = json!({
            "seed": self.seed, "runs": self.runs, "steps": self.steps, "outcomes": self.outcomes,
            "found": self.errors_json(),
            "never": {
                "definitions": definitions, "scenes": scenes, "choices": choices, "lines": lines,
                "explained": explained,
            },
        });
        output::write_json(out, &page)
    }

    /// The errors and the faults of texts as JSON.
    pub(super) fn to_texts_json(&self, texts: &TextFaultReport) -> serde_json::Value {
        json!({
            "seed": self.seed, "runs": self.runs, "steps": self.steps, "outcomes": self.outcomes,
            "found": self.errors_json(), "texts": texts.to_json(),
        })
    }

    fn errors_json(&self) -> serde_json::Value {
        let found = self.findings.iter().map(|found| {
            let script = found.case.as_ref().map(Case::to_text);
            json!({ "runs": found.runs, "problem": found.problem, "case": script })
        });
        found.collect()
    }

    /// What was never reached: definitions, scenes, choices, lines; and what of it has a reason in
    /// the scripts.
    fn unreached_content(
        &self,
        registry: &Registry,
        coverage_ignore: &ReasonComments,
    ) -> ([Vec<String>; 4], Vec<String>) {
        let mut explained = Vec::new();
        let mut left = |what: String, why: Option<&str>| match why {
            Some(why) => {
                explained.push(format!("{what}: {why}"));
                None
            }
            None => Some(what),
        };
        let why_of = |kind: &str, id: &str| {
            let place = &registry.get(kind, id)?.place;
            coverage_ignore.find_reason(
                IGNORE_COMMENT_PREFIX,
                &format!("{}/{}", place.owner, place.file),
                place.line,
                place.line,
            )
        };
        let unread = self.unread_definitions(registry);
        let definitions = unread
            .into_iter()
            .filter_map(|(kind, id)| left(format!("{kind} {id}"), why_of(&kind, &id)));
        let definitions = definitions.collect();
        let unvisited_scenes = self.unvisited_scenes(registry).into_iter();
        let scenes =
            unvisited_scenes.filter_map(|id| left(id.clone(), why_of("scene", &id))).collect();
        let untaken_choices = self.choice_counts.iter().filter(|(_, count)| count.times_taken == 0);
        let choices = untaken_choices.filter_map(|((scene, id), count)| {
            let what = format!("{scene} {id} (offered {})", count.times_offered);
            let same_handler = self.choice_counts.iter().find(|((other, _), taken)| {
                other == scene && taken.handler == count.handler && taken.times_taken > 0
            });
            let same_handler_reason = same_handler
                .map(|((_, other), _)| format!("same handler as {other}, which was taken"));
            left(what, why_of("scene", scene).or(same_handler_reason.as_deref()))
        });
        let choices = choices.collect();
        let mut lines = Vec::new();
        for (file, ranges) in self.lines_not_run() {
            let mut open = Vec::new();
            for found in &ranges {
                let why =
                    coverage_ignore.find_reason(IGNORE_COMMENT_PREFIX, &file, found.0, found.1);
                if left(format!("{file}: {}", range_text(found)), why).is_some() {
                    open.push(range_text(found));
                }
            }
            if !open.is_empty() {
                lines.push(format!("{file}: {}", open.join(", ")));
            }
        }
        let mut lists = [definitions, scenes, choices, lines];
        lists.iter_mut().chain([&mut explained]).for_each(|list| {
            list.sort_by_key(|one| !self.is_of_named_mod(one));
        });
        (lists, explained)
    }

    /// Whether an entry belongs to a named mod.
    fn is_of_named_mod(&self, entry: &str) -> bool {
        self.named_mods.iter().any(|id| {
            let is_of_mod = |word: &str| {
                word.strip_prefix(id.as_str()).is_some_and(|rest| rest.starts_with([':', '/']))
            };
            entry.split([' ', '(', ',']).any(is_of_mod)
        })
    }

    /// Definitions of mod kinds that no script has read by id: kind and id.
    fn unread_definitions(&self, registry: &Registry) -> Vec<(String, String)> {
        let own = registry.kinds().filter(|kind| !kind.is_builtin);
        let all = own.flat_map(|kind| registry.active_definitions(&kind.name));
        let names = all.map(|one| (one.kind.to_string(), one.id.to_string()));
        names.filter(|name| !self.coverage.definitions.contains(name)).collect()
    }

    fn unvisited_scenes(&self, registry: &Registry) -> Vec<String> {
        let visited_scenes: BTreeSet<&str> =
            self.choice_counts.keys().map(|(scene, _)| scene.as_str()).collect();
        let scenes = registry.active_definitions("scene").map(|scene| scene.id.to_string());
        scenes.filter(|scene| !visited_scenes.contains(scene.as_str())).collect()
    }

    /// Ranges of lines with code that never ran, by file.
    fn lines_not_run(&self) -> Vec<(String, Vec<(u32, u32)>)> {
        let mut unexecuted_lines = Vec::new();
        for (file, lines) in &self.coverage.lines {
            let mut ranges: Vec<(u32, u32)> = Vec::new();
            let mut open = false;
            for (line, ran) in lines {
                match (ran, open, ranges.last_mut()) {
                    (false, true, Some(last)) => last.1 = *line,
                    (false, _, _) => ranges.push((*line, *line)),
                    (true, _, _) => {}
                }
                open = !ran;
            }
            if !ranges.is_empty() {
                unexecuted_lines.push((file.clone(), ranges));
            }
        }
        unexecuted_lines
    }
}

/// `1 run`, `16 runs`.
fn run_count_text(count: usize) -> String {
    format!("{count} {}", if count == 1 { "run" } else { "runs" })
}

fn range_text((first, last): &(u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
