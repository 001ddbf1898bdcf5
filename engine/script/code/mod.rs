//! What is put into compiled files before they run, so that no piece of them is without bounds:
//!
//! 1. **Counts.** Luau counts at calls, returns and turns of loops, and at nothing else: a straight piece
//!    of code may be as long as a file. A jump to the next instruction is put in wherever more than so
//!    much work may lie between two counts, so that each unit of fuel is worth no more than that.
//! 2. **Loops over plain tables** ask first whether the keys have an order.
//! 3. **Locals of a file** that a function assigns to ask whether that may be now.
//!
//! What comes of it is a function of the compiled file alone. The build puts the same into the base game.

mod file;
mod insert;
mod op;

use std::collections::BTreeSet;

use file::{File, Function};
use insert::{Insert, insert, starts, target};

/// The name of the function that looks at what a loop walks. No script can write it.
pub(crate) const WALKED: &str = "%walked";
/// The name of the function that is asked before what was captured is assigned to.
pub(crate) const ASSIGNED: &str = "%assigned";

/// Most work between two counts; see `op::weight`.
const WORK: u32 = 256;

/// The file with all of that in it; `None` if it cannot be put in, because a function is too large.
pub(crate) fn bounded(code: &[u8]) -> Option<Vec<u8>> {
    let mut file = File::read(code)?;
    if file.functions.iter().any(|function| !is_sound(function)) {
        return None;
    }
    let kept = Kept::of(&file);
    let needs = |number: usize, function: &Function| {
        let walks =
            starts(&function.code).into_iter().any(|at| walked(function.code[at]).is_some());
        (walks, !kept.asks(number, function).is_empty())
    };
    let needs: Vec<_> = file.functions.iter().enumerate().map(|(n, f)| needs(n, f)).collect();
    for (number, (walks, assigns)) in needs.into_iter().enumerate() {
        let walks = walks.then(|| file.text(WALKED));
        let assigns = assigns.then(|| file.text(ASSIGNED));
        let function = &mut file.functions[number];
        let asks = kept.asks(number, function);
        let mut inserts = Vec::new();
        let first = function.stack;
        if let Some(name) = walks {
            let name = function.constant(name);
            for at in starts(&function.code) {
                if let Some(register) = walked(function.code[at]) {
                    let what = word(op::MOVE, first.checked_add(1)?, register, 0);
                    inserts.push(Insert { before: at, words: call(first, name, what) });
                }
            }
        }
        if let Some(name) = assigns {
            let name = function.constant(name);
            for (at, always) in asks {
                let what = word(op::LOADB, first.checked_add(1)?, u8::from(always), 0);
                inserts.push(Insert { before: at, words: call(first, name, what) });
            }
        }
        if !inserts.is_empty() {
            function.stack = first.checked_add(2)?;
            insert(function, &inserts)?;
        }
        let counts = counts(&function.code);
        if !counts.is_empty() {
            insert(function, &counts)?;
        }
    }
    Some(file.write())
}

/// Whether every instruction is one that we know, and each leads to one.
fn is_sound(function: &Function) -> bool {
    let code = &function.code;
    let starts: BTreeSet<usize> = starts(code).into_iter().collect();
    starts.iter().all(|at| {
        let op = code[*at] as u8;
        let leads = target(code, *at).is_none_or(|to| starts.contains(&to));
        op::is_known(op) && at + op::length(op) <= code.len() && leads
    })
}

/// The register of what a loop over whatever it is given begins to walk.
fn walked(word: u32) -> Option<u8> {
    let register = (word >> 8) as u8;
    match word as u8 {
        op::FORGPREP => Some(register),
        // Luau walks the table behind `next` itself, whatever `next` is.
        op::FORGPREP_NEXT => register.checked_add(1),
        _ => None,
    }
}

fn word(op: u8, a: u8, b: u8, c: u8) -> u32 {
    u32::from_le_bytes([op, a, b, c])
}

/// A call of a function of ours with one value, which leaves nothing.
fn call(first: u8, name: u32, value: u32) -> Vec<u32> {
    vec![word(op::GETGLOBAL, first, 0, 0), name, value, word(op::CALL, first, 2, 1)]
}

/// A jump to the next instruction, wherever more than so much work may have been done since the last
/// count on any way there.
fn counts(code: &[u32]) -> Vec<Insert> {
    let mut inserts = Vec::new();
    let mut work = vec![0_u32; code.len() + 1];
    let mut reached = 0;
    // Up to here nothing may be put in.
    let mut closed = 0;
    let mut held = false;
    for at in starts(code) {
        let op = code[at] as u8;
        let weight = op::weight(code[at]);
        let mut done = work[at].max(reached) + weight;
        if done > WORK && !held && at >= closed {
            // What is much by itself is counted as often.
            let counts = weight.div_ceil(WORK).max(1) as usize;
            inserts.push(Insert { before: at, words: vec![word(op::JUMPBACK, 0, 0, 0); counts] });
            done = weight.min(WORK);
        }
        if op::is_counted(op) {
            done = 0;
        }
        held = op::holds_on(code[at]);
        let next = at + op::length(op);
        if let Some(to) = target(code, at) {
            if op::jump(op) == op::Jump::Fast {
                closed = closed.max(to);
            }
            if to > at {
                work[to] = work[to].max(done);
            }
        }
        reached = if op::falls_through(op) { done } else { 0 };
        work[next] = work[next].max(reached);
    }
    inserts
}

/// What functions keep of those around them and assign to.
struct Kept {
    /// For each function the captured values that it or one in it assigns to.
    assigned: Vec<BTreeSet<u8>>,
    /// For each function the captured values that are locals of the file itself.
    of_file: Vec<BTreeSet<u8>>,
}

/// A function made inside another, and where each of its captured values comes from: the sort of
/// capture, and the register or the number among those of the function around it.
struct Made {
    at: usize,
    inner: usize,
    captured: Vec<(u8, u8)>,
}

/// A capture of what the function around has itself captured.
const AGAIN: u8 = 2;

impl Kept {
    fn of(file: &File) -> Self {
        let count = file.functions.len();
        let mut kept =
            Self { assigned: vec![BTreeSet::new(); count], of_file: vec![BTreeSet::new(); count] };
        // A function stands before the one around it.
        for (number, function) in file.functions.iter().enumerate() {
            let code = &function.code;
            let own = starts(code).into_iter().filter(|at| code[*at] as u8 == op::SETUPVAL);
            kept.assigned[number].extend(own.map(|at| (code[at] >> 16) as u8));
            for made in made_in(function) {
                for (upvalue, (sort, from)) in (0..).zip(&made.captured) {
                    if *sort == AGAIN && kept.assigned[made.inner].contains(&upvalue) {
                        kept.assigned[number].insert(*from);
                    }
                }
            }
        }
        for (number, function) in file.functions.iter().enumerate().rev() {
            for made in made_in(function) {
                for (upvalue, (sort, from)) in (0..).zip(&made.captured) {
                    let of_file = match *sort {
                        AGAIN => kept.of_file[number].contains(from),
                        _ => number == file.main,
                    };
                    if of_file {
                        kept.of_file[made.inner].insert(upvalue);
                    }
                }
            }
        }
        kept
    }

    /// Where a function must ask before it goes on, and whether what is assigned there is a local of the
    /// file itself. Of others only the VM knows whether they were made while loading: those who assign to
    /// them ask, and those who make functions that do.
    fn asks(&self, number: usize, function: &Function) -> Vec<(usize, bool)> {
        let code = &function.code;
        let mut asks: Vec<_> = starts(code)
            .into_iter()
            .filter(|at| code[*at] as u8 == op::SETUPVAL)
            .map(|at| (at, self.of_file[number].contains(&((code[at] >> 16) as u8))))
            .collect();
        for made in made_in(function) {
            let passes = (0..).zip(&made.captured).any(|(upvalue, (sort, from))| {
                *sort == AGAIN
                    && self.assigned[made.inner].contains(&upvalue)
                    && !self.of_file[number].contains(from)
            });
            if passes {
                asks.push((made.at, false));
            }
        }
        asks.sort_unstable();
        asks
    }
}

/// The functions that a function makes.
fn made_in(function: &Function) -> Vec<Made> {
    let code = &function.code;
    let mut all = Vec::new();
    for at in starts(code) {
        let half = (code[at] >> 16) as usize;
        let inner = match code[at] as u8 {
            op::NEWCLOSURE => function.inner.get(half).copied(),
            op::DUPCLOSURE => function.constants.get(half).and_then(|one| closure(one)),
            _ => None,
        };
        let Some(inner) = inner else { continue };
        let captures = code[at + 1..].iter().take_while(|word| **word as u8 == op::CAPTURE);
        let captured = captures.map(|word| ((word >> 8) as u8, (word >> 16) as u8)).collect();
        all.push(Made { at, inner, captured });
    }
    all
}

/// The function that a constant stands for.
fn closure(constant: &[u8]) -> Option<usize> {
    let (6, bytes) = constant.split_first().map(|(sort, bytes)| (*sort, bytes))? else {
        return None;
    };
    let digits = bytes.iter().rev();
    Some(digits.fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f)))
}
