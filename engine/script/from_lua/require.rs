//! `require "lib/name"`: constant tables and pure functions from a mod's `lib/`, or from that of a
//! mod it needs (`require "@other/lib/name"`). Files are looked up among the loaded mods, never on
//! a disk.

use mlua::ExternalError as _;
use std::rc::Rc;

use mlua::{Lua, Value};

use super::host_fn::{HostFnRegistry, host_fn};
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::diagnostics::missing_names::hint_make_visible;
use crate::functions::compile_mod_file::compile_mod_file;
use crate::functions::freeze_values;
use crate::host::Host;
use crate::host::script_sources::{resolve_require_path, split_require_path};
use base::problem::nearest_name;
use base::{Code, Problem, truncate_quoted_text};

/// Registers `require`. In play it is refused.
pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Loading "require"(path: String) -> "any",
        "The value that a file in `lib/` returns: `require \"lib/odds\"`, or `require \"@mod/lib/odds\"` for a mod that is needed.",
        |call| require_file(&call.lua(), call.host, &path)
    )
}

/// The file in the `lib/` of a mod whose name is nearest to one that is not there, without its
/// extension.
fn nearest_library(host: &Host, owner: &str, name: &str) -> Option<String> {
    let libraries: Vec<&str> = host.sources.library_names(owner).collect();
    let same_letters = |library: &&&str| library.to_lowercase() == name.to_lowercase();
    let other_case = libraries.iter().find(same_letters).copied();
    other_case.or_else(|| nearest_name(name, libraries.iter().copied())).map(str::to_owned)
}

fn require_file(lua: &Lua, host: &Rc<Host>, path: &str) -> mlua::Result<Value> {
    host.load_state.has_side_effects.set(true);
    let caller = host.calling_mod(lua);
    let (owner, name) = split_require_path(&caller, path);
    let require_problem = |message: String| Problem::error(Code::BadRequire, message);
    let expected = "\"lib/name\", or \"@mod/lib/name\" of a mod that this one needs";
    if !name.starts_with("lib/") || path.contains("..") {
        return Err(require_problem(format!("\"{path}\" is outside lib/"))
            .expected(expected)
            .into_lua_err());
    }
    let file_exists = |owner: &str, file: &str| host.sources.file_text(owner, file).is_some();
    let resolved_path = resolve_require_path(&caller, path, file_exists);
    if !host.environments.can_see(&caller, owner) {
        let problem =
            require_problem(format!("`{caller}` does not need `{owner}`")).expected(expected);
        let hint = match resolved_path {
            Some(_) => hint_make_visible(host, &host.place_of_caller(lua), owner, "it"),
            None => format!(
                "if the mod `{owner}` has it, write `{owner} = \"…\"` under `[needs]` in mod.toml"
            ),
        };
        return Err(problem.hint(hint).into_lua_err());
    }
    let Some((_, file)) = resolved_path else {
        let message = format!("there is no file {name}.luau in `{owner}`");
        let (owner, name, is_own) = (
            truncate_quoted_text(owner).into_owned(),
            truncate_quoted_text(name).into_owned(),
            owner == caller,
        );
        let suggest_library = move |host: &Host, problem: Problem| {
            let hint = nearest_library(host, &owner, &name).map(|near| match is_own {
                true => format!("did you mean \"{near}\"?"),
                false => format!("did you mean \"@{owner}/{near}\"?"),
            });
            problem.with_optional_hint(hint)
        };
        return Err(require_problem(message).explain_in_host(suggest_library).into_lua_err());
    };
    let chunk = format!("{owner}/{file}");
    let earlier_value = host.load_state.required_values.borrow().get(&chunk).cloned();
    match earlier_value {
        Some(Some(value)) => return Ok(value),
        Some(None) => {
            let problem = require_problem(format!("{chunk} requires itself"))
                .expected("files without a cycle");
            return Err(problem.into_lua_err());
        }
        None => {}
    }
    host.load_state.required_values.borrow_mut().insert(chunk.clone(), None);
    let value: Value = compile_mod_file(lua, host, owner, &file)?.call(())?;
    if value.is_nil() {
        let problem = require_problem(format!("{chunk} returns nothing"));
        return Err(problem.hint("end the file with `return { … }`").into_lua_err());
    }
    freeze_values::freeze_reachable(host, lua, vec![value.clone()])?;
    host.load_state.required_values.borrow_mut().insert(chunk, Some(value.clone()));
    Ok(value)
}
