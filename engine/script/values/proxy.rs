//! The state as scripts see it: userdata (proxies) for tables of the state tree. Reads return
//! leaves as values and tables as further proxies; writes copy the value into the tree.
//!
//! Most reads do not come here: see `table_mirrors`. Within one call into the VM a table always has
//! the same proxy, so that `==` works. A proxy whose table has left the tree, or that was kept past
//! its call, is refused at its next use.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, c_int};
use std::fmt;
use std::rc::Rc;

use mlua::{AnyUserData, Function, Lua};

use super::plain_data::MixedTablePolicy;
use super::table_mirrors::{MAX_MIRROR_ENTRIES, MIRROR_FIELD_INDEX, READER_FIELD_NAME};
use crate::diagnostics::state_errors::{bad_key_error, not_a_proxy_error, state_error};
use crate::host::Host;
use crate::host::phase::Availability;
use crate::host::upvalues::PROXIES_UPVALUE;
use base::{limits, meter, truncate_quoted_bytes, truncate_quoted_text};
use luau::{CallError, LuaType, Stack, StackIndex, TaggedUserdata, call_with_stack};
use state::{Key, StateError, StateTree, StoredValue, TableHandle, display_state_path};

/// A table of the state, as scripts hold it.
#[derive(Clone, Copy)]
pub(crate) struct StateProxy {
    /// The table; `None` for the whole state, which is looked up in each call.
    node: Option<TableHandle>,
    /// The call to which it belongs.
    call_number: u64,
}

impl TaggedUserdata for StateProxy {
    const TAG: c_int = 77;
}

/// Creates a function that may push proxies.
pub(crate) fn create_proxy_function(
    lua: &Lua,
    host: &Rc<Host>,
    name: Option<&'static CStr>,
    body: impl Fn(&Rc<Host>, Stack<'_>) -> Result<StackIndex, CallError> + 'static,
) -> mlua::Result<Function> {
    let proxies = host.call_scope.proxies(lua)?.clone();
    let host = host.clone();
    luau::create_stack_function(lua, name, proxies, move |stack| {
        let check_paid = |count| host.check_fuel_budget().map(|()| count).map_err(CallError::from);
        body(&host, stack)
            .and_then(check_paid)
            .map_err(|call_error| host.add_caller_location(call_error))
    })
}

/// Registers the metatable of proxies.
pub(crate) fn register_proxy_metatable(lua: &Lua, host: &Rc<Host>) -> mlua::Result<()> {
    // With capacity for all entries, so that the first one is found in one lookup; it is used most.
    let metatable = lua.create_table_with_capacity(1, 8)?;
    metatable.raw_set(MIRROR_FIELD_INDEX, false)?;
    let add_method =
        |name: &'static CStr, body: fn(&Rc<Host>, Stack<'_>) -> Result<StackIndex, CallError>| {
            let method_name = name.to_str().unwrap_or_default();
            metatable.raw_set(method_name, create_proxy_function(lua, host, Some(name), body)?)
        };
    add_method(c"__index", |host, stack| read_state_entry(host, stack))?;
    metatable.raw_set(READER_FIELD_NAME, metatable.raw_get::<Function>("__index")?)?;
    metatable.raw_set("__type", "state")?;
    metatable.raw_set("__metatable", false)?;
    add_method(c"__len", |host, stack| {
        let node = host.table_handle_at(stack, 1)?;
        let length = host.call_context.world.borrow().state.list_length(node);
        stack.push_number(length.map_err(|error| state_error("state", &error))? as f64);
        Ok(1)
    })?;
    add_method(c"__tostring", |host, stack| {
        let node = host.table_handle_at(stack, 1)?;
        stack.push_text(host.format_full_state_path(node));
        Ok(1)
    })?;
    add_method(c"__iter", |host, stack| {
        let lua = host.lua();
        let node = host.table_handle_at(stack, 1)?;
        stack.push_value(&lua, table_iterator(&lua, host, node)?)?;
        Ok(1)
    })?;
    add_method(c"__newindex", |host, stack| write_state_entry(host, stack))?;
    luau::set_type_metatable::<StateProxy>(lua, &metatable)
}

/// The proxy of the whole state, valid in every call.
pub(crate) fn root_proxy(lua: &Lua, host: &Host) -> mlua::Result<AnyUserData> {
    let create_proxy = || {
        call_with_stack(lua, (), |stack| {
            stack.push_tagged_userdata(StateProxy { node: None, call_number: 0 })
        })
    };
    host.mirrors.root_proxy(create_proxy)
}

fn read_state_entry(host: &Host, stack: Stack<'_>) -> Result<StackIndex, CallError> {
    const KEY_INDEX: StackIndex = 2;
    // Luau resolves names ahead of time; nil here means: ask again at run time.
    if host.is_compiling.get() {
        stack.push_nil();
        return Ok(1);
    }
    // Whether a short value is read here or by Luau itself depends on earlier reads: it costs
    // nothing.
    let parts_before = meter::remaining_fuel_parts();
    let node = host.table_handle_at(stack, 1)?;
    let world = host.call_context.world.borrow();
    let mut long_bytes = 0;
    let slot = match stack.lua_type(KEY_INDEX) {
        LuaType::Text => stack.text(KEY_INDEX).map(|name| {
            if name.len() >= limits::MIN_CHECKED_TEXT_BYTES
                && may_hold_long_names(&world.state, node)
            {
                long_bytes = name.len();
            }
            world.state.get_ref_by_text_key(node, name)
        }),
        LuaType::Number => list_index(stack.number(KEY_INDEX))
            .map(|index| world.state.get_ref_by_index(node, index)),
        _ => None,
    };
    match slot {
        Some(Ok(slot)) => {
            host.push_stored_value(stack, slot);
            if let StoredValue::Text(text) = slot
                && text.len() >= limits::MIN_CHECKED_TEXT_BYTES
            {
                long_bytes += text.len();
            }
            drop(world);
            host.create_mirror(stack, node);
            meter::set_remaining_fuel_parts(parts_before);
            meter::charge_bytes(long_bytes);
        }
        Some(Err(error)) => return Err(state_error("a table of the state", &error)),
        None => stack.push_nil(),
    }
    Ok(1)
}

/// Whether a table may have names so long that it has no mirror.
#[cold]
fn may_hold_long_names(state: &StateTree, node: TableHandle) -> bool {
    let is_large = !state.entry_count(node).is_ok_and(|count| count <= MAX_MIRROR_ENTRIES);
    is_large
        || state.map_entries(node).any(|(name, _)| name.len() >= limits::MIN_CHECKED_TEXT_BYTES)
}

fn write_state_entry(host: &Host, stack: Stack<'_>) -> Result<StackIndex, CallError> {
    const KEY_INDEX: StackIndex = 2;
    const VALUE_INDEX: StackIndex = 3;
    let node = host.table_handle_at(stack, 1)?;
    let target = WriteTarget { host, node, stack, key: KEY_INDEX };
    host.execution_mode.check_write(&target)?;
    let value = host.read_plain_value_at(stack, VALUE_INDEX, &target, MixedTablePolicy::Reject)?;
    if host.write_checks.is_enabled.get()
        && let Some(key) = target.key()
        && let Some(problem) = host.check_write(node, &key, value.as_ref())
    {
        return Err(problem.into());
    }
    let write_result = match stack.lua_type(KEY_INDEX) {
        LuaType::Text => match stack.text(KEY_INDEX) {
            Some(name) => {
                host.call_context.world.borrow_mut().state.set_by_text_key(node, name, value)
            }
            None => return Err(bad_key_error(host, node, "a text that is not UTF-8")),
        },
        LuaType::Number => match list_index(stack.number(KEY_INDEX)) {
            Some(index @ 1..) => {
                host.call_context.world.borrow_mut().state.set_by_index(node, index, value)
            }
            _ => {
                return Err(bad_key_error(
                    host,
                    node,
                    &format!("the number {}", stack.number(KEY_INDEX)),
                ));
            }
        },
        LuaType::Bool => return Err(bad_key_error(host, node, "a boolean")),
        LuaType::Table => return Err(bad_key_error(host, node, "a table")),
        LuaType::Function => return Err(bad_key_error(host, node, "a function")),
        LuaType::Nil => return Err(bad_key_error(host, node, "nil")),
        _ => return Err(bad_key_error(host, node, "an object of the engine")),
    };
    write_result.map_err(|error| state_error(target, &error))?;
    host.update_mirrors(stack, node, Some(KEY_INDEX));
    Ok(0)
}

/// An iterator over a list: from the list and a position to the next position and entry.
pub(crate) fn list_iterator(lua: &Lua, host: &Rc<Host>) -> mlua::Result<Function> {
    create_proxy_function(lua, host, Some(c"each"), |host, stack| {
        stack.set_top(2);
        let next_index = stack.number(2) + 1.0;
        stack.push_number(next_index);
        match (stack.tagged_userdata::<StateProxy>(1), list_index(next_index)) {
            (Some(proxy), Some(index)) => {
                let node = host.table_handle_of_proxy(proxy)?;
                let world = host.call_context.world.borrow();
                let slot = world.state.get_ref_by_index(node, index);
                host.push_stored_value(
                    stack,
                    slot.map_err(|error| state_error("a table of the state", &error))?,
                );
            }
            _ => {
                stack.push_number(next_index);
                stack.get_with_metamethods(1);
            }
        }
        Ok(if stack.lua_type(stack.top()) == LuaType::Nil { 1 } else { 2 })
    })
}

/// Iterates over a table: lists in order, names sorted. Entries written meanwhile may be visited or
/// not; the iteration stays valid.
pub(crate) fn table_iterator(
    lua: &Lua,
    host: &Rc<Host>,
    node: TableHandle,
) -> mlua::Result<Function> {
    let call_number = host.call_scope.call_number();
    let last_key: RefCell<Option<Key>> = RefCell::new(None);
    create_proxy_function(lua, host, None, move |host, stack| {
        if host.call_scope.call_number() != call_number {
            return Err(state_error("a table of the state", &StateError::StaleHandle));
        }
        let world = host.call_context.world.borrow();
        let entry = world.state.next_entry(node, last_key.borrow().as_ref());
        let entry = entry.map_err(|error| state_error("a table of the state", &error))?;
        let Some((key, slot)) = entry else {
            stack.push_nil();
            stack.push_nil();
            return Ok(2);
        };
        match &key {
            Key::Index(index) => stack.push_number(f64::from(*index)),
            Key::Text(name) => stack.push_text(&**name),
        }
        *last_key.borrow_mut() = Some(key);
        host.push_stored_value(stack, &slot);
        Ok(2)
    })
}

/// The list index that a number means, from 0.
fn list_index(number: f64) -> Option<u32> {
    let index = number as u32;
    (f64::from(index) == number).then_some(index)
}

impl Host {
    /// The table of a proxy.
    #[inline]
    pub(crate) fn table_handle_of_proxy(
        &self,
        proxy: StateProxy,
    ) -> Result<TableHandle, CallError> {
        match proxy.node {
            Some(node) if proxy.call_number == self.call_scope.call_number() => Ok(node),
            Some(_) => Err(state_error("a table of the state", &StateError::StaleHandle)),
            None => {
                self.check_function_allowed(Availability::Reading, "state")?;
                Ok(self.call_context.world.borrow().game_table())
            }
        }
    }

    /// The table of the proxy at a stack index.
    #[inline]
    pub(crate) fn table_handle_at(
        &self,
        stack: Stack<'_>,
        index: StackIndex,
    ) -> Result<TableHandle, CallError> {
        match stack.tagged_userdata::<StateProxy>(index) {
            Some(proxy) => self.table_handle_of_proxy(proxy),
            None => Err(not_a_proxy_error()),
        }
    }

    /// Pushes the value of a slot. The running function must come from `create_proxy_function`.
    #[inline]
    pub(crate) fn push_stored_value(&self, stack: Stack<'_>, slot: &StoredValue) {
        meter::charge_table_entries(8);
        match slot {
            StoredValue::Nil => stack.push_nil(),
            StoredValue::Bool(truth) => stack.push_bool(*truth),
            StoredValue::Int(int) => stack.push_number(*int as f64),
            StoredValue::Num(number) => stack.push_number(*number),
            StoredValue::Text(text) => stack.push_text(&**text),
            StoredValue::Table(node) => self.push_proxy(stack, *node),
        }
    }

    /// Pushes the proxy of a table: the one from this call, or a new one.
    fn push_proxy(&self, stack: Stack<'_>, node: TableHandle) {
        let call_number = self.call_scope.call_number();
        let cache_index = self.mirrors.proxy_index(node);
        stack.raw_get_at(PROXIES_UPVALUE, cache_index);
        let top = stack.top();
        let cached_proxy = stack.tagged_userdata::<StateProxy>(top);
        if cached_proxy.is_some_and(|cached_proxy| {
            cached_proxy.node == Some(node) && cached_proxy.call_number == call_number
        }) {
            return;
        }
        stack.set_top(top - 1);
        stack.push_tagged_userdata(StateProxy { node: Some(node), call_number });
        stack.push_copy(top);
        stack.raw_set_at(PROXIES_UPVALUE, cache_index);
        self.call_scope.count_proxy();
    }

    /// The path of a table of the state for a message, as a script would write it, long names cut:
    /// `state.hero.bag[3]`.
    pub(crate) fn format_state_path(&self, node: TableHandle, key: Option<Key>) -> String {
        let cut = |key: Key| match key {
            Key::Text(name) if matches!(truncate_quoted_text(&name), Cow::Owned(_)) => {
                Key::from(&*truncate_quoted_text(&name))
            }
            key => key,
        };
        self.display_path(self.path_keys_to_node(node).into_iter().chain(key).map(cut).collect())
    }

    /// The same with whole names.
    fn format_full_state_path(&self, node: TableHandle) -> String {
        self.display_path(self.path_keys_to_node(node))
    }

    pub(crate) fn path_keys_to_node(&self, node: TableHandle) -> Vec<Key> {
        let Ok(world) = self.call_context.world.try_borrow() else { return Vec::new() };
        // The first key leads from the root to the game's own table.
        world.state.path_to_table(node).into_iter().skip(1).collect()
    }

    fn display_path(&self, path: Vec<Key>) -> String {
        // A bot's own memory has its own name.
        let root = if self.is_bot_running.get() { "memory" } else { "state" };
        let path = display_state_path(&path);
        match path.chars().next() {
            None => root.to_owned(),
            Some('[') => format!("{root}{path}"),
            Some(_) => format!("{root}.{path}"),
        }
    }
}

/// The target of a write, as a script would write it; formatted only when shown.
#[derive(Clone, Copy)]
struct WriteTarget<'a> {
    host: &'a Host,
    node: TableHandle,
    stack: Stack<'a>,
    key: StackIndex,
}

impl WriteTarget<'_> {
    fn key(&self) -> Option<Key> {
        match self.stack.lua_type(self.key) {
            LuaType::Number => list_index(self.stack.number(self.key)).map(Key::Index),
            LuaType::Text => self
                .stack
                .text_bytes(self.key)
                .map(|name| Key::Text(truncate_quoted_bytes(name).into())),
            _ => None,
        }
    }
}

impl fmt::Display for WriteTarget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host.format_state_path(self.node, self.key()))
    }
}
