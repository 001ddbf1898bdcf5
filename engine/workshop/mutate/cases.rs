//! The cases of a mod for mutation testing, in a form that threads can share, and the lines that
//! each case covers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::kit::digest::Hasher;
use crate::kit::{Place, Problem, Value};
use crate::mods::ModSet;
use crate::run::Content;
use crate::script::{LineCounts, Vm};
use crate::workshop::Bench;
use crate::workshop::case::Case;
use crate::workshop::ledger::head;
use crate::workshop::scripted::play_case_in;
use crate::workshop::trial::{self, Told, proof};

/// How a case is run.
pub(super) enum Way {
    /// A function case: its id and the seed of its dice.
    Asked { id: String, seed: u64 },
    /// A scripted run, with content of its own if needed, and the accepted transcript if there is
    /// one.
    Played { case: Box<Case>, content: Option<Content>, accepted: Option<String> },
}

/// Covered lines, by file within the mod.
pub(super) type Reach = BTreeMap<String, BTreeSet<u32>>;

/// A case.
pub(super) struct Known {
    pub(super) about: String,
    /// The rows at the start of its name.
    pub(super) rows: Vec<String>,
    /// Where it is declared, if it is declared in a script.
    pub(super) place: Option<Place>,
    pub(super) way: Way,
    /// The lines that it covers; none until it has run on the unchanged mod.
    pub(super) lines: Option<Reach>,
}

/// A mod and its cases.
pub(super) struct Held {
    pub(super) owner: String,
    /// The mod, all mods it needs, and its tests.
    pub(super) content: Content,
    pub(super) cases: Vec<Known>,
}

impl Held {
    /// A mod without mutants, so that no case needs to run.
    pub(super) fn none(owner: &str) -> Self {
        let content = Content { mods: ModSet { mods: Vec::new() }, settings: Value::map() };
        Self { owner: owner.to_owned(), content, cases: Vec::new() }
    }

    /// Collects the cases of a mod.
    pub(super) fn gather(bench: &Bench, owner: &str, tests: &Path) -> Result<Self, Vec<Problem>> {
        let content = trial::content(bench, owner, &[], true)?;
        let mut cases = Vec::new();
        for script in trial::scripts(bench, owner, tests) {
            let told = script.case?;
            let about = told.about().to_owned();
            let way = match told {
                Told::Proof(proof) => Way::Asked { id: proof.id, seed: proof.seed },
                Told::Run(case) => {
                    let own = !case.mods.is_empty() || case.settings != content.settings;
                    let own = own.then(|| {
                        let further = trial::content(bench, owner, &case.mods, true)?;
                        Ok::<_, Vec<Problem>>(Content {
                            settings: case.settings.clone(),
                            ..further
                        })
                    });
                    let accepted = std::fs::read_to_string(script.path.with_extension("txt"));
                    let accepted = accepted.ok().map(|text| text.replace("\r\n", "\n"));
                    Way::Played { case, content: own.transpose()?, accepted }
                }
            };
            let rows = head(&about).0;
            cases.push(Known { rows, about, place: script.place, way, lines: None });
        }
        Ok(Self { owner: owner.to_owned(), content, cases })
    }

    /// The digest of everything that a result depends on: the mods, and each case with its content
    /// and its accepted transcript.
    pub(super) fn state(&self) -> String {
        let mut hasher = Hasher::new("mutants, constants read by cases apart");
        let mut put = |content: &Content| {
            hasher.bytes(&content.mods.digest().0).text(&content.settings.to_json());
        };
        put(&self.content);
        self.cases.iter().filter_map(Known::content).for_each(&mut put);
        hasher.text(env!("CARGO_PKG_VERSION"));
        for case in &self.cases {
            hasher.text(&case.about);
            if let Way::Played { case, accepted, .. } = &case.way {
                hasher.text(&case.to_text()).text(accepted.as_deref().unwrap_or_default());
            }
        }
        hasher.finish().to_string()
    }

    /// Runs the selected cases that have not run yet, in a VM that counts lines. Each must pass
    /// before any mutant is tried.
    pub(super) fn walk(&mut self, wanted: &dyn Fn(&Known) -> bool) -> Result<(), Vec<Problem>> {
        let (mut shared, mut problems) = (None::<Vm>, Vec::new());
        let mut cases = std::mem::take(&mut self.cases);
        for case in cases.iter_mut().filter(|case| case.lines.is_none() && wanted(case)) {
            let own = case.content();
            let content = own.unwrap_or(&self.content);
            let ready = shared.take().filter(|vm| own.is_none() && vm.usable());
            let vm = match ready {
                Some(vm) => vm,
                None => Vm::load_traced(&content.mods, &content.settings)?,
            };
            let before = vm.line_counts();
            let (found, vm) = case.tried(vm, &self.owner, content);
            problems.extend(found);
            let after = vm.as_ref().map(Vm::line_counts).unwrap_or_default();
            shared = vm.filter(|_| own.is_none());
            case.lines = Some(between(&self.owner, &before, &after));
        }
        self.cases = cases;
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

impl Known {
    /// Whether it is a scripted run, which is slower than a function.
    pub(super) fn is_played(&self) -> bool {
        matches!(self.way, Way::Played { .. })
    }

    /// Content that only this case uses.
    pub(super) fn content(&self) -> Option<&Content> {
        match &self.way {
            Way::Played { content, .. } => content.as_ref(),
            Way::Asked { .. } => None,
        }
    }

    /// The lines of a file that it covers.
    pub(super) fn lines_of(&self, file: &str) -> Option<&BTreeSet<u32>> {
        self.lines.as_ref().and_then(|lines| lines.get(file))
    }

    /// Runs it in a VM that has the content loaded. Returns the Problem if it fails, and the VM if
    /// it can be used again.
    pub(super) fn tried(
        &self,
        vm: Vm,
        owner: &str,
        content: &Content,
    ) -> (Option<Problem>, Option<Vm>) {
        let (played, accepted) = match &self.way {
            Way::Asked { id, seed } => {
                let wrong = proof::ask(&vm, owner, id, &self.about, *seed).err();
                return (wrong, Some(vm));
            }
            Way::Played { case, accepted, .. } => (case, accepted.as_deref()),
        };
        match play_case_in(vm, played, content, &mut || false) {
            Err(problems) => (problems.into_iter().next(), None),
            Ok((found, vm)) => {
                let mut faults = found.faults(played);
                if accepted.is_some_and(|accepted| accepted != found.page()) {
                    let found = "the transcript differs from the accepted one";
                    faults.push(Problem::error("reads-otherwise", found));
                }
                (faults.into_iter().next(), Some(vm))
            }
        }
    }
}

/// The lines of a mod's files that ran between two counts.
fn between(owner: &str, before: &LineCounts, after: &LineCounts) -> Reach {
    let mut lines = Reach::new();
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
