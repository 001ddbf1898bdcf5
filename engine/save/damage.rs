//! What is wrong with a journal, for whoever reads it: what a crash leaves, and damage that none does.

use super::chain::Stop;
use super::run_state::RunState;
use super::salvage::Salvage;
use crate::kit::Problem;
use crate::kit::fault::planted;

/// Damage that no crash leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Damage {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: String,
    /// The last step that the good lines before it bring to an end; `None` if not even the start.
    pub last_good_step: Option<u64>,
    /// The last step that what lies behind the damage holds, where a checkpoint and the lines
    /// after it are whole; `DataDir::mend_by_salvage` goes on from there.
    pub beyond_step: Option<u64>,
    /// The same for a person.
    pub problem: Problem,
}

/// What there is to say of where the chain stopped: what a crash left, or damage.
pub(super) fn tell(
    stop: Option<Stop>,
    run_state: &RunState,
    salvage: Option<&Salvage>,
) -> (Option<Problem>, Option<Damage>) {
    let Some(Stop { line, what, torn }) = stop else { return (None, None) };
    if torn {
        let found = format!("the last line was not written to its end: {what}");
        let hint = "a crash or a loss of power leaves this; nothing that was told is lost, and the file is kept aside";
        return (Some(Problem::warning("torn-line", found).hint(hint)), None);
    }
    if planted("damage_not_told") {
        return (None, None);
    }
    (None, Some(Damage::of(line, what, run_state, salvage)))
}

impl Damage {
    pub(super) fn of(
        line: u64,
        what: String,
        run_state: &RunState,
        salvage: Option<&Salvage>,
    ) -> Self {
        let last_good_step = run_state.last_step();
        let beyond_step = salvage.and_then(Salvage::last_step);
        let offer = match (beyond_step, last_good_step) {
            (Some(step), _) => {
                format!("go on from step {step}, which what lies behind the damage still holds")
            }
            (None, Some(0)) => "go on from the start of the run, which is whole".to_owned(),
            (None, Some(step)) => format!("go on from step {step}, the last that is whole"),
            (None, None) => "begin the run again with the same seed".to_owned(),
        };
        let found = format!("line {line} of the journal is damaged: {what}");
        let problem = Problem::error("journal-damaged", found)
            .hint(format!("{offer}; the damaged file is kept aside, and nothing is deleted"));
        Self { line, what, last_good_step, beyond_step, problem }
    }
}
