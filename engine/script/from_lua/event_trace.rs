//! Records the events of a step and what their hooks changed, for an author; see `step_trace`.

use super::host_fn::HostCall;
use crate::host::step_trace::{EventFields, TracedAction};
use crate::source_text::describe_value::describe_lua_value;
use crate::values::plain_data::MixedTablePolicy;
use base::{SourceLocation, meter};
use luau::StackIndex;

/// The maximum number of characters of a value.
const MAX_VALUE_CHARS: usize = 160;

/// Records that an event is emitted. A preview is none.
#[cold]
pub(super) fn trace_event(call: &HostCall<'_>, event: StackIndex, name: &str) {
    let host = call.host;
    if !is_traced(call) {
        return;
    }
    host.step_trace.replace_event_fields(read_fields(call, event));
    let place = host.place_of_caller(&call.lua());
    host.step_trace.add(host.trace_depth(), &place, TracedAction::Event { name: name.to_owned() });
}

/// Records what a `before` hook changed in an event.
#[cold]
pub(super) fn trace_before_hook(call: &HostCall<'_>, event: StackIndex, place: &SourceLocation) {
    let host = call.host;
    if is_traced(call) {
        let changes = host.step_trace.replace_event_fields(read_fields(call, event));
        host.step_trace.add(host.trace_depth(), place, TracedAction::Before { changes });
    }
}

/// Records that an `after` hook begins; what it does is one deeper.
#[cold]
pub(super) fn trace_after_hook(call: &HostCall<'_>, place: &SourceLocation) {
    if is_traced(call) {
        let depth = call.host.trace_depth().saturating_sub(1);
        call.host.step_trace.add(depth, place, TracedAction::After);
    }
}

fn is_traced(call: &HostCall<'_>) -> bool {
    call.host.step_trace.is_on() && call.name == "emit"
}

fn read_fields(call: &HostCall<'_>, event: StackIndex) -> EventFields {
    let stack = call.stack;
    let top = stack.top();
    let mut fields = EventFields::new();
    meter::run_without_charge(|| {
        let mut position = stack.push_next_entry(event, 0);
        while position >= 0 {
            if let Some(name) = stack.text(top + 1) {
                fields.insert(name.to_owned(), describe_value(call, top + 2, name));
            }
            stack.set_top(top);
            position = stack.push_next_entry(event, position);
        }
    });
    fields
}

fn describe_value(call: &HostCall<'_>, index: StackIndex, name: &str) -> String {
    let (host, stack) = (call.host, call.stack);
    let plain = host.read_plain_value_at(stack, index, &name, MixedTablePolicy::Split);
    let text = match plain {
        Ok(Some(value)) => serde_json::to_string(&value).unwrap_or_default(),
        _ => stack
            .read_value(&call.lua(), index)
            .map_or(String::new(), |value| describe_lua_value(&value)),
    };
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => text[..end].to_owned() + "…",
        None => text,
    }
}
