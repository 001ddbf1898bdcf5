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

pub(super) fn build_bot_table(lua: &Lua, seen: &BotInput<'_>) -> mlua::Result<LuaValue> {
    let BotInput { prompt: asked, view, events, facts, parameters } = seen;
    let (view, events) = (to_json(view)?, to_json(events)?);
    luau::call_with_stack(lua, (), |stack| {
        let named = |of: &Map| {
            let each = of.iter().map(|(name, value)| (&**name, value));
            stack.push_map(each, true, |value| stack.push_plain(value, true));
        };
        push_record(stack, 5, |seen| {
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
fn push_record<'c>(stack: Stack<'c>, names: usize, fill: impl FnOnce(&TableBuilder<'c>)) {
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

    fn text(&self, name: &str, text: &str) {
        self.push_field(name, || self.stack.push_text(text));
    }

    /// A text that is left out if it is empty.
    fn optional_text(&self, name: &str, text: &str) {
        if !text.is_empty() {
            self.text(name, text);
        }
    }

    fn number(&self, name: &str, number: f64) {
        self.push_field(name, || self.stack.push_number(number));
    }

    fn plain(&self, name: &str, value: &Option<Value>) {
        let push = |value| self.push_field(name, || self.stack.push_plain(value, true));
        value.iter().for_each(push);
    }
}

fn push_prompt(stack: Stack<'_>, prompt: &Prompt) {
    let Prompt { scene, text, ask: wanted, choices, .. } = prompt;
    push_record(stack, 4, |made| {
        made.text("scene", scene);
        made.text("text", text);
        made.push_field("ask", || match wanted {
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
        confirm: dear,
        disabled_because: closed,
        odds,
        ..
    } = choice;
    // Keys and submenus are only presentation, nothing to decide by.
    let Choice { card: thing, map_targets: to, hint, on, with, .. } = choice;
    push_record(stack, 8, |made| {
        made.text("id", id);
        made.text("label", label);
        made.optional_text("note", note);
        made.optional_text("cost", cost);
        made.optional_text("gains", gains);
        group.iter().for_each(|group| made.text("group", &group.id));
        made.optional_text("confirm", dear);
        closed.iter().for_each(|closed| made.text("disabled_because", closed));
        odds.iter().for_each(|odds| made.push_field("odds", || push_odds(stack, odds)));
        thing.iter().for_each(|thing| made.push_field("card", || push_card(stack, thing)));
        if !to.is_empty() {
            made.push_field("map_target", || stack.push_list(to, true, |id| stack.push_text(id)));
        }
        made.plain("hint", hint);
        on.iter().for_each(|on| made.text("on", on));
        made.plain("with", with);
    });
}

fn push_odds(stack: Stack<'_>, odds: &Odds) {
    let Odds { label, total_cases: of, bands } = odds;
    push_record(stack, 3, |made| {
        made.optional_text("label", label);
        made.number("of", *of as f64);
        made.push_field("bands", || {
            stack.push_list(bands, true, |OddsBand { label, cases, tone }| {
                push_record(stack, 3, |made| {
                    made.text("label", label);
                    made.number("cases", *cases as f64);
                    made.optional_text("tone", tone);
                });
            });
        });
    });
}

fn push_card(stack: Stack<'_>, card: &Card) {
    let Card { title, subtitle, text, lines } = card;
    push_record(stack, 4, |made| {
        made.text("title", title);
        made.text("subtitle", subtitle);
        made.text("text", text);
        made.push_field("lines", || stack.push_list(lines, true, |line| stack.push_text(line)));
    });
}
