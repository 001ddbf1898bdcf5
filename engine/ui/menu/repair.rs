//! Repair of a damaged run: shows what is wrong with its file and offers to continue from the
//! undamaged part. Nothing is repaired unless the player chooses it, and the damaged file is always
//! kept.

use super::{ExitReason, HostPrompts, Menu, host_choice, host_prompt};
use base::Problem;
use base::host_text;
use base::text::escape_markup;
use protocol::{Choice, StoryEvent, View};
use save::{JournalDamage, ReadExtent};

const DAMAGED_RUN_SCENE: &str = "host:damaged";

impl Menu {
    /// Does something with a run that may be damaged. If damage is the reason why it fails, offers
    /// a repair and tries again; `None` if the player leaves the run unchanged.
    pub(super) fn run_with_repair<T>(
        &mut self,
        host_prompts: &mut HostPrompts<'_>,
        run_id: &str,
        operation: impl Fn(&mut Self) -> Result<T, Problem>,
    ) -> Result<Option<Result<T, Problem>>, ExitReason> {
        let problem = match operation(self) {
            Ok(done) => return Ok(Some(Ok(done))),
            Err(problem) => problem,
        };
        let journal = self.setup.data_dir.open_run(run_id, ReadExtent::AfterCheckpoint);
        match journal.ok().and_then(|opened| opened.damage) {
            None => Ok(Some(Err(problem))),
            Some(damage) if self.offer_repair(host_prompts, run_id, &damage)? => {
                Ok(Some(operation(self)))
            }
            Some(_) => Ok(None),
        }
    }

    /// Offers to repair a damaged run; true if it was repaired.
    fn offer_repair(
        &self,
        host_prompts: &mut HostPrompts<'_>,
        run_id: &str,
        damage: &JournalDamage,
    ) -> Result<bool, ExitReason> {
        host_prompts.frontend.show_problem(&damage.problem)?;
        let text = host_text!(
            "Part of the file of the run {run_id} cannot be read. You can continue from the \
             undamaged part. The damaged file is kept beside it; nothing is deleted.",
            run_id = run_id
        );
        let view = View { title: self.game_name(), widgets: Vec::new() };
        let chosen = host_prompts.ask_choice(
            &host_prompt(DAMAGED_RUN_SCENE, &escape_markup(&text), repair_choices(damage)),
            &view,
        )?;
        let repair_result = match chosen.as_deref() {
            Some("beyond") => self.setup.data_dir.repair_by_salvage(run_id),
            Some("mend") => self.setup.data_dir.repair_run(run_id),
            _ => return Ok(false),
        };
        match repair_result {
            Ok(kept) => {
                let paths = kept.iter().map(|path| escape_markup(&path.display().to_string()));
                let events = paths.map(|path| StoryEvent::Note {
                    text: host_text!("Kept the damaged file: {path}", path = path),
                });
                host_prompts.frontend.show_events(&events.collect::<Vec<_>>())?;
                Ok(true)
            }
            Err(problem) => self.report_failed_repair(host_prompts, &problem),
        }
    }

    fn report_failed_repair(
        &self,
        host_prompts: &mut HostPrompts<'_>,
        problem: &Problem,
    ) -> Result<bool, ExitReason> {
        self.show_problem_and_wait(host_prompts, problem)?;
        Ok(false)
    }
}

/// The ways to continue; the one that keeps most of the run comes first.
fn repair_choices(damage: &JournalDamage) -> Vec<Choice> {
    let mut choices = Vec::new();
    if let Some(step) = damage.last_salvaged_step {
        let note = host_text!("the damaged steps count, but are missing from the story");
        let label = host_text!("Continue from step {step}, after the damage", step = step);
        choices.push(Choice { note, ..host_choice("beyond", &label) });
    }
    let label = match damage.last_valid_step {
        Some(step) if damage.line == 1 => {
            host_text!("Rebuild the first line and continue from step {step}", step = step)
        }
        Some(0) => host_text!("Continue from the start, which is undamaged"),
        Some(step) => {
            host_text!("Continue from step {step}, the last before the damage", step = step)
        }
        None => host_text!("Start the run again with the same seed"),
    };
    let note = host_text!("the dice stay the same");
    choices.push(Choice { note, ..host_choice("mend", &label) });
    choices.push(host_choice(session::LEAVE_RUN_CHOICE_ID, &host_text!("Leave the run unchanged")));
    choices
}
