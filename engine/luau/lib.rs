//! The layer below everything that knows a world or a game: Luau's stack, host functions, protected
//! calls, conversion of whole tables, userdata, and inspection of running code. All `unsafe` code
//! is here, each block with its reason; the crates above use safe Rust.
//!
//! No safe function has a precondition: what must hold is checked, also in a release build. The
//! collector is stopped from the first host function on, and only `collect_garbage` runs it, never
//! during a call; a lint forbids mlua's functions for it. So a value seen on a stack stays valid for
//! the whole call, and texts are read in place. A Luau error is a C++ exception: it unwinds our
//! frames and drops what they hold.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod allocation_observer;
mod call_arguments;
mod debug;
mod frame;
mod function;
mod garbage;
mod lua_type;
mod protected_call;
mod read;
mod stack;
mod tables;
mod userdata;
mod write;

pub use allocation_observer::{
    AllocationObserver, clear_watched_blocks, has_watched_texts, inspect_watched_texts,
    resume_watched_blocks, retain_watched_table_parts, suspend_watched_blocks,
    watched_table_part_count,
};
pub use call_arguments::{clear_recorded_calls, recorded_arguments};
pub use debug::{
    InterruptHandler, InterruptedCall, call_with_stack, install_callbacks, read_upvalues,
    upvalue_fingerprint,
};
pub use function::{
    CallError, count_error_memory, create_stack_function, create_typed_function,
    create_uncharged_lookup, into_counted_error,
};
pub use garbage::collect_garbage;
pub use lua_type::LuaType;
pub use protected_call::ProtectedCaller;
pub use read::{
    ConvertError, ConvertErrorKind, ConvertPathStep, ReadSize, TABLE_WITH_METATABLE, TableReader,
    ValueVisitor,
};
pub use stack::{ALL_RESULTS, Stack, StackIndex, upvalue_index};
pub use userdata::{
    TaggedUserdata, copy_missing_entries, create_empty_userdata, register_empty_userdata,
    set_type_metatable,
};
