//! Protected calls that leave nothing behind: mlua's own make two functions for each, which are garbage
//! at once. Here one function, made once, goes on to whatever is to be done.

use std::cell::{Cell, OnceCell};
use std::ffi::c_void;

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua};

use super::function::make;
use super::stack::{At, Stack};

/// The function that goes on, once it was made.
#[derive(Default)]
pub(crate) struct Protected(OnceCell<Function>);

/// What is to be done: a function of ours, and what it is handed.
#[derive(Clone, Copy)]
struct Task {
    work: fn(*mut c_void, Stack<'_>),
    with: *mut c_void,
}

thread_local! {
    /// What is to be done next: it is taken at once by the function that goes on.
    static TASK: Cell<Option<Task>> = const { Cell::new(None) };
}

impl Protected {
    /// Does something with the bare stack in a protected call: it holds the arguments, and what lies on
    /// it in the end is the result.
    pub(crate) fn run<R: FromLuaMulti>(
        &self,
        lua: &Lua,
        arguments: impl IntoLuaMulti,
        work: impl FnOnce(Stack<'_>),
    ) -> mlua::Result<R> {
        if self.0.get().is_none() {
            let function = make(lua, None, (), go_on)?;
            assert!(self.0.set(function).is_ok(), "nobody made one meanwhile");
        }
        let mut work = Some(work);
        TASK.set(Some(Task { work: work_of(&work), with: (&raw mut work).cast() }));
        let outcome = self.0.get().expect("it was made above").call(arguments);
        TASK.set(None);
        outcome
    }
}

/// What takes a piece of work out and does it.
fn work_of<F: FnOnce(Stack<'_>)>(_: &Option<F>) -> fn(*mut c_void, Stack<'_>) {
    |with, stack| {
        // SAFETY: it is handed what lies in its own task, which is the work itself, and that waits in
        // `run` until the call is over.
        let work = unsafe { (*with.cast::<Option<F>>()).take() };
        if let Some(work) = work {
            work(stack);
        }
    }
}

fn go_on(stack: Stack<'_>) -> Result<At, super::Fault> {
    if let Some(Task { work, with }) = TASK.take() {
        work(with, stack);
    }
    Ok(stack.top())
}
