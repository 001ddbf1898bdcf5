//! What one instruction of Luau may be slow with: texts that are long, and tables whose keys were made to
//! lie in one chain. `luau::blocks` hears of every large block as Luau asks for it, and tells it here; at
//! the next interrupt it is judged. All of it is counted from the beginning of a call.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

mod chains;

pub(super) use chains::crowded_together;

use super::fuel;
use crate::base::limits;
use crate::luau::{self, Block, Blocks};

/// Texts from here on are looked at: one that reads as a number is read from one end to the other.
pub(super) const LOOKED_AT: usize = 48;
/// Texts from here on are long: to compare two that begin alike takes time that has its price.
const LONG: usize = 2048;
/// Bytes of the longest text that begins like another for one unit at each interrupt: between two of them
/// some texts may be compared.
const BYTES_PER_UNIT: usize = 512;
/// The same where it reads as a number.
const DIGITS_PER_UNIT: usize = 8;
/// The same for one unit where two are compared once.
const COMPARED_PER_UNIT: f64 = 1024.0;
/// Most bytes of tables' parts that may be asked for in one call, also if they are given back: a table
/// that is filled and emptied around its size asks for all of it again and again.
const MOVED: usize = 128 * 1024 * 1024;
/// Texts in one chain for one unit at each interrupt.
const CHAINED_PER_UNIT: usize = 24;
/// The longest chain that keys come to lie in by themselves is three fifths of this.
const CHAIN: usize = 16;
/// What a place of a table's keys takes, in words: value, its extra, its sort; key, extra, sort and next.
const NODE_WORDS: usize = 8;
const VALUE_SORT: usize = 3;
const KEY_SORT_AND_NEXT: usize = 7;
/// Sorts of values have smaller numbers.
const SORTS: u32 = 32;

/// The beginning of a long text, as a print, and how long it is.
pub(super) type Long = (u64, usize);

/// What was found so far in a call, in numbers.
#[derive(Clone, Copy, Default)]
struct Seen {
    longest: usize,
    /// The longest text that begins like another.
    twin: usize,
    /// The longest text that reads as a number.
    digits: usize,
    too_long: bool,
    crowded: bool,
    moved: usize,
    /// Texts beyond what chance puts there in the fullest of `CHAINS`.
    chain: usize,
}

thread_local! {
    static SEEN: Cell<Seen> = const {
        Cell::new(Seen { longest: 0, twin: 0, digits: 0, too_long: false, crowded: false, moved: 0, chain: 0 })
    };
    /// Texts that were made, and whose bytes have not been looked at.
    static TEXTS: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
    /// The long texts that have been.
    static BEGINNINGS: RefCell<BTreeMap<u64, usize>> = const { RefCell::new(BTreeMap::new()) };
    static TABLES: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Takes note of something.
fn note(what: impl FnOnce(&mut Seen)) {
    let mut seen = SEEN.get();
    what(&mut seen);
    SEEN.set(seen);
}

/// What was found since the last look.
pub(super) enum Found {
    Nothing,
    /// More was moved about than may be.
    Much,
    /// A text longer than may be.
    TooLong,
    /// A table with a chain of keys longer than may be.
    Crowded,
}

/// What is told of blocks.
pub(super) struct Watching;

impl Blocks for Watching {
    const TEXT: usize = LOOKED_AT;

    fn text(text: Block) {
        // Buffers of the library that have become so large become no text that may be.
        if text.bytes > 4 * limits::TEXT_BYTES {
            note(|seen| (seen.longest, seen.too_long) = (seen.longest.max(text.bytes), true));
        }
        TEXTS.with_borrow_mut(|texts| texts.push(text));
        fuel::check_every_interrupt();
    }

    fn hashed(hash: u32) {
        chains::add(hash, 1);
    }

    fn part(part: Block) {
        note(|seen| seen.moved = seen.moved.saturating_add(part.bytes));
        if SEEN.get().moved > most_moved() {
            fuel::check_every_interrupt();
        }
        if part.bytes.is_power_of_two() {
            TABLES.with_borrow_mut(|tables| tables.push(part));
        }
    }

    fn given_back(is_it: impl Fn(&Block) -> bool) -> Option<Block> {
        TEXTS.with_borrow_mut(|texts| texts.retain(|text| !is_it(text)));
        TABLES.with_borrow_mut(|tables| {
            let found = tables.iter().rposition(&is_it)?;
            Some(tables.swap_remove(found))
        })
    }

    fn look(words: &[u32]) {
        judge(shape(words));
    }
}

/// A call begins: nothing has been found yet.
pub(super) fn begin() {
    SEEN.set(Seen::default());
    TEXTS.with_borrow_mut(Vec::clear);
    BEGINNINGS.with_borrow_mut(BTreeMap::clear);
    TABLES.with_borrow_mut(Vec::clear);
    chains::take();
}

/// A call has ended: what it made lies there, and is not looked at any more.
pub(super) fn end() {
    TEXTS.with_borrow_mut(Vec::clear);
    TABLES.with_borrow_mut(Vec::clear);
}

/// What was found in a call that is laid aside.
pub(super) struct Laid {
    seen: Seen,
    texts: Vec<Block>,
    beginnings: BTreeMap<u64, usize>,
    tables: Vec<Block>,
    chains: Vec<Long>,
}

/// Lays aside what was found, for work that is no part of the call.
pub(super) fn lay_aside() -> Laid {
    Laid {
        seen: SEEN.take(),
        texts: TEXTS.take(),
        beginnings: BEGINNINGS.take(),
        tables: TABLES.take(),
        chains: chains::take(),
    }
}

/// Goes on with it.
pub(super) fn take_up(laid: Laid) {
    SEEN.set(laid.seen);
    TEXTS.set(laid.texts);
    BEGINNINGS.set(laid.beginnings);
    TABLES.set(laid.tables);
    chains::take();
    laid.chains.iter().for_each(|(print, count)| beginning(*print, *count));
}

/// A call begins in a VM where these long texts are.
pub(super) fn begin_with(texts: &[Long]) {
    texts.iter().for_each(|(print, bytes)| beginning(*print, *bytes));
    if needs_a_look() {
        fuel::check_every_interrupt();
    }
}

/// The long texts of this call.
pub(super) fn long_texts() -> Vec<Long> {
    let mut all: Vec<Long> =
        BEGINNINGS.with_borrow(|all| all.iter().map(|(print, bytes)| (*print, *bytes)).collect());
    let Seen { twin, digits, .. } = SEEN.get();
    // Two that begin alike are told as two.
    if twin > 0 {
        all.extend([(0, twin); 2]);
    }
    if digits > 0 {
        all.push((DIGITS_PRINT, digits));
    }
    all.extend(chains::full());
    all
}

/// Whether long texts have made anything dearer.
pub(super) fn is_dear() -> bool {
    let seen = SEEN.get();
    seen.twin > 0 || seen.digits > 0 || seen.chain > 0
}

/// Whether each interrupt is to be looked at.
pub(super) fn needs_a_look() -> bool {
    is_dear() || !matches!(found(), Found::Nothing) || TEXTS.with_borrow(|texts| !texts.is_empty())
}

fn most_moved() -> usize {
    if fuel::is_inconclusive() { MOVED - MOVED / 8 } else { MOVED }
}

/// Looks at the texts that were made.
pub(super) fn look_at_texts() {
    for text in TEXTS.take() {
        luau::bytes(&text).into_iter().for_each(look_at);
    }
}

fn look_at(text: &[u8]) {
    let span = number_span(text);
    note(|seen| {
        seen.longest = seen.longest.max(text.len());
        seen.too_long |= text.len() > limits::TEXT_BYTES;
        if span >= LOOKED_AT {
            seen.digits = seen.digits.max(span);
        }
    });
    if text.len() >= LONG {
        let print = text[..LONG].chunks_exact(8).fold(1_u64, |print, bytes| {
            let word = bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            (print ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        });
        beginning(print, text.len());
    }
}

/// How much of a text is read by whoever reads it as a number: blanks, a sign, digits, blanks.
fn number_span(text: &[u8]) -> usize {
    let run = |from: usize, fits: fn(&u8) -> bool| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| fits(byte)).count()
    };
    let blank: fn(&u8) -> bool = |byte| byte.is_ascii_whitespace() || *byte == 0x0b;
    let sign = |at: usize| at + usize::from(matches!(text.get(at), Some(b'+' | b'-')));
    let blanks = run(0, blank);
    let begun = sign(blanks);
    let rest = text.get(begun..).unwrap_or_default();
    let digits = match rest.get(..4).unwrap_or_default() {
        [b'0', b'x' | b'X', ..] => run(begun + 2, |byte| byte.is_ascii_hexdigit() || *byte == b'.'),
        [b'n' | b'N', b'a' | b'A', b'n' | b'N', b'('] => {
            run(begun + 4, |byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        }
        _ => run(begun, |byte| byte.is_ascii_digit() || *byte == b'.'),
    };
    let power = match text.get(digits) {
        Some(b'e' | b'E' | b'p' | b'P') => run(sign(digits + 1), u8::is_ascii_digit),
        _ => digits,
    };
    // Blanks are passed over eight times as fast.
    power - blanks + (blanks + run(power, blank) - power) / 8
}

/// What stands for the beginning of a text that reads as a number.
const DIGITS_PRINT: u64 = 1;

fn beginning(print: u64, bytes: usize) {
    if print == DIGITS_PRINT {
        note(|seen| seen.digits = seen.digits.max(bytes));
        return;
    }
    if let Some(hash) = chains::of(print) {
        return chains::add(hash, bytes);
    }
    let before = BEGINNINGS.with_borrow_mut(|all| all.insert(print, bytes));
    if let Some(before) = before {
        note(|seen| seen.twin = seen.twin.max(before.min(bytes)));
        BEGINNINGS.with_borrow_mut(|all| all.insert(print, bytes.max(before)));
    }
}

/// The longest text so far, in bytes.
pub(super) fn longest() -> usize {
    SEEN.get().longest
}

/// Looks at the parts of tables that were made; says how many places they have.
pub(super) fn look_at_tables() -> usize {
    let mut places = 0;
    TABLES.with_borrow_mut(|tables| {
        tables.retain(|part| {
            let shape = shape(luau::words(part));
            judge(shape);
            if shape != Shape::NoTable {
                places += part.bytes / (4 * NODE_WORDS);
            }
            shape != Shape::NoTable
        });
    });
    places
}

/// What was seen in a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// It belongs to no table.
    NoTable,
    /// Its chains are short.
    Fair,
    /// One is too long.
    Crowded,
}

/// Takes note of a shape.
fn judge(shape: Shape) {
    if shape == Shape::Crowded {
        note(|seen| seen.crowded = true);
        fuel::check_every_interrupt();
    }
}

/// The shape of a part, given as words.
fn shape(words: &[u32]) -> Shape {
    let places = words.len() / NODE_WORDS;
    let next = |place: usize| (words[place * NODE_WORDS + KEY_SORT_AND_NEXT] as i32) >> 4;
    for place in 0..places {
        if words[place * NODE_WORDS + VALUE_SORT] >= SORTS {
            return Shape::NoTable;
        }
        let (mut at, mut turns) = (place, 0);
        while next(at) != 0 {
            let to = i64::try_from(at).unwrap_or(0) + i64::from(next(at));
            match usize::try_from(to) {
                Ok(to) if to < places => at = to,
                _ => return Shape::NoTable,
            }
            turns += 1;
            if turns > CHAIN {
                return Shape::Crowded;
            }
        }
    }
    Shape::Fair
}

/// What was found that ends the call.
pub(super) fn found() -> Found {
    let seen = SEEN.get();
    if seen.too_long {
        Found::TooLong
    } else if seen.crowded {
        Found::Crowded
    } else if seen.moved > most_moved() {
        Found::Much
    } else {
        Found::Nothing
    }
}

/// Makes tables that are no part of the call: whether a VM makes them hangs on what it was used for. Says
/// whether their keys are found quickly.
pub(super) fn aside_of_tables(work: impl FnOnce()) -> bool {
    let (before, moved) = (TABLES.with_borrow(Vec::len), SEEN.get().moved);
    work();
    note(|seen| seen.moved = moved);
    TABLES.with_borrow_mut(|tables| {
        let made = tables.split_off(before.min(tables.len()));
        made.iter().all(|part| shape(luau::words(part)) != Shape::Crowded)
    })
}

/// Whether so many texts lie in one chain that the VM is of no more use.
pub(super) fn is_chained() -> bool {
    SEEN.get().chain > chains::MOST
}

/// Units that an interrupt costs beside its own.
pub(super) fn price() -> usize {
    let seen = SEEN.get();
    seen.twin / BYTES_PER_UNIT + seen.digits / DIGITS_PER_UNIT + seen.chain / CHAINED_PER_UNIT
}

/// Units that it costs to compare two texts.
pub(super) fn comparing() -> f64 {
    SEEN.get().twin as f64 / COMPARED_PER_UNIT
}
