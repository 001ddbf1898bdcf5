//! Shrinks a failing script: removes answers as long as it fails in the same way. Answers that no
//! longer fit are skipped.

use crate::automatic_run::{PlayedRun, RunEnd, ViewBuildPolicy, play_run};
use base::Problem;
use protocol::Input;
use script::Vm;
use session::{Bot, RANDOM_BOT_ID, RunContent, RunParameters, Session};

/// The maximum number of scripts that are tried.
const MAX_SHRINK_TRIES: usize = 300;

/// Whether two Problems are the same: same code, same place.
pub(super) fn is_same_problem(one: &Problem, other: &Problem) -> bool {
    one.code == other.code && one.place == other.place
}

/// The shortest script found that ends in this Problem.
pub(super) fn shrink_run(
    content: &RunContent,
    mut vm: Vm,
    run_parameters: &RunParameters,
    found: &Problem,
    original: PlayedRun,
) -> PlayedRun {
    let mut best = original;
    // The refused answer is not one of the accepted inputs.
    let mut part = (best.answers.len() / 2).max(1);
    let mut tries = 0;
    let mut at = 0;
    while tries < MAX_SHRINK_TRIES {
        if at >= best.inputs.len() {
            if part == 1 {
                break;
            }
            (part, at) = (part / 2, 0);
            continue;
        }
        let end = (at + part).min(best.inputs.len());
        let mut left: Vec<Input> = best.inputs[..at].to_vec();
        left.extend_from_slice(&best.inputs[end..]);
        let played;
        (played, vm) = replay_inputs(content, vm, run_parameters, left);
        tries += 1;
        match &played.run_end {
            RunEnd::Problem(problem) if is_same_problem(problem, found) => best = played,
            _ => at += part,
        }
    }
    best
}

/// The maximum number of scripts that are tried for endless runs; each is continued several times.
const MAX_ENDLESS_SHRINK_TRIES: usize = 16;

/// How often a script is continued before it counts as endless.
const CONTINUATIONS_PER_SCRIPT: u64 = 6;

/// The number of steps that a script is continued for.
const STEPS_PER_CONTINUATION: u64 = 1_000;

/// The shortest script found after which a run does not end: several random continuations find no
/// end. An empty script means that random play hardly ever ends the game.
pub(super) fn shrink_endless_run(
    content: &RunContent,
    vm: Vm,
    run_parameters: &RunParameters,
    max_steps: u64,
    original: PlayedRun,
) -> PlayedRun {
    let mut vm = Some(vm);
    let (mut best, mut tries) = (original.inputs.clone(), 0);
    let load = || content.load_strict_vm().expect("content that loaded once loads again");
    let mut is_endless_after = |inputs: &[Input]| {
        (0..CONTINUATIONS_PER_SCRIPT).all(|way| {
            let mut rest = inputs.iter();
            let mut bot = Bot::new(RANDOM_BOT_ID, way);
            let mut player = |session: &mut Session, told: &[_]| match rest
                .next()
                .and_then(|input| session.prompt().accept(input.clone()).ok())
            {
                Some(input) => Ok(Some(input)),
                None => bot.choose_input(session, told).map(Some),
            };
            let current_vm = vm.take().unwrap_or_else(load);
            let max_steps = max_steps.min(inputs.len() as u64 + STEPS_PER_CONTINUATION);
            let (played, returned_vm) = play_run(
                content,
                current_vm,
                run_parameters,
                max_steps,
                ViewBuildPolicy::Always,
                &mut player,
            );
            vm = Some(returned_vm);
            matches!(played.run_end, RunEnd::Endless)
        })
    };
    let mut part = best.len();
    let mut at = 0;
    while part > 0 && tries < MAX_ENDLESS_SHRINK_TRIES {
        // From the end: answers after the point of no return are not needed.
        let end = best.len().saturating_sub(at);
        let begin = end.saturating_sub(part);
        if end == 0 {
            (part, at) = (part / 2, 0);
            continue;
        }
        let left = [&best[..begin], &best[end..]].concat();
        tries += 1;
        if is_endless_after(&left) { best = left } else { at += part }
    }
    let (mut played, _) = replay_inputs(content, vm.unwrap_or_else(load), run_parameters, best);
    played.run_end = RunEnd::Endless;
    played
}

fn replay_inputs(
    content: &RunContent,
    vm: Vm,
    run_parameters: &RunParameters,
    inputs: Vec<Input>,
) -> (PlayedRun, Vm) {
    let max_steps = inputs.len() as u64 + 1;
    let mut rest = inputs.into_iter();
    let mut player = |session: &mut Session, _: &[_]| {
        Ok(rest.find_map(|input| session.prompt().accept(input).ok()))
    };
    play_run(content, vm, run_parameters, max_steps, ViewBuildPolicy::Always, &mut player)
}
