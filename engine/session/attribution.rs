//! Attribution: finds the hook or mods at fault for a refusal, and disables them if the player
//! chooses so. Both choices are journal entries, and a replay follows them.

use super::host_prompt::RefusalCause;
use super::run_content::RunContent;
use super::step::Session;
use super::step_outcome::StepOutcome;
use super::view_policy::compute_prompt_and_view;
use base::{Problem, SourceLocation};
use mods::ModSet;
use save::DisabledEntry;
use script::{CONSOLE_FILE, DisabledSet, LoadOptions, Vm};

/// The maximum number of mods that are offered to be disabled.
const MAX_OFFERED_MODS: usize = 3;

impl Session {
    /// From now on, a refusal with a known hook or mod at fault is followed by a host prompt that
    /// offers to disable it.
    pub fn offer_disabling(&mut self) {
        self.offer_disabling_with_flags(String::new());
    }

    /// The same, with the flags of the commands that the prompt tells, each with a space before it.
    pub fn offer_disabling_with_flags(&mut self, command_flags: String) {
        self.disabling_command_flags = Some(command_flags);
    }

    /// Finds the mods at fault for the Problem of the last call: the one whose line failed, the one
    /// whose hook was called, and those in the call trail. `None` if there are none.
    pub(super) fn find_refusal_cause(&mut self, problem: &Problem) -> Option<RefusalCause> {
        let hook = self.vm.failed_hook();
        let place = problem.place.iter().filter_map(owner_of_file);
        let caller = hook.iter().map(|hook| &hook.owner);
        let trail = problem.related_locations.iter().filter_map(owner_of_file);
        let mut suspects: Vec<String> = Vec::new();
        for owner in place.chain(caller).chain(trail) {
            if self.can_disable_mod(owner) && !suspects.contains(owner) {
                suspects.push(owner.clone());
            }
        }
        suspects.truncate(MAX_OFFERED_MODS);
        if hook.is_none() && suspects.is_empty() {
            return None;
        }
        let (mods, needed) =
            suspects.into_iter().partition(|owner| self.can_continue_without(owner));
        Some(RefusalCause {
            hook,
            optional_mods: mods,
            required_mods: needed,
            command_flags: self.disabling_command_flags.clone().unwrap_or_default(),
            why: problem.message.clone(),
        })
    }

    /// Whether a mod can be disabled: it is active and neither the game nor a dependency of the
    /// game.
    fn can_disable_mod(&self, owner: &str) -> bool {
        let mods = &self.content.mods;
        let is_disabled_mod = |one: &DisabledEntry| one.hook.is_empty() && one.owner == owner;
        mods.get(owner).is_some()
            && !mods.is_game_or_dependency(owner)
            && !self.disabled_entries.iter().any(is_disabled_mod)
    }

    /// Whether the run can continue without a mod: the others load, and give a prompt at the
    /// current state or fail because of another mod. Changes nothing.
    fn can_continue_without(&mut self, owner: &str) -> bool {
        let (content, mut disabled) = (self.content.clone(), self.disabled_entries.clone());
        disabled.push(disabled_entry(owner, "", ""));
        let Ok(vm) = self.load_vm_for_content(&content, &disabled) else { return false };
        let mark = self.world.open_savepoint();
        let migration_result = self.migrate_world_to(&vm, &content, &disabled);
        let has_scene = self.world.scene().is_some() && self.world.run_outcome().is_none();
        let prompt_result = migration_result.and_then(|()| match has_scene {
            true => compute_prompt_and_view(&vm, &mut self.world, &self.profile, self.view_policy)
                .map(drop),
            false => Ok(()),
        });
        self.world.rollback_to(mark);
        let is_another_mod_at_fault = |problem: &Problem| {
            let mut places = problem.place.iter().chain(&problem.related_locations);
            places.any(|place| place.owner != owner && self.can_disable_mod(&place.owner))
        };
        prompt_result.is_ok()
            || prompt_result.is_err_and(|problem| is_another_mod_at_fault(&problem))
    }

    /// Disables the hook at fault.
    pub(super) fn disable_failed_hook(&mut self) -> Result<StepOutcome, Problem> {
        let Some(RefusalCause { hook: Some(hook), why, .. }) = self.refusal_cause.clone() else {
            return Ok(StepOutcome::default());
        };
        self.disable_and_continue(disabled_entry(&hook.owner, &hook.hook, &why))
    }

    /// Disables one of the mods at fault.
    pub(super) fn disable_suspected_mod(&mut self, number: usize) -> Result<StepOutcome, Problem> {
        let Some(cause) = self.refusal_cause.clone() else { return Ok(StepOutcome::default()) };
        let Some(owner) = cause.optional_mods.get(number) else {
            return Ok(StepOutcome::default());
        };
        self.disable_and_continue(disabled_entry(owner, "", &cause.why))
    }

    fn disable_and_continue(&mut self, entry: DisabledEntry) -> Result<StepOutcome, Problem> {
        match self.disable_hook_or_mod(entry) {
            Ok(mut reloaded) => {
                self.refusal_cause = None;
                let outcome = self.continue_after_refusal()?;
                reloaded.events.extend(outcome.events);
                Ok(StepOutcome { events: reloaded.events, ..outcome })
            }
            Err(mut problems) => Ok(StepOutcome { events: Vec::new(), refusal: problems.pop() }),
        }
    }

    /// A VM of other content than the session's, in strict mode if the session's VM is.
    pub(super) fn load_vm_for_content(
        &self,
        content: &RunContent,
        disabled: &[DisabledEntry],
    ) -> Result<Vm, Vec<Problem>> {
        load_vm_without_disabled(
            content,
            disabled,
            LoadOptions { is_strict: self.is_strict, ..LoadOptions::default() },
        )
    }

    /// A new VM of the session's content. With `ignores_cache`, every file runs in it, so that its
    /// state does not depend on earlier work of the process.
    pub(super) fn load_new_vm(&self, ignores_cache: bool) -> Result<Vm, Vec<Problem>> {
        let traces_coverage = self.vm.traces_coverage();
        let load_options = LoadOptions {
            is_strict: self.is_strict,
            ignores_cache: ignores_cache || traces_coverage,
            traces_coverage,
        };
        let vm = load_vm_without_disabled(&self.content, &self.disabled_entries, load_options)?;
        vm.continue_coverage_of(&self.vm);
        Ok(vm)
    }
}

/// The mod of a place. A line of the console is its author's, in whichever scope it ran.
fn owner_of_file(place: &SourceLocation) -> Option<&String> {
    (place.file != CONSOLE_FILE).then_some(&place.owner)
}

fn disabled_entry(owner: &str, hook: &str, why: &str) -> DisabledEntry {
    DisabledEntry { owner: owner.to_owned(), hook: hook.to_owned(), reason: why.to_owned() }
}

/// The active mods of a run: all except the disabled ones and their dependents.
pub(super) fn active_mods(mods: &ModSet, disabled: &[DisabledEntry]) -> ModSet {
    let disabled_mods = disabled.iter().filter(|one| one.hook.is_empty());
    let disabled_ids: Vec<&str> = disabled_mods.map(|one| one.owner.as_str()).collect();
    if disabled_ids.is_empty() { mods.clone() } else { mods.without_mods(&disabled_ids) }
}

/// Loads a VM of this content, without the disabled hooks and mods.
pub(super) fn load_vm_without_disabled(
    content: &RunContent,
    disabled: &[DisabledEntry],
    load_options: LoadOptions,
) -> Result<Vm, Vec<Problem>> {
    let mods = active_mods(&content.mods, disabled);
    let mut disabled_set = DisabledSet::default();
    for one in disabled {
        match one.hook.as_str() {
            "" => disabled_set.disable_mod(&one.owner),
            hook => disabled_set.disable_hook(&one.owner, hook),
        }
    }
    // The mods that are left out also have no handlers.
    let inactive_mods = content.mods.mods.iter().filter(|source| mods.get(source.id()).is_none());
    inactive_mods.for_each(|source| disabled_set.disable_mod(source.id()));
    Vm::load_with_options(&mods, &content.settings, &disabled_set, load_options)
}
