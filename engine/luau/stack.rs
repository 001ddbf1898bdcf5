//! The stack of a call, as far as host functions need it. Indices count from 1 at the bottom; `top`
//! is the last one.
//!
//! Texts that are read or pushed and table entries that are walked are counted (`base::meter`).
//! With debug assertions each index is checked before use, so that tests find reads past the end.

use std::ffi::c_int;
use std::marker::PhantomData;

use mlua::{FromLua, IntoLua, IntoLuaMulti, Lua, ffi};

use super::allocation_observer::count_table_slots;
use super::lua_type::LuaType;
use base::meter;

/// An index on a stack.
pub type StackIndex = c_int;

/// The index of an upvalue of a host function, from 1.
pub const fn upvalue_index(number: StackIndex) -> StackIndex {
    ffi::lua_upvalueindex(number + 1)
}

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
    /// The state must be live as long as the call, and inside a protected call.
    pub(super) unsafe fn new(state: *mut ffi::lua_State) -> Self {
        Self { state, call: PhantomData }
    }

    /// The raw state, for `luau` only.
    pub(super) fn state(self) -> *mut ffi::lua_State {
        self.state
    }

    /// The number of values.
    #[inline]
    pub fn top(self) -> StackIndex {
        // SAFETY: the state is live.
        unsafe { ffi::lua_gettop(self.state) }
    }

    /// Sets the number of values: removes those above, fills missing ones with nil.
    #[inline]
    pub fn set_top(self, top: StackIndex) {
        debug_assert!(top >= 0, "an index counted from the top");
        // SAFETY: there is always room for so few values.
        unsafe { ffi::lua_settop(self.state, top) }
    }

    /// Reserves room for more values.
    #[inline]
    pub fn reserve_slots(self, count: StackIndex) {
        // SAFETY: the state is live. Without memory this raises an error.
        unsafe { ffi::lua_rawcheckstack(self.state, count) }
    }

    /// The kind of the value at an index.
    #[inline]
    pub fn lua_type(self, index: StackIndex) -> LuaType {
        // SAFETY: an index without a value has no kind.
        LuaType::from_luau_type(unsafe { ffi::lua_type(self.state, index) })
    }

    /// The number at an index; 0 if there is none.
    #[inline]
    pub fn number(self, index: StackIndex) -> f64 {
        // SAFETY: a value that is not a number counts as 0.
        unsafe { ffi::lua_tonumber(self.state, index) }
    }

    /// Whether the value at an index is truthy.
    #[inline]
    pub fn is_truthy(self, index: StackIndex) -> bool {
        // SAFETY: an index without a value counts as false.
        unsafe { ffi::lua_toboolean(self.state, index) != 0 }
    }

    /// The bytes of the text at an index, if there is one.
    #[inline]
    pub fn text_bytes(self, index: StackIndex) -> Option<&'c [u8]> {
        let mut length = 0;
        // SAFETY: other values are not converted to a text. A text neither moves nor is freed,
        // because the collector is stopped during the call.
        unsafe {
            let data = ffi::lua_tolstringatom(self.state, index, &mut length, std::ptr::null_mut());
            meter::charge_bytes(length);
            (!data.is_null()).then(|| std::slice::from_raw_parts(data.cast(), length))
        }
    }

    /// The UTF-8 text at an index, if there is one.
    #[inline]
    pub fn text(self, index: StackIndex) -> Option<&'c str> {
        std::str::from_utf8(self.text_bytes(index)?).ok()
    }

    /// The address of the value at an index, as its identity; 0 if it has none.
    #[inline]
    pub fn value_address(self, index: StackIndex) -> usize {
        // SAFETY: the address is compared, never dereferenced.
        unsafe { ffi::lua_topointer(self.state, index) as usize }
    }

    /// Whether two values are equal without metamethods.
    #[inline]
    pub fn raw_equal(self, first: StackIndex, second: StackIndex) -> bool {
        debug_assert!(first <= self.top() && second <= self.top(), "no such index");
        // SAFETY: both indices have values, and no metamethod is called.
        unsafe { ffi::lua_rawequal(self.state, first, second) != 0 }
    }

    /// Pushes nil.
    #[inline]
    pub fn push_nil(self) {
        self.set_top(self.top() + 1);
    }

    /// Pushes a boolean.
    #[inline]
    pub fn push_bool(self, truth: bool) {
        // SAFETY: the caller has reserved room, or uses the room of a new call.
        unsafe { ffi::lua_pushboolean(self.state, c_int::from(truth)) }
    }

    /// Pushes a number.
    #[inline]
    pub fn push_number(self, number: f64) {
        // SAFETY: as for a boolean.
        unsafe { ffi::lua_pushnumber(self.state, number) }
    }

    /// Pushes a text. Luau copies it.
    #[inline]
    pub fn push_text(self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        meter::charge_bytes(text.len());
        // SAFETY: as for a boolean; the bytes are copied.
        unsafe { ffi::lua_pushlstring_(self.state, text.as_ptr().cast(), text.len()) }
    }

    /// Pushes a copy of the value at an index.
    #[inline]
    pub fn push_copy(self, index: StackIndex) {
        // SAFETY: as for a boolean; an index without a value gives nil.
        unsafe { ffi::lua_pushvalue(self.state, index) }
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
        debug_assert!(index <= self.top(), "no such index");
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
        // SAFETY: it is the stack of this VM, and the index counts from the bottom.
        lua.exec_raw_lua(|raw_lua| unsafe { V::from_stack(index, raw_lua) })
    }

    /// Pushes an mlua value.
    pub fn push_value(self, lua: &Lua, value: impl IntoLua) -> mlua::Result<()> {
        self.push_values(lua, value).map(drop)
    }

    /// Pushes mlua values and returns their number.
    pub fn push_values(self, lua: &Lua, values: impl IntoLuaMulti) -> mlua::Result<StackIndex> {
        // SAFETY: it is the stack of this VM; mlua reserves room when it pushes.
        let count = lua.exec_raw_lua(|raw_lua| unsafe { values.push_into_stack_multi(raw_lua) })?;
        let top = self.top();
        (top - count + 1..=top).for_each(|index| _ = self.text_bytes(index));
        Ok(count)
    }

    // Tables. An index that does not hold a table is an engine bug.

    #[inline]
    fn assert_table(self, index: StackIndex) {
        debug_assert_eq!(self.lua_type(index), LuaType::Table, "not a table");
    }

    /// Pushes a new table with capacity for a list and for named entries.
    #[inline]
    pub fn push_table(self, list_capacity: usize, name_capacity: usize) {
        let to_c_int = |count: usize| c_int::try_from(count).unwrap_or(c_int::MAX);
        // SAFETY: room is reserved: for the table, a key, a value and a nested table.
        unsafe {
            ffi::lua_rawcheckstack(self.state, 4);
            ffi::lua_createtable(self.state, to_c_int(list_capacity), to_c_int(name_capacity));
        }
    }

    /// Pushes a shallow copy of a table.
    pub fn push_shallow_table_copy(self, table: StackIndex) {
        self.assert_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_clonetable(self.state, table) }
    }

    /// Replaces the key on top by its value in a table, without metamethods. Returns the kind of
    /// the value.
    #[inline]
    pub fn raw_get(self, table: StackIndex) -> LuaType {
        self.assert_table(table);
        // SAFETY: it is a table, and a key is on top.
        LuaType::from_luau_type(unsafe { ffi::lua_rawget(self.state, table) })
    }

    /// Pushes the entry of a list at an index, without metamethods. Returns its kind.
    #[inline]
    pub fn raw_get_at(self, table: StackIndex, index: StackIndex) -> LuaType {
        self.assert_table(table);
        // SAFETY: it is a table.
        LuaType::from_luau_type(unsafe { ffi::lua_rawgeti_(self.state, table, index) })
    }

    /// Stores the top value under the key below it and pops both, without metamethods.
    #[inline]
    pub fn raw_set(self, table: StackIndex) {
        self.assert_table(table);
        // SAFETY: it is a table, and a key and a value are on top. A frozen table raises an error.
        unsafe { ffi::lua_rawset(self.state, table) }
    }

    /// Stores the top value in a list at an index and pops it, without metamethods.
    #[inline]
    pub fn raw_set_at(self, table: StackIndex, index: StackIndex) {
        self.assert_table(table);
        // SAFETY: as above.
        unsafe { ffi::lua_rawseti_(self.state, table, index) }
    }

    /// Replaces the key on top by its value in the object at an index, with metamethods.
    pub fn get_with_metamethods(self, object: StackIndex) {
        // SAFETY: a key is on top. A value that cannot be indexed raises an error.
        unsafe { ffi::lua_gettable(self.state, object) };
    }

    /// Charges a walk over a table for its slots. An emptied table keeps them.
    pub fn charge_table_walk(self, table: StackIndex) {
        self.assert_table(table);
        meter::charge_table_slots(count_table_slots(self.value_address(table)));
    }

    /// Pushes the next key and value of a table. Starts at 0; returns the next position, or less
    /// than 0 at the end.
    #[inline]
    pub fn push_next_entry(self, table: StackIndex, position: StackIndex) -> StackIndex {
        self.assert_table(table);
        meter::charge_table_entries(1);
        // SAFETY: it is a table, and the caller has reserved room for two values.
        let next_position = unsafe { ffi::lua_rawiter(self.state, table, position) };
        let end_position = usize::try_from(next_position)
            .unwrap_or_else(|_| count_table_slots(self.value_address(table)));
        meter::charge_table_slots(end_position.saturating_sub(position as usize));
        next_position
    }

    /// The length of the list part of a table.
    #[inline]
    pub fn list_length(self, table: StackIndex) -> usize {
        self.assert_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_objlen(self.state, table) }
    }

    /// Pushes the metatable of a value; pushes nothing and returns false if it has none.
    #[inline]
    pub fn push_metatable(self, index: StackIndex) -> bool {
        // SAFETY: there is room for one value, as for a boolean.
        unsafe { ffi::lua_getmetatable(self.state, index) != 0 }
    }

    /// Whether a table or userdata has a metatable.
    #[inline]
    pub fn has_metatable(self, index: StackIndex) -> bool {
        let was_pushed = self.push_metatable(index);
        if was_pushed {
            self.set_top(self.top() - 1);
        }
        was_pushed
    }

    /// Pushes the entry of a value's metatable under a name and returns its kind. Without a
    /// metatable nothing is pushed.
    pub fn push_metafield(self, index: StackIndex, name: &str) -> LuaType {
        if !self.push_metatable(index) {
            return LuaType::Nil;
        }
        let metatable = self.top();
        self.push_text(name);
        let kind = self.raw_get(metatable);
        self.replace(metatable);
        kind
    }

    /// Pops a table or nil and makes it the metatable of the value at an index.
    pub fn set_metatable(self, index: StackIndex) {
        // SAFETY: a table or nil is on top.
        unsafe { ffi::lua_setmetatable(self.state, index) };
    }

    /// Whether a table is read-only.
    #[inline]
    pub fn is_frozen(self, table: StackIndex) -> bool {
        self.assert_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_getreadonly(self.state, table) != 0 }
    }

    /// Makes a table read-only or writable.
    #[inline]
    pub fn set_frozen(self, table: StackIndex, read_only: bool) {
        self.assert_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_setreadonly(self.state, table, c_int::from(read_only)) }
    }

    /// Calls the function that is below its arguments; the results replace them. An error unwinds
    /// from here and drops what we hold.
    #[inline]
    pub fn call(self, argument_count: StackIndex, result_count: StackIndex) {
        debug_assert!(self.top() > argument_count, "nothing to call");
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
        debug_assert!(self.top() > argument_count, "nothing to call");
        // SAFETY: as above; the handler is a function.
        let status = unsafe { ffi::lua_pcall(self.state, argument_count, result_count, handler) };
        status == ffi::LUA_OK
    }
}
