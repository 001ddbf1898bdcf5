//! Many runs at once: one VM for each thread, the work handed out piece by piece, the results in
//! the order of the work. What a piece comes to depends on its number and not on who did it.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::watch::Watch;
use crate::kit::Problem;
use crate::script::Vm;

/// Room for scripts that call deeply, as the main thread has it.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// As many threads as this machine runs at once.
pub(super) fn threads_here() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Does some pieces of work that need nothing of one another, as many at once as this machine can.
pub(super) fn each<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<T>>>());
    let next = AtomicUsize::new(0);
    let worker = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= count {
            return;
        }
        let result = work(index);
        keep(&results, |kept| kept[index] = Some(result));
    };
    on_threads(threads_here().min(count), &worker);
    let results = results.into_inner().expect("no thread ended while it held this");
    results.into_iter().map(|result| result.expect("each was done")).collect()
}

/// How many do the work, and how each begins and ends it.
pub(super) struct Hands<'a> {
    /// How many threads.
    pub(super) threads: usize,
    /// Loads a thread's VM.
    pub(super) load: &'a (dyn Fn() -> Result<Vm, Vec<Problem>> + Sync),
    /// Looks at a thread's VM when there is nothing left to do.
    pub(super) leave: &'a (dyn Fn(&Vm) + Sync),
}

/// Does some pieces of work. A piece that was not begun before the work was stopped is `None`.
pub(super) fn crowd<T: Send>(
    hands: &Hands<'_>,
    pieces: Range<usize>,
    watch: &Watch,
    work: &(dyn Fn(Vm, usize) -> (T, Vm) + Sync),
) -> Result<Vec<Option<T>>, Vec<Problem>> {
    let (first, count) = (pieces.start, pieces.len());
    let next = AtomicUsize::new(0);
    let results = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<T>>>());
    let failed = Mutex::new(Vec::new());
    let worker = || {
        let mut vm = match (hands.load)() {
            Ok(vm) => vm,
            Err(problems) => return keep(&failed, |kept| *kept = problems),
        };
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count || watch.stopped() {
                return (hands.leave)(&vm);
            }
            let result;
            (result, vm) = work(vm, first + index);
            keep(&results, |kept| kept[index] = Some(result));
            watch.one_more();
        }
    };
    on_threads(hands.threads.clamp(1, count.max(1)), &worker);
    let failed = failed.into_inner().expect("no thread ended while it held this");
    match failed.is_empty() {
        true => Ok(results.into_inner().expect("no thread ended while it held this")),
        false => Err(failed),
    }
}

fn on_threads(count: usize, worker: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for _ in 0..count {
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            // Where no further thread can be had, those that there are do the work.
            if builder.spawn_scoped(scope, worker).is_err() {
                worker();
                break;
            }
        }
    });
}

fn keep<T>(kept: &Mutex<T>, put: impl FnOnce(&mut T)) {
    put(&mut kept.lock().expect("no thread ended while it held this"));
}
