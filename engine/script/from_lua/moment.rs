//! `moment "name" { … }`: something that a mod announces, with the fields of its event.

use std::rc::Rc;

use mlua::{Function, Lua, Table};

use super::field::{self, Options};
use crate::content::Kind;
use crate::kit::{Problem, id::check_word};
use crate::script::host::Host;
use crate::script::phase::When;
use crate::script::row::{Api, row};

/// Declares it.
pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Loading "moment"(name: String) -> "(fields: { [any]: any }) -> ()",
        "Declares a moment that this mod announces: the fields of its event by name, each a `field.…`, and `doc`.",
        |call| open(&call.lua(), call.host, &name)
    )
}

/// Declares the moment without fields; the body fills them in.
fn open(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Err(why) = check_word(name) {
        return Err(Problem::error("bad-name", format!("moment \"{name}\": {why}")).into());
    }
    host.heard.loud.set(true);
    let mut moments = host.heard.moments.borrow_mut();
    if let Some(first) = moments.iter().find(|moment| &*moment.name == name) {
        let found = format!("the moment \"{name}\" is declared twice");
        let problem = Problem::error("duplicate", found).expected("one declaration of a moment");
        return Err(problem.by_way_of(first.place.clone()).into());
    }
    let index = moments.len();
    moments.push(Kind::new(name, Vec::new(), host.place_of_caller(lua)));
    host.function(lua, move |host, lua, body: Table| {
        host.allows(When::Loading, "moment")?;
        host.heard.loud.set(true);
        let mut options = Options::new(&["doc"]);
        let fields = field::read_fields(lua, host, &body, &mut options)?;
        let doc = options.text("doc")?;
        let moment = &mut host.heard.moments.borrow_mut()[index];
        (moment.fields, moment.doc) = (fields, doc);
        Ok(())
    })
}
