//! Making a script that goes wrong shorter: parts of it are left out as long as it still goes wrong
//! in the same way. Answers that no longer fit where they stand are passed over.

use crate::kit::Problem;
use crate::play::Input;
use crate::run::{Content, Terms};
use crate::script::Vm;
use crate::workshop::playing::{End, Played, play};

/// Scripts that are tried before the shortest so far is good enough.
const TRIES: usize = 300;

/// Whether two Problems are one: the same mistake at the same place.
pub(super) fn same(one: &Problem, other: &Problem) -> bool {
    one.code == other.code && one.place == other.place
}

/// The shortest script found that ends in that Problem.
pub(super) fn shrink(
    content: &Content,
    mut vm: Vm,
    terms: &Terms,
    found: &Problem,
    whole: Played,
) -> Played {
    let mut best = whole;
    // The answer that was refused is no part of the inputs that were taken.
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

fn replay(content: &Content, vm: Vm, terms: &Terms, inputs: Vec<Input>) -> (Played, Vm) {
    let most = inputs.len() as u64 + 1;
    let mut rest = inputs.into_iter();
    let mut player = |session: &crate::run::Session, _: &[_]| {
        Ok(rest.find(|input| session.prompt().accepts(input).is_ok()))
    };
    play(content, vm, terms, most, &mut player)
}
