//! A pool of loaded content and VMs. Loading mods takes much longer than a case, so both are reused
//! from case to case.

use super::function_case;
use crate::CommandContext;
use crate::case::Case;
use crate::case_places::case_field;
use crate::case_runner::{CaseRun, play_case, play_case_in_vm};
use crate::case_settings::case_setting_problems;
use crate::check::selection::select_mods;
use base::{Code, Problem, Value};
use mods::{read_with_test_scripts, sort_into_load_order};
use script::Vm;
use session::RunContent;

/// The number of pooled VMs. A VM takes about 30 MB.
const MAX_POOLED_VMS: usize = 3;

/// What a case needs to be loaded.
#[derive(PartialEq)]
struct PoolKey {
    owner: String,
    mods: Vec<String>,
    settings: Value,
    /// Whether the test scripts are included.
    includes_tests: bool,
}

/// Loaded content, and a VM that has run cases.
struct PooledVm {
    pool_key: PoolKey,
    content: RunContent,
    vm: Option<Vm>,
}

/// The content of the last cases, newest first.
#[derive(Default)]
pub(super) struct VmPool(Vec<PooledVm>);

impl VmPool {
    /// The entry for this case; loads the content if needed.
    fn find_or_load_vm(
        &mut self,
        context: &CommandContext,
        case: &Case,
        tests: bool,
    ) -> Result<&mut PooledVm, Vec<Problem>> {
        let (owner, mods) = (case.owner.clone(), case.mods.clone());
        let key = PoolKey { owner, mods, settings: case.settings.clone(), includes_tests: tests };
        let at = match self.0.iter().position(|stage| stage.pool_key == key) {
            Some(at) => at,
            None => {
                let loaded = load_case_content(context, &key.owner, &key.mods, tests);
                let mut content = loaded.map_err(|problems| locate_missing_mods(problems, case))?;
                content.settings = key.settings.clone();
                self.0.truncate(MAX_POOLED_VMS - 1);
                self.0.push(PooledVm { pool_key: key, content, vm: None });
                self.0.len() - 1
            }
        };
        let pooled_vm = self.0.remove(at);
        self.0.insert(0, pooled_vm);
        Ok(&mut self.0[0])
    }

    /// Plays a case in a pooled VM. If `twice`, plays it again in a new VM that is rebuilt at every
    /// third prompt, and compares.
    pub(super) fn play_case(
        &mut self,
        context: &CommandContext,
        case: &Case,
        tests: bool,
        twice: bool,
    ) -> Result<CaseRun, Vec<Problem>> {
        let pooled_vm = self.find_or_load_vm(context, case, tests)?;
        let problems = case_setting_problems(&pooled_vm.content.mods, case, true);
        if !problems.is_empty() {
            return Err(problems);
        }
        let game = pooled_vm.content.mods.game().id();
        if !case.game.is_empty() && case.game != game {
            let found = format!("the case is for the game {:?} but runs with {game:?}", case.game);
            let problem = Problem::error(Code::BadCase, found).expected(format!("game = {game:?}"));
            let hint = "remove `game`: a case of a mod uses the mod's game";
            return Err(vec![problem.hint(hint).at(case_field("game", 0))]);
        }
        let vm = match pooled_vm.vm.take().filter(Vm::is_usable) {
            Some(vm) => vm,
            None => pooled_vm.content.load_strict_vm()?,
        };
        let (played, vm) = play_case_in_vm(vm, case, &pooled_vm.content, &mut || false)?;
        pooled_vm.vm = Some(vm);
        if !twice {
            return Ok(played);
        }
        let mut prompt_count = 0;
        let again = play_case(case, &pooled_vm.content, &mut || {
            prompt_count += 1;
            prompt_count % 3 == 0
        })?;
        let differ = |(one, other)| one != other;
        let step = played.step_digests.iter().zip(&again.step_digests).position(differ);
        if step.is_some() || played.transcript != again.transcript {
            let step = step.map_or(String::new(), |step| format!(" from step {step} on"));
            let found = format!("the second pass, with the VM rebuilt, differs{step}");
            return Err(vec![
                Problem::error(Code::RebuildDiverges, found)
                    .hint("keep data that changes in `state`, not in locals"),
            ]);
        }
        Ok(played)
    }
}

/// Moves the Problems of mods that were not found to their names in the case.
fn locate_missing_mods(problems: Vec<Problem>, case: &Case) -> Vec<Problem> {
    let name_of = |problem: &Problem| {
        let is_named = |id: &String| problem.message.contains(&format!("\"{id}\""));
        case.mods.iter().position(is_named).filter(|_| problem.code == Code::NoSuchMod)
    };
    let located = problems.into_iter().map(|problem| match name_of(&problem) {
        Some(index) => problem.at(case_field("mods", index + 1)),
        None => problem,
    });
    located.collect()
}

/// The content for a case of a mod: the mod, the mods it needs, further mods, and optionally its
/// test scripts.
pub fn load_case_content(
    context: &CommandContext,
    owner: &str,
    further: &[String],
    tests: bool,
) -> Result<RunContent, Vec<Problem>> {
    let ids: Vec<String> = std::iter::once(owner)
        .chain(further.iter().map(String::as_str))
        .map(str::to_owned)
        .collect();
    let mut found = select_mods(context, &ids).map_err(|(_, problems)| problems)?;
    let mut group = found.groups.pop().ok_or(found.problems)?;
    for source in group.mods.iter_mut().filter(|source| tests && source.id() == owner) {
        *source = function_case::with_expectation_functions(&read_with_test_scripts(source)?);
    }
    Ok(RunContent { mods: sort_into_load_order(group.mods)?, settings: Value::map() })
}
