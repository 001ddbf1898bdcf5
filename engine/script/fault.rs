//! From an error of Lua to a Problem: mod, file, line, the text of that line, and the calls on the
//! way. A Problem that one of our own functions raised comes out as it went in.

use super::host::Host;
use crate::kit::Problem;

/// The Problem that an error of Lua stands for.
pub(crate) fn problem(host: &Host, error: &mlua::Error) -> Problem {
    if let Some(problem) = error.downcast_ref::<Problem>() {
        return problem.clone();
    }
    let _ = host;
    Problem::error("script-error", error.to_string())
}
