//! Runs a line of Lua from the console, as a step.

use mlua::ExternalError as _;
use std::rc::Rc;

use mlua::chunk::ChunkMode;
use mlua::{Function, Lua, MultiValue, Value as LuaValue};

use super::agenda;
use super::call_support::read_plain_result;
use crate::compile::compiler_options::create_compiler;
use crate::host::Host;
use crate::host::phase::Permit;
use crate::host::script_sources::CONSOLE_FILE;
use crate::source_text::source_scan;
use crate::vm::Vm;
use base::{Code, Problem, Value};
use base::{limits, text::escape_markup};
use protocol::{StoryEvent, WorldState};

impl Vm {
    /// Runs a line as code of a mod, and outputs its result.
    pub fn run_console_line(
        &self,
        world: &mut WorldState,
        profile: &Value,
        owner: &str,
        line: &str,
    ) -> Result<(), Problem> {
        self.call_with_world(world, profile, Permit::ReadWrite, |lua, host| {
            host.fuel.set_budget(limits::MAX_FUEL_PER_TOOL_CALL);
            let results = compile_line(lua, host, owner, line)?.call::<MultiValue>(())?;
            agenda::run_agenda(lua, host)?;
            let mut formatted_values = Vec::new();
            for value in &results {
                formatted_values.push(format_value(lua, host, value)?);
            }
            if formatted_values.is_empty() {
                return Ok(());
            }
            let note = StoryEvent::Note { text: escape_markup(&formatted_values.join(", ")) };
            let emit_result = host.call_context.world.borrow_mut().emit_story_event(note);
            emit_result.map_err(|reason| Problem::error(Code::TooMuchOutput, reason).into_lua_err())
        })
    }
}

/// Compiles the line as an expression, or else as a statement.
fn compile_line(lua: &Lua, host: &Rc<Host>, owner: &str, line: &str) -> mlua::Result<Function> {
    if source_scan::find_power_operator(line).is_some() {
        let problem = Problem::error(Code::PowerOperatorUsed, "the power operator `^` is used");
        return Err(problem.hint("multiply: `x * x`").into_lua_err());
    }
    let globals = host.environments.globals_of_mod(owner);
    let globals = globals.expect("a loaded mod has an environment");
    host.remove_root_mirror(lua)?;
    let compile_text = |text: String| {
        host.is_compiling.set(true);
        let function = lua
            .load(text)
            .set_name(format!("={owner}/{CONSOLE_FILE}"))
            .set_mode(ChunkMode::Text)
            .set_compiler(create_compiler())
            .set_environment(globals.clone())
            .into_function();
        host.is_compiling.set(false);
        function
    };
    compile_text(format!("return {line}")).or_else(|_| compile_text(line.to_owned()))
}

fn format_value(lua: &Lua, host: &Rc<Host>, value: &LuaValue) -> mlua::Result<String> {
    Ok(match value {
        LuaValue::Function(_) => "a function".to_owned(),
        LuaValue::Nil => "nil".to_owned(),
        value => match read_plain_result(lua, host, "console", value) {
            Ok(Some(plain_value)) => plain_value.to_json(),
            Ok(None) => "nil".to_owned(),
            // A table with functions, such as a definition, is not plain data.
            Err(_) => format!("a {}", value.type_name()),
        },
    })
}
