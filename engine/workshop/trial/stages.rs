//! What cases are played on. Reading the mods and loading them takes many times what a case does, so
//! that both are kept from case to case.

use crate::kit::{Problem, Value};
use crate::run::Content;
use crate::script::Vm;
use crate::workshop::Bench;
use crate::workshop::case::Case;
use crate::workshop::scripted::{Scripted, play_case, play_case_in};

use super::content;

/// How many are kept: a VM takes some thirty megabytes.
const KEPT: usize = 3;

/// What a case asks to be played on.
#[derive(PartialEq)]
struct Asked {
    owner: String,
    mods: Vec<String>,
    settings: Value,
    /// Whether the scripts of its tests belong to it.
    tests: bool,
}

/// Content, and a VM that cases were played in.
struct Stage {
    asked: Asked,
    content: Content,
    vm: Option<Vm>,
}

/// What the last cases were played on.
#[derive(Default)]
pub(super) struct Stages(Vec<Stage>);

impl Stages {
    /// What this case is played on.
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

    /// Plays a case in a VM that other cases were played in; if `twice`, again in a new one that is
    /// rebuilt at every third prompt.
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
            let found =
                format!("the case is of the game {:?}, and is played on {game:?}", case.game);
            let problem = Problem::error("bad-case", found).expected(format!("game = {game:?}"));
            let hint = "leave `game` out: a case of a mod is of the mod's game";
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
            let found = format!("played again with the VM rebuilt, it goes otherwise{step}");
            return Err(vec![
                Problem::error("goes-otherwise", found)
                    .hint("keep what changes in `state`, not in locals"),
            ]);
        }
        Ok(played)
    }
}
