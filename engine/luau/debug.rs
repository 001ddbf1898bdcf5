//! Inspection of running code: call frames, the interrupt that may stop a script, and upvalues.

use std::ffi::{CStr, c_int};
use std::ops::Range;

use mlua::{FromLuaMulti, Function, IntoLuaMulti, Lua, MultiValue, Table, Value, ffi};

use super::allocation_observer::{AllocationObserver, on_luau_allocated, on_luau_free};
use super::lua_type::LuaType;
use super::stack::{Stack, StackIndex};

/// The handler of the VM's interrupts.
pub trait InterruptHandler {
    /// Charges one unit. Returns true if nothing else has to be checked. `memory_kib` is the memory
    /// in use; `value_count` counts the values on the stack of the call.
    fn charge_unit(memory_kib: i32, value_count: StackIndex) -> bool;
    /// Checks the other limits. An error is the text that stops the script.
    fn check_limits(memory_kib: i32, call: InterruptedCall<'_>) -> Result<(), &'static str>;
}

/// A function of Luau that is interrupted. Its values belong to it and are not given away.
#[derive(Clone, Copy)]
pub struct InterruptedCall<'c>(Stack<'c>);

impl InterruptedCall<'_> {
    /// The number of its values.
    pub fn value_count(self) -> StackIndex {
        self.0.top()
    }

    /// `Stack::find_in_call_frames`.
    pub fn find_in_call_frames<R>(
        self,
        max_frames: c_int,
        visit_frame: impl FnMut(&CStr, u32) -> Option<R>,
    ) -> Option<R> {
        self.0.find_in_call_frames(max_frames, visit_frame)
    }
}

/// Slots that a new VM reserves. Luau doubles a full stack, so its first size, now about 400, decides
/// the largest that the memory limit allows: 26 MB. From others it may be 40.
const RESERVED_STACK_SLOTS: StackIndex = 249;

/// Installs the callbacks for interrupts and for memory blocks. mlua's own interrupt leaks stack
/// slots for each error that a script catches, and a script may catch many.
pub fn install_callbacks<I: InterruptHandler, B: AllocationObserver>(
    lua: &Lua,
) -> mlua::Result<()> {
    // SAFETY: the callbacks belong to a live VM (we hold it). The functions have the signatures
    // that Luau requires.
    unsafe {
        lua.exec_raw((), |state| {
            ffi::lua_rawcheckstack(state, RESERVED_STACK_SLOTS);
            (*ffi::lua_callbacks(state)).interrupt = Some(on_luau_interrupt::<I>);
            (*ffi::lua_callbacks(state)).onallocate = Some(on_luau_allocated::<B>);
            (*ffi::lua_callbacks(state)).onfree = Some(on_luau_free::<B>);
        })
    }
}

unsafe extern "C-unwind" fn on_luau_interrupt<I: InterruptHandler>(
    state: *mut ffi::lua_State,
    collector: c_int,
) {
    // An error must not leave an interrupt of the collector.
    if collector < 0 && is_stopped::<I>(state) {
        // SAFETY: raising unwinds this frame, which holds nothing to drop.
        unsafe { ffi::lua_error(state) }
    }
}

/// Handles an interrupt. Returns true if an error is on top of the stack.
#[inline]
fn is_stopped<I: InterruptHandler>(state: *mut ffi::lua_State) -> bool {
    // SAFETY: Luau calls this with a live state in a protected call. Reading the memory total does
    // not touch the stack; a category below 0 means all memory.
    let (stack, bytes) = unsafe { (Stack::new(state), ffi::lua_totalbytes(state, -1)) };
    let memory_kib = (bytes / 1024) as c_int;
    !I::charge_unit(memory_kib, stack.top()) && push_stop_error::<I>(memory_kib, stack)
}

/// The rare part of an interrupt. Returns true if an error is on top of the stack.
#[cold]
fn push_stop_error<I: InterruptHandler>(memory_kib: c_int, stack: Stack<'_>) -> bool {
    let stop_reason = I::check_limits(memory_kib, InterruptedCall(stack)).err();
    if let Some(stop_reason) = stop_reason {
        stack.push_text(stop_reason);
    }
    stop_reason.is_some()
}

impl Stack<'_> {
    /// The address of the function that called this one.
    pub fn caller_address(self) -> Option<usize> {
        self.reserve_slots(1);
        // SAFETY: the record is filled before it is read. The pushed function has room and is
        // popped again.
        unsafe {
            let mut debug_info: ffi::lua_Debug = std::mem::zeroed();
            if ffi::lua_getinfo(self.state(), 1, c"f".as_ptr(), &mut debug_info) == 0 {
                return None;
            }
        }
        let address = self.value_address(self.top());
        self.set_top(self.top() - 1);
        Some(address)
    }

    /// Passes the chunk and the line of each call frame, innermost first, to `visit_frame` until it
    /// returns something.
    pub fn find_in_call_frames<R>(
        self,
        max_frames: c_int,
        mut visit_frame: impl FnMut(&CStr, u32) -> Option<R>,
    ) -> Option<R> {
        self.find_in_frames(0..max_frames, 0, |_, chunk, line| {
            visit_frame(chunk, u32::try_from(line).unwrap_or(0))
        })
    }

    /// The same for a range of levels, from 0. The first arguments of a frame, up to
    /// `max_arguments`, are on top of the stack during its visit.
    pub(super) fn find_in_frames<R>(
        self,
        levels: Range<c_int>,
        max_arguments: c_int,
        mut visit_frame: impl FnMut(c_int, &CStr, c_int) -> Option<R>,
    ) -> Option<R> {
        let (state, top) = (self.state(), self.top());
        for level in levels {
            // SAFETY: the call fills the record before it is read. Its text belongs to a function
            // that is on the stack while we are here. Luau makes room for arguments.
            let frame_result = unsafe {
                let mut info: ffi::lua_Debug = std::mem::zeroed();
                if ffi::lua_getinfo(state, level, c"sl".as_ptr(), &mut info) == 0 {
                    return None;
                }
                (1..=max_arguments).find(|n| ffi::lua_getargument(state, level, *n) == 0);
                let visit = || visit_frame(level, CStr::from_ptr(info.short_src), info.currentline);
                (!info.short_src.is_null()).then(visit).flatten()
            };
            if self.top() > top {
                self.set_top(top);
            }
            if frame_result.is_some() {
                return frame_result;
            }
        }
        None
    }
}

impl Stack<'_> {
    /// Pushes upvalue number `index` (from 1) of the function at an index; false if it has fewer.
    fn push_upvalue(self, function: StackIndex, index: StackIndex) -> bool {
        // SAFETY: the index may be read; what is no function has no upvalues. Luau makes room.
        unsafe { !ffi::lua_getupvalue(self.state(), self.readable(function), index).is_null() }
    }
}

/// Runs `work` with the bare stack in a protected call of mlua. For frequent calls use
/// `ProtectedCaller`.
pub fn call_with_stack<R: FromLuaMulti>(
    lua: &Lua,
    arguments: impl IntoLuaMulti,
    work: impl FnOnce(Stack<'_>),
) -> mlua::Result<R> {
    lua.gc_stop();
    // SAFETY: the state is live in its own protected call, with the collector stopped. What is on
    // the stack at the end is the result.
    unsafe { lua.exec_raw(arguments, |state| work(Stack::new(state))) }
}

/// The upvalues of a Lua function.
pub fn read_upvalues(lua: &Lua, function: &Function) -> mlua::Result<Vec<Value>> {
    let values: MultiValue = call_with_stack(lua, function, |stack| {
        (1..).find(|index| !stack.push_upvalue(1, *index));
    })?;
    // The first is the function itself.
    Ok(values.into_iter().skip(1).collect())
}

/// A fingerprint of the upvalues of the functions in a list. It changes when any upvalue is
/// assigned another value.
pub fn upvalue_fingerprint(lua: &Lua, functions: &Table) -> mlua::Result<u64> {
    let mut fingerprint = 0xcbf2_9ce4_8422_2325_u64;
    let fingerprint_mut = &mut fingerprint;
    let mut hash_bits = |bits: u64| {
        *fingerprint_mut =
            (*fingerprint_mut ^ bits).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
    };
    call_with_stack::<()>(lua, functions, |stack| {
        for list_index in 1..=StackIndex::try_from(stack.list_length(1)).unwrap_or(StackIndex::MAX)
        {
            stack.raw_get_at(1, list_index);
            let mut index = 1;
            while stack.push_upvalue(2, index) {
                let kind = stack.lua_type(3);
                hash_bits(kind as u64);
                match kind {
                    LuaType::Number => hash_bits(stack.number(3).to_bits()),
                    LuaType::Bool => hash_bits(u64::from(stack.is_truthy(3))),
                    _ => hash_bits(stack.value_address(3) as u64),
                }
                stack.set_top(2);
                index += 1;
            }
            stack.set_top(1);
        }
        stack.set_top(0);
    })?;
    Ok(fingerprint)
}
