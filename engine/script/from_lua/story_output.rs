//! `say`, `heading`, `note`, `gain`, `loss`: text output to the player. `fill`: puts values into a
//! text without output.

use std::sync::Arc;

use super::super::declaration_cache::Declaration;
use super::super::host_fn::{
    HostCall, HostFnRegistry, PlaceholderValues, PushedValueCount, Utf8Text, host_fn,
};
use super::super::operator_hints;
use super::super::plain_data::MixedTablePolicy;
use super::super::read_fields;
use super::super::text_overrides::TextOverride;
use base::text::{MarkupPart, can_display_value, display_value, escape_markup_into, split_markup};
use base::{Code, Problem, Value, limits, meter};
use luau::{CallError, LuaType, StackIndex};
use protocol::StoryEvent;

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Reading "fill"(text: Utf8Text, values: PlaceholderValues) -> "string",
        "Fills the {marks} of a text with values, without output.",
        |call| fill_text(call, text, values).map(|text| {
            call.stack.push_text(text);
            PushedValueCount(1)
        })
    )?;
    host_fn!(
        api, Loading "override_text"(text: String, told: String as "string") -> "()",
        "Replaces a text of another mod: the text as it is written there, with its marks, and the new text.",
        |call| declare_text_override(call, &text, &told)
    )?;
    macro_rules! tells {
        ($($name:literal: $event:ident, $doc:literal;)*) => {
            $(host_fn!(
                api, Writing $name(text: Utf8Text, values: PlaceholderValues) -> "()", $doc,
                |call| fill_text(call, text, values).and_then(|text| output_story_event(call, StoryEvent::$event { text }))
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
fn declare_text_override(call: &HostCall<'_>, text: &str, new_text: &str) -> Result<(), Problem> {
    if text == new_text {
        let problem = Problem::error(Code::BadArgument, "a text is overridden with itself");
        return Err(problem.expected("the text as the other mod writes it, and then a different text"));
    }
    read_fields::check_text_size_and_characters(&"the new text of an override", new_text)?;
    let place = call.host.place_of_caller(&call.lua());
    let new_override = TextOverride { from: Arc::from(text), to: Arc::from(new_text), place };
    call.host.record_declaration(Declaration::TextOverride(Arc::new(new_override)))
}

/// Outputs an event, unless the step has too much output.
pub(super) fn output_story_event(call: &HostCall<'_>, event: StoryEvent) -> Result<(), CallError> {
    let output_result = call.host.call_context.world.borrow_mut().emit_story_event(event);
    output_result.map_err(|reason| {
        Problem::error(Code::TooMuchOutput, reason).hint("look for a loop that outputs text").into()
    })
}

/// A script's text with its marks filled from a table of values.
fn fill_text(call: &HostCall<'_>, text: &str, values: StackIndex) -> Result<String, CallError> {
    let text = call.host.apply_text_override(text);
    let mut filled_text = String::with_capacity(text.len() + 16);
    for part in split_markup(text) {
        match part {
            MarkupPart::Plain(plain) => filled_text.push_str(plain),
            MarkupPart::Placeholder(mark) => fill_placeholder(call, values, mark, &mut filled_text)
                .map_err(|call_error| attribute_to_text(call, text, call_error))?,
        }
        // A long value may be inserted very often.
        if filled_text.len() > limits::MAX_TEXT_BYTES {
            break;
        }
    }
    call.host.check_fuel_budget()?;
    read_fields::check_text_size_and_characters(
        &format_args!("the text of {}", call.name),
        &filled_text,
    )?;
    Ok(filled_text)
}

/// Appends the value of a mark to a text; `{foe.name}` reads a field of a table.
fn fill_placeholder(
    call: &HostCall<'_>,
    values: StackIndex,
    mark: &str,
    filled_text: &mut String,
) -> Result<(), CallError> {
    let stack = call.stack;
    let top = stack.top();
    stack.reserve_slots(4);
    stack.push_copy(values);
    for name in mark.split('.') {
        meter::charge_units(1);
        match stack.lua_type(top + 1) {
            LuaType::Table if !stack.has_metatable(top + 1) => {
                stack.push_text(name);
                stack.raw_get(top + 1);
            }
            LuaType::Table | LuaType::Userdata => {
                stack.push_text(name);
                stack.get_with_metamethods(top + 1);
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
    match (stack.lua_type(top + 1), stack.text(top + 1)) {
        (LuaType::Text, Some(text)) if text.len() <= limits::MAX_TEXT_BYTES => {
            escape_markup_into(filled_text, call.host.apply_word_override(text)) // overrides apply to values too
        }
        (LuaType::Bool, _) => {
            filled_text.push_str(&display_value(&Value::Bool(stack.is_truthy(top + 1))))
        }
        _ => {
            match call.host.read_plain_value_at(
                stack,
                top + 1,
                &format_args!("{{{mark}}}"),
                MixedTablePolicy::Reject,
            )? {
                Some(value) if !can_display_value(&value) => {
                    let text_name = format!("the text of {}", call.name);
                    return Err(read_fields::table_in_text_problem(&text_name, mark, &value).into());
                }
                Some(value) => escape_markup_into(filled_text, &display_value(&value)),
                None => return Err(unfilled_placeholder_error(call, values, mark)),
            }
        }
    }
    stack.set_top(top);
    Ok(())
}

/// A Problem of a text is attributed to its author; the caller comes below in the trail.
#[cold]
fn attribute_to_text(call: &HostCall<'_>, text: &str, call_error: CallError) -> CallError {
    let CallError::Error(error) = &call_error else { return call_error };
    let override_place = call
        .host
        .active_text_overrides()
        .and_then(|overrides| overrides.place_of_override(text))
        .cloned();
    let text_place = override_place.or_else(|| call.host.find_text_origin(text));
    let (Some(problem), Some(text_place)) = (error.downcast_ref::<Problem>(), text_place) else {
        return call_error;
    };
    let caller = call.host.place_of_caller(&call.lua());
    problem.clone().at(text_place).add_related_location(caller).into()
}

/// The Problem of a mark without a value, with the names that have values.
#[cold]
fn unfilled_placeholder_error(call: &HostCall<'_>, values: StackIndex, mark: &str) -> CallError {
    let (stack, mut names) = (call.stack, Vec::<Arc<str>>::new());
    if stack.lua_type(values) == LuaType::Table {
        stack.reserve_slots(4);
        let key_index = stack.top() + 1;
        let mut position = stack.push_next_entry(values, 0);
        while position >= 0 {
            names.extend(stack.text(key_index).map(Arc::from));
            stack.set_top(key_index - 1);
            position = stack.push_next_entry(values, position);
        }
        names.sort();
    }
    let problem = read_fields::unfilled_placeholder_problem(
        &format!("the text of {}", call.name),
        mark,
        &names,
    );
    // The line passes the value, but it is nil.
    let line = call.host.place_of_caller(&call.lua()).excerpt;
    match line.and_then(|line| operator_hints::named_argument_hint(call.name, mark, &line)) {
        Some(hint) => Problem { hint: Some(hint), ..problem }.into(),
        None => problem.into(),
    }
}
