//! Wrappers that check the arguments and the result of each call of an export, and of each layer of
//! a wrapped function.

use std::cell::Cell;
use std::rc::Rc;

use mlua::{Function, Lua};

use super::function_call_checker::FunctionCallChecker;
use crate::host::Host;
use base::SourceLocation;
use luau::Stack;

impl Host {
    /// An export that is type-checked in strict mode.
    pub(crate) fn wrap_export_with_checks(
        self: &Rc<Self>,
        lua: &Lua,
        id: &str,
        place: Option<SourceLocation>,
        function: Function,
    ) -> mlua::Result<Function> {
        let Some(place) = place.filter(|_| self.checks_export_calls.get()) else {
            return Ok(function);
        };
        let (host, checked_function) = (self.clone(), FunctionCallChecker::new(id, place));
        luau::create_stack_function(lua, Some(c"export"), function, move |stack| {
            checked_function.check_arguments(&host, stack)?;
            forward_call(stack);
            checked_function.check_result(&host, stack)?;
            Ok(stack.top())
        })
    }

    /// One layer of a wrapped function, with checks of its arguments and result. All layers share
    /// `is_call_valid`: whether the arguments of the outermost call match.
    pub(crate) fn wrap_wrapper_with_checks(
        self: &Rc<Self>,
        lua: &Lua,
        (checked_function, layer): (FunctionCallChecker, WrapperPosition),
        is_call_valid: &Rc<Cell<bool>>,
        function: Function,
    ) -> mlua::Result<Function> {
        let (host, is_call_valid) = (self.clone(), is_call_valid.clone());
        luau::create_stack_function(lua, Some(c"part"), function, move |stack| {
            let _scoped_flag = match layer {
                WrapperPosition::Outermost => Some(ScopedFlag::new(
                    &is_call_valid,
                    checked_function.arguments_match(&host, stack),
                )),
                WrapperPosition::Innermost | WrapperPosition::Intermediate
                    if is_call_valid.get() =>
                {
                    checked_function.check_arguments(&host, stack)?;
                    None
                }
                _ => None,
            };
            forward_call(stack);
            match layer {
                // A wrong result of the innermost function alone is a matter for its own tests;
                // wrappers are not responsible for it.
                WrapperPosition::Innermost if !host.is_strict.get() => {
                    is_call_valid
                        .set(is_call_valid.get() && checked_function.result_matches(&host, stack));
                }
                WrapperPosition::Innermost => checked_function.check_result(&host, stack)?,
                _ if is_call_valid.get() => checked_function.check_result(&host, stack)?,
                _ => {}
            }
            Ok(stack.top())
        })
    }
}

/// The position of a layer in a wrapped function.
#[derive(Clone, Copy)]
pub(crate) enum WrapperPosition {
    /// The original function.
    Innermost,
    /// A wrapper with other wrappers around it.
    Intermediate,
    /// The wrapper that callers call.
    Outermost,
}

/// Sets a flag for the time of a call and restores it when dropped.
struct ScopedFlag<'c> {
    flag: &'c Cell<bool>,
    previous_value: bool,
}

impl<'c> ScopedFlag<'c> {
    fn new(cell: &'c Cell<bool>, value: bool) -> Self {
        Self { flag: cell, previous_value: cell.replace(value) }
    }
}

impl Drop for ScopedFlag<'_> {
    fn drop(&mut self) {
        self.flag.set(self.previous_value);
    }
}

/// Calls the function in the first upvalue and leaves its results.
pub(crate) fn forward_call(stack: Stack<'_>) {
    let argument_count = stack.top();
    stack.push_copy(luau::upvalue_index(1));
    stack.insert(1);
    stack.call(argument_count, luau::ALL_RESULTS);
}
