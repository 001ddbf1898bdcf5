//! A fence around work on what strangers wrote: a panic of ours in it ends that work and nothing
//! else. It comes out as a Problem that says where we were wrong.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Once, OnceLock};

use super::Problem;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What gives back what the program has taken of its surroundings.
static GIVE_BACK: OnceLock<fn()> = OnceLock::new();

/// Says how to give back what a panic would leave taken, should the program have to end inside a fence.
pub fn give_back_with(work: fn()) {
    let _ = GIVE_BACK.set(work);
}

/// The program has to end at once, though a fence stands around the panic: gives back what was taken, and says
/// what the fence has kept quiet about.
pub fn end_inside() -> Option<String> {
    if !is_fenced() {
        return None;
    }
    if let Some(give_back) = GIVE_BACK.get() {
        give_back();
    }
    Some(super::text::clean(&LAST.take()))
}

/// Whether a panic now would be caught by a fence. Whoever has a hook for panics leaves such a one
/// alone: the program goes on.
pub fn is_fenced() -> bool {
    DEPTH.get() > 0
}

/// Does work inside the fence. `doing` completes "… was not to be done". What the work held is let
/// go; what it had changed elsewhere stays, so that it is to change nothing but its own.
pub fn fenced<T>(doing: &str, work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    keep_quiet();
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    DEPTH.set(DEPTH.get() - 1);
    done.unwrap_or_else(|_| {
        let what = super::text::clean(&LAST.take());
        Err(Problem::error("our-mistake", format!("the program went wrong as it {doing}: {what}"))
            .hint("this is a mistake of the program, and no file was changed by it; please report it with this line"))
    })
}

/// A panic inside a fence is told by the fence, and not on a screen that somebody plays on.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !is_fenced() {
                return before(info);
            }
            let payload = info.payload();
            let said = payload.downcast_ref::<&str>().copied();
            let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            let said = said.unwrap_or("it left no word");
            let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
            LAST.set(format!("{said}{}", place.unwrap_or_default()));
        }));
    });
}
