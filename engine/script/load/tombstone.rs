//! Tombstones: what a script gets for a definition that was removed but that the run still refers
//! to. A tombstone has the id, the name and `gone = true`, and neutral values for all required
//! fields: zero, empty lists, functions that do nothing. So code that does not know of tombstones
//! still works.

use std::collections::BTreeSet;

use mlua::{Lua, MultiValue, Table, Value};

use crate::host::Host;
use content::{Field, FieldType};
use protocol::removed_content::collect_value_texts;

impl Host {
    /// The tombstone of a definition, if the run knows that it existed.
    pub(crate) fn create_tombstone(
        &self,
        lua: &Lua,
        kind: &str,
        id: &str,
    ) -> mlua::Result<Option<Table>> {
        let Some(name) = self.removed_definition_name(kind, id) else { return Ok(None) };
        let table = lua.create_table()?;
        if let Some(kind) = self.registry().kind(kind) {
            self.fill_neutral_fields(lua, &table, &kind.fields)?;
        }
        table.raw_set("id", id)?;
        table.raw_set("name", name)?;
        table.raw_set("gone", true)?;
        table.set_readonly(true);
        Ok(Some(table))
    }

    /// The name in the state; a profile that refers to the id may be older than the run.
    fn removed_definition_name(&self, kind: &str, id: &str) -> Option<String> {
        if let Some(name) = self.call_context.world.borrow().removed_definition_name(kind, id) {
            return Some(name);
        }
        let mut texts = BTreeSet::new();
        collect_value_texts(&self.call_context.profile.borrow(), &mut texts);
        let (_, name) = id.split_once(':')?;
        texts.contains(id).then(|| name.replace('_', " "))
    }

    fn fill_neutral_fields(&self, lua: &Lua, table: &Table, fields: &[Field]) -> mlua::Result<()> {
        for field in fields {
            let value = match &field.default {
                Some(default) => self.datum_to_lua(lua, default)?,
                None if field.is_optional => continue,
                None => self.neutral_value(lua, &field.ty)?,
            };
            table.raw_set(&*field.name, value)?;
        }
        Ok(())
    }

    /// The neutral value of a type.
    fn neutral_value(&self, lua: &Lua, ty: &FieldType) -> mlua::Result<Value> {
        Ok(match ty {
            FieldType::Text | FieldType::SingleLineText(_) => Value::String(lua.create_string("")?),
            FieldType::Int { min, max } => {
                let minimum = min.unwrap_or(i64::MIN);
                let maximum = max.unwrap_or(i64::MAX).max(minimum);
                Value::Number(0.clamp(minimum, maximum) as f64)
            }
            FieldType::Number => Value::Number(0.0),
            FieldType::Bool => Value::Boolean(false),
            FieldType::OneOf(allowed_texts) => {
                let first_text = allowed_texts.first().map_or("", String::as_str);
                Value::String(lua.create_string(first_text)?)
            }
            FieldType::Fn => {
                Value::Function(luau::create_typed_function(lua, |_, _: MultiValue| Ok(()))?)
            }
            FieldType::List(_) | FieldType::Map(_) => {
                let table = lua.create_table()?;
                table.set_readonly(true);
                Value::Table(table)
            }
            FieldType::Record(fields) => {
                let table = lua.create_table()?;
                self.fill_neutral_fields(lua, &table, fields)?;
                table.set_readonly(true);
                Value::Table(table)
            }
            FieldType::Either(types) => match types.first() {
                Some(first_type) => self.neutral_value(lua, first_type)?,
                None => Value::Nil,
            },
            FieldType::Ref(_) | FieldType::Any => Value::Nil,
        })
    }
}
