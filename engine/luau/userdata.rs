//! Values of the host's own that cost no more than Luau's: one kind that carries a plain value by its
//! tag, and those that are nothing but their rules.

use std::ffi::c_int;

use mlua::{AnyUserData, Lua, Table, ffi};

use super::debug::once;
use super::stack::{At, Stack};

/// A plain value that scripts hold as a value of the host's own. All of one type share their rules.
pub(crate) trait Carried: Copy + 'static {
    /// The tag, which no other type has.
    const TAG: c_int;
}

/// Gives all values of a type their rules.
pub(crate) fn set_rules_of<C: Carried>(lua: &Lua, rules: &Table) -> mlua::Result<()> {
    rules.set_readonly(true);
    // SAFETY: the rules are the argument of this protected call, and are taken off the stack.
    unsafe { lua.exec_raw(rules, |state| ffi::lua_setuserdatametatable(state, C::TAG)) }
}

impl Stack<'_> {
    /// What a value of the host at a place carries, if it is of the type.
    #[inline]
    pub(crate) fn carried<C: Carried>(self, at: At) -> Option<C> {
        // SAFETY: only the function below makes values with this tag, and it writes a whole one.
        unsafe { ffi::lua_touserdatatagged(self.state(), at, C::TAG).cast::<C>().as_ref().copied() }
    }

    /// Pushes a value of the host that carries something.
    pub(crate) fn push_carried<C: Carried>(self, carried: C) {
        const { assert!(align_of::<C>() <= 8, "Luau aligns what is carried to eight bytes") }
        // SAFETY: the room asked for is that of the value, and it is written before anyone reads it. A
        // plain value wants no dropping.
        unsafe {
            let size = size_of::<C>();
            let made = ffi::lua_newuserdatataggedwithmetatable(self.state(), size, C::TAG);
            made.cast::<C>().write(carried);
        }
    }
}

/// What is nothing but the rules that it is given.
#[derive(Clone, Copy)]
struct Blank;

impl Carried for Blank {
    const TAG: c_int = 79;
}

/// Lets a new VM make values that are nothing but their rules.
pub(crate) fn allow_blank(lua: &Lua) -> mlua::Result<()> {
    set_rules_of::<Blank>(lua, &lua.create_table()?)
}

/// A value of the host that is nothing but its rules.
pub(crate) fn blank(lua: &Lua, rules: &Table) -> mlua::Result<AnyUserData> {
    once(lua, rules, |stack| {
        stack.push_carried(Blank);
        stack.insert(1);
        stack.set_rules(1);
    })
}

/// Copies the entries of a table into another one, where that has none of the name.
pub(crate) fn copy_into(lua: &Lua, into: &Table, from: &Table) -> mlua::Result<()> {
    once(lua, (into, from), |stack| {
        stack.room(6);
        let mut next = stack.next(2, 0);
        while next >= 0 {
            stack.push_copy(3);
            if stack.raw_get(1) == super::Kind::Nil {
                stack.set_top(4);
                stack.raw_set(1);
            }
            stack.set_top(2);
            next = stack.next(2, next);
        }
        stack.set_top(0);
    })
}
