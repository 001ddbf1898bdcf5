//! The tables on the stack, without metamethods. A value that should be a table and is not raises an
//! error: a mistake of the engine.

use std::ffi::c_int;

use mlua::ffi;

use super::allocation_observer::count_table_slots;
use super::lua_type::LuaType;
use super::stack::{IndexFunction, Stack, StackIndex};
use base::meter;

/// A function of Luau's that takes a table and a number.
type NumberFunction<R> = unsafe extern "C-unwind" fn(*mut ffi::lua_State, c_int, c_int) -> R;

impl Stack<'_> {
    #[inline]
    fn check_table(self, index: StackIndex) {
        if self.luau_kind(index) != ffi::LUA_TTABLE {
            self.fail("not a table");
        }
    }

    /// Refuses an empty stack. A table on the stack is a value, too.
    #[inline]
    fn check_count_beside(self, table: StackIndex) {
        if table < 0 {
            self.check_count(1);
        }
    }

    /// Calls a function of Luau that is defined for any table.
    #[inline]
    fn with_table<R>(self, table: StackIndex, function: IndexFunction<R>) -> R {
        self.check_table(table);
        // SAFETY: it is a table. What the function pushes, it makes room for.
        unsafe { function(self.state(), table) }
    }

    /// The same with a number.
    #[inline]
    fn with_table_and_number<R>(
        self,
        (table, number): (StackIndex, c_int),
        function: NumberFunction<R>,
    ) -> R {
        self.check_table(table);
        // SAFETY: as above.
        unsafe { function(self.state(), table, number) }
    }

    /// Pushes a new table with capacity for a list and for named entries.
    #[inline]
    pub fn push_table(self, list_capacity: usize, name_capacity: usize) {
        let to_c_int = |count: usize| c_int::try_from(count).unwrap_or(c_int::MAX);
        let (list_capacity, name_capacity) = (to_c_int(list_capacity), to_c_int(name_capacity));
        // SAFETY: Luau makes room, and raises an error if the table is too large.
        unsafe { ffi::lua_createtable(self.state(), list_capacity, name_capacity) }
    }

    /// Pushes a shallow copy of a table.
    pub fn push_shallow_table_copy(self, table: StackIndex) {
        self.with_table(table, ffi::lua_clonetable)
    }

    /// Replaces the key on top by its value in a table, without metamethods. Returns the kind of
    /// the value.
    #[inline]
    pub fn raw_get(self, table: StackIndex) -> LuaType {
        self.check_count_beside(table);
        LuaType::from_luau_type(self.with_table(table, ffi::lua_rawget))
    }

    /// Pushes the entry of a list at an index, without metamethods. Returns its kind.
    #[inline]
    pub fn raw_get_at(self, table: StackIndex, index: StackIndex) -> LuaType {
        // Luau makes no room here.
        self.reserve_slots(1);
        LuaType::from_luau_type(self.with_table_and_number((table, index), ffi::lua_rawgeti_))
    }

    /// Stores the top value under the key below it and pops both, without metamethods. A frozen
    /// table raises an error.
    #[inline]
    pub fn raw_set(self, table: StackIndex) {
        self.check_count(2);
        self.with_table(table, ffi::lua_rawset)
    }

    /// Stores the top value in a list at an index and pops it, without metamethods.
    #[inline]
    pub fn raw_set_at(self, table: StackIndex, index: StackIndex) {
        self.check_count_beside(table);
        self.with_table_and_number((table, index), ffi::lua_rawseti_)
    }

    /// Replaces the key on top by its value in the object at an index, with metamethods. A value
    /// that cannot be indexed raises an error.
    pub fn get_with_metamethods(self, object: StackIndex) {
        self.check_count(1);
        self.with_readable(object, ffi::lua_gettable);
    }

    fn slot_count(self, table: StackIndex) -> usize {
        self.check_table(table);
        // SAFETY: it is a table, on the stack or an upvalue of the body.
        unsafe { count_table_slots(self.value_address(table)) }
    }

    /// Charges a walk over a table for its slots. An emptied table keeps them.
    pub fn charge_table_walk(self, table: StackIndex) {
        meter::charge_table_slots(self.slot_count(table));
    }

    /// Pushes the next key and value of a table. Starts at 0; returns the next position, or less
    /// than 0 at the end.
    #[inline]
    pub fn push_next_entry(self, table: StackIndex, position: StackIndex) -> StackIndex {
        meter::charge_table_entries(1);
        let position = position.max(0);
        let next_position = self.with_table_and_number((table, position), ffi::lua_rawiter);
        let end_position =
            usize::try_from(next_position).unwrap_or_else(|_| self.slot_count(table));
        meter::charge_table_slots(end_position.saturating_sub(position as usize));
        next_position
    }

    /// The length of the list part of a table.
    #[inline]
    pub fn list_length(self, table: StackIndex) -> usize {
        self.with_table(table, ffi::lua_objlen_) as usize
    }

    /// Pushes the metatable of a value; pushes nothing and returns false if it has none. mlua knows
    /// its own userdata by their metatables, so these are not given away.
    #[inline]
    pub fn push_metatable(self, index: StackIndex) -> bool {
        let is_of_mlua = self.luau_kind(index) == ffi::LUA_TUSERDATA && !self.has_our_tag(index);
        !is_of_mlua && self.push_any_metatable(index)
    }

    #[inline]
    fn push_any_metatable(self, index: StackIndex) -> bool {
        self.with_readable(index, ffi::lua_getmetatable) != 0
    }

    /// Whether a table or userdata has a metatable.
    #[inline]
    pub fn has_metatable(self, index: StackIndex) -> bool {
        let was_pushed = self.push_any_metatable(index);
        if was_pushed {
            self.set_top(self.top() - 1);
        }
        was_pushed
    }

    /// Pushes the entry of a value's metatable under a name and returns its kind. Without a
    /// metatable nothing is pushed.
    pub fn push_metafield(self, index: StackIndex, name: &str) -> LuaType {
        if !self.push_any_metatable(index) {
            return LuaType::Nil;
        }
        let metatable = self.top();
        self.push_text(name);
        let kind = self.raw_get(metatable);
        self.replace(metatable);
        kind
    }

    /// Pops a table or nil and makes it the metatable of a table or of our userdata.
    pub fn set_metatable(self, index: StackIndex) {
        if !self.has_our_tag(index) {
            self.check_table(index);
        }
        if self.luau_kind(self.top()) != ffi::LUA_TNIL {
            self.check_table(self.top());
        }
        self.with_readable(index, ffi::lua_setmetatable);
    }

    /// Whether a table is read-only.
    #[inline]
    pub fn is_frozen(self, table: StackIndex) -> bool {
        self.with_table(table, ffi::lua_getreadonly) != 0
    }

    /// Makes a table read-only or writable.
    #[inline]
    pub fn set_frozen(self, table: StackIndex, read_only: bool) {
        self.with_table_and_number((table, c_int::from(read_only)), ffi::lua_setreadonly)
    }
}
