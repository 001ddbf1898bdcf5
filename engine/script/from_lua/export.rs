//! `export` and `export_builder`: names that a mod gives to itself and to those that need it.

use mlua::Value;

use crate::kit::{Problem, id::check_word};
use crate::script::row::{Api, Call, row};
use crate::script::words::found;

/// Declares them.
pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Loading "export"(name: String, work: Value as "(...any) -> ...any") -> "()",
        "Gives a function a name that this mod and those that need it see.",
        |call| give(call, &name, work)
    )?;
    row!(
        api, Loading "export_builder"(name: String, work: Value as "(...any) -> ...any") -> "()",
        "The same for a function that is called while loading, to build definitions.",
        |call| give(call, &name, work)
    )
}

fn give(call: &Call<'_>, name: &str, value: Value) -> mlua::Result<()> {
    let (host, verb) = (call.host, call.name);
    host.heard.loud.set(true);
    if let Err(why) = check_word(name) {
        return Err(Problem::error("bad-name", format!("{verb} \"{name}\": {why}")).into());
    }
    if !value.is_function() {
        let given = format!("{verb} \"{name}\" was given {}", found(&value));
        return Err(Problem::error("bad-argument", given).expected("a function").into());
    }
    let taken = host.environments.give(host.place_of_caller(&call.lua()), name, value)?;
    taken.map_or(Ok(()), |problem| Err(problem.into()))
}
