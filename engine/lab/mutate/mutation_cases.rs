//! The cases of a mod for mutation testing, in a form that threads can share, and the lines that
//! each case covers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use author::CommandContext;
use author::case::Case;
use author::case_runner::play_case_in_vm;
use author::ledger::leading_ids;
use author::test_runner::{self, CaseBody, function_case};
use base::digest::Hasher;
use base::{Code, Problem, SourceLocation, Value};
use mods::{ModSet, TESTS_FOLDER};
use script::{LineCounts, Vm};
use session::RunContent;

/// How a case is run.
pub(super) enum CaseKind {
    /// A function case: its id and the seed of its dice.
    Function { id: String, seed: u64 },
    /// A scripted run, with content of its own if needed, and the accepted transcript if there is
    /// one.
    ScriptedRun {
        case: Box<Case>,
        content: Option<RunContent>,
        accepted_transcript: Option<String>,
    },
}

/// Covered lines, by file within the mod.
pub(super) type CoveredLines = BTreeMap<String, BTreeSet<u32>>;

/// A case.
pub(super) struct MutationCase {
    pub(super) sentence: String,
    /// The rows at the start of its name.
    pub(super) ledger_rows: Vec<String>,
    /// Where it is declared, if it is declared in a script.
    pub(super) place: Option<SourceLocation>,
    pub(super) kind: CaseKind,
    /// The lines that it covers; none until it has run on the unchanged mod.
    pub(super) covered_lines: Option<CoveredLines>,
}

/// A mod and its cases.
pub(super) struct MutationTarget {
    pub(super) owner: String,
    /// The mod, all mods it needs, and its tests.
    pub(super) content: RunContent,
    pub(super) cases: Vec<MutationCase>,
}

impl MutationTarget {
    /// A mod without mutants, so that no case needs to run.
    pub(super) fn without_cases(owner: &str) -> Self {
        let content = RunContent {
            mods: ModSet { mods: Vec::new(), translation: None },
            settings: Value::map(),
        };
        Self { owner: owner.to_owned(), content, cases: Vec::new() }
    }

    /// Collects the cases of a mod.
    pub(super) fn collect_cases(
        context: &CommandContext,
        owner: &str,
        tests: &Path,
    ) -> Result<Self, Vec<Problem>> {
        let content = test_runner::load_case_content(context, owner, &[], true)?;
        let mut cases = Vec::new();
        for script in test_runner::find_cases(context, owner, tests) {
            let case_body = script.case?;
            let about = case_body.sentence().to_owned();
            let kind = match case_body {
                CaseBody::Function(proof) => CaseKind::Function { id: proof.id, seed: proof.seed },
                CaseBody::ScriptedRun(case) => {
                    let own = !case.mods.is_empty() || case.settings != content.settings;
                    let own = own.then(|| {
                        let further =
                            test_runner::load_case_content(context, owner, &case.mods, true)?;
                        Ok::<_, Vec<Problem>>(RunContent {
                            settings: case.settings.clone(),
                            ..further
                        })
                    });
                    let accepted = std::fs::read_to_string(script.path.with_extension("txt"));
                    let accepted = accepted.ok().map(|text| text.replace("\r\n", "\n"));
                    CaseKind::ScriptedRun {
                        case,
                        content: own.transpose()?,
                        accepted_transcript: accepted,
                    }
                }
            };
            let rows = leading_ids(&about).0;
            cases.push(MutationCase {
                ledger_rows: rows,
                sentence: about,
                place: script.place,
                kind,
                covered_lines: None,
            });
        }
        Ok(Self { owner: owner.to_owned(), content, cases })
    }

    /// The digest of everything that a result depends on: the mods, and each case with its content
    /// and its accepted transcript.
    pub(super) fn digest(&self) -> String {
        let mut hasher = Hasher::new("mutants, constants read by cases apart");
        let mut feed_content = |content: &RunContent| {
            hasher.feed_bytes(&content.mods.digest().0).feed_text(&content.settings.to_json());
        };
        feed_content(&self.content);
        self.cases.iter().filter_map(MutationCase::content).for_each(&mut feed_content);
        hasher.feed_text(env!("CARGO_PKG_VERSION"));
        for case in &self.cases {
            hasher.feed_text(&case.sentence);
            if let CaseKind::ScriptedRun { case, accepted_transcript: accepted, .. } = &case.kind {
                hasher
                    .feed_text(&case.to_text())
                    .feed_text(accepted.as_deref().unwrap_or_default());
            }
        }
        hasher.finish().to_string()
    }

    /// Runs the selected cases that have not run yet, in a VM that counts lines. Each must pass
    /// before any mutant is tried.
    pub(super) fn run_cases_for_coverage(
        &mut self,
        wanted: &dyn Fn(&MutationCase) -> bool,
    ) -> Result<(), Vec<Problem>> {
        let (mut shared, mut problems) = (None::<Vm>, Vec::new());
        let mut cases = std::mem::take(&mut self.cases);
        for case in cases.iter_mut().filter(|case| case.covered_lines.is_none() && wanted(case)) {
            let own = case.content();
            let content = own.unwrap_or(&self.content);
            let reusable_vm = shared.take().filter(|vm| own.is_none() && vm.is_usable());
            let vm = match reusable_vm {
                Some(vm) => vm,
                None => Vm::load_traced(&content.mods, &content.settings)?,
            };
            let before = vm.line_counts();
            let (found, vm) = case.run_case(vm, &self.owner, content);
            problems.extend(found);
            let after = vm.as_ref().map(Vm::line_counts).unwrap_or_default();
            shared = vm.filter(|_| own.is_none());
            case.covered_lines = Some(lines_run_between(&self.owner, &before, &after));
        }
        self.cases = cases;
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

impl MutationCase {
    /// Whether it is a scripted run, which is slower than a function.
    pub(super) fn is_scripted(&self) -> bool {
        matches!(self.kind, CaseKind::ScriptedRun { .. })
    }

    /// Content that only this case uses.
    pub(super) fn content(&self) -> Option<&RunContent> {
        match &self.kind {
            CaseKind::ScriptedRun { content, .. } => content.as_ref(),
            CaseKind::Function { .. } => None,
        }
    }

    /// The lines of a file that it covers.
    pub(super) fn covered_lines_in_file(&self, file: &str) -> Option<&BTreeSet<u32>> {
        self.covered_lines.as_ref().and_then(|lines| lines.get(file))
    }

    /// Runs it in a VM that has the content loaded. Returns the Problem if it fails, and the VM if
    /// it can be used again.
    pub(super) fn run_case(
        &self,
        vm: Vm,
        owner: &str,
        content: &RunContent,
    ) -> (Option<Problem>, Option<Vm>) {
        let (played, accepted) = match &self.kind {
            CaseKind::Function { id, seed } => {
                let wrong =
                    function_case::run_function_case(&vm, owner, id, &self.sentence, *seed).err();
                return (wrong, Some(vm));
            }
            CaseKind::ScriptedRun { case, accepted_transcript: accepted, .. } => {
                (case, accepted.as_deref())
            }
        };
        match play_case_in_vm(vm, played, content, &mut || false) {
            Err(problems) => (problems.into_iter().next(), None),
            Ok((found, vm)) => {
                let mut faults = found.mismatches(played);
                if accepted.is_some_and(|accepted| accepted != found.full_transcript()) {
                    let found = "the transcript differs from the accepted one";
                    faults.push(Problem::error(Code::TranscriptDiffers, found));
                }
                (faults.into_iter().next(), Some(vm))
            }
        }
    }
}

/// The lines of a mod's files that ran between two counts.
fn lines_run_between(owner: &str, before: &LineCounts, after: &LineCounts) -> CoveredLines {
    let mut lines = CoveredLines::new();
    for (file, counts) in after {
        let Some(path) = file.strip_prefix(owner).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        let old = before.get(file);
        let ran = counts.iter().filter(|(line, count)| {
            old.and_then(|old| old.get(line)).copied().unwrap_or(0) < **count
        });
        let ran: BTreeSet<u32> = ran.map(|(line, _)| *line).collect();
        if !ran.is_empty() && !path.starts_with(TESTS_FOLDER) {
            lines.insert(path.to_owned(), ran);
        }
    }
    lines
}
