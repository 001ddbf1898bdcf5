//! Parts: what one file said, in one piece that many drafts share. A reload reads one file anew and
//! has the parts of all the others as they were; what was found out about those (that their
//! declarations fit, and what comes of them) holds as long as the kinds and the ids that there are
//! stay the same, and is not found out again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::change::Change;
use super::check::Ids;
use super::registry::Definition;
use super::schema::Kind;
use super::sentence;

/// What one file said. A part belongs to one text of one file.
#[derive(Debug, Default)]
pub struct Part {
    pub(super) changes: Vec<Change>,
    checked: Mutex<Option<Checked>>,
}

/// What came of the declarations of a part.
#[derive(Debug)]
struct Checked {
    against: Arc<Known>,
    definitions: Made,
}

/// Definitions as they were declared, by the number of the declaration; none for what is no
/// declaration.
pub(super) type Made = Vec<Option<Arc<Definition>>>;

/// All that the fit of a declaration depends on, beside itself.
#[derive(Debug, PartialEq)]
pub(super) struct Known {
    kinds: BTreeMap<Arc<str>, Kind>,
    ids: BTreeMap<Arc<str>, Vec<Arc<str>>>,
}

/// What was known last: mostly it is the same again, and then it is enough to see that it is.
static LAST: Mutex<Option<Arc<Known>>> = Mutex::new(None);

impl Part {
    /// What a file said, in the order that it said it in.
    pub fn new(mut changes: Vec<Change>) -> Self {
        changes.iter_mut().for_each(sentence::settle);
        Self { changes, checked: Mutex::default() }
    }

    /// What came of the declarations, if they fit and nothing that this depends on has changed.
    pub(super) fn made(&self, known: &Arc<Known>) -> Option<Made> {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = checked.as_ref().filter(|checked| Arc::ptr_eq(&checked.against, known))?;
        Some(checked.definitions.clone())
    }

    /// Keeps what came of the declarations. Nothing was wrong with any of them.
    pub(super) fn keep(&self, known: &Arc<Known>, definitions: Made) {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        *checked = Some(Checked { against: known.clone(), definitions });
    }
}

impl Known {
    /// What is known; the same one as last if it is equal to that.
    pub(super) fn of(kinds: &BTreeMap<Arc<str>, Kind>, ids: &Ids<'_>) -> Arc<Self> {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.is(kinds, ids)) {
            return last.clone();
        }
        let ids = ids.iter().map(|(kind, ids)| (kind.clone(), ids.keys().cloned().collect()));
        let known = Arc::new(Self { kinds: kinds.clone(), ids: ids.collect() });
        *last = Some(known.clone());
        known
    }

    fn is(&self, kinds: &BTreeMap<Arc<str>, Kind>, ids: &Ids<'_>) -> bool {
        self.ids.len() == ids.len()
            && self
                .ids
                .iter()
                .zip(ids)
                .all(|(mine, other)| mine.0 == other.0 && mine.1.iter().eq(other.1.keys()))
            && self.kinds == *kinds
    }
}
