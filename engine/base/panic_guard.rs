//! Catches panics around work on input from mods and files. A panic in the engine ends only that
//! work and is returned as a Problem with the source position of the panic.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Once, OnceLock};

use super::{Code, Problem};

thread_local! {
    static GUARD_DEPTH: Cell<u32> = const { Cell::new(0) };
    static LAST_PANIC_MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Restores the environment, such as the terminal, before the process exits.
static TERMINAL_RESTORE_HOOK: OnceLock<fn()> = OnceLock::new();

/// Registers the function that restores the environment when the process must exit inside guarded
/// work.
pub fn set_terminal_restore_hook(work: fn()) {
    let _ = TERMINAL_RESTORE_HOOK.set(work);
}

/// For an exit inside guarded work: restores the environment and returns the panic message that the
/// guard had silenced.
pub fn restore_terminal_and_take_panic_message() -> Option<String> {
    if !is_guarded() {
        return None;
    }
    if let Some(restore) = TERMINAL_RESTORE_HOOK.get() {
        restore();
    }
    Some(super::text::strip_unprintable(&LAST_PANIC_MESSAGE.take()))
}

/// Whether a panic now would be caught by [`catch_panics`]. A panic hook must then do nothing,
/// because the program continues.
pub fn is_guarded() -> bool {
    GUARD_DEPTH.get() > 0
}

/// Runs work and converts a panic into a Problem. `doing` completes the sentence "the program
/// panicked while it …". Values owned by the work are dropped; changes it made elsewhere stay, so
/// the work must only change what it owns.
pub fn catch_panics<T>(
    doing: &str,
    work: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, Problem> {
    silence_guarded_panics();
    GUARD_DEPTH.set(GUARD_DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(work));
    GUARD_DEPTH.set(GUARD_DEPTH.get() - 1);
    done.unwrap_or_else(|_| {
        let what = super::text::strip_unprintable(&LAST_PANIC_MESSAGE.take());
        Err(Problem::error(
            Code::EngineBug,
            format!("the program panicked while it {doing}: {what}"),
        )
        .hint("this is a bug in the program; no file was changed; please report it with this line"))
    })
}

/// Installs a panic hook that silences guarded panics, so that they do not write over the screen.
fn silence_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !is_guarded() {
                return before(info);
            }
            let payload = info.payload();
            let message = payload.downcast_ref::<&str>().copied();
            let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            let message = message.unwrap_or("no message");
            let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
            LAST_PANIC_MESSAGE.set(format!("{message}{}", place.unwrap_or_default()));
        }));
    });
}
