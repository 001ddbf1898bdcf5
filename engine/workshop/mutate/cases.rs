//! The cases that hold a mod, as threads can share them, and which lines each of them reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::kit::{Problem, Value};
use crate::mods::ModSet;
use crate::run::Content;
use crate::script::{LineCounts, Vm};
use crate::workshop::Bench;
use crate::workshop::case::Case;
use crate::workshop::ledger::head;
use crate::workshop::scripted::play_case_in;
use crate::workshop::trial::{self, Told, proof};

/// How a case is tried.
pub(super) enum Way {
    /// It asks the rules: its id and the seed of its dice.
    Asked { id: String, seed: u64 },
    /// It is played, on content of its own, and must read as was accepted, if something was.
    Played { case: Box<Case>, content: Content, accepted: Option<String> },
}

/// A case.
pub(super) struct Known {
    pub(super) about: String,
    /// The rows that its name begins with.
    pub(super) rows: Vec<String>,
    pub(super) way: Way,
    /// The lines that it reaches, by file within the mod.
    pub(super) lines: BTreeMap<String, BTreeSet<u32>>,
}

/// A mod and the cases that hold it.
pub(super) struct Held {
    pub(super) owner: String,
    /// The mod, all that it needs, and its tests.
    pub(super) content: Content,
    pub(super) cases: Vec<Known>,
}

impl Held {
    /// A mod where nothing was changed, so that no case need be asked.
    pub(super) fn none(owner: &str) -> Self {
        let content = Content { mods: ModSet { mods: Vec::new() }, settings: Value::map() };
        Self { owner: owner.to_owned(), content, cases: Vec::new() }
    }

    /// The cases of a mod. All must hold before anything is changed.
    pub(super) fn gather(bench: &Bench, owner: &str, tests: &Path) -> Result<Self, Vec<Problem>> {
        let content = trial::content(bench, owner, &[], true)?;
        let mut cases = Vec::new();
        for script in trial::scripts(bench, owner, tests) {
            let told = script.case?;
            let about = told.about().to_owned();
            let way = match told {
                Told::Proof(proof) => Way::Asked { id: proof.id, seed: proof.seed },
                Told::Run(case) => {
                    let mut content = trial::content(bench, owner, &case.mods, true)?;
                    content.settings = case.settings.clone();
                    let accepted = std::fs::read_to_string(script.path.with_extension("txt"));
                    let accepted = accepted.ok().map(|text| text.replace("\r\n", "\n"));
                    Way::Played { case, content, accepted }
                }
            };
            cases.push(Known { rows: head(&about).0, about, way, lines: BTreeMap::new() });
        }
        let mut held = Self { owner: owner.to_owned(), content, cases };
        held.walk()?;
        Ok(held)
    }

    /// Tries every case once in a VM that counts lines.
    fn walk(&mut self) -> Result<(), Vec<Problem>> {
        let mut vm = Vm::load_traced(&self.content.mods, &self.content.settings)?;
        let mut before = vm.line_counts();
        let mut problems = Vec::new();
        for case in &mut self.cases {
            let (found, after) = match &case.way {
                Way::Asked { .. } => {
                    let found = case.way.tried(&vm, &self.owner, &case.about);
                    (found, vm.line_counts())
                }
                Way::Played { case: played, content, accepted } => {
                    let traced = Vm::load_traced(&content.mods, &content.settings)?;
                    let base = traced.line_counts();
                    let (found, traced) = play(played, content, accepted.as_deref(), traced);
                    case.lines = between(
                        &self.owner,
                        &base,
                        &traced.map(|vm| vm.line_counts()).unwrap_or_default(),
                    );
                    problems.extend(found);
                    continue;
                }
            };
            case.lines = between(&self.owner, &before, &after);
            before = after;
            problems.extend(found);
            if !vm.usable() {
                vm = Vm::load_traced(&self.content.mods, &self.content.settings)?;
                before = vm.line_counts();
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

impl Way {
    /// Whether it is played, which takes longer than asking.
    pub(super) fn is_played(&self) -> bool {
        matches!(self, Self::Played { .. })
    }

    /// Asks a case in a VM; the Problem if something is not so.
    pub(super) fn tried(&self, vm: &Vm, owner: &str, about: &str) -> Option<Problem> {
        match self {
            Self::Asked { id, seed } => proof::ask(vm, owner, id, about, *seed).err(),
            Self::Played { .. } => None,
        }
    }
}

/// Plays a case; what is not so, and the VM.
pub(super) fn play(
    case: &Case,
    content: &Content,
    accepted: Option<&str>,
    vm: Vm,
) -> (Option<Problem>, Option<Vm>) {
    match play_case_in(vm, case, content, &mut || false) {
        Err(problems) => (problems.into_iter().next(), None),
        Ok((played, vm)) => {
            let mut faults = played.faults(case);
            if accepted.is_some_and(|accepted| accepted != played.page()) {
                let found = "the transcript is not what was accepted";
                faults.push(Problem::error("reads-otherwise", found));
            }
            (faults.into_iter().next(), Some(vm))
        }
    }
}

/// The lines of a mod's files that ran between two looks.
fn between(
    owner: &str,
    before: &LineCounts,
    after: &LineCounts,
) -> BTreeMap<String, BTreeSet<u32>> {
    let mut lines = BTreeMap::<String, BTreeSet<u32>>::new();
    for (file, counts) in after {
        let Some(path) = file.strip_prefix(owner).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        let old = before.get(file);
        let ran = counts.iter().filter(|(line, count)| {
            old.and_then(|old| old.get(line)).copied().unwrap_or(0) < **count
        });
        let ran: BTreeSet<u32> = ran.map(|(line, _)| *line).collect();
        if !ran.is_empty() && !path.starts_with("tests/") {
            lines.insert(path.to_owned(), ran);
        }
    }
    lines
}
