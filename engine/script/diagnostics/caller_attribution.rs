//! Attributes a Problem in a function of another mod to its caller if the caller passed wrong
//! arguments. This applies to functions of a library, and to exports and rules with declared
//! parameters. The related locations have the original line and the signature of the function.

use crate::host::Host;
use crate::host::phase::Phase;
use crate::source_text::operator_hints;
use base::text::strip_unprintable;
use base::{Code, Problem, SourceLocation};
use content::Signature;

/// Problems of the function itself for every caller: it exceeds a limit.
const LIMIT_PROBLEM_CODES: [Code; 2] = [Code::OutOfFuel, Code::OutOfMemory];

/// Moves a Problem to the caller of the function, if the caller is at fault.
pub(crate) fn attribute_to_caller(host: &Host, mut found: Problem) -> Problem {
    let Some(place) = found.place.clone() else { return found };
    let other = found.related_locations.iter().position(|other| other.owner != place.owner);
    let Some(at) = other.filter(|_| !LIMIT_PROBLEM_CODES.contains(&found.code)) else {
        return found;
    };
    let entered = at.checked_sub(1).map_or(&place, |at| &found.related_locations[at]);
    let around = host.enclosing_function(entered);
    let theirs = if place.file.starts_with("lib/") {
        // A Problem of the top level of a library file is its own; `require` has no arguments to
        // blame.
        let caller = found.related_locations[at].excerpt.as_deref().unwrap_or_default();
        !caller.contains("require")
    } else {
        let lacks = |around: &EnclosingFunction| {
            around.is_export_or_rule && around.is_missing_argument(found.hint.as_deref())
        };
        at == 0 && around.as_ref().is_some_and(lacks)
    };
    if !theirs {
        let is_playing = host.execution_mode.phase.get() != Phase::Loading;
        let passes_unknown_id = passes_unknown_id(&found, entered);
        return match around
            .filter(|around| around.is_export_or_rule && !around.name.is_empty() && is_playing)
        {
            Some(around) => {
                let mut found = describe_call_of_other_mod(found, at, &around);
                if passes_unknown_id {
                    // The call is the first related location.
                    let caller = found.related_locations.remove(0);
                    found.related_locations.splice(0..0, found.place.replace(caller));
                }
                found
            }
            None => found,
        };
    }
    let caller = found.related_locations.remove(at);
    found.place = Some(caller);
    found.related_locations.insert(0, place);
    match around.filter(|_| found.expected.is_none()) {
        Some(around) => {
            // The hint tells the function to check its arguments, but the caller must change.
            found.hint = None;
            found.expected(format!("arguments that fit {}{}", around.name, around.signature))
        }
        None => found,
    }
}

/// Whether the unknown id of a Problem was an argument of the call that entered a function at this
/// place.
fn passes_unknown_id(found: &Problem, entered: &SourceLocation) -> bool {
    let id = found.message.split_once('"').and_then(|(_, rest)| rest.split('"').next());
    let Some(id) = id.filter(|_| found.code == Code::BadReference) else { return false };
    let name = id.split_once(':').map_or(id, |(_, name)| name);
    arguments_at(entered).is_some_and(|arguments| {
        [id, name].into_iter().any(|id| arguments.contains(&format!("{id:?}")))
    })
}

/// The arguments of the call that entered a function at this place.
fn arguments_at(entered: &SourceLocation) -> Option<String> {
    luau::recorded_arguments(&format!("{}/{}", entered.owner, entered.file), entered.line)
}

/// Adds the call from another mod: its line becomes the first related location, and the message
/// shows the arguments.
fn describe_call_of_other_mod(
    mut found: Problem,
    at: usize,
    around: &EnclosingFunction,
) -> Problem {
    let entered =
        at.checked_sub(1).map_or(found.place.as_ref(), |at| found.related_locations.get(at));
    let arguments = entered.and_then(arguments_at);
    let caller = found.related_locations.remove(at);
    let written = || {
        let line = caller.excerpt.as_deref()?;
        operator_hints::call_source(&around.name, line).map(str::to_owned)
    };
    let call = arguments.map(|arguments| format!("{}({arguments})", around.name)).or_else(written);
    if let Some(call) = call {
        let call = format!(", in `{call}` called by {}", caller.owner);
        found.message.push_str(&strip_unprintable(&call));
    }
    found.related_locations.insert(0, caller);
    found
}

/// The function that contains a line.
struct EnclosingFunction {
    /// Its name at call sites.
    name: String,
    signature: Signature,
    /// Whether it is an export or a rule.
    is_export_or_rule: bool,
}

impl EnclosingFunction {
    /// Whether a hint reports as nil a required parameter of the function.
    fn is_missing_argument(&self, hint: Option<&str>) -> bool {
        let name = hint.and_then(|hint| hint.strip_prefix('`')?.split_once("` is nil"));
        name.is_some_and(|(name, _)| {
            let takes = &self.signature.parameters;
            takes.iter().any(|one| one.name == name && !one.is_optional)
        })
    }
}

impl Host {
    /// The function at the top level of a file that contains a line.
    fn enclosing_function(&self, place: &SourceLocation) -> Option<EnclosingFunction> {
        let lines = self.sources.indexed_text(&place.owner, &place.file)?;
        let mut above = (0..place.line as usize).rev();
        let (at, line) = above.find_map(|at| {
            let line = lines.line_text(at)?;
            let begins = line.starts_with(|c: char| c.is_ascii_lowercase());
            (begins && line.contains("function")).then_some((at, line))
        })?;
        let begun = SourceLocation { line: at as u32 + 1, ..place.clone() };
        let signature = self.signature_at(&begun)?;
        let named = line.split(['"', '\'']).nth(1).unwrap_or_default();
        let (name, given) = match line.split([' ', '(']).next()? {
            "export" => (named.to_owned(), true),
            "rule" => (format!("rules.{named}"), true),
            _ => {
                let name = line.strip_prefix("local ").unwrap_or(line).strip_prefix("function ");
                (
                    name.and_then(|rest| rest.split_once('(')).map(|(name, _)| name)?.to_owned(),
                    false,
                )
            }
        };
        Some(EnclosingFunction { name, signature, is_export_or_rule: given })
    }
}
