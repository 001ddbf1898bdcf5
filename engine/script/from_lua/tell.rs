//! `say`, `heading`, `note`, `gain`, `loss`: text output to the player. `fill`: puts values into a
//! text without output.

use std::sync::Arc;

use super::super::declaration_cache::Said;
use super::super::operands;
use super::super::plain::Mixed;
use super::super::reworded::Rewording;
use super::super::row::{Api, Call, Pushed, Text, Values, row};
use super::super::shape;
use crate::kit::fault::planted;
use crate::kit::text::{Part, escape_into, is_readable, parts, shown};
use crate::kit::{Problem, Value, limits, meter};
use crate::luau::{At, Fault, Kind};
use crate::play::Event;

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Looking "fill"(text: Text, values: Values) -> "string",
        "Fills the {marks} of a text with values, without output.",
        |call| filled(call, text, values).map(|text| {
            call.stack.push_text(text);
            Pushed(1)
        })
    )?;
    row!(
        api, Loading "override_text"(text: String, told: String as "string") -> "()",
        "Replaces a text of another mod: the text as it is written there, with its marks, and the new text.",
        |call| reword(call, &text, &told)
    )?;
    macro_rules! tells {
        ($($name:literal: $event:ident, $doc:literal;)*) => {
            $(row!(
                api, Acting $name(text: Text, values: Values) -> "()", $doc,
                |call| filled(call, text, values).and_then(|text| tell(call, Event::$event { text }))
            )?;)*
        };
    }
    tells! {
        "say": Say, "Shows a paragraph.";
        "heading": Heading, "Shows a heading.";
        "note": Note, "Shows a fact beside the story.";
        "gain": Gain, "Shows something gained.";
        "loss": Loss, "Shows something lost.";
    }
    Ok(())
}

/// Declares a text override.
fn reword(call: &Call<'_>, text: &str, told: &str) -> Result<(), Problem> {
    if text == told {
        let problem = Problem::error("bad-argument", "a text is overridden with itself");
        return Err(problem.expected("the text as it is written, and then a different text"));
    }
    shape::fit(&"the new text of an override", told)?;
    let place = call.host.place_of_caller(&call.lua());
    let rewording = Rewording { from: Arc::from(text), to: Arc::from(told), place };
    call.host.say(Said::Rewording(Arc::new(rewording)))
}

/// Outputs an event, unless the step has too much output.
pub(super) fn tell(call: &Call<'_>, event: Event) -> Result<(), Fault> {
    assert!(!planted("panic_in_a_host_function"), "planted");
    let told = call.host.lent.world.borrow_mut().tell(event);
    told.map_err(|why| {
        Problem::error("too-much-told", why).hint("look for a loop that outputs text").into()
    })
}

/// A script's text with its marks filled from a table of values.
fn filled(call: &Call<'_>, text: &str, values: At) -> Result<String, Fault> {
    let text = call.host.told(text);
    let mut out = String::with_capacity(text.len() + 16);
    for part in parts(text) {
        match part {
            Part::Plain(plain) => out.push_str(plain),
            Part::Mark(mark) => {
                put(call, values, mark, &mut out).map_err(|fault| made_by(call, text, fault))?
            }
        }
        // A long value may be inserted very often.
        if out.len() > limits::TEXT_BYTES {
            break;
        }
    }
    call.host.paid()?;
    shape::fit(&format_args!("the text of {}", call.name), &out)?;
    Ok(out)
}

/// Appends the value of a mark to a text; `{foe.name}` reads a field of a table.
fn put(call: &Call<'_>, values: At, mark: &str, out: &mut String) -> Result<(), Fault> {
    let stack = call.stack;
    let top = stack.top();
    stack.room(4);
    stack.push_copy(values);
    for name in mark.split('.') {
        meter::units(1);
        match stack.kind(top + 1) {
            Kind::Table if !stack.has_rules(top + 1) => {
                stack.push_text(name);
                stack.raw_get(top + 1);
            }
            Kind::Table | Kind::Host => {
                stack.push_text(name);
                stack.get(top + 1);
            }
            _ => {
                // Nil has no fields.
                stack.push_nil();
                stack.replace(top + 1);
                break;
            }
        }
        stack.replace(top + 1);
    }
    match (stack.kind(top + 1), stack.text(top + 1)) {
        (Kind::Text, Some(text)) if text.len() <= limits::TEXT_BYTES => {
            escape_into(out, call.host.put_in(text)) // overrides apply to values too
        }
        (Kind::Bool, _) => out.push_str(&shown(&Value::Bool(stack.truth(top + 1)))),
        _ => {
            match call.host.plain_at(stack, top + 1, &format_args!("{{{mark}}}"), Mixed::Refused)? {
                Some(value) if !is_readable(&value) => {
                    let what = format!("the text of {}", call.name);
                    return Err(shape::table_told(&what, mark, &value).into());
                }
                Some(value) => escape_into(out, &shown(&value)),
                None => return Err(unfilled(call, values, mark)),
            }
        }
    }
    stack.set_top(top);
    Ok(())
}

/// A Problem of a text is attributed to its author; the caller comes below in the trail.
#[cold]
fn made_by(call: &Call<'_>, text: &str, fault: Fault) -> Fault {
    let Fault::Error(error) = &fault else { return fault };
    let reworded = call.host.reworded().and_then(|reworded| reworded.maker(text)).cloned();
    let maker = reworded.or_else(|| call.host.maker_of_text(text));
    let (Some(problem), Some(maker)) = (error.downcast_ref::<Problem>(), maker) else {
        return fault;
    };
    let caller = call.host.place_of_caller(&call.lua());
    problem.clone().at(maker).by_way_of(caller).into()
}

/// The Problem of a mark without a value, with the names that have values.
#[cold]
fn unfilled(call: &Call<'_>, values: At, mark: &str) -> Fault {
    let (stack, mut names) = (call.stack, Vec::<Arc<str>>::new());
    if stack.kind(values) == Kind::Table {
        stack.room(4);
        let key = stack.top() + 1;
        let mut next = stack.next(values, 0);
        while next >= 0 {
            names.extend(stack.text(key).map(Arc::from));
            stack.set_top(key - 1);
            next = stack.next(values, next);
        }
        names.sort();
    }
    let problem = shape::unfilled(&format!("the text of {}", call.name), mark, &names);
    // The line passes the value, but it is nil.
    let line = call.host.place_of_caller(&call.lua()).excerpt;
    match line.and_then(|line| operands::under(call.name, mark, &line)) {
        Some(nil) => Problem { hint: Some(nil), ..problem }.into(),
        None => problem.into(),
    }
}
