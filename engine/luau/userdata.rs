//! Userdata as cheap as Luau's own values: plain values that are known by their tag, and empty
//! userdata that has only a metatable.

use std::any::TypeId;
use std::ffi::c_int;
use std::ops::Range;
use std::sync::OnceLock;

use mlua::{AnyUserData, ExternalError as _, Lua, Table, ffi};

use super::debug::call_with_stack;
use super::stack::{Stack, StackIndex};

/// Our tags. mlua's are lower, those of Luau itself higher.
const OUR_TAGS: Range<c_int> = 64..128;

/// The type of each of our tags, in this process.
static TYPE_OF_TAG: [OnceLock<TypeId>; 64] = [const { OnceLock::new() }; 64];

/// A plain value that scripts hold as userdata. All values of a type share one metatable.
pub trait TaggedUserdata: Copy + 'static {
    /// The tag, from 64 to 127.
    const TAG: c_int;
}

#[inline]
fn type_of_tag<C: TaggedUserdata>() -> &'static OnceLock<TypeId> {
    const { assert!(C::TAG >= OUR_TAGS.start && C::TAG < OUR_TAGS.end, "not one of our tags") }
    const { assert!(align_of::<C>() <= 8, "Luau aligns userdata to eight bytes") }
    &TYPE_OF_TAG[(C::TAG - OUR_TAGS.start) as usize]
}

/// Whether the tag of a type stands for no other type.
#[inline]
fn owns_tag<C: TaggedUserdata>() -> bool {
    type_of_tag::<C>().get() == Some(&TypeId::of::<C>())
}

/// Sets the metatable for all values of a type, whose tag no other type may have.
pub fn set_type_metatable<C: TaggedUserdata>(lua: &Lua, metatable: &Table) -> mlua::Result<()> {
    type_of_tag::<C>().get_or_init(TypeId::of::<C>);
    if !owns_tag::<C>() {
        return Err("another type has this tag".into_lua_err());
    }
    metatable.set_readonly(true);
    // SAFETY: the metatable is the argument of this protected call and is popped.
    unsafe { lua.exec_raw(metatable, |state| ffi::lua_setuserdatametatable(state, C::TAG)) }
}

impl Stack<'_> {
    #[inline]
    pub(super) fn has_our_tag(self, index: StackIndex) -> bool {
        OUR_TAGS.contains(&self.with_readable(index, ffi::lua_userdatatag))
    }

    /// The value that the userdata at an index holds, if it has this type.
    #[inline]
    pub fn tagged_userdata<C: TaggedUserdata>(self, index: StackIndex) -> Option<C> {
        if !owns_tag::<C>() {
            return None;
        }
        let (state, index) = (self.state(), self.readable(index));
        // SAFETY: only the function below creates values with this tag, and it writes a whole value
        // of the one type that owns it.
        unsafe { ffi::lua_touserdatatagged(state, index, C::TAG).cast::<C>().as_ref() }.copied()
    }

    /// Pushes userdata that holds a value. `set_type_metatable` comes before.
    pub fn push_tagged_userdata<C: TaggedUserdata>(self, value: C) {
        if !owns_tag::<C>() {
            self.fail("a type of userdata without a tag");
        }
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
