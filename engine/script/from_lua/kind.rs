//! `kind "name" { … }`: a family of content and its fields.

use std::rc::Rc;

use mlua::{Lua, Table, Value};

use super::definition;
use super::field::{self, Options};
use crate::content::Kind;
use crate::kit::{Problem, id::check_word};
use crate::script::host::Host;

/// Puts `kind` into the base.
pub(super) fn declare(lua: &Lua, host: &Rc<Host>, base: &Table) -> mlua::Result<()> {
    let owner = host.clone();
    let open = lua.create_function(move |lua, name: String| {
        owner.loading(lua, "kind")?;
        open(lua, &owner, &name)
    })?;
    base.set("kind", open)
}

/// Declares the kind without fields, so that its name is there; the body fills them in.
fn open(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<mlua::Function> {
    if let Err(why) = check_word(name) {
        return Err(host.fail(lua, Problem::error("bad-name", format!("kind \"{name}\": {why}"))));
    }
    host.quiet.set(false);
    let place = host.place_of_caller(lua);
    let handle = definition::handle(lua, host, name)?;
    if let Some(problem) = host.environments.give(place.clone(), name, Value::UserData(handle))? {
        return Err(host.fail(lua, problem));
    }
    let mut kinds = host.kinds.borrow_mut();
    let index = kinds.len();
    kinds.push(Kind::new(name, Vec::new(), place));
    let host = host.clone();
    lua.create_function(move |lua, body: Table| {
        host.loading(lua, "kind")?;
        host.quiet.set(false);
        let mut options = Options::new(&["doc"]);
        let fields = field::read_fields(lua, &host, &body, &mut options)?;
        let doc = options.text(lua, &host, "doc")?;
        let kind = &mut host.kinds.borrow_mut()[index];
        (kind.fields, kind.doc) = (fields, doc);
        Ok(())
    })
}
