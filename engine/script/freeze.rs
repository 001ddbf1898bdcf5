//! Freezing: what was made while loading is constant afterwards. Everything that can be reached
//! from a kept function or a given name is made read-only, also what only captured locals hold.

use std::collections::BTreeSet;

use mlua::{Lua, Value};

use super::raw;

/// Makes all tables that can be reached from these values read-only.
pub(crate) fn freeze(lua: &Lua, from: Vec<Value>) -> mlua::Result<()> {
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
            Value::Function(function) if seen.insert(function.to_pointer() as usize) => {
                if function.info().what == "Lua" {
                    waiting.extend(raw::captured(lua, &function)?.into_iter().filter(is_deep));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_deep(value: &Value) -> bool {
    matches!(value, Value::Table(_) | Value::Function(_))
}
