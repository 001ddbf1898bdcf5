//! Texts that lie in one chain of Luau's own table of texts. There each text is once: whoever makes one goes
//! through the texts whose hashes end alike, and the hash of a short text can be made to come out as one
//! likes. So texts are counted by their hash, in as many sorts as make chance small.

use std::cell::{Cell, RefCell};

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
    /// Those that are not empty: few in a step, so that nobody goes through all of them.
    static BEGUN: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
    /// Texts in all of them.
    static TEXTS: Cell<usize> = const { Cell::new(0) };
}

/// So many texts of a hash came to be, or lie there.
pub(super) fn add(hash: u32, count: usize) {
    let all = TEXTS.get() + count;
    TEXTS.set(all);
    let sort = hash as usize % SORTS;
    let here = CHAINS.with(|chains| {
        let chain = &chains[sort];
        if chain.get() == 0 && count > 0 {
            BEGUN.with_borrow_mut(|begun| begun.push(sort as u16));
        }
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
        fuel::check_every_interrupt();
    }
}

/// Forgets all of them; those that are more than a few.
pub(super) fn take() -> Vec<Long> {
    if TEXTS.get() == 0 {
        return Vec::new();
    }
    let full = full();
    TEXTS.set(0);
    BEGUN.with_borrow_mut(|begun| {
        CHAINS.with(|chains| begun.drain(..).for_each(|sort| chains[usize::from(sort)].set(0)));
    });
    full
}

/// Those that are more than a few.
pub(super) fn full() -> Vec<Long> {
    let all = TEXTS.get();
    if all < KEPT {
        return Vec::new();
    }
    let mut full: Vec<Long> = CHAINS.with(|chains| {
        let beyond = |sort: u16| {
            let here = usize::from(chains[usize::from(sort)].get());
            (PRINT + u64::from(sort), here.saturating_sub(2 * all / SORTS))
        };
        let begun = BEGUN.with_borrow(|begun| begun.iter().map(|sort| beyond(*sort)).collect());
        Vec::into_iter(begun).filter(|(_, count)| *count > KEPT).collect()
    });
    full.sort_unstable();
    full
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
