//! Builds the input of a bot as frozen tables with the shape of its JSON. A prompt is built field
//! by field, because it is needed for every answer; rarer parts go through JSON.

use mlua::{Lua, Value as LuaValue};
use serde::Serialize;

use super::bot::BotInput;
use base::Value;
use base::value::ValueMap;
use luau::Stack;
use protocol::prompt::OddsBand;
use protocol::view::Card;
use protocol::{AnswerType, Choice, Odds, Prompt};

pub(super) fn build_bot_table(lua: &Lua, bot_input: &BotInput<'_>) -> mlua::Result<LuaValue> {
    let BotInput { prompt: bot_prompt, view, events, facts, parameters } = bot_input;
    let (view, events) = (to_json(view)?, to_json(events)?);
    luau::call_with_stack(lua, (), |stack| {
        let push_named_values = |values: &ValueMap| {
            let entries = values.iter().map(|(name, value)| (&**name, value));
            stack.push_map(entries, true, |value| stack.push_plain_data(value, true));
        };
        push_frozen_table(stack, 5, |builder| {
            builder.push_field("prompt", || push_prompt(stack, bot_prompt));
            view.iter().for_each(|view| builder.push_field("view", || stack.push_json(view)));
            events
                .iter()
                .for_each(|events| builder.push_field("events", || stack.push_json(events)));
            builder.push_field("facts", || push_named_values(facts));
            if !parameters.is_empty() {
                builder.push_field("parameters", || push_named_values(parameters));
            }
        });
    })
}

fn to_json<T: Serialize>(value: &Option<T>) -> mlua::Result<Option<serde_json::Value>> {
    value.as_ref().map(serde_json::to_value).transpose().map_err(mlua::Error::external)
}

/// A table that is being filled.
struct TableBuilder<'c> {
    stack: Stack<'c>,
    table: luau::StackIndex,
}

/// Pushes a table, fills it and freezes it.
fn push_frozen_table<'c>(
    stack: Stack<'c>,
    name_capacity: usize,
    fill_table: impl FnOnce(&TableBuilder<'c>),
) {
    stack.push_table(0, name_capacity);
    let builder = TableBuilder { stack, table: stack.top() };
    fill_table(&builder);
    stack.set_frozen(builder.table, true);
}

impl TableBuilder<'_> {
    /// Stores what `push_value` pushes under a name.
    fn push_field(&self, name: &str, push_value: impl FnOnce()) {
        self.stack.push_text(name);
        push_value();
        self.stack.raw_set(self.table);
    }

    fn add_text_field(&self, name: &str, text: &str) {
        self.push_field(name, || self.stack.push_text(text));
    }

    /// A text that is left out if it is empty.
    fn add_text_field_unless_empty(&self, name: &str, text: &str) {
        if !text.is_empty() {
            self.add_text_field(name, text);
        }
    }

    fn add_number_field(&self, name: &str, number: f64) {
        self.push_field(name, || self.stack.push_number(number));
    }

    fn add_optional_plain_field(&self, name: &str, value: &Option<Value>) {
        let push_plain_field =
            |value| self.push_field(name, || self.stack.push_plain_data(value, true));
        value.iter().for_each(push_plain_field);
    }
}

fn push_prompt(stack: Stack<'_>, prompt: &Prompt) {
    let Prompt { scene, text, answer_type, choices, .. } = prompt;
    push_frozen_table(stack, 4, |builder| {
        builder.add_text_field("scene", scene);
        builder.add_text_field("text", text);
        builder.push_field("ask", || match answer_type {
            AnswerType::SingleChoice => stack.push_text("one"),
            other_type => stack.push_json(&serde_json::to_value(other_type).unwrap_or_default()),
        });
        builder.push_field("choices", || {
            stack.push_list(choices, true, |choice| push_choice(stack, choice))
        });
    });
}

fn push_choice(stack: Stack<'_>, choice: &Choice) {
    let Choice {
        id,
        label,
        note,
        cost,
        gains,
        group,
        confirm: confirm_text,
        disabled_because: disabled_reason,
        odds,
        ..
    } = choice;
    // Keys and submenus are only presentation, nothing to decide by.
    let Choice {
        card,
        map_targets: targets,
        bot_hint: hint,
        handler_name: on,
        handler_data: with,
        ..
    } = choice;
    push_frozen_table(stack, 8, |builder| {
        builder.add_text_field("id", id);
        builder.add_text_field("label", label);
        builder.add_text_field_unless_empty("note", note);
        builder.add_text_field_unless_empty("cost", cost);
        builder.add_text_field_unless_empty("gains", gains);
        group.iter().for_each(|group| builder.add_text_field("group", &group.id));
        builder.add_text_field_unless_empty("confirm", confirm_text);
        disabled_reason
            .iter()
            .for_each(|reason| builder.add_text_field("disabled_because", reason));
        odds.iter().for_each(|odds| builder.push_field("odds", || push_odds(stack, odds)));
        card.iter()
            .for_each(|choice_card| builder.push_field("card", || push_card(stack, choice_card)));
        if !targets.is_empty() {
            builder.push_field("map_target", || {
                stack.push_list(targets, true, |id| stack.push_text(id))
            });
        }
        builder.add_optional_plain_field("hint", hint);
        on.iter().for_each(|on| builder.add_text_field("on", on));
        builder.add_optional_plain_field("with", with);
    });
}

fn push_odds(stack: Stack<'_>, odds: &Odds) {
    let Odds { label, total_cases: case_total, bands } = odds;
    push_frozen_table(stack, 3, |builder| {
        builder.add_text_field_unless_empty("label", label);
        builder.add_number_field("of", *case_total as f64);
        builder.push_field("bands", || {
            stack.push_list(bands, true, |OddsBand { label, case_count: cases, tone }| {
                push_frozen_table(stack, 3, |builder| {
                    builder.add_text_field("label", label);
                    builder.add_number_field("cases", *cases as f64);
                    builder.add_text_field_unless_empty("tone", tone);
                });
            });
        });
    });
}

fn push_card(stack: Stack<'_>, card: &Card) {
    let Card { title, subtitle, text, lines } = card;
    push_frozen_table(stack, 4, |builder| {
        builder.add_text_field("title", title);
        builder.add_text_field("subtitle", subtitle);
        builder.add_text_field("text", text);
        builder.push_field("lines", || stack.push_list(lines, true, |line| stack.push_text(line)));
    });
}
