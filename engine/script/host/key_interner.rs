//! Caches the keys of tables, because scripts read the same few keys again and again.

use std::cell::RefCell;
use std::sync::Arc;

/// Maximum number of cached keys.
const MAX_CACHED_KEYS: usize = 512;

/// The cached keys.
pub(crate) struct KeyInterner(RefCell<Vec<Option<Arc<str>>>>);

impl Default for KeyInterner {
    fn default() -> Self {
        Self(RefCell::new(vec![None; MAX_CACHED_KEYS]))
    }
}

impl KeyInterner {
    /// Returns the shared copy of a key. Luau interns texts, so the address selects the slot; it
    /// does not affect the result.
    pub(crate) fn intern_key(&self, text: &str) -> Arc<str> {
        let lies = text.as_ptr() as usize;
        let slot = &mut self.0.borrow_mut()[((lies >> 4) ^ (lies >> 13)) % MAX_CACHED_KEYS];
        match slot {
            Some(key) if **key == *text => key.clone(),
            _ => slot.insert(Arc::from(text)).clone(),
        }
    }
}
