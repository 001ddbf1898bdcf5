//! Named data of a definition, sorted by name. Most such tables are small and rarely change, so a
//! sorted list saves memory.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Map;
use std::slice;
use std::sync::Arc;

use super::datum::Datum;

/// Data by name, each name once, sorted.
#[derive(Clone, Default, PartialEq)]
pub struct DatumMap(Vec<(Arc<str>, Datum)>);

/// Iterates over names and data in order.
pub(super) type DatumMapIter<'f> =
    Map<slice::Iter<'f, (Arc<str>, Datum)>, fn(&'f (Arc<str>, Datum)) -> (&'f Arc<str>, &'f Datum)>;

impl DatumMap {
    /// No data.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find_name_index(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| (**other).cmp(name))
    }

    /// The datum under a name.
    pub fn get(&self, name: &str) -> Option<&Datum> {
        self.find_name_index(name).ok().map(|at| &self.0[at].1)
    }

    /// Whether there is a datum under a name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.find_name_index(name).is_ok()
    }

    /// Stores a datum under a name, and returns the previous one.
    pub fn insert(&mut self, name: Arc<str>, datum: Datum) -> Option<Datum> {
        match self.find_name_index(&name) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, datum)),
            Err(at) => {
                self.0.insert(at, (name, datum));
                None
            }
        }
    }

    /// Removes and returns the datum under a name.
    pub fn remove(&mut self, name: &str) -> Option<Datum> {
        self.find_name_index(name).ok().map(|at| self.0.remove(at).1)
    }

    /// Iterates over names and data in order.
    pub fn iter(&self) -> DatumMapIter<'_> {
        self.0.iter().map(|(name, datum)| (name, datum))
    }

    /// The names in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Arc<str>> + Clone {
        self.0.iter().map(|(name, _)| name)
    }

    /// The data in the order of the names.
    pub fn values(&self) -> impl Iterator<Item = &Datum> {
        self.0.iter().map(|(_, datum)| datum)
    }

    /// The data in the order of the names, mutable.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Datum> {
        self.0.iter_mut().map(|(_, datum)| datum)
    }
}

/// Compares two names; most comparisons are decided by the first bytes.
fn compare_names(one: &str, other: &str) -> Ordering {
    let first_bytes = |name: &str| {
        let mut begin = [0; 8];
        let length = name.len().min(8);
        begin[..length].copy_from_slice(&name.as_bytes()[..length]);
        u64::from_be_bytes(begin)
    };
    first_bytes(one).cmp(&first_bytes(other)).then_with(|| one.cmp(other))
}

/// If a name occurs several times, the last datum counts.
impl FromIterator<(Arc<str>, Datum)> for DatumMap {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Datum)>>(data: I) -> Self {
        let mut list: Vec<_> = data.into_iter().collect();
        if !list.is_sorted_by(|one, next| compare_names(&one.0, &next.0) == Ordering::Less) {
            list.sort_by(|one, next| compare_names(&one.0, &next.0));
            list.dedup_by(|next, one| {
                let same = next.0 == one.0;
                if same {
                    std::mem::swap(next, one);
                }
                same
            });
        }
        list.shrink_to_fit();
        Self(list)
    }
}

impl IntoIterator for DatumMap {
    type Item = (Arc<str>, Datum);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'f> IntoIterator for &'f DatumMap {
    type Item = (&'f Arc<str>, &'f Datum);
    type IntoIter = DatumMapIter<'f>;

    fn into_iter(self) -> DatumMapIter<'f> {
        self.iter()
    }
}

impl fmt::Debug for DatumMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
