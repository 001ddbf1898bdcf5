//! Converts Lua errors to Problems with mod, file, line, source line and call trail. A Problem that
//! our own functions raised comes out unchanged.

use mlua::ExternalError as _;
use std::sync::Arc;

use mlua::{Error, Lua, Value};

use super::{caller_attribution, nil_hints};
use crate::host::Host;
use crate::host::phase::Phase;
use crate::limits::{fuel, interrupt};
use crate::source_text::{operator_hints, syntax_errors};
use base::{Code, Problem, SourceLocation};

/// Luau's message when memory runs out.
pub(crate) const OUT_OF_MEMORY_MESSAGE: &str = "not enough memory";
/// The beginning of a place in the prelude.
const PRELUDE_PLACE_PREFIX: &str = "[host]:";
/// Maximum length of an error text in a Problem, in characters.
const MAX_MESSAGE_CHARS: usize = 400;
/// Maximum number of places in a trail.
const MAX_RELATED_LOCATIONS: usize = 8;
/// The line between an error and its traceback.
const TRACEBACK_HEADER: &str = "stack traceback:";

/// Converts a Lua error to a Problem.
pub(crate) fn lua_error_to_problem(host: &Host, error: &Error) -> Problem {
    if is_out_of_memory(host, error) {
        host.must_discard_vm.set(true);
    }
    let has_script_text = is_raised_by_script(host, error);
    let traceback = traceback_of(error);
    let mut places = places_of_trace(host, &traceback);
    let mut problem = if host.must_discard_vm.get() {
        fuel::out_of_memory_problem()
    } else if host.fuel.is_spent() {
        let mut stop_problem = fuel_problem(host);
        // The place of the charge, and the calls that led to it.
        if let Some(charge_problem) =
            error.downcast_ref::<Problem>().filter(|_| stop_problem.place.is_none())
        {
            stop_problem.place.clone_from(&charge_problem.place);
            stop_problem.related_locations.extend(charge_problem.related_locations.iter().cloned());
        }
        stop_problem
    } else {
        translate_error(host, error, has_script_text, &mut places)
    };
    if problem.place.as_ref().is_none_or(|place| place.line == 0) && !places.is_empty() {
        problem.place = Some(places.remove(0));
    }
    for place in places {
        let is_same_line = |other_place: &SourceLocation| {
            (&other_place.owner, &other_place.file, other_place.line)
                == (&place.owner, &place.file, place.line)
        };
        if problem.related_locations.len() < MAX_RELATED_LOCATIONS
            && !problem.place.iter().chain(&problem.related_locations).any(is_same_line)
        {
            problem.related_locations.push(place);
        }
    }
    if problem.code == Code::ScriptError && problem.hint.is_none() && !has_script_text {
        let source_line = problem.place.as_ref().and_then(|place| place.excerpt.as_deref());
        let owner = problem.place.as_ref().map_or("", |place| &place.owner);
        let is_known = |name: &str| host.environments.has_visible_value(owner, name);
        problem.hint = operator_hints::operator_hint(
            &problem.message,
            source_line.unwrap_or_default(),
            &is_known,
        );
    }
    attribute_eager_call(host, caller_attribution::attribute_to_caller(host, problem))
}

/// Attributes a call that is only allowed in play, made in another mod's function while loading, to
/// the author of that call: a function should have been passed, but it was called.
fn attribute_eager_call(host: &Host, mut problem: Problem) -> Problem {
    if problem.code != Code::NotPlaying || host.execution_mode.phase.get() != Phase::Loading {
        return problem;
    }
    let is_in_other_mod = |place: &SourceLocation| {
        Some(&place.owner) != problem.place.as_ref().map(|problem_place| &problem_place.owner)
    };
    let Some(author) =
        problem.related_locations.last().filter(|place| is_in_other_mod(place)).cloned()
    else {
        return problem;
    };
    problem.related_locations.pop();
    problem.related_locations.splice(0..0, problem.place.replace(author));
    problem.hint(
        "this is called at once; to pass a function, write `function() … end` around the call",
    )
}

/// Converts an error that leaves a hook to a host error with its traceback. A host error stays
/// unchanged.
pub(crate) fn attach_traceback(lua: &Lua, error: Value) -> Value {
    let text = match &error {
        Value::Error(_) => return error,
        Value::String(text) => text.to_string_lossy(),
        other => other.to_string().unwrap_or_default(),
    };
    let host_error = if text == OUT_OF_MEMORY_MESSAGE && fuel::is_memory_short(lua.used_memory()) {
        Error::MemoryError(text)
    } else {
        // Without memory, the arguments stay unknown.
        let _: mlua::Result<()> =
            luau::call_with_stack(lua, (), |stack| stack.record_calls_between_mods());
        // The first frame is this function.
        let traceback = lua.traceback(Some(&text), 1);
        Error::RuntimeError(traceback.map_or(text, |trace_text| trace_text.to_string_lossy()))
    };
    luau::count_error_memory(&host_error);
    Value::Error(Box::new(host_error))
}

/// Checks that fuel is left; a script may have caught the error.
pub(crate) fn check_fuel(host: &Host) -> Result<(), Problem> {
    if host.fuel.is_spent() { Err(fuel_problem(host)) } else { Ok(()) }
}

/// The Problem of spent fuel, at the place where it ran out.
pub(crate) fn fuel_problem(host: &Host) -> Problem {
    let mut problem = host.fuel.stop_problem();
    let frames = fuel::stop_frames().into_iter();
    let mut places = frames.filter_map(|(chunk, line)| host.sources.source_location(&chunk, line));
    problem.place = places.next();
    problem.related_locations = places.collect();
    problem.related_locations.dedup();
    problem
}

/// The text that a script sees of a caught error. Spent fuel and memory are not caught: they stay
/// errors.
pub(crate) fn caught_error_text(lua: &Lua, host: &Host, error: Value) -> mlua::Result<Value> {
    let text = match &error {
        // A script may catch a long text of its own over and over: only the host's own is copied.
        Value::String(text) if !is_host_error_text(&text.as_bytes()) => String::new(),
        Value::String(text) => text.to_string_lossy(),
        Value::Error(error) => {
            if is_out_of_memory(host, error) {
                host.must_discard_vm.set(true);
            }
            match error.downcast_ref::<Problem>() {
                Some(problem) => problem.message.clone(),
                None => message_without_traceback(&root_cause(error)),
            }
        }
        _ => return Ok(error),
    };
    if text == OUT_OF_MEMORY_MESSAGE && fuel::is_memory_short(lua.used_memory()) {
        host.must_discard_vm.set(true);
    }
    if host.must_discard_vm.get() {
        return Err(fuel::out_of_memory_problem().into_lua_err());
    }
    if host.fuel.is_spent() {
        return Err(host.fuel.stop_problem().into_lua_err());
    }
    if let Some(problem) = fuel::declared_bytes_problem() {
        return Err(problem.into_lua_err());
    }
    // The line in the prelude changes with each version of the program.
    match (error, strip_prelude_place(&text)) {
        (error @ Value::String(_), None) => Ok(error),
        (_, rest) => Ok(Value::String(lua.create_string(rest.unwrap_or(&text))?)),
    }
}

/// Whether an error text may be the host's own: memory ran out, or a place in the prelude.
fn is_host_error_text(text: &[u8]) -> bool {
    text == OUT_OF_MEMORY_MESSAGE.as_bytes() || text.starts_with(PRELUDE_PLACE_PREFIX.as_bytes())
}

/// Whether memory has run out. Any script can raise this text; it counts only when memory is short.
fn is_out_of_memory(host: &Host, error: &Error) -> bool {
    match error {
        Error::MemoryError(_) => true,
        Error::RuntimeError(text) => {
            text.lines().next() == Some(OUT_OF_MEMORY_MESSAGE)
                && fuel::is_memory_short(host.lua().used_memory())
        }
        Error::CallbackError { cause, .. }
        | Error::WithContext { cause, .. }
        | Error::BadArgument { cause, .. } => is_out_of_memory(host, cause),
        _ => false,
    }
}

/// The innermost error, without the layers of the call path.
fn root_cause(error: &Error) -> Error {
    match error {
        Error::CallbackError { cause, .. } | Error::WithContext { cause, .. } => root_cause(cause),
        other => other.clone(),
    }
}

/// The traceback of an error, innermost layer first.
fn traceback_of(error: &Error) -> String {
    match error {
        // The innermost traceback was written last and has the whole stack.
        Error::CallbackError { traceback, cause } => match traceback_of(cause) {
            inner if inner.is_empty() => traceback.clone(),
            inner => inner,
        },
        Error::WithContext { cause, .. } => traceback_of(cause),
        Error::RuntimeError(text) => text
            .split_once(TRACEBACK_HEADER)
            .map(|(_, frames)| frames.to_owned())
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// The places in mods' files that a traceback names, innermost first.
fn places_of_trace(host: &Host, traceback: &str) -> Vec<SourceLocation> {
    traceback
        .lines()
        .filter_map(|line| parse_place(host, line.trim()).map(|(place, _)| place))
        .collect()
}

/// The place at the start of a text (`mod/file.luau:12: …`), and the rest.
fn parse_place<'a>(host: &Host, text: &'a str) -> Option<(SourceLocation, &'a str)> {
    let (chunk, rest) = text.split_once(':')?;
    let (line, rest) = rest.split_once(':').unwrap_or((rest, ""));
    let place = host.sources.source_location(chunk, line.trim().parse().ok()?)?;
    Some((place, rest.trim()))
}

/// Whether a script raised the error with a text of its own: it is not explained as one of Luau's.
fn is_raised_by_script(host: &Host, error: &Error) -> bool {
    let Error::RuntimeError(text) = root_cause(error) else { return false };
    let raised_text = host.call_scope.last_raised_text.borrow();
    let message = text.split(TRACEBACK_HEADER).next().unwrap_or_default().trim();
    let message_after_place = parse_place(host, message).map_or(message, |(_, rest)| rest);
    !raised_text.trim().is_empty() && [message, message_after_place].contains(&raised_text.trim())
}

fn translate_error(
    host: &Host,
    error: &Error,
    has_script_text: bool,
    places: &mut Vec<SourceLocation>,
) -> Problem {
    if let Some(problem) = error.downcast_ref::<Problem>() {
        return problem.clone().explain(host);
    }
    let root_error = root_cause(error);
    let message = message_without_traceback(&root_error);
    let (place, message) = match parse_place(host, &message) {
        Some((place, rest)) => (Some(place), rest.to_owned()),
        // The prelude is in no mod's file: the place is that of the mod's call.
        None => (None, strip_prelude_place(&message).unwrap_or(&message).to_owned()),
    };
    let mut problem = match &root_error {
        Error::SyntaxError { .. } => explain_syntax(host, place.as_ref(), message),
        Error::BadArgument { .. } | Error::FromLuaConversionError { .. } => {
            Problem::error(Code::BadArgument, message)
        }
        _ if has_script_text => Problem::error(Code::ScriptError, message),
        _ => explain_luau_message(message),
    };
    if let Some(place) = place {
        if let Some(index) = places.iter().position(|other| *other == place) {
            places.drain(..=index);
        }
        let is_nil_error = !has_script_text && problem.message.contains("nil");
        if problem.code == Code::ScriptError && is_nil_error {
            problem = nil_hints::explain_nil(host, &place, problem);
        }
        problem.place = Some(place);
    }
    problem
}

/// A syntax error, with the line that the message itself names.
fn explain_syntax(host: &Host, place: Option<&SourceLocation>, message: String) -> Problem {
    let opening_place = message.split_once(" at line ").and_then(|(_, rest)| {
        let line = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let place = place?;
        host.sources.source_location(&format!("{}/{}", place.owner, place.file), line)
    });
    let mut problem = Problem::error(Code::Syntax, message);
    problem.related_locations.extend(opening_place);
    let Some(place) = place else { return problem };
    let text = host.sources.file_text(&place.owner, &place.file).map_or("", |text| &**text);
    if let Some((hint, line)) = syntax_errors::explain_syntax(&problem.message, text, place.line) {
        problem.hint = Some(hint);
        let chunk = format!("{}/{}", place.owner, place.file);
        let hint_place = line.and_then(|line| host.sources.source_location(&chunk, line));
        problem.related_locations.extend(
            hint_place.filter(|hint_place| !problem.related_locations.contains(hint_place)),
        );
    }
    problem
}

/// The error text without traceback, cut to a readable length.
fn message_without_traceback(error: &Error) -> String {
    let text = match error {
        Error::RuntimeError(text) => {
            text.split(TRACEBACK_HEADER).next().unwrap_or_default().to_owned()
        }
        Error::SyntaxError { message, .. } => message.clone(),
        Error::BadArgument { to, pos, cause, .. } => {
            let function_name = to.as_deref().map(|to| format!(" of `{to}`")).unwrap_or_default();
            format!("argument {pos}{function_name}: {}", message_without_traceback(cause))
        }
        Error::FromLuaConversionError { from: "nil", to, .. } => {
            format!("{} was expected, but nothing was passed", luau_type_word(to))
        }
        Error::FromLuaConversionError { from, to, .. } => {
            format!("{} was expected, but a {from} was passed", luau_type_word(to))
        }
        Error::ExternalError(cause) => Arc::clone(cause).to_string(),
        other => other.to_string(),
    };
    let text = text.trim();
    if let Some(kind) = type_of_error_value(text) {
        return format!("a {kind} was raised as an error; it has no text");
    }
    if text.chars().count() > MAX_MESSAGE_CHARS {
        return text.chars().take(MAX_MESSAGE_CHARS).chain("…".chars()).collect();
    }
    text.to_owned()
}

/// The error text without its place in the prelude, if it has one.
fn strip_prelude_place(text: &str) -> Option<&str> {
    let (line, rest) = text.strip_prefix(PRELUDE_PLACE_PREFIX)?.split_once(": ")?;
    line.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
}

/// The text that Lua gives for an error value without a text, such as `table: 0x55d0`.
fn type_of_error_value(text: &str) -> Option<&str> {
    let (kind, address) = text.split_once(": 0x")?;
    let is_identifier = kind.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    (is_identifier && address.chars().all(|c| c.is_ascii_hexdigit())).then_some(kind)
}

/// The Luau name of a Rust type.
fn luau_type_word(name: &str) -> &str {
    match name {
        "String" | "string" | "&str" => "a text",
        "table" | "Table" => "a table",
        "function" | "Function" => "a function",
        "bool" => "true or false",
        "i64" | "u32" | "usize" | "i32" | "u64" => "a whole number",
        "f64" | "number" => "a number",
        other => other,
    }
}

/// Explains the most common Lua errors and says what to do.
fn explain_luau_message(message: String) -> Problem {
    if message == interrupt::FUEL_SPENT_MESSAGE {
        return Problem::error(Code::OutOfFuel, "stopped: the fuel is spent");
    }
    if message.contains("readonly table") {
        return Problem::error(Code::FrozenTable, "a read-only table was changed")
            .expected(
                "no write: tables created while loading are read-only, as are definitions, inputs, \
                 and events in `after` hooks",
            )
            .hint("store data that changes in `state`, or change a copy: `table.clone(t)`");
    }
    if message.contains("stack overflow") {
        return Problem::error(Code::TooDeep, "calls are nested too deep")
            .hint("look for a function that calls itself without end");
    }
    Problem::error(Code::ScriptError, message)
}
