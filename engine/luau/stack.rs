//! The stack of a call, as far as functions of ours need it. Places are counted from 1 at the
//! bottom; `top` is the last. What is read of texts, pushed of them and walked of tables is counted here
//! (`kit::meter`), so that whoever does it need not. Where debug assertions are on, each place is looked at before it is
//! used, so that a test finds what would read past the end.

use std::ffi::c_int;
use std::marker::PhantomData;

use mlua::{FromLua, IntoLua, IntoLuaMulti, Lua, ffi};

use crate::kit::meter;

/// A place on a stack.
pub(crate) type At = c_int;

/// The place of a value that a function of ours was made with, from 1.
pub(crate) const fn with(number: At) -> At {
    ffi::lua_upvalueindex(number + 1)
}

/// As many results as there are.
pub(crate) const ALL: At = ffi::LUA_MULTRET;

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing, or no place at all.
    Nil,
    Bool,
    Number,
    Text,
    Table,
    Function,
    /// A value of the host's own.
    Host,
    /// Whatever else there is.
    Other,
}

impl Kind {
    fn of(kind: c_int) -> Self {
        match kind {
            ffi::LUA_TNONE | ffi::LUA_TNIL => Self::Nil,
            ffi::LUA_TBOOLEAN => Self::Bool,
            ffi::LUA_TNUMBER => Self::Number,
            ffi::LUA_TSTRING => Self::Text,
            ffi::LUA_TTABLE => Self::Table,
            ffi::LUA_TFUNCTION => Self::Function,
            ffi::LUA_TUSERDATA => Self::Host,
            _ => Self::Other,
        }
    }
}

/// The stack of a call that goes on.
#[derive(Clone, Copy)]
pub(crate) struct Stack<'c> {
    state: *mut ffi::lua_State,
    call: PhantomData<&'c ()>,
}

impl<'c> Stack<'c> {
    /// # Safety
    /// The state must be live as long as the call, and inside a protected call.
    pub(super) unsafe fn new(state: *mut ffi::lua_State) -> Self {
        Self { state, call: PhantomData }
    }

    /// The state itself, for the rest of this floor.
    pub(super) fn state(self) -> *mut ffi::lua_State {
        self.state
    }

    /// How many values there are.
    #[inline]
    pub(crate) fn top(self) -> At {
        // SAFETY: the state is live.
        unsafe { ffi::lua_gettop(self.state) }
    }

    /// Leaves so many values: those above are taken away, those that lack are nothing.
    #[inline]
    pub(crate) fn set_top(self, top: At) {
        debug_assert!(top >= 0, "a place counted from the top");
        // SAFETY: so few values always have room.
        unsafe { ffi::lua_settop(self.state, top) }
    }

    /// Makes room for so many values more.
    #[inline]
    pub(crate) fn room(self, more: At) {
        // SAFETY: the state is live; without memory this raises.
        unsafe { ffi::lua_rawcheckstack(self.state, more) }
    }

    /// What stands at a place.
    #[inline]
    pub(crate) fn kind(self, at: At) -> Kind {
        // SAFETY: a place that is not there is of no kind.
        Kind::of(unsafe { ffi::lua_type(self.state, at) })
    }

    /// The number at a place; 0 if there is none.
    #[inline]
    pub(crate) fn number(self, at: At) -> f64 {
        // SAFETY: what is no number counts as 0.
        unsafe { ffi::lua_tonumber(self.state, at) }
    }

    /// Whether what stands at a place counts as true.
    #[inline]
    pub(crate) fn truth(self, at: At) -> bool {
        // SAFETY: a place that is not there counts as false.
        unsafe { ffi::lua_toboolean(self.state, at) != 0 }
    }

    /// The bytes of the text at a place, if there is one.
    #[inline]
    pub(crate) fn bytes(self, at: At) -> Option<&'c [u8]> {
        let mut length = 0;
        // SAFETY: what is no text is not made one; a text neither moves nor goes away, since the
        // collector is stopped as long as the call goes on.
        unsafe {
            let bytes = ffi::lua_tolstringatom(self.state, at, &mut length, std::ptr::null_mut());
            meter::bytes(length);
            (!bytes.is_null()).then(|| std::slice::from_raw_parts(bytes.cast(), length))
        }
    }

    /// The text at a place, if there is one in UTF-8.
    #[inline]
    pub(crate) fn text(self, at: At) -> Option<&'c str> {
        std::str::from_utf8(self.bytes(at)?).ok()
    }

    /// Where the value at a place lies, to tell it from others; 0 for what lies nowhere.
    #[inline]
    pub(crate) fn pointer(self, at: At) -> usize {
        // SAFETY: the address is compared and never followed.
        unsafe { ffi::lua_topointer(self.state, at) as usize }
    }

    /// Whether the same stands at both places: one truth, number or text, or one and the same table,
    /// function or value of the host.
    #[inline]
    pub(crate) fn same(self, one: At, other: At) -> bool {
        debug_assert!(one <= self.top() && other <= self.top(), "there is no such place");
        // SAFETY: both places are there, and no rules of a table are asked.
        unsafe { ffi::lua_rawequal(self.state, one, other) != 0 }
    }

    /// Pushes nothing.
    #[inline]
    pub(crate) fn push_nil(self) {
        self.set_top(self.top() + 1);
    }

    /// Pushes true or false.
    #[inline]
    pub(crate) fn push_truth(self, truth: bool) {
        // SAFETY: whoever pushes has asked for room, or has that of a call.
        unsafe { ffi::lua_pushboolean(self.state, c_int::from(truth)) }
    }

    /// Pushes a number.
    #[inline]
    pub(crate) fn push_number(self, number: f64) {
        // SAFETY: as for a truth.
        unsafe { ffi::lua_pushnumber(self.state, number) }
    }

    /// Pushes a text, of which Luau keeps a copy.
    #[inline]
    pub(crate) fn push_text(self, text: impl AsRef<[u8]>) {
        let text = text.as_ref();
        meter::bytes(text.len());
        // SAFETY: as for a truth; the bytes are copied.
        unsafe { ffi::lua_pushlstring_(self.state, text.as_ptr().cast(), text.len()) }
    }

    /// Pushes a copy of what stands at a place.
    #[inline]
    pub(crate) fn push_copy(self, at: At) {
        // SAFETY: as for a truth; a place that is not there is nothing.
        unsafe { ffi::lua_pushvalue(self.state, at) }
    }

    /// Moves what lies on top to a place below, over what is there.
    #[inline]
    pub(crate) fn replace(self, at: At) {
        self.lower(at, true);
    }

    /// Moves what lies on top to a place below, under what is there.
    #[inline]
    pub(crate) fn insert(self, at: At) {
        self.lower(at, false);
    }

    #[inline]
    fn lower(self, at: At, over: bool) {
        debug_assert!(at <= self.top(), "there is no such place");
        let lower = if over { ffi::lua_replace } else { ffi::lua_insert };
        // SAFETY: the place is there.
        unsafe { lower(self.state, at) }
    }

    /// A value of mlua's from a place.
    pub(crate) fn take<V: FromLua>(self, lua: &Lua, at: At) -> mlua::Result<V> {
        match self.kind(at) {
            Kind::Nil => return V::from_lua(mlua::Value::Nil, lua),
            Kind::Text => _ = self.bytes(at),
            _ => {}
        }
        // SAFETY: it is the stack of that VM, and the place is counted from the bottom.
        lua.exec_raw_lua(|raw| unsafe { V::from_stack(at, raw) })
    }

    /// Pushes a value of mlua's.
    pub(crate) fn push(self, lua: &Lua, value: impl IntoLua) -> mlua::Result<()> {
        self.push_all(lua, value).map(drop)
    }

    /// Pushes values of mlua's; says how many.
    pub(crate) fn push_all(self, lua: &Lua, values: impl IntoLuaMulti) -> mlua::Result<At> {
        // SAFETY: it is the stack of that VM; room is asked for where it is pushed.
        let count = lua.exec_raw_lua(|raw| unsafe { values.push_into_stack_multi(raw) })?;
        let top = self.top();
        (top - count + 1..=top).for_each(|at| _ = self.bytes(at));
        Ok(count)
    }

    // Tables. A place that is not a table's is a mistake of ours.

    #[inline]
    fn is_table(self, at: At) {
        debug_assert_eq!(self.kind(at), Kind::Table, "no table stands there");
    }

    /// Pushes a new table with room for a list and for names.
    #[inline]
    pub(crate) fn push_table(self, list: usize, names: usize) {
        let room = |count: usize| c_int::try_from(count).unwrap_or(c_int::MAX);
        // SAFETY: room is asked for: the table, a key, a value and a table in that.
        unsafe {
            ffi::lua_rawcheckstack(self.state, 4);
            ffi::lua_createtable(self.state, room(list), room(names));
        }
    }

    /// Pushes a copy of a table, not of those in it.
    pub(crate) fn push_clone(self, table: At) {
        self.is_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_clonetable(self.state, table) }
    }

    /// Puts what a table holds under the key on top in the place of the key; says what it is.
    #[inline]
    pub(crate) fn raw_get(self, table: At) -> Kind {
        self.is_table(table);
        // SAFETY: it is a table, and a key lies on top.
        Kind::of(unsafe { ffi::lua_rawget(self.state, table) })
    }

    /// Pushes what a table holds at a place of its list; says what it is.
    #[inline]
    pub(crate) fn raw_get_at(self, table: At, index: At) -> Kind {
        self.is_table(table);
        // SAFETY: it is a table.
        Kind::of(unsafe { ffi::lua_rawgeti_(self.state, table, index) })
    }

    /// Puts the value on top under the key below it, and takes both away.
    #[inline]
    pub(crate) fn raw_set(self, table: At) {
        self.is_table(table);
        // SAFETY: it is a table; a key and a value lie on top. One that is frozen raises.
        unsafe { ffi::lua_rawset(self.state, table) }
    }

    /// Puts the value on top at a place of a list, and takes it away.
    #[inline]
    pub(crate) fn raw_set_at(self, table: At, index: At) {
        self.is_table(table);
        // SAFETY: as above.
        unsafe { ffi::lua_rawseti_(self.state, table, index) }
    }

    /// What whatever stands there gives for the key on top, by its own rules; in the key's place.
    pub(crate) fn get(self, from: At) {
        // SAFETY: a key lies on top; what cannot be indexed raises.
        unsafe { ffi::lua_gettable(self.state, from) };
    }

    /// Pushes the next key and value of a table, from 0; what comes after it, or less than 0.
    #[inline]
    pub(crate) fn next(self, table: At, after: At) -> At {
        self.is_table(table);
        meter::entries(1);
        // SAFETY: it is a table, and there is room for two: whoever walks has asked for it.
        unsafe { ffi::lua_rawiter(self.state, table, after) }
    }

    /// How long the list of a table is.
    #[inline]
    pub(crate) fn length(self, table: At) -> usize {
        self.is_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_objlen(self.state, table) }
    }

    /// Pushes the rules of whatever stands there; false, and nothing is pushed, if it has none.
    #[inline]
    pub(crate) fn push_rules(self, at: At) -> bool {
        // SAFETY: room for one value is there, as for a truth.
        unsafe { ffi::lua_getmetatable(self.state, at) != 0 }
    }

    /// Whether a table or a value of the host has rules of its own.
    #[inline]
    pub(crate) fn has_rules(self, at: At) -> bool {
        let has = self.push_rules(at);
        if has {
            self.set_top(self.top() - 1);
        }
        has
    }

    /// Pushes what the rules of whatever stands there say under a name; says what it is. Nothing is pushed
    /// where there are no rules.
    pub(crate) fn push_rule(self, at: At, name: &str) -> Kind {
        if !self.push_rules(at) {
            return Kind::Nil;
        }
        let rules = self.top();
        self.push_text(name);
        let kind = self.raw_get(rules);
        self.replace(rules);
        kind
    }

    /// Takes the table on top, or nothing, and makes it the rules of what stands there.
    pub(crate) fn set_rules(self, at: At) {
        // SAFETY: a table or nothing lies on top.
        unsafe { ffi::lua_setmetatable(self.state, at) };
    }

    /// Whether a table refuses every write.
    #[inline]
    pub(crate) fn is_frozen(self, table: At) -> bool {
        self.is_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_getreadonly(self.state, table) != 0 }
    }

    /// Makes a table refuse every write, or take them again.
    #[inline]
    pub(crate) fn set_frozen(self, table: At, frozen: bool) {
        self.is_table(table);
        // SAFETY: it is a table.
        unsafe { ffi::lua_setreadonly(self.state, table, c_int::from(frozen)) }
    }

    /// Calls the function below so many arguments; its results take their place. An error of it goes
    /// up from here, and drops on its way whatever we hold.
    #[inline]
    pub(crate) fn call(self, arguments: At, results: At) {
        debug_assert!(self.top() > arguments, "there is nothing to call");
        // SAFETY: what is called lies below its arguments; Luau's errors unwind our frames.
        unsafe { ffi::lua_call(self.state, arguments, results) }
    }

    /// The same, and an error stays here: on top, once what lies at `handler` has seen it.
    #[inline]
    pub(crate) fn try_call(self, arguments: At, results: At, handler: At) -> bool {
        debug_assert!(self.top() > arguments, "there is nothing to call");
        // SAFETY: as above; the handler is a function.
        let outcome = unsafe { ffi::lua_pcall(self.state, arguments, results, handler) };
        outcome == ffi::LUA_OK
    }
}
