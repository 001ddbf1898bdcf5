//! Compiles files to bytecode with counts of fuel in it.

pub(crate) mod bytecode;
pub(crate) mod compile_cache;
pub(crate) mod compiler_options;
