//! Compiles a file of a mod to a function in the mod's environment.

use mlua::chunk::{Chunk, ChunkMode};
use mlua::{Function, Lua};

use crate::compile::compile_cache;
use crate::compile::compile_cache::Bytecode;
use crate::compile::compiler_options::create_compiler;
use crate::host::Host;
use crate::source_text::source_scan;
use base::{Code, Problem, SourceLocation};

/// Compiles a file of a mod in the mod's environment.
pub(crate) fn compile_mod_file(
    lua: &Lua,
    host: &Host,
    owner: &str,
    path: &str,
) -> mlua::Result<Function> {
    let text =
        host.sources.file_text(owner, path).expect("only files that exist are compiled").clone();
    let bytecode = compile_cache::bytecode_of(&text);
    // Files that were compiled at build time were checked then.
    let is_embedded = matches!(bytecode, Some(Bytecode::Embedded(_)));
    let power_position = (!is_embedded && text.contains('^'))
        .then(|| source_scan::find_power_operator(&text))
        .flatten();
    if let Some((line, column)) = power_position {
        let mut place =
            host.sources.source_location(&format!("{owner}/{path}"), line).unwrap_or_default();
        place.column = Some(column);
        let problem = Problem::error(Code::PowerOperatorUsed, "the power operator `^` is used")
            .expected("operators whose results are the same on every machine")
            .hint("multiply: `x * x`, or look the value up in a table")
            .at(place);
        return Err(mlua::Error::external(problem));
    }
    let globals = host.environments.globals_of_mod(owner).expect("a mod's environment comes first");
    host.remove_root_mirror(lua)?;
    host.is_compiling.set(true);
    let load_chunk = |chunk: Chunk<'_>| {
        let name = format!("={owner}/{path}");
        chunk.set_name(name).set_environment(globals.clone()).into_function()
    };
    let compile_chunk = |has_coverage: bool| {
        let compiler = create_compiler().set_coverage_level(u8::from(has_coverage));
        load_chunk(lua.load(&text[..]).set_mode(ChunkMode::Text).set_compiler(compiler))
    };
    let plain_function = match bytecode {
        Some(bytecode) => load_chunk(lua.load(&bytecode[..]).set_mode(ChunkMode::Binary)),
        // If there is no bytecode, compiling again gives the error message.
        None => compile_chunk(false).and_then(|_| Err(file_too_large_error(owner, path))),
    };
    let function = match &host.coverage_trace {
        None => plain_function,
        Some(trace) => plain_function.and_then(|plain_function| {
            let traced_function = compile_chunk(true)?;
            trace.add_file(format!("{owner}/{path}"), traced_function.clone(), plain_function);
            Ok(traced_function)
        }),
    };
    host.is_compiling.set(false);
    function
}

/// The Problem of a file that compiles but is too large for its runtime limits.
fn file_too_large_error(owner: &str, path: &str) -> mlua::Error {
    let problem = Problem::error(Code::TooLarge, "a function is too large for its runtime limits")
        .expected("functions of at most a few thousand lines, with at most 250 locals and intermediate values at once")
        .hint("split the function, or move its lists into a separate table")
        .at(SourceLocation::new(owner, path, 0));
    mlua::Error::external(problem)
}
