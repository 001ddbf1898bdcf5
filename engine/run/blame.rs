//! Who a refusal is laid to, and what the player may do about it: go on without the hook, or without
//! a whole mod. Both are journalled, and a replay obeys them.

use super::content::Content;
use super::session::{Session, StepError, Told};
use super::views::ask;
use crate::kit::Problem;
use crate::mods::ModSet;
use crate::play::Edition;
use crate::save::SetAside;
use crate::script::{Aside, Blamed, How, Vm};

/// Most mods that are offered to be disabled.
const OFFERED: usize = 3;

/// Who a refusal is laid to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Blame {
    /// The hook that it happened in, if it happened in one.
    pub hook: Option<Blamed>,
    /// Mods that the run can go on without, the likeliest culprit first.
    pub mods: Vec<String>,
    /// Mods that are to blame and that the run cannot go on without.
    pub needed: Vec<String>,
    why: String,
}

impl Session {
    /// From now on a refusal that can be laid to a hook or a mod is followed by a prompt of the
    /// host that offers to go on without it.
    pub fn offer_ways_out(&mut self) {
        self.offers = true;
    }

    /// Who the Problem of the last call is laid to, if there is a mod that may be: the one at whose
    /// line it happened, the one whose hook was called, and those on the way.
    pub(super) fn find_blame(&mut self, problem: &Problem) -> Option<Blame> {
        let hook = self.vm.blamed();
        let place = problem.place.iter().map(|place| &place.owner);
        let caller = hook.iter().map(|hook| &hook.owner);
        let trail = problem.trail.iter().map(|place| &place.owner);
        let mut suspects: Vec<String> = Vec::new();
        for owner in place.chain(caller).chain(trail) {
            if self.may_leave(owner) && !suspects.contains(owner) {
                suspects.push(owner.clone());
            }
        }
        suspects.truncate(OFFERED);
        if hook.is_none() && suspects.is_empty() {
            return None;
        }
        let (mods, needed) = suspects.into_iter().partition(|owner| self.goes_on_without(owner));
        Some(Blame { hook, mods, needed, why: problem.message.clone() })
    }

    /// Whether a mod takes part in the run and is neither its game nor needed by that.
    fn may_leave(&self, owner: &str) -> bool {
        let mods = &self.content.mods;
        let disabled = |one: &SetAside| one.hook.is_empty() && one.owner == owner;
        mods.get(owner).is_some() && !mods.is_of_game(owner) && !self.aside.iter().any(disabled)
    }

    /// Whether the run can go on without a mod: the others load, and have something to ask where the
    /// run stands, or fail for another mod's mistake. Nothing is changed by it.
    fn goes_on_without(&mut self, owner: &str) -> bool {
        let (content, mut aside) = (self.content.clone(), self.aside.clone());
        aside.push(disabled(owner, "", ""));
        let Ok(vm) = self.vm_of(&content, &aside) else { return false };
        let mark = self.world.mark();
        let carried = self.carry(&vm, &content, &aside);
        let begun = self.world.scene().is_some() && self.world.finished().is_none();
        let asked = carried.and_then(|()| match begun {
            true => ask(&vm, &mut self.world, &self.profile, self.views).map(drop),
            false => Ok(()),
        });
        self.world.rollback(mark);
        let others = |problem: &Problem| {
            let mut places = problem.place.iter().chain(&problem.trail);
            places.any(|place| place.owner != owner && self.may_leave(&place.owner))
        };
        asked.is_ok() || asked.is_err_and(|problem| others(&problem))
    }

    /// Disables the hook that is to blame.
    pub(super) fn go_on_without_hook(&mut self) -> Result<Told, StepError> {
        let Some(Blame { hook: Some(hook), why, .. }) = self.blame.clone() else {
            return Ok(Told::default());
        };
        self.go_on_disabled(disabled(&hook.owner, &hook.hook, &why))
    }

    /// Disables one of the mods that are to blame.
    pub(super) fn go_on_without_mod(&mut self, number: usize) -> Result<Told, StepError> {
        let Some(blame) = self.blame.clone() else { return Ok(Told::default()) };
        let Some(owner) = blame.mods.get(number) else { return Ok(Told::default()) };
        self.go_on_disabled(disabled(owner, "", &blame.why))
    }

    fn go_on_disabled(&mut self, entry: SetAside) -> Result<Told, StepError> {
        match self.disable(entry) {
            Ok(mut reloaded) => {
                self.blame = None;
                let told = self.go_on_after_refusal()?;
                reloaded.events.extend(told.events);
                Ok(Told { events: reloaded.events, ..told })
            }
            Err(mut problems) => Ok(Told { events: Vec::new(), refused: problems.pop() }),
        }
    }

    /// Disables what a journal says was disabled.
    pub(super) fn disable_again(&mut self, entry: &SetAside) -> Result<(), Vec<Problem>> {
        let mut aside = self.aside.clone();
        aside.push(entry.clone());
        self.swap_to(self.content.clone(), aside)
    }

    /// A VM of other content than the session plays on, which is held to what is declared as its own is.
    pub(super) fn vm_of(&self, content: &Content, aside: &[SetAside]) -> Result<Vm, Vec<Problem>> {
        load(content, aside, self.vm.edition(), How { holds: self.holds, ..How::default() })
    }

    /// Another VM of what the session plays on; with `anew` one in which every file has run, so that it is
    /// the same whatever else the program has done.
    pub(super) fn another_vm(&self, anew: bool) -> Result<Vm, Vec<Problem>> {
        let how = How { holds: self.holds, anew, ..How::default() };
        load(&self.content, &self.aside, self.vm.edition(), how)
    }
}

fn disabled(owner: &str, hook: &str, why: &str) -> SetAside {
    SetAside { owner: owner.to_owned(), hook: hook.to_owned(), why: why.to_owned() }
}

/// The mods that take part in a run where some are disabled: those, and what needs them, do not.
pub(super) fn in_force(mods: &ModSet, aside: &[SetAside], edition: Edition) -> ModSet {
    let whole = aside.iter().filter(|one| one.hook.is_empty() && edition.unloads_disabled());
    let out: Vec<&str> = whole.map(|one| one.owner.as_str()).collect();
    if out.is_empty() { mods.clone() } else { mods.without(&out) }
}

/// A VM of this content for runs of an edition, where what was disabled takes no part.
pub(super) fn load(
    content: &Content,
    aside: &[SetAside],
    edition: Edition,
    how: How,
) -> Result<Vm, Vec<Problem>> {
    let mods = in_force(&content.mods, aside, edition);
    let mut without = Aside::default();
    for one in aside {
        match one.hook.as_str() {
            "" => without.whole_mod(&one.owner),
            hook => without.hook(&one.owner, hook),
        }
    }
    // What those that need them put off is not done either.
    let out = content.mods.mods.iter().filter(|source| mods.get(source.id()).is_none());
    out.for_each(|source| without.whole_mod(source.id()));
    Vm::load_so(&mods, &content.settings, (&without, edition), how)
}
