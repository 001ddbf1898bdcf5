//! `schema "name" …`: the schema of a field of the state.

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, Value};

use super::field;
use super::host_fn::{HostFnRegistry, host_fn};
use crate::host::Host;
use crate::host::declaration_cache::Declaration;
use crate::host::phase::Availability;
use base::{Code, Problem, id::check_id_part};
use content::{Field, FieldType, StateSchema};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Loading "schema"(name: String) -> "(holds: Field | { [any]: any }) -> ()",
        "Declares the schema of `state.NAME`: fields by name, each a `field.…`, and `doc`; or one `field.…`. A further declaration for the same name, or for a part of it (`\"harbour.boats.hull\"`), adds fields.",
        |call| declare_schema(&call.lua(), call.host, &name)
    )
}

fn declare_schema(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Some(reason) = name.split('.').find_map(|word| check_id_part(word).err()) {
        return Err(
            Problem::error(Code::BadName, format!("schema \"{name}\": {reason}")).into_lua_err()
        );
    }
    let (name, place): (Arc<str>, _) = (Arc::from(name), host.place_of_caller(lua));
    let pending_number =
        host.load_state.pending_declarations.add_declaration("schema", &name, &place);
    host.create_typed_function(lua, move |host, lua, body: Value| {
        host.check_function_allowed(Availability::Loading, "schema").into_lua_err()?;
        host.load_state.pending_declarations.mark_complete(pending_number);
        let mut field = match &body {
            Value::Table(body) => {
                let (fields, doc) = field::read_fields_and_doc(lua, host, body)?;
                let ty = FieldType::Record(fields);
                // The state has no value before the game writes one.
                Field { doc, ..Field::new(&name, ty).into_optional() }
            }
            other => {
                let field = field::read_field(lua, host, other, Some(&name))?;
                let Some(field) = field else {
                    let message = format!("schema \"{name}\" got no field");
                    let expected = "fields with names, or one field: `schema \"turn\" (field.int)`";
                    return Err(Problem::error(Code::BadField, message)
                        .expected(expected)
                        .into_lua_err());
                };
                Field { name: name.clone(), ..field.into_optional() }
            }
        };
        content::set_list_paths_in_type(&mut field.ty, &format!("state.{name}"));
        host.record_declaration(Declaration::Schema(Arc::new(StateSchema {
            field,
            place: place.clone(),
        })))
        .into_lua_err()?;
        Ok(())
    })
}
