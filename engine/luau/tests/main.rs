//! The border to Luau: each mistake that a caller could make has a defined result. Luau's own
//! assertions are compiled in here, so what would reach its memory ends the process.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod assertions;
mod blocks;
mod calls;
mod stack;
mod tables;
mod userdata;

use std::cell::RefCell;

use luau::{CallError, Stack, StackIndex};
use mlua::{ExternalError as _, IntoLuaMulti, Lua, ffi};

/// Calls a host function with this body, with the text "up" as its upvalue.
fn call_host_function(
    lua: &Lua,
    arguments: impl IntoLuaMulti,
    body: impl Fn(Stack<'_>) -> Result<StackIndex, CallError> + 'static,
) -> mlua::Result<mlua::MultiValue> {
    luau::create_stack_function(lua, None, "up", body)?.call(arguments)
}

/// The text of the error that the body raises.
#[track_caller]
fn raised_error(arguments: impl IntoLuaMulti, body: impl Fn(Stack<'_>) + 'static) -> String {
    let outcome = call_host_function(&Lua::new(), arguments, move |stack| {
        body(stack);
        Ok(0)
    });
    outcome.expect_err("no error was raised").to_string()
}

/// What the body returns in a host function with these arguments.
fn result_in_call<R: 'static>(
    arguments: impl IntoLuaMulti,
    body: impl Fn(Stack<'_>) -> R + 'static,
) -> R {
    let result = std::rc::Rc::new(RefCell::new(None));
    let result_in_body = result.clone();
    call_host_function(&Lua::new(), arguments, move |stack| {
        *result_in_body.borrow_mut() = Some(body(stack));
        Ok(0)
    })
    .unwrap();
    result.take().unwrap()
}

/// Indices without a value in a call with fewer than five: outside the stack, of the function's own
/// data, beyond its upvalues, of the registry and of the globals.
fn indices_without_value() -> Vec<StackIndex> {
    let mut indices = vec![0, -1, -2, -100, 5, 20, 21, 1000, StackIndex::MAX, StackIndex::MIN];
    indices.extend([-1, 0, 2, 255, 256, 1000].map(luau::upvalue_index));
    indices.extend([ffi::LUA_REGISTRYINDEX, ffi::LUA_GLOBALSINDEX]);
    indices
}

fn fail_with(text: &'static str) -> Result<StackIndex, CallError> {
    Err(text.into_lua_err().into())
}
