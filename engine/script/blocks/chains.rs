//! Texts that lie in one chain of Luau's own table of texts. There each text is once: whoever makes one goes
//! through the texts whose hashes end alike, and the hash of a short text can be made to come out as one
//! likes. So texts are counted by their hash, in as many sorts as make chance small.

use std::cell::Cell;

use super::{Long, note};
use crate::script::fuel;

/// Sorts of hashes: they end alike in this many bits. Luau's table has more places than that.
const SORTS: usize = 4096;
/// Texts of one sort that nobody wonders at, beside twice what chance puts there.
const FEW: usize = 64;
/// Most of them in what lies there together.
pub(super) const MOST: usize = 1024;
/// What one call left in a sort is kept for the next from here on.
const KEPT: usize = 8;
/// What stands for sorts among the beginnings of texts, which are prints and hit none of them but by
/// chance: the least of them.
const PRINT: u64 = 0xc4a1_0000_0000_0000;

thread_local! {
    static CHAINS: [Cell<u16>; SORTS] = const { [const { Cell::new(0) }; SORTS] };
    /// Texts in all of them.
    static TEXTS: Cell<usize> = const { Cell::new(0) };
}

/// So many texts of a hash came to be, or lie there.
pub(super) fn add(hash: u32, count: usize) {
    let all = TEXTS.get() + count;
    TEXTS.set(all);
    let here = CHAINS.with(|chains| {
        let chain = &chains[hash as usize % SORTS];
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        chain.set(chain.get().saturating_add(count));
        usize::from(chain.get())
    });
    let by_chance = FEW + 2 * all / SORTS;
    if here > by_chance {
        note(|seen| {
            seen.chain = seen.chain.max(here - by_chance + FEW);
            seen.crowded |= seen.chain > MOST;
        });
        fuel::look_closely();
    }
}

/// Forgets all of them; those that are more than a few.
pub(super) fn take() -> Vec<Long> {
    if TEXTS.get() == 0 {
        return Vec::new();
    }
    let full = full();
    TEXTS.set(0);
    CHAINS.with(|chains| chains.iter().for_each(|chain| chain.set(0)));
    full
}

/// Those that are more than a few.
pub(super) fn full() -> Vec<Long> {
    let all = TEXTS.get();
    if all < KEPT {
        return Vec::new();
    }
    CHAINS.with(|chains| {
        let beyond = |chain: &Cell<u16>| usize::from(chain.get()).saturating_sub(2 * all / SORTS);
        let full = (PRINT..).zip(chains.iter().map(beyond)).filter(|(_, count)| *count > KEPT);
        full.collect()
    })
}

/// The hash that a print stands for, if it stands for one.
pub(super) fn of(print: u64) -> Option<u32> {
    let sort = print.checked_sub(PRINT)?;
    u32::try_from(sort).ok().filter(|sort| (*sort as usize) < SORTS)
}

/// Whether too many texts of one sort lie in what was made together.
pub(in crate::script) fn crowded_together(texts: &[Long]) -> bool {
    let mut sums = std::collections::BTreeMap::<u64, usize>::new();
    let sorts = texts.iter().filter(|(print, _)| of(*print).is_some());
    sorts.into_iter().any(|(print, count)| {
        let sum = sums.entry(*print).or_default();
        *sum += count;
        *sum > MOST
    })
}
