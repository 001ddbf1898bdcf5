//! Damage of a journal: an incomplete last line after a crash, and damage with other causes.

use super::hash_chain::ChainBreak;
use super::run_state::RunState;
use super::salvage::SalvagedData;
use base::{Code, Problem};

/// Damage that a crash does not explain.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalDamage {
    /// The line number, from 1.
    pub line: u64,
    /// What is wrong with the line.
    pub reason: String,
    /// The last step that the valid lines before it complete; `None` if not even the start.
    pub last_valid_step: Option<u64>,
    /// The last step after the damage, if a checkpoint and the lines after it are valid.
    /// `DataDir::repair_by_salvage` continues from there.
    pub last_salvaged_step: Option<u64>,
    /// The Problem for the player.
    pub problem: Problem,
}

/// Describes a chain break: an incomplete last line, or damage.
pub(super) fn classify_chain_break(
    stop: Option<ChainBreak>,
    run_state: &RunState,
    salvage: Option<&SalvagedData>,
) -> (Option<Problem>, Option<JournalDamage>) {
    let Some(ChainBreak { line, reason: what, is_torn: torn }) = stop else { return (None, None) };
    if torn {
        let found = format!("the last line is incomplete: {what}");
        let hint = "a crash or a power loss causes this; nothing that was shown is lost, and a copy of the file is kept";
        return (Some(Problem::warning(Code::TornLine, found).hint(hint)), None);
    }
    (None, Some(JournalDamage::new(line, what, run_state, salvage)))
}

impl JournalDamage {
    pub(super) fn new(
        line: u64,
        what: String,
        run_state: &RunState,
        salvage: Option<&SalvagedData>,
    ) -> Self {
        let last_good_step = run_state.last_completed_step();
        let beyond_step = salvage.and_then(SalvagedData::last_completed_step);
        let suggestion = match (beyond_step, last_good_step) {
            (Some(step), _) => {
                format!("continue from step {step}, which is intact after the damage")
            }
            (None, Some(0)) => "continue from the start of the run, which is intact".to_owned(),
            (None, Some(step)) => format!("continue from step {step}, the last intact one"),
            (None, None) => "start the run again with the same seed".to_owned(),
        };
        let found = format!("line {line} of the journal is damaged: {what}");
        let problem = Problem::error(Code::JournalDamaged, found).hint(format!(
            "{suggestion}; a copy of the damaged file is kept, and nothing is deleted"
        ));
        Self {
            line,
            reason: what,
            last_valid_step: last_good_step,
            last_salvaged_step: beyond_step,
            problem,
        }
    }
}
