//! `kind "name" { … }`: a family of content and its fields.

use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use super::definition;
use super::field;
use crate::content::Kind;
use crate::kit::{Problem, id::check_word};
use crate::script::host::Host;
use crate::script::phase::When;
use crate::script::row::{Api, row};

/// Declares it.
pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Loading "kind"(name: String) -> "(fields: { [any]: any }) -> ()",
        "Declares a kind of content: its fields by name, each a `field.…`, and `doc`.",
        |call| open(&call.lua(), call.host, &name)
    )
}

/// Declares the kind without fields, so that its name is there; the body fills them in.
fn open(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Err(why) = check_word(name) {
        return Err(Problem::error("bad-name", format!("kind \"{name}\": {why}")).into());
    }
    host.heard.loud.set(true);
    let place = host.place_of_caller(lua);
    let handle = definition::handle(lua, host, name)?;
    let handle = Value::UserData(handle);
    let no_module = |_: &str| unreachable!("the name of a kind has no dot");
    if let Some(problem) = host.environments.give(place.clone(), name, handle, no_module)? {
        return Err(problem.into());
    }
    let mut kinds = host.heard.kinds.borrow_mut();
    let index = kinds.len();
    kinds.push(Kind::new(name, Vec::new(), place));
    host.function(lua, move |host, lua, body: Table| {
        host.allows(When::Loading, "kind")?;
        host.heard.loud.set(true);
        let described = field::read_described(lua, host, &body)?;
        let kind = &mut host.heard.kinds.borrow_mut()[index];
        (kind.fields, kind.doc) = described;
        Ok(())
    })
}
