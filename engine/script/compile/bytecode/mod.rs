//! Changes compiled files before they run, so that fuel limits all their code:
//!
//! 1. **Fuel charges.** Luau calls the interrupt only at calls, returns and loop turns, and
//!    straight code may be as long as a file. An extra jump to the next instruction is inserted
//!    where the work since the last interrupt could exceed a limit. So one unit of fuel pays for a
//!    bounded amount of work.
//! 2. **Loops over plain tables** first check that the keys have a defined order.
//! 3. **Assignments to captured locals** first check that an assignment is allowed now.
//!
//! The result depends only on the compiled file. The build applies the same changes to the base
//! game.

mod compiled_file;
mod insert_words;
mod opcodes;

use std::collections::BTreeSet;

use compiled_file::{CompiledFile, CompiledFunction};
use insert_words::{WordInsertion, insert_words, instruction_starts, jump_target};

/// The name of the function that checks the keys of an iterated table. `%` is not valid in a name,
/// so no script can use it.
pub(crate) const KEY_ORDER_GUARD_NAME: &str = "%walked";
/// The name of the function that checks an assignment to a captured local.
pub(crate) const ASSIGNMENT_GUARD_NAME: &str = "%assigned";

/// Maximum cost between two interrupts; see `opcodes::max_instruction_cost`.
const MAX_COST_BETWEEN_CHARGES: u32 = 256;

/// Inserts charges and guards into a file; `None` if it is not valid or a function becomes too
/// large.
pub(crate) fn insert_charges_and_guards(code: &[u8]) -> Option<Vec<u8>> {
    let mut file = CompiledFile::parse_bytecode(code)?;
    if file.functions.iter().any(|function| !has_valid_instructions(function)) {
        return None;
    }
    let assignments = CapturedAssignments::collect_captured_assignments(&file);
    let needs = |number: usize, function: &CompiledFunction| {
        let walks = instruction_starts(&function.code)
            .into_iter()
            .any(|at| iterated_table_register(function.code[at]).is_some());
        (walks, !assignments.assignment_checks(number, function).is_empty())
    };
    let needs: Vec<_> = file.functions.iter().enumerate().map(|(n, f)| needs(n, f)).collect();
    for (number, (walks, assigns)) in needs.into_iter().enumerate() {
        let walks = walks.then(|| file.intern_text(KEY_ORDER_GUARD_NAME));
        let assigns = assigns.then(|| file.intern_text(ASSIGNMENT_GUARD_NAME));
        let function = &mut file.functions[number];
        let asks = assignments.assignment_checks(number, function);
        let mut inserts = Vec::new();
        let first = function.stack_size;
        if let Some(name) = walks {
            let name = function.intern_text_constant(name);
            for at in instruction_starts(&function.code) {
                if let Some(register) = iterated_table_register(function.code[at]) {
                    let what =
                        encode_instruction(opcodes::MOVE, first.checked_add(1)?, register, 0);
                    inserts.push(WordInsertion {
                        position: at,
                        words: encode_guard_call(first, name, what),
                    });
                }
            }
        }
        if let Some(name) = assigns {
            let name = function.intern_text_constant(name);
            for (at, always) in asks {
                let what =
                    encode_instruction(opcodes::LOADB, first.checked_add(1)?, u8::from(always), 0);
                inserts.push(WordInsertion {
                    position: at,
                    words: encode_guard_call(first, name, what),
                });
            }
        }
        if !inserts.is_empty() {
            function.stack_size = first.checked_add(2)?;
            insert_words(function, &inserts)?;
        }
        let counts = missing_charge_points(&function.code);
        if !counts.is_empty() {
            insert_words(function, &counts)?;
        }
    }
    Some(file.to_bytecode())
}

/// Whether every instruction is known, and every jump leads to the start of an instruction.
fn has_valid_instructions(function: &CompiledFunction) -> bool {
    let code = &function.code;
    let starts: BTreeSet<usize> = instruction_starts(code).into_iter().collect();
    starts.iter().all(|at| {
        let op = code[*at] as u8;
        let leads = jump_target(code, *at).is_none_or(|to| starts.contains(&to));
        opcodes::is_known_opcode(op) && at + opcodes::instruction_length(op) <= code.len() && leads
    })
}

/// The register of the value that a generic `for` loop begins to iterate.
fn iterated_table_register(word: u32) -> Option<u8> {
    let register = (word >> 8) as u8;
    match word as u8 {
        opcodes::FORGPREP => Some(register),
        // Luau iterates the table after `next` itself, even if `next` is another value.
        opcodes::FORGPREP_NEXT => register.checked_add(1),
        _ => None,
    }
}

fn encode_instruction(op: u8, a: u8, b: u8, c: u8) -> u32 {
    u32::from_le_bytes([op, a, b, c])
}

/// Encodes a call of a guard function with one value and without a result.
fn encode_guard_call(first: u8, name: u32, value: u32) -> Vec<u32> {
    vec![
        encode_instruction(opcodes::GETGLOBAL, first, 0, 0),
        name,
        value,
        encode_instruction(opcodes::CALL, first, 2, 1),
    ]
}

/// Finds where an extra interrupt is needed: where the work since the last one could exceed the
/// limit on some path. The inserted jump leads to the next instruction.
fn missing_charge_points(code: &[u32]) -> Vec<WordInsertion> {
    let mut inserts = Vec::new();
    let mut work = vec![0_u32; code.len() + 1];
    let mut reached = 0;
    // The region before this position must stay unchanged.
    let mut closed = 0;
    let mut held = false;
    for at in instruction_starts(code) {
        let op = code[at] as u8;
        let weight = opcodes::max_instruction_cost(code[at]);
        let mut done = work[at].max(reached) + weight;
        if done > MAX_COST_BETWEEN_CHARGES && !held && at >= closed {
            // An instruction above the limit pays for several units by itself.
            let counts = weight.div_ceil(MAX_COST_BETWEEN_CHARGES).max(1) as usize;
            inserts.push(WordInsertion {
                position: at,
                words: vec![encode_instruction(opcodes::JUMPBACK, 0, 0, 0); counts],
            });
            done = weight.min(MAX_COST_BETWEEN_CHARGES);
        }
        if opcodes::charges_unit(op) {
            done = 0;
        }
        held = opcodes::must_stay_before_next(code[at]);
        let next = at + opcodes::instruction_length(op);
        if let Some(to) = jump_target(code, at) {
            if opcodes::jump_encoding(op) == opcodes::JumpEncoding::FastcallSkip {
                closed = closed.max(to);
            }
            if to > at {
                work[to] = work[to].max(done);
            }
        }
        reached = if opcodes::falls_through(op) { done } else { 0 };
        work[next] = work[next].max(reached);
    }
    inserts
}

/// The captured locals (upvalues) that functions assign to.
struct CapturedAssignments {
    /// For each function, the upvalues that it or a function inside it assigns to.
    assigned_upvalues: Vec<BTreeSet<u8>>,
    /// For each function, the upvalues that are locals of the file itself.
    file_local_upvalues: Vec<BTreeSet<u8>>,
}

/// A closure that a function creates. `captures` has the type of each capture, and the register or
/// the upvalue number in the enclosing function.
struct InnerClosure {
    word_index: usize,
    function_index: usize,
    captures: Vec<(u8, u8)>,
}

/// The capture type of an upvalue of the enclosing function.
const UPVALUE_CAPTURE_TYPE: u8 = 2;

impl CapturedAssignments {
    fn collect_captured_assignments(file: &CompiledFile) -> Self {
        let count = file.functions.len();
        let mut assignments = Self {
            assigned_upvalues: vec![BTreeSet::new(); count],
            file_local_upvalues: vec![BTreeSet::new(); count],
        };
        // Inner functions come before the function that encloses them.
        for (number, function) in file.functions.iter().enumerate() {
            let code = &function.code;
            let own = instruction_starts(code)
                .into_iter()
                .filter(|at| code[*at] as u8 == opcodes::SETUPVAL);
            assignments.assigned_upvalues[number].extend(own.map(|at| (code[at] >> 16) as u8));
            for made in inner_closures(function) {
                for (upvalue, (sort, from)) in (0..).zip(&made.captures) {
                    if *sort == UPVALUE_CAPTURE_TYPE
                        && assignments.assigned_upvalues[made.function_index].contains(&upvalue)
                    {
                        assignments.assigned_upvalues[number].insert(*from);
                    }
                }
            }
        }
        for (number, function) in file.functions.iter().enumerate().rev() {
            for made in inner_closures(function) {
                for (upvalue, (sort, from)) in (0..).zip(&made.captures) {
                    let of_file = match *sort {
                        UPVALUE_CAPTURE_TYPE => {
                            assignments.file_local_upvalues[number].contains(from)
                        }
                        _ => number == file.main_function,
                    };
                    if of_file {
                        assignments.file_local_upvalues[made.function_index].insert(upvalue);
                    }
                }
            }
        }
        assignments
    }

    /// The positions that need an assignment check, and whether the target is a local of the file
    /// itself. For other targets only the VM knows whether they were created while loading. So both
    /// the assignment and the creation of a closure that assigns are checked.
    fn assignment_checks(&self, number: usize, function: &CompiledFunction) -> Vec<(usize, bool)> {
        let code = &function.code;
        let mut asks: Vec<_> = instruction_starts(code)
            .into_iter()
            .filter(|at| code[*at] as u8 == opcodes::SETUPVAL)
            .map(|at| (at, self.file_local_upvalues[number].contains(&((code[at] >> 16) as u8))))
            .collect();
        for made in inner_closures(function) {
            let passes = (0..).zip(&made.captures).any(|(upvalue, (sort, from))| {
                *sort == UPVALUE_CAPTURE_TYPE
                    && self.assigned_upvalues[made.function_index].contains(&upvalue)
                    && !self.file_local_upvalues[number].contains(from)
            });
            if passes {
                asks.push((made.word_index, false));
            }
        }
        asks.sort_unstable();
        asks
    }
}

/// The closures that a function creates.
fn inner_closures(function: &CompiledFunction) -> Vec<InnerClosure> {
    let code = &function.code;
    let mut all = Vec::new();
    for at in instruction_starts(code) {
        let half = (code[at] >> 16) as usize;
        let inner = match code[at] as u8 {
            opcodes::NEWCLOSURE => function.inner_functions.get(half).copied(),
            opcodes::DUPCLOSURE => {
                function.constants.get(half).and_then(|one| closure_function_index(one))
            }
            _ => None,
        };
        let Some(inner) = inner else { continue };
        let captures = code[at + 1..].iter().take_while(|word| **word as u8 == opcodes::CAPTURE);
        let captured = captures.map(|word| ((word >> 8) as u8, (word >> 16) as u8)).collect();
        all.push(InnerClosure { word_index: at, function_index: inner, captures: captured });
    }
    all
}

/// The function index that a closure constant contains.
fn closure_function_index(constant: &[u8]) -> Option<usize> {
    let (6, bytes) = constant.split_first().map(|(sort, bytes)| (*sort, bytes))? else {
        return None;
    };
    let digits = bytes.iter().rev();
    Some(digits.fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f)))
}
