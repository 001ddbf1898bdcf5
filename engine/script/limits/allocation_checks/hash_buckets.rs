//! Detects texts with colliding hashes. Luau interns each text in one hash table, and a new text is
//! compared with the texts in its chain. A script can choose short texts with equal hashes. So
//! texts are counted in buckets by their hash, and an overfull bucket is not chance.

use base::limits;
use std::cell::{Cell, RefCell};

use crate::limits::allocation_checks::{TextHashAndSize, update_findings};
use crate::limits::fuel;

/// The number of buckets, one for each value of the lowest bits of a hash. Luau's own table has
/// more slots than this.
const HASH_BUCKET_COUNT: usize = 4096;
/// A bucket with more excess texts than this is reported to the next call.
const MIN_REPORTED_BUCKET_TEXTS: usize = 8;
/// Marks bucket 0 in a list of long texts; the next numbers mark the other buckets. Other entries
/// have the hash of a prefix, which has these values only by chance.
const FIRST_BUCKET_MARKER: u64 = 0xc4a1_0000_0000_0000;

thread_local! {
    static BUCKET_COUNTS: [Cell<u16>; HASH_BUCKET_COUNT] = const { [const { Cell::new(0) }; HASH_BUCKET_COUNT] };
    /// The buckets that are not empty. A step uses few, so a reset does not visit all of them.
    static USED_BUCKETS: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
    /// The number of texts in all buckets.
    static TOTAL_TEXTS: Cell<usize> = const { Cell::new(0) };
}

/// Counts new or existing texts with a hash.
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
    let by_chance = limits::HARMLESS_TEXTS_PER_BUCKET + 2 * all / HASH_BUCKET_COUNT;
    if here > by_chance {
        update_findings(|seen| {
            seen.excess_chain_length =
                seen.excess_chain_length.max(here - by_chance + limits::HARMLESS_TEXTS_PER_BUCKET);
            seen.has_hash_collisions |=
                seen.excess_chain_length > limits::MAX_EXCESS_TEXTS_PER_BUCKET;
        });
        fuel::require_check_every_interrupt();
    }
}

/// Clears all buckets. Returns the crowded ones.
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

/// The crowded buckets with their excess texts, as entries of a list of long texts.
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

/// The bucket that an entry of a list of long texts marks, if it marks one.
pub(super) fn bucket_index_of_marker(print: u64) -> Option<u32> {
    let sort = print.checked_sub(FIRST_BUCKET_MARKER)?;
    u32::try_from(sort).ok().filter(|sort| (*sort as usize) < HASH_BUCKET_COUNT)
}

/// Whether the excess texts of one bucket, summed over the list, exceed the limit.
pub(crate) fn has_hash_collisions(texts: &[TextHashAndSize]) -> bool {
    let mut sums = std::collections::BTreeMap::<u64, usize>::new();
    let sorts = texts.iter().filter(|(print, _)| bucket_index_of_marker(*print).is_some());
    sorts.into_iter().any(|(print, count)| {
        let sum = sums.entry(*print).or_default();
        *sum += count;
        *sum > limits::MAX_EXCESS_TEXTS_PER_BUCKET
    })
}
