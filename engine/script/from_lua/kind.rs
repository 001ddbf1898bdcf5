//! `kind "name" { … }`: a kind of content and its fields. `extend "name.field" { … }`: texts added
//! to an open list of a kind, an event or the state.

use std::rc::Rc;

use mlua::{Function, Lua, Table, Value};

use super::definition;
use super::field;
use crate::content::Kind;
use crate::kit::problem::{nearest, one_of};
use crate::kit::{Place, Problem, Undeclared, id::check_word};
use crate::script::host::Host;
use crate::script::missing_names::to_be_seen;
use crate::script::phase::When;
use crate::script::row::{Api, row};

pub(super) fn declare(api: &mut Api<'_>) -> mlua::Result<()> {
    row!(
        api, Loading "kind"(name: String) -> "(fields: { [any]: any }) -> ()",
        "Declares a kind of content: its fields by name, each a `field.…`, and `doc`.",
        |call| open(&call.lua(), call.host, &name)
    )?;
    row!(
        api, Loading "extend"(list: String) -> "(words: { string }) -> ()",
        "Adds texts to an open list (`field.one_of { …, open = true }`) of a kind, an event or the state: `extend \"KIND.FIELD\" { \"word\" }`, `\"EVENT.FIELD\"`, `\"state.FIELD\"`.",
        |call| extend(&call.lua(), call.host, &list)
    )
}

/// Adds texts to an open list of a kind, an event or a field of the state.
fn extend(lua: &Lua, host: &Rc<Host>, list: &str) -> mlua::Result<Function> {
    host.heard.loud.set(true);
    let (place, list) = (host.place_of_caller(lua), list.to_owned());
    let opened = host.heard.opened.named("extend", &list, &place);
    host.function(lua, move |host, _, body: Value| {
        host.allows(When::Loading, "extend")?;
        host.heard.opened.closed(opened);
        host.heard.loud.set(true);
        let Some(more) = texts(&body)? else {
            let found = format!("extend \"{list}\" did not get texts");
            let expected = format!("texts: `extend \"{list}\" {{ \"word\" }}`");
            return Err(Problem::error("bad-field", found).expected(expected).into());
        };
        let (name, path) = list.split_once('.').unwrap_or((&list, ""));
        let sees =
            |owner: &str| owner == place.owner || host.environments.sees(&place.owner, owner);
        if name == "state" {
            let shapes = &mut host.heard.declared.borrow_mut().shapes;
            return Ok(shapes.extend(path, &more, &place)?);
        }
        // An event may have the name of a kind; the kind then explains what is wrong.
        let mut wrong = None;
        for lists in [&host.heard.kinds, &host.heard.moments] {
            let mut lists = lists.borrow_mut();
            if let Some(one) = lists.iter_mut().find(|one| *one.name == *name && sees(&one.owner)) {
                match one.extend(path, &more, &place) {
                    Ok(()) => return Ok(()),
                    Err(problem) => wrong = wrong.or(Some(problem)),
                }
            }
        }
        Err(wrong.unwrap_or_else(|| no_such_list(host, name, &place, &sees)).into())
    })
}

/// The Problem of a list whose kind or event the mod does not see.
fn no_such_list(host: &Host, name: &str, place: &Place, sees: &dyn Fn(&str) -> bool) -> Problem {
    let (kinds, moments) = (host.heard.kinds.borrow(), host.heard.moments.borrow());
    let all = || kinds.iter().chain(&*moments);
    let found = format!("there is no kind or event \"{name}\" here");
    let problem = Problem::error("unknown-kind", found);
    if let Some(one) = all().find(|one| *one.name == *name) {
        return problem
            .expected("a kind or event of this mod, or of one that it needs")
            .hint(to_be_seen(host, place, &one.owner, "one"));
    }
    let names = || all().filter(|one| sees(&one.owner)).map(|one| &*one.name);
    let problem = problem.expected(one_of(name, names()));
    match nearest(name, names()) {
        None => problem.undeclared(Undeclared::Holder(name.to_owned())),
        near => problem.did_you_mean(near),
    }
}

/// The texts of a list; `None` if it is empty or has other values.
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

/// Declares the kind without fields, so that its name exists; the body adds them.
fn open(lua: &Lua, host: &Rc<Host>, name: &str) -> mlua::Result<Function> {
    if let Err(why) = check_word(name) {
        return Err(Problem::error("bad-name", format!("kind \"{name}\": {why}")).into());
    }
    host.heard.loud.set(true);
    let place = host.place_of_caller(lua);
    let handle = definition::handle(lua, host, name)?;
    let handle = Value::UserData(handle);
    let no_module = |_: &str| unreachable!("the name of a kind cannot have a dot");
    if let Some(problem) = host.environments.give(place.clone(), name, handle, no_module)? {
        return Err(problem.into());
    }
    let mut kinds = host.heard.kinds.borrow_mut();
    let index = kinds.len();
    let opened = host.heard.opened.named("kind", name, &place);
    kinds.push(Kind::new(name, Vec::new(), place));
    host.function(lua, move |host, lua, body: Table| {
        host.allows(When::Loading, "kind")?;
        host.heard.opened.closed(opened);
        host.heard.loud.set(true);
        let described = field::read_described(lua, host, &body)?;
        let kind = &mut host.heard.kinds.borrow_mut()[index];
        (kind.fields, kind.doc) = described;
        Ok(())
    })
}
