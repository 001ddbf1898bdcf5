//! The end of a run: all that it pays is worked out before any of it is written, so that one line of the
//! journal holds it. A program that is killed before that line has a step to take again; after it, the
//! next start finds the payment in the journal.

use super::account::Account;
use super::session::Session;
use crate::kit::{Problem, Value};
use crate::play::award::pay;
use crate::save::Ending;

impl Session {
    /// Says what the player has from here on. Without it a run ends with what its header froze, on no day.
    pub fn set_account(&mut self, account: Account) {
        self.account = Some(account);
    }

    /// What was wrong with the achievements when the run ended.
    pub fn take_ending_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.ending_problems)
    }

    /// What the end of the run pays, if its world is at its end and a journal is to hold it.
    pub(super) fn ending(&mut self) -> Option<Ending> {
        let outcome = self.world.finished()?;
        let earns = self.recorder.journal()?.run_state().earns();
        let award = self.world.awarded();
        let achieved = if earns { self.look_at_achievements(&outcome, &award) } else { Vec::new() };
        Some(Ending { outcome, award, abandoned: false, achieved, day: self.today() })
    }

    /// The day on which the run ends, as far as anybody said.
    pub(super) fn today(&self) -> String {
        self.account.as_ref().map_or_else(String::new, |account| account.today.clone())
    }

    fn look_at_achievements(&mut self, outcome: &Value, award: &Value) -> Vec<String> {
        let kept = self.account.as_ref().map_or(&self.profile, |account| &account.kept);
        let mut paid = kept.clone();
        pay(&mut paid, award);
        let seen = Value::of([
            ("outcome", outcome.clone()),
            ("awarded", award.clone()),
            ("profile", paid.clone()),
        ]);
        let (achieved, problems) = self.vm.achieved(&seen, &paid);
        self.ending_problems = problems;
        self.stay_usable();
        achieved
    }
}
