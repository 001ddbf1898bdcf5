//! Userdata as cheap as Luau's own values: plain values that are known by their tag, and empty
//! userdata that has only a metatable.

use std::ffi::c_int;

use mlua::{AnyUserData, Lua, Table, ffi};

use super::debug::call_with_stack;
use super::stack::{Stack, StackIndex};

/// A plain value that scripts hold as userdata. All values of a type share one metatable.
pub trait TaggedUserdata: Copy + 'static {
    /// The tag, unique for each type.
    const TAG: c_int;
}

/// Sets the metatable for all values of a type.
pub fn set_type_metatable<C: TaggedUserdata>(lua: &Lua, metatable: &Table) -> mlua::Result<()> {
    metatable.set_readonly(true);
    // SAFETY: the metatable is the argument of this protected call and is popped.
    unsafe { lua.exec_raw(metatable, |state| ffi::lua_setuserdatametatable(state, C::TAG)) }
}

impl Stack<'_> {
    /// The value that the userdata at an index holds, if it has this type.
    #[inline]
    pub fn tagged_userdata<C: TaggedUserdata>(self, index: StackIndex) -> Option<C> {
        // SAFETY: only the function below creates values with this tag, and it writes the whole
        // value.
        unsafe { ffi::lua_touserdatatagged(self.state(), index, C::TAG).cast::<C>().as_ref() }
            .copied()
    }

    /// Pushes userdata that holds a value.
    pub fn push_tagged_userdata<C: TaggedUserdata>(self, value: C) {
        const { assert!(align_of::<C>() <= 8, "Luau aligns userdata to eight bytes") }
        // SAFETY: the size is that of the value, and it is written before anyone reads it. A plain
        // value needs no drop.
        unsafe {
            let size = size_of::<C>();
            let userdata = ffi::lua_newuserdatataggedwithmetatable(self.state(), size, C::TAG);
            userdata.cast::<C>().write(value);
        }
    }
}

/// Userdata without data; it has only a metatable.
#[derive(Clone, Copy)]
struct EmptyUserdata;

impl TaggedUserdata for EmptyUserdata {
    const TAG: c_int = 79;
}

/// Lets a new VM create empty userdata.
pub fn register_empty_userdata(lua: &Lua) -> mlua::Result<()> {
    set_type_metatable::<EmptyUserdata>(lua, &lua.create_table()?)
}

/// Empty userdata with a metatable.
pub fn create_empty_userdata(lua: &Lua, metatable: &Table) -> mlua::Result<AnyUserData> {
    call_with_stack(lua, metatable, |stack| {
        stack.push_tagged_userdata(EmptyUserdata);
        stack.insert(1);
        stack.set_metatable(1);
    })
}

/// Copies the entries of a table into another table, except those that it already has.
pub fn copy_missing_entries(lua: &Lua, target: &Table, source: &Table) -> mlua::Result<()> {
    call_with_stack(lua, (target, source), |stack| {
        stack.reserve_slots(6);
        let mut position = stack.push_next_entry(2, 0);
        while position >= 0 {
            stack.push_copy(3);
            if stack.raw_get(1) == super::LuaType::Nil {
                stack.set_top(4);
                stack.raw_set(1);
            }
            stack.set_top(2);
            position = stack.push_next_entry(2, position);
        }
        stack.set_top(0);
    })
}
