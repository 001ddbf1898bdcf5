//! `say`, `heading`, `note`, `gain`, `loss`: text output to the player. `fill`: puts values into a
//! text without output.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::host_fn::{
    HostCall, HostFnRegistry, PlaceholderValues, PushedValueCount, Utf8Text, host_fn,
};
use crate::diagnostics::host_explanation::HostExplanation as _;
use crate::host::declaration_cache::Declaration;
use crate::source_text::operator_hints;
use crate::values::plain_data::MixedTablePolicy;
use crate::values::read_fields;
use base::problem::searched_part;
use base::text::{MarkupPart, can_display_value, display_value, escape_markup_into, split_markup};
use base::text_overrides::COUNT_MARK;
use base::value::ValueMap;
use base::{Code, Digest, Problem, TextOverride, Value, limits, meter};
use luau::{CallError, LuaType, StackIndex};
use protocol::recorded_event::WHOLE_TEXT_KEY;
use protocol::story_event::RollEvent;
use protocol::{EmittedEvent, RecordedEvent, StoryEvent};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Reading "fill"(text: Utf8Text, values: PlaceholderValues) -> "string",
        "Fills the {marks} of a text with values, without output.",
        |call| fill_text_for_script(call, text, values).map(|text| {
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
                |call| output_text(call, text, values, |text| StoryEvent::$event { text })
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
        return Err(
            problem.expected("the text as the other mod writes it, and then a different text")
        );
    }
    read_fields::check_text_size_and_characters(&"the new text of an override", new_text)?;
    let place = call.host.place_of_caller(&call.lua());
    let new_override = TextOverride { from: Arc::from(text), to: Arc::from(new_text), place };
    call.host.record_declaration(Declaration::TextOverride(Arc::new(new_override)))
}

/// Fills a text for a script. Where a run changes, the journal may need what it was made from.
fn fill_text_for_script(
    call: &HostCall<'_>,
    source_text: &str,
    values: StackIndex,
) -> Result<String, CallError> {
    let text = call.host.apply_text_override(source_text);
    if call.host.is_displaying.get() {
        return fill_text(call, text, values, None);
    }
    let mut recorded_values = ValueMap::new();
    let filled_text = fill_text(call, text, values, Some(&mut recorded_values))?;
    call.host.call_scope.filled_texts.add(&filled_text, source_text, recorded_values);
    Ok(filled_text)
}

/// Outputs an event, unless the step has too much output.
fn output_story_event(
    call: &HostCall<'_>,
    event: impl Into<EmittedEvent>,
) -> Result<(), CallError> {
    let mut world = call.host.call_context.world.borrow_mut();
    world.emit_story_event(event).map_err(|reason| {
        Problem::error(Code::TooMuchOutput, reason).hint("look for a loop that outputs text").into()
    })
}

/// Shows a roll, with what its texts were made from.
pub(super) fn output_roll(call: &HostCall<'_>, mut roll: RollEvent) -> Result<(), CallError> {
    let known_texts = &call.host.call_scope.filled_texts;
    let texts = std::iter::once(&roll.label)
        .chain(roll.modifiers.iter().map(|modifier| &modifier.label))
        .chain(roll.added_dice.iter().map(|added| &added.label));
    let sources = texts.filter_map(|text| {
        let source = Some(known_texts.recorded_word(text)).filter(|one| one.as_map().is_some())?;
        Some((Arc::from(text.as_str()), source))
    });
    roll.text_sources = sources.collect();
    output_story_event(call, StoryEvent::Roll(Box::new(roll)))
}

/// Outputs a script's text with the values of its marks. They are filled here too, so that what
/// cannot be shown is refused at the script's line.
fn output_text(
    call: &HostCall<'_>,
    source_text: &str,
    values: StackIndex,
    make_event: fn(String) -> StoryEvent,
) -> Result<(), CallError> {
    let (mut text, mut recorded_values) = (source_text, ValueMap::new());
    let text_to_show = call.host.apply_text_override(source_text);
    let filled_text = fill_text(call, text_to_show, values, Some(&mut recorded_values))?;
    let has_value = |part| match part {
        MarkupPart::Placeholder(mark) => recorded_values.contains_key(mark),
        MarkupPart::Plain(_) => true,
    };
    // Without the marks that its override drops, the source text could not be filled later.
    if !std::ptr::eq(text_to_show, source_text) && !split_markup(source_text).all(has_value) {
        text = text_to_show;
    }
    if recorded_values.is_empty()
        && let Some(source) = call.host.call_scope.filled_texts.recorded_whole_text(text)
    {
        recorded_values.insert(Arc::from(WHOLE_TEXT_KEY), source);
    }
    let recorded = RecordedEvent { event: make_event(text.to_owned()), values: recorded_values };
    let filled_text = Some(filled_text).filter(|filled_text| *filled_text != *text);
    output_story_event(call, EmittedEvent { recorded, filled_text })
}

/// A text with its marks filled from a table of values. `recorded_values` gets each value once.
fn fill_text(
    call: &HostCall<'_>,
    text: &str,
    values: StackIndex,
    mut recorded_values: Option<&mut ValueMap>,
) -> Result<String, CallError> {
    let mut filled_text = String::with_capacity(text.len() + 16);
    for part in split_markup(text) {
        match part {
            MarkupPart::Plain(plain) => filled_text.push_str(plain),
            MarkupPart::Placeholder(mark) => {
                let mut value = read_mark_value(call, values, mark)
                    .map_err(|call_error| attribute_to_text(call, text, call_error))?;
                match &value {
                    // Overrides apply to values too.
                    Value::Text(word) => {
                        let find_count = || read_mark_value(call, values, COUNT_MARK).ok();
                        let overrides = call.host.active_text_overrides();
                        let displayed_word = overrides.map_or(&**word, |overrides| {
                            overrides.apply_counted_word(word, find_count)
                        });
                        escape_markup_into(&mut filled_text, displayed_word);
                        if recorded_values.is_some() {
                            value = call.host.call_scope.filled_texts.recorded_word(word);
                        }
                    }
                    Value::Bool(_) => filled_text.push_str(&display_value(&value)),
                    Value::Int(_) | Value::Num(_) => {
                        escape_markup_into(&mut filled_text, &display_value(&value))
                    }
                    Value::List(_) | Value::Map(_) => {
                        let list_text = display_value(&value);
                        escape_markup_into(&mut filled_text, &list_text);
                        // A nested list is large and displays little.
                        value = Value::List(vec![list_text.into()]);
                    }
                }
                if let Some(values) = recorded_values.as_mut().filter(|all| !all.contains_key(mark))
                {
                    values.insert(Arc::from(mark), value);
                }
            }
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

/// The value of a mark; `{foe.name}` reads a field of a table.
fn read_mark_value(
    call: &HostCall<'_>,
    values: StackIndex,
    mark: &str,
) -> Result<Value, CallError> {
    let stack = call.stack;
    let top = stack.top();
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
    let mark_name = format_args!("{{{mark}}}");
    let value =
        call.host.read_plain_value_at(stack, top + 1, &mark_name, MixedTablePolicy::Reject)?;
    stack.set_top(top);
    match value {
        Some(value) if !can_display_value(&value) => {
            let text_name = format!("the text of {}", call.name);
            Err(read_fields::table_in_text_problem(&text_name, mark, &value).into())
        }
        Some(value) => Ok(value),
        None => Err(unfilled_placeholder_error(call, values, mark)),
    }
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
    let Some(problem) = error.downcast_ref::<Problem>().cloned() else { return call_error };
    // No definition has a longer text.
    if override_place.is_none() && text.len() > limits::MAX_TEXT_BYTES {
        return call_error;
    }
    meter::charge_bytes(text.len());
    let digest = Digest::hash_bytes(text.as_bytes());
    let caller = call.host.place_of_caller(&call.lua());
    problem
        .at(caller)
        .explain_in_host(move |host, problem| {
            let origin = override_place.clone().or_else(|| host.find_text_origin(digest));
            match (origin, &problem.place) {
                (Some(origin), Some(caller)) => {
                    let caller = caller.clone();
                    problem.at(origin).add_related_location(caller)
                }
                _ => problem,
            }
        })
        .into()
}

/// Maximum number of names that have values and that an error keeps: the first ones. A script may
/// catch any number of errors.
const MAX_KEPT_NAMES: usize = 100;

/// The Problem of a mark without a value, with the names that have values.
#[cold]
fn unfilled_placeholder_error(call: &HostCall<'_>, values: StackIndex, mark: &str) -> CallError {
    let (stack, mut names, mut count) = (call.stack, BTreeSet::<Arc<str>>::new(), 0);
    if stack.lua_type(values) == LuaType::Table {
        let key_index = stack.top() + 1;
        let mut position = stack.push_next_entry(values, 0);
        while position >= 0 {
            let name = stack.text(key_index).inspect(|_| count += 1);
            let is_kept = |name: &&str| {
                names.len() < MAX_KEPT_NAMES || names.last() > Some(&Arc::from(*name))
            };
            if let Some(name) = name.filter(is_kept) {
                names.insert(Arc::from(name));
                if names.len() > MAX_KEPT_NAMES {
                    names.pop_last();
                }
            }
            stack.set_top(key_index - 1);
            position = stack.push_next_entry(values, position);
        }
    }
    let problem = read_fields::unfilled_placeholder_problem(
        &format!("the text of {}", call.name),
        mark,
        names.into_iter().collect(),
        count,
    );
    // The line passes the value, but it is nil.
    let (function, mark) = (call.name, searched_part(mark));
    let problem = problem.explain_later(move |problem, _| {
        let line = problem.place.as_ref().and_then(|place| place.excerpt.as_deref());
        let hint = line.and_then(|line| operator_hints::named_argument_hint(function, &mark, line));
        problem.with_optional_hint(hint)
    });
    problem.into()
}
