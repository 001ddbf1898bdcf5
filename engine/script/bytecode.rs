//! Cache of compiled files for the lifetime of the program. A VM is rebuilt for each simulation
//! thread, at each reload and after a discarded VM, mostly from the same texts. The result of
//! compiling depends only on the text, so it does not matter who compiles first.
//!
//! Files that were compiled at build time (`engine/build.rs`) are not compiled again. Only bytecode
//! that was compiled here is ever loaded: other bytecode could break the VM.

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

/// Maximum bytes of cached texts and bytecode. When it is exceeded, the cache is emptied.
const MOST: usize = 12 * 1024 * 1024;

/// With fewer new texts than this, each is compiled when it is needed.
const FEW: usize = 8;

static KEPT: Mutex<Kept> = Mutex::new(Kept { by_text: BTreeMap::new(), bytes: 0 });

struct Kept {
    by_text: BTreeMap<FileText, Arc<[u8]>>,
    bytes: usize,
}

/// Texts that will be needed, in that order, with their state.
struct Queue {
    texts: Vec<FileText>,
    at: Mutex<Vec<Stand>>,
    /// Notified whenever a text is done.
    bell: Condvar,
}

/// The state of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Waits,
    Begun,
    Done,
}

thread_local! {
    /// The queue of the background thread that serves this thread.
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

    /// Takes a pending text: the first, or the last.
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

    /// Returns when a text is compiled. While another thread compiles it, this thread compiles from
    /// the end of the queue.
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

/// The bytecode of a text.
pub(super) enum Code {
    /// Compiled at build time.
    Built(&'static [u8]),
    /// Compiled since the program started.
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

/// The bytecode of a text, with its runtime limits inserted. `None` if it does not compile or is
/// too large for them.
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
    // The lock is free while this text compiles.
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

/// Runs `work` while another thread compiles the texts that it will need, in this order. When
/// `work` reaches a text that is not ready, it helps from the end of the queue. The result does not
/// depend on which thread is faster.
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
        // Without the thread it takes longer; the result is the same.
        let _ = thread::Builder::new().spawn_scoped(scope, compile);
        AHEAD.set(Some(queue.clone()));
        let done = work();
        AHEAD.set(None);
        over.store(true, Ordering::Relaxed);
        done
    })
}
