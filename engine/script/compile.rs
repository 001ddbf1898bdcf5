//! Compiles a file of a mod to a function in the mod's environment.

use mlua::chunk::{Chunk, ChunkMode};
use mlua::{Function, Lua};

use super::compile_cache::{self, Bytecode};
use super::compiler::compiler;
use super::host::Host;
use super::source_scan;
use crate::base::{Code, Problem, SourceLocation};

/// Compiles a file of a mod in the mod's environment.
pub(crate) fn compile(lua: &Lua, host: &Host, owner: &str, path: &str) -> mlua::Result<Function> {
    let text = host.sources.text(owner, path).expect("only files that exist are compiled").clone();
    let code = compile_cache::bytecode_of(&text);
    // Files that were compiled at build time were checked then.
    let built = matches!(code, Some(Bytecode::Embedded(_)));
    let power =
        (!built && text.contains('^')).then(|| source_scan::find_power_operator(&text)).flatten();
    if let Some((line, column)) = power {
        let mut place =
            host.sources.source_location(&format!("{owner}/{path}"), line).unwrap_or_default();
        place.column = Some(column);
        let problem = Problem::error(Code::PowerOperatorUsed, "the power operator `^` is used")
            .expected("operators whose results are the same on every machine")
            .hint("multiply: `x * x`, or look the value up in a table")
            .at(place);
        return Err(mlua::Error::external(problem));
    }
    let globals = host.environments.globals(owner).expect("a mod's environment comes first");
    host.remove_root_mirror(lua)?;
    host.is_compiling.set(true);
    let prepared = |chunk: Chunk<'_>| {
        let name = format!("={owner}/{path}");
        chunk.set_name(name).set_environment(globals.clone()).into_function()
    };
    let compiled = |counted: bool| {
        let compiler = compiler().set_coverage_level(u8::from(counted));
        prepared(lua.load(&text[..]).set_mode(ChunkMode::Text).set_compiler(compiler))
    };
    let plain = match code {
        Some(code) => prepared(lua.load(&code[..]).set_mode(ChunkMode::Binary)),
        // If there is no bytecode, compiling again gives the error message.
        None => compiled(false).and_then(|unbounded| match host.edition.bounds_scripts() {
            true => Err(file_too_large_error(owner, path)),
            false => Ok(unbounded),
        }),
    };
    let function = match &host.trace {
        None => plain,
        Some(trace) => plain.and_then(|plain| {
            let counted = compiled(true)?;
            trace.add_file(format!("{owner}/{path}"), counted.clone(), plain);
            Ok(counted)
        }),
    };
    host.is_compiling.set(false);
    function
}

/// The Problem of a file that compiles but is too large for its runtime limits.
fn file_too_large_error(owner: &str, path: &str) -> mlua::Error {
    let problem = Problem::error(Code::TooLarge, "a function is too large for its runtime limits")
        .expected("functions of at most a few thousand lines, with at most 250 locals")
        .hint("split the function, or move its lists into a separate table")
        .at(SourceLocation::new(owner, path, 0));
    mlua::Error::external(problem)
}
