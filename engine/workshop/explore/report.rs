//! What an exploration tells: what it found, and what it never came to.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde_json::json;

use super::player::Counts;
use crate::content::Registry;
use crate::kit::Problem;
use crate::script::Reached;
use crate::workshop::case::Case;
use crate::workshop::playing::Played;
use crate::workshop::told;

/// Entries of a list that a person is shown; --json has them all.
const SHOWN: usize = 24;

/// Something that went wrong.
pub(super) struct Finding {
    pub(super) problem: Problem,
    /// How many runs met it.
    pub(super) runs: usize,
    /// The first that did, and what was played in it until it was shrunk.
    pub(super) index: usize,
    pub(super) played: Played,
    pub(super) case: Option<Case>,
}

/// All that came of an exploration.
#[derive(Default)]
pub(super) struct Report {
    pub(super) seed: u64,
    pub(super) runs: usize,
    pub(super) steps: u64,
    pub(super) outcomes: BTreeMap<String, usize>,
    pub(super) found: Vec<Finding>,
    pub(super) counts: Counts,
    pub(super) reached: Reached,
}

impl Report {
    /// Tells it to a person.
    pub(super) fn tell(&self, registry: &Registry, out: &mut dyn Write) -> io::Result<()> {
        let ends: Vec<String> =
            self.outcomes.iter().map(|(word, count)| format!("{count} {word}")).collect();
        let (runs, seed) = (self.runs, self.seed);
        told::line(out, &format!("{runs} runs from seed {seed}: {}", ends.join(", ")))?;
        if self.found.is_empty() {
            told::line(out, "nothing went wrong")?;
        }
        for found in &self.found {
            told::line(out, &format!("\n{} runs met this:", found.runs))?;
            told::line(out, &found.problem.to_string())?;
            if let Some(case) = &found.case {
                told::line(out, &format!("\nthe shortest way there:\n{}", case.to_text()))?;
            }
        }
        let lists = [
            ("definitions that play never read", self.unread(registry)),
            ("scenes that never asked", self.silent(registry)),
            ("choices that were open and never taken", self.untaken()),
            ("lines that never ran", self.idle()),
        ];
        for (what, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            told::line(out, &format!("\n{what}: {}", list.len()))?;
            list.iter().take(SHOWN).try_for_each(|one| told::line(out, &format!("  {one}")))?;
            if list.len() > SHOWN {
                told::line(out, &format!("  and {} more (--json)", list.len() - SHOWN))?;
            }
        }
        Ok(())
    }

    /// Writes it for a program.
    pub(super) fn json(&self, registry: &Registry, out: &mut dyn Write) -> io::Result<()> {
        let found = self.found.iter().map(|found| {
            let script = found.case.as_ref().map(Case::to_text);
            json!({ "runs": found.runs, "problem": found.problem, "case": script })
        });
        let page = json!({
            "seed": self.seed, "runs": self.runs, "steps": self.steps, "outcomes": self.outcomes,
            "found": found.collect::<Vec<_>>(),
            "never": {
                "definitions": self.unread(registry), "scenes": self.silent(registry),
                "choices": self.untaken(), "lines": self.idle(),
            },
        });
        told::json(out, &page)
    }

    /// Definitions of the mods' own kinds that no script has asked for by id.
    fn unread(&self, registry: &Registry) -> Vec<String> {
        let own = registry.kinds().filter(|kind| !kind.builtin);
        let all = own.flat_map(|kind| registry.all(&kind.name));
        let read = |kind: &str, id: &str| {
            self.reached.definitions.contains(&(kind.to_owned(), id.to_owned()))
        };
        all.filter(|one| !read(&one.kind, one.id.as_str()))
            .map(|one| format!("{} {}", one.kind, one.id))
            .collect()
    }

    fn silent(&self, registry: &Registry) -> Vec<String> {
        let asked: BTreeSet<&str> = self.counts.keys().map(|(scene, _)| scene.as_str()).collect();
        let scenes = registry.all("scene").map(|scene| scene.id.to_string());
        scenes.filter(|scene| !asked.contains(scene.as_str())).collect()
    }

    fn untaken(&self) -> Vec<String> {
        let never = self.counts.iter().filter(|(_, count)| count.taken == 0);
        never
            .map(|((scene, id), count)| format!("{scene} {id} (offered {})", count.offered))
            .collect()
    }

    /// Lines with code that never ran, as ranges by file.
    fn idle(&self) -> Vec<String> {
        let mut idle = Vec::new();
        for (file, lines) in &self.reached.lines {
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
            if ranges.is_empty() {
                continue;
            }
            let shown: Vec<String> = ranges.iter().map(range).collect();
            idle.push(format!("{file}: {}", shown.join(", ")));
        }
        idle
    }
}

fn range((first, last): &(u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}
