//! What files compile to, kept for as long as the program runs: a VM is built again for each thread
//! of a simulation, at each reload and wherever one had to be thrown away, mostly from the same
//! texts. Compiling is a function of the text alone, so that it matters to nobody who did it first.
//!
//! Only what was compiled here is ever loaded: bytecode from elsewhere could break the VM.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::sandbox;

/// Most bytes of texts and of what they compile to that are kept; a new beginning is made after them.
const MOST: usize = 12 * 1024 * 1024;

/// Fewer new texts than these are compiled when it is their turn.
const FEW: usize = 8;

/// What is kept.
static KEPT: Mutex<Kept> = Mutex::new(Kept { by_text: BTreeMap::new(), bytes: 0 });

struct Kept {
    by_text: BTreeMap<Arc<str>, Arc<[u8]>>,
    bytes: usize,
}

/// What a text compiles to; `None` if it does not.
pub(super) fn of(text: &Arc<str>) -> Option<Arc<[u8]>> {
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = kept().by_text.get(text) {
        return Some(code.clone());
    }
    // Others may go on while this one is compiled.
    let code: Arc<[u8]> = sandbox::compiler().compile(text.as_bytes()).ok()?.into();
    let mut kept = kept();
    let bytes = text.len() + code.len();
    if kept.bytes + bytes > MOST {
        *kept = Kept { by_text: BTreeMap::new(), bytes: 0 };
    }
    if kept.by_text.insert(text.clone(), code.clone()).is_none() {
        kept.bytes += bytes;
    }
    Some(code)
}

/// Does some work while texts that will be wanted are compiled on another thread, the last first: the
/// work itself compiles what it comes to before that. Who was quicker matters to nobody.
pub(super) fn ahead<R>(texts: Vec<Arc<str>>, work: impl FnOnce() -> R) -> R {
    let mut missing = texts;
    {
        let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        missing.retain(|text| !kept.by_text.contains_key(text));
    }
    if missing.len() < FEW {
        return work();
    }
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let compile = || {
            let next = missing.iter().rev().take_while(|_| !over.load(Ordering::Relaxed));
            next.for_each(|text| drop(of(text)));
        };
        // Without another thread it takes longer and comes to the same.
        let _ = thread::Builder::new().spawn_scoped(scope, compile);
        let done = work();
        over.store(true, Ordering::Relaxed);
        done
    })
}
