//! Cache of compiled files for the lifetime of the program. A VM is rebuilt for each simulation
//! thread, at each reload and after a discarded VM, mostly from the same texts. The result of
//! compiling depends only on the text, so it does not matter who compiles first.
//!
//! Files that were compiled at build time (`engine/app/build.rs`) are not compiled again. Only bytecode
//! that was compiled here is ever loaded: other bytecode could break the VM.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::bytecode::insert_charges_and_guards;
use super::compiler_options::create_compiler;
use base::FileText;

/// Maximum bytes of cached texts and bytecode. When it is exceeded, the cache is emptied.
const MAX_CACHED_BYTECODE_BYTES: usize = 12 * 1024 * 1024;

/// With fewer new texts than this, each is compiled when it is needed.
const MIN_PARALLEL_FILES: usize = 8;

static COMPILE_CACHE: Mutex<CompileCache> =
    Mutex::new(CompileCache { by_text: BTreeMap::new(), cached_bytes: 0 });

struct CompileCache {
    by_text: BTreeMap<FileText, Arc<[u8]>>,
    cached_bytes: usize,
}

/// Texts that will be needed, in that order, with their state.
struct CompileQueue {
    texts: Vec<FileText>,
    compile_states: Mutex<Vec<CompileState>>,
    /// Notified whenever a text is done.
    text_compiled: Condvar,
}

/// The state of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CompileState {
    Pending,
    Running,
    Done,
}

thread_local! {
    /// The queue of the background thread that serves this thread.
    static COMPILE_QUEUE: RefCell<Option<Arc<CompileQueue>>> = const { RefCell::new(None) };
}

impl CompileQueue {
    fn new(texts: Vec<FileText>) -> Self {
        let initial_states = Mutex::new(vec![CompileState::Pending; texts.len()]);
        Self { texts, compile_states: initial_states, text_compiled: Condvar::new() }
    }

    fn lock_states(&self) -> MutexGuard<'_, Vec<CompileState>> {
        self.compile_states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a pending text: the first, or the last.
    fn take_pending_file(&self, from_front: bool) -> Option<usize> {
        let mut states = self.lock_states();
        let is_pending = |state: &CompileState| *state == CompileState::Pending;
        let index = if from_front {
            states.iter().position(is_pending)
        } else {
            states.iter().rposition(is_pending)
        }?;
        states[index] = CompileState::Running;
        Some(index)
    }

    fn compile_file(&self, index: usize) {
        compile_cached(&self.texts[index]);
        self.lock_states()[index] = CompileState::Done;
        self.text_compiled.notify_all();
    }

    /// Returns when a text is compiled. While another thread compiles it, this thread compiles from
    /// the end of the queue.
    fn wait_or_help_compile(&self, text: &FileText) {
        let Some(index) = self.texts.iter().position(|other| other.shares_buffer_with(text)) else {
            return;
        };
        loop {
            let mut states = self.lock_states();
            match states[index] {
                CompileState::Done => return,
                CompileState::Pending => {
                    states[index] = CompileState::Running;
                    drop(states);
                    return self.compile_file(index);
                }
                CompileState::Running => drop(states),
            }
            match self.take_pending_file(false) {
                Some(last_pending) => self.compile_file(last_pending),
                None => {
                    let states = self.lock_states();
                    if states[index] != CompileState::Done {
                        drop(self.text_compiled.wait(states));
                    }
                }
            }
        }
    }
}

/// The bytecode of a text.
pub(crate) enum Bytecode {
    /// Compiled at build time.
    Embedded(&'static [u8]),
    /// Compiled since the program started.
    Cached(Arc<[u8]>),
}

impl Deref for Bytecode {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Embedded(bytecode) => bytecode,
            Self::Cached(bytecode) => bytecode,
        }
    }
}

/// The bytecode of a text, with its runtime limits inserted. `None` if it does not compile or is
/// too large for them.
pub(crate) fn bytecode_of(text: &FileText) -> Option<Bytecode> {
    if let Some(bytecode) = mods::find_bytecode(text) {
        return Some(Bytecode::Embedded(bytecode));
    }
    let current_queue = COMPILE_QUEUE.with_borrow(Option::clone);
    if let Some(queue) = current_queue {
        queue.wait_or_help_compile(text);
    }
    compile_cached(text).map(Bytecode::Cached)
}

fn compile_cached(text: &FileText) -> Option<Arc<[u8]>> {
    let lock_cache = || COMPILE_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytecode) = lock_cache().by_text.get(text) {
        return Some(bytecode.clone());
    }
    // The lock is free while this text compiles.
    let bytecode = create_compiler().compile(text.as_bytes()).ok()?;
    let bytecode: Arc<[u8]> = insert_charges_and_guards(&bytecode)?.into();
    let mut cache = lock_cache();
    let bytes = text.len() + bytecode.len();
    if cache.cached_bytes + bytes > MAX_CACHED_BYTECODE_BYTES {
        *cache = CompileCache { by_text: BTreeMap::new(), cached_bytes: 0 };
    }
    if cache.by_text.insert(text.clone(), bytecode.clone()).is_none() {
        cache.cached_bytes += bytes;
    }
    Some(bytecode)
}

/// Runs `work` while another thread compiles the texts that it will need, in this order. When
/// `work` reaches a text that is not ready, it helps from the end of the queue. The result does not
/// depend on which thread is faster.
pub(crate) fn compile_ahead<R>(texts: Vec<FileText>, work: impl FnOnce() -> R) -> R {
    let mut uncompiled_texts = texts;
    {
        let cache = COMPILE_CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        uncompiled_texts.retain(|text| {
            mods::find_bytecode(text).is_none() && !cache.by_text.contains_key(text)
        });
    }
    if uncompiled_texts.len() < MIN_PARALLEL_FILES {
        return work();
    }
    let queue = Arc::new(CompileQueue::new(uncompiled_texts));
    let is_finished = AtomicBool::new(false);
    thread::scope(|scope| {
        let compile_pending = || {
            while !is_finished.load(Ordering::Relaxed)
                && let Some(index) = queue.take_pending_file(true)
            {
                queue.compile_file(index);
            }
        };
        // Without the thread it takes longer; the result is the same.
        let _ = thread::Builder::new().spawn_scoped(scope, compile_pending);
        COMPILE_QUEUE.set(Some(queue.clone()));
        let result = work();
        COMPILE_QUEUE.set(None);
        is_finished.store(true, Ordering::Relaxed);
        result
    })
}
