//! Luau below everything that knows a world or a game: its stack, functions of ours that it calls,
//! protected calls, tables read and written in one go, values of the host's own, and looks at what
//! runs. Here and nowhere else stands `unsafe`, each time with its reason; what is above goes on in
//! safe Rust.
//!
//! The collector is stopped while anything of a script runs (`Vm` collects between calls), so that
//! what was seen on a stack stays for as long as the call: texts are read where they lie. An error of
//! Luau's is an exception of C++: it unwinds our frames and drops what they hold.
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
