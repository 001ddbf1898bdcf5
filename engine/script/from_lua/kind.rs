//! `kind "name" { … }`: a family of content and its fields; `extend "name.field" { … }`: texts that are added to
//! an open list of one.

use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use super::definition;
use super::field;
use crate::content::Kind;
use crate::kit::problem::{nearest, one_of};
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
    )?;
    row!(
        api, Loading "extend"(list: String) -> "(words: { string }) -> ()",
        "Adds texts to a list that its mod says is open (`field.one_of { …, open = true }`): `extend \"KIND.FIELD\" { \"word\" }`.",
        |call| extend(&call.lua(), call.host, &list)
    )
}

/// Takes what is added to an open list of a kind that the mod sees.
fn extend(lua: &Lua, host: &Rc<Host>, list: &str) -> mlua::Result<Function> {
    host.heard.loud.set(true);
    let (place, list) = (host.place_of_caller(lua), list.to_owned());
    host.function(lua, move |host, _, body: Value| {
        host.allows(When::Loading, "extend")?;
        host.heard.loud.set(true);
        let Some(more) = texts(&body)? else {
            let found = format!("extend \"{list}\" is not given texts");
            let expected = format!("texts: `extend \"{list}\" {{ \"word\" }}`");
            return Err(Problem::error("bad-field", found).expected(expected).into());
        };
        let (name, path) = list.split_once('.').unwrap_or((&list, ""));
        let mut kinds = host.heard.kinds.borrow_mut();
        let sees = |kind: &Kind| {
            kind.owner == place.owner || host.environments.sees(&place.owner, &kind.owner)
        };
        if let Some(kind) = kinds.iter_mut().find(|kind| *kind.name == *name && sees(kind)) {
            return Ok(kind.extend(path, &more, &place)?);
        }
        let owner = kinds.iter().find(|kind| *kind.name == *name).map(|kind| &kind.owner);
        let problem = Problem::error("unknown-kind", format!("there is no kind \"{name}\" here"));
        Err(match owner {
            Some(owner) => problem
                .expected("a kind of this mod, or of one that it needs")
                .hint(format!("`{owner}` has one: {owner} = \"…\" under [needs] in mod.toml")),
            None => {
                let names = || kinds.iter().filter(|kind| sees(kind)).map(|kind| &*kind.name);
                problem.expected(one_of(name, names())).did_you_mean(nearest(name, names()))
            }
        }
        .into())
    })
}

/// The texts of a list that holds nothing else; none if it is something else, or empty.
fn texts(body: &Value) -> mlua::Result<Option<Vec<String>>> {
    let Value::Table(body) = body else { return Ok(None) };
    let mut all = Vec::new();
    for pair in body.pairs::<Value, Value>() {
        let (key, value) = pair?;
        let Some(text) = value.as_string().filter(|_| key.as_string().is_none()) else {
            return Ok(None);
        };
        all.push(text.to_string_lossy());
    }
    Ok((!all.is_empty()).then_some(all))
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
