//! Facts about Luau's instructions: their length, their jumps, whether they call the interrupt, and
//! their cost in the worst case. The numbers are those of Luau 0.740, which is pinned.
//! `tests/hostile` fails with other numbers.

/// Opcodes.
pub(super) const LOADB: u8 = 3;
pub(super) const MOVE: u8 = 6;
pub(super) const GETGLOBAL: u8 = 7;
pub(super) const SETUPVAL: u8 = 10;
const GETIMPORT: u8 = 12;
const GETTABLE: u8 = 13;
const SETTABLE: u8 = 14;
const GETTABLEKS: u8 = 15;
const SETTABLEKS: u8 = 16;
const GETTABLEN: u8 = 17;
const SETTABLEN: u8 = 18;
pub(super) const NEWCLOSURE: u8 = 19;
const NAMECALL: u8 = 20;
pub(super) const CALL: u8 = 21;
const RETURN: u8 = 22;
const JUMP: u8 = 23;
pub(super) const JUMPBACK: u8 = 24;
const JUMPIFLE: u8 = 28;
const JUMPIFLT: u8 = 29;
const JUMPIFEQ: u8 = 27;
const JUMPIFNOTEQ: u8 = 30;
const JUMPIFNOTLE: u8 = 31;
const JUMPIFNOTLT: u8 = 32;
const ADD: u8 = 33;
const POWK: u8 = 44;
const CONCAT: u8 = 49;
const MINUS: u8 = 51;
const LENGTH: u8 = 52;
const NEWTABLE: u8 = 53;
const DUPTABLE: u8 = 54;
const SETLIST: u8 = 55;
const FORNPREP: u8 = 56;
const FORNLOOP: u8 = 57;
const FORGLOOP: u8 = 58;
const FORGPREP_INEXT: u8 = 59;
const FASTCALL3: u8 = 60;
pub(super) const FORGPREP_NEXT: u8 = 61;
const GETVARARGS: u8 = 63;
pub(super) const DUPCLOSURE: u8 = 64;
const LOADKX: u8 = 66;
const JUMPX: u8 = 67;
const FASTCALL: u8 = 68;
pub(super) const CAPTURE: u8 = 70;
const SUBRK: u8 = 71;
const DIVRK: u8 = 72;
const FASTCALL1: u8 = 73;
const FASTCALL2: u8 = 74;
const FASTCALL2K: u8 = 75;
pub(super) const FORGPREP: u8 = 76;
const JUMPXEQKNIL: u8 = 77;
const JUMPXEQKS: u8 = 80;
const IDIV: u8 = 81;
const IDIVK: u8 = 82;
/// Our compiler emits no opcode from here on.
const FIRST_UNKNOWN_OPCODE: u8 = 83;

/// The length of an instruction in words.
pub(super) fn instruction_length(op: u8) -> usize {
    let two = matches!(
        op,
        GETGLOBAL
            | 8
            | GETIMPORT
            | GETTABLEKS
            | SETTABLEKS
            | NAMECALL
            | NEWTABLE
            | SETLIST
            | FORGLOOP
            | LOADKX
            | FASTCALL2
            | FASTCALL2K
            | FASTCALL3
    ) || (JUMPIFEQ..=JUMPIFNOTLT).contains(&op)
        || (JUMPXEQKNIL..=JUMPXEQKS).contains(&op);
    if two { 2 } else { 1 }
}

/// Whether our compiler emits this opcode.
pub(super) fn is_known_opcode(op: u8) -> bool {
    op < FIRST_UNKNOWN_OPCODE
}

/// How an instruction encodes its jump.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JumpEncoding {
    /// It does not jump.
    None,
    /// In the upper 16 bits.
    Offset16,
    /// In all bits except the opcode.
    Offset24,
    /// In the last byte, as the number of words to skip.
    SkipByte,
    /// In the last byte, as the distance to the call that a fast call replaces.
    FastcallSkip,
}

pub(super) fn jump_encoding(op: u8) -> JumpEncoding {
    match op {
        LOADB => JumpEncoding::SkipByte,
        JUMPX => JumpEncoding::Offset24,
        FASTCALL | FASTCALL1 | FASTCALL2 | FASTCALL2K | FASTCALL3 => JumpEncoding::FastcallSkip,
        JUMP..=JUMPIFNOTLT
        | FORNPREP..=FORGPREP_INEXT
        | FORGPREP_NEXT
        | FORGPREP
        | JUMPXEQKNIL..=JUMPXEQKS => JumpEncoding::Offset16,
        _ => JumpEncoding::None,
    }
}

/// Whether the next instruction can run after it without a jump.
pub(super) fn falls_through(op: u8) -> bool {
    !matches!(op, RETURN | JUMP | JUMPBACK | JUMPX)
}

/// Whether the VM calls the interrupt, which charges a unit, at this instruction.
pub(super) fn charges_unit(op: u8) -> bool {
    matches!(op, CALL | RETURN | JUMPBACK | JUMPX | FORNLOOP | FORGLOOP)
}

/// Whether no word may be inserted between the instruction and the next one.
pub(super) fn must_stay_before_next(word: u32) -> bool {
    let (op, b, c) = (word as u8, (word >> 16) as u8, (word >> 24) as u8);
    match op {
        NAMECALL | NEWCLOSURE | DUPCLOSURE | CAPTURE => true,
        // A variable number of results stays on top of the stack until the next instruction takes
        // it.
        CALL => c == 0,
        GETVARARGS => b == 0,
        // It skips an instruction that belongs to it.
        LOADB => c != 0,
        _ => false,
    }
}

/// The cost of an instruction in the worst case; an ordinary one costs 1, about a nanosecond. A
/// text may appear wherever a number is expected, and a number wherever a text is.
pub(super) fn max_instruction_cost(word: u32) -> u32 {
    let (op, from, to) = (word as u8, (word >> 16) & 0xff, (word >> 24) & 0xff);
    match op {
        // Each operand may be a number that is converted to a text. The result is then looked up
        // among all texts.
        CONCAT => 64 * (to.saturating_sub(from) + 1),
        // An operand may be a text that is parsed as a number.
        ADD..=POWK | MINUS | SUBRK | DIVRK | IDIV | IDIVK => 128,
        FORNPREP => 64,
        // They compare texts, or look up a key in a long hash chain.
        JUMPIFLE | JUMPIFLT | JUMPIFNOTLE | JUMPIFNOTLT => 32,
        GETTABLE | SETTABLE => 64,
        GETVARARGS => 8 + from / 2,
        NEWTABLE | DUPTABLE | SETLIST | NEWCLOSURE => 8,
        GETTABLEKS | SETTABLEKS | GETTABLEN | SETTABLEN | GETGLOBAL | 8 | NAMECALL => 42,
        // It searches the end of a list.
        LENGTH => 16,
        FASTCALL | FASTCALL1..=FASTCALL2K | FASTCALL3 => 16,
        JUMPIFEQ | JUMPIFNOTEQ => 4,
        _ => 1,
    }
}
