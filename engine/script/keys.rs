//! Keys of tables that were read before: the same few come again and again.

use std::cell::RefCell;
use std::sync::Arc;

/// The most keys that are kept.
const KEYS: usize = 512;

/// Keys that were read before.
pub(crate) struct Keys(RefCell<Vec<Option<Arc<str>>>>);

impl Default for Keys {
    fn default() -> Self {
        Self(RefCell::new(vec![None; KEYS]))
    }
}

impl Keys {
    /// A key. Luau has each text once: where it lies tells where to look, and no more.
    pub(crate) fn key(&self, text: &str) -> Arc<str> {
        let lies = text.as_ptr() as usize;
        let kept = &mut self.0.borrow_mut()[((lies >> 4) ^ (lies >> 13)) % KEYS];
        match kept {
            Some(key) if **key == *text => key.clone(),
            _ => kept.insert(Arc::from(text)).clone(),
        }
    }
}
