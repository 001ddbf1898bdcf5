//! What files compile to, kept for as long as the program runs: a VM is built again for each thread
//! of a simulation, at each reload and wherever one had to be thrown away, mostly from the same
//! texts. Compiling is a function of the text alone, so that it matters to nobody who did it first.
//!
//! What came into the program compiled (`engine/build.rs`) is not compiled again. Nothing else is ever
//! loaded but what was compiled here: bytecode from elsewhere could break the VM.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::code::bounded;
use super::compiler::compiler;
use crate::kit::FileText;
use crate::mods;

/// Most bytes of texts and of what they compile to that are kept; a new beginning is made after them.
const MOST: usize = 12 * 1024 * 1024;

/// Fewer new texts than these are compiled when it is their turn.
const FEW: usize = 8;

static KEPT: Mutex<Kept> = Mutex::new(Kept { by_text: BTreeMap::new(), bytes: 0 });

struct Kept {
    by_text: BTreeMap<FileText, Arc<[u8]>>,
    bytes: usize,
}

/// Texts that will be wanted, in the order that they will be, and who is at which.
struct Queue {
    texts: Vec<FileText>,
    at: Mutex<Vec<Stand>>,
    /// Rung whenever one is done.
    bell: Condvar,
}

/// How far a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Waits,
    Begun,
    Done,
}

thread_local! {
    /// The texts that another thread is at, for the work that goes on here.
    static AHEAD: RefCell<Option<Arc<Queue>>> = const { RefCell::new(None) };
}

impl Queue {
    fn new(texts: Vec<FileText>) -> Self {
        let at = Mutex::new(vec![Stand::Waits; texts.len()]);
        Self { texts, at, bell: Condvar::new() }
    }

    fn stands(&self) -> MutexGuard<'_, Vec<Stand>> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a text that waits: the first, or the last.
    fn take(&self, first: bool) -> Option<usize> {
        let mut stands = self.stands();
        let waits = |stand: &Stand| *stand == Stand::Waits;
        let at =
            if first { stands.iter().position(waits) } else { stands.iter().rposition(waits) }?;
        stands[at] = Stand::Begun;
        Some(at)
    }

    fn compile(&self, at: usize) {
        compiled(&self.texts[at]);
        self.stands()[at] = Stand::Done;
        self.bell.notify_all();
    }

    /// Returns when a text was compiled. While another thread is at it, one of the last is compiled here.
    fn await_or_help(&self, text: &FileText) {
        let Some(at) = self.texts.iter().position(|other| other.is(text)) else { return };
        loop {
            let mut stands = self.stands();
            match stands[at] {
                Stand::Done => return,
                Stand::Waits => {
                    stands[at] = Stand::Begun;
                    drop(stands);
                    return self.compile(at);
                }
                Stand::Begun => drop(stands),
            }
            match self.take(false) {
                Some(last) => self.compile(last),
                None => {
                    let stands = self.stands();
                    if stands[at] != Stand::Done {
                        drop(self.bell.wait(stands));
                    }
                }
            }
        }
    }
}

/// What a text compiled to.
pub(super) enum Code {
    /// When the program was built.
    Built(&'static [u8]),
    /// Since it runs.
    Kept(Arc<[u8]>),
}

impl Deref for Code {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Built(code) => code,
            Self::Kept(code) => code,
        }
    }
}

/// What a text compiles to, with its bounds in it; `None` if it does not, or is too large to be bounded.
pub(super) fn of(text: &FileText) -> Option<Code> {
    if let Some(code) = mods::compiled(text) {
        return Some(Code::Built(code));
    }
    let ahead = AHEAD.with_borrow(Option::clone);
    if let Some(queue) = ahead {
        queue.await_or_help(text);
    }
    compiled(text).map(Code::Kept)
}

fn compiled(text: &FileText) -> Option<Arc<[u8]>> {
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = kept().by_text.get(text) {
        return Some(code.clone());
    }
    // Others may go on while this one is compiled.
    let code = compiler().compile(text.as_bytes()).ok()?;
    let code: Arc<[u8]> = bounded(&code)?.into();
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

/// Does some work while texts that it will want, in this order, are compiled on another thread. Where the
/// work comes to a text that is not there yet, it helps with the last ones until it is. Who was
/// quicker matters to nobody.
pub(super) fn ahead<R>(texts: Vec<FileText>, work: impl FnOnce() -> R) -> R {
    let mut missing = texts;
    {
        let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        missing.retain(|text| mods::compiled(text).is_none() && !kept.by_text.contains_key(text));
    }
    if missing.len() < FEW {
        return work();
    }
    let queue = Arc::new(Queue::new(missing));
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let compile = || {
            while !over.load(Ordering::Relaxed)
                && let Some(next) = queue.take(true)
            {
                queue.compile(next);
            }
        };
        // Without another thread it takes longer and comes to the same.
        let _ = thread::Builder::new().spawn_scoped(scope, compile);
        AHEAD.set(Some(queue.clone()));
        let done = work();
        AHEAD.set(None);
        over.store(true, Ordering::Relaxed);
        done
    })
}
