//! What is to be known of Luau's instructions: how long each is, where it jumps, whether the VM stops to
//! count there, and what it may cost at worst. The numbers are those of Luau 0.740, which is pinned;
//! `tests/hostile` would not pass with others.

/// Numbers of instructions.
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
/// From here on come instructions that no compiler of ours makes.
const FIRST_UNKNOWN_OPCODE: u8 = 83;

/// How many words an instruction takes.
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

/// Whether it is one that our compiler makes.
pub(super) fn is_known_opcode(op: u8) -> bool {
    op < FIRST_UNKNOWN_OPCODE
}

/// How an instruction says where it jumps.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JumpEncoding {
    /// Not at all.
    None,
    /// In its upper half.
    Offset16,
    /// In all but its number.
    Offset24,
    /// In its last byte, over what follows.
    SkipByte,
    /// In its last byte, over a call that it makes itself.
    FastcallSkip,
}

/// How it jumps.
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

/// Whether what follows it is reached from it without a jump.
pub(super) fn falls_through(op: u8) -> bool {
    !matches!(op, RETURN | JUMP | JUMPBACK | JUMPX)
}

/// Whether the VM counts a unit at it.
pub(super) fn charges_unit(op: u8) -> bool {
    matches!(op, CALL | RETURN | JUMPBACK | JUMPX | FORNLOOP | FORGLOOP)
}

/// Whether nothing may be put between it and what follows.
pub(super) fn must_stay_before_next(word: u32) -> bool {
    let (op, b, c) = (word as u8, (word >> 16) as u8, (word >> 24) as u8);
    match op {
        NAMECALL | NEWCLOSURE | DUPCLOSURE | CAPTURE => true,
        // What it gives lies on the top of the stack until it is taken.
        CALL => c == 0,
        GETVARARGS => b == 0,
        // It skips over one that is made for it.
        LOADB => c != 0,
        _ => false,
    }
}

/// What an instruction may cost at worst, where that of an ordinary one is 1: nanoseconds, about. A text
/// may stand wherever a number is asked for, and a number wherever a text is.
pub(super) fn max_instruction_cost(word: u32) -> u32 {
    let (op, from, to) = (word as u8, (word >> 16) & 0xff, (word >> 24) & 0xff);
    match op {
        // Each piece may be a number that becomes a text; what comes of it is looked for among all texts.
        CONCAT => 64 * (to.saturating_sub(from) + 1),
        // They may read a text as a number.
        ADD..=POWK | MINUS | SUBRK | DIVRK | IDIV | IDIVK => 128,
        FORNPREP => 64,
        // They compare texts, or look for a key that was made to be looked for long.
        JUMPIFLE | JUMPIFLT | JUMPIFNOTLE | JUMPIFNOTLT => 32,
        GETTABLE | SETTABLE => 64,
        GETVARARGS => 8 + from / 2,
        NEWTABLE | DUPTABLE | SETLIST | NEWCLOSURE => 8,
        GETTABLEKS | SETTABLEKS | GETTABLEN | SETTABLEN | GETGLOBAL | 8 | NAMECALL => 42,
        // It looks for the end of a list.
        LENGTH => 16,
        FASTCALL | FASTCALL1..=FASTCALL2K | FASTCALL3 => 16,
        JUMPIFEQ | JUMPIFNOTEQ => 4,
        _ => 1,
    }
}
