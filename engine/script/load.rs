//! Loading: every file of every mod, in order, into its mod's environment. What is declared on
//! the way is collected, checked as a whole, and frozen.

use std::rc::Rc;

use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, Table, Value};

use super::host::{Host, Phase};
use super::{bytecode, fault, freeze, from_lua, sandbox, scan};
use crate::content::Draft;
use crate::kit::{self, Place, Problem, Severity, limits};
use crate::mods::{ModSet, ModSource};

/// Garbage that may gather before it is collected between two files, in bytes. Collection happens
/// only between files and between steps, so that memory runs out at the same place every time.
const GARBAGE: usize = 8 * 1024 * 1024;

/// Loads all mods. Returns warnings, or every Problem that was found.
pub(super) fn load(
    lua: &Lua,
    host: &Rc<Host>,
    mods: &ModSet,
) -> Result<Vec<Problem>, Vec<Problem>> {
    host.fuel.fill(limits::FUEL_LOADING, lua.used_memory());
    let mut resting = lua.used_memory();
    for source in &mods.mods {
        let problems = load_mod(lua, host, source, &mut resting);
        if !problems.is_empty() {
            return Err(problems);
        }
    }
    let mut draft = Draft::new();
    for source in &mods.mods {
        for (path, text) in &source.files {
            draft.add_source(source.id(), path, text.clone());
        }
    }
    host.kinds.take().into_iter().for_each(|kind| draft.add_kind(kind));
    host.changes.take().into_iter().for_each(|change| draft.add(change));
    let (registry, problems) = draft.build(&mods.ids(), &mods.behind());
    let Some(registry) = registry.filter(|_| !problems.iter().any(is_error)) else {
        return Err(problems);
    };
    assert!(host.registry.set(Rc::new(registry)).is_ok(), "the registry is set once");
    let finished = || -> mlua::Result<()> {
        host.fill_shelves(lua)?;
        from_lua::rules::fill(lua, host)?;
        let mut roots = host.environments.values();
        let functions = host.functions.borrow();
        roots.extend(functions.iter().map(|kept| Value::Function(kept.function.clone())));
        host.watched.replace(freeze::freeze(lua, roots)?);
        host.environments.freeze(lua)?;
        collect(lua)
    };
    finished().map_err(|error| vec![fault::problem(host, &error)])?;
    host.phase.set(Phase::Between);
    Ok(problems)
}

fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}

/// Collects garbage and stops the collector again: left alone it would look at a clock.
pub(super) fn collect(lua: &Lua) -> mlua::Result<()> {
    lua.gc_collect()?;
    lua.gc_stop();
    Ok(())
}

/// Loads the files of a mod. `resting` is the memory in use after the last collection. Each file's first Problem is kept; after one in `kinds/`, or once
/// fuel or memory is out, the others would only repeat it.
fn load_mod(lua: &Lua, host: &Rc<Host>, source: &ModSource, resting: &mut usize) -> Vec<Problem> {
    let owner = source.id();
    let _spender = host.fuel.spender(owner);
    let begun = settings_of(lua, host, source)
        .and_then(|settings| host.environments.begin(lua, host, owner, settings));
    if let Err(error) = begun {
        return vec![fault::problem(host, &error)];
    }
    let mut problems = Vec::new();
    for (path, _) in source.scripts() {
        let outcome = compile(lua, host, owner, path).and_then(|file| file.call::<()>(()));
        let outcome = outcome.map_err(|error| fault::problem(host, &error));
        if let Err(mut problem) = outcome.and_then(|()| fault::fuel_left(host)) {
            problem.place.get_or_insert_with(|| Place::new(owner, path, 0));
            problems.push(problem);
            if path.starts_with("kinds/") || host.fuel.is_spent() || host.spoiled.get() {
                break;
            }
        }
        if lua.used_memory() > *resting + GARBAGE {
            if collect(lua).is_err() {
                host.spoiled.set(true);
            }
            *resting = lua.used_memory();
        }
    }
    problems
}

/// Compiles a file of a mod into its environment.
pub(super) fn compile(lua: &Lua, host: &Host, owner: &str, path: &str) -> mlua::Result<Function> {
    let text = host.sources.text(owner, path).expect("only files that exist are compiled").clone();
    let power = text.contains('^').then(|| scan::find_power(&text)).flatten();
    if let Some((line, column)) = power {
        let mut place = host.sources.place(&format!("{owner}/{path}"), line).unwrap_or_default();
        place.column = Some(column);
        let problem = Problem::error("no-power", "the power operator `^` is used")
            .expected("operators whose results are the same on every machine")
            .hint("multiply: `x * x`, or look the value up in a table")
            .at(place);
        return Err(mlua::Error::external(problem));
    }
    let globals = host.environments.globals(owner).expect("a mod's environment comes first");
    host.compiling.set(true);
    let code = host.trace.is_none().then(|| bytecode::of(&text)).flatten();
    let function = match &code {
        Some(code) => lua.load(&code[..]).set_mode(ChunkMode::Binary),
        // What was not compiled tells here what is wrong with it.
        None => lua
            .load(&text[..])
            .set_mode(ChunkMode::Text)
            .set_compiler(sandbox::compiler().set_coverage_level(u8::from(host.trace.is_some()))),
    };
    let function = function.set_name(format!("={owner}/{path}"));
    let function = function.set_environment(globals).into_function();
    host.compiling.set(false);
    if let (Some(trace), Ok(function)) = (&host.trace, &function) {
        trace.compiled(format!("{owner}/{path}"), function);
    }
    function
}

/// A mod's settings as its scripts read them: what is set, or else what the manifest says.
fn settings_of(lua: &Lua, host: &Host, source: &ModSource) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let set = host.settings.get(source.id());
    for (name, setting) in &source.manifest.settings {
        // A value that was set for an older version of the mod may not fit this one.
        let value =
            set.and_then(|set| set.get(name)).filter(|value| setting.accepts(value).is_ok());
        let value = value.unwrap_or(&setting.default);
        let value = match value {
            kit::Value::Bool(truth) => Value::Boolean(*truth),
            kit::Value::Int(int) => Value::Number(*int as f64),
            kit::Value::Num(num) => Value::Number(*num),
            kit::Value::Text(text) => Value::String(lua.create_string(&**text)?),
            kit::Value::List(_) | kit::Value::Map(_) => continue,
        };
        table.raw_set(name.as_str(), value)?;
    }
    table.set_readonly(true);
    Ok(table)
}
