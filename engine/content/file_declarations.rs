//! The declarations of one file, shared by successive content builders. A reload reads one file and
//! reuses the declarations of all others. Cached check results stay valid as long as the set of
//! kinds and ids is unchanged.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

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
struct CheckedDeclarations {
    inputs: Arc<CheckInputs>,
    definitions: DeclaredDefinitions,
}

/// The definitions by the index of their declaration; `None` for a change that declares nothing.
pub(super) type DeclaredDefinitions = Vec<Option<Arc<Definition>>>;

/// Everything that the check of a declaration depends on, besides the declaration.
#[derive(Debug, PartialEq)]
pub(super) struct CheckInputs {
    kinds: BTreeMap<Arc<str>, Kind>,
    ids: BTreeMap<Arc<str>, Vec<Arc<str>>>,
}

/// The last set of dependencies. It is usually equal, and comparing one shared set is then enough.
static LAST_CHECK_INPUTS: Mutex<Option<Arc<CheckInputs>>> = Mutex::new(None);

impl FileDeclarations {
    /// Creates the declarations of a file, in source order.
    pub fn new(mut changes: Vec<DefinitionChange>) -> Self {
        changes.iter_mut().for_each(case_name::assign_case_id);
        Self { changes, check_cache: Mutex::default() }
    }

    /// The cached definitions, if all were valid and their dependencies are unchanged.
    pub(super) fn cached_definitions(
        &self,
        known: &Arc<CheckInputs>,
    ) -> Option<DeclaredDefinitions> {
        let checked = self.check_cache.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = checked.as_ref().filter(|checked| Arc::ptr_eq(&checked.inputs, known))?;
        Some(checked.definitions.clone())
    }

    /// Caches the definitions. All of them must be valid.
    pub(super) fn store_definitions(
        &self,
        known: &Arc<CheckInputs>,
        definitions: DeclaredDefinitions,
    ) {
        let mut checked = self.check_cache.lock().unwrap_or_else(PoisonError::into_inner);
        *checked = Some(CheckedDeclarations { inputs: known.clone(), definitions });
    }
}

impl CheckInputs {
    /// Returns the dependencies, shared with the previous ones if they are equal.
    pub(super) fn new_shared(kinds: &BTreeMap<Arc<str>, Kind>, ids: &DeclaredIds<'_>) -> Arc<Self> {
        let mut last = LAST_CHECK_INPUTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.is_equal(kinds, ids)) {
            return last.clone();
        }
        let ids = ids.iter().map(|(kind, ids)| (kind.clone(), ids.keys().cloned().collect()));
        let known = Arc::new(Self { kinds: kinds.clone(), ids: ids.collect() });
        *last = Some(known.clone());
        known
    }

    fn is_equal(&self, kinds: &BTreeMap<Arc<str>, Kind>, ids: &DeclaredIds<'_>) -> bool {
        self.ids.len() == ids.len()
            && self
                .ids
                .iter()
                .zip(ids)
                .all(|(own_ids, other)| own_ids.0 == other.0 && own_ids.1.iter().eq(other.1.keys()))
            && self.kinds == *kinds
    }
}
