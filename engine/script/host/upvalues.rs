//! The upvalues that every host function has.

use luau::StackIndex;

/// The proxies of the state.
pub(crate) const PROXIES_UPVALUE: StackIndex = luau::upvalue_index(1);
/// The functions of hooks, by event.
pub(crate) const HOOK_FUNCTIONS_UPVALUE: StackIndex = luau::upvalue_index(2);
/// The handler that converts errors.
pub(crate) const ERROR_HANDLER_UPVALUE: StackIndex = luau::upvalue_index(3);
/// The metatable of the parts of a roll whose dice are not enumerated.
pub(crate) const HIDDEN_DICE_METATABLE_UPVALUE: StackIndex = luau::upvalue_index(4);
