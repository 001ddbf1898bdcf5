//! The declarations of one file, shared by successive content builders. A reload reads one file and
//! reuses the declarations of all others. Cached check results stay valid as long as the kinds are
//! unchanged, and each definition that was looked for is still there, or still is not.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::case_name;
use super::datum_checker::DeclaredIds;
use super::definition_change::DefinitionChange;
use super::registry::Definition;
use super::schema::Kind;

/// The declarations of one file, for one version of its text.
#[derive(Debug, Default)]
pub struct FileDeclarations {
    pub(super) changes: Vec<DefinitionChange>,
    check_cache: Mutex<Option<CheckedDeclarations>>,
}

/// The checked declarations of a file.
#[derive(Debug)]
pub(super) struct CheckedDeclarations {
    pub(super) kinds: Arc<KindsByName>,
    /// What the check looked for.
    pub(super) lookups: Vec<DefinitionLookup>,
    pub(super) definitions: DeclaredDefinitions,
}

/// A definition that a check looked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DefinitionLookup {
    pub(super) kind: Arc<str>,
    pub(super) id: Arc<str>,
    pub(super) was_found: bool,
}

/// The definitions by the index of their declaration; `None` for a change that declares nothing.
pub(super) type DeclaredDefinitions = Vec<Option<Arc<Definition>>>;

/// All kinds.
pub(super) type KindsByName = BTreeMap<Arc<str>, Kind>;

/// The maximum number of sets of kinds that are remembered: several games may be checked at once.
const MAX_SHARED_KINDS: usize = 8;

/// The last sets of kinds that a cached check uses, newest first. They are usually equal, and
/// comparing one shared set is then enough for all files.
static LAST_KINDS: Mutex<Vec<Weak<KindsByName>>> = Mutex::new(Vec::new());

/// Returns the kinds, shared with previous ones if they are equal.
pub(super) fn share_kinds(kinds: &KindsByName) -> Arc<KindsByName> {
    let mut last = LAST_KINDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(equal) = last.iter().filter_map(Weak::upgrade).find(|last| **last == *kinds) {
        return equal;
    }
    let shared = Arc::new(kinds.clone());
    last.insert(0, Arc::downgrade(&shared));
    last.truncate(MAX_SHARED_KINDS);
    shared
}

impl FileDeclarations {
    /// Creates the declarations of a file, in source order.
    pub fn new(mut changes: Vec<DefinitionChange>) -> Self {
        changes.iter_mut().for_each(case_name::assign_case_id);
        Self { changes, check_cache: Mutex::default() }
    }

    /// The cached definitions, if all were valid and their dependencies are unchanged.
    pub(super) fn cached_definitions(
        &self,
        kinds: &Arc<KindsByName>,
        ids: &DeclaredIds<'_>,
    ) -> Option<DeclaredDefinitions> {
        let checked = self.check_cache.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = checked.as_ref().filter(|checked| Arc::ptr_eq(&checked.kinds, kinds))?;
        let is_unchanged = |lookup: &DefinitionLookup| {
            let is_found = ids.get(&lookup.kind).is_some_and(|ids| ids.contains_key(&lookup.id));
            is_found == lookup.was_found
        };
        checked.lookups.iter().all(is_unchanged).then(|| checked.definitions.clone())
    }

    /// Caches the definitions. All of them must be valid.
    pub(super) fn store_definitions(&self, mut checked: CheckedDeclarations) {
        checked.lookups.sort_unstable();
        checked.lookups.dedup();
        *self.check_cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(checked);
    }
}
