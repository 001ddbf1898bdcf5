//! Runs work on several threads: one VM per thread, the work split into pieces, the results in the
//! order of the pieces. The result of a piece depends on its number, not on the thread.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::progress::Progress;
use base::Problem;
use script::Vm;

/// Stack size of a worker thread, as large as the main thread's.
pub const THREAD_STACK_BYTES: usize = 8 * 1024 * 1024;

/// The number of threads that this machine runs at once.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Runs independent pieces of work in parallel and returns their results in order.
pub(super) fn map_in_parallel<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<T>>>());
    let next = AtomicUsize::new(0);
    let worker = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= count {
            return;
        }
        let result = work(index);
        lock_and_update(&results, |kept| kept[index] = Some(result));
    };
    run_on_threads(available_threads().min(count), &worker);
    let results = results.into_inner().expect("no thread ended while it held this");
    results.into_iter().map(|result| result.expect("each was done")).collect()
}

/// The number of threads, and what each does at its start and end.
pub struct WorkerSetup<'a> {
    /// The number of threads.
    pub thread_count: usize,
    /// Loads the VM of a thread.
    pub load_vm: &'a (dyn Fn() -> Result<Vm, Vec<Problem>> + Sync),
    /// Called with a thread's VM when no work is left.
    pub on_finish: &'a (dyn Fn(&Vm) + Sync),
}

/// Runs pieces of work in parallel. A piece that was not started before a stop is `None`.
pub fn run_pieces_in_parallel<T: Send>(
    workers: &WorkerSetup<'_>,
    pieces: Range<usize>,
    progress: &Progress,
    work: &(dyn Fn(Vm, usize) -> (T, Vm) + Sync),
) -> Result<Vec<Option<T>>, Vec<Problem>> {
    let (first, count) = (pieces.start, pieces.len());
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<T>>>());
    let failed = Mutex::new(Vec::new());
    let worker = || {
        let mut vm = match (workers.load_vm)() {
            Ok(vm) => vm,
            Err(problems) => return lock_and_update(&failed, |kept| *kept = problems),
        };
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count || progress.is_stopped() {
                return (workers.on_finish)(&vm);
            }
            let result;
            (result, vm) = work(vm, first + index);
            lock_and_update(&results, |kept| kept[index] = Some(result));
            progress.count_finished_piece();
        }
    };
    run_on_threads(workers.thread_count.clamp(1, count.max(1)), &worker);
    let failed = failed.into_inner().expect("no thread ended while it held this");
    match failed.is_empty() {
        true => Ok(results.into_inner().expect("no thread ended while it held this")),
        false => Err(failed),
    }
}

fn run_on_threads(count: usize, worker: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 0..count {
            let builder = thread::Builder::new().stack_size(THREAD_STACK_BYTES);
            // If no further thread can be started, the existing ones do the work.
            if builder.spawn_scoped(scope, worker).is_err() {
                worker();
                break;
            }
        }
    });
}

fn lock_and_update<T>(mutex: &Mutex<T>, update: impl FnOnce(&mut T)) {
    update(&mut mutex.lock().expect("no thread ended while it held this"));
}
