//! Rust functions that Luau calls, all through one trampoline.
//!
//! The trampoline hands the stack to the body. It drops everything before it raises an error, in
//! one place. A panic aborts the program: it must not cross Luau's frames, which do not expect it.

use std::ffi::{CStr, c_int, c_void};
use std::io::Write;

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua, MultiValue, Value, WeakLua, ffi};

use super::frame::Frame;
use super::read::ConvertErrorKind;
use super::stack::{Stack, StackIndex};
use base::{Problem, limits, meter, panic_guard};

/// Why a host function failed.
pub enum CallError {
    /// A caught error is on top of the stack and is raised again.
    ErrorOnStack,
    /// An error from Rust.
    Error(mlua::Error),
}

impl From<mlua::Error> for CallError {
    fn from(error: mlua::Error) -> Self {
        Self::Error(error)
    }
}

impl From<Problem> for CallError {
    fn from(problem: Problem) -> Self {
        Self::Error(mlua::Error::external(problem))
    }
}

impl From<CallError> for ConvertErrorKind {
    fn from(call_error: CallError) -> Self {
        match call_error {
            CallError::Error(error) => Self::LuaError(error),
            CallError::ErrorOnStack => Self::WrongType("refused"),
        }
    }
}

/// The data of a host function.
struct HostClosure<F> {
    lua: WeakLua,
    body: F,
}

/// Creates a Luau function from a body. `upvalues` are Luau values that the body finds at
/// `stack::upvalue_index(1)` and following. `name` is the debug name.
pub fn create_stack_function<F>(
    lua: &Lua,
    name: Option<&'static CStr>,
    upvalues: impl IntoLuaMulti,
    body: F,
) -> mlua::Result<Function>
where
    F: Fn(Stack<'_>) -> Result<StackIndex, CallError> + 'static,
{
    const { assert!(align_of::<HostClosure<F>>() <= 8, "Luau aligns userdata to eight bytes") }
    let name = name.map_or(std::ptr::null(), CStr::as_ptr);
    let size = size_of::<HostClosure<F>>();
    let host_closure = HostClosure { lua: lua.weak(), body };
    lua.gc_stop();
    // SAFETY: the function has at most 255 upvalues. The data is written before anyone can read it,
    // and it stays in place until Luau frees and drops it.
    unsafe {
        lua.exec_raw(upvalues, |state| {
            let upvalue_count = check_upvalue_count(Stack::new(state));
            let closure = ffi::lua_newuserdatadtor(state, size, drop_closure::<F>);
            closure.cast::<HostClosure<F>>().write(host_closure);
            ffi::lua_insert(state, 1);
            ffi::lua_pushcclosured(state, trampoline::<F>, name, upvalue_count + 1);
            Frame::assert_layout(Stack::new(state), upvalue_count + 1);
        })
    }
}

/// The number of upvalues. Luau counts them in one byte.
fn check_upvalue_count(stack: Stack<'_>) -> StackIndex {
    match stack.top() {
        count @ ..255 => count,
        _ => stack.fail("too many upvalues"),
    }
}

/// Creates a Luau function from a Rust function with mlua argument and result types.
pub fn create_typed_function<A, R, F>(lua: &Lua, body: F) -> mlua::Result<Function>
where
    A: FromLuaMulti,
    R: IntoLuaMulti,
    F: Fn(&Lua, A) -> mlua::Result<R> + 'static,
{
    let weak_lua = lua.weak();
    create_stack_function(lua, None, (), move |stack| {
        let lua = weak_lua.upgrade();
        let arguments = stack.read_all_arguments::<A>(&lua)?;
        Ok(stack.push_values(&lua, body(&lua, arguments)?)?)
    })
}

/// Like `create_typed_function`, for a lookup whose result Luau then finds by itself. A successful
/// lookup costs no fuel, because another VM may have made it earlier.
pub fn create_uncharged_lookup<A, R, F>(lua: &Lua, body: F) -> mlua::Result<Function>
where
    A: FromLuaMulti,
    R: IntoLuaMulti,
    F: Fn(&Lua, A) -> mlua::Result<R> + 'static,
{
    let weak_lua = lua.weak();
    create_stack_function(lua, None, (), move |stack| {
        let parts_before = meter::remaining_fuel_parts();
        let lua = weak_lua.upgrade();
        let arguments = stack.read_all_arguments::<A>(&lua)?;
        let result_count = stack.push_values(&lua, body(&lua, arguments)?)?;
        meter::set_remaining_fuel_parts(parts_before);
        Ok(result_count)
    })
}

impl Stack<'_> {
    /// All arguments of a call as mlua values.
    fn read_all_arguments<A: FromLuaMulti>(self, lua: &Lua) -> mlua::Result<A> {
        let values = (1..=self.top()).map(|index| self.read_value(lua, index));
        A::from_lua_multi(values.collect::<mlua::Result<MultiValue>>()?, lua)
    }
}

unsafe extern "C" fn drop_closure<F>(_: *mut ffi::lua_State, closure: *mut c_void) {
    // SAFETY: Luau calls this once for each userdata created above, before it frees the memory.
    unsafe { closure.cast::<HostClosure<F>>().drop_in_place() }
}

unsafe extern "C-unwind" fn trampoline<F>(state: *mut ffi::lua_State) -> c_int
where
    F: Fn(Stack<'_>) -> Result<StackIndex, CallError>,
{
    // SAFETY: Luau calls this with a live state, in a protected call, and only for functions whose
    // first upvalue is such a body. The body lives as long as the function, which is being called.
    // The collector was stopped when the function was created. A raised error is on top.
    unsafe {
        let closure = ffi::lua_touserdata(state, ffi::lua_upvalueindex(1)).cast::<HostClosure<F>>();
        run_body(&*closure, Stack::new(state)).unwrap_or_else(|| ffi::lua_error(state))
    }
}

/// Returns the number of results; `None` if an error is on top of the stack. The frame below drops
/// nothing.
#[inline]
fn run_body<F>(closure: &HostClosure<F>, stack: Stack<'_>) -> Option<StackIndex>
where
    F: Fn(Stack<'_>) -> Result<StackIndex, CallError>,
{
    let guard = AbortOnPanic;
    let result_count = match (closure.body)(stack) {
        // Less than 0 would mean that the function yields.
        Ok(result_count) => Some(result_count.clamp(0, stack.top())),
        Err(error) => {
            push_error(&closure.lua, stack, error);
            None
        }
    };
    std::mem::forget(guard);
    result_count
}

/// Pushes an error with its traceback.
#[cold]
fn push_error(lua: &WeakLua, stack: Stack<'_>, call_error: CallError) {
    let CallError::Error(error) = call_error else { return stack.check_count(1) };
    stack.record_calls_between_mods();
    let lua = lua.upgrade();
    let traceback = lua.traceback(None, 0).map(|text| text.to_string_lossy());
    let traceback = traceback.unwrap_or_else(|_| "<traceback unavailable>".to_owned());
    let error = mlua::Error::CallbackError { traceback, cause: error.into() };
    count_error_memory(&error);
    if stack.push_value(&lua, Value::Error(Box::new(error))).is_err() {
        stack.push_text("not enough memory");
    }
}

/// Counts the host memory of an error. It is freed when the VM collects garbage, not before the end
/// of the call.
pub fn count_error_memory(error: &mlua::Error) {
    let bytes = error_memory_bytes(error);
    meter::count_host_bytes(bytes);
    meter::charge_bytes(bytes);
}

/// An error of a function that mlua calls itself, counted.
pub fn into_counted_error(error: mlua::Error) -> mlua::Error {
    count_error_memory(&error);
    error
}

fn error_memory_bytes(error: &mlua::Error) -> usize {
    let text_bytes = match error {
        mlua::Error::CallbackError { traceback, cause } => {
            traceback.len() + error_memory_bytes(cause)
        }
        mlua::Error::BadArgument { cause, .. } => error_memory_bytes(cause),
        mlua::Error::WithContext { context, cause } => context.len() + error_memory_bytes(cause),
        mlua::Error::RuntimeError(text) | mlua::Error::MemoryError(text) => text.len(),
        mlua::Error::SyntaxError { message, .. } => message.len(),
        other => other.downcast_ref::<Problem>().map_or(0, Problem::text_bytes),
    };
    limits::ENTRY_COST_HOST_BYTES + text_bytes
}

/// Aborts the program if a panic would leave a host function. Luau's errors also unwind it; that is
/// allowed.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let panic_message = panic_guard::restore_terminal_and_take_panic_message()
                .map(|message| format!("{message}\n"))
                .unwrap_or_default();
            let panic_report = format!(
                "{panic_message}A host function panicked inside a script; the program ends here. Everything up to the last step is \
                 saved.\n"
            );
            // If even this write fails, there is nobody to report it to.
            let _ = std::io::stderr().write_all(panic_report.as_bytes());
            std::process::abort();
        }
    }
}
