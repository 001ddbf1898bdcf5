//! The frame of a host function, read in place. Checks of indices and kinds cost a few instructions
//! here; a call into Luau costs more than the check.
//!
//! `assert_layout` compares this layout with Luau's for every function that is created.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

use mlua::ffi;

use super::stack::{Stack, StackIndex};

/// A value on the stack.
#[repr(C)]
pub(super) struct StackSlot {
    value: MaybeUninit<u64>,
    extra: MaybeUninit<c_int>,
    kind: c_int,
}

/// The first fields of a `lua_State`.
#[repr(C)]
struct StateHead {
    header: [u8; 8],
    top: *mut StackSlot,
    base: *mut StackSlot,
    global: *const c_void,
    call: *const CallHead,
}

/// The first fields of a `CallInfo`.
#[repr(C)]
struct CallHead {
    base: *const StackSlot,
    function: *const StackSlot,
    slot_limit: *const StackSlot,
}

/// A closure of a host function, up to its first upvalue.
#[repr(C)]
struct ClosureHead {
    header: [u8; 4],
    upvalue_count: u8,
    references: [*const c_void; 5],
    upvalues: [StackSlot; 0],
}

/// Reads an upvalue of a host function, from 1.
#[inline]
fn read_upvalue<R>(
    function: &StackSlot,
    number: c_int,
    read: impl FnOnce(&StackSlot) -> R,
) -> Option<R> {
    // SAFETY: it is a host function, and it has the upvalue.
    unsafe {
        let closure = function.value.assume_init() as *const ClosureHead;
        (number <= c_int::from((*closure).upvalue_count))
            .then(|| read(&*(*closure).upvalues.as_ptr().add(number as usize - 1)))
    }
}

/// The state of a running host function.
#[derive(Clone, Copy)]
pub(super) struct Frame(*mut StateHead);

impl Frame {
    /// # Safety
    /// The state must be live while the frame is used.
    #[inline]
    pub(super) unsafe fn new(state: *mut ffi::lua_State) -> Self {
        Self(state.cast())
    }

    /// The number of values.
    #[inline]
    pub(super) fn top(self) -> StackIndex {
        // SAFETY: the state is live and begins with these fields; both point into one stack, which
        // has at most a million slots.
        unsafe { (*self.0).top.offset_from_unsigned((*self.0).base) as StackIndex }
    }

    /// Lowers the number of values; false if there are fewer.
    #[inline]
    pub(super) fn lower_top(self, top: StackIndex) -> bool {
        let is_lower = top >= 0 && top <= self.top();
        if is_lower {
            // SAFETY: the new top lies in the frame.
            unsafe { (*self.0).top = (*self.0).base.add(top as usize) }
        }
        is_lower
    }

    /// Whether so many slots may still be filled.
    #[inline]
    pub(super) fn has_free_slots(self, count: StackIndex) -> bool {
        // SAFETY: as above. The running call has a record; its limit lies in the same stack.
        let free = unsafe { (*(*self.0).call).slot_limit.byte_offset_from((*self.0).top) };
        free >= count as isize * size_of::<StackSlot>() as isize
    }

    /// Reads the slot of an index, from the bottom or of an upvalue.
    #[inline]
    fn read_slot<R>(self, index: StackIndex, read: impl FnOnce(&StackSlot) -> R) -> Option<R> {
        const { assert!(usize::BITS == 64, "every index has an address") }
        let position = (index as u32).wrapping_sub(1) as usize;
        // SAFETY: what is below the top has a value. The function of the frame is one of the host.
        unsafe {
            let slot = (*self.0).base.wrapping_add(position);
            if slot < (*self.0).top {
                return Some(read(&*slot));
            }
            let upvalue = ffi::lua_upvalueindex(0).wrapping_sub(index);
            // The first one belongs to the trampoline.
            let is_own = upvalue > 1;
            is_own.then(|| read_upvalue(&*(*(*self.0).call).function, upvalue, read)).flatten()
        }
    }

    /// The kind of the value at an index; less than 0 if there is none.
    #[inline]
    pub(super) fn kind(self, index: StackIndex) -> c_int {
        self.read_slot(index, |slot| slot.kind).unwrap_or(ffi::LUA_TNONE)
    }

    /// The number at an index, if it is one.
    #[inline]
    pub(super) fn number(self, index: StackIndex) -> Option<f64> {
        self.bits_of_kind(index, ffi::LUA_TNUMBER).map(f64::from_bits)
    }

    /// The address of the table at an index, if it is one.
    #[inline]
    pub(super) fn table_address(self, index: StackIndex) -> Option<usize> {
        self.bits_of_kind(index, ffi::LUA_TTABLE).map(|address| address as usize)
    }

    /// The eight bytes of a number or of a reference.
    #[inline]
    fn bits_of_kind(self, index: StackIndex, kind: c_int) -> Option<u64> {
        let read_bits = |slot: &StackSlot| {
            // SAFETY: both kinds fill these eight bytes.
            (slot.kind == kind).then(|| unsafe { slot.value.assume_init() })
        };
        self.read_slot(index, read_bits).flatten()
    }

    /// Pushes a number, or nil for `None`; false if there is no room.
    #[inline]
    pub(super) fn push_number(self, number: Option<f64>) -> bool {
        let kind = number.map_or(ffi::LUA_TNIL, |_| ffi::LUA_TNUMBER);
        let value = MaybeUninit::new(number.map_or(0, f64::to_bits));
        let has_room = self.has_free_slots(1);
        if has_room {
            // SAFETY: the slot is free. These kinds of values need no barrier of the collector.
            unsafe {
                *(*self.0).top = StackSlot { value, extra: MaybeUninit::uninit(), kind };
                (*self.0).top = (*self.0).top.add(1);
            }
        }
        has_room
    }

    /// Checks that Luau has the layout that is read here: a new host function with so many upvalues
    /// is the only value. Another version of Luau may differ.
    pub(super) fn assert_layout(stack: Stack<'_>, upvalue_count: StackIndex) {
        // SAFETY: the state is live.
        let (frame, top) = unsafe { (Self::new(stack.state()), ffi::lua_gettop(stack.state())) };
        let upvalue_kind = |function: &StackSlot| {
            let kind_of = |number| read_upvalue(function, number, |upvalue| upvalue.kind);
            let is_last = kind_of(upvalue_count).is_some() && kind_of(upvalue_count + 1).is_none();
            kind_of(1).filter(|_| is_last)
        };
        let first_kind = frame.read_slot(1, upvalue_kind).flatten();
        stack.push_number(0.1);
        let is_known = first_kind == Some(ffi::LUA_TUSERDATA)
            && frame.kind(1) == ffi::LUA_TFUNCTION
            && (top, frame.top(), stack.number(2)) == (1, 2, 0.1)
            && frame.kind(3) == ffi::LUA_TNONE
            && frame.has_free_slots(ffi::LUA_MINSTACK - 3)
            && !frame.has_free_slots(300);
        assert!(is_known, "Luau's stack has another layout");
        stack.set_top(top);
    }
}
