//! Texts that lie in one chain of Luau's own table of texts. There each text is once: whoever makes one goes
//! through the texts whose hashes end alike, and the hash of a short text can be made to come out as one
//! likes. So texts are counted by their hash, in as many sorts as make chance small.

use std::cell::{Cell, RefCell};

use super::{TextHashAndSize, update_findings};
use crate::fuel;

/// Sorts of hashes: they end alike in this many bits. Luau's table has more places than that.
const HASH_BUCKET_COUNT: usize = 4096;
/// Texts of one sort that nobody wonders at, beside twice what chance puts there.
const HARMLESS_TEXTS_PER_BUCKET: usize = 64;
/// Most of them in what lies there together.
pub(super) const MAX_EXCESS_TEXTS_PER_BUCKET: usize = 1024;
/// What one call left in a sort is kept for the next from here on.
const MIN_REPORTED_BUCKET_TEXTS: usize = 8;
/// What stands for sorts among the beginnings of texts, which are prints and hit none of them but by
/// chance: the least of them.
const FIRST_BUCKET_MARKER: u64 = 0xc4a1_0000_0000_0000;

thread_local! {
    static BUCKET_COUNTS: [Cell<u16>; HASH_BUCKET_COUNT] = const { [const { Cell::new(0) }; HASH_BUCKET_COUNT] };
    /// Those that are not empty: few in a step, so that nobody goes through all of them.
    static USED_BUCKETS: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
    /// Texts in all of them.
    static TOTAL_TEXTS: Cell<usize> = const { Cell::new(0) };
}

/// So many texts of a hash came to be, or lie there.
pub(super) fn add_texts_to_bucket(hash: u32, count: usize) {
    let all = TOTAL_TEXTS.get() + count;
    TOTAL_TEXTS.set(all);
    let sort = hash as usize % HASH_BUCKET_COUNT;
    let here = BUCKET_COUNTS.with(|chains| {
        let chain = &chains[sort];
        if chain.get() == 0 && count > 0 {
            USED_BUCKETS.with_borrow_mut(|begun| begun.push(sort as u16));
        }
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        chain.set(chain.get().saturating_add(count));
        usize::from(chain.get())
    });
    let by_chance = HARMLESS_TEXTS_PER_BUCKET + 2 * all / HASH_BUCKET_COUNT;
    if here > by_chance {
        update_findings(|seen| {
            seen.excess_chain_length =
                seen.excess_chain_length.max(here - by_chance + HARMLESS_TEXTS_PER_BUCKET);
            seen.has_hash_collisions |= seen.excess_chain_length > MAX_EXCESS_TEXTS_PER_BUCKET;
        });
        fuel::require_check_every_interrupt();
    }
}

/// Forgets all of them; those that are more than a few.
pub(super) fn reset_and_list_crowded_buckets() -> Vec<TextHashAndSize> {
    if TOTAL_TEXTS.get() == 0 {
        return Vec::new();
    }
    let full = crowded_buckets();
    TOTAL_TEXTS.set(0);
    USED_BUCKETS.with_borrow_mut(|begun| {
        BUCKET_COUNTS
            .with(|chains| begun.drain(..).for_each(|sort| chains[usize::from(sort)].set(0)));
    });
    full
}

/// Those that are more than a few.
pub(super) fn crowded_buckets() -> Vec<TextHashAndSize> {
    let all = TOTAL_TEXTS.get();
    if all < MIN_REPORTED_BUCKET_TEXTS {
        return Vec::new();
    }
    let mut full: Vec<TextHashAndSize> = BUCKET_COUNTS.with(|chains| {
        let beyond = |sort: u16| {
            let here = usize::from(chains[usize::from(sort)].get());
            (
                FIRST_BUCKET_MARKER + u64::from(sort),
                here.saturating_sub(2 * all / HASH_BUCKET_COUNT),
            )
        };
        let begun =
            USED_BUCKETS.with_borrow(|begun| begun.iter().map(|sort| beyond(*sort)).collect());
        Vec::into_iter(begun).filter(|(_, count)| *count > MIN_REPORTED_BUCKET_TEXTS).collect()
    });
    full.sort_unstable();
    full
}

/// The hash that a print stands for, if it stands for one.
pub(super) fn bucket_index_of_marker(print: u64) -> Option<u32> {
    let sort = print.checked_sub(FIRST_BUCKET_MARKER)?;
    u32::try_from(sort).ok().filter(|sort| (*sort as usize) < HASH_BUCKET_COUNT)
}

/// Whether too many texts of one sort lie in what was made together.
pub(crate) fn has_hash_collisions(texts: &[TextHashAndSize]) -> bool {
    let mut sums = std::collections::BTreeMap::<u64, usize>::new();
    let sorts = texts.iter().filter(|(print, _)| bucket_index_of_marker(*print).is_some());
    sorts.into_iter().any(|(print, count)| {
        let sum = sums.entry(*print).or_default();
        *sum += count;
        *sum > MAX_EXCESS_TEXTS_PER_BUCKET
    })
}
