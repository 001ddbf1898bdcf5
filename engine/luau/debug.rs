//! What runs, and what functions hold: the calls that are open, the interrupt at which they may be
//! stopped, and the values that a function has captured.

use std::ffi::{CStr, c_int};

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua, MultiValue, Table, Value, ffi};

use super::blocks::{self, Blocks};
use super::stack::{At, Kind, Stack};

/// What is asked at each interrupt of the VM.
pub(crate) trait Interrupt {
    /// Counts it. Whether that is all there is to it, with so many KiB in use and so many values on the
    /// stack of the call.
    fn count(memory_kib: i32, values: At) -> bool;
    /// What is to be looked at else. Whether all goes on; otherwise the text of the error that stops it.
    fn look(memory_kib: i32, stack: Stack<'_>) -> Result<(), &'static str>;
}

/// Sets what is asked at each interrupt, and what is told of blocks. mlua's own interrupt leaks places of
/// the stack for each error that a script catches, and a script may catch many.
pub(crate) fn watch<I: Interrupt, B: Blocks>(lua: &Lua) -> mlua::Result<()> {
    // SAFETY: the callbacks belong to a live VM (we hold it), and the functions that are stored there
    // have the signatures that Luau asks for.
    unsafe {
        lua.exec_raw((), |state| {
            (*ffi::lua_callbacks(state)).interrupt = Some(interrupt::<I>);
            (*ffi::lua_callbacks(state)).onallocate = Some(blocks::asked::<B>);
            (*ffi::lua_callbacks(state)).onfree = Some(blocks::given_back::<B>);
        })
    }
}

unsafe extern "C-unwind" fn interrupt<I: Interrupt>(state: *mut ffi::lua_State, collector: c_int) {
    // The collector's own interrupts cannot be left by an error.
    if collector >= 0 {
        return;
    }
    // SAFETY: Luau calls this with a live state in a protected call; asking for a count touches no
    // stack, and less than 0 asks for all memory. Raising unwinds this frame, which holds nothing that
    // wants dropping.
    unsafe {
        let stack = Stack::new(state);
        let memory_kib = (ffi::lua_totalbytes(state, -1) / 1024) as c_int;
        if !I::count(memory_kib, stack.top()) && stops::<I>(memory_kib, stack) {
            ffi::lua_error(state);
        }
    }
}

/// The part of an interrupt that most have not. Whether an error lies on top now.
#[cold]
fn stops<I: Interrupt>(memory_kib: c_int, stack: Stack<'_>) -> bool {
    let why = I::look(memory_kib, stack).err();
    if let Some(why) = why {
        stack.room(2);
        stack.push_text(why);
    }
    why.is_some()
}

impl Stack<'_> {
    /// Where the function lies that called this one.
    pub(crate) fn calling_function(self) -> Option<usize> {
        // SAFETY: the record is filled before it is used; the function that is pushed has room, and is
        // taken away again.
        unsafe {
            let mut record: ffi::lua_Debug = std::mem::zeroed();
            if ffi::lua_getinfo(self.state(), 1, c"f".as_ptr(), &mut record) == 0 {
                return None;
            }
        }
        let lies = self.pointer(self.top());
        self.set_top(self.top() - 1);
        Some(lies)
    }

    /// Shows the chunk and the line of each open call, innermost first, until something is found.
    pub(crate) fn find_call<R>(
        self,
        most: c_int,
        mut look: impl FnMut(&CStr, u32) -> Option<R>,
    ) -> Option<R> {
        for level in 0..most {
            // SAFETY: the record is filled by the call before it is read, and its text belongs to a
            // function that is on the stack as long as we are here; nothing is pushed or raised.
            let found = unsafe {
                let mut record: ffi::lua_Debug = std::mem::zeroed();
                if ffi::lua_getinfo(self.state(), level, c"sl".as_ptr(), &mut record) == 0 {
                    return None;
                }
                let line = u32::try_from(record.currentline).unwrap_or(0);
                let named = !record.short_src.is_null();
                named.then(|| look(CStr::from_ptr(record.short_src), line)).flatten()
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

impl Stack<'_> {
    /// Pushes a value that the function at a place has captured, from 1; false if there are not so many.
    fn push_captured(self, function: At, index: At) -> bool {
        debug_assert_eq!(self.kind(function), Kind::Function, "no function stands there");
        // SAFETY: it is a function, and whoever asks has made room for one value.
        unsafe { !ffi::lua_getupvalue(self.state(), function, index).is_null() }
    }
}

/// Does something with the bare stack in a protected call of mlua's: see `Protected` for what is done
/// often.
pub(crate) fn once<R: FromLuaMulti>(
    lua: &Lua,
    arguments: impl IntoLuaMulti,
    work: impl FnOnce(Stack<'_>),
) -> mlua::Result<R> {
    // SAFETY: the state is live in its own protected call; what lies on it in the end is the result.
    unsafe { lua.exec_raw(arguments, |state| work(Stack::new(state))) }
}

/// The values that a function of Lua has captured.
pub(crate) fn captured(lua: &Lua, function: &Function) -> mlua::Result<Vec<Value>> {
    let values: MultiValue = once(lua, function, |stack| {
        stack.room(At::from(u8::MAX) + 1);
        (1..).find(|index| !stack.push_captured(1, *index));
    })?;
    // The first is the function itself.
    Ok(values.into_iter().skip(1).collect())
}

/// A print of the values that the functions in a list have captured: another one if any of them
/// has captured another value since.
pub(crate) fn print_of(lua: &Lua, functions: &Table) -> mlua::Result<u64> {
    let mut print = 0xcbf2_9ce4_8422_2325_u64;
    let out = &mut print;
    let mut feed =
        |bits: u64| *out = (*out ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    once::<()>(lua, functions, |stack| {
        stack.room(3);
        for at in 1..=At::try_from(stack.length(1)).unwrap_or(At::MAX) {
            stack.raw_get_at(1, at);
            let mut index = 1;
            while stack.push_captured(2, index) {
                let kind = stack.kind(3);
                feed(kind as u64);
                match kind {
                    Kind::Number => feed(stack.number(3).to_bits()),
                    Kind::Bool => feed(u64::from(stack.truth(3))),
                    _ => feed(stack.pointer(3) as u64),
                }
                stack.set_top(2);
                index += 1;
            }
            stack.set_top(1);
        }
        stack.set_top(0);
    })?;
    Ok(print)
}
