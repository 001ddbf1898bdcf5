//! A build with our assertions has Luau's, too.

use std::process::Command;

use mlua::{Lua, ffi};

const CHILD_VARIABLE: &str = "SUB_ROSA_BREAKS_AN_ASSERTION";

/// The index is far beyond the stack: harmless, and refused by an assertion of Luau.
#[test]
#[allow(unsafe_code)]
fn luau_checks_its_assertions_where_the_engine_does() {
    if std::env::var_os(CHILD_VARIABLE).is_some() {
        let read_beyond = |state| {
            // SAFETY: without assertions the index has no value.
            unsafe { ffi::lua_type(state, 10_000) };
        };
        // SAFETY: nothing is left on the stack.
        return unsafe { Lua::new().exec_raw((), read_beyond) }.unwrap();
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "assertions::luau_checks_its_assertions_where_the_engine_does"])
        .env(CHILD_VARIABLE, "1")
        .output()
        .unwrap();
    assert_eq!(child.status.success(), !cfg!(debug_assertions), "{child:?}");
}
