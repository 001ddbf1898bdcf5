//! Who a refusal is laid to, and what the player may do about it: go on without the hook, set the
//! whole mod aside. Both are journalled, and a replay obeys them.

use super::content::Content;
use super::session::{Session, StepError, Told};
use crate::kit::Problem;
use crate::play::Edition;
use crate::save::SetAside;
use crate::script::{Aside, How, Vm};

/// Who a refusal is laid to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blame {
    /// The mod.
    pub owner: String,
    /// Its hook (`file:line`) with the moment that it hangs on, if it happened in one.
    pub hook: Option<(String, String)>,
    /// Whether the mod can be set aside: a game cannot, nor what it stands on.
    pub can_leave: bool,
    why: String,
}

impl Session {
    /// From now on a refusal that can be laid to a hook or a mod is followed by a prompt of the
    /// host that offers to go on without it.
    pub fn offer_ways_out(&mut self) {
        self.offers = true;
    }

    /// Who the Problem of the last call is laid to, if the run can do without.
    pub(super) fn find_blame(&self, problem: &Problem) -> Option<Blame> {
        let blamed = self.vm.blamed();
        let place = problem.place.as_ref().map(|place| place.owner.clone());
        let owner = blamed.as_ref().map(|blamed| blamed.owner.clone()).or(place)?;
        let mods = &self.content.mods;
        let leaves = |owner: &str| mods.get(owner).is_some() && !mods.is_of_game(owner);
        // Where a game meets what a mod had a hand in, it can do without the mod.
        let hand = problem.trail.iter().map(|place| &place.owner).find(|owner| leaves(owner));
        let owner = match hand {
            Some(hand) if blamed.is_none() && !leaves(&owner) => hand.clone(),
            _ => owner,
        };
        let can_leave = leaves(&owner);
        let hook = blamed.map(|blamed| (blamed.hook, blamed.moment));
        let why = problem.message.clone();
        (can_leave || hook.is_some()).then_some(Blame { owner, hook, can_leave, why })
    }

    /// Sets the culprit aside: its hook, or the whole mod.
    pub(super) fn set_blamed_aside(&mut self, whole: bool) -> Result<Told, StepError> {
        let Some(blame) = self.blame.clone() else { return Ok(Told::default()) };
        let hook = blame.hook.filter(|_| !whole).map(|(hook, _)| hook).unwrap_or_default();
        let entry = SetAside { owner: blame.owner, hook, why: blame.why };
        match self.without(&entry) {
            Ok(vm) => {
                self.recorder.set_aside(&entry).map_err(StepError::NotWritten)?;
                self.aside.push(entry);
                self.vm = vm;
                self.go_on_after_refusal()
            }
            Err(mut problems) => Ok(Told { events: Vec::new(), refused: problems.pop() }),
        }
    }

    /// Sets aside what a journal says was set aside.
    pub(super) fn set_aside_again(&mut self, entry: &SetAside) -> Result<(), Vec<Problem>> {
        self.vm = self.without(entry)?;
        self.aside.push(entry.clone());
        self.ask_again();
        Ok(())
    }

    fn without(&self, entry: &SetAside) -> Result<Vm, Vec<Problem>> {
        let mut aside = self.aside.clone();
        aside.push(entry.clone());
        self.vm_of(&self.content, &aside)
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

/// A VM of this content for runs of an edition, where what was set aside takes no part.
pub(super) fn load(
    content: &Content,
    aside: &[SetAside],
    edition: Edition,
    how: How,
) -> Result<Vm, Vec<Problem>> {
    let mut without = Aside::default();
    for one in aside {
        match one.hook.as_str() {
            "" => without.whole_mod(&one.owner),
            hook => without.hook(&one.owner, hook),
        }
    }
    Vm::load_so(&content.mods, &content.settings, (&without, edition), how)
}
