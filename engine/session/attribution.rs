//! Attribution: finds the hook or mods at fault for a refusal, and disables them if the player
//! chooses so. Both choices are journal entries, and a replay follows them.

use super::content::Content;
use super::step::Session;
use super::step_outcome::{StepError, StepOutcome};
use super::views::ask;
use crate::base::Problem;
use crate::mods::ModSet;
use crate::protocol::Edition;
use crate::save::DisabledEntry;
use crate::script::{DisabledSet, FailedHook, LoadOptions, Vm};

/// The maximum number of mods that are offered to be disabled.
const OFFERED: usize = 3;

/// The hook and the mods at fault for a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FailedMod {
    /// The hook in which it happened, if any.
    pub hook: Option<FailedHook>,
    /// Mods that the run can continue without, the most likely cause first.
    pub mods: Vec<String>,
    /// Mods at fault that the run cannot continue without.
    pub needed: Vec<String>,
    why: String,
}

impl Session {
    /// From now on, a refusal with a known hook or mod at fault is followed by a host prompt that
    /// offers to disable it.
    pub fn offer_disabling(&mut self) {
        self.offers_disabling = true;
    }

    /// Finds the mods at fault for the Problem of the last call: the one whose line failed, the one
    /// whose hook was called, and those in the call trail. `None` if there are none.
    pub(super) fn find_failed_mod(&mut self, problem: &Problem) -> Option<FailedMod> {
        let hook = self.vm.failed_hook();
        let place = problem.place.iter().map(|place| &place.owner);
        let caller = hook.iter().map(|hook| &hook.owner);
        let trail = problem.trail.iter().map(|place| &place.owner);
        let mut suspects: Vec<String> = Vec::new();
        for owner in place.chain(caller).chain(trail) {
            if self.may_be_disabled(owner) && !suspects.contains(owner) {
                suspects.push(owner.clone());
            }
        }
        suspects.truncate(OFFERED);
        if hook.is_none() && suspects.is_empty() {
            return None;
        }
        let (mods, needed) =
            suspects.into_iter().partition(|owner| self.can_continue_without(owner));
        Some(FailedMod { hook, mods, needed, why: problem.message.clone() })
    }

    /// Whether a mod can be disabled: it is active and neither the game nor a dependency of the
    /// game.
    fn may_be_disabled(&self, owner: &str) -> bool {
        let mods = &self.content.mods;
        let disabled = |one: &DisabledEntry| one.hook.is_empty() && one.owner == owner;
        mods.get(owner).is_some()
            && !mods.is_game_or_dependency(owner)
            && !self.disabled.iter().any(disabled)
    }

    /// Whether the run can continue without a mod: the others load, and give a prompt at the
    /// current state or fail because of another mod. Changes nothing.
    fn can_continue_without(&mut self, owner: &str) -> bool {
        let (content, mut disabled) = (self.content.clone(), self.disabled.clone());
        disabled.push(disabled_entry(owner, "", ""));
        let Ok(vm) = self.vm_of(&content, &disabled) else { return false };
        let mark = self.world.mark();
        let carried = self.migrate_to(&vm, &content, &disabled);
        let begun = self.world.scene().is_some() && self.world.run_outcome().is_none();
        let asked = carried.and_then(|()| match begun {
            true => ask(&vm, &mut self.world, &self.profile, self.views).map(drop),
            false => Ok(()),
        });
        self.world.rollback(mark);
        let others = |problem: &Problem| {
            let mut places = problem.place.iter().chain(&problem.trail);
            places.any(|place| place.owner != owner && self.may_be_disabled(&place.owner))
        };
        asked.is_ok() || asked.is_err_and(|problem| others(&problem))
    }

    /// Disables the hook at fault.
    pub(super) fn disable_hook(&mut self) -> Result<StepOutcome, StepError> {
        let Some(FailedMod { hook: Some(hook), why, .. }) = self.failed_mod.clone() else {
            return Ok(StepOutcome::default());
        };
        self.continue_with_disabled(disabled_entry(&hook.owner, &hook.hook, &why))
    }

    /// Disables one of the mods at fault.
    pub(super) fn disable_mod(&mut self, number: usize) -> Result<StepOutcome, StepError> {
        let Some(blame) = self.failed_mod.clone() else { return Ok(StepOutcome::default()) };
        let Some(owner) = blame.mods.get(number) else { return Ok(StepOutcome::default()) };
        self.continue_with_disabled(disabled_entry(owner, "", &blame.why))
    }

    fn continue_with_disabled(&mut self, entry: DisabledEntry) -> Result<StepOutcome, StepError> {
        match self.disable(entry) {
            Ok(mut reloaded) => {
                self.failed_mod = None;
                let told = self.continue_after_refusal()?;
                reloaded.events.extend(told.events);
                Ok(StepOutcome { events: reloaded.events, ..told })
            }
            Err(mut problems) => Ok(StepOutcome { events: Vec::new(), refused: problems.pop() }),
        }
    }

    /// Disables what a journal entry disabled.
    pub(super) fn disable_again(&mut self, entry: &DisabledEntry) -> Result<(), Vec<Problem>> {
        let mut disabled = self.disabled.clone();
        disabled.push(entry.clone());
        self.swap_to(self.content.clone(), disabled)
    }

    /// A VM of other content than the session's, in strict mode if the session's VM is.
    pub(super) fn vm_of(
        &self,
        content: &Content,
        disabled: &[DisabledEntry],
    ) -> Result<Vm, Vec<Problem>> {
        load_vm(
            content,
            disabled,
            self.vm.edition(),
            LoadOptions { is_strict: self.is_strict, ..LoadOptions::default() },
        )
    }

    /// A new VM of the session's content. With `anew`, every file runs in it, so that its state
    /// does not depend on earlier work of the process.
    pub(super) fn new_vm(&self, anew: bool) -> Result<Vm, Vec<Problem>> {
        let how = LoadOptions {
            is_strict: self.is_strict,
            ignores_cache: anew,
            ..LoadOptions::default()
        };
        load_vm(&self.content, &self.disabled, self.vm.edition(), how)
    }
}

fn disabled_entry(owner: &str, hook: &str, why: &str) -> DisabledEntry {
    DisabledEntry { owner: owner.to_owned(), hook: hook.to_owned(), why: why.to_owned() }
}

/// The active mods of a run: all except the disabled ones and their dependents.
pub(super) fn active_mods(mods: &ModSet, disabled: &[DisabledEntry], edition: Edition) -> ModSet {
    let whole = disabled.iter().filter(|one| one.hook.is_empty() && edition.unloads_disabled());
    let out: Vec<&str> = whole.map(|one| one.owner.as_str()).collect();
    if out.is_empty() { mods.clone() } else { mods.without(&out) }
}

/// Loads a VM of this content for runs of an edition, without the disabled hooks and mods.
pub(super) fn load_vm(
    content: &Content,
    disabled: &[DisabledEntry],
    edition: Edition,
    how: LoadOptions,
) -> Result<Vm, Vec<Problem>> {
    let mods = active_mods(&content.mods, disabled, edition);
    let mut without = DisabledSet::default();
    for one in disabled {
        match one.hook.as_str() {
            "" => without.disable_mod(&one.owner),
            hook => without.disable_hook(&one.owner, hook),
        }
    }
    // The mods that are left out also have no handlers.
    let out = content.mods.mods.iter().filter(|source| mods.get(source.id()).is_none());
    out.for_each(|source| without.disable_mod(source.id()));
    Vm::load_with(&mods, &content.settings, (&without, edition), how)
}
