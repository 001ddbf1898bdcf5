//! Functions of scripts: stored, checked when they are called, frozen.

pub(crate) mod compile_mod_file;
pub(crate) mod freeze_values;
pub(crate) mod function_call_checker;
pub(crate) mod function_wrappers;
pub(crate) mod runtime_type_checker;
pub(crate) mod stored_functions;
