//! The kinds of values that a script can hand to the host.

use std::ffi::c_int;

use mlua::ffi;

/// The kind of a value on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LuaType {
    /// Nil, or an index without a value.
    Nil,
    /// A boolean.
    Bool,
    /// A number.
    Number,
    /// A text.
    Text,
    /// A table.
    Table,
    /// A function of Luau or of the host.
    Function,
    /// Userdata of the host.
    Userdata,
    /// Any other kind.
    Other,
}

impl LuaType {
    pub(super) fn from_luau_type(kind: c_int) -> Self {
        match kind {
            ffi::LUA_TNONE | ffi::LUA_TNIL => Self::Nil,
            ffi::LUA_TBOOLEAN => Self::Bool,
            ffi::LUA_TNUMBER => Self::Number,
            ffi::LUA_TSTRING => Self::Text,
            ffi::LUA_TTABLE => Self::Table,
            ffi::LUA_TFUNCTION => Self::Function,
            ffi::LUA_TUSERDATA => Self::Userdata,
            _ => Self::Other,
        }
    }
}
