//! The layer below everything that knows a world or a game: Luau's stack, host functions, protected
//! calls, conversion of whole tables, userdata, and inspection of running code. All `unsafe` code
//! is here, each block with its reason; the crates above use safe Rust.
//!
//! The collector is stopped while a script runs (`Vm` collects between calls). So a value seen on a
//! stack stays valid for the whole call, and texts are read in place. A Luau error is a C++
//! exception: it unwinds our frames and drops what they hold.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod allocation_observer;
mod call_arguments;
mod debug;
mod function;
mod lua_type;
mod protected_call;
mod read;
mod stack;
mod userdata;
mod write;

pub use allocation_observer::{
    AllocationObserver, MemoryBlock, read_table_part_words, read_text_bytes,
};
pub use call_arguments::{clear_recorded_calls, recorded_arguments};
pub use debug::{
    InterruptHandler, call_with_stack, install_callbacks, read_upvalues, upvalue_fingerprint,
};
pub use function::{
    CallError, count_error_memory, create_stack_function, create_typed_function,
    create_uncharged_lookup, into_counted_error,
};
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
