//! A damaged run: what is wrong with its file is told, and what is whole of it is offered. Nothing
//! is mended that the player did not choose, and the damaged file is always kept.

use super::{Door, Lobby, Stop, ask, choice};
use crate::kit::Problem;
use crate::kit::text::escape;
use crate::play::{Choice, Event, View};
use crate::save::{Damage, Reach};

const SCENE: &str = "host:damaged";

impl Lobby {
    /// Does something with a run in whose file there may be damage. If that is why it cannot be done, the run is
    /// offered to be mended, and it is done then; `None` where the player leaves the run as it lies.
    pub(super) fn mending<T>(
        &mut self,
        door: &mut Door<'_>,
        run_id: &str,
        work: impl Fn(&mut Self) -> Result<T, Problem>,
    ) -> Result<Option<Result<T, Problem>>, Stop> {
        let failed = match work(self) {
            Ok(done) => return Ok(Some(Ok(done))),
            Err(problem) => problem,
        };
        let opened = self.setup.data_dir.open(run_id, Reach::Tail);
        match opened.ok().and_then(|opened| opened.damage) {
            None => Ok(Some(Err(failed))),
            Some(damage) if self.mend(door, run_id, &damage)? => Ok(Some(work(self))),
            Some(_) => Ok(None),
        }
    }

    /// Offers to mend a run whose file is damaged. True if it was.
    fn mend(&self, door: &mut Door<'_>, run_id: &str, damage: &Damage) -> Result<bool, Stop> {
        door.front.trouble(&damage.problem)?;
        let text = format!(
            "A part of the file of the run {run_id} cannot be read. What is whole of it can be gone \
             on with; the file as it is now is kept beside it, and nothing is deleted."
        );
        let view = View { title: self.name(), widgets: Vec::new() };
        let chosen = door.choose(&ask(SCENE, &escape(&text), ways(damage)), &view)?;
        let mended = match chosen.as_deref() {
            Some("beyond") => self.setup.data_dir.mend_by_salvage(run_id),
            Some("mend") => self.setup.data_dir.mend(run_id),
            _ => return Ok(false),
        };
        match mended {
            Ok(kept) => {
                let kept = kept.iter().map(|path| escape(&path.display().to_string()));
                let told = kept.map(|path| Event::Note { text: format!("Kept: {path}") });
                door.front.tell(&told.collect::<Vec<_>>())?;
                Ok(true)
            }
            Err(problem) => self.not_mended(door, &problem),
        }
    }

    fn not_mended(&self, door: &mut Door<'_>, problem: &Problem) -> Result<bool, Stop> {
        self.ask_back(door, problem)?;
        Ok(false)
    }
}

/// The ways to go on, that which keeps most of the run first.
fn ways(damage: &Damage) -> Vec<Choice> {
    let mut ways = Vec::new();
    if let Some(step) = damage.beyond_step {
        let note = "the steps that were damaged count, and are not told again".to_owned();
        let label = format!("Go on from step {step}, which lies behind the damage");
        ways.push(Choice { note, ..choice("beyond", &label) });
    }
    let label = match damage.last_good_step {
        Some(step) if damage.line == 1 => {
            format!("Make the first line anew and go on from step {step}")
        }
        Some(0) => "Go on from the start, which is whole".to_owned(),
        Some(step) => format!("Go on from step {step}, the last before the damage"),
        None => "Begin the run again with the same seed".to_owned(),
    };
    let note = "the dice stay what they were".to_owned();
    ways.push(Choice { note, ..choice("mend", &label) });
    ways.push(choice(crate::run::LEAVE, "Leave the run as it lies"));
    ways
}
