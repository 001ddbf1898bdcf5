//! The stack of a call, as far as host functions need it. Indices count from 1 at the bottom; `top`
//! is the last one. An index without a value reads as nil; a mistake of the engine that would write
//! elsewhere raises an error. Luau makes room for what is pushed, or raises an error.
//!
//! Texts that are read or pushed and table entries that are walked are counted (`base::meter`).

use std::ffi::c_int;
use std::marker::PhantomData;

use mlua::{FromLua, IntoLua, IntoLuaMulti, Lua, ffi};

use super::frame::Frame;
use super::lua_type::LuaType;
use base::meter;

/// An index on a stack.
pub type StackIndex = c_int;

/// A function of Luau's that takes an index.
pub(super) type IndexFunction<R> = unsafe extern "C-unwind" fn(*mut ffi::lua_State, c_int) -> R;

/// The index of an upvalue of a host function, from 1.
pub const fn upvalue_index(number: StackIndex) -> StackIndex {
    ffi::lua_upvalueindex(number + 1)
}

/// An upvalue that no function has. It reads as nil.
const NO_VALUE: StackIndex = ffi::lua_upvalueindex(256);

/// As many results as the function returns.
pub const ALL_RESULTS: StackIndex = ffi::LUA_MULTRET;

/// The stack of the current call.
#[derive(Clone, Copy)]
pub struct Stack<'c> {
    state: *mut ffi::lua_State,
    call: PhantomData<&'c ()>,
}

impl<'c> Stack<'c> {
    /// # Safety
    /// The state must be live as long as the call, inside a protected call, and run a function of
    /// the host, or one of Luau whose values are not touched. The collector must be stopped.
    pub(super) unsafe fn new(state: *mut ffi::lua_State) -> Self {
        Self { state, call: PhantomData }
    }

    /// The raw state, for `luau` only.
    pub(super) fn state(self) -> *mut ffi::lua_State {
        self.state
    }

    #[inline]
    fn frame(self) -> Frame {
        // SAFETY: the state is live as long as this value.
        unsafe { Frame::new(self.state) }
    }

    /// Raises the error of a mistake in the engine.
    #[cold]
    #[inline(never)]
    pub(super) fn fail(self, mistake: &str) -> ! {
        self.push_text(format!("engine: {mistake}"));
        // SAFETY: the call is protected, and the error is on top.
        unsafe { ffi::lua_error(self.state) }
    }

    /// An index that Luau may read: that of a value or of an upvalue of the body, or `NO_VALUE`.
    #[inline]
    pub(super) fn readable(self, index: StackIndex) -> StackIndex {
        let position = (index as u32).wrapping_sub(1);
        let is_in_frame = position < ffi::LUA_MINSTACK as u32 || position < self.top() as u32;
        let is_upvalue = index <= upvalue_index(1) && index > NO_VALUE;
        if is_in_frame || is_upvalue { index } else { NO_VALUE }
    }

    /// Calls a function of Luau that is defined for any index that may be read.
    #[inline]
    pub(super) fn with_readable<R>(self, index: StackIndex, function: IndexFunction<R>) -> R {
        // SAFETY: the index may be read. What the function pushes, it makes room for.
        unsafe { function(self.state, self.readable(index)) }
    }

    /// Refuses an index without a value.
    #[inline]
    fn check_index(self, index: StackIndex) {
        if (index as u32).wrapping_sub(1) >= self.top() as u32 {
            self.fail("no such index");
        }
    }

    /// Refuses to take more values from the top than there are.
    #[inline]
    pub(super) fn check_count(self, count: StackIndex) {
        if count > self.top() {
            self.fail("too few values");
        }
    }

    /// Makes room for more values where Luau does not do so itself.
    #[inline]
    pub(super) fn reserve_slots(self, count: StackIndex) {
        // SAFETY: the state is live.
        let grow = || unsafe { ffi::lua_checkstack(self.state, count) != 0 };
        if !self.frame().has_free_slots(count) && !grow() {
            self.fail("stack overflow");
        }
    }

    /// The number of values.
    #[inline]
    pub fn top(self) -> StackIndex {
        self.frame().top()
    }

    /// Sets the number of values: removes those above, fills missing ones with nil.
    #[inline]
    pub fn set_top(self, top: StackIndex) {
        if !self.frame().lower_top(top) {
            // SAFETY: the count is not negative. Luau makes room or raises an error.
            unsafe { ffi::lua_settop(self.state, top.max(0)) }
        }
    }

    /// The kind of the value at an index.
    #[inline]
    pub fn lua_type(self, index: StackIndex) -> LuaType {
        LuaType::from_luau_type(self.luau_kind(index))
    }

    #[inline]
    pub(super) fn luau_kind(self, index: StackIndex) -> c_int {
        self.frame().kind(index)
    }

    /// The number at an index; 0 if there is none.
    #[inline]
    pub fn number(self, index: StackIndex) -> f64 {
        // SAFETY: a value that is not a number counts as 0; a text with digits is converted.
        let convert = || unsafe { ffi::lua_tonumber(self.state, self.readable(index)) };
        self.frame().number(index).unwrap_or_else(convert)
    }

    /// Whether the value at an index is truthy.
    #[inline]
    pub fn is_truthy(self, index: StackIndex) -> bool {
        self.with_readable(index, ffi::lua_toboolean) != 0
    }

    /// The bytes of the text at an index, if there is one, and the text itself if it is ASCII,
    /// which most texts are: ASCII is checked faster than UTF-8.
    #[inline]
    pub(super) fn read_text(self, index: StackIndex) -> Option<(&'c [u8], Option<&'c str>)> {
        let (index, mut length) = (self.readable(index), 0);
        // SAFETY: other values are not converted to a text. A text neither moves nor is freed,
        // because the collector is stopped during the call (`collect_garbage`). ASCII is UTF-8.
        unsafe {
            let data = ffi::lua_tolstringatom(self.state, index, &mut length, std::ptr::null_mut());
            meter::charge_bytes(length);
            (!data.is_null()).then(|| {
                let bytes: &[u8] = std::slice::from_raw_parts(data.cast(), length);
                (bytes, bytes.is_ascii().then(|| std::str::from_utf8_unchecked(bytes)))
            })
        }
    }

    /// The bytes of the text at an index, if there is one.
    #[inline]
    pub fn text_bytes(self, index: StackIndex) -> Option<&'c [u8]> {
        self.read_text(index).map(|(bytes, _)| bytes)
    }

    /// The UTF-8 text at an index, if there is one.
    #[inline]
    pub fn text(self, index: StackIndex) -> Option<&'c str> {
        let (bytes, ascii_text) = self.read_text(index)?;
        ascii_text.or_else(|| std::str::from_utf8(bytes).ok())
    }

    /// The address of the value at an index, as its identity; 0 if it has none.
    #[inline]
    pub fn value_address(self, index: StackIndex) -> usize {
        self.frame()
            .table_address(index)
            .unwrap_or_else(|| self.with_readable(index, ffi::lua_topointer) as usize)
    }

    /// Whether two values are equal without metamethods.
    #[inline]
    pub fn raw_equal(self, first: StackIndex, second: StackIndex) -> bool {
        let (first, second) = (self.readable(first), self.readable(second));
        // SAFETY: both indices may be read, and no metamethod is called.
        unsafe { ffi::lua_rawequal(self.state, first, second) != 0 }
    }

    /// Pushes nil.
    #[inline]
    pub fn push_nil(self) {
        if !self.frame().push_number(None) {
            // SAFETY: Luau makes room or raises an error.
            unsafe { ffi::lua_pushnil(self.state) }
        }
    }

    /// Pushes a boolean.
    #[inline]
    pub fn push_bool(self, truth: bool) {
        // SAFETY: as for nil.
        unsafe { ffi::lua_pushboolean(self.state, c_int::from(truth)) }
    }

    /// Pushes a number.
    #[inline]
    pub fn push_number(self, number: f64) {
        if !self.frame().push_number(Some(number)) {
            // SAFETY: as for nil.
            unsafe { ffi::lua_pushnumber(self.state, number) }
        }
    }

    /// Pushes a text. Luau copies it.
    #[inline]
    pub fn push_text(self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        meter::charge_bytes(text.len());
        // SAFETY: as for nil; the bytes are copied.
        unsafe { ffi::lua_pushlstring_(self.state, text.as_ptr().cast(), text.len()) }
    }

    /// Pushes a copy of the value at an index.
    #[inline]
    pub fn push_copy(self, index: StackIndex) {
        self.with_readable(index, ffi::lua_pushvalue)
    }

    /// Moves the top value to an index below and replaces the value there.
    #[inline]
    pub fn replace(self, index: StackIndex) {
        self.move_top(index, true);
    }

    /// Moves the top value to an index below and shifts the values above it up.
    #[inline]
    pub fn insert(self, index: StackIndex) {
        self.move_top(index, false);
    }

    #[inline]
    fn move_top(self, index: StackIndex, replaces_value: bool) {
        self.check_index(index);
        let move_function = if replaces_value { ffi::lua_replace } else { ffi::lua_insert };
        // SAFETY: the index has a value.
        unsafe { move_function(self.state, index) }
    }

    /// The value at an index as an mlua value.
    pub fn read_value<V: FromLua>(self, lua: &Lua, index: StackIndex) -> mlua::Result<V> {
        match self.lua_type(index) {
            LuaType::Nil => return V::from_lua(mlua::Value::Nil, lua),
            LuaType::Text => _ = self.text_bytes(index),
            _ => {}
        }
        self.check_vm(lua);
        // SAFETY: it is the stack of this VM, and the index has a value.
        lua.exec_raw_lua(|raw_lua| unsafe { V::from_stack(index, raw_lua) })
    }

    /// Refuses a VM, or a coroutine of it, that has another stack.
    #[inline]
    fn check_vm(self, lua: &Lua) {
        if lua.exec_raw_lua(|raw_lua| raw_lua.state()) != self.state {
            self.fail("another VM");
        }
    }

    /// Pushes an mlua value.
    pub fn push_value(self, lua: &Lua, value: impl IntoLua) -> mlua::Result<()> {
        self.push_values(lua, value).map(drop)
    }

    /// Pushes mlua values and returns their number.
    pub fn push_values(self, lua: &Lua, values: impl IntoLuaMulti) -> mlua::Result<StackIndex> {
        self.check_vm(lua);
        // SAFETY: it is the stack of this VM; mlua reserves room when it pushes.
        let count = lua.exec_raw_lua(|raw_lua| unsafe { values.push_into_stack_multi(raw_lua) })?;
        let top = self.top();
        (top - count + 1..=top).for_each(|index| _ = self.text_bytes(index));
        Ok(count)
    }

    /// Calls the function that is below its arguments; the results replace them. An error unwinds
    /// from here and drops what we hold.
    #[inline]
    pub fn call(self, argument_count: StackIndex, result_count: StackIndex) {
        self.check_call(argument_count, result_count);
        // SAFETY: the function is below its arguments. Luau's errors unwind our frames.
        unsafe { ffi::lua_call(self.state, argument_count, result_count) }
    }

    /// Like `call`, but an error stays here: on top, after the function at `handler` has seen it.
    #[inline]
    pub fn protected_call(
        self,
        argument_count: StackIndex,
        result_count: StackIndex,
        handler: StackIndex,
    ) -> bool {
        self.check_call(argument_count, result_count);
        if handler <= 0 || handler >= self.top() - argument_count {
            self.fail("the handler of a call is not below it");
        }
        // SAFETY: as above; the handler is a value of this frame.
        let status = unsafe { ffi::lua_pcall(self.state, argument_count, result_count, handler) };
        status == ffi::LUA_OK
    }

    #[inline]
    fn check_call(self, argument_count: StackIndex, result_count: StackIndex) {
        if argument_count < 0 || argument_count >= self.top() || result_count < ALL_RESULTS {
            self.fail("nothing to call");
        }
    }
}
