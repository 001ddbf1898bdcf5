//! What a bot sees, as frozen tables of the shape of its JSON. A prompt is built field by field,
//! because it is needed for every answer; rarer parts go through JSON.

use mlua::{Lua, Value as LuaValue};
use serde::Serialize;

use super::bot::BotInput;
use crate::base::Value;
use crate::base::value::Map;
use crate::luau::{self, Stack};
use crate::protocol::prompt::OddsBand;
use crate::protocol::view::Card;
use crate::protocol::{AnswerType, Choice, Odds, Prompt};

pub(super) fn build_bot_table(lua: &Lua, bot_input: &BotInput<'_>) -> mlua::Result<LuaValue> {
    let BotInput { prompt: asked, view, events, facts, parameters } = bot_input;
    let (view, events) = (to_json(view)?, to_json(events)?);
    luau::call_with_stack(lua, (), |stack| {
        let named = |of: &Map| {
            let each = of.iter().map(|(name, value)| (&**name, value));
            stack.push_map(each, true, |value| stack.push_plain(value, true));
        };
        push_frozen_table(stack, 5, |seen| {
            seen.push_field("prompt", || push_prompt(stack, asked));
            view.iter().for_each(|view| seen.push_field("view", || stack.push_json(view)));
            events.iter().for_each(|events| seen.push_field("events", || stack.push_json(events)));
            seen.push_field("facts", || named(facts));
            if !parameters.is_empty() {
                seen.push_field("parameters", || named(parameters));
            }
        });
    })
}

fn to_json<T: Serialize>(written: &Option<T>) -> mlua::Result<Option<serde_json::Value>> {
    written.as_ref().map(serde_json::to_value).transpose().map_err(mlua::Error::external)
}

/// A table that is being filled.
struct TableBuilder<'c> {
    stack: Stack<'c>,
    table: luau::StackIndex,
}

/// Pushes a table, fills it and freezes it.
fn push_frozen_table<'c>(stack: Stack<'c>, names: usize, fill: impl FnOnce(&TableBuilder<'c>)) {
    stack.push_table(0, names);
    let filling = TableBuilder { stack, table: stack.top() };
    fill(&filling);
    stack.set_frozen(filling.table, true);
}

impl TableBuilder<'_> {
    /// Stores what `push` pushes under a name.
    fn push_field(&self, name: &str, push: impl FnOnce()) {
        self.stack.push_text(name);
        push();
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
        let push = |value| self.push_field(name, || self.stack.push_plain(value, true));
        value.iter().for_each(push);
    }
}

fn push_prompt(stack: Stack<'_>, prompt: &Prompt) {
    let Prompt { scene, text, ask: answer_type, choices, .. } = prompt;
    push_frozen_table(stack, 4, |made| {
        made.add_text_field("scene", scene);
        made.add_text_field("text", text);
        made.push_field("ask", || match answer_type {
            AnswerType::One => stack.push_text("one"),
            seldom => stack.push_json(&serde_json::to_value(seldom).unwrap_or_default()),
        });
        made.push_field("choices", || {
            stack.push_list(choices, true, |one| push_choice(stack, one))
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
    let Choice { card, map_targets: to, hint, on, with, .. } = choice;
    push_frozen_table(stack, 8, |made| {
        made.add_text_field("id", id);
        made.add_text_field("label", label);
        made.add_text_field_unless_empty("note", note);
        made.add_text_field_unless_empty("cost", cost);
        made.add_text_field_unless_empty("gains", gains);
        group.iter().for_each(|group| made.add_text_field("group", &group.id));
        made.add_text_field_unless_empty("confirm", confirm_text);
        disabled_reason.iter().for_each(|closed| made.add_text_field("disabled_because", closed));
        odds.iter().for_each(|odds| made.push_field("odds", || push_odds(stack, odds)));
        card.iter().for_each(|thing| made.push_field("card", || push_card(stack, thing)));
        if !to.is_empty() {
            made.push_field("map_target", || stack.push_list(to, true, |id| stack.push_text(id)));
        }
        made.add_optional_plain_field("hint", hint);
        on.iter().for_each(|on| made.add_text_field("on", on));
        made.add_optional_plain_field("with", with);
    });
}

fn push_odds(stack: Stack<'_>, odds: &Odds) {
    let Odds { label, total_cases: of, bands } = odds;
    push_frozen_table(stack, 3, |made| {
        made.add_text_field_unless_empty("label", label);
        made.add_number_field("of", *of as f64);
        made.push_field("bands", || {
            stack.push_list(bands, true, |OddsBand { label, cases, tone }| {
                push_frozen_table(stack, 3, |made| {
                    made.add_text_field("label", label);
                    made.add_number_field("cases", *cases as f64);
                    made.add_text_field_unless_empty("tone", tone);
                });
            });
        });
    });
}

fn push_card(stack: Stack<'_>, card: &Card) {
    let Card { title, subtitle, text, lines } = card;
    push_frozen_table(stack, 4, |made| {
        made.add_text_field("title", title);
        made.add_text_field("subtitle", subtitle);
        made.add_text_field("text", text);
        made.push_field("lines", || stack.push_list(lines, true, |line| stack.push_text(line)));
    });
}
