//! Keys of tables that were read before: the same few come again and again.

use std::cell::RefCell;
use std::sync::Arc;

/// The most keys that are kept.
const MAX_CACHED_KEYS: usize = 512;

/// Keys that were read before.
pub(crate) struct KeyCache(RefCell<Vec<Option<Arc<str>>>>);

impl Default for KeyCache {
    fn default() -> Self {
        Self(RefCell::new(vec![None; MAX_CACHED_KEYS]))
    }
}

impl KeyCache {
    /// A key. Luau has each text once: where it lies tells where to look, and no more.
    pub(crate) fn intern_key(&self, text: &str) -> Arc<str> {
        let lies = text.as_ptr() as usize;
        let slot = &mut self.0.borrow_mut()[((lies >> 4) ^ (lies >> 13)) % MAX_CACHED_KEYS];
        match slot {
            Some(key) if **key == *text => key.clone(),
            _ => slot.insert(Arc::from(text)).clone(),
        }
    }
}
