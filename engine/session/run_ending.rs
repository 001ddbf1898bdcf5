//! The end of a run. Everything that it pays is computed before anything is written, so that one
//! journal line has all of it. If the program dies before that line, the last step is pending and
//! runs again. After it, the next start reads the payment from the journal.

use super::player_account::PlayerAccount;
use super::step::Session;
use base::{Problem, Value, host_text_id};
use protocol::award::pay_award_clamped;
use save::{RunEnding, RunHeader};
use state::StoredValue;

/// How a run ends that is given up.
pub(super) const ABANDONED_OUTCOME: &str = host_text_id!("abandoned");

impl Session {
    /// Sets the player account. Without it, a run ends with the data frozen in its header and
    /// without a day.
    pub fn set_player_account(&mut self, account: PlayerAccount) {
        self.player_account = Some(account);
    }

    /// The header of the run, if it has a journal.
    pub fn run_header(&mut self) -> Option<&RunHeader> {
        Some(self.recorder.journal()?.header())
    }

    /// Takes the Problems of the achievements at the end of the run.
    pub fn take_ending_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.ending_problems)
    }

    /// The ending with its payment, if the run is over and has a journal.
    pub(super) fn compute_ending(&mut self) -> Option<RunEnding> {
        let outcome = self.world.run_outcome()?;
        let is_award_eligible = self.recorder.journal()?.run_state().earns_award();
        let award = self.world.award_so_far();
        let achieved = if is_award_eligible {
            self.evaluate_achievements(&outcome, &award)
        } else {
            Vec::new()
        };
        Some(RunEnding {
            outcome,
            award,
            was_abandoned: false,
            achievement_ids: achieved,
            end_date: self.ending_day(),
        })
    }

    /// The outcome of a run that is given up, with what the game's `title` records of the state.
    pub(super) fn outcome_when_abandoned(&self) -> Value {
        let mut titles = self.vm.registry().active_definitions("title");
        let recorded = titles.find_map(|title| title.get("recorded_state")?.as_map());
        let values = recorded
            .into_iter()
            .flatten()
            .filter_map(|(name, path)| Some((&**name, self.value_at_state_path(path.as_text()?)?)));
        Value::map_of(values.chain([("outcome", ABANDONED_OUTCOME.into())]))
    }

    /// A value of the state by the names that lead to it, such as `run.difficulty`.
    fn value_at_state_path(&self, path: &str) -> Option<Value> {
        let state = &self.world.state;
        let mut value = StoredValue::Table(self.world.game_table());
        for name in path.split('.') {
            let StoredValue::Table(table) = value else { return None };
            value = state.get_by_text_key(table, name).ok()?;
        }
        state.stored_to_plain_value(&value).ok()?
    }

    /// The day on which the run ends; empty if unknown.
    pub(super) fn ending_day(&self) -> String {
        self.player_account.as_ref().map_or_else(String::new, |account| account.today.clone())
    }

    fn evaluate_achievements(&mut self, outcome: &Value, award: &Value) -> Vec<String> {
        let stored_data = self
            .player_account
            .as_ref()
            .map_or(&self.profile, |account| &account.stored_award_data);
        let mut data_after_award = stored_data.clone();
        pay_award_clamped(&mut data_after_award, award);
        let achievement_input = Value::map_of([
            ("outcome", outcome.clone()),
            ("awarded", award.clone()),
            ("profile", data_after_award.clone()),
        ]);
        let (achieved, problems) = self.vm.list_achieved(&achievement_input, &data_after_award);
        self.ending_problems = problems;
        self.rebuild_vm_if_unusable();
        achieved
    }
}
