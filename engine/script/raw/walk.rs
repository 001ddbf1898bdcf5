//! What those who read Lua's tables in one go share: the walk over a table, and the scales that a
//! value of plain data is weighed on.

use std::ffi::c_int;

use mlua::ffi;

use super::super::convert::weight;
use super::super::host::Host;
use super::super::proxy::Proxy;
use super::proxies::proxy_at;
use super::{text_at, utf8};
use crate::kit::{Value, limits};

/// Walks a table that is a list, has names, or both. `take` is handed each entry: where its value lies, and
/// where its key does if that is a text; what comes without one is the next of the list. `None` where a key
/// is neither, where there are too many entries, or where `take` says so; `Some` says how long the list is.
///
/// # Safety
/// The state must be live, the place counted from the bottom and that of a table. `take` leaves on the
/// stack what was there.
pub(super) unsafe fn entries(
    state: *mut ffi::lua_State,
    at: c_int,
    mut take: impl FnMut(c_int, Option<c_int>) -> Option<()>,
) -> Option<usize> {
    let (mut listed, mut all) = (0_usize, 0_usize);
    // SAFETY: room for a key, a value and what `take` pushes is asked for; both are taken away after each
    // entry.
    unsafe {
        ffi::lua_rawcheckstack(state, 6);
        let key = ffi::lua_gettop(state) + 1;
        let value = key + 1;
        let mut next = ffi::lua_rawiter(state, at, 0);
        while next >= 0 {
            match ffi::lua_type(state, key) {
                ffi::LUA_TNUMBER => {
                    listed += 1;
                    if ffi::lua_tonumber(state, key) != listed as f64 {
                        return None;
                    }
                    take(value, None)?;
                }
                ffi::LUA_TSTRING => take(value, Some(key))?,
                _ => return None,
            }
            all += 1;
            if all > limits::TABLE_ENTRIES {
                return None;
            }
            ffi::lua_settop(state, key - 1);
            next = ffi::lua_rawiter(state, at, next);
        }
    }
    Some(listed)
}

/// Weighs plain data while it is read: what is too much for a state is nothing that is read in one go.
pub(super) struct Scales<'h> {
    host: &'h Host,
    /// Values so far, tables as heavy as they are.
    pub(super) nodes: usize,
    /// Bytes of texts so far: one text may stand in many places, and is copied for each.
    bytes: usize,
}

impl<'h> Scales<'h> {
    /// Nothing lies on them.
    pub(super) fn new(host: &'h Host) -> Self {
        Self { host, nodes: 0, bytes: 0 }
    }

    /// Takes everything off them.
    pub(super) fn clear(&mut self) {
        (self.nodes, self.bytes) = (0, 0);
    }

    /// Lays something on; `None` where it is too much.
    pub(super) fn weigh(&mut self, nodes: usize, bytes: usize) -> Option<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        self.bytes = self.bytes.saturating_add(bytes);
        (self.nodes <= limits::STATE_NODES && self.bytes <= limits::STATE_BYTES).then_some(())
    }

    /// A text that is neither too long nor anything but UTF-8.
    ///
    /// # Safety
    /// The state must be live and a text stand there, for as long as it is used.
    pub(super) unsafe fn text<'s>(
        &mut self,
        state: *mut ffi::lua_State,
        at: c_int,
    ) -> Option<&'s str> {
        // SAFETY: as asked for.
        let bytes = unsafe { text_at(state, at) };
        let fits = bytes.len() <= limits::TEXT_BYTES;
        let text = fits.then(|| utf8(bytes)).flatten()?;
        self.weigh(0, text.len())?;
        Some(text)
    }

    /// A copy of a part of the state.
    ///
    /// # Safety
    /// The state must be live, and a value of the host's stand there.
    pub(super) unsafe fn part(&mut self, state: *mut ffi::lua_State, at: c_int) -> Option<Value> {
        // SAFETY: as asked for.
        let proxy: Proxy = unsafe { proxy_at(state, at) }?;
        let world = self.host.world.try_borrow().ok()?;
        let node = proxy.node.filter(|_| proxy.turn == self.host.turn.number())?;
        let value = world.state.value(node).ok()?;
        drop(world);
        let (nodes, bytes) = weight(&value);
        self.weigh(nodes, bytes)?;
        Some(value)
    }
}
