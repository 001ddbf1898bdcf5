//! Rust functions that Luau calls, all through one trampoline.
//!
//! The trampoline hands the stack to the body. It drops everything before it raises an error, in
//! one place. A panic aborts the program: it must not cross Luau's frames, which do not expect it.

use std::ffi::{CStr, c_int, c_void};
use std::io::Write;

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua, MultiValue, Value, WeakLua, ffi};

use super::read::Odd;
use super::stack::{At, Stack};
use crate::kit::{Problem, fence, limits, meter};

/// Why a host function failed.
pub(crate) enum Fault {
    /// A caught error is on top of the stack and is raised again.
    OnTop,
    /// An error from Rust.
    Error(mlua::Error),
}

impl From<mlua::Error> for Fault {
    fn from(error: mlua::Error) -> Self {
        Self::Error(error)
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::Error(problem.into())
    }
}

impl From<Fault> for Odd {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Error(error) => Self::Raised(error),
            Fault::OnTop => Self::Is("refused"),
        }
    }
}

impl From<Problem> for mlua::Error {
    fn from(problem: Problem) -> Self {
        Self::external(problem)
    }
}

/// The data of a host function.
struct Bound<F> {
    lua: WeakLua,
    body: F,
}

/// Creates a Luau function from a body. `with` are Luau values that the body finds at
/// `stack::upvalue_index(1)` and following. `name` is the debug name.
pub(crate) fn make<F>(
    lua: &Lua,
    name: Option<&'static CStr>,
    with: impl IntoLuaMulti,
    body: F,
) -> mlua::Result<Function>
where
    F: Fn(Stack<'_>) -> Result<At, Fault> + 'static,
{
    const { assert!(align_of::<Bound<F>>() <= 8, "Luau aligns userdata to eight bytes") }
    let name = name.map_or(std::ptr::null(), CStr::as_ptr);
    let bound = Bound { lua: lua.weak(), body };
    // SAFETY: the pushed values have room. The data is written before anyone can read it, and it
    // stays in place until Luau frees and drops it.
    unsafe {
        lua.exec_raw(with, |state| {
            let with = ffi::lua_gettop(state);
            ffi::lua_rawcheckstack(state, 2);
            let kept = ffi::lua_newuserdatadtor(state, size_of::<Bound<F>>(), let_go::<F>);
            kept.cast::<Bound<F>>().write(bound);
            ffi::lua_insert(state, 1);
            ffi::lua_pushcclosured(state, trampoline::<F>, name, with + 1);
        })
    }
}

/// Creates a Luau function from a Rust function with mlua argument and result types.
pub(crate) fn function<A, R, F>(lua: &Lua, work: F) -> mlua::Result<Function>
where
    A: FromLuaMulti,
    R: IntoLuaMulti,
    F: Fn(&Lua, A) -> mlua::Result<R> + 'static,
{
    let weak = lua.weak();
    make(lua, None, (), move |stack| {
        let lua = weak.upgrade();
        let given = stack.take_all::<A>(&lua)?;
        Ok(stack.push_all(&lua, work(&lua, given)?)?)
    })
}

/// Like `typed_function`, for a lookup whose result Luau then finds by itself. A successful lookup
/// costs no fuel, because another VM may have made it earlier.
pub(crate) fn lookup<A, R, F>(lua: &Lua, work: F) -> mlua::Result<Function>
where
    A: FromLuaMulti,
    R: IntoLuaMulti,
    F: Fn(&Lua, A) -> mlua::Result<R> + 'static,
{
    let weak = lua.weak();
    make(lua, None, (), move |stack| {
        let left = meter::left();
        let lua = weak.upgrade();
        let given = stack.take_all::<A>(&lua)?;
        let count = stack.push_all(&lua, work(&lua, given)?)?;
        meter::set_left(left);
        Ok(count)
    })
}

impl Stack<'_> {
    /// All arguments of a call as mlua values.
    fn take_all<A: FromLuaMulti>(self, lua: &Lua) -> mlua::Result<A> {
        let values = (1..=self.top()).map(|at| self.take(lua, at));
        A::from_lua_multi(values.collect::<mlua::Result<MultiValue>>()?, lua)
    }
}

unsafe extern "C" fn let_go<F>(_: *mut ffi::lua_State, kept: *mut c_void) {
    // SAFETY: Luau calls this once for each userdata created above, before it frees the memory.
    unsafe { kept.cast::<Bound<F>>().drop_in_place() }
}

unsafe extern "C-unwind" fn trampoline<F>(state: *mut ffi::lua_State) -> c_int
where
    F: Fn(Stack<'_>) -> Result<At, Fault>,
{
    let guard = NoPanic;
    // SAFETY: Luau calls this with a live state, in a protected call, and only for functions whose
    // first upvalue is such a body. The body lives as long as the function, which is being called.
    // A raised error is on top of the stack, and nothing here needs dropping.
    unsafe {
        let kept = ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast::<Bound<F>>();
        let outcome = ((*kept).body)(Stack::new(state));
        let outcome = outcome.map_err(|fault| lay_on_top(&(*kept).lua, Stack::new(state), fault));
        std::mem::forget(guard);
        outcome.unwrap_or_else(|()| ffi::lua_error(state))
    }
}

/// Pushes an error with its traceback.
#[cold]
fn lay_on_top(lua: &WeakLua, stack: Stack<'_>, fault: Fault) {
    let Fault::Error(error) = fault else { return };
    let lua = lua.upgrade();
    let traceback = lua.traceback(None, 0).map(|text| text.to_string_lossy());
    let traceback = traceback.unwrap_or_else(|_| "<traceback unavailable>".to_owned());
    let error = mlua::Error::CallbackError { traceback, cause: error.into() };
    keep_error(&error);
    if stack.push(&lua, Value::Error(Box::new(error))).is_err() {
        stack.push_text("not enough memory");
    }
}

/// Counts the host memory of an error. It is freed when the VM collects garbage, not before the end
/// of the call.
pub(crate) fn keep_error(error: &mlua::Error) {
    let bytes = error_bytes(error);
    meter::keep(bytes);
    meter::bytes(bytes);
}

fn error_bytes(error: &mlua::Error) -> usize {
    let texts = match error {
        mlua::Error::CallbackError { traceback, cause } => traceback.len() + error_bytes(cause),
        mlua::Error::BadArgument { cause, .. } => error_bytes(cause),
        mlua::Error::WithContext { context, cause } => context.len() + error_bytes(cause),
        mlua::Error::RuntimeError(text) | mlua::Error::MemoryError(text) => text.len(),
        mlua::Error::SyntaxError { message, .. } => message.len(),
        other => other.downcast_ref::<Problem>().map_or(0, Problem::bytes),
    };
    limits::KEPT_PER_ENTRY + texts
}

/// Aborts the program if a panic would leave a host function. Luau's errors also unwind it; that is
/// allowed.
struct NoPanic;

impl Drop for NoPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let what = fence::end_inside().map(|what| format!("{what}\n")).unwrap_or_default();
            let told = format!(
                "{what}A host function panicked inside a script; the program ends here. Everything up to the last step is \
                 saved.\n"
            );
            // If even this write fails, there is nobody to report it to.
            let _ = std::io::stderr().write_all(told.as_bytes());
            std::process::abort();
        }
    }
}
