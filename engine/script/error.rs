//! From an error of Lua to a Problem: mod, file, line, the text of that line, and the calls on the
//! way. A Problem that one of our own functions raised comes out as it went in.

use std::sync::Arc;

use mlua::{Error, Lua, Value};

use super::host::Host;
use super::phase::Phase;
use super::{added_words, callers, fuel, interrupt, nil_names, operands, syntax};
use crate::kit::fault::planted;
use crate::kit::{Place, Problem};
use crate::luau;

/// What Luau says when memory is out.
pub(super) const NO_MEMORY: &str = "not enough memory";
/// Longest text of an error that a Problem repeats, in characters.
const MESSAGE_CHARS: usize = 400;
/// Most places of a trail.
const TRAIL: usize = 8;
/// The line that stands between an error and its calls.
const TRACE_HEAD: &str = "stack traceback:";

/// The Problem that an error of Lua stands for.
pub(crate) fn problem(host: &Host, error: &Error) -> Problem {
    if is_memory(host, error) {
        host.spoiled.set(true);
    }
    let trace = trace_of(error);
    let mut places = places_in(host, &trace);
    let mut found = if host.spoiled.get() {
        fuel::out_of_memory()
    } else if host.fuel.is_spent() {
        let mut found = spent(host);
        // Where it was charged, and who else had a hand in it.
        if let Some(of_charge) = error.downcast_ref::<Problem>().filter(|_| found.place.is_none()) {
            found.place.clone_from(&of_charge.place);
            found.trail.extend(of_charge.trail.iter().cloned());
        }
        found
    } else {
        translate(host, error, &mut places)
    };
    if planted("nobody_is_blamed") {
        return found;
    }
    if found.place.as_ref().is_none_or(|place| place.line == 0) && !places.is_empty() {
        found.place = Some(places.remove(0));
    }
    for place in places {
        let same = |other: &Place| {
            (&other.owner, &other.file, other.line) == (&place.owner, &place.file, place.line)
        };
        if found.trail.len() < TRAIL && !found.place.iter().chain(&found.trail).any(same) {
            found.trail.push(place);
        }
    }
    if found.code == "script-error" && found.hint.is_none() {
        let line = found.place.as_ref().and_then(|place| place.excerpt.as_deref());
        found.hint = operands::met(&found.message, line.unwrap_or_default());
    }
    called_at_once(host, callers::blamed(host, found))
}

/// A function of another mod that only play may call, called where it was to be handed over: the Problem is
/// that of whoever wrote the call.
fn called_at_once(host: &Host, mut found: Problem) -> Problem {
    if found.code != "not-playing" || host.now.phase.get() != Phase::Loading {
        return found;
    }
    let elsewhere = |place: &Place| Some(&place.owner) != found.place.as_ref().map(|at| &at.owner);
    let Some(author) = found.trail.last().filter(|place| elsewhere(place)).cloned() else {
        return found;
    };
    found.trail.pop();
    found.trail.splice(0..0, found.place.replace(author));
    found.hint("what is called here is called at once; to hand it over, write `function() … end` around it")
}

/// What an error becomes on its way up from a hook: one of ours, with the calls that led there. One of
/// ours stays as it is.
pub(super) fn carried(lua: &Lua, error: Value) -> Value {
    let text = match &error {
        Value::Error(_) => return error,
        Value::String(text) => text.to_string_lossy(),
        other => other.to_string().unwrap_or_default(),
    };
    let carried = if text == NO_MEMORY && fuel::memory_is_short(lua.used_memory()) {
        Error::MemoryError(text)
    } else {
        // The first on the way is this function itself.
        let traced = lua.traceback(Some(&text), 1);
        Error::RuntimeError(traced.map_or(text, |traced| traced.to_string_lossy()))
    };
    luau::keep_error(&carried);
    Value::Error(Box::new(carried))
}

/// Whether there is fuel left; a script may have swallowed the error that there is none.
pub(crate) fn fuel_left(host: &Host) -> Result<(), Problem> {
    if host.fuel.is_spent() { Err(spent(host)) } else { Ok(()) }
}

/// The Problem of fuel that is spent, at the place where it ran out.
pub(crate) fn spent(host: &Host) -> Problem {
    let mut problem = host.fuel.problem();
    let frames = fuel::stopped_at().into_iter();
    let mut places = frames.filter_map(|(chunk, line)| host.sources.place(&chunk, line));
    problem.place = places.next().filter(|_| !planted("nobody_is_blamed"));
    problem.trail = places.collect();
    problem.trail.dedup();
    problem
}

/// What a script sees of an error that it caught: a text. Memory and fuel that ran out are not
/// caught: they go on up as errors.
pub(super) fn caught(lua: &Lua, host: &Host, error: Value) -> mlua::Result<Value> {
    let text = match &error {
        Value::String(text) => text.to_string_lossy(),
        Value::Error(error) => {
            if is_memory(host, error) {
                host.spoiled.set(true);
            }
            match error.downcast_ref::<Problem>() {
                Some(problem) => problem.message.clone(),
                None => bare_message(&root(error)),
            }
        }
        _ => return Ok(error),
    };
    if text == NO_MEMORY && fuel::memory_is_short(lua.used_memory()) {
        host.spoiled.set(true);
    }
    if host.spoiled.get() {
        return Err(fuel::out_of_memory().into());
    }
    if host.fuel.is_spent() {
        return Err(host.fuel.problem().into());
    }
    if let Some(problem) = fuel::held_too_much() {
        return Err(problem.into());
    }
    // Where the host's own Lua stands moves with each version of the program.
    match (error, in_library(&text)) {
        (error @ Value::String(_), None) => Ok(error),
        (_, rest) => Ok(Value::String(lua.create_string(rest.unwrap_or(&text))?)),
    }
}

/// Whether memory has run out. Anybody can say the words; they are true only where it is short.
fn is_memory(host: &Host, error: &Error) -> bool {
    match error {
        Error::MemoryError(_) => true,
        Error::RuntimeError(text) => {
            text.lines().next() == Some(NO_MEMORY)
                && fuel::memory_is_short(host.lua().used_memory())
        }
        Error::CallbackError { cause, .. }
        | Error::WithContext { cause, .. }
        | Error::BadArgument { cause, .. } => is_memory(host, cause),
        _ => false,
    }
}

/// The error below all layers that say only how it came up.
fn root(error: &Error) -> Error {
    match error {
        Error::CallbackError { cause, .. } | Error::WithContext { cause, .. } => root(cause),
        other => other.clone(),
    }
}

/// The calls that Lua wrote down with an error, innermost layer first.
fn trace_of(error: &Error) -> String {
    match error {
        // The innermost was written last and holds the whole stack.
        Error::CallbackError { traceback, cause } => match trace_of(cause) {
            inner if inner.is_empty() => traceback.clone(),
            inner => inner,
        },
        Error::WithContext { cause, .. } => trace_of(cause),
        Error::RuntimeError(text) => {
            text.split_once(TRACE_HEAD).map(|(_, trace)| trace.to_owned()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The places in mods' files that a trace names, innermost first.
fn places_in(host: &Host, trace: &str) -> Vec<Place> {
    trace.lines().filter_map(|line| place_in(host, line.trim()).map(|(place, _)| place)).collect()
}

/// The place that a text begins with (`mod/file.luau:12: …`), and the rest.
fn place_in<'a>(host: &Host, text: &'a str) -> Option<(Place, &'a str)> {
    let (chunk, rest) = text.split_once(':')?;
    let (line, rest) = rest.split_once(':').unwrap_or((rest, ""));
    let place = host.sources.place(chunk, line.trim().parse().ok()?)?;
    Some((place, rest.trim()))
}

fn translate(host: &Host, error: &Error, places: &mut Vec<Place>) -> Problem {
    if let Some(problem) = error.downcast_ref::<Problem>() {
        return problem.clone();
    }
    let root = root(error);
    let message = bare_message(&root);
    let (place, message) = match place_in(host, &message) {
        Some((place, rest)) => (Some(place), rest.to_owned()),
        // The host's own Lua is in no file: the place is that of the mod's call.
        None => (None, in_library(&message).unwrap_or(&message).to_owned()),
    };
    let mut problem = match &root {
        Error::SyntaxError { .. } => explain_syntax(host, place.as_ref(), message),
        Error::BadArgument { .. } | Error::FromLuaConversionError { .. } => {
            Problem::error("bad-argument", message)
        }
        _ => explain(message),
    };
    if let Some(place) = place {
        if let Some(at) = places.iter().position(|other| *other == place) {
            places.drain(..=at);
        }
        if problem.code == "script-error" && problem.message.contains("nil") {
            let calls = problem.message.contains("attempt to call");
            let called = calls.then(|| nil_names::called(host, &place)).flatten();
            problem.hint = called.or_else(|| nil_names::meant(host, &place)).or(problem.hint);
            problem = added_words::unknown_here(host, &place, problem);
        }
        problem.place = Some(place);
    }
    problem
}

/// A mistake in the text of a script, with the line that the message itself speaks of.
fn explain_syntax(host: &Host, place: Option<&Place>, message: String) -> Problem {
    let opened = message.split_once(" at line ").and_then(|(_, rest)| {
        let line = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let place = place?;
        host.sources.place(&format!("{}/{}", place.owner, place.file), line)
    });
    let mut problem = Problem::error("syntax", message);
    problem.trail.extend(opened);
    let Some(place) = place else { return problem };
    let text = host.sources.text(&place.owner, &place.file).map_or("", |text| &**text);
    if let Some((hint, line)) = syntax::help(&problem.message, text, place.line) {
        problem.hint = Some(hint);
        let chunk = format!("{}/{}", place.owner, place.file);
        let at = line.and_then(|line| host.sources.place(&chunk, line));
        problem.trail.extend(at.filter(|at| !problem.trail.contains(at)));
    }
    problem
}

/// An error's text without the calls, cut to a length that can be read.
fn bare_message(error: &Error) -> String {
    let text = match error {
        Error::RuntimeError(text) => text.split(TRACE_HEAD).next().unwrap_or_default().to_owned(),
        Error::SyntaxError { message, .. } => message.clone(),
        Error::BadArgument { to, pos, cause, .. } => {
            let to = to.as_deref().map(|to| format!(" of `{to}`")).unwrap_or_default();
            format!("argument {pos}{to}: {}", bare_message(cause))
        }
        Error::FromLuaConversionError { from: "nil", to, .. } => {
            format!("{} was expected, and nothing was given", rust_word(to))
        }
        Error::FromLuaConversionError { from, to, .. } => {
            format!("{} was expected, and a {from} was given", rust_word(to))
        }
        Error::ExternalError(cause) => Arc::clone(cause).to_string(),
        other => other.to_string(),
    };
    let text = text.trim();
    if let Some(kind) = addressed(text) {
        return format!("a {kind} was raised as an error; its text is not known");
    }
    if text.chars().count() > MESSAGE_CHARS {
        return text.chars().take(MESSAGE_CHARS).chain("…".chars()).collect();
    }
    text.to_owned()
}

/// The text of an error without its place in the host's own Lua, if that is where it lies.
fn in_library(text: &str) -> Option<&str> {
    let (line, rest) = text.strip_prefix("[host]:")?.split_once(": ")?;
    line.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
}

/// Whether a text is all that Lua says of a value without one, such as `table: 0x55d0`.
fn addressed(text: &str) -> Option<&str> {
    let (kind, address) = text.split_once(": 0x")?;
    let plain = kind.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    (plain && address.chars().all(|c| c.is_ascii_hexdigit())).then_some(kind)
}

/// Our types in the words of Lua.
fn rust_word(name: &str) -> &str {
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

/// Puts the commonest errors of Lua in words that say what to do.
fn explain(message: String) -> Problem {
    let problem = |code: &str| Problem::error(code, message.clone());
    if message == interrupt::SPENT {
        return Problem::error("out-of-fuel", "stopped: the fuel is spent");
    }
    if message.contains("readonly table") {
        return Problem::error("frozen-table", "a table that is constant was changed")
            .expected(
                "no change: what is made while loading is constant, and so are definitions, inputs, \
                 and events in `after` hooks",
            )
            .hint("keep what changes in `state`, or change a copy: `table.clone(t)`");
    }
    if message.contains("stack overflow") {
        return Problem::error("too-deep", "calls are nested too deep")
            .hint("look for a function that calls itself without end");
    }
    if message.contains("attempt to index nil") {
        return problem("script-error").hint("what stands before the dot or bracket is nil here");
    }
    if message.contains("attempt to call a nil value") || message.contains("call missing method") {
        return problem("script-error").hint("there is no function of that name there");
    }
    problem("script-error")
}
