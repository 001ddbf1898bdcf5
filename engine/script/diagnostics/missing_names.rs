//! Messages for names that do not exist: why, and what to use instead. Reading such a name is a
//! Problem, not nil, so that a mistake is found where it was made.

use mlua::ExternalError as _;
use std::rc::Rc;

use mlua::{Lua, Table, Value};

use super::host_explanation::HostExplanation as _;
use super::module_hints::{export_named, library_hint, member_in_line};
use crate::host::Host;
use crate::host::script_sources::CONSOLE_FILE;
use crate::source_text::declared_names::declared_names;
use crate::source_text::describe_value::shortened_name;
use base::{
    Code, Problem, SourceLocation, UndeclaredName,
    problem::{describe_alternatives, nearest_name, searched_part},
};

/// Globals of standard Lua that are missing here: names, reason, replacement.
const MISSING_GLOBALS: &[(&str, &str, &str)] = &[
    ("_VERSION", "the language is part of the host", "require a version in mod.toml: `engine`"),
    ("buffer", "the state cannot store raw bytes", "use texts and tables"),
    ("collectgarbage gcinfo", "leave this to the host", "leave it to the host"),
    ("coroutine", "no script runs between two steps", "use scenes: `go`, `push`, `pop`, `ask`"),
    ("getfenv", "other code cannot use a mod's globals", "use `export` and `require`"),
    ("io", "scripts have no access to the disk", "store data in `state`"),
    ("load loadstring", "all scripts are loaded at the start", "use `require \"lib/…\"`"),
    ("newproxy", "only the host creates userdata", "use a table"),
    ("null None NULL undefined", "it is called `nil`", "write `nil`"),
    ("True TRUE False FALSE", "it has lower-case letters", "write `true` or `false`"),
    (
        "os",
        "a run must be repeatable, so scripts have no clock and no access to the system",
        "count steps in `state`",
    ),
    ("print", "a script has no terminal", "use `say` or `note` in play"),
    ("setfenv", "other code cannot use a mod's globals", "use `export` and `require`"),
    (
        "_G shared",
        "mods have no shared table of globals",
        "use `export(\"name\", fn)` to share a name",
    ),
    ("vector", "its results differ between machines", "use a table"),
];

/// Names that are parameters of handlers, not globals.
const HANDLER_PARAMS: [&str; 2] = ["event", "input"];

/// Why some functions of Lua's `math` are missing.
const INEXACT_REASON: &str =
    "its last digits differ between machines, and a run must be repeatable";
const NO_RANDOM_REASON: &str = "the host rolls all dice, so that a run is repeatable";

/// The reason and the replacement for a missing entry of a library.
fn explain_missing_entry(library: &str, name: &str) -> Option<(&'static str, &'static str)> {
    Some(match (library, name) {
        ("math", "random" | "randomseed") => {
            (NO_RANDOM_REASON, "use `roll`, `chance`, `pick` or `shuffle`, which name a stream")
        }
        (
            "math",
            "acos" | "asin" | "atan" | "atan2" | "cos" | "cosh" | "deg" | "exp" | "lerp" | "log"
            | "log10" | "map" | "noise" | "rad" | "sin" | "sinh" | "tan" | "tanh",
        ) => (INEXACT_REASON, "use whole numbers, `//` and `math.sqrt`, or a table of values"),
        ("math", "pow") => (INEXACT_REASON, "multiply: `x * x`"),
        ("math", "frexp" | "ldexp") => (INEXACT_REASON, "use `//` and `*`"),
        ("string", "pack" | "unpack" | "packsize") => {
            ("the state cannot store raw bytes", "use texts and tables")
        }
        ("table", "foreach" | "foreachi" | "getn" | "maxn") => {
            ("it is an outdated function", "use `pairs`, `ipairs` and `#`")
        }
        ("debug", _) => ("a script sees only its own calls", "use `debug.traceback`"),
        _ => return None,
    })
}

/// Makes reading an unknown name of a library a Problem.
pub(crate) fn refuse_unknown_library_names(
    lua: &Lua,
    host: &Rc<Host>,
    library: &Table,
    name: &str,
) -> mlua::Result<()> {
    let name = name.to_owned();
    let metatable =
        missing_key_metatable(lua, host, move |_, _, key| unknown_entry_problem(&name, key))?;
    library.set_metatable(Some(metatable))
}

/// The metatable of a table that is read only by name: a missing name is a Problem.
pub(crate) fn missing_key_metatable(
    lua: &Lua,
    host: &Rc<Host>,
    missing_problem: impl Fn(&Rc<Host>, &Lua, &str) -> Problem + 'static,
) -> mlua::Result<Table> {
    let index = host.create_typed_function(lua, move |host, lua, (_, key): (Value, Value)| {
        // The compiler resolves names ahead of time; nil here means: ask again at run time.
        match key.as_string().filter(|_| !host.is_compiling.get()) {
            Some(key) => Err(missing_problem(host, lua, &shortened_name(key)).into_lua_err()),
            None => Ok(Value::Nil),
        }
    })?;
    let metatable = lua.create_table()?;
    metatable.raw_set("__index", index)?;
    metatable.raw_set("__metatable", false)?;
    metatable.set_readonly(true);
    Ok(metatable)
}

/// The Problem of an unknown name in a library.
pub(crate) fn unknown_entry_problem(library: &str, key: &str) -> Problem {
    let mut problem =
        Problem::error(Code::UnknownName, format!("there is no `{library}.{key}` here"));
    if let Some((reason, replacement)) = explain_missing_entry(library, key) {
        problem.message.push_str(&format!(": {reason}"));
        return problem.hint(replacement);
    }
    let (library, key) = (library.to_owned(), searched_part(key));
    problem.explain_in_host(move |host, problem| {
        let table = host.environments.base_table().and_then(|base| base.raw_get(&*library).ok());
        let names = table.and_then(|table: Table| sorted_names(&table).ok()).unwrap_or_default();
        let near = nearest_name(&key, names.iter().map(String::as_str));
        problem.suggest_field(&library, near)
    })
}

/// Makes reading an unknown global a Problem.
pub(crate) fn refuse_unknown_globals(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let metatable = missing_key_metatable(lua, host, |_, _, key| unknown_global_problem(key))?;
    base.set_metatable(Some(metatable))
}

/// The hint for a name of a mod that is not needed.
pub fn hint_need_mod(owner: &str, item_text: &str) -> String {
    format!("`{owner}` has {item_text}: write `{owner} = \"…\"` under `[needs]` in mod.toml")
}

/// The hint for a name of a mod that itself needs the calling mod: needing it would be a cycle.
pub fn reverse_dependency_hint(owner: &str, item_text: &str, caller: &str) -> String {
    format!(
        "`{owner}` has {item_text} and needs `{caller}`, so `{caller}` cannot need it: emit an event, and let \
         `{owner}` register a hook on it"
    )
}

/// The hint for a name of a mod that the caller cannot see.
pub(crate) fn hint_make_visible(
    host: &Host,
    caller: &SourceLocation,
    owner: &str,
    item_text: &str,
) -> String {
    if caller.file == CONSOLE_FILE {
        let game = &caller.owner;
        return format!(
            "`{owner}` has {item_text}, but the console sees only what `{game}` sees: write `:@{owner} …`, and the line sees what `{owner}` sees"
        );
    }
    match host.environments.can_see(owner, &caller.owner) {
        true => reverse_dependency_hint(owner, item_text, &caller.owner),
        false => hint_need_mod(owner, item_text),
    }
}

/// The Problem of a global that the caller cannot see.
pub(crate) fn unknown_global_problem(key: &str) -> Problem {
    let has_key = |(names, _, _): &&(&str, &str, &str)| names.split(' ').any(|name| name == key);
    if let Some((_, reason, replacement)) = MISSING_GLOBALS.iter().find(has_key) {
        let message = format!("there is no `{key}` here: {reason}");
        return Problem::error(Code::UnknownName, message).hint(*replacement);
    }
    let searched_key = key.to_owned();
    Problem::error(Code::UnknownName, format!("there is no `{key}` here"))
        .explain_in_host(move |host, problem| explain_unknown_global(host, problem, &searched_key))
}

/// Says where an unknown global is declared, or which name was meant.
fn explain_unknown_global(host: &Host, problem: Problem, key: &str) -> Problem {
    let caller = problem.place.clone().unwrap_or_default();
    let own_names = host.environments.visible_names(&caller.owner);
    // A function has no members, so a name with one is no function.
    let member = member_in_line(caller.excerpt.as_deref().unwrap_or_default(), key);
    let member_export = member.and_then(|member| export_named(&own_names, member));
    if member.is_some()
        && let Some(hint) = library_hint(host, &caller, key, member_export)
    {
        return problem.hint(hint);
    }
    if member.is_none()
        && let Some(name) = export_named(&own_names, key)
    {
        return problem.hint(format!("did you mean `{name}`?"));
    }
    if let Some(owner) = host.environments.owner_of_shared_name(key) {
        return problem.hint(hint_make_visible(host, &caller, &owner, "one"));
    }
    if let Some((owner, file)) = host.sources.find_declaring_file(key)
        && !(owner == caller.owner && file == caller.file)
    {
        let load_order_hint = format!(
            "it is declared in {file}, which is loaded later; files in `kinds/` are loaded first, \
             so move it there"
        );
        return problem.hint(match owner == caller.owner {
            true => load_order_hint,
            false => hint_make_visible(host, &caller, owner, "one"),
        });
    }
    if HANDLER_PARAMS.contains(&key) {
        let hint = format!("it is a parameter of a handler: `function({key})`");
        return problem.hint(hint);
    }
    let own_text = host.sources.file_text(&caller.owner, &caller.file).map_or("", |text| text);
    let declared_names = declared_names(own_text);
    let base_names = host.environments.base_table().and_then(|base| sorted_names(base).ok());
    let base_names = base_names.unwrap_or_default();
    let modules =
        own_names.iter().filter_map(|name| name.split_once('.')).map(|(module, _)| module);
    let candidates = base_names
        .iter()
        .chain(&own_names)
        .map(String::as_str)
        .chain(modules)
        .chain(declared_names);
    let names_in_modules = own_names.iter().filter_map(|name| name.split_once('.'));
    let suggestion = nearest_name(key, candidates).or(member_export.map(String::as_str));
    let suggestion = suggestion.or_else(|| {
        let nearest = nearest_name(key, names_in_modules.map(|(_, inner_name)| inner_name))?;
        export_named(&own_names, nearest).map(String::as_str)
    });
    match suggestion {
        Some(suggested_name) => problem.hint(format!("did you mean `{suggested_name}`?")),
        None if caller.file == CONSOLE_FILE => problem,
        None if is_between_quotes(&caller, key) => problem
            .hint(format!("the text ends before `{key}`: write `\\\"` for a quote inside a text")),
        None => problem
            .hint(format!("declare it in this file: `local {key} = …`"))
            .with_undeclared_name(UndeclaredName::ScriptName(key.to_owned())),
    }
}

/// Whether the line of the caller has a name only where quotes touch it on both sides: a text that
/// was meant to hold them ended there.
fn is_between_quotes(caller: &SourceLocation, key: &str) -> bool {
    let line = caller.excerpt.as_deref().unwrap_or_default();
    let is_quoted = |index: usize| {
        line[..index].ends_with(['"', '\'']) && line[index + key.len()..].starts_with(['"', '\''])
    };
    let mut quoted_flags = line.match_indices(key).map(|(index, _)| is_quoted(index)).peekable();
    quoted_flags.peek().is_some() && quoted_flags.all(|is_quoted| is_quoted)
}

/// The Problem of an unknown name in a module that a mod sees.
pub(crate) fn not_exported_problem(host: &Host, viewer: &str, module: &str, name: &str) -> Problem {
    let owner = host.environments.owner_of_visible_module(viewer, module).unwrap_or_default();
    let problem =
        Problem::error(Code::UnknownName, format!("`{owner}` exports no `{module}.{name}`"));
    let (viewer, module, name) = (viewer.to_owned(), module.to_owned(), searched_part(name));
    problem.explain_in_host(move |host, problem| {
        let names = host.environments.visible_module(&viewer, &module);
        let names = names.map(|(_, names)| names).unwrap_or_default();
        let names = || names.iter().map(String::as_str);
        match nearest_name(&name, names()) {
            near @ Some(_) => problem.suggest_field(&module, near),
            None => problem.expected(describe_alternatives(&name, names())),
        }
    })
}

/// The names in a table, sorted.
pub(crate) fn sorted_names(table: &Table) -> mlua::Result<Vec<String>> {
    let mut names = Vec::new();
    table.for_each(|name: String, _: Value| {
        names.push(name);
        Ok(())
    })?;
    names.sort();
    Ok(names)
}

/// The function that refuses writes to globals.
pub(crate) fn create_global_write_refuser(
    lua: &Lua,
    host: &Rc<Host>,
) -> mlua::Result<mlua::Function> {
    host.create_typed_function(lua, |_, _, (_, name, _): (Value, Value, Value)| {
        let name = name.as_string().map(shortened_name).unwrap_or_default();
        Err::<(), _>(assigned_global_problem(&name).into_lua_err())
    })
}

/// The Problem of a write to a global.
pub(crate) fn assigned_global_problem(name: &str) -> Problem {
    Problem::error(Code::AssignedGlobal, format!("`{name}` is assigned as a global"))
        .expected("a local, or a field of the state: mods cannot write globals")
        .hint(format!("write `local {name} = …`, or share it with `export`"))
}
