//! The settings of a mod, as its scripts read them.

use mlua::{Lua, Table, Value};

use crate::host::Host;
use mods::ModSource;

/// A mod's settings as its scripts read them: the set value, or else the default in the manifest.
pub(crate) fn create_settings(lua: &Lua, host: &Host, source: &ModSource) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    let mod_settings = host.settings.get(source.id());
    for (name, setting) in &source.manifest.settings {
        // A value set for an older version of the mod may not match this one.
        let value = mod_settings.and_then(|settings| settings.get(name));
        let value =
            value.filter(|value| setting.check_value(value).is_ok()).unwrap_or(&setting.default);
        let value = match value {
            base::Value::Bool(truth) => Value::Boolean(*truth),
            base::Value::Int(int) => Value::Number(*int as f64),
            base::Value::Num(num) => Value::Number(*num),
            base::Value::Text(text) => Value::String(lua.create_string(&**text)?),
            base::Value::List(_) | base::Value::Map(_) => continue,
        };
        table.raw_set(name.as_str(), value)?;
    }
    table.set_readonly(true);
    Ok(table)
}
