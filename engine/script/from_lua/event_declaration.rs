//! `event "name" { … }`: an event that a mod emits, with its fields; or fields that another mod
//! adds to it.

use std::sync::Arc;

use mlua::ExternalError as _;
use mlua::ExternalResult as _;
use std::rc::Rc;

use mlua::{Function, Lua, Table};

use super::field;
use super::host_fn::{HostFnRegistry, host_fn};
use crate::host::Host;
use crate::host::phase::Availability;
use base::{Code, Problem, SourceLocation, id::check_id_part};
use content::{Field, Kind};

pub(super) fn register(api: &mut HostFnRegistry<'_>) -> mlua::Result<()> {
    host_fn!(
        api, Loading "event"(name: String) -> "(fields: { [any]: any }) -> ()",
        "Declares an event that this mod emits: its fields by name, each a `field.…`, and `doc`. For an event of another mod: fields that this mod adds to it.",
        |call| declare_event(&call.lua(), call.host, &name)
    )
}

/// Declares the event without fields; the body adds them.
fn declare_event(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Err(reason) = check_id_part(name) {
        return Err(Problem::error(
            Code::BadName,
            format!("the event name \"{name}\" cannot be used: {reason}"),
        )
        .into_lua_err());
    }
    host.load_state.has_side_effects.set(true);
    let mut events = host.load_state.declared_events.borrow_mut();
    let place = host.place_of_caller(lua);
    let existing_index = events.iter().position(|event_kind| &*event_kind.name == name);
    if let Some(first_declaration) = existing_index
        .map(|position| &events[position])
        .filter(|first_declaration| first_declaration.owner == place.owner)
    {
        let message = format!("the event \"{name}\" is declared twice");
        let problem =
            Problem::error(Code::Duplicate, message).expected("one declaration of an event");
        return Err(problem.add_related_location(first_declaration.place.clone()).into_lua_err());
    }
    let index = existing_index.unwrap_or(events.len());
    if existing_index.is_none() {
        events.push(Kind::new(name, Vec::new(), place.clone()));
    }
    let pending_number =
        host.load_state.pending_declarations.add_declaration("event", name, &place);
    host.create_typed_function(lua, move |host, lua, body: Table| {
        host.check_function_allowed(Availability::Loading, "event").into_lua_err()?;
        host.load_state.pending_declarations.mark_complete(pending_number);
        host.load_state.has_side_effects.set(true);
        let (mut fields, doc) = field::read_fields_and_doc(lua, host, &body)?;
        let event_kind = &mut host.load_state.declared_events.borrow_mut()[index];
        content::set_list_paths(&mut fields, &event_kind.name);
        if existing_index.is_none() {
            (event_kind.fields, event_kind.doc) = (fields, doc);
            return Ok(());
        }
        add_fields_of_other_mod(event_kind, &fields, &place).map_err(mlua::Error::external)
    })
}

/// Adds the fields of another mod to an event.
fn add_fields_of_other_mod(
    event_kind: &mut Kind,
    fields: &[Field],
    place: &SourceLocation,
) -> Result<(), Problem> {
    let name = &event_kind.name;
    for field in fields {
        if event_kind.field(&field.name).is_some() {
            let message = format!("the event \"{name}\" already has a field `{}`", field.name);
            let problem = Problem::error(Code::Duplicate, message)
                .expected("only fields that the event does not have yet: another mod declares it");
            return Err(problem.add_related_location(event_kind.place.clone()).at(place.clone()));
        }
        // The mod that emits the event does not know these fields.
        let insert_index =
            event_kind.fields.partition_point(|existing_field| existing_field.name < field.name);
        Arc::make_mut(&mut event_kind.fields).insert(insert_index, field.clone().into_optional());
    }
    Ok(())
}
