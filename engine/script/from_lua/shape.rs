//! `shape "name" …`: the schema of a field of the state.

use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, Value};

use super::field;
use crate::content::{Field, FieldType, Shape};
use crate::kit::{Problem, id::check_word};
use crate::script::declaration_cache::Said;
use crate::script::host::Host;
use crate::script::phase::When;
use crate::script::row::{Api, row};

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Loading "schema"(name: String) -> "(holds: Field | { [any]: any }) -> ()",
        "Declares the schema of `state.NAME`: fields by name, each a `field.…`, and `doc`; or one `field.…`. A further declaration for the same name, or for a part of it (`\"harbour.boats.hull\"`), adds fields.",
        |call| open(&call.lua(), call.host, &name)
    )
}

fn open(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Some(why) = name.split('.').find_map(|word| check_word(word).err()) {
        return Err(Problem::error("bad-name", format!("schema \"{name}\": {why}")).into());
    }
    let (name, place): (Arc<str>, _) = (Arc::from(name), host.place_of_caller(lua));
    let opened = host.heard.opened.named("schema", &name, &place);
    host.function(lua, move |host, lua, body: Value| {
        host.allows(When::Loading, "schema")?;
        host.heard.opened.closed(opened);
        let field = match &body {
            Value::Table(body) => {
                let (fields, doc) = field::read_described(lua, host, body)?;
                let ty = FieldType::Record(fields);
                // The state has no value before the game writes one.
                Field { doc, ..Field::new(&name, ty).optional() }
            }
            other => {
                let field = field::field_of(lua, host, other, Some(&name))?;
                let Some(field) = field else {
                    let found = format!("schema \"{name}\" got no field");
                    let expected = "fields with names, or one field: `schema \"turn\" (field.int)`";
                    return Err(Problem::error("bad-field", found).expected(expected).into());
                };
                Field { name: name.clone(), ..field.optional() }
            }
        };
        host.say(Said::Shape(Arc::new(Shape { field, place: place.clone() })))?;
        Ok(())
    })
}
