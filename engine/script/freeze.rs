//! Freezing: what was made while loading is constant afterwards. Everything that can be reached
//! from a kept function or a given name is made read-only, also what only captured locals hold.

use std::collections::{BTreeMap, BTreeSet};

use mlua::{Function, Lua, Value};

use crate::luau;

/// The functions of scripts that lie on the way of a freeze.
#[derive(Default)]
pub(crate) struct Reached {
    /// All of them.
    pub(crate) functions: Vec<Function>,
    /// Those that captured anything, by where they lie: they stay there as long as they are held here.
    pub(crate) lasting: BTreeMap<usize, Function>,
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
                if !captured.is_empty() {
                    reached.lasting.insert(function.to_pointer() as usize, function.clone());
                }
                waiting.extend(captured.into_iter().filter(is_deep));
                reached.functions.push(function);
            }
            _ => {}
        }
    }
    Ok(reached)
}

fn is_deep(value: &Value) -> bool {
    matches!(value, Value::Table(_) | Value::Function(_))
}
