//! The proxies of the state, as Luau holds them: userdata of our own, read and written by functions
//! that Luau calls directly. What is unusual goes on to functions that do the same in full.

use std::ffi::c_int;
use std::rc::Rc;

use mlua::{AnyUserData, Function, Lua, Table, ffi};

use super::super::glance::{self, Field, Leaf, Seen};
use super::super::host::Host;
use super::super::proxy::Proxy;
use super::{host_of, in_full, text_at, utf8};
use crate::state::NodeId;

/// The tag of those userdata that are proxies.
const PROXY: c_int = 77;
/// Where the functions of proxies find the proxies there are.
const PROXIES: c_int = 3;

/// Teaches the VM to read and write through proxies. `meta` is their metatable but for that;
/// `in_full` are the functions that read and write whatever is unusual.
pub(crate) fn teach_proxies(
    lua: &Lua,
    host: &Rc<Host>,
    meta: &Table,
    in_full: [Function; 2],
) -> mlua::Result<()> {
    let ([read, write], proxies) = (in_full, host.turn.proxies());
    let host = Rc::as_ptr(host).cast_mut().cast();
    // SAFETY: the four arguments lie at 1 to 4 of this protected call, and every push has room. The
    // host outlives the VM's last call: other functions of the VM hold it by their own counts.
    unsafe {
        lua.exec_raw((meta, read, write, proxies), |state| {
            for (at, name, work) in [
                (2, c"__index", read_proxy as unsafe extern "C-unwind" fn(_) -> _),
                (3, c"__newindex", write_proxy),
            ] {
                ffi::lua_pushlightuserdata(state, host);
                ffi::lua_pushvalue(state, at);
                ffi::lua_pushvalue(state, 4);
                ffi::lua_pushcclosured(state, work, name.as_ptr(), 3);
                ffi::lua_rawsetfield(state, 1, name.as_ptr());
            }
            ffi::lua_setreadonly(state, 1, 1);
            ffi::lua_settop(state, 1);
            ffi::lua_setuserdatametatable(state, PROXY);
        })
    }
}

/// A function that walks a list in a loop: from the list and a place to the next place and what
/// stands there.
pub(crate) fn each(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Function> {
    let proxies = host.turn.proxies();
    let host = Rc::as_ptr(host).cast_mut().cast();
    // SAFETY: as above; the table of proxies is argument 1.
    unsafe {
        lua.exec_raw(proxies, |state| {
            ffi::lua_pushlightuserdata(state, host);
            ffi::lua_pushnil(state);
            ffi::lua_pushvalue(state, 1);
            ffi::lua_pushcclosured(state, next_of_list, c"each".as_ptr(), 3);
            ffi::lua_remove(state, 1);
        })
    }
}

/// A proxy for itself, in no table.
pub(crate) fn proxy(lua: &Lua, proxy: Proxy) -> mlua::Result<AnyUserData> {
    // SAFETY: what is pushed has room, and is the result.
    unsafe { lua.exec_raw((), |state| push_new(state, proxy)) }
}

/// The proxy of a table in this call, made if there is none yet.
pub(crate) fn proxy_in(lua: &Lua, host: &Host, node: NodeId) -> mlua::Result<AnyUserData> {
    // SAFETY: the table of proxies is argument 1; what is pushed has room, and is the result.
    unsafe {
        lua.exec_raw(host.turn.proxies(), |state| {
            push_table(state, host, node, 1);
            ffi::lua_remove(state, 1);
        })
    }
}

/// What a userdata says, if it is a proxy.
pub(crate) fn proxy_of(lua: &Lua, data: &AnyUserData) -> Option<Proxy> {
    let mut found = None;
    let seen = &mut found;
    // SAFETY: the userdata is argument 1; nothing is pushed.
    let asked = unsafe {
        lua.exec_raw::<()>(data, |state| {
            *seen = proxy_at(state, 1);
            ffi::lua_settop(state, 0);
        })
    };
    asked.ok().and(found)
}

unsafe extern "C-unwind" fn read_proxy(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: Luau calls this with the userdata and the key, and with room for more; the host lives.
    unsafe {
        let host = host_of(state);
        // Luau looks names up ahead of time; there nil means: ask again when it runs.
        if host.compiling.get() {
            ffi::lua_pushnil(state);
            return 1;
        }
        if let (Some(proxy), Some(key)) = (proxy_at(state, 1), field_at(state, 2))
            && let Some(seen) = glance::read(host, proxy, key)
        {
            push_seen(state, host, seen);
            return 1;
        }
        in_full(state, 2, 1)
    }
}

unsafe extern "C-unwind" fn write_proxy(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: as above, and with the value.
    unsafe {
        let leaf = match ffi::lua_type(state, 3) {
            ffi::LUA_TNIL => Some(Leaf::Nothing),
            ffi::LUA_TBOOLEAN => Some(Leaf::Truth(ffi::lua_toboolean(state, 3) != 0)),
            ffi::LUA_TNUMBER => Some(Leaf::Number(ffi::lua_tonumber(state, 3))),
            ffi::LUA_TSTRING => utf8(text_at(state, 3)).map(Leaf::Text),
            _ => None,
        };
        if let (Some(proxy), Some(key), Some(leaf)) = (proxy_at(state, 1), field_at(state, 2), leaf)
            && glance::write(host_of(state), proxy, key, leaf)
        {
            return 0;
        }
        in_full(state, 3, 0)
    }
}

unsafe extern "C-unwind" fn next_of_list(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: whatever scripts call this with, two places are there; there is room for more.
    unsafe {
        ffi::lua_settop(state, 2);
        let at = ffi::lua_tonumber(state, 2) + 1.0;
        let host = host_of(state);
        if let Some(proxy) = proxy_at(state, 1)
            && let Some(seen) = glance::read(host, proxy, Field::Place(at))
        {
            ffi::lua_pushnumber(state, at);
            push_seen(state, host, seen);
        } else {
            ffi::lua_pushnumber(state, at);
            ffi::lua_pushvalue(state, -1);
            ffi::lua_gettable(state, 1);
        }
        if ffi::lua_type(state, -1) == ffi::LUA_TNIL { 1 } else { 2 }
    }
}

/// # Safety
/// The state must be live.
pub(super) unsafe fn proxy_at(state: *mut ffi::lua_State, at: c_int) -> Option<Proxy> {
    // SAFETY: only `push_new` makes userdata with this tag, and it writes a whole proxy.
    unsafe { ffi::lua_touserdatatagged(state, at, PROXY).cast::<Proxy>().as_ref().copied() }
}

/// # Safety
/// The state must be live; the key must stay on the stack as long as the field is used.
unsafe fn field_at<'k>(state: *mut ffi::lua_State, at: c_int) -> Option<Field<'k>> {
    // SAFETY: as asked for.
    unsafe {
        match ffi::lua_type(state, at) {
            ffi::LUA_TSTRING => utf8(text_at(state, at)).map(Field::Name),
            ffi::LUA_TNUMBER => Some(Field::Place(ffi::lua_tonumber(state, at))),
            _ => None,
        }
    }
}

/// # Safety
/// The state must be live and inside one of the functions above, with room for three values.
unsafe fn push_seen(state: *mut ffi::lua_State, host: &Host, seen: Seen) {
    // SAFETY: nothing has written to the world since the text was looked at.
    unsafe {
        match seen {
            Seen::Nothing => ffi::lua_pushnil(state),
            Seen::Truth(truth) => ffi::lua_pushboolean(state, c_int::from(truth)),
            Seen::Number(number) => ffi::lua_pushnumber(state, number),
            Seen::Text(bytes, length) => ffi::lua_pushlstring_(state, bytes.cast(), length),
            Seen::Table(node) => push_table(state, host, node, ffi::lua_upvalueindex(PROXIES)),
        }
    }
}

/// Pushes the proxy of a table: the one in the table of proxies, or a new one that is put there.
///
/// # Safety
/// The state must be live, with room for three values; the table of proxies must be at that place,
/// which is not counted from the top.
unsafe fn push_table(state: *mut ffi::lua_State, host: &Host, node: NodeId, proxies: c_int) {
    let turn = host.turn.number();
    // Cells are counted from 0, lists of Lua from 1.
    let at = c_int::try_from(node.cell()).expect("memory runs out before cells do") + 1;
    // SAFETY: as asked for.
    unsafe {
        ffi::lua_rawgeti_(state, proxies, at);
        let kept = proxy_at(state, -1);
        if kept.is_some_and(|kept| kept.node == Some(node) && kept.turn == turn) {
            return;
        }
        ffi::lua_settop(state, -2);
        push_new(state, Proxy { node: Some(node), turn });
        ffi::lua_pushvalue(state, -1);
        ffi::lua_rawseti_(state, proxies, at);
    }
    host.turn.note_proxy();
}

/// # Safety
/// The state must be live, with room for one value.
unsafe fn push_new(state: *mut ffi::lua_State, proxy: Proxy) {
    // SAFETY: the room that is asked for is that of a proxy, is aligned for it, and is written
    // before anyone reads it. A proxy wants no dropping.
    unsafe {
        let size = size_of::<Proxy>();
        ffi::lua_newuserdatataggedwithmetatable(state, size, PROXY).cast::<Proxy>().write(proxy);
    }
}
