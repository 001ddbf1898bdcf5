//! What a bot sees, as frozen tables of the shape of its JSON. A prompt is built field by field,
//! because it is needed for every answer; rarer parts go through JSON.

use mlua::{Lua, Value as LuaValue};
use serde::Serialize;

use super::bot::Seen;
use crate::kit::Value;
use crate::kit::value::Map;
use crate::luau::{self, Stack};
use crate::play::prompt::Band;
use crate::play::view::Card;
use crate::play::{Ask, Choice, Odds, Prompt};

pub(super) fn shown(lua: &Lua, seen: &Seen<'_>) -> mlua::Result<LuaValue> {
    let Seen { prompt: asked, view, events, facts, parameters } = seen;
    let (view, events) = (json(view)?, json(events)?);
    luau::once(lua, (), |stack| {
        let named = |of: &Map| {
            let each = of.iter().map(|(name, value)| (&**name, value));
            stack.push_names(each, true, |value| stack.push_plain(value, true));
        };
        table(stack, 5, |seen| {
            seen.put("prompt", || prompt(stack, asked));
            view.iter().for_each(|view| seen.put("view", || stack.push_json(view)));
            events.iter().for_each(|events| seen.put("events", || stack.push_json(events)));
            seen.put("facts", || named(facts));
            if !parameters.is_empty() {
                seen.put("parameters", || named(parameters));
            }
        });
    })
}

fn json<T: Serialize>(written: &Option<T>) -> mlua::Result<Option<serde_json::Value>> {
    written.as_ref().map(serde_json::to_value).transpose().map_err(mlua::Error::external)
}

/// A table that is being filled.
struct Filling<'c> {
    stack: Stack<'c>,
    at: luau::At,
}

/// Pushes a table, fills it and freezes it.
fn table<'c>(stack: Stack<'c>, names: usize, fill: impl FnOnce(&Filling<'c>)) {
    stack.push_table(0, names);
    let filling = Filling { stack, at: stack.top() };
    fill(&filling);
    stack.set_frozen(filling.at, true);
}

impl Filling<'_> {
    /// Stores what `push` pushes under a name.
    fn put(&self, name: &str, push: impl FnOnce()) {
        self.stack.push_text(name);
        push();
        self.stack.raw_set(self.at);
    }

    fn text(&self, name: &str, text: &str) {
        self.put(name, || self.stack.push_text(text));
    }

    /// A text that is left out if it is empty.
    fn said(&self, name: &str, text: &str) {
        if !text.is_empty() {
            self.text(name, text);
        }
    }

    fn number(&self, name: &str, number: f64) {
        self.put(name, || self.stack.push_number(number));
    }

    fn plain(&self, name: &str, value: &Option<Value>) {
        let push = |value| self.put(name, || self.stack.push_plain(value, true));
        value.iter().for_each(push);
    }
}

fn prompt(stack: Stack<'_>, prompt: &Prompt) {
    let Prompt { scene, text, ask: wanted, choices, .. } = prompt;
    table(stack, 4, |made| {
        made.text("scene", scene);
        made.text("text", text);
        made.put("ask", || match wanted {
            Ask::One => stack.push_text("one"),
            seldom => stack.push_json(&serde_json::to_value(seldom).unwrap_or_default()),
        });
        made.put("choices", || stack.push_list(choices, true, |one| choice(stack, one)));
    });
}

fn choice(stack: Stack<'_>, choice: &Choice) {
    let Choice { id, label, note, cost, gains, group, dear, closed, odds, .. } = choice;
    // Keys and submenus are only presentation, nothing to decide by.
    let Choice { card: thing, to, hint, on, with, .. } = choice;
    table(stack, 8, |made| {
        made.text("id", id);
        made.text("label", label);
        made.said("note", note);
        made.said("cost", cost);
        made.said("gains", gains);
        group.iter().for_each(|group| made.text("group", &group.id));
        made.said("confirm", dear);
        closed.iter().for_each(|closed| made.text("disabled_because", closed));
        odds.iter().for_each(|odds| made.put("odds", || odds_of(stack, odds)));
        thing.iter().for_each(|thing| made.put("card", || card(stack, thing)));
        if !to.is_empty() {
            made.put("map_target", || stack.push_list(to, true, |id| stack.push_text(id)));
        }
        made.plain("hint", hint);
        on.iter().for_each(|on| made.text("on", on));
        made.plain("with", with);
    });
}

fn odds_of(stack: Stack<'_>, odds: &Odds) {
    let Odds { label, of, bands } = odds;
    table(stack, 3, |made| {
        made.said("label", label);
        made.number("of", *of as f64);
        made.put("bands", || {
            stack.push_list(bands, true, |Band { label, cases, tone }| {
                table(stack, 3, |made| {
                    made.text("label", label);
                    made.number("cases", *cases as f64);
                    made.said("tone", tone);
                });
            });
        });
    });
}

fn card(stack: Stack<'_>, card: &Card) {
    let Card { title, subtitle, text, lines } = card;
    table(stack, 4, |made| {
        made.text("title", title);
        made.text("subtitle", subtitle);
        made.text("text", text);
        made.put("lines", || stack.push_list(lines, true, |line| stack.push_text(line)));
    });
}
