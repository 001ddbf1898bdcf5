//! Freezing: what was made while loading is constant afterwards. Everything that can be reached
//! from a kept function or a given name is made read-only, also what only captured locals hold.

use std::collections::BTreeSet;

use mlua::{Function, Lua, Value};

use crate::luau;

/// A function and the plain values that it captured: they must stay as they are.
pub(crate) struct Watched {
    function: Function,
    plain: Vec<Option<Value>>,
}

impl Watched {
    /// The function, if a value that it captured is another one now.
    pub(crate) fn changed(&self, lua: &Lua) -> mlua::Result<Option<&Function>> {
        let now = plain_of(luau::captured(lua, &self.function)?);
        Ok((now != self.plain).then_some(&self.function))
    }
}

fn plain_of(captured: Vec<Value>) -> Vec<Option<Value>> {
    captured.into_iter().map(|value| (!is_deep(&value)).then_some(value)).collect()
}

/// The functions of scripts that lie on the way of a freeze.
#[derive(Default)]
pub(crate) struct Reached {
    /// Those that captured something plain: that cannot be frozen, only watched.
    pub(crate) watched: Vec<Watched>,
    /// All of them.
    pub(crate) functions: Vec<Function>,
    /// Where those lie that captured anything. They stay where they are, since what reaches them is
    /// constant.
    pub(crate) lasting: BTreeSet<usize>,
}

/// Makes all tables that can be reached from these values read-only.
pub(crate) fn freeze(lua: &Lua, from: Vec<Value>) -> mlua::Result<Reached> {
    let mut reached = Reached::default();
    let mut seen = BTreeSet::new();
    let mut waiting = from;
    while let Some(value) = waiting.pop() {
        // Addresses tell values apart here and go nowhere else.
        match value {
            Value::Table(table) if seen.insert(table.to_pointer() as usize) => {
                for pair in table.pairs::<Value, Value>() {
                    let (key, value) = pair?;
                    waiting.extend([key, value].into_iter().filter(is_deep));
                }
                waiting.extend(table.metatable().map(Value::Table));
                table.set_readonly(true);
            }
            Value::Function(function)
                if seen.insert(function.to_pointer() as usize) && function.info().what == "Lua" =>
            {
                let captured = luau::captured(lua, &function)?;
                waiting.extend(captured.iter().filter(|value| is_deep(value)).cloned());
                if !captured.is_empty() {
                    reached.lasting.insert(function.to_pointer() as usize);
                }
                let plain = plain_of(captured);
                reached.functions.push(function.clone());
                if plain.iter().any(Option::is_some) {
                    reached.watched.push(Watched { function, plain });
                }
            }
            _ => {}
        }
    }
    Ok(reached)
}

fn is_deep(value: &Value) -> bool {
    matches!(value, Value::Table(_) | Value::Function(_))
}
