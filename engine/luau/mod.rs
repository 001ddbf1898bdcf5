//! The layer below everything that knows a world or a game: Luau's stack, host functions, protected
//! calls, conversion of whole tables, userdata, and inspection of running code. All `unsafe` code
//! is here, each block with its reason; the rooms above use safe Rust.
//!
//! The collector is stopped while a script runs (`Vm` collects between calls). So a value seen on a
//! stack stays valid for the whole call, and texts are read in place. A Luau error is a C++
//! exception: it unwinds our frames and drops what they hold.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod blocks;
mod call;
mod debug;
mod function;
mod read;
mod stack;
mod userdata;
mod write;

pub(crate) use blocks::{Block, Blocks, bytes, words};
pub(crate) use call::Protected;
pub(crate) use debug::{Interrupt, captured, once, print_of, watch};
pub(crate) use function::{Fault, function, keep_error, lookup, make};
pub(crate) use read::{Odd, Reader, Refused, Sink, Step, WITH_METATABLE, Weight};
pub(crate) use stack::{ALL, At, Kind, Stack, with};
pub(crate) use userdata::{Carried, allow_blank, blank, copy_into, set_rules_of};
