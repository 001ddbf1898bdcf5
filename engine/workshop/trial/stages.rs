//! A pool of loaded content and VMs. Loading mods takes much longer than a case, so both are reused
//! from case to case.

use crate::kit::{Problem, Value};
use crate::run::Content;
use crate::script::Vm;
use crate::workshop::Bench;
use crate::workshop::case::Case;
use crate::workshop::scripted::{Scripted, play_case, play_case_in};

use super::content;

/// The number of pooled VMs. A VM takes about 30 MB.
const KEPT: usize = 3;

/// What a case needs to be loaded.
#[derive(PartialEq)]
struct Asked {
    owner: String,
    mods: Vec<String>,
    settings: Value,
    /// Whether the test scripts are included.
    tests: bool,
}

/// Loaded content, and a VM that has run cases.
struct Stage {
    asked: Asked,
    content: Content,
    vm: Option<Vm>,
}

/// The content of the last cases, newest first.
#[derive(Default)]
pub(super) struct Stages(Vec<Stage>);

impl Stages {
    /// The entry for this case; loads the content if needed.
    fn of(&mut self, bench: &Bench, case: &Case, tests: bool) -> Result<&mut Stage, Vec<Problem>> {
        let (owner, mods) = (case.owner.clone(), case.mods.clone());
        let asked = Asked { owner, mods, settings: case.settings.clone(), tests };
        let at = match self.0.iter().position(|stage| stage.asked == asked) {
            Some(at) => at,
            None => {
                let mut content = content(bench, &asked.owner, &asked.mods, tests)?;
                content.settings = asked.settings.clone();
                self.0.truncate(KEPT - 1);
                self.0.push(Stage { asked, content, vm: None });
                self.0.len() - 1
            }
        };
        let stage = self.0.remove(at);
        self.0.insert(0, stage);
        Ok(&mut self.0[0])
    }

    /// Plays a case in a pooled VM. If `twice`, plays it again in a new VM that is rebuilt at every
    /// third prompt, and compares.
    pub(super) fn play(
        &mut self,
        bench: &Bench,
        case: &Case,
        tests: bool,
        twice: bool,
    ) -> Result<Scripted, Vec<Problem>> {
        let stage = self.of(bench, case, tests)?;
        let game = stage.content.mods.game().id();
        if !case.game.is_empty() && case.game != game {
            let found = format!("the case is for the game {:?} but runs with {game:?}", case.game);
            let problem = Problem::error("bad-case", found).expected(format!("game = {game:?}"));
            let hint = "remove `game`: a case of a mod uses the mod's game";
            return Err(vec![problem.hint(hint)]);
        }
        let vm = match stage.vm.take().filter(Vm::usable) {
            Some(vm) => vm,
            None => stage.content.load_held()?,
        };
        let (played, vm) = play_case_in(vm, case, &stage.content, &mut || false)?;
        stage.vm = Some(vm);
        if !twice {
            return Ok(played);
        }
        let mut asked = 0;
        let again = play_case(case, &stage.content, &mut || {
            asked += 1;
            asked % 3 == 0
        })?;
        let differ = |(one, other)| one != other;
        let step = played.digests.iter().zip(&again.digests).position(differ);
        if step.is_some() || played.transcript != again.transcript {
            let step = step.map_or(String::new(), |step| format!(" from step {step} on"));
            let found = format!("the second pass, with the VM rebuilt, differs{step}");
            return Err(vec![
                Problem::error("goes-otherwise", found)
                    .hint("keep changing data in `state`, not in locals"),
            ]);
        }
        Ok(played)
    }
}
