//! Shrinks a failing script: removes answers as long as it fails in the same way. Answers that no
//! longer fit are skipped.

use crate::kit::Problem;
use crate::play::Input;
use crate::run::{Bot, Content, RANDOM, Session, Terms};
use crate::script::Vm;
use crate::workshop::playing::{End, Looks, Played, play};

/// The maximum number of scripts that are tried.
const TRIES: usize = 300;

/// Whether two Problems are the same: same code, same place.
pub(super) fn same(one: &Problem, other: &Problem) -> bool {
    one.code == other.code && one.place == other.place
}

/// The shortest script found that ends in this Problem.
pub(super) fn shrink(
    content: &Content,
    mut vm: Vm,
    terms: &Terms,
    found: &Problem,
    whole: Played,
) -> Played {
    let mut best = whole;
    // The refused answer is not one of the accepted inputs.
    let mut part = (best.answers.len() / 2).max(1);
    let mut tries = 0;
    let mut at = 0;
    while tries < TRIES {
        if at >= best.tried.len() {
            if part == 1 {
                break;
            }
            (part, at) = (part / 2, 0);
            continue;
        }
        let end = (at + part).min(best.tried.len());
        let mut left: Vec<Input> = best.tried[..at].to_vec();
        left.extend_from_slice(&best.tried[end..]);
        let played;
        (played, vm) = replay(content, vm, terms, left);
        tries += 1;
        match &played.end {
            End::Problem(problem) if same(problem, found) => best = played,
            _ => at += part,
        }
    }
    best
}

/// The maximum number of scripts that are tried for endless runs; each is continued several times.
const ENDLESS_TRIES: usize = 16;

/// How often a script is continued before it counts as endless.
const WAYS: u64 = 6;

/// The number of steps that a script is continued for.
const ON: u64 = 1_000;

/// The shortest script found after which a run does not end: several random continuations find no
/// end. An empty script means that random play hardly ever ends the game.
pub(super) fn shrink_endless(
    content: &Content,
    vm: Vm,
    terms: &Terms,
    most: u64,
    whole: Played,
) -> Played {
    let mut vm = Some(vm);
    let (mut best, mut tries) = (whole.tried.clone(), 0);
    let load = || content.load_held().expect("content that loaded once loads again");
    let mut holds = |inputs: &[Input]| {
        (0..WAYS).all(|way| {
            let mut rest = inputs.iter();
            let mut bot = Bot::new(RANDOM, way);
            let mut player = |session: &mut Session, told: &[_]| match rest.next() {
                Some(input) if session.prompt().accepts(input).is_ok() => Ok(Some(input.clone())),
                _ => bot.choose(session, told).map(Some),
            };
            let lent = vm.take().unwrap_or_else(load);
            let most = most.min(inputs.len() as u64 + ON);
            let (played, back) = play(content, lent, terms, most, Looks::Always, &mut player);
            vm = Some(back);
            matches!(played.end, End::Endless)
        })
    };
    let mut part = best.len();
    let mut at = 0;
    while part > 0 && tries < ENDLESS_TRIES {
        // From the end: answers after the point of no return are not needed.
        let end = best.len().saturating_sub(at);
        let begin = end.saturating_sub(part);
        if end == 0 {
            (part, at) = (part / 2, 0);
            continue;
        }
        let left = [&best[..begin], &best[end..]].concat();
        tries += 1;
        if holds(&left) { best = left } else { at += part }
    }
    let (mut played, _) = replay(content, vm.unwrap_or_else(load), terms, best);
    played.end = End::Endless;
    played
}

fn replay(content: &Content, vm: Vm, terms: &Terms, inputs: Vec<Input>) -> (Played, Vm) {
    let most = inputs.len() as u64 + 1;
    let mut rest = inputs.into_iter();
    let mut player = |session: &mut Session, _: &[_]| {
        Ok(rest.find(|input| session.prompt().accepts(input).is_ok()))
    };
    play(content, vm, terms, most, Looks::Always, &mut player)
}
