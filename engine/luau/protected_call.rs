//! Protected calls without the two closures that mlua allocates for each call. One function,
//! created once, runs the pending work.

use std::cell::{Cell, OnceCell};
use std::ffi::c_void;

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua};

use super::function::create_stack_function;
use super::stack::{Stack, StackIndex};

/// The function that runs the pending work; created on first use.
#[derive(Default)]
pub struct ProtectedCaller(OnceCell<Function>);

/// Work to run in a protected call: a function and its argument.
#[derive(Clone, Copy)]
struct PendingWork {
    work: fn(*mut c_void, Stack<'_>),
    argument: *mut c_void,
}

thread_local! {
    /// The next work to run. `run_pending` takes it at once.
    static PENDING_WORK: Cell<Option<PendingWork>> = const { Cell::new(None) };
}

impl ProtectedCaller {
    /// Runs `work` with the bare stack in a protected call. The stack holds the arguments; what is
    /// on it at the end is the result.
    pub fn call_protected<R: FromLuaMulti>(
        &self,
        lua: &Lua,
        arguments: impl IntoLuaMulti,
        work: impl FnOnce(Stack<'_>),
    ) -> mlua::Result<R> {
        if self.0.get().is_none() {
            let function = create_stack_function(lua, None, (), run_pending)?;
            assert!(self.0.set(function).is_ok(), "no other code creates it");
        }
        let mut work = Some(work);
        PENDING_WORK
            .set(Some(PendingWork { work: work_runner(&work), argument: (&raw mut work).cast() }));
        let outcome = self.0.get().expect("created above").call(arguments);
        PENDING_WORK.set(None);
        outcome
    }
}

/// Returns the function that takes the work out of its slot and runs it.
fn work_runner<F: FnOnce(Stack<'_>)>(_: &Option<F>) -> fn(*mut c_void, Stack<'_>) {
    |argument, stack| {
        // SAFETY: the pointer comes from this call's own `PendingWork`. It points to the work,
        // which lives in `run` until the call ends.
        let work = unsafe { (*argument.cast::<Option<F>>()).take() };
        if let Some(work) = work {
            work(stack);
        }
    }
}

fn run_pending(stack: Stack<'_>) -> Result<StackIndex, super::CallError> {
    if let Some(PendingWork { work, argument: work_argument }) = PENDING_WORK.take() {
        work(work_argument, stack);
    }
    Ok(stack.top())
}
