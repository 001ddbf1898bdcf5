//! `require "lib/name"`: constant tables and pure functions of a mod's `lib/`, or of that of a mod
//! it needs (`require "@other/lib/name"`). Nothing else can be reached: files are looked up among
//! the mods' own, never on a disk.

use std::rc::Rc;

use mlua::{Lua, Table, Value};

use crate::kit::Problem;
use crate::script::host::Host;
use crate::script::{freeze, load};

/// Puts `require` into the base.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let owner = host.clone();
    let require = lua.create_function(move |lua, path: String| {
        owner.loading(lua, "require")?;
        require(lua, &owner, &path)
    })?;
    base.set("require", require)
}

fn require(lua: &Lua, host: &Rc<Host>, path: &str) -> mlua::Result<Value> {
    host.quiet.set(false);
    let caller = host.calling_mod(lua);
    let (owner, name) = match path.strip_prefix('@').and_then(|path| path.split_once('/')) {
        Some((owner, name)) => (owner.to_owned(), name),
        None => (caller.clone(), path),
    };
    let bad = |found: String| Problem::error("bad-require", found);
    let form = "\"lib/name\", or \"@mod/lib/name\" of a mod that this one needs";
    if !name.starts_with("lib/") || path.contains("..") {
        return Err(host.fail(lua, bad(format!("\"{path}\" lies outside lib/")).expected(form)));
    }
    if !host.environments.sees(&caller, &owner) {
        let problem = bad(format!("`{caller}` does not need `{owner}`")).expected(form);
        let hint = format!("write `needs = {{ {owner} = \"…\" }}` into mod.toml");
        return Err(host.fail(lua, problem.hint(hint)));
    }
    let endings = ["", ".luau", ".lua"];
    let file = endings
        .iter()
        .map(|ending| format!("{name}{ending}"))
        .find(|file| host.sources.text(&owner, file).is_some());
    let Some(file) = file else {
        let found = format!("there is no file {name}.luau in `{owner}`");
        return Err(host.fail(lua, bad(found)));
    };
    let chunk = format!("{owner}/{file}");
    let earlier = host.required.borrow().get(&chunk).cloned();
    match earlier {
        Some(Some(value)) => return Ok(value),
        Some(None) => {
            let problem =
                bad(format!("{chunk} requires itself")).expected("files without a circle");
            return Err(host.fail(lua, problem));
        }
        None => {}
    }
    host.required.borrow_mut().insert(chunk.clone(), None);
    let value: Value = load::compile(lua, host, &owner, &file)?.call(())?;
    if value.is_nil() {
        let problem = bad(format!("{chunk} returns nothing"));
        return Err(host.fail(lua, problem.hint("end the file with `return { … }`")));
    }
    freeze::freeze(lua, vec![value.clone()])?;
    host.required.borrow_mut().insert(chunk, Some(value.clone()));
    Ok(value)
}
